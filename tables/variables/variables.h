/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules in environment variables, inside this folder: I_MPI_ADJUST_ALLREDUCE="3:0-4096@2-16;2" of Intel
 * MPI, CCL_ALLREDUCE="ring:0-4096;topo:4097-max" of oneCCL. Known from their documentation alone, which
 * does not say how the libraries treat strings of another form, or overlapping rules.
 *
 * A file has a variable on each line, like a shell script that exports them.
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
    struct table_rule rule;       /* keys are bytes; rules may overlap */
    struct slice algorithm, text; /* text: the whole item */
    bool is_rest;                 /* no sizes: covers what the others leave */
};

struct variables_fault {
    struct slice text;
    const char *what;
};

struct variables_table {
    struct table table;
    const struct variables_version *version;
    struct variables_rule *rules;
    struct variables_fault *faults; /* text that is not of the documented form */
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
