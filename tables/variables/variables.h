/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rules in environment variables, inside this folder: I_MPI_ADJUST_ALLREDUCE="3:0-4096@2-16;2" of Intel
 * MPI, CCL_ALLREDUCE="ring:0-4096;topo:4097-max" of oneCCL. Known from their documentation alone, which
 * does not say how the libraries treat strings of another form, or overlapping rules.
 *
 * They stand in scripts and parameter files (tables/settings).
 */
#ifndef COLLC_TABLES_VARIABLES_VARIABLES_H
#define COLLC_TABLES_VARIABLES_VARIABLES_H

#include "tables/rules/table.h"

struct variables_version {
    const char *title, *prefix; /* "I_MPI_ADJUST_" */
    bool has_ranks;             /* sizes@ranks, lists of these, and algorithms by number */
};

struct variables_rule {
    struct table_rule rule;       /* keys are bytes; rules may overlap */
    struct slice algorithm, text; /* text: the whole item */
    bool is_rest;                 /* no sizes: covers what the others leave */
    uint32_t setting;             /* rules of one setting are weighed against each other */
    bool is_acting;               /* no other setting of the same variable wins */
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

/* Returns the collective that the setting is for, by the prefix of the version; variables_n_collectives if
 * none. */
uint32_t variables_collective(const struct variables_version *version, struct slice name);
struct table *variables_read(const struct table_loader *loader, const struct settings *settings,
                             struct arena *arena, struct diagnostics *diagnostics);

#endif
