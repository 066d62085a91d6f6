/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes all calls of cgraph. See draw.h. cgraph keeps graphs of its own, and counts references of strings
 * in them; nothing here outlives drawing_close.
 */
#include "emitters/drawing/draw.h"

#include "base/map.h"

#include <cgraph.h>
#include <stdlib.h>
#include <string.h>

/* Converts a handle, which is a cgraph object under another name. */
static Agraph_t *draw_graph_of(struct drawing *drawing)
{
    return (Agraph_t *)(void *)drawing;
}

/* Drops const: cgraph does not write to its strings, though its header says it may. */
static char *draw_plain(const char *text)
{
    union {
        const char *in;
        char *out;
    } both = {text};
    return both.out;
}

/* ---- identifiers ----
 * By default cgraph numbers objects by the address of their name and writes
 * subgraphs in that order, which differs from run to run. Here names are numbered
 * as they are first mentioned: even numbers, odd ones for objects without name. */

struct names {
    Agraph_t *graph;
    char **names; /* the graph's own copies: cgraph looks behind the text of a name */
    size_t capacity;
    struct hash_map by_name;
    IDTYPE n_unnamed;
};

static uint32_t hash_of_name(const void *names, uint32_t i)
{
    const char *name = ((const struct names *)names)->names[i];
    return map_hash_text(0, name, strlen(name));
}

static bool draw_is_name(const void *names, uint32_t i, const void *name)
{
    return strcmp(((const struct names *)names)->names[i], name) == 0;
}

static void *ids_open(Agraph_t *graph, Agdisc_t *discipline)
{
    struct names *names = mem_alloc(1, sizeof *names);
    (void)discipline;
    names->graph = graph;
    return names;
}

static long ids_map(void *state, int type, char *name, IDTYPE *id, int create)
{
    struct names *names = state;
    (void)type;
    if (!name) {
        *id = 2 * names->n_unnamed++ + 1;
        return 1;
    }
    map_reserve(&names->by_name, hash_of_name, names);
    uint32_t *slot =
        map_slot(&names->by_name, map_hash_text(0, name, strlen(name)), draw_is_name, names, name);
    if (*slot == MAP_NONE && !create)
        return 0;
    if (*slot == MAP_NONE) {
        const uint32_t n = map_fill(&names->by_name, slot);
        names->names = mem_grow(names->names, &names->capacity, n + 1, sizeof(char *));
        names->names[n] = agstrdup(names->graph, name);
    }
    *id = 2 * (IDTYPE)*slot + 2;
    return 1;
}

static long ids_alloc(void *state, int type, IDTYPE id)
{
    (void)state, (void)type, (void)id;
    return 0;
}

static void ids_free(void *state, int type, IDTYPE id)
{
    (void)state, (void)type, (void)id;
}

static char *ids_print(void *state, int type, IDTYPE id)
{
    const struct names *names = state;
    (void)type;
    return id % 2 ? NULL : names->names[id / 2 - 1];
}

static void ids_close(void *state)
{
    struct names *names = state;
    free(names->names);
    map_free(&names->by_name);
    free(names);
}

static void ids_register(void *state, int type, void *object)
{
    (void)state, (void)type, (void)object;
}

static Agiddisc_t numbered_names = {ids_open,  ids_map,   ids_alloc,   ids_free,
                                    ids_print, ids_close, ids_register};

struct drawing *drawing_open(const char *name)
{
    Agdisc_t discipline = {NULL, &numbered_names, NULL};
    Agraph_t *graph = agopen(draw_plain(name), Agdirected, &discipline);
    if (!graph)
        fatal("cannot make a drawing");
    return (struct drawing *)(void *)graph;
}

void drawing_set(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(draw_graph_of(drawing), AGRAPH, draw_plain(attribute), draw_plain(value));
}

void drawing_set_nodes(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(draw_graph_of(drawing), AGNODE, draw_plain(attribute), draw_plain(value));
}

void drawing_set_edges(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(draw_graph_of(drawing), AGEDGE, draw_plain(attribute), draw_plain(value));
}

