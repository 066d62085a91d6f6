/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See spread.h. This is traffic assignment to roads (Dafermos & Sparrow 1969), with the prices of
 * Shahrokhi & Matula 1990.
 */
#include "bound/overlay/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 150, MEASURED = 32 /* times that routes are, in a round */ };
/* Work that is always allowed for more rounds: some hundredths of a second. */
#define LITTLE_WORK (UINT64_C(1) << 22)
#define FIRST_STEEPNESS 20.0
#define LAST_STEEPNESS 3000.0
#define STEEPER 1.3
/* Fraction of the possible gap at which prices grow steeper. */
#define SETTLED 0.2
/* Ratio of the reached to the proved load that suffices. */
#define NEAR 1.0005
#define HARDLY_MORE 1.001

struct search {
    const struct overlay_network *network;
    enum flow_measure measure;
    struct overlay_flow *flow;
    struct overlay_ways ways;
    double *cost;        /* [link] 1 over its capacity, in multiples of the least */
    double *price;       /* [link] of a unit of demand */
    double steepness, most;
    uint32_t *mark, n_marks; /* [link] the last mark that it got */
    uint32_t *stops;     /* [server] of one way, backwards */
    const struct overlay_effort *effort;
};

/* ---- ways ---- */

static void spread_push(uint32_t **list, size_t *n, size_t *capacity, uint32_t number)
{
    if (*n == *capacity)
        *list = mem_grow(*list, capacity, *n + 1, sizeof **list);
    (*list)[(*n)++] = number;
}

/* Appends a leg to the way that is made last. */
static void add_leg(struct search *search, uint32_t from, uint32_t to)
{
    const struct overlay_network *network = search->network;
    struct overlay_flow *flow = search->flow;
    struct overlay_way *way = &flow->ways[flow->n_ways - 1];
    const size_t pair = (size_t)from * network->n_servers + to;
    spread_push(&flow->stops, &flow->n_stops, &flow->stops_capacity, to);
    way->n_stops++;
    for (size_t i = network->first[pair]; i < network->first[pair + 1]; i++) {
        spread_push(&flow->hops, &flow->n_hops, &flow->hops_capacity, network->route[i]);
        way->n_hops++;
    }
}

static void begin_way(struct overlay_flow *flow)
{
    if (flow->n_ways == flow->ways_capacity)
        flow->ways = mem_grow(flow->ways, &flow->ways_capacity, flow->n_ways + 1, sizeof *flow->ways);
    flow->ways[flow->n_ways++] =
        (struct overlay_way){.stop = flow->n_stops, .hop = flow->n_hops, .next = OVERLAY_NONE};
}

static void drop_last_way(struct overlay_flow *flow)
{
    flow->n_stops = flow->ways[flow->n_ways - 1].stop;
    flow->n_hops = flow->ways[--flow->n_ways].hop;
}

/* Adds the legs of the shortest way from the source, the first one first. */
static void add_legs_to(struct search *search, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t at = to; at != from; at = search->ways.before[at])
        search->stops[n++] = at;
    for (; n > 0; from = search->stops[n])
        add_leg(search, from, search->stops[--n]);
}

static bool spread_is_same(const struct overlay_flow *flow, uint32_t a, uint32_t b)
{
    const struct overlay_way *x = &flow->ways[a], *y = &flow->ways[b];
    return x->n_hops == y->n_hops &&
           !memcmp(flow->hops + x->hop, flow->hops + y->hop, x->n_hops * sizeof *flow->hops);
}

/* Returns the shortest way of the pair, whose source was searched: a new one, or an equal one that it has. */
static uint32_t spread_shortest_way(struct search *search, size_t pair, uint32_t to)
{
    struct overlay_flow *flow = search->flow;
    begin_way(flow);
    add_legs_to(search, (uint32_t)(pair / search->network->n_servers), to);
    const uint32_t last = (uint32_t)flow->n_ways - 1;
    for (uint32_t way = flow->way[pair]; way != OVERLAY_NONE; way = flow->ways[way].next)
        if (spread_is_same(flow, way, last)) {
            drop_last_way(flow);
            return way;
        }
    flow->ways[last].next = flow->way[pair];
    return flow->way[pair] = last;
}

