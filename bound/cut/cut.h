/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound by the narrowest cut, for collectives in which each block goes to all ranks or comes from
 * all: over all cuts of a network, not only those that fit its shape (bound/bisection.h). See ratio.h.
 */
#ifndef COLLC_BOUND_CUT_CUT_H
#define COLLC_BOUND_CUT_CUT_H

#include "bound/bound.h"
#include "bound/cut/ratio.h"

enum cut_measure { CUT_CABLES, CUT_BANDWIDTH };

/* Makes the network: the servers 0 .. n_servers - 1, then all other nodes with links, and the blocks of an
 * allgather or bcast; for a reduce_scatter_block or reduce the same with reversed links. Returns false if
 * links are not those of a graph. */
bool cut_network_of(const struct bound_request *request, enum cut_measure measure,
                    struct cut_network *network);
void cut_network_free(struct cut_network *network);

/* The proof of a bound: the sets whose links have the highest load. An allreduce has the bound of a reduce
 * and a bcast with rank 0 as the root, as some data of each rank must reach each other. */
struct cut_proof {
    uint32_t n_proofs;         /* 0: no bound is known; 1: of the load; 2: of load and time */
    uint64_t *blocks;          /* [node of the topology] blocks that all need, or that all contribute to */
    struct cut_side {
        bool *inside;          /* [node of the topology] */
        bool goes_in;          /* blocks of the set must come in, else they must get out */
        uint64_t n_blocks, capacity;
        struct fraction ratio; /* n_blocks / capacity */
    } side[2];                 /* side of the load, in cables; of the time, in bytes per second */
};

struct cut_proof cut_prove(const struct bound_request *request);
void cut_proof_free(struct cut_proof *proof);

/* Makes the bound. Returns false if none is known; else the reason is to be freed with text_free. */
bool cut_bound(const struct cut_proof *proof, const struct bound_request *request, struct bound *bound);

#endif
