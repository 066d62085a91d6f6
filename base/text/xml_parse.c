/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parses the XML of any format, bounded: no entities, which could name a file or
 * grow, no network, no endless tags. The errors of libxml2 become diagnostics and it
 * prints nothing itself.
 */
#include "base/text/xml.h"

#include "base/codes.h"

#include <ctype.h>
#include <string.h>

/* libxml2's sentence in our style: no newline, no full stop, lower case, and no
 * advice to whoever programs with it. */
static const char *tidy(struct xml_reader *reader, const char *message)
{
    const char *advice = message ? strstr(message, " use XML_PARSE_HUGE") : NULL;
    size_t length = advice ? (size_t)(advice - message) : message ? strlen(message) : 0;
    while (length && strchr(" .\n", message[length - 1]))
        length--;
    char *text = arena_strndup(&reader->diagnostics->arena, message ? message : "", length);
    if (length > 1 && !isupper((unsigned char)text[1]))
        text[0] = (char)tolower((unsigned char)text[0]);
    return text;
}

static void on_parse_error(void *context, xmlErrorPtr error)
{
    struct xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    if (error->level < XML_ERR_ERROR || reader->failed)
        return; /* what follows the first error is mostly its echo */
    reader->failed = true;
    struct position position = {reader->source, error->line > 0 ? (uint32_t)error->line : 1,
                                error->int2 > 0 ? (uint32_t)error->int2 : 1, 1};
    report(reader->diagnostics, CODE_T002, position, "not well-formed XML: %s",
           tidy(reader, error->message));
}

static void xml_parse_refuse(xmlParserCtxt *parser, const xmlChar *name, const char *what, const char *help)
{
    struct xml_reader *reader = parser->_private;
    struct position position = {reader->source, (uint32_t)libxml2()->xmlSAX2GetLineNumber(parser), 1, 1};
    if (!reader->failed)
        report(reader->diagnostics, CODE_T002, position, "'%.80s': %s not allowed",
               (const char *)name, what)
            ->help = help;
    reader->failed = true;
    libxml2()->xmlStopParser(parser);
}

static void refuse_document_type(void *context, const xmlChar *name, const xmlChar *public_id,
                                 const xmlChar *system_id)
{
    (void)public_id;
    (void)system_id;
    xml_parse_refuse(context, name, "document type",
                     "remove the <!DOCTYPE ...> declaration; entities are not supported");
}

static void refuse_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id,
                          const xmlChar *system_id, xmlChar *content)
{
    (void)type;
    (void)public_id;
    (void)system_id;
    (void)content;
    xml_parse_refuse(context, name, "entity", "remove the <!ENTITY ...> declarations");
}

/* libxml2 compares every attribute of an element with every other, and makes some
 * 500 bytes of each element: both are bounded here, far above any real network. */
enum { MAX_TAG_BYTES = 1 << 16, MAX_ELEMENTS = 1 << 20 };

static bool xml_parse_is_comment(const char *tag)
{
    return strncmp(tag, "<!--", 4) == 0;
}

/* Returns the first tag that is too long, or the first above the number allowed; NULL: none. */
static const char *find_excess(const struct source *source)
{
    const char *end = source->text + source->length;
    const char *tag = memchr(source->text, '<', source->length);
    for (uint32_t n = 0; tag; n++) {
        const char *next = memchr(tag + 1, '<', (size_t)(end - tag - 1));
        size_t length = (size_t)((next ? next : end) - tag);
        if (n > 2 * MAX_ELEMENTS || (length > MAX_TAG_BYTES && !xml_parse_is_comment(tag)))
            return tag;
        tag = next;
    }
    return NULL;
}

static bool check_extent(struct xml_reader *reader)
{
    const char *tag = find_excess(reader->source);
    if (!tag)
        return true;
    struct slice slice = {tag, 1};
    report(reader->diagnostics, CODE_T002, slice_position(reader->source, slice),
           "a tag of more than %d bytes, or more than %d elements", MAX_TAG_BYTES, MAX_ELEMENTS)
        ->help = "this is no description of a network; describe a regular one by its numbers, as "
                 "in <fattree down=\"16x16x16\"/>";
    return false;
}

/* Returns what libxml2 made; ends the process if it is NULL, as libxml2 fails only for want of memory. */
static void *xml_parse_need(void *made)
{
    if (made)
        return made;
    fatal("cannot read XML:");
}

static xmlDoc *text_xml_parse(struct xml_reader *reader)
{
    xmlParserCtxt *parser = xml_parse_need(libxml2()->xmlNewParserCtxt());
    parser->_private = reader;
    parser->sax->serror = on_parse_error;
    if (reader->allows_document_type)
        parser->sax->entityDecl = refuse_entity;
    else
        parser->sax->internalSubset = refuse_document_type;
    xmlDoc *document = libxml2()->xmlCtxtReadMemory(parser, reader->source->text, (int)reader->source->length,
                                                    reader->source->path, "UTF-8",
                                                    XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    libxml2()->xmlFreeParserCtxt(parser);
    if (!reader->failed && document)
        return document;
    if (!reader->failed)
        xml_report(reader, CODE_T002, (struct slice){reader->source->text, 0},
                   reader->source->path, "not well-formed XML");
    libxml2()->xmlFreeDoc(document);
    return NULL;
}

xmlDoc *xml_parse(struct xml_reader *reader)
{
    xmlDoc *document = check_extent(reader) ? text_xml_parse(reader) : NULL;
    if (document)
        xml_locate_elements(reader->source, document);
    return document;
}
