/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws a fabric whose machines are part of their switches: the switches in rows by level, the lines
 * between them where rows.c puts them, the busiest on top, and on those a box for each label. Graphviz
 * lays out nothing here (nop2).
 */
#include "emitters/drawing/rows.h"
#include "emitters/drawing/topology_map.h"

#include "network/topology.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 72.0 /* an inch */

/* Inches of text at most, with the widest fonts that replace Helvetica. */
static const double char_width = 0.085, line_height = 0.165, padding = 0.1;   /* in nodes, 10 points */
static const double label_char_width = 0.075, label_line_height = 0.15;       /* sizes for labels of lines, 9
                                                                                 points */
static const double arrow_length = 0.085; /* inches, 6 points */

/* Counts the lines of a text and the characters of the longest; `end` ends a line. */
static void topology_rows_measure(const char *text, const char *end, size_t *n_lines, size_t *longest)
{
    *n_lines = *longest = 0;
    for (const char *after; text; text = after) {
        const char *stop = strstr(text, end);
        const size_t length = stop ? (size_t)(stop - text) : strlen(text);
        after = stop ? stop + strlen(end) : NULL;
        *longest = length > *longest ? length : *longest;
        ++*n_lines;
    }
}

static bool is_drawn(const struct map *map, uint32_t node)
{
    return map->drawn[node] == node;
}

/* Numbers each drawn node in `rows`, by level; nodes that no machine reaches are above all. */
static size_t collect_nodes(const struct map *map, struct rows_node *rows, uint32_t *place)
{
    uint32_t highest = 0;
    size_t n = 0;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        if (is_drawn(map, node) && map->level[node] != NO_LEVEL && map->level[node] > highest)
            highest = map->level[node];
    uint32_t lowest = highest;
    for (uint32_t node = 0; node < map->n_nodes; node++)
        if (is_drawn(map, node) && map->level[node] < lowest)
            lowest = map->level[node];
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        struct text label = {0};
        size_t n_lines, longest;
        if (!is_drawn(map, node))
            continue;
        draw_label_of(map, node, &label);
        topology_rows_measure(label.data, "\\n", &n_lines, &longest);
        text_free(&label);
        place[node] = (uint32_t)n;
        rows[n++] = (struct rows_node){
            .row = map->level[node] == NO_LEVEL ? highest - lowest + 1 : map->level[node] - lowest,
            .width = char_width * (double)longest + padding,
            .height = line_height * (double)n_lines + padding};
    }
    return n;
}

static size_t collect_lines(const struct map *map, struct rows_line *rows, const uint32_t *place)
{
    size_t n = 0;
    for (size_t i = 0; i < map->n_lines; i++) {
        const struct line *line = &map->lines[i];
        size_t n_lines, longest;
        topology_rows_measure(line->label, "\n", &n_lines, &longest);
        rows[n] = (struct rows_line){.from = place[line->low], .to = place[line->high]};
        rows[n].weight = map->max_load ? (double)line->load / (double)map->max_load : 0;
        if (line->label[0]) {
            rows[n].label_width = label_char_width * (double)longest + 0.05;
            rows[n].label_height = label_line_height * (double)n_lines;
        }
        n++;
    }
    return n;
}

static void set_place(struct drawing_node *node, struct rows_point at, double width, double height)
{
    char value[64];
    snprintf(value, sizeof value, "%.1f,%.1f", at.x * POINTS, at.y * POINTS);
    drawing_node_set(node, "pos", value);
    snprintf(value, sizeof value, "%.3f", width);
    drawing_node_set(node, "width", value);
    snprintf(value, sizeof value, "%.3f", height);
    drawing_node_set(node, "height", value);
    drawing_node_set(node, "fixedsize", "true");
}

/* Returns the point at the length of an arrow's head away from `tip`, on the way to `other`. */
static struct rows_point behind_head(struct rows_point tip, struct rows_point other)
{
    const double x = other.x - tip.x, y = other.y - tip.y, length = hypot(x, y);
    const double part = length > arrow_length ? arrow_length / length : 0.5;
    return (struct rows_point){tip.x + x * part, tip.y + y * part};
}

