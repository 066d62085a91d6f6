/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ir/topology.c asks of each kind of topology. Private to ir/topology*.c:
 * everybody else calls topology_route and its neighbours.
 */
#ifndef COLLC_IR_TOPOLOGY_KINDS_H
#define COLLC_IR_TOPOLOGY_KINDS_H

#include "ir/topology.h"

/* An empty topology of that kind with the settings filled in. */
struct topology *topology_allocate(enum topology_kind kind,
                                   const struct topology_settings *settings);
/* Computes the fingerprint and, without a name, the name. Call last. */
struct topology *topology_finish(struct topology *topology);

uint32_t grid_route(const struct topology *topology, uint32_t source, uint32_t destination,
                    struct hop *hops);
bool grid_has_link(const struct topology *topology, uint32_t link);
uint32_t grid_link_end(const struct topology *topology, uint32_t link);
void grid_node_name(const struct topology *topology, uint32_t node, struct text *out);
uint32_t grid_find_machine(const struct topology *topology, const char *name, size_t length);
void grid_shape(const struct topology *topology, struct text *out);

uint32_t tree_route(const struct topology *topology, uint32_t source, uint32_t destination,
                    struct hop *hops);
void tree_link_ends(const struct topology *topology, uint32_t link, uint32_t *from, uint32_t *to);
void tree_shape(const struct topology *topology, struct text *out);

/* Reads a decimal number without sign or blanks at *cursor, before `end`. */
bool topology_scan_number(const char **cursor, const char *end, uint32_t *value);

/* FNV-1a, 64 bits, over numbers (least significant byte first) and strings. */
uint64_t fingerprint_number(uint64_t hash, uint64_t number);
uint64_t fingerprint_text(uint64_t hash, const char *text, size_t length);
#define FINGERPRINT_START UINT64_C(0xcbf29ce484222325)

#endif
