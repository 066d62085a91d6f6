/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds ways. The price of a link grows by a power of e with its load, so that the dearest way is the
 * busiest, and shortest ways by prices avoid busy links. Each pair in turn moves chunks to its shortest
 * way if all prices together fall by that; when nothing moves any more, little is left to gain. Prices
 * grow steeper from round to round. This is the method for multicommodity flows of Shahrokhi & Matula
 * 1990, but with whole chunks, each of which has one way. See relays.h.
 */
#include "synth/arcs.h"
#include "synth/relays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 60, POLISHING_ROUNDS = 12, MOST_IDLE_ROUNDS = 3, FIRST_RELAYS = 2, MOST_RELAYS = 6 };
#define FIRST_STEEPNESS 16.0
#define LAST_STEEPNESS 200.0
#define STEEPER 1.25
/* Factor by which a way with a relay must be cheaper. */
#define PRICE_OF_RELAY 1.02

struct search {
    struct relays *relays;
    struct arcs arcs;
    uint32_t most_relays;   /* limit for a way */
    double steepness, most; /* `most`: the load by which others are measured */
    double *price;          /* [link] */
    double *distance;       /* [server] */
    uint32_t *last_arc, *before; /* [server] by which the shortest way comes, and from which server */
    struct heap heap;       /* of struct priced_server */
    uint32_t *stops;        /* [server] of one way, */
    uint32_t *from_links, *to_links; /* and links of two */
    size_t n_from, n_to, from_capacity, to_capacity;
};

static void relay_ways_add_links(uint32_t **links, size_t *n, size_t *capacity, const struct hop *hops,
                                 uint32_t n_hops)
{
    if (*n + n_hops > *capacity)
        *links = mem_grow(*links, capacity, *n + n_hops, sizeof **links);
    for (uint32_t i = 0; i < n_hops; i++)
        (*links)[(*n)++] = hops[i].link;
}

/* ---- prices ---- */

static double power_of(const struct search *search, uint32_t link)
{
    return exp(search->steepness * (search->relays->load[link] / search->most - 1));
}

static void relay_ways_set_price(struct search *search, uint32_t link)
{
    search->price[link] = power_of(search, link) * search->relays->cost[link];
}

/* Adds chunks to links, or takes them off; returns what that adds to the sum of powers. */
static double relay_ways_add_chunks(struct search *search, const uint32_t *links, size_t n, double chunks)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum -= power_of(search, links[i]);
        search->relays->load[links[i]] += chunks * search->relays->cost[links[i]];
        sum += power_of(search, links[i]);
        relay_ways_set_price(search, links[i]);
    }
    return sum;
}

static double relay_ways_price_of(const struct search *search, const uint32_t *links, size_t n)
{
    double price = 0;
    for (size_t i = 0; i < n; i++)
        price += search->price[links[i]];
    return price;
}

/* ---- shortest ways ---- */

/* Finds the shortest ways from one server to all, by prices (Dijkstra 1959). */
static void find_shortest(struct search *search, uint32_t source)
{
    for (uint32_t server = 0; server < search->relays->n_servers; server++)
        search->distance[server] = INFINITY;
    search->distance[source] = 0;
    arcs_push(&search->heap, 0, source);
    while (search->heap.n) {
        const struct priced_server at = arcs_pop(&search->heap);
        if (at.price > search->distance[at.server])
            continue;
        for (size_t i = search->arcs.first[at.server]; i < search->arcs.first[at.server + 1]; i++) {
            const struct arc *arc = &search->arcs.all[i];
            const double price = at.price + arcs_price(&search->arcs, i, search->price);
            if (price >= search->distance[arc->to])
                continue;
            search->distance[arc->to] = price;
            search->last_arc[arc->to] = (uint32_t)i;
            search->before[arc->to] = at.server;
            arcs_push(&search->heap, price, arc->to);
        }
    }
}

/* ---- the new way ---- */

/* True if the route between two stops is that of the arcs between them, which begin at `at`. */
static bool relay_ways_is_route(struct search *search, uint32_t from, uint32_t to, size_t at, size_t n)
{
    const struct relays *relays = search->relays;
    if (relays_leg(relays, from, to) != n)
        return false;
    for (size_t i = 0; i < n; i++)
        if (relays->hops[i].link != search->to_links[at + i])
            return false;
    return true;
}

/* Returns the shortest way with as few relays as its links allow, as the last of relays->ways; its links in
 * to_links. */
