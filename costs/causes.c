/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See causes.h.
 */
#include "costs/causes_search.h"

#include "base/quantity.h"
#include "network/restrict.h"
#include "network/tables.h"
#include "study/lower_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CAUSES = 3,
    MOST_RIVALS = 2,    /* of each kind */
    TIMES_OF_A_CAUSE = 2 /* which have to be there for each one: what it is, and by how much */
};
static const double MUCH_BETTER = 0.7;   /* share of the error that a further cause may leave */
static const double LEAST_BETTER = 0.02; /* and the least that it takes off */
static const double AS_GOOD = 1.25;      /* errors of causes that are not told apart, and ... */
static const double AS_GOOD_MORE = 0.02, AS_GOOD_MOST = 0.05;
static const double SCORE_OF_ERROR = 1.02;

/* ---- worlds ---- */

bool world_open(struct world *world)
{
    struct diagnostics ignored = {0};
    world->predictor = predictor_new(&world->costs, &ignored);
    diagnostics_free(&ignored);
    return world->predictor;
}

double world_time(const struct search *search, struct world *world, size_t point)
{
    struct host_costs hosts = search->request->hosts;
    struct topology *on = world->has_failed || world->is_without_tables ? search->rest : search->slowed;
    uint64_t time = 0;
    hosts.overhead = (uint64_t)(world->overhead + 0.5);
    topology_slow(on, world->all, world->slow, world->n_slow);
    return predictor_time(world->predictor, point, on, &hosts, &time) && time ? (double)time : NAN;
}

bool world_times(const struct search *search, struct world *world, double *times)
{
    bool is_whole = true;
    if (world->has_failed) {
        const uint32_t links[2] = {world->failed.link, world->failed.back};
        topology_fail_besides(search->request->rest, links, links[0] == links[1] ? 1 : 2);
        search->rest->max_hops = search->request->rest->max_hops;
    }
    if (world->is_without_tables) {
        topology_fail_besides(search->request->rest, NULL, 0);
        search->rest->max_hops = search->request->rest->max_hops;
    }
    for (size_t i = 0; i < search->n && is_whole; i++) {
        times[i] = world_time(search, world, i);
        is_whole = !isnan(times[i]);
    }
    return is_whole;
}

double search_error(const struct search *search, const double *times)
{
    double sum = 0;
    for (size_t i = 0; i < search->n; i++)
        sum += fabs(log(search->request->costs.points->items[i].time / times[i]));
    return sum / (double)search->n;
}

/* Returns the share of the times, as measured or as predicted, that lies between two predictions, in the
 * mean. */
static double search_gain(const struct search *search, const double *with, const double *without)
{
    double sum = 0;
    for (size_t i = 0; i < search->n; i++)
        sum += (with[i] - without[i]) / fmax(search->request->costs.points->items[i].time, with[i]);
    return sum / (double)search->n;
}

void search_add(struct search *search, struct cause cause, const double *times)
{
    cause.error = search_error(search, times);
    cause.gain = cause_is_of_run(cause.kind) ? search_gain(search, times, search->times)
                                             : search_gain(search, search->base, times);
    cause.times = arena_alloc(search->arena, search->n, sizeof *cause.times);
    memcpy(cause.times, times, search->n * sizeof *times);
    struct causes_list *list = cause_is_of_run(cause.kind) ? &search->found : &search->better;
    list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
    list->items[list->n++] = cause;
}

/* ---- choosing ---- */

/* Returns the error and a price for what was chosen freely. What is slower by less is likelier, and what is
 * one of few. */
static double cause_score(const struct cause *cause)
{
    static const double price[] = {
        [CAUSE_CABLE] = 0.020, [CAUSE_FAILED] = 0.002,   [CAUSE_LINKS] = 0.045,    [CAUSE_OVERHEAD] = 0.026,
        [CAUSE_ORDER] = 0.002, [CAUSE_ADAPTERS] = 0.002, [CAUSE_ALGORITHM] = 0.006};
    const bool has_factor = cause->kind == CAUSE_CABLE || cause->kind == CAUSE_LINKS;
    return cause->error * SCORE_OF_ERROR + price[cause->kind] +
           (has_factor ? 0.003 * fabs(log2(cause->factor)) : 0) +
           (cause->n_cables ? 0.010 * log2((double)cause->n_cables) : 0);
}

static int causes_by_score(const void *a, const void *b)
{
    const double x = cause_score(a), y = cause_score(b);
    return x < y ? -1 : x > y;
}

/* Returns the error up to which a cause of this error is listed beside the best one. */
static double causes_as_good(double error)
{
    return fmin(error * AS_GOOD, error + AS_GOOD_MOST) + AS_GOOD_MORE;
}

