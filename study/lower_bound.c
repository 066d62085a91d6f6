/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See least.h.
 */
#include "study/lower_bound.h"

#include "bound/bisection.h"
#include "bound/gossip.h"
#include "bound/flow/flow.h"
#include "bound/overlay/overlay.h"
#include "ir/counts.h"

#include <stdlib.h>

enum { SOLVER_SECONDS = 10 };

/* Limit of the search for a bound by relays: a tenth of a second. */
#define LEAST_OVERLAY_WORK (UINT64_C(1) << 25)

static void least_take_time(const struct bound *bound, struct lower_bound *least)
{
    if (bound->bandwidth && bound->blocks &&
        (!least->time_kind ||
         (wide)bound->blocks * least->bandwidth > (wide)least->blocks * bound->bandwidth)) {
        least->time_kind = bound->kind;
        least->blocks = bound->blocks;
        least->bandwidth = bound->bandwidth;
    }
}

void lower_bound_take(const struct bound *bound, void *data)
{
    struct lower_bound *least = data;
    uint64_t top = 0, bottom = 1;
    if (bound->load.bottom)
        fraction_narrow(bound->load, &top, &bottom);
    if (top && (!least->kind || (wide)top * least->bottom > (wide)least->top * bottom)) {
        least->kind = bound->kind;
        least->top = top;
        least->bottom = bottom;
    }
    least_take_time(bound, least);
}

/* Takes a bound on the given routes only. */
static void take_of_routes(const struct bound *bound, struct lower_bound *least)
{
    uint64_t top, bottom;
    fraction_narrow(bound->load, &top, &bottom);
    if ((wide)top * least->routes_bottom > (wide)least->routes_top * bottom) {
        least->routes_kind = bound->kind;
        least->routes_top = top;
        least->routes_bottom = bottom;
    }
    least_take_time(bound, least);
}

bool lower_bound_is_small(const struct topology *topology)
{
    return (uint64_t)topology->n_nodes * topology->n_link_ids <= LOWER_BOUND_MAX_FLOW;
}

static struct overlay_known take_flow(const struct bound_request *request, uint64_t most_rows,
                                      struct lower_bound *least)
{
    const struct lp_solver solver = {.seconds = SOLVER_SECONDS, .most_rows = most_rows};
    struct flow flow = flow_of(request, &solver);
    const struct overlay_known known = overlay_known_by(&flow);
    struct bound bound = {.kind = NULL};
    if (flow_bound(&flow, request, &bound))
        lower_bound_take(&bound, least);
    text_free(&bound.reason);
    flow_free(&flow);
    return known;
}

static void take_overlay(const struct bound_request *request, const struct overlay_known *known,
                         struct lower_bound *least)
{
    struct overlay overlay = overlay_of(request, known, LEAST_OVERLAY_WORK);
    struct bound bound = {.kind = NULL};
    least->routes_missing = overlay.missing;
    if (!overlay.missing) {
        least->routes_kind = least->kind;
        least->routes_top = least->top;
        least->routes_bottom = least->bottom;
    }
    if (overlay_bound(&overlay, request, &bound))
        take_of_routes(&bound, least);
    text_free(&bound.reason);
    overlay_free(&overlay);
}

/* Takes bounds by flows and, where each block has one destination, by relays. */
static void take_others(const struct bound_request *request, struct lower_bound *least)
{
    struct overlay_known known = {.is_flow = false};
    if (least->kind)
        known.load = fraction_of(least->top, least->bottom);
    if (least->time_kind)
        known.time = fraction_of(least->blocks, least->bandwidth);
    if (lower_bound_is_small(request->topology))
        known = take_flow(request, 0, least);
    if (request->placement->adapters)
        least->routes_missing = "routes depend on the adapters that ranks use";
    else if (request->topology->is_adaptive)
        least->routes_missing = "switches choose the routes";
    else if (flow_serves(request) && least->kind)
        take_overlay(request, &known, least);
}

