/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A regular shape as a plan of a network: its nodes and cables one by one, with the hosts that a network of
 * its kind has.
 */
#ifndef COLLC_NETWORK_PLAN_H
#define COLLC_NETWORK_PLAN_H

#include "network/topology.h"

/* The bandwidth of a cable whose rate the plan leaves open: PLAN_OPEN_RATE plus the number of its level or
 * dimension. No real rate is as high. */
#define PLAN_OPEN_RATE (UINT64_C(1) << 62)

struct network_plan {
    const struct topology *shape; /* implicit */
    uint32_t n_hosts;             /* on each node, where machine and router are one; 0: none, nodes are the
                                     machines */
    bool states_rates;            /* the rates of the shape count */
};

/* Returns the plan as an explicit network, to be released with topology_free. O(links) */
struct topology *plan_write_out(const struct network_plan *plan);

/* Returns the plan that a topology is for a network that was seen, to be released with topology_free: a shape
 * written out with as many hosts, or a copy whose rates are open because the file states none. NULL: the
 * topology is the plan as it is. */
struct topology *plan_of(const struct topology *plan, const struct topology *seen);

/* Returns the number of hosts on each node of a shape, n_hosts above, with which it is most like a network
 * that was seen: 0 where the shape has switches, or the network has none. */
uint32_t plan_hosts(const struct topology *shape, const struct topology *seen);

#endif