/* Returns the error that a cause may leave at most. */
static double search_much_better(const struct search *search)
{
    return fmin(search->error * MUCH_BETTER, search->error - LEAST_BETTER);
}

double search_most_error(const struct search *search, enum cause_kind kind)
{
    double scores[1 + MOST_RIVALS] = {INFINITY, INFINITY, INFINITY}; /* the least of the kind, ascending */
    double most = fmin(search->error, causes_as_good(search_much_better(search)));
    for (size_t i = 0; i < search->found.n; i++) {
        double score = cause_score(&search->found.items[i]);
        most = fmin(most, causes_as_good(score / SCORE_OF_ERROR)); /* the best has no greater error */
        for (int k = 0; k <= MOST_RIVALS && search->found.items[i].kind == kind; k++)
            if (score < scores[k]) {
                const double greater = scores[k];
                scores[k] = score;
                score = greater;
            }
    }
    return fmin(most, scores[MOST_RIVALS] / SCORE_OF_ERROR);
}

static int causes_by_gain(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    return x->gain > y->gain ? -1 : x->gain < y->gain;
}

/* Puts causes of the run before improvements. */
static int causes_by_run(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    if (cause_is_of_run(x->kind) != cause_is_of_run(y->kind))
        return cause_is_of_run(x->kind) ? -1 : 1;
    return causes_by_gain(a, b);
}

/* Puts a cause into the world. */
static void search_take(struct search *search, const struct cause *cause)
{
    struct world *world = &search->world;
    if (cause->kind == CAUSE_CABLE && world->n_slow < SLOWED_MOST)
        world->slow[world->n_slow++] =
            (struct slow_cable){cause->cables[0].link, cause->cables[0].back, cause->factor};
    if (cause->kind == CAUSE_FAILED) {
        world->failed = cause->cables[0];
        world->has_failed = true;
    }
    if (cause->kind == CAUSE_LINKS)
        world->all *= cause->factor;
    if (cause->kind == CAUSE_OVERHEAD)
        world->overhead = cause->factor;
    search->times = cause->times;
    search->error = cause->error;
}

static void causes_keep(struct causes *causes, const struct cause *cause, struct arena *arena)
{
    if (!causes->items)
        causes->items = arena_alloc(arena, MOST_CAUSES + 3, sizeof *causes->items);
    causes->items[causes->n++] = *cause;
}

/* True if it makes more of a difference than times may be off and still count as predicted. */
static bool has_weight(const struct cause *cause)
{
    return fabs(cause->gain) >= CAUSES_TOLERANCE;
}

/* Lists causes that explain the times about as well as the best, each kind with few. */
static void causes_keep_rivals(const struct search *search, const struct cause *best, struct causes *causes)
{
    size_t n_of_kind[CAUSE_BETTER_ALGORITHM + 1] = {0};
    causes->rivals = arena_alloc(search->arena, search->found.n, sizeof *causes->rivals);
    for (size_t i = 0; i < search->found.n; i++) {
        const struct cause *rival = &search->found.items[i];
        if (rival == best || !has_weight(rival) || rival->error > causes_as_good(best->error))
            continue;
        if (n_of_kind[rival->kind]++ < MOST_RIVALS)
            causes->rivals[causes->n_rivals++] = *rival;
        else
            causes->n_more_rivals++;
    }
}

/* Finds one more cause of the run. Returns false if none makes predictions much better. */
static bool search_round(struct search *search, struct causes *causes)
{
    const int as = search->is_stated ? TRY_RUN | TRY_BETTER : TRY_RUN;
    search->found.n = 0;
    search_links(search);
    search_orders(search, as);
    search_algorithms(search, as);
    search->is_stated = false;
    search_cables(search);
    if (!search->found.n)
        return false;
    qsort(search->found.items, search->found.n, sizeof *search->found.items, causes_by_score);
    const struct cause *best = search->found.items, *end = best + search->found.n;
    while (best < end && !has_weight(best))
        best++;
    if (best == end || best->error > search_much_better(search))
        return false;
    causes_keep(causes, best, search->arena);
    if (causes->n == 1)
        causes_keep_rivals(search, best, causes);
    search_take(search, best);
    return best->kind != CAUSE_ORDER && best->kind != CAUSE_ADAPTERS && best->kind != CAUSE_ALGORITHM;
}

static bool is_same_cause(const struct cause *a, const struct cause *b)
{
    return a->kind == b->kind && a->n_cables == b->n_cables &&
           (!a->n_cables || a->cables[0].link == b->cables[0].link) &&
           (a->what == b->what || (a->what && b->what && strcmp(a->what, b->what) == 0));
}

