/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The routes of all pairs if those to one machine are a tree (topology_next_links): each tree is walked
 * once, from its leaves to its root, and not once for each machine that sends along it.
 */
#ifndef COLLC_ROUTES_TREES_H
#define COLLC_ROUTES_TREES_H

#include "base/observer.h"
#include "network/topology.h"

/* True if they are trees, and cross no links that do not contend. O(nodes) */
bool trees_are_routes(const struct topology *topology);

struct trees;

/* Makes the state. is_inner: [link] joins nodes that forward; it must outlive the trees. Returns NULL if
 * routes are no trees, or cross links that do not contend. Release with trees_free. */
struct trees *trees_new(const struct topology *topology, const bool *is_inner);
void trees_free(struct trees *trees);

/* The tree of a destination. Its links are listed from the leaves to the root, each after all that lead to
 * it. */
struct tree_link {
    uint32_t link;
    uint32_t follows; /* the tree's link behind it, or NO_NEXT_LINK: it ends at the root */
    uint32_t n_routes;
};
struct tree {
    const struct tree_link *links; /* only links that leave routers */
    uint32_t n_links;
    uint32_t n_sources;  /* machines with a route */
    uint32_t max_inner;  /* most inner links on a route */
    bool has_switches;   /* some route leads over a router */
};
/* Returns the tree of a destination, valid until the next call. O(nodes). */
struct tree trees_to(struct trees *trees, uint32_t destination);

/* Finds the load of the busiest inner link of each shift i -> i + k of all machines, 1 if there is none, 0
 * without any route: load[k], for 1 <= k < machines. Returns false, with nothing done, if neighbouring
 * machines send over so many different routers that walking the routes is cheaper. O(machines x (nodes +
 * links)), 256 MiB at most. */
bool trees_shift_loads(struct trees *trees, const struct observer *observer, uint32_t *load);

#endif
