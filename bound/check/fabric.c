/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares a certificate with a fabric. See fabric.h.
 */
#include "bound/check/fabric.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static bool has_nodes(const struct proof_file *file, const struct topology *topology)
{
    char name[256];
    if (file->n_nodes != topology->n_nodes)
        return false;
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, name, sizeof name);
        if (strcmp(name, json_string_value(json_array_get(file->nodes, node))) != 0)
            return false;
    }
    return true;
}

/* ---- links ---- */

/* Returns the link of the certificate from node to node, or NULL. */
static const struct proof_link *find_link(const struct proof_file *file, uint32_t from,
                                              uint32_t to)
{
    uint32_t low = 0, high = file->n_links;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct proof_link *link = &file->links[middle];
        if (link->from == from && link->to == to)
            return link;
        if (link->from < from || (link->from == from && link->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Returns [node] true if it may be on a path: it runs ranks or forwards messages. */
static bool *find_useful(const struct bound_request *request)
{
    bool *is_useful = mem_alloc(request->topology->n_nodes, sizeof *is_useful);
    topology_find_forwarding(request->topology, is_useful);
    for (uint32_t rank = 0; rank < request->placement->n_ranks; rank++)
        is_useful[request->placement->machine[rank]] = true;
    return is_useful;
}

/* Adds a link of the fabric to what is there between its ends; false: the certificate has none. */
static bool fabric_add_link(const struct proof_file *file, const struct topology *topology, uint32_t id,
                            struct proof_link *there)
{
    uint32_t from, to;
    topology_link_ends(topology, id, &from, &to);
    const struct proof_link *link = find_link(file, from, to);
    if (!link)
        return false;
    struct proof_link *own = &there[link - file->links];
    if (!topology_link_contends(topology, id))
        own->from = 1; /* free */
    own->cables++;
    own->bandwidth += topology_link_bandwidth(topology, id);
    return true;
}

static bool is_same_link(const struct proof_link *link, const struct proof_link *there)
{
    const bool is_free = there->from;
    return there->cables && link->cables == (is_free ? 0 : there->cables) &&
           link->bandwidth == (is_free ? 0 : there->bandwidth);
}

/* True if the links agree; links of machines without ranks that forward nothing are left out. */
static bool has_links(const struct proof_file *file, const struct bound_request *request)
{
    const struct topology *topology = request->topology;
    bool *is_useful = find_useful(request), is_same = true;
    struct proof_link *there = mem_alloc(file->n_links, sizeof *there);
    for (uint32_t id = 0; id < topology->n_link_ids && is_same; id++) {
        uint32_t from, to;
        if (!topology_has_link(topology, id))
            continue;
        topology_link_ends(topology, id, &from, &to);
        if (from != to && is_useful[from] && is_useful[to])
            is_same = fabric_add_link(file, topology, id, there);
    }
    for (uint32_t i = 0; i < file->n_links && is_same; i++)
        is_same = is_same_link(&file->links[i], &there[i]);
    free(there);
    free(is_useful);
    return is_same;
}

/* ---- routes ---- */

/* The fabric's numbers of the certificate's links, as found by comparing routes. */
struct matching {
    uint32_t *id;    /* [link] of the certificate; NONE: not known yet */
    bool *is_taken;  /* [id] */
};
#define NONE UINT32_MAX

static bool fabric_is_link(const struct proof_link *link, const struct topology *topology, uint32_t id)
{
    uint32_t from, to;
    topology_link_ends(topology, id, &from, &to);
    return from == link->from && to == link->to && link->bandwidth == topology_link_bandwidth(topology, id);
}

/* True if a route has the links that the fabric gives to its messages, `hops` of them. */
static bool is_same_route(const struct proof_file *file, const struct proof_route *route,
                          const struct topology *topology, const struct hop *hops, uint32_t n,
                          struct matching *matching)
{
    size_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!topology_link_contends(topology, hops[i].link))
            continue;
        if (at == route->n_hops)
            return false;
        const uint32_t link = file->hops[route->first + at++], id = hops[i].link;
        if (matching->id[link] == NONE && !matching->is_taken[id] &&
            fabric_is_link(&file->links[link], topology, id)) {
            matching->id[link] = id;
            matching->is_taken[id] = true;
        }
        if (matching->id[link] != id)
            return false;
    }
    return at == route->n_hops;
}

/* Routes between all machines with ranks, and no others. */
static bool has_routes(const struct proof_file *file, const struct bound_request *request)
{
    const struct topology *topology = request->topology;
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    struct matching matching = {mem_alloc(file->n_links, sizeof(uint32_t)),
                                mem_alloc(topology->n_link_ids, sizeof(bool))};
    size_t number = 0;
    bool is_same = topology->n_networks == 1 && !topology->has_loose_links;
    memset(matching.id, 0xff, file->n_links * sizeof *matching.id);
    for (uint32_t from = 0; from < topology->n_machines && is_same; from++)
        for (uint32_t to = 0; to < topology->n_machines && is_same && file->ranks[from]; to++) {
            const uint32_t n = file->ranks[to] && from != to ? topology_route(topology, from, to, hops) : 0;
            if (n == 0)
                continue;
            const struct proof_route *route = number < file->n_routes ? &file->routes[number++] : NULL;
            is_same = route && route->from == from && route->to == to &&
                      is_same_route(file, route, topology, hops, n, &matching);
        }
    free(matching.id);
    free(matching.is_taken);
    free(hops);
    return is_same && number == file->n_routes;
}

/* ---- demands ---- */

static bool has_ranks(const struct proof_file *file, const struct placement *placement)
{
    uint64_t *rest = mem_alloc(file->n_nodes, sizeof *rest);
    bool is_same = file->ranks != NULL;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        rest[placement->machine[rank]]++;
    for (uint32_t node = 0; node < file->n_nodes && is_same; node++)
        is_same = rest[node] == file->ranks[node];
    free(rest);
    return is_same;
}

/* Returns the amount that the ranks of one machine have for those of another, by the meaning of the
 * collective. */
static uint64_t fabric_amount_of(const struct bound_request *request, uint32_t from, uint32_t to)
{
    const struct placement *placement = request->placement;
    struct counts *counts = request->counts;
    uint64_t amount = 0;
    for (uint32_t i = placement->first[from]; i < placement->first[from + 1]; i++)
        for (uint32_t j = placement->first[to]; j < placement->first[to + 1]; j++) {
            const uint32_t a = placement->ranks[i], b = placement->ranks[j];
            switch (request->collective) {
            case COLLECTIVE_alltoall:
                amount += counts ? counts->bytes(counts, (uint64_t)a * placement->n_ranks + b) : 1;
                break;
            case COLLECTIVE_gather:
                amount += b == request->root ? (counts ? counts->bytes(counts, a) : 1) : 0;
                break;
            case COLLECTIVE_scatter:
                amount += a == request->root ? (counts ? counts->bytes(counts, b) : 1) : 0;
                break;
            case COLLECTIVE_allgather:
            case COLLECTIVE_allreduce:
            case COLLECTIVE_barrier:
            case COLLECTIVE_bcast:
            case COLLECTIVE_exscan:
            case COLLECTIVE_reduce:
            case COLLECTIVE_reduce_scatter_block:
            case COLLECTIVE_scan:
            case COLLECTIVE_neighbor_alltoall:
            case COLLECTIVE_neighbor_allgather:
            case COLLECTIVE_pattern:
            case N_COLLECTIVES: return 0;
            }
        }
    return amount;
}

static uint64_t certified_amount(const struct proof_file *file, uint32_t from, uint32_t to)
{
    size_t low = 0, high = file->n_demands;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct proof_demand *demand = &file->demands[middle];
        if (demand->from == from && demand->to == to)
            return demand->amount;
        if (demand->from < from || (demand->from == from && demand->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Returns the blocks of a machine that all ranks need or contribute to; of an allreduce those of any one
 * rank. */
static uint64_t fabric_blocks_of(const struct bound_request *request, uint32_t rank)
{
    switch ((int)request->collective) {
    case COLLECTIVE_bcast:
    case COLLECTIVE_reduce: return rank == request->root;
    case COLLECTIVE_allreduce: return rank == 0;
    case COLLECTIVE_allgather:
    case COLLECTIVE_reduce_scatter_block:
        return request->counts ? request->counts->bytes(request->counts, rank) : 1;
    default: return 0;
    }
}

static bool fabric_has_blocks(const struct proof_file *file, const struct bound_request *request)
{
    const struct placement *placement = request->placement;
    uint64_t *rest = mem_alloc(file->n_nodes, sizeof *rest);
    bool is_same = has_ranks(file, placement);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        rest[placement->machine[rank]] += fabric_blocks_of(request, rank);
    for (uint32_t node = 0; node < file->n_nodes && is_same; node++)
        is_same = rest[node] == file->blocks[node];
    free(rest);
    return is_same;
}

static bool has_demands(const struct proof_file *file, const struct bound_request *request)
{
    const struct placement *placement = request->placement;
    uint64_t n = 0;
    if (file->blocks)
        return fabric_has_blocks(file, request);
    if (request->collective == COLLECTIVE_alltoall && !request->counts)
        return !file->is_listed && has_ranks(file, placement);
    if (!file->is_listed || (file->is_routed && !has_ranks(file, placement)))
        return false;
    for (uint32_t from = 0; from < placement->n_servers; from++)
        for (uint32_t to = 0; to < placement->n_servers; to++) {
            const uint64_t amount = from == to ? 0 : fabric_amount_of(request, from, to);
            if (certified_amount(file, placement->server_machine[from],
                                 placement->server_machine[to]) != amount)
                return false;
            n += amount > 0;
        }
    return n == file->n_demands;
}

/* ---- all of it ---- */

bool proof_file_is_about(const struct proof_file *file, const struct check_subject *subject,
                          struct text *why)
{
    const struct bound_request *request = subject->request;
    const char *problem = NULL;
    if (strcmp(file->collective, subject->collective) != 0)
        problem = "it is about another collective";
    else if (strcmp(file->unit, bound_unit(request)) != 0)
        problem = "its unit is not what is counted here";
    else if (strcmp(file->topology, request->topology->name) != 0)
        problem = "it is about a topology of another name";
    else if (!has_nodes(file, request->topology))
        problem = "its nodes are not those of the network";
    else if (!file->is_routed && !has_links(file, request))
        problem = "its links are not those of the network";
    else if (!has_demands(file, request))
        problem = "its ranks or demands are not those of this run";
    else if (file->is_routed && !has_routes(file, request))
        problem = "its routes or links are not those of the network";
    if (problem)
        text_printf(why, "%s", problem);
    return !problem;
}
