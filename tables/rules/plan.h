/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table to be written: what shall be taken for which calls, in the terms of users, whatever the
 * target. Sizes are those of struct table_query, not keys; algorithms have the target's own names. A
 * writer makes the loader's file of it, and says what that cannot express.
 */
#ifndef COLLC_TABLES_RULES_PLAN_H
#define COLLC_TABLES_RULES_PLAN_H

#include "tables/rules/table.h"

/* The choice that is taken. */
struct table_choice {
    const char *algorithm;        /* NULL: what the target takes without a table */
    struct table_parameters parameters;
};

struct plan_rule {
    uint32_t collective;          /* of loader->collectives */
    struct span ranks;            /* of the communicator */
    struct span nodes;            /* on which these are; 1 .. SPAN_NO_END: any number */
    struct span bytes;
    struct table_choice choice;
};
#define ANY_NODES ((struct span){1, SPAN_NO_END})

/* Rules ascend by collective, ranks, nodes and bytes. Two of a collective have the same ranks or
 * have none in common; the same of nodes with the same ranks, and of bytes no two have any in common.
 * Where no rule says anything, the target's own decision stands. */
struct table_plan {
    const struct table_loader *loader;
    const struct plan_rule *rules;
    size_t n_rules;
    const char *title;            /* lines for the head of the file, each ended; or NULL */
};

/* Behind the last of the rules from `first` on with its collective, ranks and nodes. O(how many). */
size_t plan_like_end(const struct table_plan *plan, size_t first);

/* An algorithm that the target has for a collective, and what it takes. */
struct table_algorithm {
    const char *name;
    int64_t number;               /* of the loader, 0: it goes by names */
    bool has_segment, has_fan_out, has_max_requests;
};

/* Returns the call, CALL_..., in words that follow "calls with". */
const char *call_words(unsigned call);
/* Returns what comes of such a call where an algorithm is not made for it. */
const char *call_outcome(unsigned call);
/* True if a rule with that choice makes no legal call wrong, but for those of `unmade`, CALL_..., which
 * programs are said not to make. Whoever chooses what a file says asks this of each choice. */
bool plan_is_safe(const struct table_loader *loader, uint32_t collective, const struct table_choice *choice,
                  unsigned unmade);
/* Appends a line for each call of `unmade`, with `mark` before it, for the head of a file. */
void plan_say_unmade(unsigned unmade, const char *mark, struct text *out);

/* Facts of a target beyond its files, for those who write some. */
struct table_writer {
    /* The algorithm i of the collective, from 0; false behind the last. */
    bool (*algorithm)(const struct table_loader *loader, uint32_t collective, size_t i,
                      struct table_algorithm *algorithm);
    /* Returns what a call of `bytes` gets if that is chosen: what runs in its place, and how it fails. */
    struct table_range (*outcome)(const struct table_loader *loader, const struct table_query *query,
                                  const struct table_choice *choice, uint64_t bytes);
    /* The calls, CALL_..., that a rule with that choice makes wrong. NULL: none, as files ask for what
     * the call is like. */
    unsigned (*broken_calls)(const struct table_loader *loader, uint32_t collective,
                             const struct table_choice *choice);
    /* Without a table; in the arena. */
    const struct table *(*none)(const struct table_loader *loader, struct arena *arena);
    /* True if what `none` decides is known here. */
    bool (*has_default)(const struct table_loader *loader, uint32_t collective);
    /* True if sizes of one number of ranks cannot have unlike choices: the loader does not look at
     * the size, or ranks might then decide unlike. */
    bool (*has_one_choice)(const struct table_loader *loader, uint32_t collective);
    /* Appends the file to `out`; to `lost` a line for each thing that it cannot say. */
    void (*write)(const struct table_plan *plan, struct text *out, struct text *lost);
    /* A command line under which the file acts: up to the file's name, and behind it. */
    const char *launch[2];
};

#endif
