/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound of an allreduce by all messages together.
 *
 * Let n machines have ranks. For each element take the messages that carry some of it from one machine to
 * another, in the order in which they arrive. Before some machine knows the data of all others, each of
 * those has sent at least once: n - 1 messages. Each of the others still has to receive at least one,
 * later: n - 1 more. So 2 (n - 1) blocks leave machines altogether, and as many arrive, as in gossiping
 * with one-way messages; some link out of a machine carries its share of them. A ring of all machines
 * needs no more (Patarasuk and Yuan 2009).
 */
#ifndef COLLC_BOUND_GOSSIP_H
#define COLLC_BOUND_GOSSIP_H

#include "bound/bound.h"

/* Bounds an allreduce on any network with explicit links if the links of the machines contend; else returns
 * false. The reason is to be freed with text_free. O(links + machines). */
bool bound_gossip(const struct bound_request *request, struct bound *bound);

#endif
