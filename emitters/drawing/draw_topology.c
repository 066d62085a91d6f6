/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws a topology: switches as boxes, machines as ellipses, cables as lines, coloured and thickened by
 * their load, if given.
 *
 *   trees, graphs   by level, machines below (dot); with the machines of a leaf switch as one node
 *                   in rows of our own (rows.h), where each label clearly belongs to its line
 *   graphs whose switches form no levels, such as dragonflies from a dump: by forces (neato)
 *   graphs that are grids (network/recognise.h), such as tori from a dump: as grids, machines with their
 *                   switches
 *   grids           each machine at its place, plane by plane (neato, pinned); a link that wraps
 *                   around or leads to another plane as two ends, since a line across would hide
 *                   the links it passes
 *   full            machines on a circle
 *
 * Large topologies are drawn in less detail: first the machines of a leaf switch become one node, then
 * all nodes that are alike (topology_fold.c). See docs/drawing.md.
 */
#include "base/integer.h"
#include "base/quantity.h"
#include "emitters/drawing/step.h"
#include "emitters/drawing/topology_map.h"
#include "ir/counts.h"
#include "network/networks.h"
#include "network/recognise.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most busiest links whose load is printed beside them: those of one cable. */
enum { MAX_NUMBERED = 2 };

/* --- cables ------------------------------------------------------------ */

static void draw_topology_coordinates_of(const struct map *map, uint32_t node,
                                         uint32_t at[TOPOLOGY_MAX_DIMENSIONS])
{
    grid_coordinates(map->grid, map->place ? map->place[node] : node, at);
}

/* True unless the nodes are neighbours in a plane: coordinates within it differ by at most 1, others not at
 * all. */
static bool is_cut(const struct map *map, uint32_t from, uint32_t to)
{
    const struct grid *grid = map->grid;
    uint32_t a[TOPOLOGY_MAX_DIMENSIONS], b[TOPOLOGY_MAX_DIMENSIONS];
    if (!grid)
        return false;
    draw_topology_coordinates_of(map, from, a);
    draw_topology_coordinates_of(map, to, b);
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        if ((a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) > (i < 2))
            return true;
    return false;
}

/* Orders by ends, then direction, then link. */
static int draw_topology_compare_cables(const void *left, const void *right)
{
    const struct cable *a = left, *b = right;
    int order = compare_numbers(a->low, b->low);
    order = order ? order : compare_numbers(a->high, b->high);
    order = order ? order : (int)b->is_forward - (int)a->is_forward;
    return order ? order : compare_numbers(a->link, b->link);
}

static void draw_topology_add_cable(struct map *map, uint32_t link)
{
    const struct topology *t = map->topology;
    uint32_t from, to;
    topology_link_ends(t, link, &from, &to);
    uint64_t load = map->load ? map->load[link] : 0;
    uint32_t a = map->drawn[from], b = map->drawn[to];
    const enum detail joins = map->place ? DETAIL_ALL : DETAIL_LEAVES; /* machines to their switches */
    const bool is_inside = a == b && (map->place || !map->grid) && map->detail == joins;
    if (is_inside) { /* the cable of a machine that is part of its switch */
        map->inside[a] = load > map->inside[a] ? load : map->inside[a];
        return;
    }
    map->cables[map->n_cables++] = (struct cable){.low = a < b ? a : b,
                                                  .high = a < b ? b : a,
                                                  .is_forward = a <= b,
                                                  .is_cut = is_cut(map, from, to),
                                                  .link = link,
                                                  .load = load};
}

/* Finds the largest load, and the largest that is no harm. */
static void draw_topology_take_loads(struct map *map, double least)
{
    for (uint32_t link = 0; map->load && link < map->topology->n_link_ids; link++) {
        const uint64_t load = topology_has_link(map->topology, link) ? map->load[link] : 0;
        map->n_busiest = load > map->max_load ? 1 : map->n_busiest + (load == map->max_load);
        map->max_load = load > map->max_load ? load : map->max_load;
        map->total_load += load;
        map->n_loaded += load > 0;
    }
    map->is_least = !map->step && least > 0;
    map->calm_load = map->is_least                  ? ceil(least - 1e-9) /* of whole chunks */
                     : map->step || !map->n_loaded ? 1
                                                   : (double)map->total_load / (double)map->n_loaded;
}

