/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where switches, cables and their labels lie if switches stand in rows. All lengths are inches, x to
 * the right and y up.
 *
 *   nodes     in their order in each row, the other rows spread over the nodes they have lines to
 *   lines     between rows straight, between nodes of one row as a bracket: below the lowest row, above
 *             the others, nested ones apart. At a node the lines have places of their own along its side
 *   labels    on their line, where as little as possible runs through them, above all nothing heavy
 *
 * So a label belongs to the one line it lies on. Knows nothing of networks and of Graphviz.
 */
#ifndef COLLC_EMITTERS_DRAWING_ROWS_H
#define COLLC_EMITTERS_DRAWING_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct rows_point {
    double x, y;
};

struct rows_node {
    uint32_t row; /* 0 is the lowest */
    double width, height;
    struct rows_point at; /* found: its middle */
};

struct rows_line {
    uint32_t from, to;                /* nodes, unlike each other */
    double label_width, label_height; /* 0: it has none */
    double weight;                    /* 0 to 1: how much a label across it would hide */
    unsigned n_points;                /* found: 2 of a straight line, 4 of a bracket; from `from` to `to` */
    struct rows_point points[4];
    struct rows_point label; /* found: the middle of it */
};

/* O((nodes + lines) (log(nodes + lines) + rows) + brackets^2); while labels x lines are few enough, each
 * label is tried in some places and compared with all lines. */
void rows_lay_out(struct rows_node *nodes, size_t n_nodes, struct rows_line *lines, size_t n_lines);

#endif