void drawing_caption(struct drawing *drawing, const char *html)
{
    Agraph_t *graph = draw_graph_of(drawing);
    Agsym_t *label = agattr(graph, AGRAPH, draw_plain("label"), draw_plain(""));
    char *marked = agstrdup_html(graph, draw_plain(html));
    agxset(graph, label, marked);
    agstrfree(graph, marked);
}

void drawing_caption_colours(struct drawing *drawing, const char *first, const struct drawing_colour *colours,
                             size_t n)
{
    struct text html = {0};
    text_printf(&html,
                "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\"><TR><TD COLSPAN=\"%zu\">%s</TD></TR><TR>",
                n, first);
    for (size_t i = 0; i < n; i++)
        text_printf(&html, "<TD BGCOLOR=\"%s\"><FONT COLOR=\"white\"> %s </FONT></TD>", colours[i].colour,
                    colours[i].meaning);
    text_printf(&html, "</TR></TABLE>");
    drawing_caption(drawing, html.data);
    text_free(&html);
}

void drawing_escape(const char *text, struct text *out)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                                            : NULL;
        if (entity)
            text_printf(out, "%s", entity);
        else
            text_append(out, text, 1);
    }
}

const char *drawing_topology_name(const struct topology *topology)
{
    const char *name = topology->name ? topology->name : "topology";
    const char *slash = strrchr(name, '/');
    return slash && slash[1] ? slash + 1 : name;
}

struct drawing_cluster *drawing_cluster(struct drawing *drawing, const char *name,
                                        const char *label)
{
    Agraph_t *group = agsubg(draw_graph_of(drawing), draw_plain(name), 1);
    if (label)
        agsafeset(group, draw_plain("label"), draw_plain(label), draw_plain(""));
    else
        agsafeset(group, draw_plain("rank"), draw_plain("same"), draw_plain(""));
    return (struct drawing_cluster *)(void *)group;
}

struct drawing_node *drawing_node(struct drawing *drawing, struct drawing_cluster *cluster,
                                  const char *name, const char *label)
{
    Agraph_t *group = cluster ? (Agraph_t *)(void *)cluster : draw_graph_of(drawing);
    Agnode_t *node = agnode(group, draw_plain(name), 1);
    if (label)
        agsafeset(node, draw_plain("label"), draw_plain(label), draw_plain("\\N"));
    return (struct drawing_node *)(void *)node;
}

struct drawing_edge *drawing_edge(struct drawing *drawing, struct drawing_node *from,
                                  struct drawing_node *to)
{
    return (struct drawing_edge *)(void *)agedge(draw_graph_of(drawing), (Agnode_t *)(void *)from,
                                                 (Agnode_t *)(void *)to, NULL, 1);
}

void drawing_node_set(struct drawing_node *node, const char *attribute, const char *value)
{
    agsafeset(node, draw_plain(attribute), draw_plain(value), draw_plain(""));
}

void drawing_edge_set(struct drawing_edge *edge, const char *attribute, const char *value)
{
    agsafeset(edge, draw_plain(attribute), draw_plain(value), draw_plain(""));
}

void drawing_edge_label(struct drawing_edge *edge, const char *html, bool makes_room)
{
    Agraph_t *graph = agroot(edge);
    struct text table = {0};
    /* a label begins at its line, and is not to bite into it if it is thick */
    text_printf(&table, "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"1\"><TR>"
                        "<TD WIDTH=\"4\"></TD><TD BGCOLOR=\"white\">%s</TD></TR></TABLE>",
                html);
    char *marked = agstrdup_html(graph, table.data);
    agsafeset(edge, draw_plain(makes_room ? "label" : "xlabel"), marked, draw_plain(""));
    agstrfree(graph, marked);
    text_free(&table);
}

static int put_text(void *channel, const char *string)
{
    text_printf(channel, "%s", string);
    return 0;
}

static int put_nothing(void *channel)
{
    (void)channel;
    return 0;
}

void drawing_close(struct drawing *drawing, struct text *out)
{
    Agraph_t *graph = draw_graph_of(drawing);
    Agiodisc_t writer = {NULL, put_text, put_nothing};
    Agiodisc_t *before = graph->clos->disc.io;
    graph->clos->disc.io = &writer;
    agwrite(graph, out);
    graph->clos->disc.io = before;
    agclose(graph);
}
