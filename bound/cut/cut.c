/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cut.h.
 */
#include "bound/cut/cut.h"

#include "bound/flow/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Nodes times links: more than this is not walked. */
#define MOST_WALKED (UINT64_C(1) << 25)

/* ---- the network ---- */

static uint32_t number_nodes(const struct placement *placement, const struct flow_network *from,
                             uint32_t *number)
{
    uint32_t n = placement->n_servers;
    memset(number, 0xff, from->n_nodes * sizeof *number);
    for (uint32_t server = 0; server < n; server++)
        number[placement->server_machine[server]] = server;
    for (uint32_t i = 0; i < from->n_arcs; i++) {
        if (number[from->arcs[i].from] == UINT32_MAX)
            number[from->arcs[i].from] = n++;
        if (number[from->arcs[i].to] == UINT32_MAX)
            number[from->arcs[i].to] = n++;
    }
    return n;
}

static bool is_backwards(enum collective collective)
{
    return collective == COLLECTIVE_reduce || collective == COLLECTIVE_reduce_scatter_block;
}

static void set_weights(const struct bound_request *request, struct cut_network *network)
{
    const struct placement *placement = request->placement;
    const bool is_rooted = collective_table[request->collective].rooted;
    network->weight = mem_alloc(network->n_nodes, sizeof *network->weight);
    network->is_member = mem_alloc(network->n_nodes, sizeof *network->is_member);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t server = placement->server[rank];
        network->is_member[server] = true;
        if (is_rooted)
            network->weight[server] += rank == request->root;
        else
            network->weight[server] += request->counts ? request->counts->bytes(request->counts, rank) : 1;
    }
}

/* What any number of messages crosses has as much as everything else together. */
static uint64_t capacity_of(const struct flow_arc *arc, enum cut_measure measure, uint64_t most)
{
    if (arc->cables == 0)
        return most;
    return measure == CUT_CABLES ? arc->cables : arc->bandwidth;
}

bool cut_network_of(const struct bound_request *request, enum cut_measure measure,
                    struct cut_network *network)
{
    struct flow_network from;
    uint64_t most = 1;
    if (!flow_network_of(request, &from))
        return false;
    uint32_t *number = mem_alloc(from.n_nodes, sizeof *number);
    *network = (struct cut_network){.n_nodes = number_nodes(request->placement, &from, number),
                                    .n_arcs = from.n_arcs};
    network->arcs = mem_alloc(from.n_arcs, sizeof *network->arcs);
    for (uint32_t i = 0; i < from.n_arcs; i++)
        most += capacity_of(&from.arcs[i], measure, 0);
    for (uint32_t i = 0; i < from.n_arcs; i++) {
        const uint32_t a = number[from.arcs[i].from], b = number[from.arcs[i].to];
        const bool turns = is_backwards(request->collective);
        network->arcs[i] = (struct cut_arc){turns ? b : a, turns ? a : b,
                                            capacity_of(&from.arcs[i], measure, most)};
    }
    set_weights(request, network);
    free(number);
    flow_network_free(&from);
    return true;
}

void cut_network_free(struct cut_network *network)
{
    free(network->arcs);
    free(network->weight);
    free(network->is_member);
    *network = (struct cut_network){0};
}

/* ---- the bound ---- */

/* The narrowest cut; false if it is not known. */
static bool find(const struct bound_request *request, enum cut_measure measure, struct ratio_cut *cut,
                 uint64_t *n_inside)
{
    struct cut_network network;
    *cut = (struct ratio_cut){.blocks = 0};
    if (!cut_network_of(request, measure, &network))
        return false;
    bool is_known = (uint64_t)network.n_nodes * network.n_arcs <= MOST_WALKED;
    is_known = is_known && ratio_cut_find(&network, cut) && !cut->is_apart && cut->ratio.bottom;
    *n_inside = 0;
    for (uint32_t server = 0; is_known && server < request->placement->n_servers; server++)
        *n_inside += cut->inside[server];
    cut_network_free(&network);
    return is_known;
}

static bool bound_one(const struct bound_request *request, struct bound *bound)
{
    struct ratio_cut cut[2] = {{.blocks = 0}, {.blocks = 0}};
    uint64_t n_inside[2];
    const bool is_known = find(request, CUT_CABLES, &cut[0], &n_inside[0]) &&
                          find(request, CUT_BANDWIDTH, &cut[1], &n_inside[1]);
    if (is_known) {
        const uint64_t n = request->placement->n_servers;
        const bool turns = is_backwards(request->collective);
        bound->kind = "cut";
        bound->exact = cut[0].ratio;
        bound->load = fraction_ceiling(bound->exact);
        fraction_narrow(cut[1].ratio, &bound->blocks, &bound->bandwidth);
        text_printf(&bound->reason,
                    "whatever the routes: links one way between %" PRIu64 " of %" PRIu64
                    " servers and the others: %" PRIu64 "; %s that must cross them, divided at will: %" PRIu64,
                    turns ? n - n_inside[0] : n_inside[0], n, cut[0].capacity, bound_unit(request),
                    cut[0].blocks);
    }
    ratio_cut_free(&cut[0]);
    ratio_cut_free(&cut[1]);
    return is_known;
}

static bool bound_allreduce(const struct bound_request *request, struct bound *bound)
{
    struct bound_request part = *request;
    struct bound other = {.kind = NULL};
    part.root = 0;
    part.collective = COLLECTIVE_bcast;
    const bool is_known = bound_one(&part, bound);
    part.collective = COLLECTIVE_reduce;
    if (is_known && bound_one(&part, &other) && fraction_is_above(other.exact, bound->exact)) {
        const struct bound kept = *bound;
        *bound = other;
        other = kept;
    }
    text_free(&other.reason);
    return is_known;
}

bool cut_bound(const struct bound_request *request, struct bound *bound)
{
    if (request->placement->n_servers < 2)
        return false;
    switch ((int)request->collective) {
    case COLLECTIVE_allgather:
    case COLLECTIVE_bcast:
    case COLLECTIVE_reduce:
    case COLLECTIVE_reduce_scatter_block: return bound_one(request, bound);
    case COLLECTIVE_allreduce: return bound_allreduce(request, bound);
    default: return false;
    }
}
