/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The routes of all pairs where those to one machine are a tree (topology_next_links): each tree is
 * gone through once, from its leaves to its root, and not once for each machine that sends along it.
 */
#ifndef COLLC_ROUTES_TREES_H
#define COLLC_ROUTES_TREES_H

#include "base/observer.h"
#include "network/topology.h"

/* Whether they are, and cross no links that do not contend. O(nodes) */
bool trees_are_routes(const struct topology *topology);

struct trees;

/* is_inner: [link] joins nodes that forward; it outlives the trees. NULL where routes are no trees,
 * or cross links that do not contend. Release with trees_free. */
struct trees *trees_new(const struct topology *topology, const bool *is_inner);
void trees_free(struct trees *trees);

/* The tree of a destination. Links of it are listed from the leaves to the root, each after all
 * that lead to it. */
struct tree_link {
    uint32_t link;
    uint32_t follows; /* the link of the tree behind it, or NO_NEXT_LINK: it ends at the root */
    uint32_t n_routes;
};
struct tree {
    const struct tree_link *links; /* those that leave routers */
    uint32_t n_links;
    uint32_t n_sources;  /* machines with a route */
    uint32_t max_inner;  /* inner links on a route, the most */
    bool has_switches;   /* some route leads over a router */
};
/* Valid until the next call. O(nodes). */
struct tree trees_to(struct trees *trees, uint32_t destination);

/* The busiest inner link of each shift i -> i + k of all machines, or 1 where there is none, 0 without
 * any route: load[k], for 1 <= k < machines. False, and nothing is done, if machines with neighbouring
 * numbers send over so many different routers that walking the routes is cheaper. O(machines x
 * (nodes + links)), 256 MiB at most. */
bool trees_shift_loads(struct trees *trees, const struct observer *observer, uint32_t *load);

#endif
