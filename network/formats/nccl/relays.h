/* SPDX-License-Identifier: BSD-3-Clause
 *
 * GPUs that relay: where NVLinks join not all GPUs of a host, but any two over at most one between, as in the
 * cube mesh of a DGX-1, NCCL goes over that one (its path NVB) instead of PCI.
 */
#ifndef COLLC_NETWORK_FORMATS_NCCL_RELAYS_H
#define COLLC_NETWORK_FORMATS_NCCL_RELAYS_H

#include "network/graph.h"

enum { RELAYS_MAX = 64 }; /* GPUs of a host */

/* Gives each of the GPUs of a host, nodes of a graph that is not sealed, a router "gpu0.relay", if they
 * relay: it has their cables, of which those that lead to no GPU are behind a port, "gpu0.port", so that they
 * are the longer way. Returns NULL, or the name of a router that is taken, in the string pool of the graph.
 */
const char *nccl_add_relays(struct graph *graph, const uint32_t *gpus, uint32_t n);

#endif
