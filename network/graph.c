/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Building and sealing an explicit network; its routes are in
 * network/graph_routes.c. See graph.h.
 */
#include "network/forwarding.h"

#include <stdlib.h>
#include <string.h>

struct graph *graph_new(void)
{
    return mem_alloc(1, sizeof(struct graph));
}

/* Frees the routes to ports. */
static void graph_forget_ways(struct graph *graph)
{
    for (uint32_t router = 0; graph->next_to && router < graph->n_nodes - graph->n_machines; router++)
        if (graph->next_to[router]) {
            free(graph->next_to[router]->first);
            free(graph->next_to[router]->links);
            free(graph->next_to[router]);
        }
    free(graph->next_to);
    graph->next_to = NULL;
}

void graph_free(struct graph *graph)
{
    if (!graph)
        return;
    for (uint32_t machine = 0; graph->next && machine < graph->n_machines; machine++)
        free(graph->next[machine]);
    free(graph->next);
    graph_forget_ways(graph);
    subnet_free(graph->subnet);
    forwarding_free(graph->forwarding);
    free(graph->nodes);
    free(graph->cables);
    free(graph->first);
    free(graph->out);
    free(graph->names);
    free(graph->adapter_at);
    free(graph->port_at);
    free(graph->rail_at);
    map_free(&graph->by_name);
    free(graph->distance);
    free(graph->queue);
    free(graph);
}

/* ---- names ---- */

static uint32_t graph_hash_of_node(const void *items, uint32_t node)
{
    const struct graph *graph = items;
    return map_hash_text(0, graph_name(graph, node), graph->nodes[node].name_length);
}

struct name {
    const char *text;
    size_t length;
};

static bool graph_is_called(const void *items, uint32_t node, const void *key)
{
    const struct graph *graph = items;
    const struct name *name = key;
    return graph->nodes[node].name_length == name->length &&
           memcmp(graph_name(graph, node), name->text, name->length) == 0;
}

uint32_t graph_find(const struct graph *graph, const char *name, size_t length)
{
    return map_find(&graph->by_name, map_hash_text(0, name, length), graph_is_called, graph,
                    &(struct name){name, length});
}

/* ---- building ---- */

static uint32_t store_name(struct graph *graph, const char *name, size_t length)
{
    size_t at = graph->names_length;
    if (at + length + 1 > UINT32_MAX)
        fatal("the names of a network exceed 4 GiB");
    graph->names = mem_grow(graph->names, &graph->names_capacity, at + length + 1, 1);
    if (length)
        memcpy(graph->names + at, name, length);
    graph->names[at + length] = '\0';
    graph->names_length = at + length + 1;
    return (uint32_t)at;
}

uint32_t graph_add_node(struct graph *graph, bool is_router, const char *name, size_t length)
{
    map_reserve(&graph->by_name, graph_hash_of_node, graph);
    uint32_t *slot = map_slot(&graph->by_name, map_hash_text(0, name, length), graph_is_called, graph,
                              &(struct name){name, length});
    if (*slot != MAP_NONE)
        return GRAPH_NONE;
    uint32_t node = map_fill(&graph->by_name, slot);
    graph->nodes = mem_grow(graph->nodes, &graph->nodes_capacity, node + 1, sizeof *graph->nodes);
    graph->nodes[node] =
        (struct graph_node){store_name(graph, name, length), (uint32_t)length, is_router};
    graph->n_machines += !is_router;
    graph->n_nodes++;
    return node;
}

void graph_add_cable(struct graph *graph, uint32_t a, uint32_t b, uint64_t bandwidth,
                     uint64_t latency)
{
    size_t need = (size_t)graph->n_cables + 1;
    graph->cables = mem_grow(graph->cables, &graph->cables_capacity, need, sizeof *graph->cables);
    graph->cables[graph->n_cables++] = (struct graph_cable){{a, b}, bandwidth, latency};
}

