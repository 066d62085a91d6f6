/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network falls into blocks at the nodes without which it would not be connected: a cable that is the
 * only connection is one, and so are the rests when these are removed. All paths between two nodes go
 * through the same blocks, in and out at the same nodes. So each block is a network of its own, with
 * demands between its own nodes: everything behind a node counts as being there. The best flow of the
 * whole is as good as that of its worst block. Most of a real fabric, such as all cables of machines, is
 * blocks of two nodes.
 */
#ifndef COLLC_BOUND_FLOW_BLOCKS_H
#define COLLC_BOUND_FLOW_BLOCKS_H

#include "bound/flow/network.h"

struct flow_block {
    uint32_t n_nodes, n_arcs;
    uint32_t *node;        /* [node] its number in the network, ascending */
    uint32_t *arc;         /* [arc] its number in the network, ascending */
    struct flow_arc *arcs; /* ends by their numbers here; by `from`, then by `to` */
    uint32_t *first;       /* [n_nodes + 1] first arc of a node */
    uint64_t *weight;      /* [node] demand is the product of both ends; or NULL and ... */
    uint64_t *demand;      /* ... [from * n_nodes + to] demand */
};

struct flow_blocks {
    struct flow_block *all;
    uint32_t n;
    bool is_whole; /* all servers are connected; else nothing else is known except ... */
    uint32_t apart; /* ... the machine of a server that the first one cannot reach */
    bool is_too_large; /* a block has demands between too many nodes; nothing else is known */
};

enum { FLOW_MAX_LISTED = 1024 }; /* limit of nodes of a block with listed demands */

struct flow_blocks flow_blocks_of(const struct bound_request *request,
                                  const struct flow_network *network);
void flow_blocks_free(struct flow_blocks *blocks);

static inline uint64_t flow_block_demand(const struct flow_block *block, uint32_t from, uint32_t to)
{
    if (block->weight)
        return from == to ? 0 : block->weight[from] * block->weight[to];
    return block->demand[(size_t)from * block->n_nodes + to];
}

#endif
