/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The needs of the ranks of a pattern in the end, as its author says: chunks of
 * `out` hold chunks that ranks have in `in`, or several such combined. Before,
 * every chunk of `in` is a datum of its own, but for those that are combined
 * with each other: these are contributions to one datum, as those of a
 * reduction are.
 *
 * A rank may have only some chunks of `in`, or none.
 *
 * A *term* says that chunks of `out` of a rank need chunks of `in` of another
 * one, or of each of several. All terms of a chunk together are what it needs:
 * of several ranks these are combined.
 */
#ifndef COLLC_IR_NEEDS_H
#define COLLC_IR_NEEDS_H

#include "base/memory.h"

#include <stdbool.h>

struct need_term {
    uint32_t rank, chunk, n; /* chunks chunk .. chunk+n-1 of `out` of the rank */
    uint32_t from, last;     /* ranks from .. last, which have ... */
    uint32_t from_chunk;     /* ... the first of as many chunks of `in` */
    uint32_t line;           /* in the source, 0 unknown */
    bool adds;               /* written as one of several that are combined */
};

/* Chunks of `out` of one rank with data that follow each other: chunk + k needs
 * datum + k. */
struct need {
    uint32_t chunk, n;
    uint64_t datum;
    uint32_t sum; /* index of the ranks that contribute to each, in needs->sums */
};

/* Ranks, ascending, first .. first+n-1 in needs->ranks. */
struct need_sum {
    size_t first;
    uint32_t n;
};

struct needs {
    uint32_t n_ranks, n_in;
    size_t *first;         /* [n_ranks + 1] in `items` */
    struct need *items;    /* of each rank, by chunk, not overlapping */
    struct need_sum *sums; /* the first n_ranks are of one rank each, of its number */
    size_t n_sums, sums_capacity;
    uint32_t *ranks;
    size_t n_ranks_of_sums, ranks_capacity;
    uint64_t *datum_of;      /* [rank * n_in + chunk]: datum of a chunk of `in`; NULL:
                                that number */
    bool *has;           /* [rank * n_in + chunk]: the rank has the chunk of `in`; NULL: all have all */
    struct need_term *terms; /* by rank and chunk, as they were said */
    size_t n_terms;
};

/* Two terms that contradict each other, and why. */
struct need_fault {
    struct need_term a, b;
    char words[160];
    const char *help;
};

/* Makes what ranks need from terms, whose ranks and chunks exist, and from the chunks that they have (NULL:
 * all). Takes both over, also if it returns NULL: then *fault has why. O(terms log terms + what is combined).
 */
struct needs *needs_new(uint32_t n_ranks, uint32_t n_in, struct need_term *terms, size_t n_terms, bool *has,
                        struct need_fault *fault);
enum {
    NEEDS_MAX_PLACES = 1 << 26
}; /* chunks of `in` of all ranks, where not all have all, or some are combined */
void needs_free(struct needs *needs); /* NULL is fine */
/* Returns the same for ranks that are renumbered: map[rank]. */
struct needs *needs_rename(const struct needs *needs, const uint32_t *map);
/* Returns what the chunk of `out` needs, or the next one that needs something;
 * NULL: none does. O(log). */
const struct need *needs_find(const struct needs *needs, uint32_t rank, uint32_t chunk);
static inline uint64_t needs_datum_of(const struct needs *needs, uint32_t rank, uint32_t chunk)
{
    const uint64_t place = (uint64_t)rank * needs->n_in + chunk;
    return needs->datum_of ? needs->datum_of[place] : place;
}

/* True if the rank has the chunk of `in` before. */
static inline bool needs_has(const struct needs *needs, uint32_t rank, uint32_t chunk)
{
    return !needs->has || needs->has[(uint64_t)rank * needs->n_in + chunk];
}

#endif
