/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which variant of which row is the best from which size to which: found by halving, to the
 * byte, between two sizes of the list at which another one is the best. See forecast.h.
 *
 * Of straight lines, each is the lowest from one size to another, so between two sizes at which
 * the same one is the best it is the best throughout: this would miss nothing. Times are lines,
 * but for three things: what is sent within servers and what is sent between them take the more of
 * two lines, a chunk is a whole number of bytes, and a step takes whole nanoseconds. For the
 * first, another one can be the best between two sizes with the same best, which is missed. For the
 * others two lines that nearly coincide cross many times, of which one is found, or a few.
 */
#include "study/forecast.h"

#include <stdlib.h>
#include <string.h>

/* What is the best at a size: a row, and of that a variant. */
struct choice {
    size_t row;
    const struct variant *variant;
};

/* The first of several with the least time, as forecast->best. */
static struct choice choose(const struct forecast *forecast, uint64_t bytes)
{
    struct choice best = {0};
    uint64_t least = UINT64_MAX;
    for (size_t row = 0; row < forecast->n_rows; row++) {
        const struct forecast_cell cell = forecast_at(forecast, row, bytes);
        if (best.variant && cell.prediction.time >= least)
            continue;
        best = (struct choice){row, cell.variant};
        least = cell.prediction.time;
    }
    return best;
}

struct borders {
    const struct forecast *forecast;
    struct best_range *ranges; /* the last one ends where the next border is found */
    size_t n, capacity;
    size_t most; /* from so many on only what is the best at both ends of an interval counts */
};

static void begin_range(struct borders *borders, uint64_t first, struct choice best)
{
    borders->ranges = mem_grow(borders->ranges, &borders->capacity, borders->n + 1,
                               sizeof *borders->ranges);
    borders->ranges[borders->n++] =
        (struct best_range){.first = first, .row = best.row, .variant = best.variant};
}

/* The borders above `below` and up to `above`, given what is the best at both. */
static void find_borders(struct borders *borders, uint64_t below, struct choice first,
                         uint64_t above, struct choice last)
{
    if (first.variant == last.variant)
        return;
    if (above - below == 1) {
        borders->ranges[borders->n - 1].last = below;
        begin_range(borders, above, last);
        return;
    }
    const uint64_t middle = below + (above - below) / 2;
    struct choice best = choose(borders->forecast, middle);
    if (borders->n >= borders->most && best.variant != last.variant)
        best = first;
    find_borders(borders, below, first, middle, best);
    find_borders(borders, middle, best, above, last);
}

const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n)
{
    enum { MAX_PER_INTERVAL = 64 }; /* rounded times could cross without end */
    const struct size_list *sizes = &forecast->request.sizes;
    struct borders borders = {.forecast = forecast};
    struct choice best = choose(forecast, sizes->items[0]);
    begin_range(&borders, sizes->items[0], best);
    for (size_t i = 1; i < sizes->n; i++) {
        const struct choice next = choose(forecast, sizes->items[i]);
        borders.most = borders.n + MAX_PER_INTERVAL;
        find_borders(&borders, sizes->items[i - 1], best, sizes->items[i], next);
        best = next;
    }
    borders.ranges[borders.n - 1].last = sizes->items[sizes->n - 1];
    struct best_range *ranges = arena_alloc(&forecast->arena, borders.n, sizeof *ranges);
    memcpy(ranges, borders.ranges, borders.n * sizeof *ranges);
    free(borders.ranges);
    *n = borders.n;
    return ranges;
}

const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n)
{
    size_t n_ranges;
    const struct best_range *ranges = forecast_ranges(forecast, &n_ranges);
    struct crossover *found = arena_alloc(&forecast->arena, n_ranges, sizeof *found);
    *n = 0;
    for (size_t i = 1; i < n_ranges; i++)
        if (ranges[i].row != ranges[i - 1].row)
            found[(*n)++] =
                (struct crossover){ranges[i].first, ranges[i - 1].row, ranges[i].row};
    return found;
}