/* Leaves out what has become one of the causes, in a later round. */
static void leave_out_taken(struct causes *causes)
{
    size_t n = 0;
    for (size_t i = 0; i < causes->n_rivals; i++) {
        bool is_taken = false;
        for (size_t k = 0; k < causes->n && !is_taken; k++)
            is_taken = is_same_cause(&causes->rivals[i], &causes->items[k]);
        if (!is_taken)
            causes->rivals[n++] = causes->rivals[i];
    }
    causes->n_rivals = n;
}

/* True if it changes what was not as stated in the run, so that it says nothing of the run. */
static bool causes_is_answered(const struct causes *causes, const struct cause *better)
{
    for (size_t i = 0; i < causes->n; i++) {
        const struct cause *cause = &causes->items[i];
        if (cause->kind == CAUSE_ORDER && better->kind == CAUSE_BETTER_ORDER)
            return true;
        if (cause->kind == CAUSE_ALGORITHM && better->kind == CAUSE_BETTER_ALGORITHM &&
            cause->collective == better->collective)
            return true;
    }
    return false;
}

/* Adds routes without the forwarding tables, where these decide. */
static void search_routes(struct search *search)
{
    struct world world = search->world;
    struct cause cause = {.kind = CAUSE_BETTER_ROUTES, .factor = 1};
    if (!search->rest || !tables_are_used(search->request->costs.topology))
        return;
    double *times = mem_alloc(search->n, sizeof *times);
    world.is_without_tables = true;
    if (world_times(search, &world, times)) {
        for (size_t i = 0; i < search->n; i++)
            cause.factor = fmax(cause.factor, search->base[i] / times[i]);
        search_add(search, cause, times);
    }
    free(times);
}

/* Finds the best improvement of each kind, where nothing is slower than stated. */
static void search_better(struct search *search, struct causes *causes)
{
    struct world *world = &search->world;
    world->all = 1;
    world->overhead = (double)search->request->hosts.overhead;
    world->n_slow = 0;
    world->has_failed = false;
    search->times = search->base;
    if (search->is_stated) {
        search_orders(search, TRY_BETTER);
        search_algorithms(search, TRY_BETTER);
    }
    search_mapped(search);
    search_routes(search);
    for (enum cause_kind kind = CAUSE_BETTER_ORDER; kind <= CAUSE_BETTER_ALGORITHM; kind++) {
        const struct cause *best = NULL;
        for (size_t i = 0; i < search->better.n; i++) {
            const struct cause *better = &search->better.items[i];
            if (better->kind == kind && !causes_is_answered(causes, better) &&
                (!best || better->gain > best->gain + 0.001))
                best = better;
        }
        if (best && best->gain >= CAUSES_LEAST_GAIN)
            causes_keep(causes, best, search->arena);
    }
}

/* ---- all ---- */

static bool is_same_measurement(const struct timed_point *a, const struct timed_point *b)
{
    return a->kind == b->kind && a->n_ranks == b->n_ranks && a->bytes == b->bytes && a->window == b->window &&
           a->ranks_per_machine == b->ranks_per_machine &&
           (a->algorithm == b->algorithm ||
            (a->algorithm && b->algorithm && strcmp(a->algorithm, b->algorithm) == 0)) &&
           (a->hosts == b->hosts || (a->hosts && b->hosts && strcmp(a->hosts, b->hosts) == 0));
}

/* Returns how many causes the measured times can tell: one in any case, and one for each two that are not of
 * the same call. More would explain anything. */
static int causes_told_by(const struct timed_points *points)
{
    const size_t enough = (size_t)MOST_CAUSES * TIMES_OF_A_CAUSE;
    size_t different[MOST_CAUSES * TIMES_OF_A_CAUSE], n = 0;
    for (size_t i = 0; i < points->n && n < enough; i++) {
        bool is_new = true;
        for (size_t k = 0; k < n && is_new; k++)
            is_new = !is_same_measurement(&points->items[different[k]], &points->items[i]);
        if (is_new)
            different[n++] = i;
    }
    return n < TIMES_OF_A_CAUSE ? 1 : (int)(n / TIMES_OF_A_CAUSE);
}

