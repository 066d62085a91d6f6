/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Colours the edges of bipartite multigraphs: with as many colours as the largest degree no vertex has
 * two edges of one colour (Koenig 1916).
 */
#ifndef COLLC_BOUND_COLOURING_H
#define COLLC_BOUND_COLOURING_H

#include <stddef.h>
#include <stdint.h>

struct coloured_edge {
    uint32_t end[2]; /* a vertex of each side, both numbered from 0 */
    uint32_t colour; /* result */
};

/* Colours the edges. n_vertices: of each side. No vertex may have more than n_colours edges. Time O(edges *
 * vertices) at worst, memory O(vertices * colours). */
void colour_edges(struct coloured_edge *edges, size_t n_edges, const size_t n_vertices[2],
                  uint32_t n_colours);

#endif
