/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of XML share: xml_parse.c parses, xml.c validates the native form,
 * xml_shape.c turns elements into a topology, xml_restrict.c into a part of it,
 * xml_networks.c several into one of several networks, xml_position.c finds elements
 * and attributes in the text again, because libxml2 keeps only lines.
 */
#ifndef COLLC_NETWORK_FORMATS_XML_XML_H
#define COLLC_NETWORK_FORMATS_XML_XML_H

#include "network/formats/readers.h"

#include <libxml/tree.h>

struct xml_reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    bool allows_document_type; /* by name, as in files of SimGrid and hwloc; never entities */
    bool failed;
    const xmlNode *misplaced; /* the element that the schema refused last: it does so twice */
};

/* ---- xml_parse.c ---- */

/* The document of the source, elements located; NULL after reporting T002. Release with
 * xmlFreeDoc. */
xmlDoc *xml_parse(struct xml_reader *reader);

/* ---- xml_position.c ---- */

/* Stores in every element's _private where its start tag is in the text. */
void xml_locate_elements(const struct source *source, xmlDoc *document);
/* The name in an element's start tag; the whole file if it is not known. */
struct slice xml_element_slice(const struct xml_reader *reader, const xmlNode *element);
/* The value of an attribute as it stands in the text (`value`), or its name. */
struct slice xml_attribute_slice(const struct xml_reader *reader, const xmlNode *element,
                                 const char *name, bool value);
/* The text of an element up to the next '<'; empty, or that of the whole file, as above. */
struct slice xml_content_slice(const struct xml_reader *reader, const xmlNode *element);

/* ---- xml_shape.c ---- */

/* The topology of a document whose root is `topology`. Reports what the schema
 * cannot say, every attribute that is unknown, missing or bad, and every element
 * that does not belong into a graph. */
struct topology *xml_topology(struct xml_reader *reader, const xmlNode *root);
/* True for the elements that describe one network: star, full, grid ... graph. */
bool xml_is_shape(const xmlNode *node);
/* The topology of such an element, attributes checked. NULL after reporting. */
struct topology *xml_shape(struct xml_reader *reader, const xmlNode *element,
                           const struct topology_settings *settings);

bool xml_is(const xmlNode *node, const char *name);
/* Reports the attributes that the element cannot have. */
void xml_check_attributes(struct xml_reader *reader, const xmlNode *element);
/* The value, "" if empty, NULL if the element has no such attribute; xml_need_attribute
 * reports one that is missing. */
const char *xml_find_attribute(const xmlNode *element, const char *name);
const char *xml_need_attribute(struct xml_reader *reader, const xmlNode *element,
                               const char *name);
/* Reports the value of an attribute that did not parse; nothing if it did. */
void xml_check_value(struct xml_reader *reader, const xmlNode *element, const char *name,
                     enum value_result result, const char *help);
/* Reads the attributes `bandwidth` and `latency`, where there are any. */
void xml_read_numbers(struct xml_reader *reader, const xmlNode *element, uint64_t *bandwidth,
                      uint64_t *latency);
/* Reports at a slice of the text; quotes `subject`. */
struct diagnostic *xml_report(struct xml_reader *reader, uint32_t code, struct slice slice,
                              const char *subject, const char *message);

/* ---- xml_restrict.c ---- */

/* What the elements `failed` and `machines` among `element` and those behind it leave of a
 * topology, owned from now on. NULL after reporting T002, T024; with NULL for a topology
 * they are only looked at. */
struct topology *xml_restrict(struct xml_reader *reader, struct topology *topology,
                              const xmlNode *element);

/* ---- xml_networks.c ---- */

/* The composite topology (network/networks.h) of an element `networks`. Files that it names
 * are found beside the file read. Reports T023, and what their readers report. */
struct topology *xml_networks(struct xml_reader *reader, const xmlNode *element,
                              const struct topology_settings *settings);

#endif
