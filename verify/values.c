/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of chunks with regular values. See values.h; sets are in rank_sets.c.
 */
#include "verify/values.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS_PER_BLOCK = 128 };

/* ---- the runs of full-sized blocks ---- */

/* They come from a pool, cut out of pieces of many: each by itself would lie in small pages, and a page
 * that is touched first takes longer than what is done with its runs. */
#ifndef ARENA_MALLOC
union pooled {
    struct run runs[RUNS_PER_BLOCK];
    union pooled *next; /* of those that are free */
};

static struct {
    union pooled *free, *cut, *end;
    size_t n; /* in the last piece */
} pool;

static struct run *pool_take(void)
{
    enum { MOST = (1 << 22) / sizeof(union pooled) }; /* two large pages (base/memory.c) */
    union pooled *taken = pool.free;
    if (taken) {
        pool.free = taken->next;
        return taken->runs;
    }
    if (pool.cut == pool.end) {
        pool.n = pool.n < MOST / 2 ? 2 * pool.n + 1 : MOST;
        pool.cut = mem_alloc(pool.n, sizeof *pool.cut);
        pool.end = pool.cut + pool.n;
    }
    return pool.cut++->runs;
}

static void pool_give(struct run *runs)
{
    union pooled *given = (union pooled *)runs;
    given->next = pool.free;
    pool.free = given;
}
#else /* a sanitizer sees each by itself */
static struct run *pool_take(void)
{
    return mem_alloc(RUNS_PER_BLOCK, sizeof(struct run));
}

static void pool_give(struct run *runs)
{
    free(runs);
}
#endif

static void free_runs(struct run_block *block)
{
    if (block->capacity == RUNS_PER_BLOCK)
        pool_give(block->runs);
    else
        free(block->runs);
}

/* Twice the room. */
static void grow_block(struct run_block *block)
{
    const uint32_t capacity = block->capacity ? block->capacity * 2 : 1;
    struct run_block grown = {.n = block->n, .capacity = capacity};
    if (capacity < RUNS_PER_BLOCK) {
        block->runs = mem_resize(block->runs, capacity, sizeof *block->runs);
        block->capacity = capacity;
        return;
    }
    grown.runs = pool_take();
    memcpy(grown.runs, block->runs, block->n * sizeof *grown.runs);
    free_runs(block);
    *block = grown;
}

/* ---- places in a map ---- */

static struct run_block *verify_values_block_of(struct chunk_map *map, uint32_t block)
{
    return map->blocks ? &map->blocks[block] : &map->one;
}

static uint32_t count_blocks(const struct chunk_map *map)
{
    return map->blocks ? map->n_blocks : 1;
}

static bool is_behind(const struct run *run, uint32_t chunk)
{
    return chunk < run->first || chunk - run->first < run->n;
}

/* Returns the first block whose last run ends behind `chunk`, or the last block. */
static uint32_t find_block(const struct chunk_map *map, uint32_t chunk)
{
    uint32_t lo = 0, hi = count_blocks(map) - 1;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;
        const struct run_block *block = &map->blocks[middle];
        if (is_behind(&block->runs[block->n - 1], chunk))
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

struct run_at chunk_map_find(const struct chunk_map *map, uint32_t chunk)
{
    const uint32_t at = map->blocks ? find_block(map, chunk) : 0;
    const struct run_block *block = chunk_map_block(map, at);
    uint32_t lo = 0, hi = block->n;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;
        if (is_behind(&block->runs[middle], chunk))
            hi = middle;
        else
            lo = middle + 1;
    }
    return (struct run_at){at, lo};
}

static struct run *verify_values_run_of(const struct chunk_map *map, struct run_at at)
{
    const struct run_block *block = chunk_map_block(map, at.block);
    return at.index < block->n ? &block->runs[at.index] : NULL;
}

/* Behind the last run of a block is the first one of the next. */
static struct run_at verify_values_settle(const struct chunk_map *map, struct run_at at)
{
    if (at.index == chunk_map_block(map, at.block)->n && at.block + 1 < count_blocks(map))
        return (struct run_at){at.block + 1, 0};
    return at;
}

const struct run *chunk_map_next(const struct chunk_map *map, struct run_at *at)
{
    *at = verify_values_settle(map, (struct run_at){at->block, at->index + 1});
    return verify_values_run_of(map, *at);
}

static bool step_back(const struct chunk_map *map, struct run_at *at)
{
    if (at->index == 0 && at->block == 0)
        return false;
    if (at->index == 0)
        at->index = map->blocks[--at->block].n;
    at->index--;
    return true;
}

void chunk_map_free(struct chunk_map *map)
{
    for (uint32_t block = 0; block < count_blocks(map); block++)
        free_runs(verify_values_block_of(map, block));
    free(map->blocks);
    *map = (struct chunk_map){.blocks = NULL};
}

/* ---- runs ---- */

struct run run_poison(uint32_t first, uint32_t n)
{
    return (struct run){.first = first, .n = n, .datum = DATUM_POISON};
}

/* k with k * slope == distance, if there is one; numbers of two's complement, as
 * progressions may go down. */
