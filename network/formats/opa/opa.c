/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the links of an Omni-Path fabric: topology XML, as opaxlattopology and opareport -x write it, or
 * the lists with semicolons that it is made from,
 *
 *   rate;mtu;internal;length;label;details;port;type;node;port;type;node
 *   rate;mtu;internal;link;length;label;details;guid;port;node;port guid;type;port;guid ...
 *
 * A node is identified by its description, without one by its GUID. Each link names both its ends, which
 * become the two statements that struct fabric checks and joins.
 */
#include "network/formats/infiniband/fabric.h"
#include "base/codes.h"
#include "base/text/lines.h"
#include "base/text/xml.h"
#include "network/format.h"

#include <stdlib.h>
#include <string.h>

/* ---- links ---- */

struct opa_end {
    struct slice guid, port, description, type;
};

struct opa_link {
    struct slice rate;
    struct opa_end ends[2];
    struct slice place; /* in the text */
};

/* Reports at the subject if it is in the text, as in a list, else at the link. */
static struct diagnostic *opa_fail(struct fabric *fabric, uint32_t code, const struct opa_link *link,
                                   struct slice subject, const char *message)
{
    const struct source *source = fabric->source;
    bool is_in_text = subject.length && subject.text >= source->text &&
                      subject.text < source->text + source->length;
    return report(fabric->diagnostics, code,
                  slice_position(source, is_in_text ? subject : link->place),
                  "'%.*s': %s", subject.length < 80 ? (int)subject.length : 80, subject.text,
                  message);
}

/* Reads "100g", "12.5g". */
static bool opa_read_rate(struct fabric *fabric, const struct opa_link *link, uint64_t *bandwidth)
{
    char text[32];
    struct slice rate = link->rate;
    if (rate.length > 1 && rate.length < 16 && (rate.text[rate.length - 1] | 0x20) == 'g') {
        memcpy(text, rate.text, rate.length - 1);
        strcpy(text + rate.length - 1, "Gb/s");
        if (parse_bandwidth((struct slice){text, strlen(text)}, bandwidth) == VALUE_OK)
            return true;
    }
    opa_fail(fabric, CODE_T006, link, rate, "not the rate of a link")->help = "rates are written like 100g";
    return false;
}

/* Reads the node and port of an end. */
static bool opa_read_end(struct fabric *fabric, const struct opa_link *link, const struct opa_end *end,
                         uint32_t *node, uint32_t *port)
{
    struct slice name = end->description.length ? end->description : end->guid;
    bool is_host = slice_is(end->type, "FI");
    if (!is_host && !slice_is(end->type, "SW")) {
        opa_fail(fabric, CODE_T004, link, end->type, "not the type of a node")->help =
            "a node has the type FI or SW";
        return false;
    }
    if (!name.length) {
        opa_fail(fabric, CODE_T004, link, end->port, "the node at this port has no description");
        return false;
    }
    if (parse_count(end->port, port) != VALUE_OK || !*port || *port > SUBNET_MAX_PORT) {
        opa_fail(fabric, CODE_T006, link, end->port, "not a port from 1 to 254");
        return false;
    }
    *node = fabric_node(fabric, is_host ? FABRIC_HOST : FABRIC_SWITCH, name);
    fabric->nodes[*node].description = end->description;
    fabric->nodes[*node].is_declared = true;
    return true;
}

static bool opa_add_link(struct fabric *fabric, const struct opa_link *link, uint32_t line)
{
    uint32_t node[2], port[2];
    uint64_t bandwidth;
    if (!opa_read_rate(fabric, link, &bandwidth))
        return false;
    for (int end = 0; end < 2; end++)
        if (!opa_read_end(fabric, link, &link->ends[end], &node[end], &port[end]))
            return false;
    for (int end = 0; end < 2; end++)
        fabric_add_port(fabric, (struct fabric_port){.node = node[end],
                                                     .port = port[end],
                                                     .peer = node[1 - end],
                                                     .peer_port = port[1 - end],
                                                     .bandwidth = bandwidth,
                                                     .line = line});
    return true;
}

/* ---- lists ---- */

enum { SHORT_COLUMNS = 12, LONG_COLUMNS = 19 };

/* Returns the number of columns; stores no more than fit. */
static uint32_t opa_split(struct slice line, struct slice columns[LONG_COLUMNS])
{
    uint32_t n = 0;
    for (const char *end = line.text + line.length, *at = line.text;; n++) {
        const char *stop = memchr(at, ';', (size_t)(end - at));
        stop = stop ? stop : end;
        if (n < LONG_COLUMNS)
            columns[n] = slice_trim((struct slice){at, (size_t)(stop - at)});
        if (stop == end)
            return n + 1;
        at = stop + 1;
    }
}

static struct opa_link link_of_columns(const struct slice *columns, uint32_t n)
{
    struct slice none = {"", 0};
    struct opa_link link = {.rate = columns[0]};
    for (int end = 0; end < 2; end++) {
        const struct slice *at = columns + (n == LONG_COLUMNS ? 7 + 6 * end : 6 + 3 * end);
        link.ends[end] = n == LONG_COLUMNS ? (struct opa_end){at[0], at[1], at[2], at[4]}
                                           : (struct opa_end){none, at[0], at[2], at[1]};
    }
    return link;
}

