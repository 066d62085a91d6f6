/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What has changed from one network to another that should be the same: an expected and an observed fabric,
 * or two dumps of one fabric. Machines and switches are known by their names, then by their GUIDs, switches
 * then by most of what they are cabled to; cables by the ports they are in, where both networks know ports.
 *
 * A network that only says which machine is on which switch (topology->is_outline) is compared in that alone.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_CHANGES_H
#define COLLC_STUDY_FABRIC_FABRIC_CHANGES_H

#include "network/topology.h"

/* In the order in which they are told: what is gone, what is worse, what is different, what is more. */
enum fabric_change_kind {
    CHANGE_ROUTES_LOST,
    CHANGE_SWITCH_GONE,
    CHANGE_MACHINE_GONE,
    CHANGE_CABLES_GONE,
    CHANGE_MACHINE_MOVED, /* a cable of a machine leads to another switch */
    CHANGE_CABLE_MOVED,
    CHANGE_CABLES_SLOWER,
    CHANGE_CABLES_UNLIKE, /* slower than most of their kind, of a network compared with an outline */
    CHANGE_ROUTES_LONGER,
    CHANGE_PORTS,         /* the same cables in other ports */
    CHANGE_NAME,
    CHANGE_ROUTES_OTHER,
    CHANGE_CABLES_FASTER,
    CHANGE_SWITCH_NEW,
    CHANGE_MACHINE_NEW,
    CHANGE_CABLES_NEW,
    N_FABRIC_CHANGES
};

struct fabric_change {
    enum fabric_change_kind kind;
    const char *node;          /* what it speaks of, or one end; in the arena */
    const char *peer;          /* the other end of cables, the new name; NULL: none */
    const char *new_peer;      /* where a moved cable leads now */
    uint32_t port, peer_port, new_peer_port; /* of the first cable; 0: not known */
    uint64_t n;                /* cables of this kind here, pairs of routes; cables that a node had or has */
    uint64_t n_before;         /* cables between these nodes before */
    uint64_t old_bandwidth, new_bandwidth; /* of one cable, bytes per second */
    uint32_t old_hops, new_hops; /* of the route from node to peer that became longest */
};

struct fabric_side {
    const struct topology *topology;
    uint32_t n_cables;
};

struct fabric_changes {
    struct fabric_side old, new;
    struct fabric_change *items; /* the worst first */
    size_t n, capacity;
    uint64_t n_routes;           /* ordered pairs of machines of both whose routes were compared ... */
    uint64_t n_pairs;            /* ... of so many; 0: routes are not compared */
    uint32_t n_common;           /* machines that are in both */
    struct arena arena;
};

/* Compares them. Release with fabric_changes_free. O(nodes + links log links + routes compared * hops); of
 * more than FABRIC_MAX_ROUTES pairs the routes to evenly spread machines are compared. */
enum { FABRIC_MAX_ROUTES = 1 << 22 };
struct fabric_changes fabric_compare(const struct topology *old, const struct topology *new);
void fabric_changes_free(struct fabric_changes *changes);

#endif