static void start_straight(struct search *search)
{
    const struct overlay_network *network = search->network;
    struct overlay_flow *flow = search->flow;
    const size_t n_pairs = (size_t)network->n_servers * network->n_servers;
    flow->way = mem_alloc(n_pairs, sizeof *flow->way);
    for (size_t pair = 0; pair < n_pairs; pair++) {
        flow->way[pair] = OVERLAY_NONE;
        if (!network->demand[pair])
            continue;
        flow->way[pair] = (uint32_t)flow->n_ways;
        begin_way(flow);
        add_leg(search, (uint32_t)(pair / network->n_servers), (uint32_t)(pair % network->n_servers));
        struct overlay_way *way = &flow->ways[flow->way[pair]];
        way->flow = (double)network->demand[pair];
        for (uint32_t i = 0; i < way->n_hops; i++)
            flow->load[flow->hops[way->hop + i]] += way->flow * search->cost[flow->hops[way->hop + i]];
    }
}

/* ---- prices ---- */

static void spread_set_price(struct search *search, uint32_t link)
{
    search->price[link] =
        exp(search->steepness * (search->flow->load[link] / search->most - 1)) * search->cost[link];
}

static void find_most(struct overlay_flow *flow, uint32_t n_links)
{
    flow->most = 0;
    for (uint32_t link = 0; link < n_links; link++)
        flow->most = fmax(flow->most, flow->load[link]);
}

static double spread_price_of(const struct search *search, const struct overlay_way *way)
{
    double price = 0;
    for (uint32_t i = 0; i < way->n_hops; i++)
        price += search->price[search->flow->hops[way->hop + i]];
    return price;
}

/* ---- moving ---- */

static void spread_add_flow(struct search *search, struct overlay_way *way, double amount)
{
    way->flow += amount;
    for (uint32_t i = 0; i < way->n_hops; i++) {
        const uint32_t link = search->flow->hops[way->hop + i];
        search->flow->load[link] = fmax(0, search->flow->load[link] + amount * search->cost[link]);
        spread_set_price(search, link);
    }
}

/* Returns how fast the prices of both ways approach, over the links that are not in both. */
static double slope_of(struct search *search, const struct overlay_way *dear, const struct overlay_way *cheap)
{
    const uint32_t *hops = search->flow->hops;
    double slope = 0, shared = 0;
    const uint32_t mark = ++search->n_marks;
    for (uint32_t i = 0; i < cheap->n_hops; i++) {
        const uint32_t link = hops[cheap->hop + i];
        search->mark[link] = mark;
        slope += search->price[link] * search->cost[link];
    }
    for (uint32_t i = 0; i < dear->n_hops; i++) {
        const uint32_t link = hops[dear->hop + i];
        const double own = search->price[link] * search->cost[link];
        slope += own;
        shared += search->mark[link] == mark ? 2 * own : 0;
    }
    return (slope - shared) * search->steepness / search->most;
}

/* Moves demand from all dearer ways of the pair to the cheapest. */
static void even_out(struct search *search, size_t pair, uint32_t cheapest)
{
    struct overlay_flow *flow = search->flow;
    double price = spread_price_of(search, &flow->ways[cheapest]);
    for (uint32_t number = flow->way[pair]; number != OVERLAY_NONE; number = flow->ways[number].next) {
        struct overlay_way *way = &flow->ways[number];
        if (number == cheapest || way->flow <= 0)
            continue;
        const double saved = spread_price_of(search, way) - price;
        if (saved <= 0)
            continue;
        const double slope = slope_of(search, way, &flow->ways[cheapest]);
        const double amount = fmin(way->flow, saved / fmax(slope, 1e-300));
        spread_add_flow(search, way, -amount);
        spread_add_flow(search, &flow->ways[cheapest], amount);
        price = spread_price_of(search, &flow->ways[cheapest]);
    }
}

static void improve_source(struct search *search, uint32_t from)
{
    const uint32_t n = search->network->n_servers;
    if (from % (1 + n / MEASURED) == 0)
        overlay_ways_measure(&search->ways, search->price);
    overlay_ways_find(&search->ways, from);
    for (uint32_t to = 0; to < n; to++) {
        const size_t pair = (size_t)from * n + to;
        if (search->network->demand[pair])
            even_out(search, pair, spread_shortest_way(search, pair, to));
    }
}

/* ---- rounds ---- */

