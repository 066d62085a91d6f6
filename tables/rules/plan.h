/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plan of a table to be written: the choices for calls, in the terms of users, whatever the target.
 * Sizes are those of struct table_query, not keys; algorithms have the target's own names. A writer turns
 * it into the loader's file, and reports what the file cannot express.
 */
#ifndef COLLC_TABLES_RULES_PLAN_H
#define COLLC_TABLES_RULES_PLAN_H

#include "tables/rules/table.h"

/* The choice for a call. */
struct table_choice {
    const char *algorithm;        /* NULL: the target's own decision without a table */
    struct table_parameters parameters;
};

struct plan_rule {
    uint32_t collective;          /* index into loader->collectives */
    struct span ranks;            /* ranks of the communicator */
    struct span nodes;            /* nodes of these ranks; 1 .. SPAN_NO_END: any number */
    struct span bytes;
    struct table_choice choice;
};
#define ANY_NODES ((struct span){1, SPAN_NO_END})

/* Rules ascend by collective, ranks, nodes and bytes. Two rules of a collective have the same ranks or
 * disjoint ones; with the same ranks, the same nodes or disjoint ones; with the same nodes, disjoint bytes.
 * Calls without a rule get the target's own decision. */
struct table_plan {
    const struct table_loader *loader;
    const struct plan_rule *rules;
    size_t n_rules;
    const char *title;            /* lines for the head of the file, each ended; or NULL */
};

/* Returns the index behind the last of the rules from `first` on with its collective, ranks and nodes.
 * O(their number). */
size_t plan_like_end(const struct table_plan *plan, size_t first);

/* An algorithm that the target has for a collective, and its parameters. */
struct table_algorithm {
    const char *name;
    int64_t number;               /* the loader's number, 0: it uses names */
    bool has_segment, has_fan_out, has_max_requests;
};

/* Returns the call, CALL_..., in words that follow "calls with". */
const char *call_words(unsigned call);
/* Returns the effect of such a call on an algorithm that is not made for it. */
const char *call_outcome(unsigned call);
/* True if a rule with that choice makes no legal call wrong, except for `unmade`, CALL_..., which programs
 * are said not to make. Everyone who chooses rules for a file must ask this of each choice. */
bool plan_is_safe(const struct table_loader *loader, uint32_t collective, const struct table_choice *choice,
                  unsigned unmade);
/* Appends a line for each call of `unmade`, with `mark` before it, for the head of a file. */
void plan_say_unmade(unsigned unmade, const char *mark, struct text *out);

/* Facts about a target beyond its files, for writers. */
struct table_writer {
    /* Finds algorithm i of the collective, from 0. Returns false behind the last. */
    bool (*algorithm)(const struct table_loader *loader, uint32_t collective, size_t i,
                      struct table_algorithm *algorithm);
    /* Returns the outcome of a call of `bytes` if that is chosen: the algorithm that runs in its place, and
     * how it fails. */
    struct table_range (*outcome)(const struct table_loader *loader, const struct table_query *query,
                                  const struct table_choice *choice, uint64_t bytes);
    /* Returns the calls, CALL_..., that a rule with that choice makes wrong. NULL: none, as files test the
     * properties of the call. */
    unsigned (*broken_calls)(const struct table_loader *loader, uint32_t collective,
                             const struct table_choice *choice);
    /* Returns what is compiled in, as a table without a source; in the arena. NULL: the target has nothing
     * without a table. */
    const struct table *(*none)(const struct table_loader *loader, struct arena *arena);
    /* True if sizes with one number of ranks cannot have different choices: the loader does not look at the
     * size, or ranks might decide differently. */
    bool (*has_one_choice)(const struct table_loader *loader, uint32_t collective);
    /* Appends the file to `out`, and to `lost` a line for each thing that it cannot express. */
    void (*write)(const struct table_plan *plan, struct text *out, struct text *lost);
    /* A command line under which the file acts: the part up to the file's name, and the part behind it. */
    const char *launch[2];
};

#endif