static struct relay_way relay_ways_shortest_way(struct search *search, uint32_t source, uint32_t to)
{
    struct relays *relays = search->relays;
    struct relay_way way = {.first = relays->n_relays, .next = RELAYS_NONE};
    uint32_t n = 0, at = relays->n_servers;
    for (uint32_t server = to; server != source; server = search->before[server])
        search->stops[--at] = server;
    n = relays->n_servers - at;
    memmove(search->stops, search->stops + at, n * sizeof *search->stops);
    search->n_to = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct arc *arc = &search->arcs.all[search->last_arc[search->stops[i]]];
        for (size_t link = arc[0].links; link < arc[1].links; link++)
            relay_ways_add_links(&search->to_links, &search->n_to, &search->to_capacity,
                                 &(struct hop){search->arcs.links[link], 0}, 1);
    }
    uint32_t from = source, i = 0;
    for (size_t begin = 0; i < n;) {
        uint32_t far = n;
        size_t end = search->n_to;
        while (far > i + 1 &&
               !relay_ways_is_route(search, from, search->stops[far - 1], begin, end - begin)) {
            const struct arc *arc = &search->arcs.all[search->last_arc[search->stops[--far]]];
            end -= arc[1].links - arc[0].links;
        }
        from = search->stops[far - 1];
        begin = end;
        i = far;
        if (far < n) {
            if (relays->n_relays == relays->relays_capacity)
                relays->servers = mem_grow(relays->servers, &relays->relays_capacity, relays->n_relays + 1,
                                           sizeof *relays->servers);
            relays->servers[relays->n_relays++] = from;
            way.n_relays++;
        }
    }
    return way;
}

static void relay_ways_list_links(struct search *search, const struct relay_way *way, uint32_t from,
                                  uint32_t to)
{
    const struct relays *relays = search->relays;
    search->n_from = 0;
    for (uint32_t i = 0; i <= way->n_relays; i++) {
        const uint32_t stop = relays_stop(relays, way, i, to);
        const uint32_t n = relays_leg(relays, from, stop);
        relay_ways_add_links(&search->from_links, &search->n_from, &search->from_capacity, relays->hops, n);
        from = stop;
    }
}

/* ---- moving ---- */

/* Moves the most chunks, up to `most`, that make all links together cheaper. Returns their number. */
static uint32_t move_chunks(struct search *search, uint32_t most, double weight)
{
    for (uint32_t n = most; n > 0; n /= 2) {
        const double load = n * weight;
        const double saved = relay_ways_add_chunks(search, search->from_links, search->n_from, -load);
        if (saved + relay_ways_add_chunks(search, search->to_links, search->n_to, load) < -1e-12)
            return n;
        relay_ways_add_chunks(search, search->to_links, search->n_to, -load);
        relay_ways_add_chunks(search, search->from_links, search->n_from, load);
    }
    return 0;
}

static bool relay_ways_is_same(const struct relays *relays, const struct relay_way *a,
                               const struct relay_way *b)
{
    return a->n_relays == b->n_relays &&
           memcmp(relays->servers + a->first, relays->servers + b->first,
                  a->n_relays * sizeof *relays->servers) == 0;
}

void relays_add_way(struct relays *relays, size_t pair, struct relay_way way)
{
    if (relays->n_ways == relays->ways_capacity)
        relays->ways = mem_grow(relays->ways, &relays->ways_capacity, relays->n_ways + 1,
                                sizeof *relays->ways);
    way.next = relays->way[pair];
    relays->way[pair] = (uint32_t)relays->n_ways;
    relays->ways[relays->n_ways++] = way;
}

/* Adds chunks to the equal way of the pair, or to a new one. */
static void add_to_way(struct relays *relays, size_t pair, struct relay_way way, uint32_t n)
{
    uint32_t other = relays->way[pair];
    while (other != RELAYS_NONE && !relay_ways_is_same(relays, &relays->ways[other], &way))
        other = relays->ways[other].next;
    if (other != RELAYS_NONE) {
        relays->ways[other].n += n;
        relays->n_relays = way.first;
        return;
    }
    way.n = n;
    relays_add_way(relays, pair, way);
}

/* Moves chunks of a way to the shortest one. Returns true if any moved. */
static bool improve_way(struct search *search, uint32_t number, uint32_t from, uint32_t to)
{
    struct relays *relays = search->relays;
    const struct relay_way *way = &relays->ways[number];
    relay_ways_list_links(search, way, from, to);
    const double price = relay_ways_price_of(search, search->from_links, search->n_from);
    if (way->n == 0 || price <= search->distance[to] * PRICE_OF_RELAY)
        return false;
    struct relay_way other = relay_ways_shortest_way(search, from, to);
    const bool is_cheaper =
        other.n_relays <= search->most_relays &&
        relay_ways_price_of(search, search->to_links, search->n_to) * PRICE_OF_RELAY < price;
    const size_t pair = (size_t)from * relays->n_servers + to;
    const uint32_t n = is_cheaper ? move_chunks(search, way->n, relays_weight(relays, pair)) : 0;
    if (n == 0) {
        relays->n_relays = other.first;
        return false;
    }
    relays->ways[number].n -= n;
    add_to_way(relays, pair, other, n);
    return true;
}

