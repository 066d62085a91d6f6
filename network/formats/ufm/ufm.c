/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the links of a fabric as UFM lists them, GET /ufmRest/resources/links: an array with an object for
 * each cable,
 *
 *   {"source_guid": "0c42a103001b7ab6", "source_port": "1", "source_port_node_description": "node7 mlx5_0",
 *    "destination_guid": "0c42a103009d7af6", "destination_port": "19",
 *    "destination_port_node_description": "leaf03:19", "width": "IB_4x", ...}
 *
 * GUIDs are those of nodes. The name of a switch is followed by the port. There is no speed, so one is
 * assumed and reported.
 */
#include "base/codes.h"
#include "base/text/json_tree.h"
#include "network/format.h"
#include "network/formats/infiniband/fabric.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ADAPTER_PORT = 2, MAX_DEPTH = 16, USUAL_LANES = 4, GUID_DIGITS = 16 };

struct link_end {
    const char *guid, *description;
    uint32_t port, line;
    bool is_switch;
};

struct reader {
    struct fabric fabric;
    struct arena arena;
    struct link_end *ends; /* two for each cable */
    uint64_t *lanes;       /* [cable] */
    size_t n_ends, ends_capacity, lanes_capacity;
    bool has_failed;
};

static void ufm_refuse(struct reader *reader, const struct json_node *at, const char *message)
{
    reader->has_failed = true;
    report(reader->fabric.diagnostics, CODE_T020, json_node_position(reader->fabric.source, at), "%s",
           message)
        ->help = "each link has source_guid, source_port, source_port_node_description, the same of its "
                 "destination, and width";
}

/* ---- one cable ---- */

static const struct json_node *text_member(struct reader *reader, const struct json_node *link,
                                           const char *which, const char *field)
{
    const char *key = arena_printf(&reader->arena, "%s_%s", which, field);
    const struct json_node *member = json_member(link, key);
    if (member && (member->kind == JSON_STRING_NODE || member->kind == JSON_NUMBER_NODE) && *member->text)
        return member;
    ufm_refuse(reader, member ? member : link,
               diagnostics_text(reader->fabric.diagnostics,
                                member ? "'%s' is no text" : "the link has no '%s'", key));
    return NULL;
}

/* Returns the length of ":19" or "/19" behind the name, or 0. */
static size_t port_suffix(const struct link_end *end)
{
    char digits[16];
    const size_t length = strlen(end->description);
    const size_t n = (size_t)snprintf(digits, sizeof digits, "%u", end->port);
    if (length < n + 2 || strcmp(end->description + length - n, digits) != 0 ||
        !memchr(":/", end->description[length - n - 1], 2))
        return 0;
    return n + 1;
}

static bool ufm_read_end(struct reader *reader, const struct json_node *link, const char *which)
{
    const struct json_node *guid = text_member(reader, link, which, "guid");
    const struct json_node *port = guid ? text_member(reader, link, which, "port") : NULL;
    const struct json_node *name = port ? text_member(reader, link, which, "port_node_description") : NULL;
    struct link_end end = {.line = link->line};
    if (!name)
        return false;
    if (parse_count(slice_of(port->text), &end.port) != VALUE_OK || !end.port ||
        end.port > SUBNET_MAX_PORT) {
        ufm_refuse(reader, port, "a port is a number from 1 to 254");
        return false;
    }
    end.guid = strncmp(guid->text, "0x", 2) == 0 ? guid->text + 2 : guid->text;
    const size_t length = strspn(end.guid, "0123456789abcdefABCDEF");
    if (!length || length > GUID_DIGITS || end.guid[length]) {
        ufm_refuse(reader, guid, "a GUID is up to 16 hexadecimal digits");
        return false;
    }
    end.description = name->text;
    end.is_switch = port_suffix(&end) || end.port > MAX_ADAPTER_PORT;
    reader->ends = mem_grow(reader->ends, &reader->ends_capacity, reader->n_ends + 1, sizeof *reader->ends);
    reader->ends[reader->n_ends++] = end;
    return true;
}

static void ufm_read_link(struct reader *reader, const struct json_node *link)
{
    const struct json_node *width = json_member(link, "width");
    if (link->kind != JSON_OBJECT_NODE) {
        ufm_refuse(reader, link, "a link is an object");
        return;
    }
    const char *words = width && width->kind == JSON_STRING_NODE ? width->text : "4x";
    const uint64_t lanes = fabric_lanes(slice_of(strncmp(words, "IB_", 3) == 0 ? words + 3 : words));
    if (!lanes) {
        ufm_refuse(reader, width,
                   "the width of a cable is 1x, 2x, 4x, 8x or 12x, perhaps with IB_ before it");
        return;
    }
    if (!ufm_read_end(reader, link, "source") || !ufm_read_end(reader, link, "destination"))
        return;
    reader->lanes =
        mem_grow(reader->lanes, &reader->lanes_capacity, reader->n_ends / 2, sizeof *reader->lanes);
    reader->lanes[reader->n_ends / 2 - 1] = lanes;
}

