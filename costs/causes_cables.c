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

enum { MOST_CLASSES = 256, MOST_TRIALS = 32 };
static const double MOST_SLOWER = 100;
static const double MOST_FASTER = 0.1;      /* of all links; hosts: */
static const double LEAST_OVERHEAD = 0.03;
static const double SAME_FACTOR = 1.004;    /* factors that are not told apart, and ... */
static const double SAME_ERROR = 0.01;      /* share of an error by which others are not */

/* ---- factors ---- */

/* One factor that was tried, and its times. */
struct factor_trial {
    double factor, error; /* INFINITY: the upper end, which is not tried */
    double *times;        /* [point] */
    bool is_closed;       /* nothing between it and the next one is of interest */
};

/* A search for the factor with which times fit best. Times do not shrink as it grows, so those between two
 * trials lie between theirs, and so do errors of points. */
struct factor_search {
    struct search *search;
    struct world *world;
    double *slot;           /* place of the factor in the world, */
    double stated;          /* and the one with which times are those of the search */
    const bool *is_crossed; /* [point] it depends on the factor; NULL: each */
    struct factor_trial trials[MOST_TRIALS]; /* ascending */
    size_t n, best;
};

/* Returns the least error of a point whose time is between two. */
static double factor_point_error(const struct factor_search *of, size_t i, double low, double high)
{
    const double time = of->search->request->costs.points->items[i].time;
    return fabs(log(time / fmin(fmax(time, fmin(low, high)), fmax(low, high))));
}

/* Returns the least error that a factor between two trials can have. */
static double factor_least_error(const struct factor_search *of, size_t at)
{
    double sum = 0;
    for (size_t i = 0; i < of->search->n; i++)
        sum += factor_point_error(of, i, of->trials[at].times[i], of->trials[at + 1].times[i]);
    return sum / (double)of->search->n;
}

static double factor_time(const struct factor_search *of, size_t i)
{
    const bool is_changed = *of->slot != of->stated && (!of->is_crossed || of->is_crossed[i]);
    return is_changed ? world_time(of->search, of->world, i) : of->search->times[i];
}

static void factor_add(struct factor_search *of, const struct factor_trial *trial, size_t at)
{
    memmove(&of->trials[at + 1], &of->trials[at], (of->n - at) * sizeof *trial);
    of->trials[at] = *trial;
    of->n++;
    of->best = 0;
    for (size_t i = 1; i < of->n; i++)
        if (of->trials[i].error < of->trials[of->best].error)
            of->best = i;
}

/* Begins with the least factor, and an upper end without times. False: it cannot be played. */
static bool factor_begin(struct factor_search *of, double least, double most)
{
    const size_t n = of->search->n;
    struct factor_trial first = {least, 0, mem_alloc(n, sizeof *first.times), false};
    struct factor_trial end = {most, INFINITY, mem_alloc(n, sizeof *end.times), false};
    bool is_whole = true;
    *of->slot = least;
    for (size_t i = 0; i < n; i++) {
        first.times[i] = factor_time(of, i);
        end.times[i] = !of->is_crossed || of->is_crossed[i] ? INFINITY : first.times[i];
        is_whole = is_whole && !isnan(first.times[i]);
    }
    first.error = search_error(of->search, first.times);
    factor_add(of, &first, 0);
    factor_add(of, &end, 1);
    return is_whole;
}

/* Tries the factor in the middle of two, those points first that take the least. Stops, and closes what is
 * between them, as soon as no factor there can have an error below `least`. False: it cannot be played. */
