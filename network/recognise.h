/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is an explicit network (network/graph.h) a regular one? Rail, star, full, mesh, torus,
 * extended generalised fat tree and Dragonfly+ are found whatever its nodes are called and in
 * whatever order they stand, and the answer is proved: it comes with the node of
 * the shape for every node of the network, and recognition_check, which knows
 * nothing of the search, has found that cables and links then are the same.
 *
 *   rail, tree   machines and routers are those of the fabric; rail k of all hosts of a group leads to one
 *                switch
 *   dragonfly+   likewise; if cables between groups end at other spines, it is nearly one
 *   full, grid   either machines that are cabled to each other, or routers with one
 *                machine each: its cable has no counterpart in the shape, whose
 *                machine and router are one; these cables must be alike and none of
 *                them narrower than a link of the shape
 *
 * The name is canonical, it depends on the cables alone:
 *   - rail before star where hosts have several cables, star before fattree, fattree before full, full
 *     before mesh and torus
 *     (a triangle is full:3, a pair full:2)
 *   - dimensions of extent 1 are left out; two dimensions of 2 that do not wrap and
 *     have like links are a ring of 4, and are written so (a hypercube of 16 is torus:4x4)
 *   - larger extents come first; of equal ones those that wrap, then the faster links
 *
 * The search is linear in the cables and backtracks nowhere: in a product of paths and
 * rings the dimensions at one node determine those at its neighbours (Imrich & Peterin
 * 2007), and in a fat tree any order of parents is as good as any other.
 */
#ifndef COLLC_NETWORK_RECOGNISE_H
#define COLLC_NETWORK_RECOGNISE_H

#include "network/topology.h"

struct graph; /* network/graph.h */

struct recognition {
    struct topology *shape; /* NULL: not regular */
    uint32_t *image;        /* [node of the network] node of the shape; NULL without shape */
    struct text nearly;     /* without shape: the shape that it nearly has, "" if none is known */
};

/* Fills *recognition, to be released with recognition_free; true if there is a shape.
 * Kinds other than graph are never recognised. O(cables log cables) time; memory: 48
 * bytes a link end, and 8 a node and dimension. */
bool recognise(const struct topology *topology, struct recognition *recognition);
/* Does the same for the topology of which this is a part that has all its nodes (network/parts.h), as it was
 * before links failed. */
bool recognise_whole(const struct topology *part, struct recognition *recognition);
void recognition_free(struct recognition *recognition);

/* Strictness of the comparison of two networks. */
enum likeness {
    LIKE_EXACTLY,  /* ends, bandwidths and latencies of all cables */
    LIKE_IN_CABLES, /* ends of all cables */
    LIKE_IN_PAIRS  /* which nodes are cabled, however often */
};
/* Proves a recognition: true if image is one-to-one between the nodes begin .. begin + n - 1 of the network
 * and the nodes of the shape, and takes the links among them to the links of the shape, with none left over
 * on either side. O(links log links). */
bool recognition_check(const struct graph *graph, uint32_t begin, const struct topology *shape,
                       const uint32_t *image, enum likeness likeness);

#endif
