/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Diagnostics: messages of collc about its input. Readers, passes and rules append to one list and never
 * print or exit; the driver renders the list once, as text with carets, or as JSON. A diagnostic has a
 * code (base/codes.def), a severity, a position in a source file where one exists, and, when it comes from
 * a rule, the place in the schedule it speaks about.
 *
 * Messages start in lower case, have no full stop, quote the subject in single
 * quotes and say the cause first; how to mend it goes to `help`.
 */
#ifndef COLLC_BASE_DIAGNOSTIC_H
#define COLLC_BASE_DIAGNOSTIC_H

#include "base/map.h"
#include "base/memory.h"

#include <stdio.h>

/* Input file, or text of an option, whole in memory. */
struct source {
    const char *path; /* as the user wrote it; "<topology>" for an option */
    const char *text; /* NUL-terminated, `length` bytes before the NUL */
    size_t length;
    const struct source *named_by; /* the file that names this one; NULL: the user did */
    uint32_t first_line; /* of the text in its file, where that is a part; else 0 */
    const char *part;    /* the description in the file that the user named; NULL: none was named */
};

/* A place in a source. line == 0: no position known. */
struct position {
    const struct source *source;
    uint32_t line, column; /* from 1; column counts bytes */
    uint32_t length;       /* bytes to underline, at least 1 */
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
extern const char *const severity_names[]; /* "note", "warning", "error" */

/* The claims of a report about a schedule, each true until an error of certain families is found. */
enum claim { CLAIM_NOTHING, CLAIM_MATCHED, CLAIM_DEADLOCK_FREE, CLAIM_COMPLETE };

/* Codes are numbers below n_codes, and that is at most MAX_CODES; their names are in codes.h. */
struct code_info {
    const char *id;     /* "M001" */
    const char *family; /* "match"; a rule family of verify/, or "language", "topology" ... */
    enum severity severity;
    enum claim refutes; /* by its family, if it is an error */
    bool is_rule;       /* of the verifier: its findings are results */
    const char *title;  /* one line */
};
#define MAX_CODES 256
extern const struct code_info code_table[];
extern const uint32_t n_codes;
/* Returns the code named `id` (case-insensitive), or n_codes. */
uint32_t code_find(const char *id);

/* The place of a finding in the schedule. -1: does not apply. */
struct place {
    int64_t rank, peer, step, link, machine;
};
#define NO_PLACE ((struct place){-1, -1, -1, -1, -1})

/* A count, and the most that it may be. */
struct counted {
    const char *unit; /* "messages"; NULL: nothing was counted */
    double value;
    double limit;     /* NO_LIMIT: none, `value` says how much is wrong */
};
#define NO_LIMIT (-1.0)

/* Steps first .. last. */
struct step_span {
    uint64_t first, last;
};

struct diagnostic {
    uint32_t code;
    enum severity severity;
    struct position position;
    struct place place;
    struct counted counted;
    const uint32_t *ranks;         /* all ranks it speaks of, ascending; none: those of the place */
    size_t n_ranks;
    const struct step_span *steps; /* the same of steps */
    size_t n_steps;
    const uint32_t *machines;      /* those that it speaks of beside place.machine */
    size_t n_machines;
    bool is_measured;              /* see report_measured */
    bool is_domain;                /* the schedule is not for this place, as its own head says: no defect */
    const char *message;
    const char *help;         /* how to mend it, or NULL */
    struct position related;  /* the other place of a mismatch; line 0: none */
    const char *related_text; /* note printed there, or NULL */
    uint64_t n_more;          /* others like it that were joined to it */
    uint32_t order;           /* of report, within the list */
    struct diagnostic *next;
};

/* Diagnostics of one code kept unless keep_per_code says otherwise. */
enum { DIAGNOSTICS_KEEP = 20 };

struct diagnostics {
    struct arena arena;
    struct diagnostic *first, *last;
    uint64_t n_of_code[MAX_CODES];   /* all reported, also those joined or not kept */
    uint32_t n_kept[MAX_CODES];
    bool is_joined;                  /* join what has the same code and line: one mistake in a
                                        program shows at many ranks and steps */
    uint64_t n_of_severity[SEVERITY_ERROR + 1];
    uint32_t keep_per_code;          /* 0 means DIAGNOSTICS_KEEP */
    uint32_t ignored;                /* 1 + a code: what the caller looks for by itself, so that nobody
                                        is to refuse it; 0: none */
    const char *how_to_see_more;     /* printed behind what is not listed; or NULL */
    struct diagnostic *dummy;        /* given out once a code is full */
    struct diagnostic **joins;       /* of a list that joins: those that have a line, to find them by it */
    size_t joins_capacity;
    struct hash_map by_line;         /* of `joins` */
    struct diagnostic *last_of[MAX_CODES]; /* of a list that joins */
};

/* Appends a diagnostic with the code's severity. Returns it for the caller to
 * set help, place and related; it is a dummy, never printed, once
 * keep_per_code of this code have been kept. */
struct diagnostic *report(struct diagnostics *diagnostics, uint32_t code, struct position position,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));
struct diagnostic *report_va(struct diagnostics *diagnostics, uint32_t code,
                             struct position position, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));