static bool factor_try_middle(struct factor_search *of, size_t at, double least)
{
    const size_t n = of->search->n;
    struct factor_trial *low = &of->trials[at], *high = &of->trials[at + 1];
    struct factor_trial middle = {sqrt(low->factor * high->factor), 0, mem_alloc(n, sizeof *middle.times),
                                  false};
    double below = factor_least_error(of, at) * (double)n, above = below;
    bool is_whole = true;
    *of->slot = middle.factor;
    for (size_t k = 0; k < n && is_whole && !low->is_closed; k++) {
        const size_t i = of->search->cheap_first[k];
        const double time = factor_time(of, i);
        const double both = factor_point_error(of, i, low->times[i], high->times[i]);
        below += factor_point_error(of, i, low->times[i], time) - both;
        above += factor_point_error(of, i, time, high->times[i]) - both;
        middle.times[i] = time;
        is_whole = !isnan(time);
        low->is_closed = fmin(below, above) >= least * (double)n;
    }
    middle.error = low->is_closed ? 0 : search_error(of->search, middle.times);
    if (is_whole && !low->is_closed)
        factor_add(of, &middle, at + 1);
    else
        free(middle.times);
    return is_whole;
}

/* Goes on between the two trials with the least possible error, until none can be better than the best, or
 * than what is still of interest. */
static void factor_narrow(struct factor_search *of, enum cause_kind kind)
{
    const double most = search_most_error(of->search, kind);
    for (bool is_whole = true; is_whole && of->n < MOST_TRIALS;) {
        const double wanted = fmin(most, of->trials[of->best].error * (1 - SAME_ERROR));
        double least = wanted;
        size_t at = of->n;
        for (size_t i = 0; i + 1 < of->n; i++) {
            const double error = factor_least_error(of, i);
            if (of->trials[i].is_closed || error >= least ||
                of->trials[i + 1].factor < of->trials[i].factor * SAME_FACTOR)
                continue;
            least = error;
            at = i;
        }
        if (at == of->n)
            return;
        is_whole = factor_try_middle(of, at, wanted);
    }
}

/* Finds the factor, whose place in the world is `slot`, with the least error, and adds the cause. `unit`:
 * what factors are multiples of, from `least` on. `is_crossed`: see above. */
static void search_factor(struct search *search, struct world *world, struct cause cause, double *slot,
                          double unit, double least, const bool *is_crossed)
{
    struct factor_search of = {search, world, slot, *slot, is_crossed, .n = 0};
    if (factor_begin(&of, unit * least, unit * MOST_SLOWER))
        factor_narrow(&of, cause.kind);
    *slot = of.stated;
    cause.factor = of.trials[of.best].factor;
    if (of.trials[of.best].error < search_most_error(search, cause.kind))
        search_add(search, cause, of.trials[of.best].times);
    for (size_t i = 0; i < of.n; i++)
        free(of.trials[i].times);
}

void search_links(struct search *search)
{
    struct world *world = &search->world;
    search_factor(search, world, (struct cause){.kind = CAUSE_LINKS}, &world->all, world->all,
                  MOST_FASTER, NULL);
    search_factor(search, world, (struct cause){.kind = CAUSE_OVERHEAD}, &world->overhead,
                  world->overhead > 1 ? world->overhead : 1, LEAST_OVERHEAD, NULL);
}

/* ---- classes of cables ---- */

/* Loads of links in the schedules that were measured. */
struct carried {
    uint64_t *hash, *total; /* [link] */
    bool **is_carrying;     /* [point][link]; of points of one schedule the same */
};

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

/* Returns the first point with the schedule of this one. */
static size_t first_of_schedule(const struct search *search, size_t point)
{
    const struct timed_point *points = search->world.points.items;
    size_t first = 0;
    while (!are_of_one_schedule(&points[first], &points[point]))
        first++;
    return first;
}

/* Adds the loads of a point's schedule. */
static void carried_add(const struct search *search, size_t point, struct carried *carried)
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
                carried->total[link] += load[link];
                carried->hash[link] =
                    cables_mix(carried->hash[link], cables_mix(point * 8191 + step.index, load[link]));
                carried->is_carrying[point][link] = true;
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

