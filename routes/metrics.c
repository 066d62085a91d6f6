/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures routes. If the routes to a machine are a tree, edge forwarding index, dependencies and shifts
 * are found tree by tree (trees.h); else all pairs are walked once, shift by shift, which gives them
 * together. Then random matchings are drawn.
 */
#include "routes/metrics.h"

#include "base/integer.h"
#include "network/load.h"
#include "routes/dependency.h"
#include "routes/trees.h"

#include <stdlib.h>

struct survey {
    const struct topology *topology;
    struct metrics *metrics;
    const struct observer *observer;
    struct hop *hops;
    bool *is_inner;     /* [link] joins two nodes that forward */
    bool *is_channel;   /* [link] inner, and contends */
    uint64_t *routes;   /* [link] over all pairs */
    struct link_loads loads; /* loads of one pattern, in messages */
    uint32_t lanes;     /* bit per lane used on channels */
    struct dependencies one_lane, by_lane;
};

const char *metrics_obstacle(const struct topology *topology)
{
    if (topology->n_machines > METRICS_MAX_MACHINES)
        return "all pairs of more than 1048576 machines are too many";
    if (topology->n_link_ids > METRICS_MAX_LINKS)
        return "more than 67108864 links take too much memory";
    return NULL;
}

double metrics_seconds(const struct topology *topology)
{
    const double walked = 10e-9, by_trees = 3e-9; /* seconds for each hop, if all routes had the most hops */
    const double n_pairs = (double)topology->n_machines * topology->n_machines;
    return n_pairs * topology->max_hops * (trees_are_routes(topology) ? by_trees : walked);
}

/* ---- loads of one pattern ---- */

/* Adds a message and returns the largest load on the route, including it. */
static uint64_t metrics_add_load(struct survey *survey, uint32_t n)
{
    const uint32_t n_loaded = link_loads_drop_fat_pipes(survey->topology, survey->hops, n);
    return link_loads_add(&survey->loads, survey->hops, n_loaded, 1);
}

/* Returns the largest load on the route, at least 1: alone, a message has its full bandwidth. */
static uint64_t largest_load(const struct survey *survey, uint32_t n)
{
    uint64_t largest = 1;
    for (uint32_t i = 0; i < n; i++)
        if (survey->loads.load[survey->hops[i].link] > largest)
            largest = survey->loads.load[survey->hops[i].link];
    return largest;
}

/* ---- all pairs ---- */

static void count_route(struct survey *survey, uint32_t n)
{
    const struct hop *hops = survey->hops;
    uint32_t n_inner = 0;
    for (uint32_t i = 0; i < n; i++) {
        n_inner += survey->is_inner[hops[i].link];
        if (!survey->is_channel[hops[i].link])
            continue;
        survey->routes[hops[i].link]++;
        survey->lanes |= 1u << (hops[i].lane % 16);
        if (!i || !survey->is_channel[hops[i - 1].link])
            continue;
        struct hop before = hops[i - 1], here = hops[i];
        if (survey->metrics->has_lanes)
            dependencies_add(&survey->by_lane, before, here);
        before.lane = here.lane = 0;
        dependencies_add(&survey->one_lane, before, here);
    }
    const bool is_direct = n == 1 && !n_inner; /* a cable from machine to machine */
    const uint32_t switches = is_direct ? 0 : n_inner + 1;
    if (n && switches > survey->metrics->hops_max)
        survey->metrics->hops_max = switches;
}

static void take_shift(struct metrics *metrics, uint32_t worst)
{
    if (worst > metrics->worst_shift_load)
        metrics->worst_shift_load = worst;
    metrics->mean_shift_load += worst; /* their sum, exact below 2^53; divided in measure_shifts */
}

/* Walks the routes of each shift. is_counted: count_route has seen them. */
static void walk_shifts(struct survey *survey, bool is_counted)
{
    const struct topology *topology = survey->topology;
    struct metrics *metrics = survey->metrics;
    const uint32_t n = topology->n_machines;
    for (uint32_t shift = 1; shift < n; shift++) {
        uint32_t worst = 0;
        for (uint32_t source = 0; source < n; source++) {
            uint32_t destination = source + shift < n ? source + shift : source + shift - n;
            uint32_t n_hops = topology_route(topology, source, destination, survey->hops);
            if (!is_counted) {
                metrics->pairs++;
                metrics->pairs_unrouted += n_hops == 0;
                count_route(survey, n_hops);
            }
            uint64_t largest = metrics_add_load(survey, n_hops);
            worst = largest > worst ? (uint32_t)largest : worst;
        }
        link_loads_clear(&survey->loads);
        take_shift(metrics, worst);
        observer_tell(survey->observer, "shifts", shift, n - 1);
    }
}

