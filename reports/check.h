/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `collc check` found: the cells of a project with their verdicts, and the findings of all of them,
 * each once however many cells show it; and the forms in which that is written.
 */
#ifndef COLLC_REPORTS_CHECK_H
#define COLLC_REPORTS_CHECK_H

#include "base/map.h"
#include "study/cell.h"
#include "study/waivers.h"

enum check_verdict {
    VERDICT_OK,
    VERDICT_NOT_FOR, /* does not apply */
    VERDICT_FOUND,   /* something is above a limit, or doubtful */
    VERDICT_WRONG,   /* it breaks its collective, or may not end */
    VERDICT_BROKEN,  /* could not be checked */
    N_VERDICTS
};
extern const char *const check_verdict_name[N_VERDICTS];
extern const char *const cell_outcome_name[]; /* by enum cell_outcome */

struct check_cell {
    enum check_verdict verdict;
    const struct check_finding *worst; /* NULL: none */
    size_t n_findings;
    const char *why_not; /* the first reason why it does not apply; NULL: none was given */
    bool lacks_room;     /* which is that the machines are too few */
    struct text record;  /* what cell_record wrote; nothing unless it is kept */
    struct text table;   /* of single failures, or of jobs; empty: none */
};

/* One cause. Where cells differ, what is said is said of the one with the largest value. */
struct check_finding {
    uint64_t fingerprint; /* of what stays when lines move: code, file, the text of the line, and, for
                             what is above a limit, network and link or machine */
    uint32_t code;
    enum severity severity;
    const char *path;     /* NULL: none */
    struct position position; /* line 0: not known */
    bool is_built_in;     /* the path is that of an algorithm in collc, and no file of the project */
    const char *message, *help;
    bool is_measured;     /* has a value that may grow */
    bool is_known;        /* the baseline has it, and it is no worse */
    double value;
    size_t cell, n_cells; /* the cell of which it is said, and how many have it; none of a waiver, or
                             of what is in no cell */
    size_t last_cell;     /* that was found to have it */
};

/* Which findings count. */
struct check_filter {
    const char *const *selected, *const *ignored; /* codes, or beginnings of codes; none selected: all */
    size_t n_selected, n_ignored;
    enum severity least;  /* for a verdict */
};

/* A finding that was there before. */
struct check_known {
    uint64_t fingerprint;
    double value;
};

struct check {
    const struct project *project;
    const char *way;                 /* to its folder from the root of the repository (study/repository.h);
                                        NULL: it is the root */
    struct topology *const *topologies; /* [network of the project], to say whose routes are assumed; NULL:
                                           not said */
    struct check_filter filter;
    const struct check_known *known; /* the baseline, by fingerprint */
    size_t n_known;
    struct waivers *waivers;         /* of the schedules; NULL: none */
    uint32_t max_shown;              /* findings of a code in text */
    bool keeps_records;              /* for JSON; they have everything then (cell_record) */
    uint64_t n_left;                 /* findings that single cells counted and did not list */
    bool fails_by_itself;            /* a finding of no cell, as an idle waiver, is as severe as to fail */
    struct check_cell *cells;        /* [project_n_cells] */
    struct check_finding **findings; /* in order of report; sorted by check_end */
    size_t n_findings, capacity, n_of[N_VERDICTS];
    struct hash_map map;             /* of the findings, by fingerprint; of no use after check_end */
    struct check_sources *sources;
    struct arena arena;
};

/* The record of a cell: one JSON object, for check_add; brief: without what only JSON shows. */
void cell_record(const struct cell_result *result, bool is_brief, struct text *out);

struct check check_begin(const struct project *project);
/* Takes what a cell gave. `record` NULL: the process that ran it ended, by wait status `status`. */
void check_add(struct check *check, size_t cell, const char *record, size_t length, int status);
/* Says which waivers cover nothing, or have ended, and of what nothing was checked. Sorts the findings:
 * first what is wrong, then what is above a limit, the worst of each code first. */
void check_end(struct check *check);
void check_free(struct check *check);
/* "schedules/ring.coll on star:64, 16 ranks". */
void check_cell_name(const struct check *check, size_t cell, struct text *out);

/* Adds a finding of no cell, with code, position, message and help; `key` tells it from others in its
 * line. */
void check_add_of_no_cell(struct check *check, const struct check_finding *finding, const char *key);
/* check_nothing.c: says which numbers of ranks no network has room for, and which schedules are for none of
 * the combinations. */
void check_say_nothing_checked(struct check *check);
/* check_failures.c: makes the table of a cell from the member `failures` of its record (jansson). */
struct json_t;
void check_take_failures(struct check *check, size_t cell, const struct json_t *failures);
/* check_jobs.c: the table of jobs, if the record is of some. */
void check_take_jobs(struct check *check, size_t cell, const struct json_t *record);

/* Where a finding is shown to who wants files of the project: that of what is built in, or in no file, is
 * where the project file names the schedule, or its first line. The path is from the project's folder on. */
struct check_place {
    const char *path;
    uint32_t line, column, length; /* column 0: of the whole line */
};
struct check_place check_place(const struct check *check, const struct check_finding *finding);

/* ---- forms ---- */

void check_text(const struct check *check, bool is_quiet, bool colour, struct text *out);
void check_concise(const struct check *check, struct text *out);
/* One line of it. */
void check_concise_finding(const struct check *check, const struct check_finding *finding, struct text *out);
void check_json(const struct check *check, struct text *out);
void check_sarif(const struct check *check, const char *version, struct text *out);
void check_github(const struct check *check, struct text *out);
void check_gitlab(const struct check *check, struct text *out);
void check_junit(const struct check *check, struct text *out);

/* ---- the baseline ---- */

void baseline_write(const struct check *check, struct text *out);
/* In the arena, by fingerprint; NULL after reporting I001, I002, I003 or K004. */
const struct check_known *baseline_read(const char *path, struct arena *arena, size_t *n,
                                        struct diagnostics *diagnostics);

#endif