/* True if sums of counts do not overflow, and there are not too many of them. */
static bool has_sound_counts(const struct lower_bound_request *request)
{
    const uint32_t p = request->placement->n_ranks;
    const uint64_t n = counts_needed(request->collective, p);
    uint64_t sum = 0;
    if (n > p && p > BOUND_MAX_PAIRED_RANKS)
        return false;
    for (uint64_t i = 0; i < n; i++)
        sum = units_sum(sum, request->counts->bytes(request->counts, i));
    return sum <= INT64_MAX;
}

struct lower_bound_request lower_bound_request_of(const struct schedule_header *header,
                                                  const struct topology *topology,
                                                  const struct placement *placement)
{
    return (struct lower_bound_request){header->collective, header->root, header->counts, topology,
                                        placement};
}

static bool is_served(const struct lower_bound_request *request)
{
    return request->topology && bound_serves(request->collective) &&
           (!request->counts || has_sound_counts(request));
}

static struct bound_request bounds_of(const struct lower_bound_request *request)
{
    return (struct bound_request){request->collective, request->root, request->topology, request->placement,
                                  request->counts, false};
}

/* Finds bounds without flows and relays. */
static struct lower_bound least_by_cuts(const struct lower_bound_request *request)
{
    struct lower_bound least = {.kind = NULL};
    const struct bound_request bounds = bounds_of(request);
    if (is_served(request))
        bound_each_cut(&bounds, lower_bound_take, &least);
    return least;
}

struct lower_bound lower_bound_of_machines(const struct lower_bound_request *request)
{
    static bool (*const kinds[])(const struct bound_request *, struct bound *) = {bound_machine,
                                                                                  bound_gossip};
    const struct bound_request bounds = bounds_of(request);
    struct lower_bound least = {.kind = NULL};
    for (size_t i = 0; is_served(request) && i < sizeof kinds / sizeof *kinds; i++) {
        struct bound bound = {.kind = NULL};
        if (kinds[i](&bounds, &bound))
            lower_bound_take(&bound, &least);
        text_free(&bound.reason);
    }
    return least;
}

struct lower_bound lower_bound_by_flows(const struct lower_bound_request *request, uint64_t most_rows)
{
    struct lower_bound least = least_by_cuts(request);
    const struct bound_request bounds = bounds_of(request);
    if (is_served(request) && lower_bound_is_small(request->topology))
        take_flow(&bounds, most_rows, &least);
    return least;
}

struct lower_bound lower_bound_of(const struct lower_bound_request *request)
{
    struct lower_bound least = least_by_cuts(request);
    const struct bound_request bounds = bounds_of(request);
    if (is_served(request))
        take_others(&bounds, &least);
    return least;
}

struct least_load least_load(const struct lower_bound *least, uint32_t block_units)
{
    struct least_load load = {.kind = least->kind, .routes_kind = least->routes_kind};
    if (load.kind)
        load.units = (double)least->top * block_units / (double)least->bottom;
    if (load.routes_kind)
        load.routes_units = (double)least->routes_top * block_units / (double)least->routes_bottom;
    load.routes_missing = least->routes_missing;
    return load;
}

uint64_t lower_bound_time(const struct lower_bound *least, uint64_t bytes)
{
    const struct bound bound = {.blocks = least->blocks, .bandwidth = least->bandwidth};
    return least->time_kind ? bound_time(&bound, bytes) : 0;
}

/* ---- the cache ---- */

struct lower_bound lower_bound_cached(struct lower_bound_cache *cache,
                                      const struct lower_bound_request *request)
{
    const uint32_t n_ranks = request->placement ? request->placement->n_ranks : 0;
    if (!request->topology || request->counts)
        return lower_bound_of(request);
    for (size_t i = 0; i < cache->n; i++) {
        const struct lower_bound_known *known = &cache->items[i];
        if (known->topology == request->topology && known->collective == request->collective &&
            known->root == request->root && known->n_ranks == n_ranks)
            return known->least;
    }
    cache->items = mem_grow(cache->items, &cache->capacity, cache->n + 1, sizeof *cache->items);
    cache->items[cache->n++] = (struct lower_bound_known){request->topology, request->collective,
                                                          request->root, n_ranks, lower_bound_of(request)};
    return cache->items[cache->n - 1].least;
}

void lower_bound_cache_free(struct lower_bound_cache *cache)
{
    free(cache->items);
    *cache = (struct lower_bound_cache){0};
}
