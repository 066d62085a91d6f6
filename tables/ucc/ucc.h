/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Score strings of UCC (UCC_TL_UCP_TUNE), inside this folder: settings of a script, or lines of ucc.conf,
 * whose sections select teams.
 *
 *   string := item ['#' item ...]
 *   item   := token [':' token ...]       each the first of these that it can be, and that was not yet there:
 *             collectives, memory types, score, message sizes, [team sizes], @algorithm
 *
 * Read from the sources of UCC 1.2 to 1.8 (src/coll_score/ucc_coll_score.c, src/utils/ucc_parser.c,
 * src/components/tl/ucp); never seen running.
 */
#ifndef COLLC_TABLES_UCC_UCC_H
#define COLLC_TABLES_UCC_UCC_H

#include "tables/rules/table.h"

/* UCC's types in the order of its names, the types that pick supports first. */
enum ucc_collective {
    UCC_ALLGATHER,
    UCC_ALLREDUCE,
    UCC_ALLTOALL,
    UCC_BARRIER,
    UCC_BCAST,
    UCC_REDUCE,
    UCC_N_PICKED,
    /* The others are only linted: their sizes are not the user's, or differ between ranks. */
    UCC_ALLGATHERV = UCC_N_PICKED,
    UCC_ALLTOALLV,
    UCC_FANIN,
    UCC_FANOUT,
    UCC_GATHER,
    UCC_GATHERV,
    UCC_REDUCE_SCATTER,
    UCC_REDUCE_SCATTERV,
    UCC_SCATTER,
    UCC_SCATTERV,
    UCC_N_COLLECTIVES
};
extern const char *const ucc_collective_names[UCC_N_COLLECTIVES];

/* Returns the minor version, 4 of UCC 1.4, whose algorithms and choices these are. */
uint32_t ucc_release(const struct table *table);

/* Returns the algorithm of a release's tl/ucp by name or number, or UCC_NO_ALGORITHM. */
enum { UCC_NO_ALGORITHM = -1 };
int64_t ucc_algorithm(uint32_t release, uint32_t collective, struct slice name);
/* Returns the first release that has an algorithm of this name or number, 4 for 1.4; 0: none has it. */
uint32_t ucc_since(uint32_t collective, struct slice name);

/* An algorithm that is not made for every call: for others UCC runs another one, without a word. */
struct ucc_substitution {
    enum ucc_collective collective;
    const char *algorithm;
    enum { UCC_FOR_EVEN, UCC_FOR_MULTIPLES, UCC_FOR_NOT_IN_PLACE, UCC_FOR_MAPPED } made_for;
    const char *runs_as;         /* NULL: the choice compiled in */
    const char *words;
};
/* Returns NULL if the algorithm is made for every call, or there is none of that name or number. */
const struct ucc_substitution *ucc_substitution(uint32_t release, uint32_t collective, struct slice name);

/* from <= size < end */
struct ucc_range {
    uint64_t from, end;
};
enum { UCC_MAX_RANGES = 32, UCC_SCORE_DISABLED = 0 };

struct ucc_item {
    struct table_rule rule;      /* its line, for reports; rule.collective is unused */
    struct slice text;
    uint32_t collectives;        /* a bit for each; all bits if none is named */
    bool is_of_host;             /* acts on host memory */
    struct ucc_range sizes[UCC_MAX_RANGES];
    struct span teams[UCC_MAX_RANGES];
    uint32_t n_sizes, n_teams;   /* 0: all */
    bool has_score;
    uint64_t score;              /* UINT64_MAX: inf */
    struct slice algorithm;      /* without '@'; length 0: none */
    struct slice wrong;          /* a token of no known form; length 0: none */
};

struct ucc_section {
    struct slice text;           /* between the brackets; length 0: the file as a whole */
    struct slice machine;        /* vendor, model and sockets as written: pick assumes that they fit */
    struct span teams, per_node, nodes;
};

/* A variable that tunes a component. */
struct ucc_string {
    struct slice name;
    size_t section;
    size_t first, n;             /* items */
    bool is_acting;              /* no other setting of the same variable wins */
    bool is_ucp;                 /* UCC_TL_UCP_TUNE, the variable that pick answers for */
};

struct ucc_table {
    struct table table;
    struct ucc_section *sections; /* the first is the whole file's */
    struct ucc_string *strings;
    struct ucc_item *items;
    size_t n_sections, n_strings, n_items;
};

static inline const struct ucc_table *ucc_table_of(const struct table *table)
{
    return (const struct ucc_table *)(const void *)table;
}

struct table *ucc_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                       struct diagnostics *diagnostics);
struct table *ucc_read_settings(const struct table_loader *loader, const struct settings *settings,
                                struct arena *arena, struct diagnostics *diagnostics);
bool ucc_is_file(const struct table_loader *loader, const struct source *source,
                 const struct settings *settings);
struct slice ucc_key(const struct setting *setting);
/* Returns the place of a part of the table's text. */
struct position ucc_at(const struct ucc_table *of, struct slice part);

/* The pieces that a string makes for one team size and collective, by size. `refused` is the item for which
 * UCC drops the whole string, or NULL. */
struct ucc_piece {
    struct ucc_range sizes;
    const struct ucc_item *item;
};
struct ucc_pieces {
    struct ucc_piece *items;
    size_t n, capacity;
    const struct ucc_item *refused;
    const struct ucc_item *left_out; /* first item whose range overlaps another and is dropped alone */
    const char *why;                 /* reason for either */
};
struct ucc_pieces ucc_take(const struct ucc_table *of, const struct ucc_string *string, uint32_t collective,
                           uint64_t n_ranks);

void ucc_lint(const struct table *table, struct diagnostics *findings);

#endif
