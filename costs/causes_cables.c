/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tries slower and failed cables. Cables that carry the same in every step of every point are not told apart
 * by the times: one of them is tried for all.
 */
#include "costs/causes_search.h"

#include "study/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 256, REFINED = 8 };
static const double factors[] = {0.03, 0.1, 0.2, 0.4, 0.7, 1.3, 1.7, 2.3, 3, 4, 5.5, 8, 12, 20, 40, 100};
static const double FIRST_STEP = 1.35;     /* of the search between factors */
static const double WORTH_REFINING = 0.97; /* share of the error that a coarse factor has to leave at most */

/* ---- factors ---- */

/* Tries a factor of the cause in the world; keeps it, with its times, if it is better. */
static void try_factor(struct search *search, struct world *world, struct cause *cause, double *slot,
                       double factor, double *trial, double *best)
{
    *slot = factor;
    if (!world_times(search, world, trial))
        return;
    const double error = search_error(search, trial);
    if (error >= cause->error)
        return;
    cause->error = error;
    cause->factor = factor;
    memcpy(best, trial, search->n * sizeof *best);
}

/* Finds the factor, whose place in the world is `slot`, with the least error, and adds the cause. `unit`:
 * what factors are multiples of, `least` the least of them. */
static void search_factor(struct search *search, struct world *world, struct cause cause, double *slot,
                          double unit, double least)
{
    double *trial = mem_alloc(search->n, sizeof *trial), *best = mem_alloc(search->n, sizeof *best);
    const double before = *slot;
    cause.error = INFINITY;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        if (factors[i] >= least)
            try_factor(search, world, &cause, slot, unit * factors[i], trial, best);
    double step = FIRST_STEP;
    for (int i = 0; i < REFINED && cause.error < search->error * WORTH_REFINING; i++) {
        const double middle = cause.factor;
        step = i ? sqrt(step) : step;
        try_factor(search, world, &cause, slot, middle * step, trial, best);
        if (middle / step > unit * least)
            try_factor(search, world, &cause, slot, middle / step, trial, best);
    }
    *slot = before;
    if (cause.error < search->error)
        search_add(search, cause, best);
    free(trial);
    free(best);
}

void search_links(struct search *search)
{
    struct world *world = &search->world;
    search_factor(search, world, (struct cause){.kind = CAUSE_LINKS}, &world->all, world->all, 0.1);
    search_factor(search, world, (struct cause){.kind = CAUSE_OVERHEAD}, &world->overhead,
                  world->overhead > 1 ? world->overhead : 1, 0.03);
}

/* ---- classes of cables ---- */

struct loaded_cable {
    struct cable cable;
    uint64_t load[2]; /* hashes of what both directions carry, the lesser first */
    uint64_t total;
};

static uint64_t cables_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static bool are_of_one_schedule(const struct timed_point *a, const struct timed_point *b)
{
    bool are = a->kind == b->kind && a->n_ranks == b->n_ranks && a->window == b->window &&
               a->hosts == b->hosts && a->ranks_per_machine == b->ranks_per_machine &&
               a->n_settings == b->n_settings;
    are = are && (a->kind != TIMED_ALGORITHM || strcmp(a->algorithm, b->algorithm) == 0);
    for (size_t i = 0; are && i < a->n_settings; i++)
        are = a->settings[i].value == b->settings[i].value &&
              strcmp(a->settings[i].name, b->settings[i].name) == 0;
    return are;
}

static bool is_known_schedule(const struct search *search, size_t point)
{
    const struct timed_point *points = search->world.points.items;
    for (size_t i = 0; i < point; i++)
        if (are_of_one_schedule(&points[i], &points[point]))
            return true;
    return false;
}

/* Adds the loads of a point's schedule to hash[link] and total[link]. */
static void hash_loads(const struct search *search, size_t point, uint64_t *hash, uint64_t *total)
{
    const struct topology *topology = search->request->costs.topology;
    struct predictor *predictor = search->world.predictor;
    struct schedule *schedule = predictor_expand(predictor, point);
    struct step step;
    while (schedule && schedule->next(schedule, &step)) {
        uint64_t *load =
            loads_of_step(&schedule->header, topology, predictor_placement(predictor, point), &step);
        for (uint32_t link = 0; link < topology->n_link_ids; link++)
            if (load[link]) {
                total[link] += load[link];
                hash[link] = cables_mix(hash[link], cables_mix(point * 8191 + step.index, load[link]));
            }
        free(load);
    }
    predictor_close(predictor, point);
}

static int compare_loaded(const void *a, const void *b)
{
    const struct loaded_cable *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    for (int i = 0; i < 2; i++)
        if (x->load[i] != y->load[i])
            return x->load[i] < y->load[i] ? -1 : 1;
    return x->cable.link < y->cable.link ? -1 : x->cable.link > y->cable.link;
}

/* Returns the cables that carry something, those that carry the same beside each other; on the heap. */
static struct loaded_cable *find_loaded(const struct search *search, size_t *n)
{
    const struct topology *topology = search->request->costs.topology;
    uint64_t *hash = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *hash);
    uint64_t *total = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *total);
    size_t n_cables;
    struct cable *cables = cables_of(topology, &n_cables);
    struct loaded_cable *loaded = mem_alloc(n_cables + 1, sizeof *loaded);
    for (size_t i = 0; i < search->n; i++)
        if (!is_known_schedule(search, i))
            hash_loads(search, i, hash, total);
    *n = 0;
    for (size_t i = 0; i < n_cables; i++) {
        const uint64_t a = hash[cables[i].link], b = hash[cables[i].back];
        const struct loaded_cable cable = {
            cables[i], {a < b ? a : b, a < b ? b : a}, total[cables[i].link] + total[cables[i].back]};
        if (cable.total)
            loaded[(*n)++] = cable;
    }
    if (*n)
        qsort(loaded, *n, sizeof *loaded, compare_loaded);
    free(cables);
    free(hash);
    free(total);
    return loaded;
}

static bool is_same_class(const struct loaded_cable *a, const struct loaded_cable *b)
{
    return a->total == b->total && a->load[0] == b->load[0] && a->load[1] == b->load[1];
}

/* ---- cables ---- */

static void try_cables(struct search *search, const struct cause *class)
{
    struct world *world = &search->world;
    struct cause slow = *class, failed = *class;
    double *times = mem_alloc(search->n, sizeof *times);
    slow.kind = CAUSE_CABLE;
    failed.kind = CAUSE_FAILED;
    world->slow[world->n_slow] = (struct slow_cable){class->cables[0].link, class->cables[0].back, 1};
    world->n_slow++;
    search_factor(search, world, slow, &world->slow[world->n_slow - 1].factor, 1, 1);
    world->n_slow--;
    if (search->rest && !world->has_failed) {
        world->has_failed = true;
        world->failed = class->cables[0];
        if (world_times(search, world, times) && search_error(search, times) < search->error)
            search_add(search, failed, times);
        world->has_failed = false;
    }
    free(times);
}

void search_cables(struct search *search)
{
    size_t n, n_classes = 0;
    if (search->world.n_slow == SLOWED_MOST)
        return;
    struct loaded_cable *loaded = find_loaded(search, &n);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && is_same_class(&loaded[first], &loaded[end]);)
            end++;
        if (++n_classes > MOST_CLASSES) {
            search->n_untried += end - first;
            continue;
        }
        struct cable *cables = arena_alloc(search->arena, end - first, sizeof *cables);
        for (size_t i = first; i < end; i++)
            cables[i - first] = loaded[i].cable;
        try_cables(search, &(struct cause){.cables = cables, .n_cables = end - first});
    }
    free(loaded);
}
