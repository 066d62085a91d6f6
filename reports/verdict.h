/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict of `collc verify` in its two forms.
 */
#ifndef COLLC_REPORTS_VERDICT_H
#define COLLC_REPORTS_VERDICT_H

#include "verify/verify.h"

/* The object in which several reports stand: {"version": 1, "reports": [...]}. */
enum { REPORTS_VERSION = 1 };

struct verdict {
    const struct schedule_header *header;
    const struct source *source;        /* of the program or the schedule file, or NULL */
    const struct topology *topology;    /* NULL: none */
    const struct placement *placement;  /* NULL: one rank per server */
    const struct verify_report *report;
    struct least_load least;            /* with which its load was compared */
    const struct diagnostics *warnings; /* of the input */
    const struct diagnostics *findings;
    double seconds;                     /* that the verifier took */
    const struct load_ranges *ranges; /* of links where routes are adaptive (measure/ranges.h); NULL: fixed */
    uint32_t drift;                     /* 0 and 1: lockstep */
    bool shows_placement;               /* in text */
    const struct mapping_result *host_order; /* that would be better than the placement, or NULL */
    const struct reproducibility *reproducibility; /* NULL: not asked */
    bool per_step;
    const struct symmetric_verdict *symmetric; /* NULL: not asked */
    const struct taken *taken;                 /* MPI that takes the algorithm, by --as; or NULL */
    bool explains;                      /* in text: with the argument by which it was decided */
    bool is_verbose;                    /* in text: also what says nothing new, and how routes are found */
};

/* The argument of a verdict by symmetry, or why there is none: a few lines. */
void symmetry_text(const struct verdict *verdict, struct text *out);

/* Appends the verdict in one line: "complete, no deadlock; 124 of 125 steps contended; ...". */
void verdict_line(const struct verdict *verdict, struct text *out);
/* Returns what is true of a result that is not complete only because data come twice or floats differ: "all
 * data arrive, some twice"; NULL of others. */
const char *verdict_flaw(const struct verdict *verdict);
/* Appends the two ends of a link by name: "'leaf05' -> 'spine02'". */
void verdict_print_link(const struct topology *topology, uint32_t link, struct text *out);

/* A few aligned lines, first the verdict; with per_step a table in which equal consecutive steps
 * are one row. Without the findings. The same input gives the same bytes. */
void verdict_text(const struct verdict *verdict, struct text *out);
/* One flat record, findings included; docs/json.md names the keys. `key` as for json_open. */
struct json;
void verdict_json(const struct verdict *verdict, const char *key, struct json *json);
void verdict_write(struct json *json, const struct verdict *verdict); /* its members alone */

/* Returns what lies on links: "messages", or "stripes" where these are cut. */
const char *verdict_unit(const struct verdict *verdict);
/* Returns what meets at a port of a host: "server", or "adapter" where ranks use adapters of their own. */
const char *verdict_party(const struct verdict *verdict);
/* Returns the machine of the report's worst_port, and the link by which messages arrive at that port:
 * NO_NEXT_LINK where the cables of a machine are not told apart. */
uint32_t verdict_port(const struct verdict *verdict, uint32_t *link);
/* Returns the ns that the bytes on the heaviest link take at its bandwidth. Requires such a link. */
uint64_t verdict_heaviest_time(const struct verdict *verdict);

/* One finding (finding.def); `topology` names links and machines, or is NULL. */
void finding_json(struct json *json, const struct topology *topology, const struct diagnostic *finding);
/* Its members alone; brief without machines, ranks and steps, which may be many. */
void finding_write(struct json *json, const struct topology *topology, const struct diagnostic *finding,
                   bool is_brief);
void link_ends_write(struct json *json, const struct topology *topology, uint32_t link);

#endif
