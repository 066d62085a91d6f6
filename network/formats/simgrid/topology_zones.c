/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The topology of zones (network/formats/simgrid/zones.h). Nodes are the hosts, then routers: those of
 * the file, the switches of clusters, nodes behind a limiter, and places between two links of a route,
 * named after the link before. A link's ends are where a route first uses it.
 */
#include "network/kind.h"
#include "network/formats/simgrid/zones_cluster.h"

#include <stdlib.h>
#include <string.h>

static const struct topology_methods zones_methods;

struct zones *topology_as_zones(const struct topology *topology)
{
    return topology->methods == &zones_methods ? topology->self : NULL;
}

/* Returns the cluster of a link, and its number there; NULL if the link is explicit. */
static const struct cluster *cluster_of_link(const struct zones *zones, uint32_t link,
                                             uint32_t *number)
{
    const struct zone_span *span = zone_span_of(&zones->link_spans, link);
    *number = span->index + (link - span->first);
    return span->zone == ZONES_NONE ? NULL : zones->zones[span->zone].cluster;
}

/* Numbers of a link; name and ends of explicit ones only. */
static struct zone_link zones_link(const struct zones *zones, uint32_t link)
{
    uint32_t number;
    const struct cluster *cluster = cluster_of_link(zones, link, &number);
    return cluster ? cluster_link(cluster, number) : zones->links[number];
}

void zones_link_name(const struct zones *zones, uint32_t link, struct text *out)
{
    uint32_t number;
    const struct cluster *cluster = cluster_of_link(zones, link, &number);
    if (cluster)
        cluster_link_name(zones, cluster, number, out);
    else
        text_append(out, zones_text(zones, zones->links[number].name),
                    zones->links[number].name.length);
}

static uint32_t end_node(const struct zones *zones, const struct cluster *cluster, uint32_t end)
{
    if (end & CLUSTER_ROUTER)
        return zones->n_machines + cluster->router_base + (end & ~CLUSTER_ROUTER);
    return cluster->machine_base + end;
}

/* ---- methods ---- */

static uint32_t topology_zones_route(const struct topology *topology, uint32_t source, uint32_t destination,
                                     struct hop *hops)
{
    return zones_route(topology->self, source, destination, hops);
}

static bool topology_zones_has_link(const struct topology *topology, uint32_t link)
{
    const struct zones *zones = topology->self;
    uint32_t number;
    return cluster_of_link(zones, link, &number) || zones->links[number].from != ZONES_NONE;
}

static bool topology_zones_link_contends(const struct topology *topology, uint32_t link)
{
    return zones_link(topology->self, link).contends;
}

static void topology_zones_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                                     uint32_t *to)
{
    const struct zones *zones = topology->self;
    uint32_t number;
    const struct cluster *cluster = cluster_of_link(zones, link, &number);
    if (cluster) {
        cluster_link_ends(cluster, number, from, to);
        *from = end_node(zones, cluster, *from);
        *to = end_node(zones, cluster, *to);
    } else {
        *from = zones->links[number].from;
        *to = zones->links[number].to;
    }
}

static uint64_t topology_zones_link_bandwidth(const struct topology *topology, uint32_t link)
{
    return zones_link(topology->self, link).bandwidth;
}

static uint64_t topology_zones_link_latency(const struct topology *topology, uint32_t link)
{
    return zones_link(topology->self, link).latency;
}

static void topology_zones_append_name(const struct zones *zones, struct zone_name name, struct text *out)
{
    text_append(out, zones_text(zones, name), name.length);
}

static void topology_zones_machine_name(const struct zones *zones, uint32_t machine, struct text *out)
{
    struct zone_point point = zones_machine_point(zones, machine);
    const struct zone *zone = &zones->zones[point.zone];
    if (zone->cluster)
        cluster_host_name(zones, zone->cluster, point.index, out);
    else
        topology_zones_append_name(zones, zone->vertices[point.index].name, out);
}

static void topology_zones_node_name(const struct topology *topology, uint32_t node, struct text *out)
{
    const struct zones *zones = topology->self;
    if (node < zones->n_machines) {
        topology_zones_machine_name(zones, node, out);
        return;
    }
    const struct zone_span *span = zone_span_of(&zones->router_spans, node - zones->n_machines);
    uint32_t number = span->index + (node - zones->n_machines - span->first);
    if (span->zone == ZONES_NONE)
        topology_zones_append_name(zones, zones->routers[number], out);
    else
        cluster_router_name(zones, zones->zones[span->zone].cluster, number, out);
}

static uint32_t topology_zones_find_machine(const struct topology *topology, const char *name, size_t length)
{
    const struct zones *zones = topology->self;
    struct zone_point point;
    if (!zones_find_point(zones, name, length, &point) || point.zone == ZONES_NONE)
        return zones->n_machines;
    const struct zone *zone = &zones->zones[point.zone];
    if (zone->cluster)
        return point.index < zone->cluster->n_hosts ? zone->cluster->machine_base + point.index
                                                    : zones->n_machines;
    const struct zone_vertex *vertex = &zone->vertices[point.index];
    return vertex->kind == VERTEX_HOST ? vertex->number : zones->n_machines;
}

static const char *topology_zones_routing_rule(const struct topology *topology)
{
    (void)topology;
    return "zone by zone over the stated gateways, each zone by its own rule, as SimGrid 3.32";
}

/* ---- fingerprint ---- */