/* Prints a path for Graphviz: the points of heads, then a cubic curve for each straight piece. */
static void topology_rows_print_path(const struct line *line, const struct rows_line *row, struct text *out)
{
    struct rows_point points[4];
    const unsigned last = row->n_points - 1;
    memcpy(points, row->points, sizeof points);
    if (line->way == DOWNWARDS) {
        text_printf(out, "s,%.1f,%.1f ", points[0].x * POINTS, points[0].y * POINTS);
        points[0] = behind_head(points[0], points[1]);
    } else if (line->way == UPWARDS) {
        text_printf(out, "e,%.1f,%.1f ", points[last].x * POINTS, points[last].y * POINTS);
        points[last] = behind_head(points[last], points[last - 1]);
    }
    text_printf(out, "%.1f,%.1f", points[0].x * POINTS, points[0].y * POINTS);
    for (unsigned i = 0; i < last; i++)
        for (int third = 1; third <= 3; third++)
            text_printf(out, " %.1f,%.1f",
                        (points[i].x + (points[i + 1].x - points[i].x) * third / 3) * POINTS,
                        (points[i].y + (points[i + 1].y - points[i].y) * third / 3) * POINTS);
}

static void draw_path(const struct map *map, const struct line *line, const struct rows_line *row)
{
    static const char *const dirs[] = {"none", "forward", "back"};
    struct text path = {0};
    struct drawing_edge *edge = drawing_edge(map->drawing, map->nodes[line->low], map->nodes[line->high]);
    drawing_edge_set(edge, "dir", dirs[line->way]);
    topology_rows_print_path(line, row, &path);
    drawing_edge_set(edge, "pos", path.data);
    text_free(&path);
    draw_look(map, edge, line);
}

static void draw_label(const struct map *map, size_t i, const struct rows_line *row)
{
    struct text label = {0};
    char name[32];
    snprintf(name, sizeof name, "label%zu", i);
    for (const char *c = map->lines[i].label; *c; c++)
        text_printf(&label, *c == '\n' ? "\\n" : "%c", *c);
    struct drawing_node *node = drawing_node(map->drawing, NULL, name, label.data);
    text_free(&label);
    drawing_node_set(node, "shape", "box");
    drawing_node_set(node, "color", "white");
    drawing_node_set(node, "fillcolor", "white");
    drawing_node_set(node, "fontsize", "9");
    drawing_node_set(node, "margin", "0");
    set_place(node, row->label, row->label_width, row->label_height);
}

struct by_load {
    uint64_t load;
    size_t line;
};

static int topology_rows_compare_loads(const void *left, const void *right)
{
    const struct by_load *a = left, *b = right;
    if (a->load != b->load)
        return a->load < b->load ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void draw_lines(const struct map *map, const struct rows_line *rows)
{
    struct by_load *order = mem_alloc(map->n_lines, sizeof *order);
    for (size_t i = 0; i < map->n_lines; i++)
        order[i] = (struct by_load){map->lines[i].load, i};
    qsort(order, map->n_lines, sizeof *order, topology_rows_compare_loads);
    for (size_t i = 0; i < map->n_lines; i++)
        draw_path(map, &map->lines[order[i].line], &rows[order[i].line]);
    for (size_t i = 0; i < map->n_lines; i++)
        if (map->lines[i].label[0])
            draw_label(map, i, &rows[i]);
    free(order);
}

void draw_in_rows(struct map *map)
{
    struct rows_node *nodes = mem_alloc(map->n_nodes, sizeof *nodes);
    struct rows_line *lines = mem_alloc(map->n_lines, sizeof *lines);
    uint32_t *place = mem_alloc(map->n_nodes, sizeof *place);
    const size_t n_nodes = collect_nodes(map, nodes, place);
    const size_t n_lines = collect_lines(map, lines, place);
    rows_lay_out(nodes, n_nodes, lines, n_lines);
    for (uint32_t node = 0; node < map->n_nodes; node++) {
        const struct rows_node *row = &nodes[place[node]];
        if (is_drawn(map, node))
            set_place(map->nodes[node], row->at, row->width, row->height);
    }
    draw_lines(map, lines);
    free(place);
    free(lines);
    free(nodes);
}