static void carried_find(const struct search *search, struct carried *carried)
{
    const size_t n_links = (size_t)search->request->costs.topology->n_link_ids + 1;
    carried->hash = mem_alloc(n_links, sizeof *carried->hash);
    carried->total = mem_alloc(n_links, sizeof *carried->total);
    carried->is_carrying = mem_alloc(search->n, sizeof *carried->is_carrying);
    for (size_t i = 0; i < search->n; i++) {
        const size_t first = first_of_schedule(search, i);
        carried->is_carrying[i] = first == i ? mem_alloc(n_links, sizeof(bool)) : carried->is_carrying[first];
        if (first == i)
            carried_add(search, i, carried);
    }
}

static void carried_free(const struct search *search, struct carried *carried)
{
    for (size_t i = 0; i < search->n; i++)
        if (first_of_schedule(search, i) == i)
            free(carried->is_carrying[i]);
    free(carried->is_carrying);
    free(carried->hash);
    free(carried->total);
}

/* Returns the cables that carry something, those that carry the same beside each other; on the heap. */
static struct loaded_cable *find_loaded(const struct search *search, const struct carried *carried, size_t *n)
{
    size_t n_cables;
    struct cable *cables = cables_of(search->request->costs.topology, &n_cables);
    struct loaded_cable *loaded = mem_alloc(n_cables + 1, sizeof *loaded);
    *n = 0;
    for (size_t i = 0; i < n_cables; i++) {
        const uint32_t link = cables[i].link, back = cables[i].back;
        const uint64_t a = carried->hash[link], b = carried->hash[back];
        const struct loaded_cable cable = {
            cables[i], {a < b ? a : b, a < b ? b : a}, carried->total[link] + carried->total[back]};
        if (cable.total)
            loaded[(*n)++] = cable;
    }
    if (*n)
        qsort(loaded, *n, sizeof *loaded, compare_loaded);
    free(cables);
    return loaded;
}

static bool is_same_class(const struct loaded_cable *a, const struct loaded_cable *b)
{
    return a->total == b->total && a->load[0] == b->load[0] && a->load[1] == b->load[1];
}

/* ---- cables ---- */

static void try_slower(struct search *search, const struct cause *class, const struct carried *carried)
{
    const struct cable *cable = &class->cables[0];
    struct world *world = &search->world;
    struct cause slow = *class;
    bool *is_crossed = mem_alloc(search->n, sizeof *is_crossed);
    for (size_t i = 0; i < search->n; i++)
        is_crossed[i] = carried->is_carrying[i][cable->link] || carried->is_carrying[i][cable->back];
    slow.kind = CAUSE_CABLE;
    world->slow[world->n_slow++] = (struct slow_cable){cable->link, cable->back, 1};
    search_factor(search, world, slow, &world->slow[world->n_slow - 1].factor, 1, 1,
                  world->has_failed ? NULL : is_crossed); /* round a failed cable routes are others */
    world->n_slow--;
    free(is_crossed);
}

static void try_failed(struct search *search, const struct cause *class)
{
    struct world *world = &search->world;
    struct cause failed = *class;
    double *times = mem_alloc(search->n, sizeof *times);
    failed.kind = CAUSE_FAILED;
    world->has_failed = true;
    world->failed = class->cables[0];
    if (world_times(search, world, times) &&
        search_error(search, times) < search_most_error(search, CAUSE_FAILED))
        search_add(search, failed, times);
    world->has_failed = false;
    free(times);
}

void search_cables(struct search *search)
{
    struct carried carried;
    size_t n, n_classes = 0;
    if (search->world.n_slow == SLOWED_MOST)
        return;
    carried_find(search, &carried);
    struct loaded_cable *loaded = find_loaded(search, &carried, &n);
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
        const struct cause class = {.cables = cables, .n_cables = end - first};
        try_slower(search, &class, &carried);
        if (search->rest && !search->world.has_failed)
            try_failed(search, &class);
    }
    free(loaded);
    carried_free(search, &carried);
}
