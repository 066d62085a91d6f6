/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A network falls into blocks at the nodes without which it would not hold together: a cable that is
 * the only way is one, and so is what is left when these are taken away. A way from node to node goes
 * through the same blocks, in and out at the same nodes, whatever it is. So each block is a network
 * of its own, with demands between its own nodes: what lies behind a node counts as being there. The
 * best flow of the whole is as good as that of its worst block. Most of a real fabric, all cables
 * of machines for one, is blocks of two nodes.
 */
#ifndef COLLC_BOUND_FLOW_BLOCKS_H
#define COLLC_BOUND_FLOW_BLOCKS_H

#include "bound/flow/network.h"

struct flow_block {
    uint32_t n_nodes, n_arcs;
    uint32_t *node;        /* [node] in the network, ascending */
    uint32_t *arc;         /* [arc] in the network, ascending */
    struct flow_arc *arcs; /* ends by their numbers here; by `from`, then by `to` */
    uint32_t *first;       /* [node] n_nodes + 1 entries */
    uint64_t *weight;      /* [node] demand is the product of both ends; or NULL and ... */
    uint64_t *demand;      /* [from * n_nodes + to] */
};

struct flow_blocks {
    struct flow_block *all;
    uint32_t n;
    bool is_whole; /* all servers hang together; else nothing more is known but ... */
    uint32_t apart; /* ... the machine of a server that the first one cannot reach */
    bool is_too_large; /* a block has demands between too many nodes; nothing more is known */
};

enum { FLOW_MAX_LISTED = 1024 }; /* nodes of a block whose demands are listed */

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
