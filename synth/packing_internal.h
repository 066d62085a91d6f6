/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside the packing of trees: the network between fabric and trees.
 */
#ifndef COLLC_SYNTH_PACKING_INTERNAL_H
#define COLLC_SYNTH_PACKING_INTERNAL_H

#include "bound/cut/max_flow.h"
#include "synth/packing.h"

struct pack_network {
    const struct packing_request *request;
    uint32_t n_nodes, n_members;
    uint64_t k, all;      /* trees for a block; for all blocks */
    uint64_t *capacity;   /* [from * n_nodes + to] number of trees */
    uint64_t n_done, n_expected; /* for the watch */
};

static inline uint64_t *pack_capacity(const struct pack_network *network, uint32_t from, uint32_t to)
{
    return &network->capacity[(size_t)from * network->n_nodes + to];
}

static inline bool pack_goes_on(struct pack_network *network)
{
    const struct packing_request *request = network->request;
    network->n_done++;
    return !request->goes_on || request->goes_on(request->data, network->n_done, network->n_expected);
}

/* Removes the nodes that are no members. Returns false when time is up. */
bool pack_split(struct pack_network *network);
/* Grows the trees. Returns false when time is up. */
bool pack_grow(struct pack_network *network, struct packing *packing);

#endif
