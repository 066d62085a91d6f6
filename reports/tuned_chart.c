/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured times as a chart, as figure 4 of Imamura 2009. See tuned.h. Times of a size are ratios within
 * launches, times the median of the default: so curves compare what ran in turns.
 */
#include "base/integer.h"
#include "emitters/drawing/chart.h"
#include "reports/tuned.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SERIES = 64, DEFAULT = 0, TUNED = 1 };

struct curves {
    const struct measurements *measurements;
    const struct tuned *tuned;
    struct chart_series series[MAX_SERIES];
    size_t n;
    uint64_t *sizes;
    struct arena arena;
};

/* The median of the default over launches that sample. */
static uint64_t tuned_chart_default_time(const struct measurements *measurements, const struct point *point)
{
    uint64_t times[DECIDE_MAX_LAUNCHES];
    size_t n = 0;
    for (size_t i = 0; i < measurements->n && n < DECIDE_MAX_LAUNCHES; i++) {
        const struct measurement *item = &measurements->items[i];
        if (item->phase == PHASE_SAMPLE && item->collective == point->collective &&
            item->n_ranks == point->n_ranks && item->bytes == point->bytes && !item->choice.algorithm)
            times[n++] = item->median;
    }
    if (n)
        qsort(times, n, sizeof *times, compare_uint64);
    return n ? times[n / 2] : 0;
}

static uint64_t *times_of(struct curves *curves, const char *name)
{
    for (size_t i = TUNED + 1; i < curves->n; i++)
        if (strcmp(curves->series[i].name, name) == 0)
            return (uint64_t *)(uintptr_t)curves->series[i].times;
    if (curves->n == MAX_SERIES)
        return NULL;
    uint64_t *times = arena_alloc(&curves->arena, curves->tuned->n, sizeof *times);
    curves->series[curves->n++] = (struct chart_series){.name = name, .times = times};
    return times;
}

/* The least of each algorithm at a size; standings ascend. */
static void tuned_chart_add_size(struct curves *curves, size_t which, uint64_t *own, uint64_t *tuned)
{
    const struct point *point = &curves->tuned->points[which];
    const struct decision *decision = &curves->tuned->decisions[which];
    size_t n;
    struct standing *standings = decide_standings(curves->measurements, PHASE_SAMPLE, point, &n);
    curves->sizes[which] = point->bytes;
    own[which] = tuned[which] = tuned_chart_default_time(curves->measurements, point);
    if (decision->choice.algorithm)
        tuned[which] = (uint64_t)(decision->ratio * (double)own[which]);
    for (size_t i = 0; i < n; i++) {
        uint64_t *times = standings[i].choice.algorithm ? times_of(curves, standings[i].choice.algorithm)
            : NULL;
        if (times && times[which] == 0)
            times[which] = (uint64_t)(standings[i].ratio * (double)own[which]);
    }
    free(standings);
}

/* Algorithms that were not timed at some size have no line. */
static void leave_out_gaps(struct curves *curves)
{
    size_t n = TUNED + 1;
    for (size_t i = n; i < curves->n; i++) {
        bool is_whole = true;
        for (size_t j = 0; j < curves->tuned->n; j++)
            is_whole &= curves->series[i].times[j] != 0;
        if (is_whole)
            curves->series[n++] = curves->series[i];
    }
    curves->n = n;
}

void tuned_svg(const struct measurements *measurements, const struct tuned *tuned, struct text *out)
{
    struct curves *curves = mem_alloc(1, sizeof *curves);
    curves->measurements = measurements;
    curves->tuned = tuned;
    curves->sizes = arena_alloc(&curves->arena, tuned->n, sizeof *curves->sizes);
    uint64_t *own = arena_alloc(&curves->arena, tuned->n, sizeof *own);
    uint64_t *best = arena_alloc(&curves->arena, tuned->n, sizeof *best);
    curves->series[DEFAULT] = (struct chart_series){.name = "default", .times = own};
    curves->series[TUNED] = (struct chart_series){.name = "tuned", .times = best, .is_best = true};
    curves->n = TUNED + 1;
    for (size_t i = 0; i < tuned->n; i++)
        tuned_chart_add_size(curves, i, own, best);
    leave_out_gaps(curves);
    const struct chart chart = {
        .title = arena_printf(&curves->arena, "%s, %u ranks: measured time",
                              measurements->loader->collectives[tuned->points[0].collective],
                              tuned->points[0].n_ranks),
        .x_label = "bytes", .has_sizes = true, .sizes = curves->sizes, .n_sizes = tuned->n,
        .series = curves->series, .n_series = curves->n};
    chart_svg(&chart, out);
    arena_free(&curves->arena);
    free(curves);
}
