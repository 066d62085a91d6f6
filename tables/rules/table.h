/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rule table: a file in which a site tells its MPI which algorithm to take, as the loader of that MPI
 * keeps it. Settings that force algorithms are a table, too; they stand in scripts and parameter files. A
 * table is a list of rules, each with the numbers of ranks and the keys for which it acts. Two rules never
 * act on the same call: the reader turns the loader's order, overlaps and search into ranges, and a rule
 * that never acts has an empty one.
 *
 * The *key* is the number that the loader compares. It is seldom the bytes that a user means, so a query
 * holds all that keys are made of, and the loader makes the key.
 */
#ifndef COLLC_TABLES_RULES_TABLE_H
#define COLLC_TABLES_RULES_TABLE_H

#include "tables/settings/settings.h"

enum { TABLE_FILE_LIMIT = 1 << 26 }; /* bytes */

/* A range first .. last, both included; empty if first > last. */
struct span {
    uint64_t first, last;
};
#define SPAN_EMPTY ((struct span){1, 0})
#define SPAN_NO_END UINT64_MAX

/* Ranges, ascending and apart. */
struct span_list {
    struct span *items;
    size_t n;
};

static inline bool span_has(struct span span, uint64_t value)
{
    return span.first <= value && value <= span.last;
}

/* Parameters of an algorithm besides its name; 0 is "none", as for loaders. */
struct table_parameters {
    uint64_t segment_bytes, fan_out, max_requests;
};

struct table_rule {
    uint32_t collective;  /* index into loader->collectives */
    int64_t algorithm;    /* the loader's number; 0: the decision without a rule */
    struct span ranks, keys;
    struct table_parameters parameters;
    uint32_t line;        /* from 1 */
};

struct table {
    const struct table_loader *loader;
    const struct source *source;     /* NULL: what is compiled into the MPI */
    const struct settings *settings; /* what it was read from; NULL: a file of the loader's own form */
    struct table_rule *rules;  /* none if a loader keeps a tree instead of a list */
    size_t n_rules;
    const char *ignored;       /* reason for which the loader drops the whole file, or NULL */
    struct position ignored_at;
    bool ends_program;         /* ... and MPI_Init ends the program instead of going on without the file */
    const struct table *whole;            /* that of all settings of a script, where this one is that of the
                                             last of its launches; NULL: it is the same */
    const struct table *const *launches;  /* [n_launches] */
    size_t n_launches;
};

/* The maker of a call: the user, or the MPI itself, on a communicator of the ranks of one machine or of one
 * rank of each machine. Loaders without such a distinction ignore it. */
enum table_level { TABLE_WHOLE, TABLE_WITHIN, TABLE_BETWEEN };

/* A call of a collective, with everything that a loader's keys depend on. */
struct table_query {
    uint32_t collective, n_ranks;
    uint32_t n_nodes;              /* 0: unknown */
    enum table_level level;
    uint64_t type_bytes;           /* size of the datatype, at least 1; 0 where it is that of the sizes asked
                                      for (table_query_of) */
    bool is_launched;              /* as the writer of its tables says: nothing answers before the table */
    bool is_in_place;              /* MPI_IN_PLACE, if the collective has it */
    bool is_ordered;               /* the operation does not commute */
    bool is_irregular;             /* blocks have unequal sizes */
    bool is_exact;                 /* it gives the same bits in any order, as is known */
    bool has_insignificant;        /* insignificant_bytes is set: the size in arguments that MPI ignores */
    uint64_t insignificant_bytes;
};

/* Returns the size of an element that is assumed for a call of `bytes`: 8 where these are made of such. */
static inline uint64_t table_type_bytes(uint64_t bytes)
{
    return bytes && bytes % 8 == 0 ? 8 : 1;
}

/* Returns the query for sizes in a range: where it has no size of elements they have 8 bytes, if it is one
 * size that is made of such, else 1. */
static inline struct table_query table_query_of(const struct table_query *query, struct span bytes)
{
    struct table_query own = *query;
    if (!own.type_bytes)
        own.type_bytes = bytes.first == bytes.last ? table_type_bytes(bytes.first) : 1;
    return own;
}

/* Calls that MPI allows and that some algorithms are not made for. */
enum {
    CALL_ORDERED = 1,              /* a reduction whose operation does not commute */
    CALL_UNLIKE_TYPES = 2          /* ranks describe the same data by different datatypes */
};

