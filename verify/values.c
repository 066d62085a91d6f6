/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs of chunks with regular values. See values.h; sets are in rank_sets.c.
 */
#include "verify/values.h"

#include <string.h>

uint32_t chunk_map_find(const struct chunk_map *map, uint32_t chunk)
{
    uint32_t lo = 0, hi = map->n;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2;
        const struct run *run = &map->runs[middle];
        if (chunk >= run->first && chunk - run->first >= run->n)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

struct run run_cut(const struct run *run, uint32_t first, uint32_t n)
{
    struct run cut = *run;
    if (first > run->first) {
        uint64_t skip = first - run->first;
        cut.datum += skip * run->datum_stride;
        cut.set += skip * run->set_stride;
        cut.first = first;
    }
    uint64_t end = (uint64_t)run->first + run->n, limit = (uint64_t)first + n;
    cut.n = (uint32_t)((end < limit ? end : limit) - cut.first);
    return cut;
}

struct run run_poison(uint32_t first, uint32_t n)
{
    return (struct run){first, n, DATUM_POISON, 0, 0, 0};
}

bool run_is_poison(const struct run *run)
{
    return run->datum == DATUM_POISON && run->datum_stride == 0;
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
    const uint64_t datum = a->datum - b->datum, datum_slope = b->datum_stride - a->datum_stride;
    const uint64_t set = a->set - b->set, set_slope = b->set_stride - a->set_stride;
    uint64_t k = 0;
    if (datum)
        k = meeting_point(datum, datum_slope);
    else if (set)
        k = meeting_point(set, set_slope);
    *chunk = a->first + (uint32_t)k;
    return k < a->n && datum == k * datum_slope && set == k * set_slope;
}

/* Whether `b` continues the progression of `a`; then *joined is both. A single
 * chunk has no stride yet and takes the one that fits. */
static bool run_join(const struct run *a, const struct run *b, struct run *joined)
{
    if (a->first + a->n != b->first)
        return false;
    struct run run = *a;
    if (run.n == 1) {
        run.datum_stride = b->datum - run.datum;
        run.set_stride = b->set - run.set;
    }
    if (b->datum != run.datum + run.n * run.datum_stride || b->set != run.set + run.n * run.set_stride)
        return false;
    if (b->n > 1 && (b->datum_stride != run.datum_stride || b->set_stride != run.set_stride))
        return false;
    run.n += b->n;
    *joined = run;
    return true;
}

static void insert_runs(struct chunk_map *map, uint32_t at, uint32_t n)
{
    if (map->n + n > map->capacity) {
        map->capacity = map->capacity * 2 + n;
        map->runs = mem_resize(map->runs, map->capacity, sizeof *map->runs);
    }
    memmove(map->runs + at + n, map->runs + at, (map->n - at) * sizeof *map->runs);
    map->n += n;
}

static void remove_runs(struct chunk_map *map, uint32_t at, uint32_t n)
{
    memmove(map->runs + at, map->runs + at + n, (map->n - at - n) * sizeof *map->runs);
    map->n -= n;
}

/* Cuts the chunks first .. first+n-1 out of the map; returns where a run for
 * them belongs. */
static uint32_t clear_range(struct chunk_map *map, uint32_t at, uint32_t first, uint32_t n)
{
    uint64_t end = (uint64_t)first + n;
    if (at < map->n && map->runs[at].first < first) {
        struct run left = run_cut(&map->runs[at], map->runs[at].first, first - map->runs[at].first);
        uint64_t run_end = (uint64_t)map->runs[at].first + map->runs[at].n;
        if (run_end > end) {
            struct run right = run_cut(&map->runs[at], (uint32_t)end, (uint32_t)(run_end - end));
            insert_runs(map, at + 1, 1);
            map->runs[at + 1] = right;
        }
        map->runs[at] = left;
        at++;
    }
    uint32_t last = at;
    while (last < map->n && (uint64_t)map->runs[last].first + map->runs[last].n <= end)
        last++;
    remove_runs(map, at, last - at);
    if (at < map->n && map->runs[at].first < end) {
        struct run *run = &map->runs[at];
        *run = run_cut(run, (uint32_t)end, (uint32_t)(run->first + (uint64_t)run->n - end));
    }
    return at;
}

/* Puts *held and *run together into *held if one continues the other. The hot
 * case, a chunk next to a longer run, does without run_join. What is damaged stays
 * apart: two numbers always are a progression. */
static bool extend_run(struct run *held, const struct run *run)
{
    if (run_is_poison(held) != run_is_poison(run))
        return false;
    if (held->n > 1 && run->n == 1) {
        bool is_right = held->first + held->n == run->first;
        if (!is_right && run->first + 1 != held->first)
            return false;
        uint64_t distance = is_right ? held->n : UINT64_MAX;
        if (run->datum != held->datum + distance * held->datum_stride ||
            run->set != held->set + distance * held->set_stride)
            return false;
        if (!is_right) {
            held->first = run->first;
            held->datum = run->datum;
            held->set = run->set;
        }
        held->n++;
        return true;
    }
    return held->first < run->first ? run_join(held, run, held) : run_join(run, held, held);
}

void chunk_map_write(struct chunk_map *map, uint32_t at, const struct run *run)
{
    if (at < map->n && map->runs[at].first < (uint64_t)run->first + run->n)
        at = clear_range(map, at, run->first, run->n);
    if (at > 0 && extend_run(&map->runs[at - 1], run))
        at--;
    else if (at == map->n || !extend_run(&map->runs[at], run)) {
        insert_runs(map, at, 1);
        map->runs[at] = *run;
        return;
    }
    if (at + 1 < map->n && map->runs[at].first + map->runs[at].n == map->runs[at + 1].first &&
        extend_run(&map->runs[at], &map->runs[at + 1]))
        remove_runs(map, at + 1, 1);
}
