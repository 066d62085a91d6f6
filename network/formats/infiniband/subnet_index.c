/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the owners of LIDs and GUIDs in a subnet. Numbers below n_ports are ports of machines, n_ports +
 * r is router r.
 */
#include "network/formats/infiniband/subnet_index.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

static uint32_t subnet_index_n_routers_of(const struct graph *graph)
{
    return graph->n_nodes - graph->n_machines;
}

static const char *owner_name(const struct graph *graph, uint32_t owner)
{
    const struct subnet *subnet = graph->subnet;
    uint32_t node = owner < subnet->n_ports
                        ? graph_link_from(graph, subnet->ports[owner].link)
                        : graph->n_machines + (owner - subnet->n_ports);
    return graph_name(graph, node);
}

/* ---- GUIDs ----
 * Several may have one GUID, and one two of them: no table of base/map.h, whose items have a key
 * each. */

static bool has_guid(const struct subnet *subnet, uint32_t owner, uint64_t guid)
{
    if (owner >= subnet->n_ports)
        return subnet->routers[owner - subnet->n_ports].guid == guid;
    return subnet->ports[owner].port_guid == guid || subnet->ports[owner].node_guid == guid;
}

static uint32_t first_bucket(const struct subnet_index *index, uint64_t guid)
{
    return (uint32_t)((guid * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & index->mask;
}

static void add_guid(struct subnet_index *index, uint32_t owner, uint64_t guid)
{
    if (!guid)
        return;
    const struct subnet *subnet = index->graph->subnet;
    uint32_t i = first_bucket(index, guid);
    for (; index->buckets[i] != GRAPH_NONE; i = (i + 1) & index->mask)
        if ((index->buckets[i] < subnet->n_ports) == (owner < subnet->n_ports) &&
            has_guid(subnet, index->buckets[i], guid))
            return; /* a second port of one adapter */
    index->buckets[i] = owner;
}

/* Returns the first owner of the GUID from `least` on, below `end`; ports come before routers. */
static uint32_t find_guid(const struct subnet_index *index, uint64_t guid, uint32_t least,
                          uint32_t end)
{
    const struct subnet *subnet = index->graph->subnet;
    uint32_t found = GRAPH_NONE;
    if (!guid)
        return found;
    for (uint32_t i = first_bucket(index, guid); index->buckets[i] != GRAPH_NONE;
         i = (i + 1) & index->mask) {
        uint32_t owner = index->buckets[i];
        if (owner >= least && owner < end && owner < found && has_guid(subnet, owner, guid))
            found = owner;
    }
    return found;
}

uint32_t subnet_find_router(const struct subnet_index *index, uint64_t guid)
{
    uint32_t n_ports = index->graph->subnet->n_ports;
    uint32_t owner = find_guid(index, guid, n_ports, n_ports + subnet_index_n_routers_of(index->graph));
    return owner == GRAPH_NONE ? GRAPH_NONE : owner - n_ports;
}

uint32_t subnet_find_port(const struct subnet_index *index, uint64_t guid)
{
    return find_guid(index, guid, 0, index->graph->subnet->n_ports);
}

/* ---- LIDs ---- */

static uint32_t subnet_index_lid_of(const struct subnet *subnet, uint32_t owner, uint32_t *n)
{
    bool is_port = owner < subnet->n_ports;
    *n = is_port ? 1u << subnet->ports[owner].lmc : 1;
    return is_port ? subnet->ports[owner].lid : subnet->routers[owner - subnet->n_ports].lid;
}

static bool add_lids(struct subnet_index *index, uint32_t owner, struct position position,
                     struct diagnostics *diagnostics)
{
    uint32_t n, first = subnet_index_lid_of(index->graph->subnet, owner, &n);
    for (uint32_t lid = first; first && lid < first + n && lid < SUBNET_LIDS; lid++) {
        uint32_t other = index->owner[lid];
        if (other == GRAPH_NONE) {
            index->owner[lid] = owner;
            continue;
        }
        report(diagnostics, CODE_T010, position, "LID %u belongs to '%s' and to '%s'", lid,
               owner_name(index->graph, other), owner_name(index->graph, owner))
            ->help = "the topology file mixes two subnets: give each a file of its own";
        return false;
    }
    return true;
}

bool subnet_index_make(struct subnet_index *index, const struct graph *graph,
                       struct position position, struct diagnostics *diagnostics)
{
    const struct subnet *subnet = graph->subnet;
    uint32_t n_owners = subnet->n_ports + subnet_index_n_routers_of(graph), n_buckets = 64;
    while (n_buckets < 4 * (uint64_t)n_owners)
        n_buckets *= 2;
    *index = (struct subnet_index){graph, mem_alloc(SUBNET_LIDS, sizeof(uint32_t)),
                                   mem_alloc(n_buckets, sizeof(uint32_t)), n_buckets - 1};
    memset(index->owner, 0xff, SUBNET_LIDS * sizeof(uint32_t));
    memset(index->buckets, 0xff, n_buckets * sizeof(uint32_t));
    bool good = true;
    for (uint32_t owner = 0; owner < n_owners; owner++) {
        bool is_port = owner < subnet->n_ports;
        uint64_t guid = is_port ? subnet->ports[owner].port_guid
                                : subnet->routers[owner - subnet->n_ports].guid;
        add_guid(index, owner, guid);
        if (is_port && subnet->ports[owner].node_guid != guid)
            add_guid(index, owner, subnet->ports[owner].node_guid);
        good = add_lids(index, owner, position, diagnostics) && good;
    }
    return good;
}

void subnet_index_free(struct subnet_index *index)
{
    free(index->owner);
    free(index->buckets);
}

uint32_t subnet_current_lid(const struct subnet_index *index, uint32_t lid, uint64_t guid)
{
    const struct subnet *subnet = index->graph->subnet;
    uint32_t owner = index->owner[lid], n;
    if (!guid || (owner != GRAPH_NONE && has_guid(subnet, owner, guid)))
        return lid;
    owner = find_guid(index, guid, 0, subnet->n_ports + subnet_index_n_routers_of(index->graph));
    uint32_t now = owner == GRAPH_NONE ? 0 : subnet_index_lid_of(subnet, owner, &n);
    return now ? now : lid;
}

uint32_t subnet_find_machine(const struct subnet_index *index, uint32_t lid)
{
    uint32_t owner = lid < SUBNET_LIDS ? index->owner[lid] : GRAPH_NONE;
    if (owner == GRAPH_NONE || owner >= index->graph->subnet->n_ports)
        return GRAPH_NONE;
    return graph_link_from(index->graph, index->graph->subnet->ports[owner].link);
}
