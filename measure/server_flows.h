/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The servers of a symmetric schedule, where shifts of ranks shift them: what one server sends says what all
 * do. A flow then has no source, but an offset: from each server to that so far away.
 */
#ifndef COLLC_MEASURE_SERVER_FLOWS_H
#define COLLC_MEASURE_SERVER_FLOWS_H

#include "ir/symmetry.h"
#include "network/placement/placement.h"
#include "network/shifts.h"

/* Servers as points of coordinates: a shift of ranks by whole servers shifts them. */
struct server_shifts {
    const struct symmetry *symmetry;
    const struct placement *placement; /* with adapters of ranks, which follow from slots; NULL: none has */
    struct shifts shifts; /* of servers */
    uint32_t slots;       /* ranks first .. first+slots-1 are on a server */
    uint32_t n_orbits;    /* of ranks */
    uint32_t per_orbit;   /* ranks of an orbit on a server */
    bool is_split;        /* a coordinate of the ranks goes over servers and slots */
};

/* True if the ranks are so on servers, and the adapters that they use, if any, follow from their slots;
 * placement NULL: one rank on each server. Keeps both. O(ranks) */
bool server_shifts_find(const struct symmetry *symmetry, const struct placement *placement,
                        struct server_shifts *servers);
/* True if, besides, chunks are equal, and there is one network whose links all contend: then one server
 * represents all. Requires the schedule of the symmetry. */
bool server_shifts_find_on(const struct symmetry *symmetry, const struct topology *topology,
                           const struct placement *placement, struct server_shifts *servers);
/* Servers whose shifts are shifts of the machines of a topology by which the loads of links have classes
 * (topology_has_shifts). Do not copy: machines points to extent. */
struct link_shifts {
    struct server_shifts servers;
    uint32_t extent[SHIFTS_MAX];
    struct machine_shifts machines;
    bool is_free; /* of topology_has_shifts */
};
/* Completes the shifts, given the servers. False: there are none. O(servers) */
bool link_shifts_of_servers(struct link_shifts *links, const struct topology *topology,
                            const struct placement *placement);
/* Finds both: then one server and one link of each class represent all. False: there are none. Requires the
 * schedule of the symmetry. O(ranks) */
bool link_shifts_find(const struct symmetry *symmetry, const struct topology *topology,
                      const struct placement *placement, struct link_shifts *links);

/* Messages, or stripes of one number, from a server to the one `offset` away. */
struct offset_flow {
    uint32_t offset;
    uint8_t way; /* between adapters of ranks (host_ports_way); 0: none is chosen */
    uint64_t n_messages, n_chunks;
};

/* Flows from each server to others. Zero-initialise. */
struct server_flows {
    struct offset_flow *items;
    size_t n, capacity;
    uint64_t n_whole;  /* messages to other servers: each once, however many stripes it has */
    uint64_t n_inside; /* chunks of messages within a server, or across it to another adapter, */
    bool has_inside;   /* and whether there are any */
};
void server_flows_clear(struct server_flows *flows);
/* Adds messages of so many chunks each; those with the offset 0 are within a server. */
void server_flows_add(struct server_flows *flows, uint32_t offset, uint64_t n_messages, uint32_t n_chunks);
/* Adds the messages that shifts of a representative's messages bring to a server: `times` from `rank` to
 * `peer`, of so many chunks. O(1); with adapters O(slots * stripes) */
void server_flows_add_sends(struct server_flows *flows, const struct server_shifts *servers, uint32_t rank,
                            uint32_t peer, uint32_t times, uint32_t n_chunks);
/* Merges equal offsets and ways into one flow each. O(n log n) */
void server_flows_merge(struct server_flows *flows);
/* Returns the number of messages, or stripes, from a server to all others. */
uint64_t server_flows_messages(const struct server_flows *flows);
void server_flows_free(struct server_flows *flows);

#endif
