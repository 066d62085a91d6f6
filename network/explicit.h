/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts that explicit networks made of a string share (network/rail.c, network/dragonfly.c).
 */
#ifndef COLLC_NETWORK_EXPLICIT_H
#define COLLC_NETWORK_EXPLICIT_H

#include "network/graph.h"

enum { EXPLICIT_MAX_CABLES = 1 << 20, EXPLICIT_MAX_CLASSES = 3 };

/* Writes the n classes of the settings, with defaults. */
void explicit_classes(const struct topology_settings *settings, uint32_t n, struct link_class *classes);
/* Adds the node "m3", or, with a part, "leaf0.3"; names that begin with m are those of machines. `part`
 * GRAPH_NONE: one number. */
void explicit_add_node(struct graph *graph, const char *word, uint32_t number, uint32_t part);
/* Adds a cable of a class. */
void explicit_add_cable(struct graph *graph, uint32_t a, uint32_t b, const struct link_class *class);
/* Returns the topology of a graph, which it seals and owns from now on. `shape` is its string up to the
 * numbers of links, which are appended; freed. */
struct topology *explicit_new(const struct topology_settings *settings, const struct link_class *classes,
                              uint32_t n_classes, struct graph *graph, struct text *shape);

#endif