/* Improves all ways of all servers. Returns false if nothing moved, or time is up. */
static bool relay_ways_improve(struct search *search, uint32_t round)
{
    struct relays *relays = search->relays;
    bool is_moved = false;
    for (uint32_t from = 0; from < relays->n_servers; from++) {
        const struct synth_progress progress = {"relays", round, MOST_ROUNDS};
        if (!synth_goes_on(relays->request, &progress))
            return false;
        find_shortest(search, from);
        for (uint32_t to = 0; to < relays->n_servers; to++) {
            uint32_t number = from == to ? RELAYS_NONE : relays->way[(size_t)from * relays->n_servers + to];
            for (; number != RELAYS_NONE; number = relays->ways[number].next)
                is_moved |= improve_way(search, number, from, to);
        }
    }
    return is_moved;
}

double relays_most(const struct relays *relays)
{
    double most = 0;
    for (uint32_t link = 0; link < relays->topology->n_link_ids; link++)
        most = relays->load[link] > most ? relays->load[link] : most;
    return most;
}

/* Returns the weight of all chunks that a server has for others. */
static double sent_by(const struct relays *relays, uint32_t from)
{
    double sum = 0;
    for (uint32_t to = 0; to < relays->n_servers; to++) {
        const size_t pair = (size_t)from * relays->n_servers + to;
        for (uint32_t way = from == to ? RELAYS_NONE : relays->way[pair]; way != RELAYS_NONE;
             way = relays->ways[way].next)
            sum += relays->ways[way].n * relays_weight(relays, pair);
    }
    return sum;
}

/* Returns the least load of the links by which a server sends, for any ways: the most over all servers. */
static double relay_ways_least_load(const struct search *search)
{
    const struct relays *relays = search->relays;
    uint32_t *last_of = mem_alloc(relays->topology->n_link_ids, sizeof *last_of); /* 1 + server */
    double least = 0;
    for (uint32_t server = 0; server < relays->n_servers; server++) {
        double room = 0;
        for (size_t i = search->arcs.first[server]; i < search->arcs.first[server + 1]; i++) {
            const struct arc *arc = &search->arcs.all[i];
            const uint32_t *link = &search->arcs.links[arc->links];
            if (arc[0].links == arc[1].links || last_of[*link] == server + 1)
                continue;
            last_of[*link] = server + 1;
            room += 1 / relays->cost[*link];
        }
        const double chunks = sent_by(relays, server);
        least = room > 0 && chunks / room > least ? chunks / room : least;
    }
    free(last_of);
    return least;
}

/* Searches for n_rounds rounds, or until nothing improves. */
static void search_ways(struct search *search, uint32_t n_rounds)
{
    const double least = relay_ways_least_load(search);
    uint32_t n_idle = 0;
    bool goes_on = relays_most(search->relays) > least * 1.001;
    for (uint32_t round = 0; goes_on && round < n_rounds; round++) {
        search->most = relays_most(search->relays);
        for (uint32_t link = 0; link < search->relays->topology->n_link_ids; link++)
            relay_ways_set_price(search, link);
        goes_on = relay_ways_improve(search, round);
        n_idle = relays_most(search->relays) < search->most * 0.998 ? 0 : n_idle + 1;
        search->steepness *= search->steepness < LAST_STEEPNESS ? STEEPER : 1;
        if (n_idle < MOST_IDLE_ROUNDS)
            continue;
        n_idle = 0;
        if (++search->most_relays > MOST_RELAYS)
            break;
    }
}

static void relay_ways_search_from(struct search search, uint32_t n_rounds)
{
    const struct relays *relays = search.relays;
    const uint32_t n = relays->n_servers;
    search.arcs = arcs_of(relays->topology, relays->placement);
    search.price = mem_alloc(relays->topology->n_link_ids, sizeof *search.price);
    search.distance = mem_alloc(n, sizeof *search.distance);
    search.last_arc = mem_alloc(n, sizeof *search.last_arc);
    search.before = mem_alloc(n, sizeof *search.before);
    search.stops = mem_alloc(n, sizeof *search.stops);
    search_ways(&search, n_rounds);
    arcs_free(&search.arcs);
    free(search.price);
    free(search.distance);
    free(search.last_arc);
    free(search.before);
    free(search.heap.items);
    free(search.stops);
    free(search.from_links);
    free(search.to_links);
}

void relays_find(struct relays *relays)
{
    relay_ways_search_from(
        (struct search){.relays = relays, .steepness = FIRST_STEEPNESS, .most_relays = FIRST_RELAYS},
        MOST_ROUNDS);
}

void relays_polish(struct relays *relays)
{
    relay_ways_search_from(
        (struct search){.relays = relays, .steepness = LAST_STEEPNESS, .most_relays = MOST_RELAYS},
        POLISHING_ROUNDS);
}
