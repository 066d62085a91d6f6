/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All calls of cgraph. See draw.h. cgraph keeps graphs of its own, and counts
 * references of strings in them; nothing here outlives drawing_close.
 */
#include "emitters/drawing/draw.h"

#include <cgraph.h>
#include <stdlib.h>
#include <string.h>

/* The handles are cgraph's own objects under another name. */
static Agraph_t *graph_of(struct drawing *drawing)
{
    return (Agraph_t *)(void *)drawing;
}

/* cgraph does not write to the strings it is given, though it says it may. */
static char *plain(const char *text)
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
    size_t n, capacity;
    uint32_t *table; /* open addressing: index of the name + 1 */
    size_t table_size;
    IDTYPE n_unnamed;
};

static uint32_t *name_slot(const struct names *names, const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    size_t at = (size_t)hash & (names->table_size - 1);
    while (names->table[at] && strcmp(names->names[names->table[at] - 1], name) != 0)
        at = (at + 1) & (names->table_size - 1);
    return &names->table[at];
}

static void grow_names(struct names *names)
{
    names->table_size = names->table_size ? names->table_size * 2 : 256;
    free(names->table);
    names->table = mem_alloc(names->table_size, sizeof *names->table);
    for (size_t i = 0; i < names->n; i++)
        *name_slot(names, names->names[i]) = (uint32_t)i + 1;
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
    if ((names->n + 1) * 2 > names->table_size)
        grow_names(names);
    uint32_t *slot = name_slot(names, name);
    if (!*slot && !create)
        return 0;
    if (!*slot) {
        names->names = mem_grow(names->names, &names->capacity, names->n + 1, sizeof(char *));
        names->names[names->n] = agstrdup(names->graph, name);
        *slot = (uint32_t)++names->n;
    }
    *id = 2 * (IDTYPE)*slot;
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
    free(names->table);
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
    Agraph_t *graph = agopen(plain(name), Agdirected, &discipline);
    if (!graph)
        fatal("cannot make a drawing");
    return (struct drawing *)(void *)graph;
}

void drawing_set(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(graph_of(drawing), AGRAPH, plain(attribute), plain(value));
}

void drawing_set_nodes(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(graph_of(drawing), AGNODE, plain(attribute), plain(value));
}

void drawing_set_edges(struct drawing *drawing, const char *attribute, const char *value)
{
    agattr(graph_of(drawing), AGEDGE, plain(attribute), plain(value));
}

void drawing_caption(struct drawing *drawing, const char *html)
{
    Agraph_t *graph = graph_of(drawing);
    Agsym_t *label = agattr(graph, AGRAPH, plain("label"), plain(""));
    char *marked = agstrdup_html(graph, plain(html));
    agxset(graph, label, marked);
    agstrfree(graph, marked);
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

struct drawing_cluster *drawing_cluster(struct drawing *drawing, const char *name,
                                        const char *label)
{
    Agraph_t *group = agsubg(graph_of(drawing), plain(name), 1);
    if (label)
        agsafeset(group, plain("label"), plain(label), plain(""));
    else
        agsafeset(group, plain("rank"), plain("same"), plain(""));
    return (struct drawing_cluster *)(void *)group;
}

struct drawing_node *drawing_node(struct drawing *drawing, struct drawing_cluster *cluster,
                                  const char *name, const char *label)
{
    Agraph_t *group = cluster ? (Agraph_t *)(void *)cluster : graph_of(drawing);
    Agnode_t *node = agnode(group, plain(name), 1);
    if (label)
        agsafeset(node, plain("label"), plain(label), plain("\\N"));
    return (struct drawing_node *)(void *)node;
}

struct drawing_edge *drawing_edge(struct drawing *drawing, struct drawing_node *from,
                                  struct drawing_node *to)
{
    return (struct drawing_edge *)(void *)agedge(graph_of(drawing), (Agnode_t *)(void *)from,
                                                 (Agnode_t *)(void *)to, NULL, 1);
}

void drawing_node_set(struct drawing_node *node, const char *attribute, const char *value)
{
    agsafeset(node, plain(attribute), plain(value), plain(""));
}

void drawing_edge_set(struct drawing_edge *edge, const char *attribute, const char *value)
{
    agsafeset(edge, plain(attribute), plain(value), plain(""));
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
    Agraph_t *graph = graph_of(drawing);
    Agiodisc_t writer = {NULL, put_text, put_nothing};
    Agiodisc_t *before = graph->clos->disc.io;
    graph->clos->disc.io = &writer;
    agwrite(graph, out);
    graph->clos->disc.io = before;
    agclose(graph);
}