static bool opa_read_row(struct fabric *fabric, struct lines *lines)
{
    struct slice columns[LONG_COLUMNS];
    struct slice line = {lines->start, (size_t)(lines->end - lines->start)};
    if (!slice_trim(line).length)
        return true;
    uint32_t n = opa_split(line, columns);
    if (n != SHORT_COLUMNS && n != LONG_COLUMNS) {
        lines_fail(lines, CODE_T004, lines->start, line.length,
                   "a link of %u columns; lists of Omni-Path have 12 or 19", n)
            ->help = "write rate;mtu;internal;length;label;details;port;type;node;port;type;node";
        return false;
    }
    struct opa_link link = link_of_columns(columns, n);
    link.place = line;
    return opa_add_link(fabric, &link, lines->line);
}

static bool opa_read_list(struct fabric *fabric)
{
    struct lines lines;
    bool good = true;
    lines_open(&lines, fabric->source, fabric->diagnostics);
    while (lines_next(&lines))
        good = opa_read_row(fabric, &lines) && good;
    return good;
}

/* ---- XML ---- */

static struct slice content_of(struct fabric *fabric, const xmlNode *parent, const char *name)
{
    for (xmlNode *child = parent->children; child; child = child->next)
        if (xml_is(child, name)) {
            xmlChar *content = libxml2()->xmlNodeGetContent(child);
            struct slice slice = {"", 0};
            if (content)
                slice = slice_trim((struct slice){(const char *)content, strlen((const char *)content)});
            slice.text = arena_strndup(&fabric->diagnostics->arena, slice.text, slice.length);
            (*libxml2()->xmlFree)(content);
            return slice;
        }
    return (struct slice){"", 0};
}

static struct opa_end end_of_element(struct fabric *fabric, const xmlNode *port)
{
    return (struct opa_end){content_of(fabric, port, "NodeGUID"),
                            content_of(fabric, port, "PortNum"),
                            content_of(fabric, port, "NodeDesc"),
                            content_of(fabric, port, "NodeType")};
}

static bool opa_read_link(struct fabric *fabric, struct xml_reader *reader, const xmlNode *element)
{
    struct opa_link link = {.rate = content_of(fabric, element, "Rate"),
                            .place = xml_element_slice(reader, element)};
    uint32_t n = 0;
    for (const xmlNode *child = element->children; child; child = child->next)
        if (xml_is(child, "Port") && n++ < 2)
            link.ends[n - 1] = end_of_element(fabric, child);
    if (n == 2)
        return opa_add_link(fabric, &link, (uint32_t)libxml2()->xmlGetLineNo(element));
    xml_report(reader, CODE_T004, link.place, "Link", "a link has two elements Port");
    return false;
}

static bool read_summary(struct fabric *fabric, struct xml_reader *reader, const xmlNode *summary)
{
    bool good = true;
    for (const xmlNode *child = summary->children; child; child = child->next)
        if (xml_is(child, "Link"))
            good = opa_read_link(fabric, reader, child) && good;
    return good;
}

static bool opa_read_document(struct fabric *fabric)
{
    struct xml_reader reader = {.source = fabric->source, .diagnostics = fabric->diagnostics};
    xmlDoc *document = xml_parse(&reader);
    bool good = document != NULL;
    for (const xmlNode *child = good ? libxml2()->xmlDocGetRootElement(document)->children : NULL; child;
         child = child->next)
        if (xml_is(child, "LinkSummary"))
            good = read_summary(fabric, &reader, child) && good;
    libxml2()->xmlFreeDoc(document);
    return good;
}

/* ---- all of it ---- */

/* True for "100g;" at the beginning, and as many columns as a list has. */
static bool opa_is_row(const char *line)
{
    struct slice columns[LONG_COLUMNS];
    size_t digits = strspn(line, "0123456789.");
    uint32_t n = opa_split((struct slice){line, strcspn(line, "\n")}, columns);
    return digits && line[digits] == 'g' && line[digits + 1] == ';' &&
           (n == SHORT_COLUMNS || n == LONG_COLUMNS);
}

/* Lists of the links inside a director switch have none. */
static bool has_hosts(const struct fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++)
        if (fabric->nodes[i].kind == FABRIC_HOST)
            return true;
    report(fabric->diagnostics, CODE_T004, (struct position){fabric->source, 1, 1, 1},
           "'%s' has no links to hosts", fabric->source->path)
        ->help = "links between switches are not a network: put the list of links to hosts (type "
                 "FI) in the same file";
    return false;
}

static bool is_opa(const struct source *source)
{
    if (xml_root_is(source, "Topology"))
        return true;
    if (xml_root_is(source, "Report"))
        return strstr(source->text, "<LinkSummary") != NULL;
    return opa_is_row(source_start(source));
}

static struct topology *read_opa(const struct source *source, struct diagnostics *diagnostics)
{
    struct fabric fabric = {.source = source, .diagnostics = diagnostics};
    bool good = *source_start(source) == '<' ? opa_read_document(&fabric) : opa_read_list(&fabric);
    struct topology *topology = good && has_hosts(&fabric) ? fabric_topology(&fabric) : NULL;
    fabric_free(&fabric);
    return topology;
}

const struct topology_format opa_format = {.is = is_opa, .read = read_opa};
