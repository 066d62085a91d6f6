/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound by the narrowest cut, of collectives in which each block goes to all ranks or comes of
 * all: of all cuts of a network, not only of those that go with its shape (bound/bisection.h). See
 * ratio.h.
 */
#ifndef COLLC_BOUND_CUT_CUT_H
#define COLLC_BOUND_CUT_CUT_H

#include "bound/bound.h"
#include "bound/cut/ratio.h"

enum cut_measure { CUT_CABLES, CUT_BANDWIDTH };

/* The servers 0 .. n_servers - 1, then all other nodes with links, and the blocks of an allgather or
 * bcast; of a reduce_scatter_block or reduce the same with links turned round. False if links are not
 * those of a graph. */
bool cut_network_of(const struct bound_request *request, enum cut_measure measure,
                    struct cut_network *network);
void cut_network_free(struct cut_network *network);

/* False if nothing is known; else the reason is to be freed with text_free. An allreduce has the bound of a
 * reduce and a bcast: something of each rank must come to each other. */
bool cut_bound(const struct bound_request *request, struct bound *bound);

#endif
