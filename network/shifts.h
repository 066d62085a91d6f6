/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of a network under shifts: messages that all have the same offset, one from each machine. They
 * load the links of a class as a function of their position in it: those at one position are loaded alike. A
 * kind that knows its classes and positions has a table of these methods (network/kind.h); any other has no
 * shifts. docs/symmetry.md says what that serves.
 */
#ifndef COLLC_NETWORK_SHIFTS_H
#define COLLC_NETWORK_SHIFTS_H

#include "network/topology.h"

/* A numbering of the machines by n cyclic digits, the first the fastest. A shift adds a fixed number to each
 * digit. */
struct machine_shifts {
    uint32_t n;
    const uint32_t *extent;
    bool is_xor;      /* all extents are 2 */
    bool is_mirrored; /* all extents are even: a shift by an odd number takes digit x to that number less x */
    bool has_ways;    /* messages take ways between ports of machines (network/host_ports.h), */
    bool crosses_rails; /* some of them between ports with different numbers */
};

/* True if messages of one offset load the links of each class by their positions, which are numbers below
 * topology_n_positions; false if that is not so, or not known, or if routes are adaptive. Sets *is_free to
 * true if any other way to number the machines would do as well. All functions below require that it is true.
 */
bool topology_has_shifts(const struct topology *topology, const struct machine_shifts *shifts,
                         bool *is_free);

/* n messages on each link of a class at positions begin .. end-1. */
struct class_hops {
    uint32_t class; /* below topology_n_classes */
    uint32_t begin, end;
    uint32_t n;
    uint32_t start; /* with n == 1: differs for messages of different sources on one link */
};
/* Writes what the messages of an offset put on links, in the order of positions, by this way where shifts
 * have ways; the first entry is of the link by which they leave. Returns the number of
 * entries, topology_max_class_hops at most. If one of them is of all positions, and the class has as many
 * links as there are machines, each message crosses n links of it. O(classes), and the extents where a
 * dimension does not wrap or by xor. */
uint32_t topology_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t offset, uint8_t way, struct class_hops *hops);
uint32_t topology_max_class_hops(const struct topology *topology);
/* Returns the latency of the longest of their routes, the latencies of its links added up, in ns.
 * O(dimensions), and the extents by xor. */
uint64_t topology_offset_latency(const struct topology *topology, const struct machine_shifts *shifts,
                                 uint32_t offset, uint8_t way);

uint32_t topology_n_classes(const struct topology *topology);
/* Returns bandwidth and latency of the links of a class. */
struct link_class topology_links_of(const struct topology *topology, uint32_t class);
/* Returns the number of positions of a class. */
uint32_t topology_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                              uint32_t class);
/* Returns the number of links of a class at each position of it. Requires that shifts are not free. */
uint32_t topology_links_at(const struct topology *topology, const struct machine_shifts *shifts,
                           uint32_t class);
/* Returns the class of a link, and its position there. Requires that shifts are not free. */
uint32_t topology_link_class(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t link, uint32_t *position);

#endif
