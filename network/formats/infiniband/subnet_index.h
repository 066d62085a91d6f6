/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The names of a subnet, LIDs and GUIDs, for looking them up.
 */
#ifndef COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_INDEX_H
#define COLLC_NETWORK_FORMATS_INFINIBAND_SUBNET_INDEX_H

#include "base/diagnostic.h"
#include "network/forwarding.h"

struct subnet_index {
    const struct graph *graph;
    uint32_t *owner;    /* [lid]: port of a machine, or n_ports + router, or GRAPH_NONE */
    uint32_t *buckets;  /* hash of GUIDs: the same numbers */
    uint32_t mask;
};
/* Reports T010 if two ports own one LID; then, too, the index is to be freed. */
bool subnet_index_make(struct subnet_index *index, const struct graph *graph,
                       struct position position, struct diagnostics *diagnostics);
void subnet_index_free(struct subnet_index *index);
/* The router with that node GUID, or GRAPH_NONE. */
uint32_t subnet_find_router(const struct subnet_index *index, uint64_t guid);
/* The port of a machine with that port GUID or node GUID, or GRAPH_NONE. */
uint32_t subnet_find_port(const struct subnet_index *index, uint64_t guid);
/* The LID that a port GUID has now; `lid` itself if it is among the port's LIDs, or if
 * nobody has the GUID. */
uint32_t subnet_current_lid(const struct subnet_index *index, uint32_t lid, uint64_t guid);
/* The machine addressed by the LID, or GRAPH_NONE. */
uint32_t subnet_find_machine(const struct subnet_index *index, uint32_t lid);

#endif
