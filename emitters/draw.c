/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All calls of cgraph. See draw.h. cgraph keeps graphs of its own, and counts
 * references of strings in them; nothing here outlives drawing_close.
 */
#include "emitters/draw.h"

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

struct drawing *drawing_open(const char *name)
{
    Agraph_t *graph = agopen(plain(name), Agdirected, NULL);
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
