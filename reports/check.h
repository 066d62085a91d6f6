/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The results of `collc check`: the cells of a project with their verdicts, and the findings of all of
 * them, each once however many cells show it; and the forms in which that is written.
 */
#ifndef COLLC_REPORTS_CHECK_H
#define COLLC_REPORTS_CHECK_H

#include "base/map.h"
#include "study/project/cell.h"
#include "study/project/waivers.h"

enum check_verdict {
    VERDICT_OK,
    VERDICT_KNOWN,   /* all that is found is in the baseline */
    VERDICT_WAIVED,  /* all that is found is covered by waivers, or in the baseline */
    VERDICT_NOT_FOR, /* does not apply */
    VERDICT_FOUND,   /* something is above a limit, or doubtful */
    VERDICT_WRONG,   /* it breaks its collective, or may not end */
    VERDICT_BROKEN,  /* could not be checked */
    N_VERDICTS
};
extern const char *const check_verdict_name[N_VERDICTS];
extern const char *const cell_outcome_name[]; /* by enum cell_outcome */

/* One cause. Where cells differ, what is said is said of the one that is worst, of those the
 * baseline does not know if there are any. What is above a limit is one finding for each line and
 * network. */
struct check_finding {
    uint64_t fingerprint; /* of what stays when lines move: code, file, the text of the line, and the network
                             of what is above a limit */
    uint32_t code;
    enum severity severity;
    const char *path;     /* NULL: none */
    struct position position; /* line 0: not known */
    const char *place;    /* text of the line; without a line the message */
    bool is_built_in;     /* the path is that of an algorithm in collc, and no file of the project */
    const char *message, *help;
    bool is_measured;     /* above a limit */
    bool is_known;        /* to the baseline, in all cells */
    double value;         /* the largest that is counted: messages on a link, or findings of the line */
    size_t n_places;      /* links, machines or lines in the cell of which it is said */
    size_t cell, n_cells; /* the cell of which it is said, and how many have it; none of a waiver, or
                             of what is in no cell */
    size_t n_known;       /* cells in which the baseline knows it */
};

/* A finding as one cell has it. The baseline knows entries. */
#define CHECK_NO_CELL SIZE_MAX
struct check_entry {
    const struct check_finding *finding;
    size_t cell;          /* CHECK_NO_CELL: it is of the project */
    const char *message;
    double *values;       /* [n] of each link, machine or line, the largest first */
    size_t n;
    bool is_known;
};

struct check_cell {
    enum check_verdict verdict;
    const struct check_entry *worst; /* of those that count; NULL: none */
    const struct check_entry *known; /* the first that would count without the baseline; NULL: none */
    const char *waived;  /* message of the first that would count without waivers; NULL: none */
    const char *why_not; /* the first reason why it does not apply; NULL: none was given */
    bool lacks_room;     /* which is that the machines are too few */
    struct text record;  /* what cell_record wrote; nothing unless it is kept */
    struct text table;   /* of single failures, or of jobs; empty: none */
};

/* Which findings count. */
struct check_filter {
    const char *const *selected, *const *ignored; /* codes, or beginnings of codes; none selected: all */
    size_t n_selected, n_ignored;
    enum severity least;  /* for a verdict */
};

struct baseline;

struct check {
    const struct project *project;   /* without a source: made of the command line, there is no file of it */
    const char *command, *version;   /* that check, for forges: "check", and the version of collc */
    bool is_quiet, has_colour;       /* in text: without tables; in colour */
    const char *way;                 /* to its folder from the root of the repository
                                        (study/project/repository.h); NULL: it is the root */
    struct topology *const *topologies; /* [network of the project], to say whose routes are assumed; NULL:
                                           not said */
    struct check_filter filter;
    struct baseline *baseline;       /* NULL: none */
    bool accepts;                    /* a baseline is written: what is found is known from now on */
    struct waivers *waivers;         /* of the schedules; NULL: none */
    uint32_t max_shown;              /* findings of a code in text */
    bool keeps_records;              /* for JSON; they have everything then (cell_record) */
    size_t max_listed;               /* findings of a code and file in the other forms; 0: all */
    bool fails_by_itself;            /* a finding of no cell, as an idle waiver, is as severe as to fail */
    struct check_cell *cells;        /* [project_n_cells] */
    struct check_finding **findings; /* in order of report; sorted by check_end */
    size_t n_findings, capacity, n_of[N_VERDICTS];
    size_t n_listed;                 /* the first ones, which the forms show */
    struct check_entry **entries;    /* what the cells have of them */
    size_t n_entries, entries_capacity;
    uint64_t n_waived;               /* findings that waivers cover, in each cell */
    struct hash_map map;             /* of the findings, by fingerprint; of no use after check_end */
    struct check_sources *sources;
    struct arena arena;
};

