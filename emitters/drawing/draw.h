/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thin layer over cgraph that keeps all its calls in one file (draw.c): cgraph's header takes `char *`
 * where it means `const char *`, and no other file should have to deal with that.
 *
 * Drawings are written in the order in which their parts are added, so equal calls give equal bytes.
 */
#ifndef COLLC_EMITTERS_DRAWING_DRAW_H
#define COLLC_EMITTERS_DRAWING_DRAW_H

#include "emitters/emit.h"

/* Limits above which parts are merged (docs/drawing.md). */
enum {
    DRAW_MAX_NODES = 2000,
    DRAW_MAX_EDGES = 20000,
    DRAW_MAX_CABLES = 2,  /* side by side; above, one line with their number */
    DRAW_MAX_IN_ROW = 32  /* machines side by side; above, they are part of their switch */
};

struct drawing;
struct drawing_node;
struct drawing_edge;
struct drawing_cluster;

/* Opens a directed drawing. Attributes must be set before the first node is added. */
struct drawing *drawing_open(const char *name);
/* Set an attribute of the drawing, of all its nodes, of all its edges. */
void drawing_set(struct drawing *drawing, const char *attribute, const char *value);
void drawing_set_nodes(struct drawing *drawing, const char *attribute, const char *value);
void drawing_set_edges(struct drawing *drawing, const char *attribute, const char *value);
/* Sets the caption below the drawing; HTML-like as Graphviz defines it, without the outer angle brackets. */
void drawing_caption(struct drawing *drawing, const char *html);
/* Sets the caption `first`, and below it the meanings of colours: each word on its colour. */
struct drawing_colour {
    const char *colour, *meaning;
};
void drawing_caption_colours(struct drawing *drawing, const char *first, const struct drawing_colour *colours,
                             size_t n);
/* Appends `text` to `out` with HTML's markup characters escaped. */
void drawing_escape(const char *text, struct text *out);

/* Returns the name of a topology for a caption: a file without its folders. */
const char *drawing_topology_name(const struct topology *topology);

/* Sets the colour of a load, whatever is drawn: grey for none; blue up to what is no harm; above that from
 * amber to dark red, for the largest or four times as much, whichever is more. */
void load_colour(double load, double calm, double largest, char colour[8]);

/* Adds a group of nodes in a box or, without label, a group on one level. */
struct drawing_cluster *drawing_cluster(struct drawing *drawing, const char *name,
                                        const char *label);
struct drawing_node *drawing_node(struct drawing *drawing, struct drawing_cluster *cluster,
                                  const char *name, const char *label);
struct drawing_edge *drawing_edge(struct drawing *drawing, struct drawing_node *from,
                                  struct drawing_node *to);
void drawing_node_set(struct drawing_node *node, const char *attribute, const char *value);
void drawing_edge_set(struct drawing_edge *edge, const char *attribute, const char *value);
/* Sets an HTML-like label of an edge, on white so that no line drawn before shows through. `makes_room`:
 * the nodes are laid out again for it, else it stands where there is room. */
void drawing_edge_label(struct drawing_edge *edge, const char *html, bool makes_room);
/* Writes the drawing in DOT and frees it. */
void drawing_close(struct drawing *drawing, struct text *out);

#endif
