/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of the chunks of a buffer, and a compact map from chunks to values.
 *
 * A *value* is a datum (ir/collective.h) and, when the collective reduces, the
 * set of ranks whose contributions are combined in it. Real algorithms fill
 * buffers regularly, so a map stores runs of chunks whose values form an
 * arithmetic progression in both numbers: out[0..p-1] of an all-to-all is one
 * run with datum stride p, the partial sums of a ring are one run whose sets
 * grow by one rank per chunk. Memory is O(runs), which for the regular
 * algorithms is O(1) per rank and at worst O(chunks).
 *
 * A set of ranks is one number: a cyclic interval as length << 32 | first, or a box of
 * a grid (rank_boxes.h), or with the top bit set the index of a general set in the table; equal
 * sets have equal numbers. Intervals are of places in an order of the ranks that
 * follows the way of the first contributions (rank_sets_order): along a ring that
 * does not go by rank numbers the partial sums are intervals all the same.
 */
#ifndef COLLC_VERIFY_VALUES_H
#define COLLC_VERIFY_VALUES_H

#include "base/memory.h"
#include "ir/symmetry.h"
#include "verify/rank_boxes.h"

/* Datum of a chunk that was damaged by something already reported. */
#define DATUM_POISON UINT64_MAX

/* Values of n consecutive chunks: chunk k holds datum + k * datum_stride,
 * set + k * set_stride and the expression expr + k * expr_stride (wrapping). set is 0 where
 * nothing is reduced, expr where no expressions are kept (brackets.h). */
struct run {
    uint32_t first, n;
    uint64_t datum, set, expr;
    uint64_t set_stride;
    int32_t datum_stride, expr_stride; /* what would be farther apart is no progression */
};

/* The values of one chunk. */
struct chunk_value {
    uint64_t datum, set, expr;
};

/* Returns the values of chunk first + k. k below 0, as a wrapped number, is before the run. */
static inline uint64_t run_datum(const struct run *run, uint64_t k)
{
    return run->datum + k * (uint64_t)(int64_t)run->datum_stride;
}
static inline uint64_t run_set(const struct run *run, uint64_t k)
{
    return run->set + k * run->set_stride;
}
static inline uint64_t run_expr(const struct run *run, uint64_t k)
{
    return run->expr + k * (uint64_t)(int64_t)run->expr_stride;
}
/* True if the set and the expression of chunk first + k are these. */
static inline bool run_combines(const struct run *run, uint64_t k, const struct chunk_value *value)
{
    return run_set(run, k) == value->set && run_expr(run, k) == value->expr;
}
/* Sets *stride to what takes `from` to `to`; false if that is too far. */
static inline bool run_stride(uint64_t from, uint64_t to, int32_t *stride)
{
    const int64_t apart = (int64_t)(to - from);
    *stride = (int32_t)apart;
    return apart == *stride;
}

/* Consecutive runs, at most RUNS_PER_BLOCK of them. */
struct run_block {
    struct run *runs;
    uint32_t n, capacity;
};

/* Runs by first, not overlapping, neighbours merged. Most maps have a run or two; those of data without any
 * regularity have as many as chunks, and inserting a run moves those of its block only. Zero-initialise;
 * chunk_map_free when done. */
struct chunk_map {
    struct run_block one;     /* as long as `blocks` is NULL */
    struct run_block *blocks; /* none empty, unless it is the only one */
    uint32_t n_blocks, capacity;
};

/* Place of a run in a map, or that behind the last. Valid until the map is written. */
struct run_at {
    uint32_t block, index;
};

/* Returns the first run that ends behind `chunk`, or the end. O(log runs). */
struct run_at chunk_map_find(const struct chunk_map *map, uint32_t chunk);
static inline const struct run_block *chunk_map_block(const struct chunk_map *map, uint32_t block)
{
    return map->blocks ? &map->blocks[block] : &map->one;
}
/* Returns the run there; NULL at the end. */
static inline const struct run *chunk_map_run(const struct chunk_map *map, struct run_at at)
{
    const struct run_block *block = chunk_map_block(map, at.block);
    return at.index < block->n ? &block->runs[at.index] : NULL;
}
/* Returns the run that has all of the chunks first .. first+n-1, where the map has few runs and one does;
 * else NULL. Most reads are such. */
static inline const struct run *chunk_map_holder(const struct chunk_map *map, uint32_t first, uint32_t n)
{
    enum { FEW = 4 };
    if (map->blocks || map->one.n == 0 || map->one.n > FEW)
        return NULL;
    const struct run *run = map->one.runs, *const end = run + map->one.n;
    while (run < end && first - run->first >= run->n) /* also where it begins behind them */
        run++;
    return run < end && n <= run->n - (first - run->first) ? run : NULL;
}
/* Moves *at to the next run and returns it. */
const struct run *chunk_map_next(const struct chunk_map *map, struct run_at *at);
/* Overwrites chunks first .. first+n-1 with the values of `run` (n >= 1). `at`
 * is chunk_map_find of run->first. */
void chunk_map_write(struct chunk_map *map, struct run_at at, const struct run *run);
/* Does the same at once where the run continues one of a few, and overlaps none; else false, and nothing is
 * done. Most writes are such. */
