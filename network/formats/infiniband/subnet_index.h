/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Looks up the LIDs and GUIDs of a subnet.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_INDEX_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_INDEX_H

#include "base/diagnostic.h"
#include "network/forwarding.h"

struct subnet_index {
    const struct graph *graph;
    uint32_t *owner;    /* [lid] a machine's port, n_ports + router, or GRAPH_NONE */
    uint32_t *buckets;  /* hash of GUIDs: the same numbers */
    uint32_t mask;
};
/* Makes the index. Reports T010 if two ports own one LID. Release with subnet_index_free either way. */
bool subnet_index_make(struct subnet_index *index, const struct graph *graph,
                       struct position position, struct diagnostics *diagnostics);
void subnet_index_free(struct subnet_index *index);
/* Returns the router with that node GUID, or GRAPH_NONE. */
uint32_t subnet_find_router(const struct subnet_index *index, uint64_t guid);
/* Returns the machine's port with that port GUID or node GUID, or GRAPH_NONE. */
uint32_t subnet_find_port(const struct subnet_index *index, uint64_t guid);
/* Returns the LID that the port with this GUID has now: `lid` itself if it is one of the port's LIDs, or if
 * no port has the GUID. */
uint32_t subnet_current_lid(const struct subnet_index *index, uint32_t lid, uint64_t guid);
/* Returns the machine that the LID addresses, or GRAPH_NONE. */
uint32_t subnet_find_machine(const struct subnet_index *index, uint32_t lid);

#endif