static void find_cables(struct map *map)
{
    uint64_t n_up = 0;
    map->cables = mem_alloc(map->topology->n_links, sizeof *map->cables);
    for (uint32_t link = 0; link < map->topology->n_link_ids; link++)
        if (topology_has_link(map->topology, link)) {
            uint32_t from, to;
            topology_link_ends(map->topology, link, &from, &to);
            n_up += from < map->topology->n_machines && to >= map->topology->n_machines;
            draw_topology_add_cable(map, link);
        }
    map->has_rails = n_up > map->topology->n_machines;
    qsort(map->cables, map->n_cables, sizeof *map->cables, draw_topology_compare_cables);
}

/* --- colours ----------------------------------------------------------- */

enum { LOAD_TEXT = 32 };

/* Returns what a load is counted in. */
static const char *draw_topology_unit(const struct map *map)
{
    return map->header && map->header->counts ? "bytes" : map->step ? "messages" : "blocks";
}

/* Writes a load for people: messages of a step, or bytes of a schedule with counts, or blocks. */
static const char *load_text(const struct map *map, uint64_t load, char text[LOAD_TEXT])
{
    struct text bytes = {0};
    if (load % map->block_units)
        snprintf(text, LOAD_TEXT, "%.2f", (double)load / (double)map->block_units);
    else
        snprintf(text, LOAD_TEXT, "%" PRIu64, load / map->block_units);
    if (!map->header || !map->header->counts)
        return text;
    print_size_roughly(load / map->block_units, &bytes);
    snprintf(text, LOAD_TEXT, "%s", bytes.data);
    text_free(&bytes);
    return text;
}

static void set_load(const struct map *map, struct drawing_edge *edge, uint64_t load)
{
    char value[2 * LOAD_TEXT], words[LOAD_TEXT];
    if (!map->load)
        return;
    load_colour((double)load, map->calm_load, (double)map->max_load, value);
    drawing_edge_set(edge, "color", value);
    double width = map->max_load ? 1 + 3.5 * (double)load / (double)map->max_load : 1;
    snprintf(value, sizeof value, "%.2f", width);
    drawing_edge_set(edge, "penwidth", value);
    snprintf(value, sizeof value, "load %s", load_text(map, load, words));
    drawing_edge_set(edge, "tooltip", value);
}

/* Returns the colour of a network, for several networks without a load. */
static const char *network_colour(uint32_t network)
{
    static const char *const colours[] = {"#1b6ca8", "#c8553d", "#3c8d2f", "#8e5ba6",
                                          "#b8860b", "#2a9d8f", "#d1478c", "#6b705c"};
    return colours[(network + 7) % 8];
}

static void set_network(const struct map *map, struct drawing_edge *edge, uint32_t link)
{
    if (map->load || topology_n_networks(map->topology) == 1)
        return;
    uint32_t network = topology_link_network(map->topology, link);
    drawing_edge_set(edge, "color", network_colour(network));
    drawing_edge_set(edge, "tooltip", topology_network_info(map->topology, network)->label);
}

void draw_look(const struct map *map, struct drawing_edge *edge, const struct line *line)
{
    set_load(map, edge, line->load);
    if (line->has_network)
        set_network(map, edge, line->link);
}

/* --- edges ------------------------------------------------------------- */

static void set_label(struct drawing_edge *edge, const struct line *line)
{
    struct text html = {0};
    for (const char *c = line->label; *c; c++)
        text_printf(&html, *c == '\n' ? "<BR/>" : "%c", *c);
    drawing_edge_label(edge, html.data, line->is_bundle);
    text_free(&html);
}

/* Draws a line. Its edge starts at the upper node of a tree, since dot draws downwards. */
static void draw_topology_draw_line(const struct map *map, const struct line *line)
{
    static const char *const dirs[2][3] = {{"none", "forward", "back"}, {"none", "back", "forward"}};
    const uint32_t low = line->low, high = line->high;
    bool is_upright = map->level[high] > map->level[low];
    struct drawing_edge *edge = drawing_edge(map->drawing, map->nodes[is_upright ? high : low],
                                             map->nodes[is_upright ? low : high]);
    drawing_edge_set(edge, "dir", dirs[is_upright][line->way]);
    if (line->label[0])
        set_label(edge, line);
    draw_look(map, edge, line);
}