/* Counts all routes to one machine. */
static void count_tree(struct survey *survey, const struct tree *tree)
{
    struct metrics *metrics = survey->metrics;
    const uint32_t n_others = survey->topology->n_machines - 1;
    const uint32_t switches = tree->has_switches ? tree->max_inner + 1 : 0;
    metrics->pairs += n_others;
    metrics->pairs_unrouted += n_others - tree->n_sources;
    if (switches > metrics->hops_max)
        metrics->hops_max = switches;
    for (uint32_t i = 0; i < tree->n_links; i++) {
        const struct tree_link *at = &tree->links[i];
        if (!survey->is_channel[at->link])
            continue;
        survey->routes[at->link] += at->n_routes;
        survey->lanes |= 1;
        if (at->follows != NO_NEXT_LINK && survey->is_channel[at->follows])
            dependencies_add(&survey->one_lane, (struct hop){at->link, 0}, (struct hop){at->follows, 0});
    }
}

/* Measures routes that are a tree for each machine. */
static void measure_trees(struct survey *survey, struct trees *trees)
{
    const uint32_t n = survey->topology->n_machines;
    uint32_t *load = mem_alloc(n, sizeof *load);
    for (uint32_t destination = 0; destination < n; destination++) {
        const struct tree tree = trees_to(trees, destination);
        count_tree(survey, &tree);
        observer_tell(survey->observer, "destinations", destination + 1, n);
    }
    if (!trees_shift_loads(trees, survey->observer, load))
        walk_shifts(survey, true);
    else
        for (uint32_t shift = 1; shift < n; shift++)
            take_shift(survey->metrics, load[shift]);
    free(load);
}

static void measure_shifts(struct survey *survey)
{
    const uint32_t n = survey->topology->n_machines;
    struct trees *trees = trees_new(survey->topology, survey->is_inner);
    if (trees)
        measure_trees(survey, trees);
    else
        walk_shifts(survey, false);
    trees_free(trees);
    survey->metrics->mean_shift_load = n > 1 ? survey->metrics->mean_shift_load / (double)(n - 1) : 0;
}

static void measure_channels(struct survey *survey)
{
    struct metrics *metrics = survey->metrics;
    uint64_t sum = 0;
    metrics->efi_min = UINT64_MAX;
    for (uint32_t link = 0; link < survey->topology->n_link_ids; link++) {
        if (!survey->is_channel[link])
            continue;
        uint64_t routes = survey->routes[link];
        metrics->n_channels++;
        metrics->n_unused += routes == 0;
        if (!routes)
            continue;
        sum += routes;
        metrics->efi_max = routes > metrics->efi_max ? routes : metrics->efi_max;
        metrics->efi_min = routes < metrics->efi_min ? routes : metrics->efi_min;
    }
    uint64_t n_used = metrics->n_channels - metrics->n_unused;
    if (!n_used)
        metrics->efi_min = 0;
    metrics->efi_mean = n_used ? (double)sum / (double)n_used : 0;
}

/* ---- random matchings ---- */

static void shuffle(uint32_t *order, uint32_t n, uint64_t *state)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)((next_random(state) >> 32) * i >> 32);
        uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

/* A matching: order[2i] sends to order[2i + 1]. */
struct matching {
    uint32_t *order;
    uint32_t n_pairs;
    struct hop *hops; /* [pair * max_hops] of its route; NULL: too many, they are looked up twice */
    uint32_t *n_hops; /* [pair] */
};
enum { MAX_KEPT_HOPS = 1 << 22 };

/* Puts the route of a pair in survey->hops; links on it. */
static uint32_t route_pair(struct survey *survey, const struct matching *matching, uint32_t i)
{
    const uint32_t *pair = matching->order + 2 * (size_t)i;
    return topology_route(survey->topology, pair[0], pair[1], survey->hops);
}

/* Returns the sum over the pairs of their share of bandwidth. */
static double metrics_match(struct survey *survey, const struct matching *matching)
{
    const uint32_t max_hops = survey->topology->max_hops;
    struct hop *const scratch = survey->hops;
    double sum = 0;
    for (uint32_t i = 0; i < matching->n_pairs; i++) {
        survey->hops = matching->hops ? matching->hops + (size_t)i * max_hops : scratch;
        matching->n_hops[i] = route_pair(survey, matching, i);
        metrics_add_load(survey, matching->n_hops[i]);
    }
    for (uint32_t i = 0; i < matching->n_pairs; i++) {
        survey->hops = matching->hops ? matching->hops + (size_t)i * max_hops : scratch;
        if (!matching->hops)
            route_pair(survey, matching, i);
        if (matching->n_hops[i])
            sum += 1.0 / (double)largest_load(survey, matching->n_hops[i]);
    }
    survey->hops = scratch;
    link_loads_clear(&survey->loads);
    return sum;
}

