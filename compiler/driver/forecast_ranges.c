/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the best row, or its number of segments, changes with the size: found by bisection, to
 * the byte, between two sizes of the list at which another one is the best. See forecast.h.
 */
#include "compiler/driver/forecast.h"

/* Whether the row is the best, or, of the row, that variant. */
static bool is_best(const struct forecast *forecast, size_t row, const struct variant *variant,
                    uint64_t bytes)
{
    return variant ? forecast_at(forecast, row, bytes).variant == variant
                   : forecast_best(forecast, bytes) == row;
}

/* The first size above `below` at which is_best does not hold any more, given that it holds at
 * `below` and not at `above`; of several such borders one. */
static uint64_t find_border(const struct forecast *forecast, size_t row,
                            const struct variant *variant, uint64_t below, uint64_t above)
{
    while (above - below > 1) {
        uint64_t middle = below + (above - below) / 2;
        if (is_best(forecast, row, variant, middle))
            below = middle;
        else
            above = middle;
    }
    return above;
}

const struct crossover *forecast_crossovers(struct forecast *forecast, size_t *n)
{
    const size_t per_interval = forecast->n_rows; /* rounded times could cross without end */
    struct crossover *found =
        arena_alloc(&forecast->arena, forecast->sizes.n * per_interval + 1, sizeof *found);
    *n = 0;
    for (size_t i = 0; i + 1 < forecast->sizes.n; i++) {
        uint64_t at = forecast->sizes.items[i], end = forecast->sizes.items[i + 1];
        size_t best = forecast->best[i], last = forecast->best[i + 1];
        for (size_t k = 0; k < per_interval && best != last; k++) {
            at = find_border(forecast, best, NULL, at, end);
            size_t next = k + 1 < per_interval ? forecast_best(forecast, at) : last;
            found[(*n)++] = (struct crossover){at, best, next};
            best = next;
        }
    }
    return found;
}

/* The least size of the list above `at`, but at most `last`. */
static uint64_t next_size(const struct size_list *sizes, uint64_t at, uint64_t last)
{
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->items[i] > at)
            return sizes->items[i] < last ? sizes->items[i] : last;
    return last;
}

/* Cuts a range where another variant of its row is the best; the parts are put at `to`. Returns
 * their number: at most n_variants for each interval of the list. */
static size_t split_range(const struct forecast *forecast, struct best_range range,
                          struct best_range *to)
{
    const size_t row = range.row, per_interval = forecast->rows[row].n_variants;
    uint64_t end = range.last;
    size_t n = 0;
    range.variant = forecast_at(forecast, row, range.first).variant;
    for (uint64_t at = range.first; at < end;) {
        const uint64_t next = next_size(&forecast->sizes, at, end);
        const struct variant *last = forecast_at(forecast, row, next).variant;
        for (size_t k = 1; k < per_interval && range.variant != last; k++) {
            at = find_border(forecast, row, range.variant, at, next);
            range.last = at - 1;
            to[n++] = range;
            range.first = at;
            range.variant = forecast_at(forecast, row, at).variant;
        }
        at = next;
    }
    range.last = end;
    to[n++] = range;
    return n;
}

/* Room for the ranges between so many borders. */
static struct best_range *make_room(struct forecast *forecast, size_t n_crossovers)
{
    size_t n_variants = 1;
    for (size_t row = 0; row < forecast->n_rows; row++)
        if (forecast->rows[row].n_variants > n_variants)
            n_variants = forecast->rows[row].n_variants;
    const size_t n_intervals = forecast->sizes.n + n_crossovers;
    return arena_alloc(&forecast->arena, n_intervals * n_variants + 1, sizeof(struct best_range));
}

const struct best_range *forecast_ranges(struct forecast *forecast, size_t *n)
{
    const struct size_list *sizes = &forecast->sizes;
    size_t n_crossovers;
    const struct crossover *crossovers = forecast_crossovers(forecast, &n_crossovers);
    struct best_range *ranges = make_room(forecast, n_crossovers);
    struct best_range range = {.first = sizes->items[0], .row = forecast->best[0]};
    *n = 0;
    for (size_t i = 0; i < n_crossovers; i++) {
        range.last = crossovers[i].bytes - 1;
        *n += split_range(forecast, range, ranges + *n);
        range.first = crossovers[i].bytes;
        range.row = crossovers[i].to;
    }
    range.last = sizes->items[sizes->n - 1];
    *n += split_range(forecast, range, ranges + *n);
    return ranges;
}