static void draw_topology_add_line(struct map *map, const struct line *line)
{
    if (map->is_in_rows)
        map->lines[map->n_lines++] = *line;
    else
        draw_topology_draw_line(map, line);
}

static void add_cable_line(struct map *map, const struct cable *cable, bool is_even)
{
    struct line line = {.low = cable->low, .high = cable->high, .load = cable->load, .link = cable->link};
    char words[LOAD_TEXT];
    line.way = is_even ? BOTH_WAYS : cable->is_forward ? UPWARDS : DOWNWARDS;
    line.has_network = true;
    if (map->load && cable->load && cable->load == map->max_load && map->n_busiest <= MAX_NUMBERED)
        snprintf(line.label, sizeof line.label, "%s", load_text(map, cable->load, words));
    draw_topology_add_line(map, &line);
}

/* Draws one cable: one line, or one for each direction if their loads differ. */
static void draw_cable(struct map *map, const struct cable *forward, const struct cable *back)
{
    bool is_even = forward && back && forward->load == back->load;
    if (forward)
        add_cable_line(map, forward, is_even);
    if (back && !is_even)
        add_cable_line(map, back, false);
}

/* Inches between neighbours of a grid. */
#define GRID_STEP 1.3

/* Pins a node of a grid: x to the right, y down, the planes of further dimensions in rows. `away` is its
 * distance from the machine along each dimension: the dimensions of the plane, and to the upper right those
 * between planes. */
static void draw_topology_pin(struct drawing_node *node, const struct map *map, uint32_t machine,
                              const double away[TOPOLOGY_MAX_DIMENSIONS])
{
    const struct grid *grid = map->grid;
    uint32_t at[TOPOLOGY_MAX_DIMENSIONS], plane = 0, n_planes = 1, in_row = 1;
    double x = away[0], y = 0;
    char value[64];
    draw_topology_coordinates_of(map, machine, at);
    for (uint32_t i = 2; i < grid->n_dimensions; i++) {
        plane += at[i] * n_planes;
        n_planes *= grid->extent[i].value;
        x += away[i] * 0.75;
        y -= away[i] * 0.6;
    }
    while (in_row * in_row < n_planes)
        in_row++;
    x += at[0] + plane % in_row * (grid->extent[0].value + 1.0);
    if (grid->n_dimensions > 1)
        y += at[1] + away[1] + plane / in_row * (grid->extent[1].value + 1.0);
    snprintf(value, sizeof value, "%.2f,%.2f!", x * GRID_STEP * map->stretch, -y * GRID_STEP);
    drawing_node_set(node, "pos", value);
}

/* Adds the end of a link that is cut, half a step from the machine. */
static struct drawing_node *add_outside(struct map *map, const struct cable *cable, bool at_high)
{
    const struct grid *grid = map->grid;
    const uint32_t machine = at_high ? cable->high : cable->low;
    uint32_t a[TOPOLOGY_MAX_DIMENSIONS], b[TOPOLOGY_MAX_DIMENSIONS];
    double away[TOPOLOGY_MAX_DIMENSIONS] = {0};
    char name[32];
    draw_topology_coordinates_of(map, machine, a);
    draw_topology_coordinates_of(map, at_high ? cable->low : cable->high, b);
    for (uint32_t i = 0; i < grid->n_dimensions; i++) {
        const bool is_up = a[i] < b[i], is_next = a[i] + 1 == b[i] || b[i] + 1 == a[i];
        if (a[i] != b[i]) /* round the edge it leaves on the other side */
            away[i] = is_up == is_next ? 0.55 : -0.55;
    }
    snprintf(name, sizeof name, "outside%" PRIu32, map->n_outside++);
    struct drawing_node *outside = drawing_node(map->drawing, NULL, name, "");
    drawing_node_set(outside, "shape", "point");
    drawing_node_set(outside, "style", "invis");
    draw_topology_pin(outside, map, machine, away);
    return outside;
}

