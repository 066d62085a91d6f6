/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Colours edge by edge. It takes a colour that is free at one end and one that is free at the other, and
 * swaps both along the path from the second end on which they alternate, so that the first is free at
 * both. On a bipartite graph that path does not come back to the first end. See colouring.h.
 */
#include "bound/colouring.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum { NO_EDGE = 0 }; /* edge e is 1 + e */

struct colouring {
    struct coloured_edge *edges;
    size_t first_right;
    uint32_t n_colours;
    size_t *at; /* [vertex * n_colours + colour] the edge, or NO_EDGE; those on the left first */
};

static size_t *edge_at(struct colouring *colouring, size_t vertex, uint32_t colour)
{
    return &colouring->at[vertex * colouring->n_colours + colour];
}

static size_t vertex_of(const struct colouring *colouring, size_t edge, int side)
{
    return colouring->edges[edge - 1].end[side] + (side ? colouring->first_right : 0);
}

static uint32_t free_colour(struct colouring *colouring, size_t vertex)
{
    uint32_t colour = 0;
    while (*edge_at(colouring, vertex, colour) != NO_EDGE)
        colour++;
    assert(colour < colouring->n_colours && "no vertex has more edges than there are colours");
    return colour;
}

/* Frees `used` at a vertex on the right where `spare` is free. */
static void flip_path(struct colouring *colouring, size_t vertex, uint32_t used, uint32_t spare)
{
    size_t edge = *edge_at(colouring, vertex, used);
    int side = 1;
    *edge_at(colouring, vertex, used) = NO_EDGE;
    while (edge != NO_EDGE) {
        const size_t other = vertex_of(colouring, edge, !side);
        const size_t next = *edge_at(colouring, other, spare);
        const uint32_t old = used;
        *edge_at(colouring, vertex, spare) = edge;
        *edge_at(colouring, other, spare) = edge;
        *edge_at(colouring, other, used) = NO_EDGE;
        colouring->edges[edge - 1].colour = spare;
        vertex = other;
        side = !side;
        edge = next;
        used = spare;
        spare = old;
    }
}

void colour_edges(struct coloured_edge *edges, size_t n_edges, const size_t n_vertices[2],
                  uint32_t n_colours)
{
    struct colouring colouring = {edges, n_vertices[0], n_colours, NULL};
    colouring.at = mem_alloc((n_vertices[0] + n_vertices[1]) * n_colours + 1, sizeof *colouring.at);
    for (size_t edge = 1; edge <= n_edges; edge++) {
        const size_t left = vertex_of(&colouring, edge, 0), right = vertex_of(&colouring, edge, 1);
        const uint32_t colour = free_colour(&colouring, left);
        if (*edge_at(&colouring, right, colour) != NO_EDGE)
            flip_path(&colouring, right, colour, free_colour(&colouring, right));
        *edge_at(&colouring, left, colour) = edge;
        *edge_at(&colouring, right, colour) = edge;
        edges[edge - 1].colour = colour;
    }
    free(colouring.at);
}