static uint64_t meeting_point(uint64_t distance, uint64_t slope)
{
    if (slope == 0 || slope == UINT64_MAX)
        return -distance;
    return (uint64_t)((int64_t)distance / (int64_t)slope);
}

bool run_meets(const struct run *a, const struct run *b, uint32_t *chunk)
{
    const uint64_t datum = a->datum - b->datum, set = a->set - b->set;
    const uint64_t datum_slope = (uint64_t)((int64_t)b->datum_stride - a->datum_stride);
    const uint64_t set_slope = b->set_stride - a->set_stride;
    uint64_t k = 0;
    if (datum)
        k = meeting_point(datum, datum_slope);
    else if (set)
        k = meeting_point(set, set_slope);
    *chunk = a->first + (uint32_t)k;
    return k < a->n && datum == k * datum_slope && set == k * set_slope;
}

/* True if `b` continues the progression of `a`; then *joined is both. A single chunk has no stride yet and
 * takes the one that fits. */
static bool run_join(const struct run *a, const struct run *b, struct run *joined)
{
    if (a->first + a->n != b->first)
        return false;
    struct run run = *a;
    if (run.n == 1) {
        run.set_stride = b->set - run.set;
        if (!run_stride(run.datum, b->datum, &run.datum_stride) ||
            !run_stride(run.expr, b->expr, &run.expr_stride))
            return false;
    }
    if (b->datum != run_datum(&run, run.n) || b->set != run_set(&run, run.n) ||
        b->expr != run_expr(&run, run.n))
        return false;
    if (b->n > 1 && (b->datum_stride != run.datum_stride || b->set_stride != run.set_stride ||
                     b->expr_stride != run.expr_stride))
        return false;
    run.n += b->n;
    *joined = run;
    return true;
}

/* ---- writing ---- */

static void use_blocks(struct chunk_map *map)
{
    if (map->blocks)
        return;
    map->capacity = 4;
    map->blocks = mem_alloc(map->capacity, sizeof *map->blocks);
    map->blocks[0] = map->one;
    map->one = (struct run_block){NULL, 0, 0};
    map->n_blocks = 1;
}

/* Moves the upper half of a block into a new one behind it. */
static void split_block(struct chunk_map *map, uint32_t at)
{
    enum { HALF = RUNS_PER_BLOCK / 2 };
    use_blocks(map);
    if (map->n_blocks == map->capacity) {
        map->capacity *= 2;
        map->blocks = mem_resize(map->blocks, map->capacity, sizeof *map->blocks);
    }
    struct run_block *lower = &map->blocks[at], *upper = lower + 1;
    memmove(upper + 1, upper, (map->n_blocks - at - 1) * sizeof *upper);
    map->n_blocks++;
    *upper = (struct run_block){pool_take(), HALF, RUNS_PER_BLOCK};
    lower->n = RUNS_PER_BLOCK - HALF;
    memcpy(upper->runs, lower->runs + lower->n, HALF * sizeof *upper->runs);
}

/* Puts a run before the one at `at`; where it is then. */
static struct run_at insert_run(struct chunk_map *map, struct run_at at, const struct run *run)
{
    if (chunk_map_block(map, at.block)->n == RUNS_PER_BLOCK) {
        split_block(map, at.block);
        const uint32_t left = map->blocks[at.block].n;
        if (at.index > left)
            at = (struct run_at){at.block + 1, at.index - left};
    }
    struct run_block *block = verify_values_block_of(map, at.block);
    if (block->n == block->capacity)
        grow_block(block);
    struct run *place = block->runs + at.index;
    memmove(place + 1, place, (block->n - at.index) * sizeof *place);
    *place = *run;
    block->n++;
    return at;
}

static void drop_block(struct chunk_map *map, uint32_t at)
{
    free_runs(&map->blocks[at]);
    map->n_blocks--;
    memmove(map->blocks + at, map->blocks + at + 1, (map->n_blocks - at) * sizeof *map->blocks);
}

/* Takes n runs out of the block of the first; what comes next. */
static struct run_at remove_runs(struct chunk_map *map, struct run_at at, uint32_t n)
{
    struct run_block *block = verify_values_block_of(map, at.block);
    struct run *place = block->runs + at.index;
    memmove(place, place + n, (block->n - at.index - n) * sizeof *place);
    block->n -= n;
    if (block->n > 0 || count_blocks(map) == 1)
        return verify_values_settle(map, at);
    drop_block(map, at.block);
    if (at.block < map->n_blocks)
        return (struct run_at){at.block, 0};
    return (struct run_at){at.block - 1, map->blocks[at.block - 1].n};
}

static uint64_t verify_values_end_of(const struct run *run)
{
    return (uint64_t)run->first + run->n;
}

/* Takes out the runs that end at `end` or before it; what comes next. */
static struct run_at remove_until(struct chunk_map *map, struct run_at at, uint64_t end)
{
    for (uint32_t n = 1; n > 0;) {
        const struct run_block *block = chunk_map_block(map, at.block);
        for (n = 0; at.index + n < block->n && verify_values_end_of(&block->runs[at.index + n]) <= end;)
            n++;
        if (n > 0)
            at = remove_runs(map, at, n);
    }
    return at;
}