/* Draws a link that leaves the picture, or the plane, at one machine and enters it at the other. */
static void draw_cut(struct map *map, const struct cable *cable, const char *dir)
{
    for (int at_high = 0; at_high < 2; at_high++) {
        struct drawing_node *outside = add_outside(map, cable, at_high);
        struct drawing_node *node = map->nodes[at_high ? cable->high : cable->low];
        bool goes_out = strcmp(dir, "none") != 0 && (strcmp(dir, "forward") == 0) != (at_high == 1);
        struct drawing_edge *edge =
            drawing_edge(map->drawing, goes_out ? node : outside, goes_out ? outside : node);
        drawing_edge_set(edge, "dir", strcmp(dir, "none") == 0 ? "none" : "forward");
        drawing_edge_set(edge, "style", "dashed");
        set_load(map, edge, cable->load);
    }
}

static void draw_cut_cable(struct map *map, const struct cable *forward,
                                const struct cable *back)
{
    bool is_even = forward && back && forward->load == back->load;
    if (forward)
        draw_cut(map, forward, is_even ? "none" : "forward");
    if (back && !is_even)
        draw_cut(map, back, "back");
}

/* Draws too many cables for a line each as one line with their number. */
static void draw_bundle(struct map *map, const struct cable *cables, size_t n)
{
    struct line line = {.low = cables[0].low,
                        .high = cables[0].high,
                        .link = cables[0].link,
                        .is_bundle = true};
    char words[LOAD_TEXT];
    for (size_t i = 0; i < n; i++)
        line.load = cables[i].load > line.load ? cables[i].load : line.load;
    if (map->load)
        snprintf(line.label, sizeof line.label, "%zu cables\nup to %s", (n + 1) / 2,
                 load_text(map, line.load, words));
    else
        snprintf(line.label, sizeof line.label, "%zu cables", (n + 1) / 2);
    line.has_network = map->detail != DETAIL_FOLDED;
    draw_topology_add_line(map, &line);
}

/* Draws all links between two drawn nodes; the first `n_forward` go upwards. */
static void draw_group(struct map *map, const struct cable *group, size_t n)
{
    size_t n_forward = 0;
    while (n_forward < n && group[n_forward].is_forward)
        n_forward++;
    size_t n_back = n - n_forward, most = n_forward > n_back ? n_forward : n_back;
    if (most > DRAW_MAX_CABLES || group[0].low == group[0].high) {
        draw_bundle(map, group, n);
        return;
    }
    for (size_t i = 0; i < most; i++) {
        const struct cable *forward = i < n_forward ? &group[i] : NULL;
        const struct cable *back = i < n_back ? &group[n_forward + i] : NULL;
        if ((forward ? forward : back)->is_cut)
            draw_cut_cable(map, forward, back);
        else
            draw_cable(map, forward, back);
    }
}

static void draw_cables(struct map *map)
{
    for (size_t i = 0, end; i < map->n_cables; i = end) {
        end = i + 1;
        while (end < map->n_cables && map->cables[end].low == map->cables[i].low &&
               map->cables[end].high == map->cables[i].high)
            end++;
        draw_group(map, &map->cables[i], end - i);
    }
}

/* --- nodes ------------------------------------------------------------- */

/* True for machines that are cabled to each other and have no places. */
static bool is_circle(const struct map *map)
{
    return !map->grid && !map->topology->n_routers && !map->topology->has_machine_ports;
}

static void place_on_circle(uint32_t machine, uint32_t n, struct drawing_node *node)
{
    char value[64];
    double turn = 2 * 3.14159265358979323846 * machine / n, radius = 0.2 * n + 0.6;
    snprintf(value, sizeof value, "%.3f,%.3f!", radius * sin(turn), radius * cos(turn));
    drawing_node_set(node, "pos", value);
}