/* ---- the fabric ---- */

static int ufm_compare_ends(const void *a, const void *b)
{
    const struct link_end *x = *(struct link_end *const *)a, *y = *(struct link_end *const *)b;
    const int order = strcmp(x->guid, y->guid);
    return order ? order : (x > y) - (x < y);
}

/* Marks all ports of a device as a switch's if one is. */
static void find_switches(struct reader *reader)
{
    struct link_end **sorted = mem_alloc(reader->n_ends + 1, sizeof(struct link_end *));
    for (size_t i = 0; i < reader->n_ends; i++)
        sorted[i] = &reader->ends[i];
    qsort(sorted, reader->n_ends, sizeof(struct link_end *), ufm_compare_ends);
    for (size_t first = 0, end; first < reader->n_ends; first = end) {
        bool is_switch = false;
        for (end = first; end < reader->n_ends && !strcmp(sorted[end]->guid, sorted[first]->guid); end++)
            is_switch |= sorted[end]->is_switch;
        for (size_t i = first; i < end; i++)
            sorted[i]->is_switch = is_switch;
    }
    free(sorted);
}

static uint32_t ufm_node_of(struct reader *reader, const struct link_end *end)
{
    const uint32_t index =
        fabric_node(&reader->fabric, end->is_switch ? FABRIC_SWITCH : FABRIC_HOST, slice_of(end->guid));
    struct fabric_node *node = &reader->fabric.nodes[index];
    if (node->is_declared)
        return index;
    const size_t left_out = end->is_switch ? port_suffix(end) : 0;
    node->is_declared = true;
    node->line = end->line;
    node->description = (struct slice){end->description, strlen(end->description) - left_out};
    return index;
}

static void ufm_add_cables(struct reader *reader)
{
    find_switches(reader);
    for (size_t i = 0; i < reader->n_ends; i += 2) {
        const struct link_end *ends = reader->ends + i;
        const uint32_t nodes[] = {ufm_node_of(reader, &ends[0]), ufm_node_of(reader, &ends[1])};
        const uint64_t bandwidth = TOPOLOGY_DEFAULT_BANDWIDTH / USUAL_LANES * reader->lanes[i / 2];
        for (int side = 0; side < 2; side++)
            fabric_add_port(&reader->fabric, (struct fabric_port){.node = nodes[side],
                                                                  .port = ends[side].port,
                                                                  .peer = nodes[1 - side],
                                                                  .peer_port = ends[1 - side].port,
                                                                  .bandwidth = bandwidth,
                                                                  .line = ends[side].line});
    }
}

/* ---- all of it ---- */

static bool is_ufm(const struct source *source)
{
    const char *text = source_start(source);
    return *text == '[' && strstr(text, "\"source_guid\"") && strstr(text, "\"destination_guid\"");
}

static struct topology *ufm_read_links(struct reader *reader)
{
    const struct source *source = reader->fabric.source;
    struct json_fault fault = {0, NULL};
    const struct json_dialect dialect = {.has_mark = true, .max_depth = MAX_DEPTH};
    const struct json_node *list = json_tree(source, &dialect, &reader->arena, &fault);
    if (!list) {
        report(reader->fabric.diagnostics, CODE_T020, source_position(source, fault.at, 1), "%s",
               fault.what);
        return NULL;
    }
    for (const struct json_node *link = list->first; link; link = link->next)
        ufm_read_link(reader, link);
    if (reader->has_failed)
        return NULL;
    ufm_add_cables(reader);
    struct topology *topology = fabric_topology(&reader->fabric);
    if (topology)
        report(reader->fabric.diagnostics, CODE_T008, (struct position){source, 0, 0, 0},
               "'%s' tells no speeds: 100 Gb/s for four lanes are assumed", source->path)
            ->help = "take the output of ibnetdiscover or iblinkinfo, which has them";
    return topology;
}

static struct topology *read_ufm(const struct source *source, struct diagnostics *diagnostics)
{
    struct reader reader = {.fabric = {.source = source, .diagnostics = diagnostics}};
    struct topology *topology = ufm_read_links(&reader);
    free(reader.ends);
    free(reader.lanes);
    fabric_free(&reader.fabric);
    arena_free(&reader.arena);
    return topology;
}

const struct topology_format ufm_format = {.is = is_ufm, .read = read_ufm};
