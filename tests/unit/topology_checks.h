/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks what holds of every topology, by independent arithmetic: each route against a breadth-first search
 * over the links alone, and with the rule that the header of its kind states.
 */
#ifndef COLLC_TESTS_UNIT_TOPOLOGY_CHECKS_H
#define COLLC_TESTS_UNIT_TOPOLOGY_CHECKS_H

#include "network/topology.h"

/* An equality that names the case when it fails. */
#define EQUAL(actual, expected, context)                                                           \
    check_equal((uint64_t)(actual), (uint64_t)(expected), #actual, context, __LINE__)
void check_equal(uint64_t actual, uint64_t expected, const char *what, const char *context,
                 int line);
struct topology *must_read(const char *spec);
uint32_t n_nodes_of(const struct topology *topology);
/* distance[node] from `start` by relaxing all links until nothing changes.
 * Machines of a tree or graph forward nothing. */
void find_distances(const struct topology *topology, uint32_t start, uint32_t *distance);
void check_path(const struct topology *topology, const struct hop *hops, uint32_t n,
                uint32_t source, uint32_t destination);
void check_routes(const struct topology *topology);
/* Ids are dense, ends are nodes, every link has its reverse, and no two links
 * of an implicit shape other than a ring of two join the same nodes. */
void check_links(const struct topology *topology);
void check_names(const struct topology *topology);

static const char *const shapes[] = {
    "star:1",          "star:2",           "star:7",
    "full:1",          "full:2",           "full:7",
    "mesh:1",          "mesh:5",           "mesh:4x3",
    "mesh:2x2x2",      "mesh:3x1x4",       "torus:1",
    "torus:2",         "torus:3",          "torus:8",
    "torus:5x4",       "torus:2x2x2",      "torus:4x3x2",
    "torus:4x1x3",     "torus:6x5m",       "mesh:3x4tx2",
    "mesh:2x2x2x2x2x2", "torus:3x2x2x2x2", "torus:2x1x2x1x2x1x2x3",
    "fattree:4",       "fattree:1",        "fattree:4x3",
    "fattree:4x4x4",   "fattree:4x4x2,up=1x2x1", "fattree:3x2x4,up=2x3x2",
    "fattree:2x2x2x2", "fattree:2x2x2x2x2x2", "fattree:4x1,up=1x2",
    "fattree:1x4",     "fattree:3x1x3",    "star:5,ports=2",
    "star:5,cables=3",  "fattree:4x3,cables=1x2", "fattree:3x2x4,up=2x1x2,cables=1x3x2",
    "fattree:3x2x2,up=1x2x1,cables=2x1x3", "fattree:4x1x3,up=1x2x1,cables=1x2x2",
};

#endif