bool chunk_map_extend(struct chunk_map *map, const struct run *run);
/* Does the same for one chunk, not damaged, next to a run of several. `value` NULL: nothing is reduced, and
 * sets and expressions are 0 in the whole map. */
static inline bool chunk_map_extend_by_one(struct chunk_map *map, uint32_t chunk, uint64_t datum,
                                           const struct chunk_value *value)
{
    enum { FEW = 4 };
    if (map->blocks || map->one.n - 1u >= FEW)
        return false;
    struct run *run = map->one.runs, *const end = run + map->one.n;
    while (run->first + run->n < chunk) /* chunks are fewer than 2^31 */
        if (++run == end)
            return false;
    if (run->n == 1)
        return false;
    if (run->first == chunk + 1) { /* what is before it ends farther away */
        if (run_datum(run, UINT64_MAX) != datum || (value && !run_combines(run, UINT64_MAX, value)))
            return false;
        run->first = chunk;
        run->datum = datum;
        run->set = value ? value->set : 0;
        run->expr = value ? value->expr : 0;
    } else if (run->first + run->n != chunk || run_datum(run, run->n) != datum ||
               (value && !run_combines(run, run->n, value)) ||
               (run + 1 < end && run[1].first <= chunk + 1)) {
        return false;
    }
    run->n++;
    return true;
}
/* Empties chunks first .. first+n-1. */
void chunk_map_clear(struct chunk_map *map, uint32_t first, uint32_t n);
void chunk_map_free(struct chunk_map *map);
/* Returns the part of `run` that lies in first .. first+n-1 (it must overlap). */
static inline struct run run_cut(const struct run *run, uint32_t first, uint32_t n)
{
    struct run cut = *run;
    if (first > run->first) {
        uint64_t skip = first - run->first;
        cut.datum = run_datum(run, skip);
        cut.set = run_set(run, skip);
        cut.expr = run_expr(run, skip);
        cut.first = first;
    }
    uint64_t end = (uint64_t)run->first + run->n, limit = (uint64_t)first + n;
    cut.n = (uint32_t)((end < limit ? end : limit) - cut.first);
    return cut;
}
/* Returns a run of n damaged chunks. The other: true if all chunks of a run are damaged. */
struct run run_poison(uint32_t first, uint32_t n);
static inline bool run_is_poison(const struct run *run)
{
    return run->datum == DATUM_POISON && run->datum_stride == 0;
}
/* True if two runs of the same chunks hold the same in some chunk; then *chunk
 * is the first such. O(1). */
bool run_meets(const struct run *a, const struct run *b, uint32_t *chunk);

/* Hash-consed general sets of ranks: sorted disjoint intervals [lo, hi) of places. */
struct rank_sets {
    uint32_t n_ranks;
    struct rank_boxes boxes; /* of ranks by their number */
    uint32_t *place;   /* [rank] in the order; NULL: by rank number */
    uint32_t *rank_at; /* [place] */
    struct rank_interval *intervals;
    size_t n_intervals, interval_capacity;
    size_t *start; /* set k is intervals[start[k] .. start[k+1]-1] */
    size_t n_sets, set_capacity;
    uint32_t *table; /* open addressing: index of set + 1 */
    size_t table_size;
};

/* Orders the ranks along chains: next[rank] is the rank that follows, or n_ranks,
 * and no rank follows two. Only before any set is made. O(ranks). */
void rank_sets_order(struct rank_sets *sets, const uint32_t *next);
/* Represents the sets as points of a grid with that many ranks in all. Does nothing where that is not
 * possible. */
void rank_sets_grid(struct rank_sets *sets, const uint32_t *extent, uint32_t n);
uint64_t rank_set_of(const struct rank_sets *sets, uint32_t rank);
/* Returns the ranks 0 .. n-1. With an order only for n of all ranks. */
uint64_t rank_set_below(uint32_t n);
/* Returns the union; *overlap: the two have a rank in common. */
uint64_t rank_set_union(struct rank_sets *sets, uint64_t a, uint64_t b, bool *overlap);
/* Shifts all ranks of a set. Without an order only, and the grid, if there is one, is of the coordinates that
 * are shifted. False: there are too many intervals. */
bool rank_set_shift(struct rank_sets *sets, uint64_t set, const struct shifts *shifts, uint32_t by,
                    uint64_t *result);
/* Returns the lowest rank in both sets; n_ranks if there is none. O(ranks). */
uint32_t rank_set_common(const struct rank_sets *sets, uint64_t a, uint64_t b);
/* Returns the number of ranks that are in a but not in b. O(intervals). */
uint32_t rank_set_n_missing(const struct rank_sets *sets, uint64_t a, uint64_t b);
/* Returns the lowest of them; n_ranks if b has all of a. O(ranks). */
uint32_t rank_set_missing(const struct rank_sets *sets, uint64_t a, uint64_t b);
/* True if both are consecutive ranks, and b does not begin where a ends. Without an order only. O(1). */
bool rank_set_is_out_of_order(const struct rank_sets *sets, uint64_t a, uint64_t b);
void rank_sets_free(struct rank_sets *sets);

#endif
