/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The habits of who cabled a fabric, from its ports: which ports the switches of a level use, where each of
 * them leads, and which two ports cables join. They tell which of several like cables is in the wrong place,
 * and where one that is missing belongs.
 */
#ifndef COLLC_STUDY_FABRIC_USUAL_PORTS_H
#define COLLC_STUDY_FABRIC_USUAL_PORTS_H

#include "network/wiring.h"

struct port_habit;
struct pair_habit;

struct usual_ports {
    const struct topology *topology;
    const uint8_t *level;     /* [node], of the wiring */
    uint32_t n_nodes[256];    /* [level] switches with a cable */
    uint64_t *used;           /* ports with a cable: node << 32 | port, ascending */
    struct port_habit *ports; /* of switches, by level and port */
    struct pair_habit *pairs; /* by levels, then by ports */
    uint32_t n_used, n_ports, n_pairs;
};

/* Returns the habits of a network, to be released with usual_ports_free; `wiring` outlives them. Without
 * ports there are none. O(links log links) */
struct usual_ports usual_ports_of(const struct wiring *wiring);
void usual_ports_free(struct usual_ports *usual);

/* True if a port is used at most switches of its level. O(ports) */
bool usual_ports_has(const struct usual_ports *usual, uint32_t node, uint32_t port);
/* Returns how odd a cable is, 0 to 3: 1 for each end whose port leads elsewhere at most switches of the
 * level, and 1 if it joins two ports that other cables between these levels do not. O(ports) */
uint32_t usual_ports_oddness(const struct usual_ports *usual, uint32_t link);
/* Finds the ports to which a missing cable between two nodes belongs: ports without cable that most switches
 * of the level use, of which there is one, or which lead to the other node or are joined at others. 0: not
 * known. O(ports + pairs) */
void usual_ports_of_missing(const struct usual_ports *usual, const uint32_t nodes[2], uint32_t ports[2]);

#endif
