/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the routes of the network make of an all-to-all without relays.
 */
#ifndef COLLC_BOUND_ROUTES_H
#define COLLC_BOUND_ROUTES_H

#include "bound/bound.h"

/* If every block of an all-to-all goes straight from its source to its destination, the
 * routes alone decide how many cross each link; their most is a bound for all such
 * schedules, in whatever order. Where routes are not as even as the links would allow (on a
 * ring of even extent n the one way to distance n/2, see network/topology.h) it is above that of the
 * bisection; a schedule that relays may be below it. False for other collectives, above
 * 4096 servers (the time is pairs * hops), and if a pair has no route. The reason is to be
 * freed with text_free. */
bool bound_routes(const struct bound_request *request, struct bound *bound);

/* The machines of two servers of which the second cannot be reached from the first, so that an
 * all-to-all without relays is not possible. False: there are none, or more than 4096 servers. */
bool bound_unreachable(const struct bound_request *request, uint32_t machine[2]);

#endif