static uint64_t topology_zones_hash_name(const struct zones *zones, struct zone_name name, uint64_t hash)
{
    return fingerprint_text(hash, zones_text(zones, name), name.length);
}

static uint64_t hash_point(struct zone_point point, uint64_t hash)
{
    return fingerprint_number(hash, (uint64_t)point.zone << 32 | point.index);
}

static uint64_t hash_zone(const struct zones *zones, const struct zone *zone, uint64_t hash)
{
    hash = fingerprint_number(hash, (uint64_t)zone->kind << 32 | zone->parent);
    hash = topology_zones_hash_name(zones, zone->name, hash);
    if (zone->cluster)
        return cluster_fingerprint(zones, zone->cluster, hash);
    for (uint32_t i = 0; i < zone->n_vertices; i++) {
        hash = fingerprint_number(hash, zone->vertices[i].kind);
        hash = topology_zones_hash_name(zones, zone->vertices[i].name, hash);
    }
    for (uint32_t i = 0; i < zone->n_routes; i++) {
        const struct zone_route *stated = &zone->routes[i];
        hash = fingerprint_number(hash, (uint64_t)stated->source << 32 | stated->target);
        hash = hash_point(stated->to, hash_point(stated->from, hash));
        for (uint32_t k = 0; k < stated->n; k++)
            hash = fingerprint_number(hash, zones->route_links[stated->first + k]);
    }
    return hash;
}

static uint64_t topology_zones_fingerprint(const struct topology *topology, uint64_t hash)
{
    const struct zones *zones = topology->self;
    for (uint32_t i = 0; i < zones->n_links; i++) {
        const struct zone_link *link = &zones->links[i];
        hash = topology_zones_hash_name(zones, link->name, hash);
        hash = fingerprint_number(hash, link->bandwidth);
        hash = fingerprint_number(hash, link->latency << 1 | link->contends);
    }
    for (uint32_t i = 0; i < zones->n_zones; i++)
        hash = hash_zone(zones, &zones->zones[i], hash);
    return hash;
}

static void topology_zones_release(struct topology *topology)
{
    zones_free(topology->self);
}

/* ---- who forwards ---- */

/* True for a torus, whose machines forward messages. */
static bool is_direct(const struct zone *zone)
{
    return zone->cluster && zone->cluster->shape == CLUSTER_TORUS;
}

/* Marks the machines in the middle of a route, as far as its links can be followed. */
static void mark_forwarding(const struct topology *part, uint32_t source, const struct hop *hops,
                            uint32_t n, bool *forwards)
{
    uint32_t at = source, from, to;
    for (uint32_t i = 0; i + 1 < n; i++) {
        topology_link_ends(part, hops[i].link, &from, &to);
        if (from != at && to != at)
            return; /* one link of several places: it has the ends of the first */
        at = from == at ? to : from;
        forwards[at] = true;
    }
}

/* Finds the machines that forward: all of a torus, and others that the routes of all pairs show as a
 * gateway, or as a host between two others. */
static void find_forwarding(const struct topology *part, bool *forwards)
{
    const struct zones *zones = topology_whole(part)->self;
    struct hop *hops = mem_alloc(part->max_hops, sizeof *hops);
    uint32_t n = part->n_machines;
    for (uint32_t machine = 0; machine < n; machine++) {
        uint32_t whole = topology_whole_node(part, machine);
        forwards[machine] = is_direct(&zones->zones[zones_machine_point(zones, whole).zone]);
    }
    for (uint32_t source = 0; source < n; source++)
        for (uint32_t destination = 0; destination < n; destination++)
            mark_forwarding(part, source, hops, topology_route(part, source, destination, hops),
                            forwards);
    free(hops);
}

static const struct topology_methods zones_methods = {
    .number = KIND_ZONES,
    .route = topology_zones_route,
    .has_link = topology_zones_has_link,
    .link_contends = topology_zones_link_contends,
    .link_ends = topology_zones_link_ends,
    .link_bandwidth = topology_zones_link_bandwidth,
    .link_latency = topology_zones_link_latency,
    .node_name = topology_zones_node_name,
    .find_machine = topology_zones_find_machine,
    .routing_rule = topology_zones_routing_rule,
    .fingerprint = topology_zones_fingerprint,
    .find_forwarding = find_forwarding,
    .release = topology_zones_release,
};

/* ---- making ---- */

struct topology *topology_new_zones(const struct topology_settings *settings, struct zones *zones)
{
    struct topology *topology = topology_allocate(&zones_methods, 0, settings);
    topology->self = zones;
    topology->n_machines = zones->n_machines;
    topology->n_routers = zones->n_routers;
    topology->n_link_ids = topology->n_links = zones->n_link_ids;
    topology->max_hops = zones_max_hops(zones);
    for (uint32_t i = 0; i < zones->n_zones; i++)
        topology->machines_forward |= is_direct(&zones->zones[i]);
    topology->has_machine_ports = !topology->machines_forward;
    topology->has_loose_links = true;
    topology->has_exact_hops = false;
    for (uint32_t i = 0; i < zones->n_links; i++) {
        topology->n_links -= zones->links[i].from == ZONES_NONE;
        topology->has_fat_pipes |= !zones->links[i].contends;
    }
    for (uint32_t i = 0; i < zones->n_zones; i++) {
        const struct cluster *cluster = zones->zones[i].cluster;
        topology->has_fat_pipes |=
            cluster && cluster->has_backbone && !cluster->backbone_contends;
    }
    return topology_finish(topology);
}
