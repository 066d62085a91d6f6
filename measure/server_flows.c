/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See server_flows.h.
 */
#include "measure/server_flows.h"

#include "ir/counts.h"

#include <stdlib.h>

/* ---- shifts ---- */

/* Ranks in a row on each server, as many on each. */
static bool is_in_rows(const struct placement *placement, uint32_t slots)
{
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        if (placement->server[rank] != rank / slots)
            return false;
    return true;
}

/* Finds the coordinates of servers: one coordinate of all ranks that goes over servers, or each over servers
 * or slots only. The group must take each server to each other one: no period of more than the slots, and
 * none of servers. */
static bool server_flows_find_coordinates(const struct symmetry *symmetry, struct server_shifts *servers)
{
    const struct shifts *ranks = &symmetry->shifts;
    const uint32_t slots = servers->slots;
    struct shifts *shifts = &servers->shifts;
    shifts->n_ranks = ranks->n_ranks / slots;
    shifts->is_xor = ranks->is_xor;
    if (slots % symmetry->n_orbits || (ranks->is_mirrored && slots > 1))
        return false;
    shifts->is_mirrored = ranks->is_mirrored;
    if (servers->is_split) {
        shifts->n = shifts->stride[0] = 1;
        shifts->extent[0] = shifts->n_ranks;
        return true;
    }
    for (uint32_t i = 0; i < ranks->n; i++) {
        if (ranks->stride[i] % slots == 0) {
            shifts->extent[shifts->n] = ranks->extent[i];
            shifts->stride[shifts->n++] = ranks->stride[i] / slots;
            if (symmetry->period[i] > 1)
                return false;
        } else if (slots % ((uint64_t)ranks->stride[i] * ranks->extent[i])) {
            return false;
        }
    }
    return true;
}

/* True if ranks in one slot use one adapter, and so do the stripes of their messages. */
static bool are_adapters_of_slots(const struct placement *placement)
{
    const struct rank_adapters *adapters = placement->adapters;
    if (adapters->ways || adapters->instead)
        return false;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        if (adapters->rail[rank] != adapters->rail[placement->slot[rank]])
            return false;
    return true;
}

bool server_shifts_find(const struct symmetry *symmetry, const struct placement *placement,
                        struct server_shifts *servers)
{
    const uint32_t slots = placement ? placement->slots : 1;
    const bool has_adapters = placement && placement->adapters;
    *servers = (struct server_shifts){.symmetry = symmetry,
                                      .placement = has_adapters ? placement : NULL,
                                      .slots = slots,
                                      .n_orbits = symmetry->n_orbits,
                                      .per_orbit = slots / symmetry->n_orbits,
                                      .is_split = symmetry->shifts.n == 1 && slots > 1};
    return slots && (!placement || is_in_rows(placement, slots)) &&
           (!has_adapters || are_adapters_of_slots(placement)) &&
           server_flows_find_coordinates(symmetry, servers);
}

/* Returns the extents of the servers' coordinates, the fastest first, up to one that is no digit above those
 * before. Returns how many machines they number. */
static uint32_t find_digits(struct link_shifts *links)
{
    const struct shifts *shifts = &links->servers.shifts;
    uint32_t stride = 1, n = 0;
    while (n < shifts->n) {
        uint32_t i = 0;
        while (i < shifts->n && (shifts->stride[i] != stride || shifts->extent[i] == 1))
            i++;
        if (i == shifts->n)
            break;
        links->extent[n++] = shifts->extent[i];
        stride *= shifts->extent[i];
    }
    links->machines = (struct machine_shifts){.n = n,
                                              .extent = links->extent,
                                              .is_xor = shifts->is_xor,
                                              .is_mirrored = shifts->is_mirrored,
                                              .has_ways = links->servers.placement};
    if (links->servers.placement)
        links->machines.crosses_rails = links->servers.placement->adapters->crosses_fabric;
    return stride;
}

bool link_shifts_of_servers(struct link_shifts *links, const struct topology *topology,
                            const struct placement *placement)
{
    const uint32_t n_servers = links->servers.shifts.n_ranks, n_numbered = find_digits(links);
    if (!topology_has_shifts(topology, &links->machines, &links->is_free))
        return false;
    if (links->is_free)
        return true;
    bool is_same = n_servers == topology->n_machines && n_numbered == n_servers;
    for (uint32_t server = 0; placement && is_same && server < n_servers; server++)
        is_same = placement->server_machine[server] == server;
    return is_same;
}

bool server_shifts_find_on(const struct symmetry *symmetry, const struct topology *topology,
                           const struct placement *placement, struct server_shifts *servers)
{
    const struct schedule_header *header = &symmetry->schedule->header;
    return !header->counts && !header->n_networks && topology->n_networks == 1 && !topology->has_fat_pipes &&
           server_shifts_find(symmetry, placement, servers);
}

bool link_shifts_find(const struct symmetry *symmetry, const struct topology *topology,
                      const struct placement *placement, struct link_shifts *links)
{
    return server_shifts_find_on(symmetry, topology, placement, &links->servers) &&
           link_shifts_of_servers(links, topology, placement);
}

/* ---- flows ---- */

void server_flows_clear(struct server_flows *flows)
{
    flows->n = 0;
    flows->n_whole = 0;
    flows->n_inside = 0;
    flows->has_inside = false;
}

