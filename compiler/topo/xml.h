/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of the XML reader share: xml.c parses and validates,
 * xml_shape.c turns elements into a topology, xml_position.c finds elements and
 * attributes in the text again, because libxml2 keeps only lines.
 */
#ifndef COLLC_COMPILER_TOPO_XML_H
#define COLLC_COMPILER_TOPO_XML_H

#include "compiler/topo/readers.h"

#include <libxml/tree.h>

struct xml_reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    bool failed;
};

/* ---- xml_position.c ---- */

/* Stores in every element's _private where its start tag is in the text. */
void xml_locate_elements(const struct source *source, xmlDoc *document);
/* The name in an element's start tag; the whole file if it is not known. */
struct slice xml_element_slice(const struct xml_reader *reader, const xmlNode *element);
/* The value of an attribute as it stands in the text (`value`), or its name. */
struct slice xml_attribute_slice(const struct xml_reader *reader, const xmlNode *element,
                                 const char *name, bool value);

/* ---- xml_shape.c ---- */

/* The topology of a document whose root is `topology`. Reports what the schema
 * cannot say, every attribute that is unknown, missing or bad, and every element
 * that does not belong into a graph. */
struct topology *xml_topology(struct xml_reader *reader, const xmlNode *root);
/* Reports at a slice of the text; quotes `subject`. */
struct diagnostic *xml_report(struct xml_reader *reader, enum code code, struct slice slice,
                              const char *subject, const char *message);

#endif