/* A range of sizes, in the user's bytes, with the same decision of the loader. */
struct table_range {
    struct span bytes;
    const char *algorithm;
    const char *runs_as;           /* the algorithm that runs instead, or NULL */
    const char *fails;             /* outcome of a call that fails, or NULL */
    const char *wrong;             /* why it succeeds with wrong data, or NULL */
    bool has_segment, has_fan_out, has_max_requests; /* true if the algorithm uses it */
    struct table_parameters parameters;
    const char *protocol;          /* only of GPU libraries, else NULL */
    bool has_channels;             /* the number of channels is set */
    uint64_t channels;
    const struct table_rule *rule; /* the rule that decided; NULL: none did */
    const char *why;
};

struct table_ranges {
    struct table_range *items;
    size_t n, capacity;
};

struct table_writer;

/* A loader of one version of one MPI. The arena owns the strings and the table. */
struct table_loader {
    const char *target;
    const char *const *collectives;
    uint32_t n_collectives;
    const void *version;           /* the folder's own */
    bool has_levels;               /* it looks at query->level */
    bool decides_alone;            /* without any settings, read_settings gives what is compiled in */
    /* True if the source is a file in the loader's own form, not one with settings. NULL: there is no such
     * form. */
    bool (*is_file)(const struct table_loader *loader, const struct source *source,
                    const struct settings *settings);
    /* Reads a table in that form; one that the loader refuses is `ignored`. Returns NULL after reporting
     * B020: the loader may accept the file, but collc cannot read it. */
    struct table *(*read)(const struct table_loader *loader, const struct source *source,
                          struct arena *arena, struct diagnostics *diagnostics);
    /* The settings that it reads instead, and their reader, which reports as `read` does. NULL: none. */
    const struct settings_dialect *dialect;
    struct table *(*read_settings)(const struct table_loader *loader, const struct settings *settings,
                                   struct arena *arena, struct diagnostics *diagnostics);
    /* True if all ranks decide equally; else the root may decide otherwise than the rest. NULL: they always
     * do. */
    bool (*agrees)(const struct table *table, const struct table_query *query);
    /* Returns the choice for a call of `bytes`, on the root (or where all ranks agree) or elsewhere. */
    struct table_range (*choose)(const struct table *table, const struct table_query *query,
                                 bool is_elsewhere, uint64_t bytes, struct arena *arena);
    /* Calls note(context, bytes) for every number of bytes from which on the choice may change; extra
     * numbers do no harm. */
    void (*changes)(const struct table *table, const struct table_query *query,
                    void (*note)(void *context, uint64_t bytes), void *context);
    void (*lint)(const struct table *table, struct diagnostics *findings);
    /* Appends the table as a file of `to`, which has the same function. Reports to `lost` what the file
     * cannot express (B031) and rows that make a legal call wrong, except for calls of `unmade`, CALL_...
     * Requires a table that is not ignored. NULL: it cannot be converted. */
    void (*convert)(const struct table *table, const struct table_loader *to, unsigned unmade,
                    struct text *out, struct diagnostics *lost);
    const struct table_writer *writer; /* tables/rules/plan.h; NULL: collc does not write its tables */
};

/* Returns the collective with that name, or n_collectives. Targets of GPUs call bcast broadcast, and write
 * names without underscores; MPI's names are accepted too. */
uint32_t table_collective(const struct table_loader *loader, const char *name);

/* True if the text has no fewer numbers than words outside of comments behind '#', and no setting. */
bool table_is_of_numbers(const struct source *source);
/* Returns the file that a setting names, beside the file with the setting or as it stands; NULL if it is not
 * there. */
const struct source *table_named_file(const struct source *source, struct slice path, struct arena *arena);

/* Reads the loader's own file that the acting setting with that key names. Returns NULL after reporting B038:
 * no setting names one, or it is not here. */
struct table *table_read_named(const struct table_loader *loader, const struct settings *settings,
                               const char *key, struct arena *arena, struct diagnostics *diagnostics);

/* Returns the choices for all sizes of `bytes`, ascending, neighbours different. Release with
 * table_ranges_free. */
struct table_ranges table_pick(const struct table *table, const struct table_query *query,
                               bool is_elsewhere, struct span bytes, struct arena *arena);
/* Appends ranges of larger sizes; the last and the first become one if they are alike and touch. */
void table_ranges_add(struct table_ranges *ranges, const struct table_ranges *more);
void table_ranges_free(struct table_ranges *ranges);

#endif