/* Returns the bound that the prices nearly prove; keeps them if it is the highest. */
static double spread_prove(struct search *search)
{
    const struct overlay_network *network = search->network;
    const uint32_t n = network->n_servers;
    double top = 0, bottom = 0;
    for (uint32_t link = 0; link < network->n_links; link++)
        bottom += search->price[link] / search->cost[link];
    overlay_ways_measure(&search->ways, search->price);
    for (uint32_t from = 0; from < n; from++) {
        overlay_ways_find(&search->ways, from);
        for (uint32_t to = 0; to < n; to++)
            if (network->demand[(size_t)from * n + to])
                top += (double)network->demand[(size_t)from * n + to] * search->ways.distance[to];
    }
    if (top > search->flow->proved * bottom) {
        search->flow->proved = top / bottom;
        memcpy(search->flow->length, search->price, network->n_links * sizeof *search->price);
    }
    return top / bottom;
}

uint64_t overlay_round_work(const struct overlay_network *network)
{
    const uint64_t n = network->n_servers;
    return n * n * n + n * network->first[n * n];
}

static uint64_t rounds_for(uint64_t work, uint64_t work_of_round)
{
    const uint64_t n = work / work_of_round, n_cheap = LITTLE_WORK / work_of_round;
    const uint64_t most = n_cheap > MOST_ROUNDS ? n_cheap : MOST_ROUNDS;
    return n < most ? n : most;
}

static void search_rounds(struct search *search)
{
    const struct overlay_network *network = search->network;
    struct overlay_flow *flow = search->flow;
    const uint32_t n = network->n_servers;
    const uint64_t most_rounds = rounds_for(search->effort->work, overlay_round_work(network));
    find_most(flow, network->n_links);
    flow->straight = flow->most;
    const double enough = search->effort->enough > 0 ? flow->straight * search->effort->enough : INFINITY;
    for (uint64_t round = 0; flow->most > 0 && round < most_rounds; round++) {
        search->most = flow->most;
        for (uint32_t link = 0; link < network->n_links; link++)
            spread_set_price(search, link);
        for (uint32_t from = 0; from < n; from++)
            improve_source(search, from);
        find_most(flow, network->n_links);
        const double proved = spread_prove(search);
        if (flow->most <= flow->proved * NEAR || flow->proved >= enough ||
            flow->most <= search->effort->least * HARDLY_MORE)
            break;
        if (flow->most / proved - 1 < SETTLED * log((double)network->n_links) / search->steepness)
            search->steepness = fmin(search->steepness * STEEPER, LAST_STEEPNESS);
    }
}

static void find_costs(struct search *search)
{
    const struct overlay_network *network = search->network;
    uint64_t least = UINT64_MAX;
    for (uint32_t link = 0; link < network->n_links; link++) {
        const uint64_t capacity = overlay_capacity(&network->links[link], search->measure);
        least = capacity < least ? capacity : least;
    }
    for (uint32_t link = 0; link < network->n_links; link++)
        search->cost[link] =
            (double)least / (double)overlay_capacity(&network->links[link], search->measure);
}

struct overlay_flow overlay_spread(const struct overlay_network *network, enum flow_measure measure,
                                   const struct overlay_effort *effort)
{
    const uint32_t n = network->n_links;
    struct overlay_flow flow = {.load = mem_alloc(n, sizeof *flow.load),
                                .length = mem_alloc(n, sizeof *flow.length)};
    struct search search = {.network = network, .measure = measure, .flow = &flow,
                            .cost = mem_alloc(n, sizeof *search.cost),
                            .price = mem_alloc(n, sizeof *search.price),
                            .mark = mem_alloc(n, sizeof *search.mark),
                            .stops = mem_alloc(network->n_servers, sizeof *search.stops),
                            .steepness = FIRST_STEEPNESS, .effort = effort};
    search.ways = overlay_ways_new(network);
    find_costs(&search);
    start_straight(&search);
    search_rounds(&search);
    overlay_ways_free(&search.ways);
    free(search.cost);
    free(search.price);
    free(search.mark);
    free(search.stops);
    return flow;
}

void overlay_flow_free(struct overlay_flow *flow)
{
    free(flow->ways);
    free(flow->way);
    free(flow->stops);
    free(flow->hops);
    free(flow->load);
    free(flow->length);
    *flow = (struct overlay_flow){.ways = NULL};
}
