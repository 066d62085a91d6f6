/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random explicit networks, small and odd, and forwarding tables of them that are right or wrong.
 */
#ifndef COLLC_TESTS_UNIT_RANDOM_NETWORK_H
#define COLLC_TESTS_UNIT_RANDOM_NETWORK_H

#include "network/forwarding.h"

/* Begins the sequence anew: equal seeds, equal networks. */
void random_network_seed(uint64_t seed);
/* Returns a number below n. */
uint32_t random_number_below(uint32_t n);
/* Returns a sealed graph: machines on routers near their number or anywhere, some with two cables, some on
 * another machine; some are not connected. */
struct graph *random_graph(void);
/* Returns a sealed graph of machines with 1 to 4 cables: on a switch for each rail, on one for all, or
 * anywhere; switches hang on a few others. Every pair of machines has a route. */
struct graph *random_rails(void);
/* Numbers the ports in the order of cables; machine m has the LID m + 1 on its first. */
void number_ports(struct graph *graph);
/* Returns tables with entries along shortest paths and, one in `wrong`, anything. Requires port numbers. */
struct forwarding *random_tables(struct graph *graph, uint32_t wrong);

#endif
