/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the best variant and row by ranges of sizes: by halving, to the byte, between two sizes of the
 * list with different best ones. See forecast.h.
 *
 * Each of several straight lines is the lowest in one interval, so between two sizes with the same best
 * one it is the best throughout: this would miss nothing. Times by `step` are lines, with three
 * exceptions: messages within servers and those between them take the maximum of two lines, a chunk is a
 * whole number of bytes, and a step takes whole nanoseconds. Because of the first, another one can be the
 * best between two sizes with the same best one, which is missed. Because of the others two lines that
 * nearly coincide cross many times, of which one or a few are found.
 *
 * Simulated times cost work (forecast_play.c) at each size, so halving ends when it has used up its work:
 * the border is then the least size at which the next one was seen to be the best.
 */
#include "study/forecast/forecast.h"

#include <stdlib.h>
#include <string.h>

/* The best at a size: a row, and a variant of it. */
struct choice {
    size_t row;
    const struct variant *variant;
    uint64_t time, work;
};

struct borders {
    struct forecast *forecast;
    struct forecast_cell *cells; /* [row], room */
    struct best_range *ranges; /* the last one ends where the next border is found */
    size_t n, capacity;
    size_t most; /* limit of ranges; above it only the best at both ends of an interval counts */
    uint64_t work; /* remaining work between two sizes of the list */
};

static struct choice forecast_ranges_choose(struct borders *borders, uint64_t bytes)
{
    const struct forecast_choice choice = forecast_choose(borders->forecast, bytes, borders->cells);
    const struct forecast_cell *cell = &borders->cells[choice.row];
    return (struct choice){choice.row, cell->variant, cell->time, choice.work};
}

static void begin_range(struct borders *borders, uint64_t first, struct choice best)
{
    borders->ranges = mem_grow(borders->ranges, &borders->capacity, borders->n + 1,
                               sizeof *borders->ranges);
    borders->ranges[borders->n++] = (struct best_range){
        .first = first, .row = best.row, .variant = best.variant, .time = best.time};
}

/* Finds the borders above `below` and up to `above`, given the best at both. */
static void find_borders(struct borders *borders, uint64_t below, struct choice first,
                         uint64_t above, struct choice last)
{
    if (first.variant == last.variant)
        return;
    if (above - below == 1 || borders->work < first.work + last.work) {
        borders->ranges[borders->n - 1].last = above - 1;
        begin_range(borders, above, last);
        return;
    }
    const uint64_t middle = below + (above - below) / 2;
    struct choice best = forecast_ranges_choose(borders, middle);
    borders->work -= best.work < borders->work ? best.work
                                                                 : borders->work;
    if (borders->n >= borders->most && best.variant != last.variant)
        best = first;
    find_borders(borders, below, first, middle, best);
    find_borders(borders, middle, best, above, last);
}

static void forecast_ranges_find_ranges(struct forecast *forecast)
{
    enum { MAX_PER_INTERVAL = 64 }; /* rounded times could cross without end */
    enum { MAX_WORK = 1 << 21 };
    const struct size_list *sizes = &forecast->request.sizes;
    struct borders borders = {.forecast = forecast,
                              .cells = mem_alloc(forecast->n_rows + 1, sizeof *borders.cells)};
    struct choice best = forecast_ranges_choose(&borders, sizes->items[0]);
    begin_range(&borders, sizes->items[0], best);
    for (size_t i = 1; i < sizes->n; i++) {
        const struct choice next = forecast_ranges_choose(&borders, sizes->items[i]);
        borders.most = borders.n + MAX_PER_INTERVAL;
        borders.work = MAX_WORK;
        find_borders(&borders, sizes->items[i - 1], best, sizes->items[i], next);
        best = next;
    }
    borders.ranges[borders.n - 1].last = sizes->items[sizes->n - 1];
    forecast->ranges = arena_alloc(&forecast->arena, borders.n, sizeof *forecast->ranges);
    memcpy(forecast->ranges, borders.ranges, borders.n * sizeof *borders.ranges);
    forecast->n_ranges = borders.n;
    free(borders.ranges);
    free(borders.cells);
}

const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n)
{
    if (!forecast->ranges)
        forecast_ranges_find_ranges(forecast);
    *n = forecast->n_ranges;
    return forecast->ranges;
}

const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n)
{
    size_t n_ranges;
    const struct best_range *ranges = forecast_ranges(forecast, &n_ranges);
    struct crossover *found = arena_alloc(&forecast->arena, n_ranges, sizeof *found);
    *n = 0;
    for (size_t i = 1; i < n_ranges; i++)
        if (ranges[i].row != ranges[i - 1].row)
            found[(*n)++] = (struct crossover){ranges[i].first, ranges[i - 1].row, ranges[i].row,
                                               ranges[i].variant, ranges[i].time};
    return found;
}