/* Returns the flow with the offset and way, if it is one of the last two, as mostly where peers follow one
 * another. */
static struct offset_flow *last_flow(const struct server_flows *flows, uint32_t offset, uint8_t way)
{
    for (size_t i = flows->n; i > 0 && i + 2 > flows->n; i--)
        if (flows->items[i - 1].offset == offset && flows->items[i - 1].way == way)
            return &flows->items[i - 1];
    return NULL;
}

static void server_flows_add_inside(struct server_flows *flows, uint64_t n_chunks)
{
    flows->n_inside = units_sum(flows->n_inside, n_chunks);
    flows->has_inside = true;
}

static void server_flows_add_way(struct server_flows *flows, uint32_t offset, uint8_t way,
                                 uint64_t n_messages, uint32_t n_chunks)
{
    struct offset_flow *last = last_flow(flows, offset, way);
    if (!last) {
        flows->items = mem_grow(flows->items, &flows->capacity, flows->n + 1, sizeof *flows->items);
        last = &flows->items[flows->n++];
        *last = (struct offset_flow){.offset = offset, .way = way};
    }
    last->n_messages += n_messages;
    last->n_chunks += n_messages * n_chunks;
}

void server_flows_add(struct server_flows *flows, uint32_t offset, uint64_t n_messages, uint32_t n_chunks)
{
    if (!n_messages)
        return;
    if (!offset) {
        server_flows_add_inside(flows, n_messages * n_chunks);
        return;
    }
    server_flows_add_way(flows, offset, 0, n_messages, n_chunks);
    flows->n_whole += n_messages;
}

/* Adds the sends of a rank of the first server to one of another server, by their adapters. */
static void add_by_adapters(struct server_flows *flows, const struct placement *placement, uint32_t from,
                            uint32_t to, uint32_t times, uint32_t n_chunks)
{
    const uint32_t n_stripes = placement_stripes(placement), offset = placement->server[to];
    if (placement_crosses_host(placement, from, to))
        server_flows_add_inside(flows, (uint64_t)times * n_chunks);
    for (uint32_t stripe = 0; stripe < n_stripes; stripe++)
        server_flows_add_way(flows, offset,
                             n_stripes > 1 ? placement_stripe_way(placement, 0, offset, stripe)
                                           : placement_way(placement, from, to),
                             times, n_chunks);
    flows->n_whole += times;
}

/* Does so for each rank of the orbit on the first server. */
static void add_orbit_by_adapters(struct server_flows *flows, const struct server_shifts *servers,
                                  uint32_t rank, uint32_t peer, uint32_t times, uint32_t n_chunks)
{
    const struct symmetry *symmetry = servers->symmetry;
    for (uint32_t by = 0; by < servers->slots; by++) {
        if (symmetry_shift_to(symmetry, by) != by)
            continue;
        const uint32_t from = shifts_add(&symmetry->shifts, rank, by);
        const uint32_t to = shifts_add(&symmetry->shifts, peer, by);
        if (to < servers->slots)
            server_flows_add_inside(flows, (uint64_t)times * n_chunks);
        else
            add_by_adapters(flows, servers->placement, from, to, times, n_chunks);
    }
}

/* Adds the sends of an orbit to a peer. Where one coordinate goes over servers and slots, the slots of an
 * orbit are a period apart, and so are those of their peers, which may be on two servers. */
void server_flows_add_sends(struct server_flows *flows, const struct server_shifts *servers, uint32_t rank,
                            uint32_t peer, uint32_t times, uint32_t n_chunks)
{
    if (servers->placement) {
        add_orbit_by_adapters(flows, servers, rank, peer, times, n_chunks);
        return;
    }
    const uint32_t slots = servers->slots, n_servers = servers->shifts.n_ranks;
    const uint32_t server = peer / slots, slot = peer % slots;
    const uint64_t period = servers->n_orbits, n = servers->per_orbit;
    const uint64_t n_here = servers->is_split ? (slots - slot + period - 1) / period : n;
    server_flows_add(flows, server, n_here * times, n_chunks);
    server_flows_add(flows, server + 1 < n_servers ? server + 1 : 0, (n - n_here) * times, n_chunks);
}

static int compare_offsets(const void *a, const void *b)
{
    const struct offset_flow *x = a, *y = b;
    const uint64_t of_x = (uint64_t)x->offset << 8 | x->way, of_y = (uint64_t)y->offset << 8 | y->way;
    return (of_x > of_y) - (of_x < of_y);
}

void server_flows_merge(struct server_flows *flows)
{
    size_t n = 0;
    if (flows->n < 2)
        return;
    qsort(flows->items, flows->n, sizeof *flows->items, compare_offsets);
    for (size_t i = 0; i < flows->n; i++)
        if (n && compare_offsets(&flows->items[n - 1], &flows->items[i]) == 0) {
            flows->items[n - 1].n_messages += flows->items[i].n_messages;
            flows->items[n - 1].n_chunks += flows->items[i].n_chunks;
        } else {
            flows->items[n++] = flows->items[i];
        }
    flows->n = n;
}

uint64_t server_flows_messages(const struct server_flows *flows)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < flows->n; i++)
        sum += flows->items[i].n_messages;
    return sum;
}

void server_flows_free(struct server_flows *flows)
{
    free(flows->items);
}
