/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rule table: a file in which a site tells its MPI which algorithm to take, as the loader of
 * that MPI keeps it. It is a list of rules, each with the numbers of ranks and the keys for which
 * it acts. Two rules never act for the same: whatever order, overlap or search the loader has, its
 * reader turns into ranges, and a rule that never acts has an empty one.
 *
 * The *key* is what the loader compares: seldom the bytes that a user means, so a query says all
 * that keys are made of, and the loader makes the key.
 */
#ifndef COLLC_TABLES_RULES_TABLE_H
#define COLLC_TABLES_RULES_TABLE_H

#include "base/diagnostic.h"

enum { TABLE_FILE_LIMIT = 1 << 26 }; /* bytes */

/* first .. last, both within; nothing if first > last. */
struct span {
    uint64_t first, last;
};
#define SPAN_EMPTY ((struct span){1, 0})
#define SPAN_NO_END UINT64_MAX

static inline bool span_has(struct span span, uint64_t value)
{
    return span.first <= value && value <= span.last;
}

/* Parameters that an algorithm is told besides its name; 0 is "none", as loaders have it. */
struct table_parameters {
    uint64_t segment_bytes, fan_out, max_requests;
};

struct table_rule {
    uint32_t collective;  /* of loader->collectives */
    int64_t algorithm;    /* as the loader numbers them; 0: what acts without a rule */
    struct span ranks, keys;
    struct table_parameters parameters;
    uint32_t line;        /* from 1 */
};

struct table {
    const struct table_loader *loader;
    const struct source *source;
    struct table_rule *rules;  /* none where a loader keeps no list, but a tree */
    size_t n_rules;
    const char *ignored;       /* why the loader drops the whole file; NULL: it does not */
    struct position ignored_at;
    bool ends_program;         /* ... and MPI_Init ends the program, instead of going on without */
};

/* Whose call it is: the user's, or one that the MPI makes in its turn, on a communicator of the ranks of one
 * machine or of a rank of each. Loaders that make no difference look at none. */
enum table_level { TABLE_WHOLE, TABLE_WITHIN, TABLE_BETWEEN };

/* A call of a collective, as far as its size and a loader's keys go. */
struct table_query {
    uint32_t collective, n_ranks;
    uint32_t n_nodes;              /* 0: not said */
    enum table_level level;
    uint64_t type_bytes;           /* size of the datatype, at least 1 */
    bool is_in_place;              /* MPI_IN_PLACE, where the collective has it */
    bool is_ordered;               /* the operation does not commute */
    bool has_insignificant;        /* said is what ranks pass for arguments that MPI ignores: */
    uint64_t insignificant_bytes;
};

/* Calls that MPI allows and that algorithms were not made for. */
enum {
    CALL_ORDERED = 1,              /* a reduction whose operation does not commute */
    CALL_UNLIKE_TYPES = 2          /* ranks describe the same data by unlike datatypes */
};

/* For these sizes, in the bytes of the user, the loader decides alike. */
struct table_range {
    struct span bytes;
    const char *algorithm;
    const char *runs_as;           /* what it calls instead, or NULL */
    const char *fails;             /* how the call ends, or NULL */
    const char *wrong;             /* why it succeeds with wrong data, or NULL */
    bool has_segment, has_fan_out, has_max_requests; /* the algorithm uses it */
    struct table_parameters parameters;
    const char *protocol;          /* of GPU libraries, else NULL */
    bool has_channels;             /* a number of them is said */
    uint64_t channels;
    const struct table_rule *rule; /* that decided; NULL: what acts without one */
    const char *why;
};

struct table_ranges {
    struct table_range *items;
    size_t n, capacity;
};

struct table_writer;

/* A loader of one version of one MPI. The strings and the table live in the arena. */
struct table_loader {
    const char *target;
    const char *const *collectives;
    uint32_t n_collectives;
    const void *version;           /* the folder's own */
    bool has_levels;               /* it looks at query->level */
    /* Reads a table; one that the loader refuses is `ignored`. NULL after reporting B020: the loader may take
     * it, and it is beyond what is read here. */
    struct table *(*read)(const struct table_loader *loader, const struct source *source,
                          struct arena *arena, struct diagnostics *diagnostics);
    /* True if all ranks decide alike; else the root may decide otherwise than the rest. NULL: they do. */
    bool (*agrees)(const struct table *table, const struct table_query *query);
    /* Returns what a call of `bytes` gets, on the root (or where all ranks agree) or elsewhere. */
    struct table_range (*choose)(const struct table *table, const struct table_query *query,
                                 bool is_elsewhere, uint64_t bytes, struct arena *arena);
    /* Calls note(context, bytes) for every number of bytes from which on another choice may be
     * made; any number that is no such does no harm. */
    void (*changes)(const struct table *table, const struct table_query *query,
                    void (*note)(void *context, uint64_t bytes), void *context);
    void (*lint)(const struct table *table, struct diagnostics *findings);
    /* Appends the table as a file of `to`, which has the same function; what that cannot say goes to `lost`
     * (B031), and so do rows that make a legal call wrong, other than those of `unmade`, CALL_... Not of one
     * that is ignored. NULL: it cannot be converted. */
    void (*convert)(const struct table *table, const struct table_loader *to, unsigned unmade,
                    struct text *out, struct diagnostics *lost);
    const struct table_writer *writer; /* tables/rules/plan.h; NULL: its tables are not written */
};

/* Returns the collective of that name, or n_collectives. Targets of GPUs call bcast broadcast, and write
 * names without underlines: the names of MPI will do as well. */
uint32_t table_collective(const struct table_loader *loader, const char *name);

/* The choices for all sizes of `bytes`, ascending, neighbours unlike; to be freed with
 * table_ranges_free. */
struct table_ranges table_pick(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, struct span bytes, struct arena *arena);
void table_ranges_free(struct table_ranges *ranges);

#endif
