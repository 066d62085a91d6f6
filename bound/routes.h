/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound of an all-to-all without relays by the routes of the network.
 */
#ifndef COLLC_BOUND_ROUTES_H
#define COLLC_BOUND_ROUTES_H

#include "bound/bound.h"

/* Bounds an all-to-all in which every block goes straight from its source to its destination: the routes
 * alone decide the number of blocks on each link, and its maximum is a bound for all such schedules, in any
 * order. If routes are less even than the links allow (on a ring of even extent n the one way to distance
 * n/2, see network/topology.h) it is above that of the bisection; a schedule that relays may be below it.
 * Returns false for other collectives, above 4096 servers (the time is pairs * hops), and if a pair has no
 * route. The reason is to be freed with text_free. */
bool bound_routes(const struct bound_request *request, struct bound *bound);

/* Finds the machines of two servers of which the second cannot be reached from the first, so that an
 * all-to-all without relays is impossible. Returns false if there are none, or more than 4096 servers. */
bool bound_unreachable(const struct bound_request *request, uint32_t machine[2]);

#endif
