/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the native description: XML after docs/schema/topology.rng, which is
 * built into the executable. libxml2 parses and validates; its errors become
 * diagnostics and it prints nothing itself. Document types are refused, so no
 * entity can name a file or grow.
 */
#include "compiler/topo/xml.h"

#include "ir/embedded.h"

#include <ctype.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <string.h>

struct diagnostic *xml_report(struct xml_reader *reader, enum code code, struct slice slice,
                              const char *subject, const char *message)
{
    reader->failed = true;
    const struct diagnostics *diagnostics = reader->diagnostics;
    uint32_t keep = diagnostics->keep_per_code ? diagnostics->keep_per_code : 20;
    struct position position = {reader->source, 0, 0, 1};
    if (diagnostics->n_of_code[code] < keep) /* finding the line takes a while */
        position = slice_position(reader->source, slice);
    return report(reader->diagnostics, code, position, "'%.80s': %s", subject, message);
}

/* ---- parsing ---- */

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

static void refuse_document_type(void *context, const xmlChar *name, const xmlChar *public_id,
                                 const xmlChar *system_id)
{
    xmlParserCtxt *parser = context;
    struct xml_reader *reader = parser->_private;
    (void)public_id;
    (void)system_id;
    if (!reader->failed)
        report(reader->diagnostics, CODE_T002,
               (struct position){reader->source, (uint32_t)xmlSAX2GetLineNumber(parser), 1, 1},
               "'%.80s': document type not allowed", (const char *)name)
            ->help = "remove the <!DOCTYPE ...> declaration; entities are not supported";
    reader->failed = true;
    xmlStopParser(parser);
}

/* libxml2 compares every attribute of an element with every other, and makes some
 * 500 bytes of each element: both are bounded here, far above any real network. */
enum { MAX_TAG_BYTES = 1 << 16, MAX_ELEMENTS = 1 << 20 };

static bool is_comment(const char *tag)
{
    return strncmp(tag, "<!--", 4) == 0;
}

/* The first tag that is too long, or the first above the number allowed; NULL: none. */
static const char *find_excess(const struct source *source)
{
    const char *end = source->text + source->length;
    const char *tag = memchr(source->text, '<', source->length);
    for (uint32_t n = 0; tag; n++) {
        const char *next = memchr(tag + 1, '<', (size_t)(end - tag - 1));
        size_t length = (size_t)((next ? next : end) - tag);
        if (n > 2 * MAX_ELEMENTS || (length > MAX_TAG_BYTES && !is_comment(tag)))
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

/* What libxml2 makes; it fails only for want of memory. */
static void *need(void *made)
{
    if (made)
        return made;
    fatal("cannot read XML:");
}

static xmlDoc *parse(struct xml_reader *reader)
{
    xmlParserCtxt *parser = need(xmlNewParserCtxt());
    parser->_private = reader;
    parser->sax->serror = on_parse_error;
    parser->sax->internalSubset = refuse_document_type;
    xmlDoc *document =
        xmlCtxtReadMemory(parser, reader->source->text, (int)reader->source->length,
                          reader->source->path, "UTF-8", XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    xmlFreeParserCtxt(parser);
    if (!reader->failed && document)
        return document;
    if (!reader->failed)
        xml_report(reader, CODE_T002, (struct slice){reader->source->text, 0},
                   reader->source->path, "not well-formed XML");
    xmlFreeDoc(document);
    return NULL;
}

/* ---- validating ---- */

#define SCHEMA_PATH "docs/schema/topology.rng"
#define SHAPES_HELP "a topology holds one of star, full, grid, fattree and graph"

static const struct embedded_file *find_schema(void)
{
    for (size_t i = 0; i < n_embedded_files; i++)
        if (strcmp(embedded_files[i].path, SCHEMA_PATH) == 0)
            return &embedded_files[i];
    return NULL;
}

static void ignore_schema_error(void *context, xmlErrorPtr error)
{
    (void)context;
    (void)error;
}

static xmlRelaxNG *load_schema(void)
{
    const struct embedded_file *file = find_schema();
    xmlRelaxNGParserCtxt *parser =
        file ? xmlRelaxNGNewMemParserCtxt(file->text, (int)file->length) : NULL;
    if (!parser)
        fatal("the schema " SCHEMA_PATH " is not built in");
    xmlRelaxNGSetParserStructuredErrors(parser, ignore_schema_error, NULL);
    xmlRelaxNG *schema = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    if (!schema)
        fatal("the schema " SCHEMA_PATH " cannot be used");
    return schema;
}

static bool is_in_graph(const xmlNode *element)
{
    return element->parent && element->parent->name &&
           strcmp((const char *)element->parent->name, "graph") == 0;
}

/* The schema's errors that say something; the others only repeat that an
 * element above failed too, or are said better by xml_topology. */
static void on_schema_error(void *context, xmlErrorPtr error)
{
    struct xml_reader *reader = context;
    const xmlNode *element = error->node;
    if (!element || element->type != XML_ELEMENT_NODE)
        return;
    const char *name = (const char *)element->name;
    struct slice slice = xml_element_slice(reader, element);
    switch (error->code) {
    case XML_RELAXNG_ERR_ELEMWRONG:
    case XML_RELAXNG_ERR_EXTRACONTENT:
        if (!is_in_graph(element))
            xml_report(reader, CODE_T002, slice, name, "element not allowed here");
        break;
    case XML_RELAXNG_ERR_ELEMNAME:
        xml_report(reader, CODE_T002, slice, name, "the root element is not 'topology'");
        break;
    case XML_RELAXNG_ERR_NOELEM:
        xml_report(reader, CODE_T002, slice, name, "element is empty")->help = SHAPES_HELP;
        break;
    case XML_RELAXNG_ERR_TEXTWRONG:
        xml_report(reader, CODE_T002, slice, name, "text not allowed inside");
        break;
    default: break;
    }
}

/* False if the document is not valid, whether or not anything was reported. */
static bool validate(struct xml_reader *reader, xmlDoc *document)
{
    xmlRelaxNG *schema = load_schema();
    xmlRelaxNGValidCtxt *context = need(xmlRelaxNGNewValidCtxt(schema));
    xmlRelaxNGSetValidStructuredErrors(context, on_schema_error, reader);
    int result = xmlRelaxNGValidateDoc(context, document);
    xmlRelaxNGFreeValidCtxt(context);
    xmlRelaxNGFree(schema);
    return result == 0;
}

static struct topology *read_document(struct xml_reader *reader, xmlDoc *document)
{
    xmlNode *root = xmlDocGetRootElement(document);
    xml_locate_elements(reader->source, document);
    bool valid = validate(reader, document);
    struct topology *topology = NULL;
    if (strcmp((const char *)root->name, "topology") == 0)
        topology = xml_topology(reader, root);
    if (valid && !reader->failed)
        return topology;
    if (!reader->failed)
        xml_report(reader, CODE_T002, xml_element_slice(reader, root), (const char *)root->name,
                   "not valid against the schema");
    topology_free(topology);
    return NULL;
}

bool is_xml(const struct source *source)
{
    return *source_start(source) == '<';
}

struct topology *read_xml(const struct source *source, struct diagnostics *diagnostics)
{
    struct xml_reader reader = {source, diagnostics, false};
    xmlDoc *document = check_extent(&reader) ? parse(&reader) : NULL;
    if (!document)
        return NULL;
    struct topology *topology = read_document(&reader, document);
    xmlFreeDoc(document);
    return topology;
}