void graph_name_adapter(struct graph *graph, uint32_t link, const char *name, size_t length)
{
    const size_t before = graph->adapters_capacity;
    graph->adapter_at = mem_grow(graph->adapter_at, &graph->adapters_capacity, (size_t)link + 1,
                                 sizeof *graph->adapter_at);
    for (size_t i = before; i < graph->adapters_capacity; i++)
        graph->adapter_at[i] = GRAPH_NONE;
    graph->adapter_at[link] = store_name(graph, name, length);
}

void graph_name_port(struct graph *graph, uint32_t link, const char *name, size_t length)
{
    if (!graph->port_at) {
        graph->port_at = mem_alloc(2 * (size_t)graph->n_cables, sizeof *graph->port_at);
        memset(graph->port_at, 0xff, 2 * (size_t)graph->n_cables * sizeof *graph->port_at);
    }
    graph->port_at[link] = store_name(graph, name, length);
}

const char *graph_adapter_name(const struct graph *graph, uint32_t link)
{
    const bool is_known = link < graph->adapters_capacity && graph->adapter_at[link] != GRAPH_NONE;
    return is_known ? graph->names + graph->adapter_at[link] : NULL;
}

const char *graph_port_name(const struct graph *graph, uint32_t link)
{
    const bool is_known = graph->port_at && graph->port_at[link] != GRAPH_NONE;
    return is_known ? graph->names + graph->port_at[link] : NULL;
}

/* ---- sealing ---- */

/* Machines first; keeps the order within each kind. */
static void graph_renumber(struct graph *graph)
{
    uint32_t *number = mem_alloc(graph->n_nodes, sizeof *number);
    struct graph_node *sorted = mem_alloc(graph->n_nodes, sizeof *sorted);
    uint32_t machine = 0, router = graph->n_machines;
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        number[node] = graph->nodes[node].is_router ? router++ : machine++;
        sorted[number[node]] = graph->nodes[node];
    }
    free(graph->nodes);
    graph->nodes = sorted;
    graph->nodes_capacity = graph->n_nodes;
    for (uint32_t i = 0; i < graph->n_cables; i++)
        for (int end = 0; end < 2; end++)
            graph->cables[i].end[end] = number[graph->cables[i].end[end]];
    free(number);
}

/* Counting sort of the links by the node they leave: keeps the order of ids. */
static void make_adjacency(struct graph *graph)
{
    uint32_t n_links = 2 * graph->n_cables;
    graph->first = mem_alloc((size_t)graph->n_nodes + 2, sizeof *graph->first);
    graph->out = mem_alloc(n_links, sizeof *graph->out);
    uint32_t *at = graph->first + 1; /* shifted by one: ends up as the starts */
    for (uint32_t link = 0; link < n_links; link++)
        at[graph_link_from(graph, link) + 1]++;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        at[node + 1] += at[node];
    for (uint32_t link = 0; link < n_links; link++)
        graph->out[at[graph_link_from(graph, link)]++] = link;
}

void graph_seal(struct graph *graph)
{
    uint32_t n_routers = graph->n_nodes - graph->n_machines;
    graph_renumber(graph);
    map_rebuild(&graph->by_name, graph_hash_of_node, graph, false);
    make_adjacency(graph);
    graph->next = mem_alloc(graph->n_machines, sizeof *graph->next);
    graph->distance = mem_alloc(n_routers, sizeof *graph->distance);
    graph->queue = mem_alloc(n_routers, sizeof *graph->queue);
}

void graph_fail_links(struct graph *graph, const uint32_t *links, uint32_t n_links)
{
    bool *is_failed = mem_alloc(graph->n_cables, sizeof *is_failed);
    free(graph->first);
    free(graph->out);
    make_adjacency(graph);
    for (uint32_t i = 0; i < n_links; i++)
        is_failed[links[i] / 2] = true;
    for (uint32_t node = 0, from = 0, n = 0; node < graph->n_nodes; node++) {
        for (uint32_t end = graph->first[node + 1]; from < end; from++)
            if (!is_failed[graph->out[from] / 2])
                graph->out[n++] = graph->out[from];
        graph->first[node + 1] = n;
    }
    free(is_failed);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        free(graph->next[machine]);
        graph->next[machine] = NULL;
    }
    graph_forget_ways(graph);
}
