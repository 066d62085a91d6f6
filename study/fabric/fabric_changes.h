/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the changes from one network to another that should be the same: an expected and an observed
 * fabric, or two dumps of one fabric. Machines and switches are identified by their names, then by their
 * GUIDs, switches then by most of their neighbours; cables by their ports, if both networks have ports. A
 * regular shape, and a network without one name of the other, is a plan of which structure alone counts
 * (fabric_align.h): names and ports are then those of the new network, routes are not compared.
 *
 * For a network that only gives the switch of each machine (topology->is_outline), nothing else is
 * compared.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_CHANGES_H
#define COLLC_STUDY_FABRIC_FABRIC_CHANGES_H

#include "study/fabric/fabric_ports.h"

/* In the order in which they are reported: losses, degradations, differences, additions. */
enum fabric_change_kind {
    CHANGE_ROUTES_LOST,
    CHANGE_SWITCH_GONE,
    CHANGE_MACHINE_GONE,
    CHANGE_CABLES_GONE,
    CHANGE_SWAPPED,       /* two cables whose far ends are exchanged */
    CHANGE_MACHINE_MOVED, /* a cable of a machine leads to another switch */
    CHANGE_CABLE_MOVED,
    CHANGE_CABLES_SLOWER,
    CHANGE_CABLES_UNLIKE, /* slower than most of their kind, where the other network states no rates */
    CHANGE_ROUTES_LONGER,
    CHANGE_PORTS, /* the same cables in other ports */
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
    const char *node;          /* node or one end of cables; in the arena */
    const char *peer; /* other end of cables, new name, or, by structure, the switch where a machine is
                         missing; NULL: none */
    const char *new_peer;      /* new far end of a moved cable */
    const char *other; /* near end of the other of two swapped cables, which should lead to new_peer and
                          leads to peer */
    uint32_t port, peer_port, new_peer_port; /* ports of the first cable (fabric_ports.h); 0: unknown */
    uint32_t other_port;       /* port of `other`; peer_port is then that at which its cable is now */
    uint64_t n;                /* number of cables of this kind here, of pairs of routes, or of the node's
                                  cables */
    uint64_t n_before;         /* number of cables between these nodes before */
    uint64_t old_bandwidth, new_bandwidth; /* bandwidth of one cable, bytes per second */
    uint32_t old_hops, new_hops; /* hops of the route from node to peer with the largest growth */
};

struct fabric_side {
    const struct topology *topology;
    uint32_t n_cables;
};

struct fabric_changes {
    struct fabric_side old, new;
    struct fabric_change *items; /* the worst first */
    size_t n, capacity;
    uint64_t n_routes;           /* ordered pairs of machines in both networks whose routes were compared
                                    ... */
    uint64_t n_pairs;            /* ... of all pairs; 0: routes are not compared */
    uint32_t n_common;           /* machines in both networks */
    struct fabric_ports ports;
    bool is_by_structure;        /* names were not compared */
    struct topology *plan;       /* old network written out, owned; NULL: it was compared as it is */
    struct arena arena;
};

/* Compares the networks. Release with fabric_changes_free. O(nodes + links log links + routes compared *
 * hops); of more than FABRIC_MAX_ROUTES pairs it compares the routes to evenly spread machines. */
enum { FABRIC_MAX_ROUTES = 1 << 22 };
struct fabric_changes fabric_compare(const struct topology *old, const struct topology *new);
void fabric_changes_free(struct fabric_changes *changes);

#endif
