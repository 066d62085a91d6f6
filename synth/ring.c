/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See ring.h. The cost of a ring is the sum over links of y^8, where y is the number of neighbours that
 * use the link over its bandwidth: so the busiest links decide, and among equal ones their number.
 */
#include "synth/ring.h"

#include "network/load.h"
#include "synth/price.h"

#include <stdlib.h>

enum { MOST_ROUNDS = 16, MOST_MOVED = 1024 };

struct ring {
    const struct synth_request *request;
    const struct topology *topology;
    const uint32_t *machine;  /* [server] */
    uint32_t n;
    uint32_t *next, *before;  /* [server] */
    uint32_t *n_users;        /* [link] neighbours that use it */
    double *weight;           /* [link] the slowest bandwidth over its own */
    struct hop *hops;
};

static uint32_t ring_route(const struct ring *ring, uint32_t from, uint32_t to)
{
    const uint32_t n = topology_route(ring->topology, ring->machine[from], ring->machine[to], ring->hops);
    return link_loads_drop_fat_pipes(ring->topology, ring->hops, n);
}

/* ---- what it costs ---- */

/* Joins two servers, or parts them; returns what that adds to the cost. */
static double ring_join(struct ring *ring, uint32_t from, uint32_t to, bool is_joined)
{
    const uint32_t n = ring_route(ring, from, to);
    double cost = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t link = ring->hops[i].link;
        cost -= price_of_load(ring->n_users[link] * ring->weight[link]);
        ring->n_users[link] += is_joined ? 1 : -1U;
        cost += price_of_load(ring->n_users[link] * ring->weight[link]);
    }
    return cost;
}

static void find_weights(struct ring *ring)
{
    uint64_t slowest = UINT64_MAX;
    for (uint32_t link = 0; link < ring->topology->n_link_ids; link++)
        if (topology_has_link(ring->topology, link)) {
            const uint64_t bandwidth = topology_link_bandwidth(ring->topology, link);
            slowest = bandwidth < slowest ? bandwidth : slowest;
        }
    for (uint32_t link = 0; link < ring->topology->n_link_ids; link++)
        if (topology_has_link(ring->topology, link))
            ring->weight[link] = (double)slowest / (double)topology_link_bandwidth(ring->topology, link);
}

/* ---- the order ---- */

/* Starts a ring: goes to the nearest server that is left, by links. */
static void ring_start(struct ring *ring)
{
    bool *is_in = mem_alloc(ring->n, sizeof *is_in);
    uint32_t last = 0;
    is_in[0] = true;
    for (uint32_t i = 1; i < ring->n; i++) {
        uint32_t nearest = 0, least = UINT32_MAX;
        for (uint32_t server = 0; server < ring->n; server++) {
            const uint32_t hops = is_in[server] ? UINT32_MAX : ring_route(ring, last, server);
            if (hops < least) {
                least = hops;
                nearest = server;
            }
        }
        ring->next[last] = nearest;
        ring->before[nearest] = last;
        ring_join(ring, last, nearest, true);
        is_in[nearest] = true;
        last = nearest;
    }
    ring->next[last] = 0;
    ring->before[0] = last;
    ring_join(ring, last, 0, true);
    free(is_in);
}

/* Puts a server behind another one, between whom it is not. */
static double insert(struct ring *ring, uint32_t server, uint32_t behind)
{
    const uint32_t next = ring->next[behind];
    const double cost = ring_join(ring, behind, next, false) + ring_join(ring, behind, server, true) +
                        ring_join(ring, server, next, true);
    ring->next[behind] = ring->before[next] = server;
    ring->before[server] = behind;
    ring->next[server] = next;
    return cost;
}

static double ring_take_out(struct ring *ring, uint32_t server)
{
    const uint32_t before = ring->before[server], next = ring->next[server];
    ring->next[before] = next;
    ring->before[next] = before;
    return ring_join(ring, before, server, false) + ring_join(ring, server, next, false) +
           ring_join(ring, before, next, true);
}

/* Moves a server to its cheapest place. Returns true if the cost fell. */
static bool ring_move(struct ring *ring, uint32_t server)
{
    const uint32_t was_behind = ring->before[server];
    const double gain = ring_take_out(ring, server);
    uint32_t best = was_behind;
    double least = -gain - 1e-9;
    for (uint32_t behind = ring->next[was_behind]; behind != was_behind; behind = ring->next[behind]) {
        const double cost = insert(ring, server, behind);
        ring_take_out(ring, server);
        if (cost < least) {
            least = cost;
            best = behind;
        }
    }
    insert(ring, server, best);
    return best != was_behind;
}

/* True if some link is busier than the slowest one would be with one neighbour. */
static bool is_crowded(const struct ring *ring)
{
    for (uint32_t link = 0; link < ring->topology->n_link_ids; link++)
        if (ring->n_users[link] * ring->weight[link] > 1)
            return true;
    return false;
}

static void ring_improve(struct ring *ring)
{
    bool is_moved = ring->n > 3 && ring->n <= MOST_MOVED;
    for (uint32_t round = 0; is_moved && is_crowded(ring) && round < MOST_ROUNDS; round++) {
        is_moved = false;
        for (uint32_t server = 0; server < ring->n; server++) {
            const struct synth_progress progress = {"ring", round, MOST_ROUNDS};
            if (!synth_goes_on(ring->request, &progress))
                return;
            is_moved |= ring_move(ring, server);
        }
    }
}

/* ---- chains ---- */

static void add_chain(const struct ring *ring, uint32_t root, uint32_t copies, struct packed_tree *tree)
{
    *tree = (struct packed_tree){.copies = copies,
                                 .order = mem_alloc(ring->n, sizeof *tree->order),
                                 .from = mem_alloc(ring->n, sizeof *tree->from),
                                 .depth = mem_alloc(ring->n, sizeof *tree->depth)};
    for (uint32_t i = 0, server = root; i < ring->n; i++, server = ring->next[server]) {
        tree->order[i] = server;
        tree->from[i] = i ? ring->before[server] : server;
        tree->depth[i] = i;
    }
}

void ring_find(const struct synth_request *request, const uint64_t *weight, struct packing *packing)
{
    const struct topology *topology = request->what.topology;
    const struct placement *placement = request->what.placement;
    struct ring ring = {.request = request, .topology = topology, .machine = placement->server_machine,
                        .n = placement->n_servers};
    ring.next = mem_alloc(ring.n, sizeof *ring.next);
    ring.before = mem_alloc(ring.n, sizeof *ring.before);
    ring.n_users = mem_alloc(topology->n_link_ids, sizeof *ring.n_users);
    ring.weight = mem_alloc(topology->n_link_ids, sizeof *ring.weight);
    ring.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *ring.hops);
    find_weights(&ring);
    ring_start(&ring);
    ring_improve(&ring);
    *packing = (struct packing){.k = 1, .depth = ring.n - 1};
    packing->trees = mem_alloc(ring.n, sizeof *packing->trees);
    for (uint32_t server = 0; server < ring.n; server++)
        if (weight[server])
            add_chain(&ring, server, (uint32_t)weight[server], &packing->trees[packing->n_trees++]);
    free(ring.next);
    free(ring.before);
    free(ring.n_users);
    free(ring.weight);
    free(ring.hops);
}
