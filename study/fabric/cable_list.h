/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the cables of a topology. The n-th link from a node to another and the n-th back are a cable, as for
 * --fail.
 */
#ifndef COLLC_STUDY_FABRIC_CABLE_LIST_H
#define COLLC_STUDY_FABRIC_CABLE_LIST_H

#include "network/topology.h"

struct cable {
    uint32_t link, back;    /* back: the other direction; `link` again if there is none */
    bool is_one_of_several; /* between the same two nodes */
};

/* Returns them by their nodes, to be released with free; *n: their number. O(links log links) */
struct cable *cables_of(const struct topology *topology, size_t *n);

#endif
