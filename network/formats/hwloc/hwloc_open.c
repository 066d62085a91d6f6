/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens hwloc XML through libhwloc, after a process of its own has survived it. The text is parsed here
 * first, with our limits and messages, and version 3 is converted to version 2, which every libhwloc
 * since 2.0 reads. The only relevant change is `osdev_type`: a number in version 2, a mask of kinds in
 * version 3.
 */
#include "network/formats/hwloc/hwloc_open.h"
#include "base/codes.h"
#include "base/text/xml.h"
#include "network/formats/hwloc/hwloc_load.h"
#include "network/formats/hwloc/hwloc_trial.h"

#include <stdlib.h>
#include <string.h>

/* ---- version 3 as version 2 ---- */

/* The kinds of version 3 by bit, and their numbers in version 2. */
static const struct {
    unsigned long mask;
    const char *number;
} os_device_kinds[] = {
    {32, "3"}, /* OpenFabrics; in front of NETWORK, which it may be as well */
    {16, "2"}, /* network */
    {8, "5"},  /* coprocessor; GPUs for computing are both */
    {4, "1"},  /* GPU */
    {1, "0"},  /* storage */
    {2, "0"},  /* memory */
};

static const char *number_of_kinds(const char *kinds)
{
    unsigned long mask = strtoul(kinds, NULL, 10);
    for (size_t i = 0; i < sizeof os_device_kinds / sizeof *os_device_kinds; i++)
        if (mask & os_device_kinds[i].mask)
            return os_device_kinds[i].number;
    return "4"; /* DMA: nothing to us */
}

/* Converts the devices below. The parser has bounded the depth. */
static void convert_devices(xmlNode *element)
{
    for (xmlNode *node = element; node; node = node->next) {
        xmlAttr *attribute = node->type == XML_ELEMENT_NODE
                                 ? libxml2()->xmlHasProp(node, (const xmlChar *)"osdev_type")
                                 : NULL;
        if (attribute && attribute->children && attribute->children->content) {
            const char *number = number_of_kinds((const char *)attribute->children->content);
            libxml2()->xmlSetProp(node, attribute->name, (const xmlChar *)number);
        }
        convert_devices(node->children);
    }
}

static void convert_version(xmlNode *root)
{
    const char *version = xml_find_attribute(root, "version");
    if (!version || strncmp(version, "3.", 2) != 0)
        return;
    libxml2()->xmlSetProp(root, (const xmlChar *)"version", (const xmlChar *)"2.0");
    convert_devices(root->children);
}

/* ---- opening ---- */

static hwloc_topology_t open_document(struct xml_reader *reader, xmlDoc *document)
{
    xmlChar *text = NULL;
    int length = 0;
    convert_version(libxml2()->xmlDocGetRootElement(document));
    libxml2()->xmlDocDumpMemory(document, &text, &length);
    hwloc_topology_t machine = NULL;
    if (text && hwloc_trial((const char *)text, length + 1))
        machine = hwloc_load((const char *)text, length + 1);
    (*libxml2()->xmlFree)(text);
    if (machine)
        return machine;
    struct slice root = xml_element_slice(reader, libxml2()->xmlDocGetRootElement(document));
    report(reader->diagnostics, CODE_T021, slice_position(reader->source, root),
           "libhwloc cannot read this description of a machine")
        ->help = "write it again with 'lstopo --of xml FILE' on the machine";
    return NULL;
}

hwloc_topology_t machine_open(const struct source *source, struct diagnostics *diagnostics)
{
    struct xml_reader reader = {
        .source = source, .diagnostics = diagnostics, .allows_document_type = true};
    xmlDoc *document = xml_parse(&reader);
    if (!document)
        return NULL;
    hwloc_topology_t machine = open_document(&reader, document);
    libxml2()->xmlFreeDoc(document);
    return machine;
}