/* The record of a cell: one JSON object, for check_add; brief: without what only JSON shows. */
void cell_record(const struct cell_result *result, bool is_brief, struct text *out);

struct check check_begin(const struct project *project);
/* Takes what a cell gave. `record` NULL: the process that ran it ended, by wait status `status`. */
void check_add(struct check *check, size_t cell, const char *record, size_t length, int status);
/* Says which waivers cover nothing, or have ended, what the baseline knows too much, and of what
 * nothing was checked. Sorts the findings: first what is wrong, then what is above a limit, the
 * worst of each code first, those that the baseline knows behind the others. Waivers and the
 * baseline have been applied; only now the list is cut. */
void check_end(struct check *check);
void check_free(struct check *check);
/* "schedules/ring.coll on star:64, 16 ranks". */
void check_cell_name(const struct check *check, size_t cell, struct text *out);
/* True if the cell says more of the finding than its file does: another schedule, a network or ranks. */
bool check_names_cell(const struct check *check, const struct check_finding *finding);

/* Adds a finding of no cell, with code, severity, position, message and help; `key` tells it from
 * others in its line. `is_firm`: neither the filter nor the baseline takes it out. */
void check_add_of_no_cell(struct check *check, const struct check_finding *finding, const char *key,
                          bool is_firm);
/* Adds findings of no cell, those that waivers cover excepted; `is_firm` as above. */
void check_add_list(struct check *check, const struct diagnostics *list, bool is_firm);
/* True if the finding is of no cell, and fails the check. */
bool check_fails_by(const struct check *check, const struct check_finding *finding);
bool check_wants(const struct check *check, uint32_t code);
/* check_nothing.c: says which numbers of ranks no network has room for, and which schedules are
 * for none of the combinations. */
void check_say_nothing_checked(struct check *check);
/* check_failures.c: makes the table of a cell from the member `failures` of its record (jansson).
 * */
struct json_t;
void check_take_failures(struct check *check, size_t cell, const struct json_t *failures);
/* check_jobs.c: the table of jobs, if the record is of some. */
void check_take_jobs(struct check *check, size_t cell, const struct json_t *record);

/* Place at which forms that know only files of the project show a finding: of what is built in, or in no
 * file, is where the project file names the schedule, or its first line. Without a project file it is the
 * file of what is built in, or the schedule as named. The path is from the project's folder on. */
struct check_place {
    const char *path;
    uint32_t line, column, length; /* column 0: of the whole line */
    bool is_outside; /* the path is no file: of what is built in, "<topology>", "<stdin>" */
};
struct check_place check_place(const struct check *check, const struct check_finding *finding);

/* ---- forms ---- */

/* Writes the check in the format of that name: check_text, check_sarif and so on. */
#define REPORT(name, title) void check_##name(const struct check *check, struct text *out);
#define FINDINGS(name, title) void check_##name(const struct check *check, struct text *out);
#include "reports/formats.def"

struct check_format {
    const char *name;
    void (*write)(const struct check *check, struct text *out);
    bool is_findings; /* FINDINGS of reports/formats.def: has nothing but them */
};
/* Returns the format of that name, which is in the table; NULL: the default. */
const struct check_format *check_format_find(const char *name);

/* Returns the words for a cell in a table: its verdict, or the code of its worst finding. */
const char *check_cell_word(const struct check_cell *cell);
/* Parts of the text, each a line or more: how many combinations have which verdict; the findings; the
 * networks whose routes are assumed, or nothing. */
void check_print_sum(const struct check *check, struct text *out);
void check_print_findings(const struct check *check, bool colour, struct text *out);
void check_print_assumed(const struct check *check, struct text *out);
/* Writes a line of the format concise; the second of a finding with the message of one cell, unnamed. */
void check_concise_finding(const struct check *check, const struct check_finding *finding, struct text *out);
void check_concise_line(const struct check *check, const struct check_finding *finding, const char *message,
                        struct text *out);

/* ---- the baseline ---- */

void baseline_write(const struct check *check, struct text *out);
/* NULL after reporting I001, I002, I003 or K004. Release with baseline_free. */
struct baseline *baseline_read(const char *path, struct arena *arena, struct diagnostics *diagnostics);
/* Names its file so from now on. */
void baseline_set_path(struct baseline *baseline, const char *path, struct arena *arena);
void baseline_free(struct baseline *baseline);
/* True if it has a counterpart for each value of the entry: one that is no smaller, of the same
 * code, file, text of the line and cell, and of no other value. */
bool baseline_knows(struct baseline *baseline, const struct check *check, const struct check_entry *entry);
/* Adds K012 for what it knows and was not found, or is less. */
void baseline_say_idle(const struct baseline *baseline, struct check *check);

#endif
