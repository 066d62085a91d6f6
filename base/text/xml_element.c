/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements, their attributes, and what is wrong with them. See xml.h.
 */
#include "base/text/xml.h"

#include "base/codes.h"

struct diagnostic *xml_report(struct xml_reader *reader, uint32_t code, struct slice slice,
                              const char *subject, const char *message)
{
    reader->failed = true;
    struct position position = {reader->source, 0, 0, 1};
    if (!diagnostics_is_full(reader->diagnostics, code)) /* finding the line takes a while */
        position = slice_position(reader->source, slice);
    return report(reader->diagnostics, code, position, "'%.80s': %s", subject, message);
}

bool xml_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

const char *xml_find_attribute(const xmlNode *element, const char *name)
{
    for (const xmlAttr *attribute = element->properties; attribute; attribute = attribute->next)
        if (strcmp((const char *)attribute->name, name) == 0)
            return attribute->children && attribute->children->content
                       ? (const char *)attribute->children->content
                       : "";
    return NULL;
}

const char *xml_need_attribute(struct xml_reader *reader, const xmlNode *element,
                               const char *name)
{
    const char *value = xml_find_attribute(element, name);
    if (!value)
        xml_report(reader, CODE_T002, xml_element_slice(reader, element),
                   (const char *)element->name,
                   diagnostics_text(reader->diagnostics, "attribute '%s' missing", name));
    return value;
}

void xml_check_value(struct xml_reader *reader, const xmlNode *element, const char *name,
                     enum value_result result, const char *help)
{
    if (result == VALUE_OK)
        return;
    xml_report(reader, result == VALUE_RANGE ? CODE_T006 : CODE_T002,
               xml_attribute_slice(reader, element, name, true), xml_find_attribute(element, name),
               diagnostics_text(reader->diagnostics, "%s of attribute '%s'",
                                result == VALUE_RANGE ? "out of the range" : "not a value", name))
        ->help = help;
}