void draw_label_of(const struct map *map, uint32_t node, struct text *label)
{
    char name[128];
    bool is_machine = node < map->topology->n_machines;
    const bool is_one = map->detail != DETAIL_FOLDED || map->n_members[node] == 1;
    if (!is_one)
        text_printf(label, is_machine ? "%" PRIu32 " machines\\nlike " : "%" PRIu32 " switches\\nlike ",
                    map->n_members[node]);
    topology_node_name(map->topology, node, name, sizeof name);
    for (const char *c = name; *c; c++)
        text_printf(label, *c == '\\' ? "\\\\" : "%c", *c);
    if (map->place && !is_machine && map->detail == DETAIL_ALL) {
        topology_node_name(map->topology, map->guest[node], name, sizeof name);
        text_printf(label, "\\n");
        for (const char *c = name; *c; c++)
            text_printf(label, *c == '\\' ? "\\\\" : "%c", *c);
    }
    if (map->n_members[node] && map->detail == DETAIL_LEAVES)
        text_printf(label, "\\n%" PRIu32 " machine%s", map->n_members[node],
                    map->n_members[node] == 1 ? "" : "s");
    if (map->n_members[node] && map->detail == DETAIL_LEAVES && map->load)
        text_printf(label, "\\nup to %s", load_text(map, map->inside[node], name));
}

static void draw_node(struct map *map, struct drawing_cluster *level, uint32_t node)
{
    const struct topology *t = map->topology;
    struct text label = {0};
    char id[32];
    snprintf(id, sizeof id, "n%" PRIu32, node);
    draw_label_of(map, node, &label);
    map->nodes[node] = drawing_node(map->drawing, level, id, label.data);
    text_free(&label);
    bool is_switch = node >= t->n_machines;
    drawing_node_set(map->nodes[node], "shape", is_switch ? "box" : "ellipse");
    drawing_node_set(map->nodes[node], "fillcolor", is_switch ? "#dbe7f5" : "#f6f6f2");
    if (is_switch && !map->load && topology_n_networks(t) > 1)
        drawing_node_set(map->nodes[node], "color",
                         network_colour(topology_router_network(t, node)));
    if (map->inside[node]) {
        char colour[8];
        load_colour((double)map->inside[node], map->calm_load, (double)map->max_load, colour);
        drawing_node_set(map->nodes[node], "color", colour);
        drawing_node_set(map->nodes[node], "penwidth", "3");
    }
    if (map->grid && map->detail == DETAIL_ALL)
        draw_topology_pin(map->nodes[node], map, node, (const double[TOPOLOGY_MAX_DIMENSIONS]){0});
    if (is_circle(map) && map->detail == DETAIL_ALL)
        place_on_circle(node, t->n_machines, map->nodes[node]);
}

/* Draws a level. An invisible line from each switch to the next keeps the switches of a row in the order of
 * their numbers; machines stand below their switch, also in order if they have several. */
static void draw_level(struct map *map, uint32_t level, struct drawing_cluster *row)
{
    struct drawing_node *before = NULL;
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        if (map->level[node] != level || map->drawn[node] != node)
            continue;
        draw_node(map, row, node);
        if (row && before && (level > 0 || map->has_rails))
            drawing_edge_set(drawing_edge(map->drawing, before, map->nodes[node]), "style", "invis");
        before = map->nodes[node];
    }
}

static void draw_nodes(struct map *map)
{
    uint32_t highest = 0;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        if (map->level[node] != NO_LEVEL && map->level[node] > highest)
            highest = map->level[node];
    for (uint32_t i = 0; i <= highest; i++) {
        const uint32_t level = highest - i;
        char name[32];
        snprintf(name, sizeof name, "level%" PRIu32, level);
        bool has_rows = !map->is_in_rows && !map->is_flat && highest;
        draw_level(map, level, has_rows ? drawing_cluster(map->drawing, name, NULL) : NULL);
    }
    for (uint32_t node = 0; node < map->n_nodes; node++)
        if (map->level[node] == NO_LEVEL && map->drawn[node] == node)
            draw_node(map, NULL, node);
}

/* --- the whole --------------------------------------------------------- */

static void draw_topology_print_legend(const struct map *map, struct text *out)
{
    const char *const most_calm = map->step ? "" : map->is_least ? ", needed at least" : ", the mean";
    text_printf(out, "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\"><TR>"
                     "<TD>load of a link (%s):</TD>", draw_topology_unit(map));
    const uint64_t calm = (uint64_t)(map->calm_load + 0.5), loads[] = {0, calm, 2 * calm, map->max_load};
    uint64_t last = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        char colour[8], words[LOAD_TEXT];
        if (loads[i] > map->max_load || loads[i] == last)
            continue;
        last = loads[i];
        load_colour((double)loads[i], map->calm_load, (double)map->max_load, colour);
        text_printf(out, "<TD BGCOLOR=\"%s\"><FONT COLOR=\"%s\"> %s%s </FONT></TD>", colour,
                    i ? "white" : "black", load_text(map, loads[i], words), i == 1 ? most_calm : "");
    }
    char words[LOAD_TEXT];
    text_printf(out, "<TD> in total %s on %" PRIu64 " of %" PRIu32 " links</TD></TR>"
                     "</TABLE></TD></TR>",
                load_text(map, map->total_load, words), map->n_loaded, map->topology->n_links);
}