/* Appends what was measured and is above a limit. The caller measures first, and reports the worst
 * first, so these are kept in their order, all of them, and not joined; `n_left` others it does not
 * report are counted. Printed behind the other diagnostics of the file, the worst first. */
struct diagnostic *report_measured_va(struct diagnostics *diagnostics, uint32_t code,
                                      struct position position, uint64_t n_left,
                                      const char *format, va_list args)
    __attribute__((format(printf, 5, 0)));
/* Counts one more diagnostic of a code that is full, and returns true. False,
 * and nothing done, if `report` would keep it. For callers that may have
 * millions of the same to report: words nobody will read cost memory. */
bool diagnostics_only_counts(struct diagnostics *diagnostics, uint32_t code);
/* True if one more of that code would not be kept: what it says need not be made. */
bool diagnostics_is_full(const struct diagnostics *diagnostics, uint32_t code);
/* Joins a finding without a line, in a list that joins: counts one more like the last of this code if that
 * was in the same step; false otherwise. */
bool diagnostics_join(struct diagnostics *diagnostics, uint32_t code, uint64_t step);
/* Appends copies of the diagnostics of a list, with their words and places, and counts those that it has
 * not kept. Their sources have to live on. */
void diagnostics_append(struct diagnostics *diagnostics, const struct diagnostics *from);
/* Appends a copy of one. */
void diagnostics_append_one(struct diagnostics *diagnostics, const struct diagnostic *d);
/* Joins a finding of a file that may come in large numbers: counts one more like the first of this code there
 * that has the same help; false, and nothing done, if there is none. */
bool diagnostics_join_help(struct diagnostics *diagnostics, uint32_t code, const struct source *source,
                           const char *help);
/* Says where the algorithm is run that the diagnostic speaks of: `run` is its other place,
 * unless it has one already or lies on that line itself. Line 0 says nothing. */
void diagnostic_of_run(struct diagnostic *diagnostic, struct position run);
/* Does the same for diagnostics that were reported after `last` (NULL: all) and lie in another file. */
void diagnostics_of_run(struct diagnostics *diagnostics, const struct diagnostic *last,
                        struct position run);
/* Formats into the arena of the list: for help and related_text. */
const char *diagnostics_text(struct diagnostics *diagnostics, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool diagnostics_has_errors(const struct diagnostics *diagnostics);
/* True if one of the list says that the schedule is not for the place, by its own head. */
bool diagnostics_has_domain(const struct diagnostics *diagnostics);
static inline bool diagnostics_ignores(const struct diagnostics *diagnostics, uint32_t code)
{
    return diagnostics->ignored == code + 1;
}
/* Joins what has the same code and line, or code and step without a line, where positions were found
 * later. */
void diagnostics_join_lines(struct diagnostics *diagnostics);
/* True if an error refutes the claim. */
bool diagnostics_refute(const struct diagnostics *diagnostics, enum claim claim);
/* Takes back what was reported under the codes that refute a claim: findings that are
 * mere consequences of others. */
void diagnostics_withdraw(struct diagnostics *diagnostics, enum claim claim);
void diagnostics_free(struct diagnostics *diagnostics);

/* All diagnostics in the order of file, line and report, each as
 *   path:line:col: error: message [M001]
 *      12 |     send in[r+i] to r+i
 *         |     ^~~~
 *   note / help lines
 * Coloured if `colour`. */
void diagnostics_print(const struct diagnostics *diagnostics, struct text *out, bool colour);

/* Appends words from the input for people to read: control characters and what is
 * no UTF-8 become '?', so that no file can play tricks on a terminal. */
void text_append_safe(struct text *text, const char *words);

/* Reads a file ("-" is standard input) whole. On failure reports
 * CODE_I001 (cannot read) or CODE_I002 (larger than `limit` bytes) and returns
 * NULL. The source lives in `arena`. */
const struct source *source_read(const char *path, size_t limit, struct arena *arena,
                                 struct diagnostics *diagnostics);
/* Is called with every file that is read, standard input too, unless NULL. The command line sets it, to
 * know what it reads. */
extern void (*source_opened)(FILE *file);
/* Returns the file, open for reading in parts; NULL after reporting I001, I002. */
FILE *source_open(const char *path, size_t limit, struct diagnostics *diagnostics);
/* Report I001, by errno, and I002. */
void source_report_unreadable(const char *verb, const char *path, struct diagnostics *diagnostics);
void source_report_too_large(const char *path, size_t limit, struct diagnostics *diagnostics);
/* Returns a source over `text` (copied): option values, built-in files. */
const struct source *source_of_text(const char *path, const char *text, size_t length,
                                    struct arena *arena);
/* Position of the byte at `offset`, underlining `length` bytes. O(offset). */
struct position source_position(const struct source *source, size_t offset, size_t length);
/* Reports CODE_I003 with a position and returns false unless the text is valid
 * UTF-8 without NUL bytes. */
bool source_check_utf8(const struct source *source, struct diagnostics *diagnostics);
/* Length of the UTF-8 sequence at `text`, 0 if it is none (RFC 3629: no overlong forms, no
 * surrogates, nothing above U+10FFFF) or the byte 0. A text that ends in a NUL byte always has
 * UTF8_LONGEST bytes available. */
enum { UTF8_LONGEST = 4 };
size_t utf8_length(const char *text, size_t available);

#endif
