/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See relays.h.
 */
#include "network/formats/nccl/relays.h"

#include <stdlib.h>
#include <string.h>

/* The GPUs of a host. */
struct relays {
    struct graph *graph;
    const uint32_t *gpus;
    uint32_t n;
    uint64_t near[RELAYS_MAX];   /* [gpu] bits of those that a cable joins to it */
    uint32_t router[RELAYS_MAX]; /* [gpu] */
    uint64_t rate[RELAYS_MAX];   /* [gpu] B/s of all of its cables */
    const char *taken;
};

/* Returns the number of the GPU that is a node; `n`: none is. */
static uint32_t relays_find(const struct relays *relays, uint32_t node)
{
    uint32_t i = 0;
    while (i < relays->n && relays->gpus[i] != node)
        i++;
    return i;
}

/* True if some pair is not joined, and every such pair has a GPU that is joined to both. */
static bool relays_serve(struct relays *relays)
{
    const struct graph *graph = relays->graph;
    bool is_partial = false;
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        const uint32_t a = relays_find(relays, graph->cables[i].end[0]);
        const uint32_t b = relays_find(relays, graph->cables[i].end[1]);
        if (a == relays->n || b == relays->n)
            continue;
        relays->near[a] |= UINT64_C(1) << b;
        relays->near[b] |= UINT64_C(1) << a;
    }
    for (uint32_t a = 0; a < relays->n; a++)
        for (uint32_t b = 0; b < a; b++) {
            const bool is_joined = relays->near[a] >> b & 1;
            if (!is_joined && !(relays->near[a] & relays->near[b]))
                return false;
            is_partial = is_partial || !is_joined;
        }
    return is_partial;
}

/* Adds the router "gpu0.WORD", or "gpu0.WORD2" for number 2. */
static uint32_t relays_add_router(struct relays *relays, uint32_t gpu, const char *word, uint32_t number)
{
    struct text name = {0};
    text_printf(&name, "%s.%s", graph_name(relays->graph, relays->gpus[gpu]), word);
    if (number)
        text_printf(&name, "%u", number);
    const uint32_t router = graph_add_node(relays->graph, true, name.data, name.length);
    if (router == GRAPH_NONE) {
        const uint32_t other = graph_find(relays->graph, name.data, name.length);
        relays->taken = graph_name(relays->graph, other);
    }
    text_free(&name);
    return router;
}

/* Moves an end of a cable from a GPU to its router, or to a port of that. */
static void relays_move(struct relays *relays, uint32_t cable, uint32_t end, uint32_t gpu, bool is_to_gpu,
                        uint32_t *n_ports)
{
    const struct graph_cable moved = relays->graph->cables[cable];
    uint32_t to = relays->router[gpu];
    if (!is_to_gpu) {
        to = relays_add_router(relays, gpu, "port", n_ports[gpu]++);
        if (to != GRAPH_NONE)
            graph_add_cable(relays->graph, relays->router[gpu], to, moved.bandwidth, moved.latency);
    }
    relays->graph->cables[cable].end[end] = to;
    relays->rate[gpu] += moved.bandwidth;
}

const char *nccl_add_relays(struct graph *graph, const uint32_t *gpus, uint32_t n)
{
    struct relays relays = {.graph = graph, .gpus = gpus, .n = n};
    const uint32_t n_cables = graph->n_cables;
    uint32_t n_ports[RELAYS_MAX] = {0};
    if (n < 3 || n > RELAYS_MAX || !relays_serve(&relays))
        return NULL;
    for (uint32_t gpu = 0; gpu < n && !relays.taken; gpu++)
        relays.router[gpu] = relays_add_router(&relays, gpu, "relay", 0);
    for (uint32_t cable = 0; cable < n_cables && !relays.taken; cable++) {
        const uint32_t from = relays_find(&relays, graph->cables[cable].end[0]);
        const uint32_t to = relays_find(&relays, graph->cables[cable].end[1]);
        if (from < n)
            relays_move(&relays, cable, 0, from, to < n, n_ports);
        if (to < n)
            relays_move(&relays, cable, 1, to, from < n, n_ports);
    }
    for (uint32_t gpu = 0; gpu < n && !relays.taken; gpu++)
        graph_add_cable(graph, gpus[gpu], relays.router[gpu], relays.rate[gpu], 0);
    return relays.taken;
}