/* Returns the effective bisection. */
static double measure_matchings(struct survey *survey, const struct metrics_request *request)
{
    uint32_t n = survey->topology->n_machines, n_pairs = n / 2;
    uint32_t n_matchings = request->n_matchings;
    if (!n_matchings && n_pairs)
        n_matchings = METRICS_ROUTES / n_pairs;
    if (!request->n_matchings && n_matchings < METRICS_MATCHINGS)
        n_matchings = METRICS_MATCHINGS;
    const uint64_t n_hops = (uint64_t)n_pairs * survey->topology->max_hops;
    struct matching matching = {.order = mem_alloc(n, sizeof *matching.order),
                                .n_pairs = n_pairs,
                                .n_hops = mem_alloc(n_pairs, sizeof *matching.n_hops)};
    if (n_hops <= MAX_KEPT_HOPS)
        matching.hops = mem_alloc(n_hops, sizeof *matching.hops);
    uint64_t state = request->seed;
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        matching.order[i] = i;
    for (uint32_t i = 0; i < n_matchings; i++) {
        shuffle(matching.order, n, &state);
        sum += metrics_match(survey, &matching);
    }
    double n_routes = (double)n_pairs * n_matchings;
    free(matching.order);
    free(matching.hops);
    free(matching.n_hops);
    return n_pairs ? sum / n_routes : 0;
}

/* ---- all of it ---- */

static void find_channels(struct survey *survey)
{
    const struct topology *topology = survey->topology;
    bool *forwards = mem_alloc(topology->n_nodes, sizeof *forwards);
    topology_find_forwarding(topology, forwards);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        survey->is_inner[link] = forwards[from] && forwards[to];
        survey->is_channel[link] = survey->is_inner[link] && topology_link_contends(topology, link);
    }
    free(forwards);
}

static void survey_open(struct survey *survey)
{
    const struct topology *topology = survey->topology;
    size_t n_links = topology->n_link_ids;
    survey->hops = mem_alloc(topology->max_hops, sizeof *survey->hops);
    survey->is_inner = mem_alloc(n_links, sizeof *survey->is_inner);
    survey->is_channel = mem_alloc(n_links, sizeof *survey->is_channel);
    survey->routes = mem_alloc(n_links, sizeof *survey->routes);
    survey->loads = link_loads_new(topology, false);
    find_channels(survey);
}

static void survey_close(struct survey *survey)
{
    free(survey->hops);
    free(survey->is_inner);
    free(survey->is_channel);
    free(survey->routes);
    link_loads_free(&survey->loads);
    dependencies_free(&survey->one_lane);
    dependencies_free(&survey->by_lane);
}

struct metrics metrics_of_pairs(const struct topology *topology, const struct metrics_request *request)
{
    struct metrics metrics = {.has_lanes = topology_has_lanes(topology)};
    struct survey survey = {.topology = topology, .metrics = &metrics, .observer = &request->observer};
    survey_open(&survey);
    measure_shifts(&survey);
    measure_channels(&survey);
    metrics.cycle = dependencies_cycle(&survey.one_lane);
    if (metrics.has_lanes)
        metrics.cycle_lanes = dependencies_cycle(&survey.by_lane);
    for (uint32_t lanes = survey.lanes; lanes; lanes &= lanes - 1)
        metrics.n_lanes++;
    survey_close(&survey);
    return metrics;
}

double metrics_bisection(const struct topology *topology, const struct metrics_request *request)
{
    struct survey survey = {.topology = topology};
    survey.hops = mem_alloc(topology->max_hops, sizeof *survey.hops);
    survey.loads = link_loads_new(topology, false);
    const double bisection = measure_matchings(&survey, request);
    free(survey.hops);
    link_loads_free(&survey.loads);
    return bisection;
}

struct metrics metrics_measure(const struct topology *topology,
                               const struct metrics_request *request)
{
    struct metrics metrics = metrics_of_pairs(topology, request);
    metrics.effective_bisection = metrics_bisection(topology, request);
    return metrics;
}

void metrics_free(struct metrics *metrics)
{
    free(metrics->cycle.channels);
    free(metrics->cycle_lanes.channels);
}
