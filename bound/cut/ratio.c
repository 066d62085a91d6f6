/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See ratio.h.
 */
#include "bound/cut/ratio.h"

#include "bound/cut/max_flow.h"

#include <stdlib.h>

#define LARGEST (UINT64_C(1) << 62)

/* The network with one more node, n_nodes, from which all blocks come. */
struct search {
    const struct cut_network *network;
    struct max_flow flow; /* arcs of the network, then those to the holders */
    uint64_t all;         /* blocks */
    struct ratio_cut *cut;
};

static void make_flow(struct search *search)
{
    const struct cut_network *network = search->network;
    search->flow = max_flow_new(network->n_nodes + 1);
    for (uint32_t i = 0; i < network->n_arcs; i++)
        max_flow_add(&search->flow, network->arcs[i].from, network->arcs[i].to, 0);
    for (uint32_t node = 0; node < network->n_nodes; node++)
        max_flow_add(&search->flow, network->n_nodes, node, 0);
}

/* Sets capacities such that a set beats the quotient if the flow out of it is less than bottom * all: arcs
 * count top, holders bottom. Returns false if they are too large. */
static bool set_capacities(struct search *search)
{
    const struct cut_network *network = search->network;
    const struct fraction ratio = search->cut->ratio;
    uint64_t product;
    if (ratio.top > LARGEST || ratio.bottom > LARGEST ||
        !mem_multiply((uint64_t)ratio.bottom, search->all, &product) || product > LARGEST)
        return false;
    for (uint32_t i = 0; i < network->n_arcs; i++) {
        if (!mem_multiply((uint64_t)ratio.top, network->arcs[i].capacity, &product) || product > LARGEST)
            product = LARGEST; /* more than can come */
        search->flow.arcs[2 * i].capacity = product;
    }
    for (uint32_t node = 0; node < network->n_nodes; node++)
        search->flow.arcs[2 * (network->n_arcs + node)].capacity =
            (uint64_t)ratio.bottom * network->weight[node];
    return true;
}

/* Takes the set over which the last flow found no more way, if it lets out less for a block. */
static void take_cut(struct search *search)
{
    const struct cut_network *network = search->network;
    struct ratio_cut *cut = search->cut;
    cut->blocks = cut->capacity = 0;
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        cut->inside[node] = max_flow_is_inside(&search->flow, node);
        cut->blocks += cut->inside[node] ? network->weight[node] : 0;
    }
    for (uint32_t i = 0; i < network->n_arcs; i++)
        if (cut->inside[network->arcs[i].from] && !cut->inside[network->arcs[i].to])
            cut->capacity += network->arcs[i].capacity;
    cut->is_apart = cut->capacity == 0;
    if (!cut->is_apart)
        cut->ratio = fraction_of(cut->blocks, cut->capacity);
}

/* Finds a first quotient: the blocks that must go into the first member that lacks some. Returns false if
 * none does. */
static bool ratio_start(struct search *search)
{
    const struct cut_network *network = search->network;
    struct ratio_cut *cut = search->cut;
    uint32_t member = 0;
    while (member < network->n_nodes &&
           (!network->is_member[member] || search->all == network->weight[member]))
        member++;
    if (member == network->n_nodes)
        return false;
    cut->blocks = search->all - network->weight[member];
    for (uint32_t node = 0; node < network->n_nodes; node++)
        cut->inside[node] = node != member;
    for (uint32_t i = 0; i < network->n_arcs; i++)
        if (network->arcs[i].to == member && network->arcs[i].from != member)
            cut->capacity += network->arcs[i].capacity;
    cut->is_apart = cut->capacity == 0;
    if (!cut->is_apart)
        cut->ratio = fraction_of(cut->blocks, cut->capacity);
    return !cut->is_apart;
}

static bool ratio_improve(struct search *search)
{
    const struct cut_network *network = search->network;
    if (!set_capacities(search))
        return false;
    for (uint32_t member = 0; member < network->n_nodes && !search->cut->is_apart;) {
        const uint64_t enough = (uint64_t)search->cut->ratio.bottom * search->all;
        if (!network->is_member[member] ||
            max_flow_run(&search->flow, network->n_nodes, member, enough) == enough) {
            member++;
            continue;
        }
        take_cut(search);
        if (!search->cut->is_apart && !set_capacities(search))
            return false;
    }
    return true;
}

bool ratio_cut_find(const struct cut_network *network, struct ratio_cut *cut)
{
    struct search search = {.network = network, .cut = cut};
    bool is_counted = true;
    *cut = (struct ratio_cut){.inside = mem_alloc(network->n_nodes, sizeof *cut->inside)};
    for (uint32_t node = 0; node < network->n_nodes; node++) {
        if (network->weight[node] > LARGEST - search.all)
            return false;
        search.all += network->weight[node];
    }
    if (search.all == 0 || !ratio_start(&search))
        return true;
    make_flow(&search);
    is_counted = ratio_improve(&search);
    max_flow_free(&search.flow);
    return is_counted;
}

void ratio_cut_free(struct ratio_cut *cut)
{
    free(cut->inside);
    *cut = (struct ratio_cut){0};
}
