/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See max_flow.h.
 */
#include "bound/cut/max_flow.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct max_flow max_flow_new(uint32_t n_nodes)
{
    struct max_flow flow = {.n_nodes = n_nodes};
    flow.first = mem_alloc(n_nodes, sizeof *flow.first);
    flow.level = mem_alloc(n_nodes, sizeof *flow.level);
    flow.at = mem_alloc(n_nodes, sizeof *flow.at);
    flow.queue = mem_alloc(n_nodes, sizeof *flow.queue);
    memset(flow.first, 0xff, n_nodes * sizeof *flow.first);
    return flow;
}

void max_flow_free(struct max_flow *flow)
{
    free(flow->first);
    free(flow->arcs);
    free(flow->level);
    free(flow->at);
    free(flow->queue);
    *flow = (struct max_flow){0};
}

uint32_t max_flow_add(struct max_flow *flow, uint32_t from, uint32_t to, uint64_t capacity)
{
    const uint32_t arc = flow->n_arcs;
    if (arc + 2 > flow->arcs_capacity)
        flow->arcs = mem_grow(flow->arcs, &flow->arcs_capacity, (size_t)arc + 2, sizeof *flow->arcs);
    flow->arcs[arc] = (struct max_flow_arc){to, flow->first[from], capacity, 0};
    flow->arcs[arc + 1] = (struct max_flow_arc){from, flow->first[to], 0, 0};
    flow->first[from] = arc;
    flow->first[to] = arc + 1;
    flow->n_arcs += 2;
    return arc;
}

void max_flow_cut_back(struct max_flow *flow, uint32_t n_arcs)
{
    while (flow->n_arcs > n_arcs) {
        const uint32_t back = --flow->n_arcs;
        const struct max_flow_arc *arc = &flow->arcs[back];
        flow->first[flow->arcs[back ^ 1].to] = arc->next;
    }
}

/* Numbers the nodes that can be reached by their distance; whether `to` is among them. */
static bool max_flow_find_levels(struct max_flow *flow, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    memset(flow->level, 0xff, flow->n_nodes * sizeof *flow->level);
    flow->level[from] = 0;
    flow->queue[n++] = from;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t node = flow->queue[i];
        for (uint32_t arc = flow->first[node]; arc != MAX_FLOW_NONE; arc = flow->arcs[arc].next) {
            const uint32_t next = flow->arcs[arc].to;
            if (!flow->arcs[arc].left || flow->level[next] != MAX_FLOW_NONE)
                continue;
            flow->level[next] = flow->level[node] + 1;
            if (next == to)
                return true;
            flow->queue[n++] = next;
        }
    }
    return false;
}

/* Finds one path along the levels: queue[0 .. n-1] become its arcs. Returns 0 if there is none. */
static uint32_t find_way(struct max_flow *flow, uint32_t from, uint32_t to)
{
    uint32_t n = 0;
    for (uint32_t node = from; node != to;) {
        const uint32_t arc = flow->at[node];
        if (arc == MAX_FLOW_NONE) {
            if (n == 0)
                return 0;
            node = flow->arcs[flow->queue[--n] ^ 1].to;
            flow->at[node] = flow->arcs[flow->at[node]].next;
        } else if (flow->arcs[arc].left &&
                   flow->level[flow->arcs[arc].to] == flow->level[node] + 1) {
            flow->queue[n++] = arc;
            node = flow->arcs[arc].to;
        } else {
            flow->at[node] = flow->arcs[arc].next;
        }
    }
    return n;
}

static uint64_t max_flow_push(struct max_flow *flow, uint32_t n, uint64_t most)
{
    for (uint32_t i = 0; i < n; i++)
        most = flow->arcs[flow->queue[i]].left < most ? flow->arcs[flow->queue[i]].left : most;
    for (uint32_t i = 0; i < n; i++) {
        flow->arcs[flow->queue[i]].left -= most;
        flow->arcs[flow->queue[i] ^ 1].left += most;
    }
    return most;
}

uint64_t max_flow_run(struct max_flow *flow, uint32_t from, uint32_t to, uint64_t enough)
{
    uint64_t sum = 0;
    for (uint32_t arc = 0; arc < flow->n_arcs; arc++)
        flow->arcs[arc].left = flow->arcs[arc].capacity;
    while (sum < enough && max_flow_find_levels(flow, from, to)) {
        memcpy(flow->at, flow->first, flow->n_nodes * sizeof *flow->at);
        for (uint32_t n; sum < enough && (n = find_way(flow, from, to)) > 0;)
            sum += max_flow_push(flow, n, enough - sum);
    }
    return sum;
}