static void causes_bound(const struct search *search, double *least)
{
    struct lower_bound_cache cache = {0};
    for (size_t i = 0; i < search->n; i++) {
        const struct timed_point *point = &search->request->costs.points->items[i];
        enum collective_form form;
        if (point->kind != TIMED_ALGORITHM)
            continue;
        const struct lower_bound_request request = {
            collective_find_form(point->algorithm, strcspn(point->algorithm, "/"), &form), 0, NULL,
            search->request->costs.topology, predictor_placement(search->world.predictor, i)};
        const struct lower_bound bound =
            point->hosts ? lower_bound_of(&request) : lower_bound_cached(&cache, &request);
        const uint64_t time = lower_bound_time(&bound, point->bytes);
        least[i] = time == UINT64_MAX ? 0 : (double)time;
    }
    lower_bound_cache_free(&cache);
}

/* A point, and its work: messages of the sizes of one schedule take alike. */
struct search_work {
    uint64_t work;
    size_t point;
};

static int search_by_work(const void *a, const void *b)
{
    const struct search_work *x = a, *y = b;
    const int order = x->work < y->work ? -1 : x->work > y->work;
    return order ? order : x->point < y->point ? -1 : x->point > y->point;
}

/* Orders the points by the messages of their schedules. */
static void search_find_cheap(struct search *search)
{
    struct search_work *works = mem_alloc(search->n, sizeof *works);
    struct step step;
    for (size_t i = 0; i < search->n; i++) {
        struct schedule *schedule = predictor_expand(search->world.predictor, i);
        works[i].point = i;
        while (schedule && schedule->next(schedule, &step))
            works[i].work += step.n_sends;
        predictor_close(search->world.predictor, i);
    }
    qsort(works, search->n, sizeof *works, search_by_work);
    search->cheap_first = arena_alloc(search->arena, search->n, sizeof *search->cheap_first);
    for (size_t i = 0; i < search->n; i++)
        search->cheap_first[i] = works[i].point;
    free(works);
}

static bool search_begin(struct search *search, struct diagnostics *diagnostics)
{
    const struct causes_request *request = search->request;
    struct world *world = &search->world;
    *world = (struct world){.costs = request->costs,
                            .points = *request->costs.points,
                            .all = 1,
                            .overhead = (double)request->hosts.overhead};
    search->slowed = topology_new_slowed(request->costs.topology);
    search->rest = request->rest ? topology_new_slowed(request->rest) : NULL;
    search->base = search->times = arena_alloc(search->arena, search->n, sizeof *search->times);
    world->predictor = predictor_new(&world->costs, diagnostics);
    return world->predictor;
}

static void search_end(struct search *search)
{
    predictor_free(search->world.predictor);
    topology_free(search->slowed);
    topology_free(search->rest);
    free(search->found.items);
    free(search->better.items);
}

/* Returns why a point has no time: mostly hosts without a route. */
static const char *causes_say_stuck(const struct search *search)
{
    struct text who = {0};
    for (size_t i = 0; i < search->n && !who.length; i++)
        placement_say_unrouted(search->request->costs.topology,
                               predictor_placement(search->world.predictor, i), &who);
    const char *problem =
        who.length ? arena_printf(search->arena,
                                  "a route is missing, so what was measured went another way than stated%s",
                                  who.data)
                   : "a schedule does not come to its end by this model: --model step adds up its steps";
    text_free(&who);
    return problem;
}

/* Returns the share of the longest time that the rate of memory takes. */
static double causes_memory_share(struct search *search)
{
    struct host_costs hosts = search->request->hosts;
    size_t longest = 0;
    uint64_t time;
    for (size_t i = 1; i < search->n; i++)
        longest = search->base[i] > search->base[longest] ? i : longest;
    hosts.memory_bandwidth = UINT64_MAX;
    return predictor_time(search->world.predictor, longest, search->request->costs.topology, &hosts, &time)
               ? 1 - (double)time / search->base[longest]
               : 0;
}

bool causes_find(const struct causes_request *request, struct causes *causes, struct arena *arena,
                 struct diagnostics *diagnostics)
{
    struct search search = {
        .request = request, .arena = arena, .n = request->costs.points->n, .is_stated = true};
    *causes = (struct causes){.least = arena_alloc(arena, search.n, sizeof *causes->least)};
    bool is_found = search_begin(&search, diagnostics);
    if (is_found && !world_times(&search, &search.world, search.base)) {
        causes->problem = causes_say_stuck(&search);
        is_found = false;
    }
    if (is_found) {
        causes_bound(&search, causes->least);
        causes->predicted = search.base;
        causes->memory_share = request->assumes_memory ? causes_memory_share(&search) : 0;
        causes->error = search.error = search_error(&search, search.base);
        search_find_cheap(&search);
        const int n_told = causes_told_by(request->costs.points);
        bool goes_on = search.error > CAUSES_TOLERANCE;
        for (int i = 0; i < n_told && goes_on; i++)
            goes_on = search_round(&search, causes) && search.error > CAUSES_TOLERANCE;
        causes->are_too_few = goes_on && n_told < MOST_CAUSES;
        causes->explained = search.times;
        causes->error_left = search.error;
        for (size_t i = 0; i < search.n; i++) {
            const double error = fabs(log(request->costs.points->items[i].time / search.times[i]));
            causes->furthest = error > causes->furthest_error ? i : causes->furthest;
            causes->furthest_error = fmax(error, causes->furthest_error);
        }
        causes->next =
            search_next(&search, causes->n ? &causes->items[0] : NULL, causes->rivals, causes->n_rivals);
        search_better(&search, causes);
        leave_out_taken(causes);
        causes->n_untried = search.n_untried;
        if (causes->n)
            qsort(causes->items, causes->n, sizeof *causes->items,
                  causes->error <= CAUSES_EXPLAINED ? causes_by_gain : causes_by_run);
    }
    search_end(&search);
    return is_found;
}

