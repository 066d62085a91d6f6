/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of every reader of explicit networks: from the graph it has built to a topology.
 */
#ifndef COLLC_NETWORK_GRAPH_TOPOLOGY_H
#define COLLC_NETWORK_GRAPH_TOPOLOGY_H

#include "base/diagnostic.h"
#include "network/graph.h"

/* Makes the topology of an unsealed graph, which is freed on failure: T004 without machines, T005 if two
 * machines have no route, unless that is ignored or the graph may be apart. */
struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics);

#endif
