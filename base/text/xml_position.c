/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Positions of elements and attributes in the text of an XML file. The document has been parsed, so the
 * text is well-formed and declares nothing: start tags can be found by skipping comments, instructions,
 * document types, CDATA and end tags, and the n-th start tag is the n-th element in document order.
 */
#include "base/text/xml.h"

#include <string.h>

/* After the next `stop`, or the end. */
static const char *skip_past(const char *at, const char *stop)
{
    const char *found = strstr(at, stop);
    return found ? found + strlen(stop) : at + strlen(at);
}

/* After the '>' that ends the tag: not one inside a quoted value. */
static const char *skip_tag(const char *at)
{
    for (char quote = 0; *at; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at + 1;
    }
    return at;
}

/* Returns the '<' of the next start tag, or NULL. */
static const char *next_start_tag(const char *at)
{
    while ((at = strchr(at, '<')) != NULL) {
        if (strncmp(at, "<!--", 4) == 0)
            at = skip_past(at + 4, "-->");
        else if (strncmp(at, "<![CDATA[", 9) == 0)
            at = skip_past(at + 9, "]]>");
        else if (at[1] == '?')
            at = skip_past(at + 2, "?>");
        else if (at[1] == '!') /* a document type, which declares nothing */
            at = skip_past(at + 2, ">");
        else if (at[1] == '/')
            at = skip_past(at + 2, ">");
        else
            return at;
    }
    return NULL;
}

static xmlNode *skip_to_element(xmlNode *node)
{
    while (node && node->type != XML_ELEMENT_NODE)
        node = node->next;
    return node;
}

/* Returns the next element in document order. */
static xmlNode *next_element(xmlNode *element)
{
    xmlNode *next = skip_to_element(element->children);
    while (!next && element && element->type == XML_ELEMENT_NODE) {
        next = skip_to_element(element->next);
        element = element->parent;
    }
    return next;
}

void xml_locate_elements(const struct source *source, xmlDoc *document)
{
    const char *tag = next_start_tag(source->text);
    xmlNode *element = libxml2()->xmlDocGetRootElement(document);
    while (tag && element) {
        element->_private = (void *)(uintptr_t)tag;
        tag = next_start_tag(skip_tag(tag));
        element = next_element(element);
    }
}

struct slice xml_element_slice(const struct xml_reader *reader, const xmlNode *element)
{
    const char *tag = element ? element->_private : NULL;
    if (!tag)
        return (struct slice){reader->source->text, 0};
    return (struct slice){tag + 1, strcspn(tag + 1, " \t\r\n/>")};
}

/* An attribute in a start tag: its name and its value without quotes. */
struct attribute {
    struct slice name, value;
};

static bool next_attribute(const char **at, struct attribute *attribute)
{
    *at += strspn(*at, " \t\r\n");
    size_t length = strcspn(*at, " \t\r\n=/>");
    const char *open = *at + length + strspn(*at + length, " \t\r\n=");
    if (!length || (*open != '"' && *open != '\''))
        return false;
    const char *close = strchr(open + 1, *open);
    if (!close)
        return false;
    attribute->name = (struct slice){*at, length};
    attribute->value = (struct slice){open + 1, (size_t)(close - open) - 1};
    *at = close + 1;
    return true;
}

struct slice xml_attribute_slice(const struct xml_reader *reader, const xmlNode *element,
                                 const char *name, bool value)
{
    struct slice slice = xml_element_slice(reader, element);
    const char *at = slice.text + slice.length;
    struct attribute attribute;
    while (slice.length && next_attribute(&at, &attribute))
        if (attribute.name.length == strlen(name) &&
            memcmp(attribute.name.text, name, attribute.name.length) == 0)
            return value ? attribute.value : attribute.name;
    return slice;
}

struct slice xml_content_slice(const struct xml_reader *reader, const xmlNode *element)
{
    const char *start = element->_private ? skip_tag(element->_private) : NULL;
    if (!start || start[-2] == '/')
        return (struct slice){start ? start : reader->source->text, 0};
    return (struct slice){start, strcspn(start, "<")};
}
