/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders in which machines can be taken. Names have nothing to do with cables at many sites;
 * with the order of switches, neighbours in rank share a switch.
 */
#ifndef COLLC_NETWORK_PLACEMENT_ORDERS_H
#define COLLC_NETWORK_PLACEMENT_ORDERS_H

#include "network/topology.h"

/* number  as the topology numbers them
 * name    by name, node2 before node10
 * switch  switch by switch, at a switch in the order of cables; machines without one come last */
enum machine_order { ORDER_NUMBER, ORDER_NAME, ORDER_SWITCH, N_MACHINE_ORDERS };

/* Returns the numbers of all machines in that order; release with free. O(links + machines log
 * machines). The machines of an implicit network are numbered by their places, and all orders are
 * one. */
uint32_t *machines_in_order(const struct topology *topology, enum machine_order order);

#endif
