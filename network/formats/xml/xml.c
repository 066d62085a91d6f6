/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the native description: XML after docs/schema/topology.rng, which is
 * built into the executable. libxml2 parses (base/text/xml_parse.c) and validates; its errors
 * become diagnostics and it prints nothing itself.
 */
#include "network/formats/xml/xml_topology.h"

#include "base/codes.h"
#include "base/embedded.h"

#include <string.h>

/* ---- validating ---- */

#define SCHEMA_PATH "docs/schema/topology.rng"
#define ROOTS_HELP                                                                                      \
    "XML is read of collc itself ('topology'), hwloc ('topology', too), NCCL and RCCL ('system'), "     \
    "SimGrid ('platform'), GraphML ('graphml') and Omni-Path ('Report')"
#define ELEMENTS_HELP SHAPES_HELP "; 'collc topo torus:4x4 --to xml' writes an example, docs/topology.md has all elements"
#define SHAPES_HELP "a topology holds one of networks, star, full, grid, fattree and graph"

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
        file ? libxml2()->xmlRelaxNGNewMemParserCtxt(file->text, (int)file->length) : NULL;
    if (!parser)
        fatal("the schema " SCHEMA_PATH " is not built in");
    libxml2()->xmlRelaxNGSetParserStructuredErrors(parser, ignore_schema_error, NULL);
    xmlRelaxNG *schema = libxml2()->xmlRelaxNGParse(parser);
    libxml2()->xmlRelaxNGFreeParserCtxt(parser);
    if (!schema)
        fatal("the schema " SCHEMA_PATH " cannot be used");
    return schema;
}

static bool is_in_graph(const xmlNode *element)
{
    return element->parent && element->parent->name &&
           strcmp((const char *)element->parent->name, "graph") == 0;
}

struct schema_listener {
    struct xml_reader *reader;
    const xmlNode *misplaced; /* the element that the schema refused last: it does so twice */
};

/* Reports errors of the schema that are useful. The others only repeat that an element above failed too, or
 * xml_topology reports them better. */
static void on_schema_error(void *context, xmlErrorPtr error)
{
    struct schema_listener *listener = context;
    struct xml_reader *reader = listener->reader;
    const xmlNode *element = error->node;
    if (!element || element->type != XML_ELEMENT_NODE)
        return;
    const char *name = (const char *)element->name;
    struct slice slice = xml_element_slice(reader, element);
    switch (error->code) {
    case XML_RELAXNG_ERR_ELEMWRONG:
    case XML_RELAXNG_ERR_EXTRACONTENT:
        if (!is_in_graph(element) && listener->misplaced != element)
            xml_report(reader, CODE_T002, slice, name, "element not allowed here")->help = ELEMENTS_HELP;
        listener->misplaced = element;
        break;
    case XML_RELAXNG_ERR_ELEMNAME:
        xml_report(reader, CODE_T002, slice, name, "the root element is not 'topology'")->help = ROOTS_HELP;
        break;
    case XML_RELAXNG_ERR_NOELEM:
        if (strcmp(name, "network") != 0) /* it may be a file: xml_networks knows */
            xml_report(reader, CODE_T002, slice, name, "element is empty")->help = SHAPES_HELP;
        break;
    case XML_RELAXNG_ERR_TEXTWRONG:
        xml_report(reader, CODE_T002, slice, name, "text not allowed inside");
        break;
    default: break;
    }
}

/* False if the document is not valid, whether or not anything was reported. */
static bool xml_validate(struct xml_reader *reader, xmlDoc *document)
{
    xmlRelaxNG *schema = load_schema();
    xmlRelaxNGValidCtxt *context = libxml2()->xmlRelaxNGNewValidCtxt(schema);
    if (!context)
        fatal("cannot validate XML:");
    struct schema_listener listener = {.reader = reader};
    libxml2()->xmlRelaxNGSetValidStructuredErrors(context, on_schema_error, &listener);
    int result = libxml2()->xmlRelaxNGValidateDoc(context, document);
    libxml2()->xmlRelaxNGFreeValidCtxt(context);
    libxml2()->xmlRelaxNGFree(schema);
    return result == 0;
}

static struct topology *xml_read_document(struct xml_reader *reader, xmlDoc *document,
                                          topology_part_reader *read_part)
{
    xmlNode *root = libxml2()->xmlDocGetRootElement(document);
    bool valid = xml_validate(reader, document);
    struct topology *topology = NULL;
    if (strcmp((const char *)root->name, "topology") == 0)
        topology = xml_topology(reader, root, read_part);
    if (valid && !reader->failed)
        return topology;
    if (!reader->failed)
        xml_report(reader, CODE_T002, xml_element_slice(reader, root), (const char *)root->name,
                   "not valid against the schema");
    topology_free(topology);
    return NULL;
}

static bool is_xml(const struct source *source)
{
    return *source_start(source) == '<';
}

static struct topology *read_xml(const struct source *source, topology_part_reader *read_part,
                                 struct diagnostics *diagnostics)
{
    struct xml_reader reader = {.source = source, .diagnostics = diagnostics};
    xmlDoc *document = xml_parse(&reader);
    if (!document)
        return NULL;
    struct topology *topology = xml_read_document(&reader, document, read_part);
    libxml2()->xmlFreeDoc(document);
    return topology;
}

const struct topology_format xml_format = {
    .is = is_xml, .read_with_parts = read_xml, .write = xml_write};