/* Prints the colours of the networks. */
static void draw_topology_print_networks(const struct map *map, struct text *out)
{
    uint32_t n = topology_n_networks(map->topology);
    for (uint32_t i = 1; i < n; i++) {
        const struct network *network = topology_network_info(map->topology, i);
        text_printf(out, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"%s\">%s </FONT>",
                    network_colour(i), network->label);
        drawing_escape(network->name, out);
        text_printf(out, ", %" PRIu32 " machine%s</TD></TR>", network->n_machines,
                    plural(network->n_machines));
    }
}

static void print_caption(const struct map *map)
{
    const struct topology *t = map->topology;
    struct text html = {0};
    text_printf(&html, "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\"><TR>"
                       "<TD ALIGN=\"LEFT\">");
    if (map->header) {
        drawing_name_schedule(map->header, &html);
        text_printf(&html, ", %" PRIu32 " rank%s, ", map->header->n_ranks, plural(map->header->n_ranks));
        if (map->step)
            text_printf(&html, "step %" PRIu64 "<BR ALIGN=\"LEFT\"/>", map->step->index);
        else
            text_printf(&html, "all steps<BR ALIGN=\"LEFT\"/>");
    }
    drawing_escape(drawing_topology_name(t), &html);
    text_printf(&html, ": %" PRIu32 " machine%s", t->n_machines, plural(t->n_machines));
    if ((!map->grid || map->place) && t->n_routers)
        text_printf(&html, ", %" PRIu32 " switch%s%s", t->n_routers, t->n_routers == 1 ? "" : "es",
                    map->place && map->detail == DETAIL_ALL ? " with a machine each" : "");
    text_printf(&html, ", %" PRIu32 " links", t->n_links);
    if (map->header && topology_assumes_routes(t))
        text_printf(&html, ", routes assumed");
    if (map->detail != DETAIL_ALL)
        text_printf(&html, " (too many to draw each: %s)",
                    map->detail == DETAIL_LEAVES ? "the machines of a switch are one node"
                                                 : "those that are alike are one node");
    text_printf(&html, "</TD></TR>");
    if (map->load)
        draw_topology_print_legend(map, &html);
    else
        draw_topology_print_networks(map, &html);
    text_printf(&html, "</TABLE>");
    drawing_caption(map->drawing, html.data);
    text_free(&html);
}

static void set_up_drawing(struct map *map)
{
    bool is_pinned = map->detail == DETAIL_ALL && (map->grid || is_circle(map));
    const bool is_in_rows = map->is_in_rows, is_free = map->is_flat;
    map->drawing = drawing_open("topology");
    drawing_set(map->drawing, "layout", is_pinned || is_free ? "neato" : is_in_rows ? "nop2" : "dot");
    drawing_set(map->drawing, "fontname", "Helvetica");
    drawing_set(map->drawing, "fontsize", "11");
    if (is_in_rows) {
        drawing_set(map->drawing, "outputorder", "edgesfirst");
    } else if (is_free) {
        drawing_set(map->drawing, "overlap", "false");
        drawing_set(map->drawing, "sep", "+4");
        drawing_set(map->drawing, "outputorder", "edgesfirst");
    } else if (!is_pinned) {
        drawing_set(map->drawing, "ranksep", "0.9");
        drawing_set(map->drawing, "nodesep", "0.12");
    }
    drawing_set_nodes(map->drawing, "fontname", "Helvetica");
    drawing_set_nodes(map->drawing, "fontsize", "10");
    drawing_set_nodes(map->drawing, "style", "filled");
    drawing_set_nodes(map->drawing, "color", "#55606b");
    drawing_set_nodes(map->drawing, "width", "0.45");
    drawing_set_nodes(map->drawing, "height", "0.3");
    drawing_set_nodes(map->drawing, "margin", "0.05,0.02");
    drawing_set_edges(map->drawing, "color", "#55606b");
    drawing_set_edges(map->drawing, "arrowsize", "0.6");
    drawing_set_edges(map->drawing, "fontname", "Helvetica");
    drawing_set_edges(map->drawing, "fontsize", "9");
}