/* ---- words ---- */

void cause_print_cable(const struct topology *topology, const struct cable *cable, struct text *out)
{
    uint32_t ends[2];
    char name[256];
    topology_link_ends(topology, cable->link, &ends[0], &ends[1]);
    for (int i = 0; i < 2; i++) {
        topology_node_name(topology, ends[i], name, sizeof name);
        text_append_safe(out, name);
        text_printf(out, i ? "" : ":");
    }
    if (cable->is_one_of_several)
        text_printf(out, " (link %u)", cable->link);
}

/* "the cable A:B", or "one of the cables A:B, A:C and 3 more" */
static void causes_print_cables(const struct causes_request *request, const struct cause *cause,
                                struct text *out)
{
    enum { NAMED = 4 };
    text_printf(out, cause->n_cables == 1 ? "the cable " : "one of the cables ");
    for (size_t i = 0; i < cause->n_cables && i < NAMED; i++) {
        text_printf(out, i == 0 ? "" : i + 1 == cause->n_cables ? " and " : ", ");
        cause_print_cable(request->costs.topology, &cause->cables[i], out);
    }
    if (cause->n_cables > NAMED)
        text_printf(out, " and %zu more", cause->n_cables - NAMED);
}

static void causes_print_factor(double factor, struct text *out)
{
    const double times = factor < 1 ? 1 / factor : factor;
    text_printf(out, times < 10 ? " %.2g times %s than stated" : " %.0f times %s than stated", times,
                factor < 1 ? "faster" : "slower");
}

static void causes_print_sizes(const struct cause *cause, struct text *out)
{
    text_printf(out, " for %s of ", collective_table[cause->collective].name);
    print_size(cause->first, out);
    if (cause->last != cause->first) {
        text_printf(out, " to ");
        print_size(cause->last, out);
    }
}

void cause_print(const struct causes_request *request, const struct cause *cause, struct text *out)
{
    switch (cause->kind) {
    case CAUSE_CABLE:
        causes_print_cables(request, cause, out);
        text_printf(out, " is");
        causes_print_factor(cause->factor, out);
        break;
    case CAUSE_FAILED:
        causes_print_cables(request, cause, out);
        text_printf(out, " does not work: routes lead round it");
        break;
    case CAUSE_LINKS:
        text_printf(out, "all links are");
        causes_print_factor(cause->factor, out);
        break;
    case CAUSE_OVERHEAD:
        text_printf(out, "hosts take ");
        print_time((uint64_t)cause->factor, out);
        text_printf(out, " for a message, not ");
        print_time(request->hosts.overhead, out);
        break;
    case CAUSE_ORDER:
        text_printf(out, "ranks are on the hosts in another order than stated: %s", cause->what);
        break;
    case CAUSE_ADAPTERS:
        text_printf(out, "ranks use other adapters than stated: %s", cause->what);
        break;
    case CAUSE_ALGORITHM:
        text_printf(out, "%s ran, not %s,", cause->what, cause->instead);
        causes_print_sizes(cause, out);
        text_printf(out, ": a rule, a variable or a parameter forces it");
        break;
    case CAUSE_BETTER_ORDER:
        text_printf(out, "the hosts are in a bad order: better is %s", cause->what);
        break;
    case CAUSE_BETTER_ROUTES:
        text_printf(out,
                    "the forwarding tables lead too much over the same cables, which 'collc route' names: with "
                    "those of 'collc topo --to lfts' times are up to %.2g times shorter",
                    cause->factor);
        break;
    case CAUSE_BETTER_ALGORITHM:
        text_printf(out, "%s is a bad choice", cause->instead);
        causes_print_sizes(cause, out);
        text_printf(out, ": better is %s", cause->what);
        break;
    }
}
