/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules in environment variables, inside this folder: I_MPI_ADJUST_ALLREDUCE="3:0-4096@2-16;2" of Intel
 * MPI, CCL_ALLREDUCE="ring:0-4096;topo:4097-max" of oneCCL. Known from their documentation alone: what the
 * libraries do with strings of another form, and where rules overlap, is not said there.
 *
 * A file has a variable on each line, as a shell script that exports them has.
 */
#ifndef COLLC_TABLES_VARIABLES_VARIABLES_H
#define COLLC_TABLES_VARIABLES_VARIABLES_H

#include "base/text/slice.h"
#include "tables/rules/table.h"

struct variables_version {
    const char *title, *prefix; /* "I_MPI_ADJUST_" */
    bool has_ranks;             /* sizes@ranks, lists of these, and algorithms by number */
};

struct variables_rule {
    struct table_rule rule;       /* keys are bytes; no two need differ */
    struct slice algorithm, text; /* of the whole item */
    bool is_rest;                 /* without sizes: taken for what the others leave */
};

struct variables_fault {
    struct slice text;
    const char *what;
};

struct variables_table {
    struct table table;
    const struct variables_version *version;
    struct variables_rule *rules;
    struct variables_fault *faults; /* what is not of the documented form */
    size_t n_rules, n_faults;
};

static inline const struct variables_table *variables_table_of(const struct table *table)
{
    return (const struct variables_table *)(const void *)table;
}

extern const char *const variables_collectives[];
extern const uint32_t variables_n_collectives;

struct table *variables_read(const struct table_loader *loader, const struct source *source,
                             struct arena *arena, struct diagnostics *diagnostics);

#endif
