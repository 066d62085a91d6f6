/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places switches, cables and their labels if switches stand in rows. All lengths are inches, x to the
 * right and y up.
 *
 *   nodes     in their order in each row, the other rows spread over the nodes they have lines to
 *   lines     between rows straight, between nodes of one row as a bracket: below the lowest row, above
 *             the others, nested ones apart. At a node each line has a place of its own along the side
 *   labels    on their line, where they cover as little as possible of others, and no heavy line
 *
 * So a label belongs to the one line it lies on. Does not depend on networks or Graphviz.
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
    struct rows_point at; /* result: its middle */
};

struct rows_line {
    uint32_t from, to;                /* two different nodes */
    double label_width, label_height; /* 0: no label */
    double weight;                    /* 0 to 1: importance, the cost of a label across it */
    unsigned n_points;                /* result: 2 of a straight line, 4 of a bracket; from `from` to `to` */
    struct rows_point points[4];
    struct rows_point label; /* result: middle of the label */
};

/* Places everything. O((nodes + lines) (log(nodes + lines) + rows) + brackets^2). If labels x lines are few
 * enough, each label is tried in some places and compared with all lines. */
void rows_lay_out(struct rows_node *nodes, size_t n_nodes, struct rows_line *lines, size_t n_lines);

#endif