/* Returns the stretch that leaves half a step beside the longest name, whose letters are at most a tenth of
 * an inch wide. */
static double stretch_of(const struct map *map)
{
    size_t longest = 0;
    for (uint32_t node = 0; node < map->n_nodes && map->place; node++) {
        char name[128];
        topology_node_name(map->topology, node, name, sizeof name);
        longest = strlen(name) > longest ? strlen(name) : longest;
    }
    const double width = 0.075 * (double)longest + 0.1;
    return width + GRID_STEP / 2 > GRID_STEP ? (width + GRID_STEP / 2) / GRID_STEP : 1;
}

/* True if every machine that is drawn with its switch still has a link to it. */
static bool are_joined(const struct topology *t)
{
    bool *is_joined = mem_alloc(t->n_nodes, sizeof *is_joined);
    uint32_t n = t->n_nodes == t->n_machines ? t->n_machines : 0, from, to;
    for (uint32_t link = 0; link < t->n_link_ids && n < t->n_machines; link++) {
        if (!topology_has_link(t, link))
            continue;
        topology_link_ends(t, link, &from, &to);
        n += from < t->n_machines && !is_joined[from];
        is_joined[from] = true;
    }
    free(is_joined);
    return n == t->n_machines;
}

/* Finds the grid that the topology is, or was before links of it failed. */
static void draw_topology_find_grid(struct map *map, struct recognition *recognition)
{
    const struct topology *t = map->topology;
    const struct topology *whole = topology_whole(t);
    const bool has_all = t->n_machines == whole->n_machines && t->n_nodes == whole->n_nodes;
    const bool is_part = t != whole && has_all && are_joined(t); /* links of it have failed */
    const bool is_small = t->n_nodes <= DRAW_MAX_NODES && t->n_links / 2 <= DRAW_MAX_EDGES;
    map->grid = topology_as_grid(is_part ? whole : t);
    if (!map->grid && is_small && (is_part ? recognise_whole(t, recognition) : recognise(t, recognition)))
        map->grid = topology_as_grid(recognition->shape);
    map->place = map->grid ? recognition->image : NULL;
}

const char *emit_drawing_topology(const struct emit_request *request, struct text *out)
{
    const struct topology *topology = request->topology;
    struct map map = {.topology = topology,
                      .load = request->link_load,
                      .step = request->step};
    map.header = request->link_load && request->schedule ? &request->schedule->header : NULL;
    map.block_units = map.header && !map.step ? (uint64_t)schedule_block_units(map.header) *
                                                    placement_stripes(request->placement)
                                              : 1;
    struct recognition recognition = {0};
    draw_topology_find_grid(&map, &recognition);
    map.n_nodes = topology->n_nodes;
    map.stretch = stretch_of(&map);
    map.level = mem_alloc(map.n_nodes, sizeof *map.level);
    map.drawn = mem_alloc(map.n_nodes, sizeof *map.drawn);
    map.n_members = mem_alloc(map.n_nodes, sizeof *map.n_members);
    map.inside = mem_alloc(map.n_nodes, sizeof *map.inside);
    map.guest = mem_alloc(map.n_nodes, sizeof *map.guest);
    map.nodes = mem_alloc(map.n_nodes, sizeof(struct drawing_node *));
    draw_topology_take_loads(&map, request->least_load);
    draw_choose_nodes(&map);
    find_cables(&map);
    set_up_drawing(&map);
    print_caption(&map);
    draw_nodes(&map);
    map.lines = mem_alloc(map.n_cables, sizeof *map.lines);
    draw_cables(&map);
    if (map.is_in_rows)
        draw_in_rows(&map);
    drawing_close(map.drawing, out);
    free(map.level);
    free(map.drawn);
    free(map.n_members);
    free(map.guest);
    free(map.inside);
    recognition_free(&recognition);
    free(map.nodes);
    free(map.cables);
    free(map.lines);
    return NULL;
}
