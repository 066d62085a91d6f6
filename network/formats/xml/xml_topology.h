/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The native description: xml.c validates it, xml_shape.c turns elements into a topology,
 * xml_restrict.c into a part of it, xml_networks.c several into one of several networks;
 * xml_write*.c write it.
 */
#ifndef COLLC_NETWORK_FORMATS_XML_XML_TOPOLOGY_H
#define COLLC_NETWORK_FORMATS_XML_XML_TOPOLOGY_H

#include "base/text/xml.h"
#include "network/format.h"

/* ---- xml_shape.c ---- */

/* The topology of a document whose root is `topology`. Reports what the schema
 * cannot say, every attribute that is unknown, missing or bad, and every element
 * that does not belong into a graph. */
struct topology *xml_topology(struct xml_reader *reader, const xmlNode *root,
                              topology_part_reader *read_part);
/* True for the elements that describe one network: star, full, grid ... graph. */
bool xml_is_shape(const xmlNode *node);
/* The topology of such an element, attributes checked. NULL after reporting. */
struct topology *xml_shape(struct xml_reader *reader, const xmlNode *element,
                           const struct topology_settings *settings);

/* Reports the attributes that the element cannot have. */
void xml_check_attributes(struct xml_reader *reader, const xmlNode *element);
/* Reads the attributes `bandwidth` and `latency`, where there are any. */
void xml_read_numbers(struct xml_reader *reader, const xmlNode *element, uint64_t *bandwidth,
                      uint64_t *latency);

/* ---- xml_restrict.c ---- */

/* What the elements `failed` and `machines` among `element` and those behind it leave of a
 * topology, owned from now on. NULL after reporting T002, T024; with NULL for a topology
 * they are only looked at. */
struct topology *xml_restrict(struct xml_reader *reader, struct topology *topology,
                              const xmlNode *element);

/* ---- xml_networks.c ---- */

/* The composite topology (network/networks.h) of an element `networks`. Files that it names
 * are found beside the file read, by `read_part`. Reports T023, and what their readers report. */
struct topology *xml_networks(struct xml_reader *reader, const xmlNode *element,
                              const struct topology_settings *settings,
                              topology_part_reader *read_part);

/* ---- xml_write_part.c ---- */

/* Appends the elements `failed` and `machines` that make this topology of topology_whole. False
 * and *problem set if there are none for it. O(links + machines log machines). */
bool xml_write_part(const struct topology *topology, struct text *out, const char **problem);

/* ---- xml_write.c ---- */

topology_writer xml_write;

#endif
