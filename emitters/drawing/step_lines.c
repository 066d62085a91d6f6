/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the messages of a step as lines. Every rank stands twice, sending above and receiving below, in
 * boxes for the servers; so a permutation looks like one, and several source servers of one destination
 * server (head-of-line blocking) visibly meet there.
 */
#include "emitters/drawing/step.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct step_map {
    const struct schedule_header *header;
    const struct step_servers *servers;
    const struct step *step;
    uint32_t n_nodes;
    struct drawing *drawing;
    struct drawing_node **nodes;       /* [2 * n_nodes]: senders, then receivers */
    size_t *n_sent, *sent;             /* [rank] messages it sends, and the last of them */
    double spacing;                    /* inches between neighbours in a row */
};

/* Inches: least step between neighbours in a row, extra step between servers, between rows, around the
 * words in a node, and of a letter. */
static const double least_spacing = 0.66, gap = 0.35, height = 2.4, padding = 0.34, letter = 0.085;

static void step_lines_pin(struct drawing_node *node, double x, double y)
{
    char value[64];
    snprintf(value, sizeof value, "%.2f,%.2f!", x, y);
    drawing_node_set(node, "pos", value);
}

/* Adds the box of a server, before its ranks so that they lie on it. */
static void add_box(struct step_map *map, uint32_t server, double x, double y, uint32_t n)
{
    char name[48], label[64], width[32];
    bool receives = y < 0.0;
    snprintf(name, sizeof name, "%s_server%" PRIu32, receives ? "to" : "from", server);
    if (receives && map->servers->fan_in[server] > 1)
        snprintf(label, sizeof label, "%" PRIu32 ": from %" PRIu32 " servers", server,
                 map->servers->fan_in[server]);
    else
        snprintf(label, sizeof label, "server %" PRIu32, server);
    snprintf(width, sizeof width, "%.2f", n * map->spacing + 0.1);
    struct drawing_node *box = drawing_node(map->drawing, NULL, name, label);
    bool has_room = (double)strlen(label) * letter < n * map->spacing;
    drawing_node_set(box, "label", has_room ? label : "");
    drawing_node_set(box, "shape", "box");
    drawing_node_set(box, "fixedsize", "true");
    drawing_node_set(box, "width", width);
    drawing_node_set(box, "height", "0.95");
    drawing_node_set(box, "labelloc", receives ? "b" : "t");
    drawing_node_set(box, "fillcolor", receives && map->servers->fan_in[server] > 1 ? "#fbe3e4" : "#e8eef5");
    drawing_node_set(box, "color", "#b8c4d0");
    step_lines_pin(box, x + (n - 1) * map->spacing / 2, y + (receives ? -0.14 : 0.14));
}

/* Names the chunks of a message: of a set the first ranges. */
static void label_chunks(const struct schedule_header *header, const struct op *op, struct text *label)
{
    enum { MOST = 3 };
    int n = 0;
    struct op_ranges ranges = op_ranges(header, op);
    for (; n < MOST && op_ranges_next(&ranges); n++) {
        text_printf(label, "%s%s%" PRIu32, n ? "," : buffer_name[op->buffer], n ? "" : "[", ranges.chunk);
        if (ranges.n > 1)
            text_printf(label, "..%" PRIu32, ranges.chunk + ranges.n - 1);
    }
    text_printf(label, n == 0 ? "" : ranges.left ? ",...]" : "]");
}

/* Writes the message of a rank below its number, if it sends exactly one. */
static void label_message(const struct step_map *map, uint32_t rank, struct text *label)
{
    const size_t n = map->n_sent[rank];
    if (n != 1 || map->step->sends[map->sent[rank]].n_chunks == 0)
        return;
    text_printf(label, "\\n");
    label_chunks(map->header, &map->step->sends[map->sent[rank]], label);
}

static void label_node(const struct step_map *map, uint32_t node, bool receives, struct text *label)
{
    text_printf(label, "%" PRIu32, node);
    if (!receives)
        label_message(map, node, label);
}

/* Finds the spacing at which the longest words fit. */
static void find_spacing(struct step_map *map)
{
    map->spacing = least_spacing;
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        struct text label = {0};
        label_node(map, node, false, &label);
        const char *second = strchr(label.data, '\\');
        const double width = second ? (double)strlen(second + 2) * letter + padding : 0;
        map->spacing = width > map->spacing ? width : map->spacing;
        text_free(&label);
    }
}

