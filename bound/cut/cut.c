/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cut.h.
 */
#include "bound/cut/cut.h"

#include "bound/flow/network.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limit of nodes times links for a walk. */
#define MOST_WALKED (UINT64_C(1) << 25)

/* ---- the network ---- */

static uint32_t cut_number_nodes(const struct placement *placement, const struct flow_network *from,
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

/* Returns the capacity of an arc; one that any number of messages crosses has as much as everything else
 * together. */
static uint64_t cut_capacity_of(const struct flow_arc *arc, enum cut_measure measure, uint64_t most)
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
    *network = (struct cut_network){.n_nodes = cut_number_nodes(request->placement, &from, number),
                                    .n_arcs = from.n_arcs};
    network->arcs = mem_alloc(from.n_arcs, sizeof *network->arcs);
    for (uint32_t i = 0; i < from.n_arcs; i++)
        most += cut_capacity_of(&from.arcs[i], measure, 0);
    for (uint32_t i = 0; i < from.n_arcs; i++) {
        const uint32_t a = number[from.arcs[i].from], b = number[from.arcs[i].to];
        const bool turns = collective_collects(request->collective);
        network->arcs[i] =
            (struct cut_arc){turns ? b : a, turns ? a : b, cut_capacity_of(&from.arcs[i], measure, most)};
        if (from.arcs[i].cables == 0)
            network->free_capacity = most;
    }
    set_weights(request, network);
    network->origin = mem_alloc(network->n_nodes, sizeof *network->origin);
    for (uint32_t node = 0; node < from.n_nodes; node++)
        if (number[node] != UINT32_MAX)
            network->origin[number[node]] = node;
    free(number);
    flow_network_free(&from);
    return true;
}

void cut_network_free(struct cut_network *network)
{
    free(network->arcs);
    free(network->weight);
    free(network->is_member);
    free(network->origin);
    *network = (struct cut_network){0};
}

/* ---- the proof ---- */

/* Finds the narrowest cut. Returns false if it is unknown. */
static bool cut_find(const struct bound_request *request, enum cut_measure measure, struct cut_side *side)
{
    struct cut_network network;
    struct ratio_cut cut = {.blocks = 0};
    if (!cut_network_of(request, measure, &network))
        return false;
    const bool is_known = (uint64_t)network.n_nodes * network.n_arcs <= MOST_WALKED &&
                          ratio_cut_find(&network, &cut) && !cut.is_apart && cut.ratio.bottom &&
                          (!network.free_capacity || cut.capacity < network.free_capacity);
    if (is_known) {
        *side = (struct cut_side){.inside = mem_alloc(request->topology->n_nodes, sizeof *side->inside),
                                  .goes_in = collective_collects(request->collective),
                                  .n_blocks = cut.blocks,
                                  .capacity = cut.capacity,
                                  .ratio = cut.ratio};
        for (uint32_t node = 0; node < network.n_nodes; node++)
            side->inside[network.origin[node]] = cut.inside[node];
    }
    ratio_cut_free(&cut);
    cut_network_free(&network);
    return is_known;
}

static bool find_allreduce(const struct bound_request *request, enum cut_measure measure,
                           struct cut_side *side)
{
    struct bound_request part = *request;
    struct cut_side other = {.inside = NULL};
    part.root = 0;
    part.collective = COLLECTIVE_bcast;
    if (!cut_find(&part, measure, side))
        return false;
    part.collective = COLLECTIVE_reduce;
    if (cut_find(&part, measure, &other) && fraction_is_above(other.ratio, side->ratio)) {
        const struct cut_side kept = *side;
        *side = other;
        other = kept;
    }
    free(other.inside);
    return true;
}

static bool serves(const struct bound_request *request)
{
    const bool is_served = collective_spreads(request->collective) ||
                           collective_collects(request->collective) || collective_agrees(request->collective);
    return is_served && request->placement->n_servers > 1;
}

static void list_blocks(const struct bound_request *request, struct cut_proof *proof)
{
    const struct placement *placement = request->placement;
    const bool has_root =
        collective_table[request->collective].rooted || collective_agrees(request->collective);
    proof->blocks = mem_alloc(request->topology->n_nodes, sizeof *proof->blocks);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        if (has_root)
            proof->blocks[placement->machine[rank]] +=
                rank == (collective_agrees(request->collective) ? 0 : request->root);
        else
            proof->blocks[placement->machine[rank]] +=
                request->counts ? request->counts->bytes(request->counts, rank) : 1;
}

struct cut_proof cut_prove(const struct bound_request *request)
{
    struct cut_proof proof = {.n_proofs = 0};
    struct flow_network network = {.n_nodes = 0};
    if (!serves(request) || !flow_network_of(request, &network))
        return proof;
    const uint32_t n = network.is_even ? 1 : 2;
    flow_network_free(&network);
    bool is_known = true;
    for (uint32_t i = 0; i < n && is_known; i++) {
        const enum cut_measure measure = i == 0 ? CUT_CABLES : CUT_BANDWIDTH;
        is_known = collective_agrees(request->collective) ? find_allreduce(request, measure, &proof.side[i])
                                                          : cut_find(request, measure, &proof.side[i]);
    }
    list_blocks(request, &proof);
    proof.n_proofs = is_known ? n : 0;
    return proof;
}

void cut_proof_free(struct cut_proof *proof)
{
    free(proof->blocks);
    free(proof->side[0].inside);
    free(proof->side[1].inside);
    *proof = (struct cut_proof){0};
}

/* ---- the bound ---- */

/* Returns the bytes per second of a link of a network whose links are all equal, apart from those that any
 * number of messages crosses. */
static uint64_t bandwidth_of_all(const struct topology *topology)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        if (topology_has_link(topology, link) && topology_link_contends(topology, link))
            return topology_link_bandwidth(topology, link);
    return 1;
}

bool cut_bound(const struct cut_proof *proof, const struct bound_request *request, struct bound *bound)
{
    const struct cut_side *side = &proof->side[0];
    const struct placement *placement = request->placement;
    uint32_t n_inside = 0;
    if (proof->n_proofs == 0)
        return false;
    struct fraction time = proof->side[proof->n_proofs - 1].ratio;
    if (proof->n_proofs == 1)
        time = fraction_of(time.top, time.bottom * bandwidth_of_all(request->topology));
    for (uint32_t server = 0; server < placement->n_servers; server++)
        n_inside += side->inside[placement->server_machine[server]];
    bound->kind = "cut";
    bound->load = side->ratio;
    fraction_narrow(time, &bound->blocks, &bound->bandwidth);
    text_printf(&bound->reason,
                "whatever the routes: links one way between %" PRIu32 " of %" PRIu32
                " servers and the others: %" PRIu64 "; %s that must cross them, divided at will: %" PRIu64,
                side->goes_in ? placement->n_servers - n_inside : n_inside, placement->n_servers,
                side->capacity, bound_unit(request), side->n_blocks);
    return true;
}
