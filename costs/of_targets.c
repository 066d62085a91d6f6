/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See of_targets.h.
 */
#include "costs/of_targets.h"

#include "base/integer.h"
#include "study/taken.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SEGMENTS = 1024 }; /* limit: finer cuts take long to simulate, and no MPI makes them */

/* Takes an algorithm of the library, cut in n_segments. Returns false if these are too many. */
static bool take_counterpart(const struct counterpart *counterpart, uint64_t n_segments,
                             const struct table_parameters *parameters, struct timed_point *point,
                             struct arena *arena)
{
    point->kind = TIMED_ALGORITHM;
    point->algorithm = counterpart->ours;
    point->settings = arena_alloc(arena, COUNTERPART_SETTINGS, sizeof *point->settings);
    point->n_settings = counterpart_settings(counterpart, n_segments, parameters, point->settings);
    return n_segments <= MAX_SEGMENTS;
}

static bool take_measured(const struct table_loader *loader, uint32_t collective,
                          const struct table_choice *choice, struct timed_point *point, struct arena *arena)
{
    const struct counterpart *found =
        counterpart_find(loader->target, loader->collectives[collective], choice->algorithm, point->n_ranks);
    return found && take_counterpart(found,
                                     counterpart_segments(found, choice->parameters.segment_bytes,
                                                          point->bytes, point->n_ranks),
                                     &choice->parameters, point, arena);
}

/* Takes the target's decision by a table instead of a candidate. */
static bool take_decision(const struct table *table, uint32_t each, uint32_t collective,
                          struct timed_point *point, struct arena *arena)
{
    const struct table_query query = {.collective = collective,
                                      .n_ranks = point->n_ranks,
                                      .n_nodes = each ? (point->n_ranks + each - 1) / each : 0,
                                      .type_bytes = table_type_bytes(point->bytes)};
    const struct taken taken = taken_find(table, &query, point->bytes, arena);
    point->runs = taken.runs;
    if (taken.range.rule && table->source)
        point->runs = arena_printf(arena, "%s (line %u of %s)", taken.runs, taken.range.rule->line,
                                   table->source->path);
    return !taken.problem &&
           take_counterpart(taken.counterpart, taken.n_segments, &taken.range.parameters, point, arena);
}

bool point_of_table(const struct table *table, uint32_t each, enum collective collective,
                    struct timed_point *point, struct arena *arena)
{
    const uint32_t theirs = table_collective(table->loader, collective_name(collective, FORM_EQUAL));
    return theirs < table->loader->n_collectives && take_decision(table, each, theirs, point, arena);
}

/* ---- times of collc tune ---- */

static bool of_targets_are_alike(const struct measurement *a, const struct measurement *b)
{
    return a->collective == b->collective && a->n_ranks == b->n_ranks && a->bytes == b->bytes &&
           choices_are_alike(&a->choice, &b->choice);
}

static uint64_t median_over_launches(const struct measurements *measurements, const struct measurement *of,
                                     uint64_t *medians)
{
    size_t n = 0;
    for (size_t i = 0; i < measurements->n; i++)
        if (of_targets_are_alike(&measurements->items[i], of))
            medians[n++] = measurements->items[i].median;
    qsort(medians, n, sizeof *medians, compare_uint64);
    return medians[(n - 1) / 2];
}

static bool is_first_of_its_kind(const struct measurements *measurements, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (of_targets_are_alike(&measurements->items[j], &measurements->items[i]))
            return false;
    return true;
}

void points_of_measurements(struct timed_points *points, const struct measurements *measurements,
                            const struct source *source, size_t *n_left, struct arena *arena)
{
    const struct table *none = measurements->loader->writer->none(measurements->loader, arena);
    uint64_t *medians = mem_alloc(measurements->n, sizeof *medians);
    for (size_t i = 0; i < measurements->n; i++) {
        const struct measurement *of = &measurements->items[i];
        struct timed_point point = {.n_ranks = of->n_ranks,
                                    .bytes = of->bytes,
                                    .runs = of->choice.algorithm,
                                    .position = {.source = source}};
        if (!is_first_of_its_kind(measurements, i))
            continue;
        const bool is_known =
            of->choice.algorithm
                ? take_measured(measurements->loader, of->collective, &of->choice, &point, arena)
                : take_decision(none, 0, of->collective, &point, arena);
        point.time = (double)median_over_launches(measurements, of, medians);
        if (is_known)
            points_add(points, &point);
        *n_left += !is_known;
    }
    free(medians);
}
