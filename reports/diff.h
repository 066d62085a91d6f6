/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two reports in JSON, of `collc verify` or `collc check`, an old and a new one: what has become worse or
 * better. Links and machines are known by their names, so the networks need not be the same.
 */
#ifndef COLLC_REPORTS_DIFF_H
#define COLLC_REPORTS_DIFF_H

#include "base/diagnostic.h"

/* A figure of a report; more is worse. */
struct diff_figure {
    const char *name;
    double old, new; /* differ */
};

/* A finding, or a figure of a link, that is on one side only or has values that differ. */
struct diff_finding {
    const char *code, *message, *subject; /* subject: "a -> b", a machine, or "" */
    const char *old_message;              /* NULL: not there before */
    bool is_old, is_new, is_measured;
    bool is_load;                         /* of a link above a limit of 0, which is none: it is used */
    double old, new;
};

/* A schedule on a network, in both. */
struct diff_report {
    const char *old_name, *new_name; /* "alltoall/ring on star:4, 4 ranks" */
    const char *old_verdict, *new_verdict; /* of a combination of a project, "ok", "broken" ...; else "" */
    bool is_lost;                    /* was checked and not refuted, and is no longer */
    struct diff_figure *figures;
    size_t n_figures;
    struct diff_finding *findings;   /* what has become worse first, by how much */
    size_t n_findings, n_worse;      /* of both, those that are worse */
    size_t n_new;                    /* of these, findings that the old report does not have */
};

struct diff {
    struct diff_report *reports;
    size_t n_reports, reports_capacity;
    const char **gone, **added;      /* names of reports that are in one of them only, with their verdicts */
    size_t n_lost;                   /* of these: gone although checked, or added and wrong or broken */
    size_t n_gone, gone_capacity, n_added, added_capacity;
    struct arena arena;
};

/* False after reporting K010 at the place in the source. Release in either case with diff_free. */
bool diff_make(const struct source *old, const struct source *new, struct diff *diff,
               struct diagnostics *diagnostics);
void diff_free(struct diff *diff);
bool diff_is_worse(const struct diff *diff);
static inline bool diff_finding_is_worse(const struct diff_finding *finding)
{
    return finding->is_new && (finding->is_old ? finding->new > finding->old : !finding->is_load);
}

/* max_shown: findings listed of each report; 0: all. */
void diff_text(const struct diff *diff, uint32_t max_shown, struct text *out);
void diff_json(const struct diff *diff, struct text *out);

#endif
