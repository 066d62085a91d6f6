/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The native description. xml.c validates it, xml_shape.c makes a topology of the elements,
 * xml_restrict.c a part of a topology, xml_networks.c one topology of several networks; xml_write*.c
 * write it.
 */
#ifndef COLLC_NETWORK_FORMATS_XML_XML_TOPOLOGY_H
#define COLLC_NETWORK_FORMATS_XML_XML_TOPOLOGY_H

#include "base/text/xml.h"
#include "network/format.h"

/* ---- xml_shape.c ---- */

/* Returns the topology of a document whose root is `topology`. Reports what the schema cannot check:
 * attributes that are unknown, missing or bad, and elements that do not belong into a graph. */
struct topology *xml_topology(struct xml_reader *reader, const xmlNode *root,
                              topology_part_reader *read_part);
/* True for the elements that describe one network: star, full, grid ... graph. */
bool xml_is_shape(const xmlNode *node);
/* Returns the topology of such an element and checks its attributes. NULL after reporting. */
struct topology *xml_shape(struct xml_reader *reader, const xmlNode *element,
                           const struct topology_settings *settings);

/* Reports the attributes that the element cannot have. */
void xml_check_attributes(struct xml_reader *reader, const xmlNode *element);
/* Reads the attributes `bandwidth` and `latency`, if present. */
void xml_read_numbers(struct xml_reader *reader, const xmlNode *element, uint64_t *bandwidth,
                      uint64_t *latency);

/* ---- xml_restrict.c ---- */

/* Restricts a topology, which it owns from now on, by the elements `failed` and `machines` among `element`
 * and its later siblings. Returns NULL after reporting T002, T024. With NULL for the topology it only
 * checks the elements. */
struct topology *xml_restrict(struct xml_reader *reader, struct topology *topology,
                              const xmlNode *element);

/* ---- xml_networks.c ---- */

/* Returns the composite topology (network/networks.h) of an element `networks`. `read_part` finds the files
 * that it names beside the file being read. Reports T023, and the findings of the parts' readers. */
struct topology *xml_networks(struct xml_reader *reader, const xmlNode *element,
                              const struct topology_settings *settings,
                              topology_part_reader *read_part);

/* ---- xml_write_part.c ---- */

/* Appends the elements `failed` and `machines` that make this topology of topology_whole. Returns false and
 * sets *problem if no elements can. O(links + machines log machines). */
bool xml_write_part(const struct topology *topology, struct text *out, const char **problem);

/* ---- xml_write.c ---- */

topology_writer xml_write;

#endif