/* Cuts the chunks first .. first+n-1 out of the map; returns where a run for
 * them belongs. */
static struct run_at clear_range(struct chunk_map *map, struct run_at at, uint32_t first, uint32_t n)
{
    const uint64_t end = (uint64_t)first + n;
    struct run *run = verify_values_run_of(map, at);
    if (run && run->first < first) {
        const struct run whole = *run;
        *run = run_cut(&whole, whole.first, first - whole.first);
        at = verify_values_settle(map, (struct run_at){at.block, at.index + 1});
        if (verify_values_end_of(&whole) > end) {
            const struct run right =
                run_cut(&whole, (uint32_t)end, (uint32_t)(verify_values_end_of(&whole) - end));
            return insert_run(map, at, &right);
        }
    }
    at = remove_until(map, at, end);
    run = verify_values_run_of(map, at);
    if (run && run->first < end)
        *run = run_cut(run, (uint32_t)end, (uint32_t)(verify_values_end_of(run) - end));
    return at;
}

void chunk_map_clear(struct chunk_map *map, uint32_t first, uint32_t n)
{
    clear_range(map, chunk_map_find(map, first), first, n);
}

/* Puts *held and *run together into *held if one continues the other. The hot
 * case, a chunk next to a longer run, does without run_join. What is damaged stays
 * apart: two numbers always are a progression. */
static inline bool extend_run(struct run *held, const struct run *run)
{
    if (run_is_poison(held) != run_is_poison(run))
        return false;
    if (held->n > 1 && run->n == 1) {
        bool is_right = held->first + held->n == run->first;
        if (!is_right && run->first + 1 != held->first)
            return false;
        uint64_t distance = is_right ? held->n : UINT64_MAX;
        if (run->datum != run_datum(held, distance) ||
            run->set != run_set(held, distance) ||
            run->expr != run_expr(held, distance))
            return false;
        if (!is_right) {
            held->first = run->first;
            held->datum = run->datum;
            held->set = run->set;
            held->expr = run->expr;
        }
        held->n++;
        return true;
    }
    return held->first < run->first ? run_join(held, run, held) : run_join(run, held, held);
}

/* Puts the run at `at` together with the one behind it, if one continues the other. */
static void join_next(struct chunk_map *map, struct run_at at)
{
    struct run_at next = at;
    const struct run *behind = chunk_map_next(map, &next);
    struct run *run = verify_values_run_of(map, at);
    if (behind && verify_values_end_of(run) == behind->first && extend_run(run, behind))
        remove_runs(map, next, 1);
}

/* The run at `at` and the one before it lie in other blocks, or something is to be cut out first. */
static void write_apart(struct chunk_map *map, struct run_at at, const struct run *run)
{
    struct run *here = verify_values_run_of(map, at);
    if (here && here->first < verify_values_end_of(run)) {
        at = clear_range(map, at, run->first, run->n);
        here = verify_values_run_of(map, at);
    }
    struct run_at before = at;
    if (step_back(map, &before) && extend_run(verify_values_run_of(map, before), run))
        join_next(map, before);
    else if (here && extend_run(here, run))
        join_next(map, at);
    else
        insert_run(map, at, run);
}

/* The hot cases are a chunk that continues the run before it, with nothing or a gap behind, and
 * one that the run behind continues, with nothing or a gap before. `here` is where it would be. */
static inline bool extend_neighbour(struct run *here, bool has_before, bool is_free_before, bool has_run,
                                    bool is_free_behind, const struct run *run)
{
    return (has_before && is_free_behind && extend_run(here - 1, run)) ||
           (has_run && is_free_before && here->first == verify_values_end_of(run) && extend_run(here, run));
}

void chunk_map_write(struct chunk_map *map, struct run_at at, const struct run *run)
{
    const struct run_block *block = chunk_map_block(map, at.block);
    struct run *here = block->runs ? block->runs + at.index : NULL;
    const bool has_run = at.index < block->n, has_before = at.index > 0;
    const bool is_free_behind =
        has_run ? here->first > verify_values_end_of(run) : at.block + 1 == count_blocks(map);
    const bool is_free_before = has_before ? verify_values_end_of(here - 1) < run->first : at.block == 0;
    if (!extend_neighbour(here, has_before, is_free_before, has_run, is_free_behind, run))
        write_apart(map, at, run);
}

bool chunk_map_extend(struct chunk_map *map, const struct run *run)
{
    enum { FEW = 4 };
    struct run *here = map->one.runs;
    const uint32_t n = map->one.n;
    uint32_t i = 0;
    if (map->blocks || n == 0 || n > FEW)
        return false;
    while (i < n && !is_behind(here, run->first)) {
        here++;
        i++;
    }
    return extend_neighbour(here, i > 0, i == 0 || verify_values_end_of(here - 1) < run->first, i < n,
                            i == n || here->first > verify_values_end_of(run), run);
}
