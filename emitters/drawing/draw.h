/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thin layer over cgraph, so that its calls stand in one file (draw.c): the
 * header of cgraph takes `char *` where it means `const char *`, and nobody else
 * should have to know.
 *
 * Drawings are written in the order in which their parts are added, so equal
 * calls give equal bytes.
 */
#ifndef COLLC_EMITTERS_DRAWING_DRAW_H
#define COLLC_EMITTERS_DRAWING_DRAW_H

#include "emitters/emit.h"

/* Above these numbers parts are put together in one (docs/drawing.md). */
enum {
    DRAW_MAX_NODES = 2000,
    DRAW_MAX_EDGES = 20000,
    DRAW_MAX_MACHINES = 64, /* of a fabric with switches; beyond, one node per leaf switch */
    DRAW_MAX_CABLES = 2,    /* side by side; beyond, one line with their number */
    DRAW_MAX_IN_ROW = 32 /* machines side by side */
};

struct drawing;
struct drawing_node;
struct drawing_edge;
struct drawing_cluster;

/* A directed drawing. Attributes are set before the first node is added. */
struct drawing *drawing_open(const char *name);
/* What holds for the drawing, for all its nodes, for all its edges. */
void drawing_set(struct drawing *drawing, const char *attribute, const char *value);
void drawing_set_nodes(struct drawing *drawing, const char *attribute, const char *value);
void drawing_set_edges(struct drawing *drawing, const char *attribute, const char *value);
/* The caption below the drawing; HTML-like as Graphviz knows it, without the
 * outer angle brackets. */
void drawing_caption(struct drawing *drawing, const char *html);
/* The caption `first`, and below it what colours mean: each word on its colour. */
struct drawing_colour {
    const char *colour, *meaning;
};
void drawing_caption_colours(struct drawing *drawing, const char *first, const struct drawing_colour *colours,
                             size_t n);
/* Appends `text` to `out` with what HTML takes as markup escaped. */
void drawing_escape(const char *text, struct text *out);

/* What a topology is called in a caption: a file without its folders. */
const char *drawing_topology_name(const struct topology *topology);

/* The colour of a load: from light grey (none) over amber to dark red (the largest). */
void load_colour(uint64_t load, uint64_t max, char colour[8]);

/* A group of nodes in a box, or, without label, a group on one level. */
struct drawing_cluster *drawing_cluster(struct drawing *drawing, const char *name,
                                        const char *label);
struct drawing_node *drawing_node(struct drawing *drawing, struct drawing_cluster *cluster,
                                  const char *name, const char *label);
struct drawing_edge *drawing_edge(struct drawing *drawing, struct drawing_node *from,
                                  struct drawing_node *to);
void drawing_node_set(struct drawing_node *node, const char *attribute, const char *value);
void drawing_edge_set(struct drawing_edge *edge, const char *attribute, const char *value);
/* Words at an edge, HTML-like, on white so that no line that was drawn before shows through. `makes_room`:
 * the nodes are laid out anew for them, else they stand where there is room. */
void drawing_edge_label(struct drawing_edge *edge, const char *html, bool makes_room);
/* Writes the drawing in DOT and frees it. */
void drawing_close(struct drawing *drawing, struct text *out);

#endif
