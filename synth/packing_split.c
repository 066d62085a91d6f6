/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes nodes without ranks from the network. As much as possible of an arc into such a node and an arc
 * out of it becomes one arc past it, such that every flow from all blocks to a member stays as large as
 * it must be. One flow to each member tells how much: with all of it past the node, the missing flow is
 * the excess, since a cut loses at most what goes past. See packing.h.
 */
#include "synth/packing_internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_ARC UINT32_MAX
/* Limit of flows up to which arcs are first spread over all pairs of neighbours, which makes trees less
 * deep. */
#define MOST_SPREAD (UINT64_C(1) << 18)

struct split {
    struct pack_network *network;
    struct max_flow flow; /* the last node is where all blocks come from */
    uint32_t *arc;        /* [from * n_nodes + to] of the flow, or NO_ARC */
};

static void set_capacity(struct split *split, uint32_t from, uint32_t to, uint64_t capacity)
{
    uint32_t *arc = &split->arc[(size_t)from * split->network->n_nodes + to];
    *pack_capacity(split->network, from, to) = capacity;
    if (*arc == NO_ARC && capacity)
        *arc = max_flow_add(&split->flow, from, to, capacity);
    else if (*arc != NO_ARC)
        split->flow.arcs[*arc].capacity = capacity;
}

/* Leads `amount` past a node, or back again. */
static void lead(struct split *split, uint32_t from, uint32_t node, uint32_t to, uint64_t amount, bool past)
{
    const struct pack_network *network = split->network;
    const uint64_t sign = past ? amount : -amount; /* modulo 2^64 */
    set_capacity(split, from, node, *pack_capacity(network, from, node) - sign);
    set_capacity(split, node, to, *pack_capacity(network, node, to) - sign);
    if (from != to)
        set_capacity(split, from, to, *pack_capacity(network, from, to) + sign);
}

/* Returns the most that any member lacks, up to `enough`. */
static uint64_t most_lacking(struct split *split, uint64_t enough)
{
    const struct pack_network *network = split->network;
    const uint64_t all = network->k * network->all;
    uint64_t most = 0;
    for (uint32_t member = 0; member < network->n_members && most < enough; member++) {
        const uint64_t lacks = all - max_flow_run(&split->flow, network->n_nodes, member, all);
        most = lacks > most ? lacks : most;
    }
    return most;
}

/* Leads as much as possible from one neighbour of a node to another past it, at most `limit`. */
static bool split_pair(struct split *split, uint32_t from, uint32_t node, uint32_t to, uint64_t limit)
{
    const struct pack_network *network = split->network;
    uint64_t amount = *pack_capacity(network, from, node);
    if (*pack_capacity(network, node, to) < amount)
        amount = *pack_capacity(network, node, to);
    amount = amount > limit ? limit : amount;
    if (amount == 0)
        return true;
    lead(split, from, node, to, amount, true);
    const uint64_t lacking = most_lacking(split, amount);
    if (lacking)
        lead(split, from, node, to, lacking < amount ? lacking : amount, false);
    return pack_goes_on(split->network);
}

/* Splits pairs at distance 1, 2 ... in the order of their numbers. `spreads`: takes as much of each as if
 * all pairs had the same. */
static bool split_pairs(struct split *split, uint32_t node, const uint32_t *neighbours, uint32_t n,
                        bool spreads)
{
    for (uint32_t distance = 1; distance <= n; distance++)
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t from = neighbours[i], to = neighbours[(i + distance) % n];
            uint64_t limit = UINT64_MAX;
            if (spreads && distance < n)
                limit = (*pack_capacity(split->network, node, to) + (n - distance) - 1) / (n - distance);
            if (!split_pair(split, from, node, to, limit))
                return false;
        }
    return true;
}

static bool packing_split_take_out(struct split *split, uint32_t node, uint32_t *neighbours, bool spreads)
{
    const struct pack_network *network = split->network;
    uint32_t n = 0;
    for (uint32_t other = 0; other < network->n_nodes; other++)
        if (*pack_capacity(network, other, node) || *pack_capacity(network, node, other))
            neighbours[n++] = other;
    if ((spreads && !split_pairs(split, node, neighbours, n, true)) ||
        !split_pairs(split, node, neighbours, n, false))
        return false;
    for (uint32_t other = 0; other < network->n_nodes; other++) {
        set_capacity(split, other, node, 0);
        set_capacity(split, node, other, 0);
    }
    return true;
}

static uint64_t packing_split_count_pairs(const struct pack_network *network)
{
    uint64_t n_pairs = 0;
    for (uint32_t node = network->n_members; node < network->n_nodes; node++) {
        uint64_t n = 0;
        for (uint32_t other = 0; other < network->n_nodes; other++)
            n += *pack_capacity(network, other, node) > 0;
        n_pairs += n * n;
    }
    return n_pairs;
}

bool pack_split(struct pack_network *network)
{
    const size_t n = network->n_nodes;
    struct split split = {.network = network, .flow = max_flow_new(network->n_nodes + 1)};
    uint32_t *neighbours = mem_alloc(n, sizeof *neighbours);
    const bool spreads = packing_split_count_pairs(network) * network->n_members <= MOST_SPREAD;
    bool goes_on = true;
    split.arc = mem_alloc(n * n, sizeof *split.arc);
    memset(split.arc, 0xff, n * n * sizeof *split.arc);
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++)
            set_capacity(&split, from, to, *pack_capacity(network, from, to));
    for (uint32_t member = 0; member < network->n_members; member++)
        max_flow_add(&split.flow, network->n_nodes, member,
                     network->k * network->request->network->weight[member]);
    for (uint32_t node = network->n_members; goes_on && node < n; node++)
        goes_on = packing_split_take_out(&split, node, neighbours, spreads);
    free(neighbours);
    free(split.arc);
    max_flow_free(&split.flow);
    return goes_on;
}