static void step_lines_add_node(struct step_map *map, uint32_t node, double x, double y)
{
    char name[32];
    struct text label = {0};
    bool receives = y < 0.0;
    snprintf(name, sizeof name, "%s%" PRIu32, receives ? "to" : "from", node);
    label_node(map, node, receives, &label);
    struct drawing_node *added = drawing_node(map->drawing, NULL, name, label.data);
    map->nodes[node + (receives ? map->n_nodes : 0)] = added;
    step_lines_pin(added, x, y);
    text_free(&label);
}

/* Adds the boxes of all servers first, as later parts lie on top. */
static void add_boxes(struct step_map *map, double y)
{
    const struct placement *placement = map->servers->placement;
    double x = 0;
    for (uint32_t server = 0; placement && server < placement->n_servers; server++) {
        uint32_t n = placement->first[server + 1] - placement->first[server];
        add_box(map, server, x, y, n);
        x += n * map->spacing + gap;
    }
}

static void step_lines_add_row(struct step_map *map, double y)
{
    const struct placement *placement = map->servers->placement;
    double x = 0;
    for (uint32_t node = 0; !placement && node < map->n_nodes; node++)
        step_lines_add_node(map, node, map->spacing * node, y);
    for (uint32_t server = 0; placement && server < placement->n_servers; server++) {
        for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++) {
            step_lines_add_node(map, placement->ranks[i], x, y);
            x += map->spacing;
        }
        x += gap;
    }
}

static void add_message(struct step_map *map, const struct op *op)
{
    const struct placement *placement = map->servers->placement;
    const uint32_t from = server_of_rank(placement, op->rank), to = server_of_rank(placement, op->peer);
    struct drawing_edge *edge = drawing_edge(map->drawing, map->nodes[op->rank],
                                             map->nodes[map->n_nodes + op->peer]);
    struct text label = {0};
    const bool is_local = placement && from == to;
    const bool meets = placement && to < map->servers->n_servers && map->servers->fan_in[to] > 1;
    drawing_edge_set(edge, "tailport", "s"); /* past the neighbours */
    drawing_edge_set(edge, "headport", "n");
    drawing_edge_set(edge, "color", is_local ? DRAW_GREY : meets ? DRAW_RED : DRAW_BLUE);
    if (is_local)
        drawing_edge_set(edge, "style", "dashed");
    label_chunks(map->header, op, &label);
    if (label.length)
        drawing_edge_set(edge, "tooltip", label.data);
    text_free(&label);
}

static void caption_step(const struct step_map *map)
{
    const struct schedule_header *header = map->header;
    struct text html = {0};
    drawing_name_schedule(header, &html);
    text_printf(&html, ", step %" PRIu64 ": %zu messages of %" PRIu32 " ranks, senders above",
                map->step->index, map->step->n_sends, header->n_ranks);
    if (map->servers->placement)
        drawing_caption_step(map->drawing, html.data, "within a server: dashed",
                             "to a server that receives from several");
    else
        drawing_caption(map->drawing, html.data);
    text_free(&html);
}

static void draw_messages(struct step_map *map)
{
    find_spacing(map);
    caption_step(map);
    add_boxes(map, 0);
    add_boxes(map, -height);
    step_lines_add_row(map, 0);
    step_lines_add_row(map, -height);
    for (size_t i = 0; i < map->step->n_sends; i++)
        if (map->step->sends[i].rank < map->n_nodes && map->step->sends[i].peer < map->n_nodes)
            add_message(map, &map->step->sends[i]);
}

void draw_step_lines(const struct schedule_header *header, const struct step_servers *servers,
                     const struct step *step, struct text *out)
{
    struct step_map map = {.header = header, .servers = servers, .step = step};
    map.n_nodes = header->n_ranks;
    map.nodes = mem_alloc(2 * (size_t)map.n_nodes, sizeof(struct drawing_node *));
    map.n_sent = mem_alloc(header->n_ranks, sizeof *map.n_sent);
    map.sent = mem_alloc(header->n_ranks, sizeof *map.sent);
    for (size_t i = 0; i < step->n_sends; i++) {
        map.n_sent[step->sends[i].rank]++;
        map.sent[step->sends[i].rank] = i;
    }
    map.drawing = drawing_open("step");
    drawing_set_up(map.drawing, "neato");
    drawing_set(map.drawing, "splines", "line");
    drawing_set(map.drawing, "outputorder", "nodesfirst");
    drawing_set_edges(map.drawing, "labeldistance", "2.2");
    drawing_set_edges(map.drawing, "labelangle", "0");
    drawing_set_nodes(map.drawing, "shape", "ellipse");
    draw_messages(&map);
    drawing_close(map.drawing, out);
    free(map.n_sent);
    free(map.sent);
    free(map.nodes);
}
