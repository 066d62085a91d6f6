/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that the readers of XML share: xml_root.c tells whose XML a text is, xml_parse.c parses,
 * xml_element.c takes elements apart and reports on them, xml_position.c finds elements and attributes in
 * the text again, because libxml2 keeps only lines.
 */
#ifndef COLLC_BASE_TEXT_XML_H
#define COLLC_BASE_TEXT_XML_H

#include "base/text/libxml2.h"
#include "base/text/units.h"

struct xml_reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    bool allows_document_type; /* by name, as in files of SimGrid and hwloc; never entities */
    bool failed;
};

/* True if the first element of the text has that name. O(prolog). */
bool xml_root_is(const struct source *source, const char *name);

/* Returns the document of the source, elements located; NULL after reporting T002. Release with
 * xmlFreeDoc. */
xmlDoc *xml_parse(struct xml_reader *reader);

/* ---- xml_element.c ---- */

bool xml_is(const xmlNode *node, const char *name);
/* Returns the value, "" if empty, NULL if the element has no such attribute; xml_need_attribute reports one
 * that is missing. */
const char *xml_find_attribute(const xmlNode *element, const char *name);
const char *xml_need_attribute(struct xml_reader *reader, const xmlNode *element,
                               const char *name);
/* Reports the value of an attribute that did not parse; nothing if it did. */
void xml_check_value(struct xml_reader *reader, const xmlNode *element, const char *name,
                     enum value_result result, const char *help);
/* Reports at a slice of the text; quotes `subject`. */
struct diagnostic *xml_report(struct xml_reader *reader, uint32_t code, struct slice slice,
                              const char *subject, const char *message);

/* ---- xml_position.c ---- */

/* Stores the position of every element's start tag in its _private. */
void xml_locate_elements(const struct source *source, xmlDoc *document);
/* Returns the name in an element's start tag; the whole file if it is not known. */
struct slice xml_element_slice(const struct xml_reader *reader, const xmlNode *element);
/* Returns the value of an attribute as it stands in the text (`value`), or its name. */
struct slice xml_attribute_slice(const struct xml_reader *reader, const xmlNode *element,
                                 const char *name, bool value);
/* Returns the text of an element up to the next '<'; empty, or that of the whole file, as above. */
struct slice xml_content_slice(const struct xml_reader *reader, const xmlNode *element);

#endif
