/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rank runs on which machine. A machine with ranks is a server; servers
 * are numbered in the order of their lowest ranks, as the emitted C numbers them,
 * and the ranks of a server fill its slots 0, 1, ... in rank order. Servers may
 * have unequal numbers of slots.
 */
#ifndef COLLC_NETWORK_PLACEMENT_PLACEMENT_H
#define COLLC_NETWORK_PLACEMENT_PLACEMENT_H

#include "network/host_ports.h"

/* Which adapters ranks use: a rail is the number of a port of a host (network/host_ports.h). Where
 * messages are striped, each is cut into n_stripes equal parts, its stripes, and stripe s stays on rail
 * stripe_rail[s], unless a host lacks that; the rail of a rank is that of stripe 0. */
struct rank_adapters {
    uint32_t n_ports;    /* topology_n_host_ports */
    uint32_t n_stripes;  /* 1: messages are whole */
    uint8_t stripe_rail[WAYS_MAX_PORTS]; /* [stripe] */
    bool crosses_fabric; /* a message between two rails goes by the fabric; else it crosses its host first, to
                            the adapter of the receiver's rail (NCCL: PXN) */
    const char *name;    /* "slot", "block", "stripe", "near:FILE" or the file, for people */
    uint8_t *rail;       /* [rank] */
    const uint8_t *ways; /* [number that a message has] its way, 0: as its route leads; NULL: by ranks */
    uint32_t n_ways;
    uint8_t *instead;    /* [server * n_ports + rail] the rail that the host has in the place of that one;
                            NULL: no host lacks one of those that are needed */
};

struct placement {
    uint32_t n_ranks;
    uint32_t n_servers;
    uint32_t slots;         /* ranks per server if all equal, else 0 */
    uint32_t max_slots;
    const char *name;       /* "block", "cyclic" or the file, for people */
    uint32_t *machine;      /* [rank] */
    uint32_t *server;       /* [rank] */
    uint32_t *slot;         /* [rank] */
    uint32_t *first;        /* [server] index into `ranks`; n_servers + 1 entries */
    uint32_t *ranks;        /* ranks by server, then slot */
    uint32_t *server_machine; /* [server] */
    struct rank_adapters *adapters; /* NULL: messages take the adapters that routes lead by */
    struct arena arena;
};

/* Returns the number of ranks of a server. */
static inline uint32_t placement_slots(const struct placement *placement, uint32_t server)
{
    return placement->first[server + 1] - placement->first[server];
}

/* Returns the rail that a server has in the place of a rail: mostly that. Requires adapters. */
static inline uint32_t placement_rail_of(const struct placement *placement, uint32_t server, uint32_t rail)
{
    const struct rank_adapters *adapters = placement->adapters;
    return adapters->instead ? adapters->instead[(size_t)server * adapters->n_ports + rail] : rail;
}

/* Returns the rail by which a message leaves the host of its sender. Requires adapters. */
static inline uint32_t placement_rail_out(const struct placement *placement, uint32_t from, uint32_t to)
{
    const struct rank_adapters *adapters = placement->adapters;
    return adapters->crosses_fabric
               ? adapters->rail[from]
               : placement_rail_of(placement, placement->server[from], adapters->rail[to]);
}

/* Returns the way of a message (host_ports_way). Requires adapters. */
static inline uint8_t placement_way(const struct placement *placement, uint32_t from, uint32_t to)
{
    return host_ports_way(placement_rail_out(placement, from, to), placement->adapters->rail[to]);
}
/* Returns the number of stripes of a message between hosts; 1: it is whole. */
static inline uint32_t placement_stripes(const struct placement *placement)
{
    return placement && placement->adapters ? placement->adapters->n_stripes : 1;
}

/* Returns the way of a stripe between servers. Requires adapters. */
static inline uint8_t placement_stripe_way(const struct placement *placement, uint32_t from, uint32_t to,
                                           uint32_t stripe)
{
    const uint32_t rail = placement->adapters->stripe_rail[stripe];
    return host_ports_way(placement_rail_of(placement, from, rail), placement_rail_of(placement, to, rail));
}

/* True if a message between hosts goes to another adapter of its own host first. */
static inline bool placement_crosses_host(const struct placement *placement, uint32_t from, uint32_t to)
{
    const struct rank_adapters *adapters = placement->adapters;
    return adapters && adapters->rail[from] != adapters->rail[to] &&
           placement_rail_out(placement, from, to) != adapters->rail[from];
}

/* Gives messages the ways (host_ports_way) of the numbers that they have; 0: as routes lead. Requires
 * topology_has_ways. */
void placement_use_ways(struct placement *placement, const struct topology *topology, const uint8_t *ways,
                        uint32_t n_ways);
/* Returns a placement from machine[rank] (copied): schedule files, tests. */
struct placement *placement_of_machines(const uint32_t *machine, uint32_t n_ranks,
                                        const char *name);
/* Returns a placement on as few machines as have room, with so many slots each: by consecutive ranks, or
 * cyclic. Requires slots > 0. */
struct placement *placement_by_slots(uint32_t n_ranks, uint32_t slots, bool is_cyclic);
void placement_free(struct placement *placement);

/* Appends which of the hosts with ranks have no route to each other: "; hosts of switch ... do not reach ..."
 * (unrouted_say). Without a placement: of all hosts. */
void placement_say_unrouted(const struct topology *topology, const struct placement *placement,
                            struct text *out);
/* Adds the same as a note of the diagnostic, which is of that list. */
void placement_note_unrouted(const struct topology *topology, const struct placement *placement,
                             struct diagnostics *diagnostics, struct diagnostic *diagnostic);

#endif
