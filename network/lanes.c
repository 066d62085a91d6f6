/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lanes of table-routed paths: the service level of each pair of machines and
 * the maps from (port in, port out, service level) to a lane. See forwarding.h.
 */
#include "network/forwarding.h"

#include <stdlib.h>
#include <string.h>

/* Lane = service level. */
#define IDENTITY_MAP UINT64_C(0xFEDCBA9876543210)
enum { NO_LEVEL = 255 };

struct lanes {
    uint32_t n_machines, n_routers, stride;
    uint8_t *level;      /* [source * n_machines + destination], NULL: none given */
    uint64_t **router;   /* [router] maps by in * stride + out, NULL: not given */
    uint64_t *machine;   /* [machine] */
    bool has_maps;
};

struct lanes *lanes_new(const struct graph *graph)
{
    struct lanes *lanes = mem_alloc(1, sizeof *lanes);
    lanes->n_machines = graph->n_machines;
    lanes->n_routers = graph->n_nodes - graph->n_machines;
    lanes->stride = graph->forwarding->stride;
    lanes->router = mem_alloc(lanes->n_routers, sizeof *lanes->router);
    lanes->machine = mem_alloc(lanes->n_machines, sizeof *lanes->machine);
    for (uint32_t machine = 0; machine < lanes->n_machines; machine++)
        lanes->machine[machine] = IDENTITY_MAP;
    return lanes;
}

void lanes_free(struct lanes *lanes)
{
    if (!lanes)
        return;
    for (uint32_t router = 0; router < lanes->n_routers; router++)
        free(lanes->router[router]);
    free(lanes->router);
    free(lanes->machine);
    free(lanes->level);
    free(lanes);
}

void lanes_set_level(struct lanes *lanes, uint32_t source, uint32_t destination, uint8_t level)
{
    size_t n = lanes->n_machines;
    if (!lanes->level) {
        lanes->level = mem_alloc(n, n);
        memset(lanes->level, NO_LEVEL, n * n);
    }
    lanes->level[source * n + destination] = level;
}

void lanes_set_router(struct lanes *lanes, uint32_t router, uint32_t in, uint32_t out,
                      uint64_t map)
{
    lanes->has_maps = true;
    if (in >= lanes->stride || out >= lanes->stride)
        return;
    size_t n_maps = (size_t)lanes->stride * lanes->stride;
    if (!lanes->router[router]) {
        lanes->router[router] = mem_alloc(n_maps, sizeof(uint64_t));
        for (size_t i = 0; i < n_maps; i++)
            lanes->router[router][i] = IDENTITY_MAP;
    }
    lanes->router[router][(size_t)in * lanes->stride + out] = map;
}

void lanes_set_machine(struct lanes *lanes, uint32_t machine, uint64_t map)
{
    lanes->has_maps = true;
    lanes->machine[machine] = map;
}

int lanes_level(const struct lanes *lanes, uint32_t source, uint32_t destination)
{
    uint8_t level = lanes->level
                        ? lanes->level[(size_t)source * lanes->n_machines + destination]
                        : NO_LEVEL;
    return level == NO_LEVEL ? -1 : level;
}

void lanes_apply(const struct graph *graph, uint32_t source, uint32_t destination,
                 struct hop *hops, uint32_t n_hops)
{
    const struct lanes *lanes = graph->forwarding->lanes;
    const uint8_t *numbers = graph->subnet->numbers;
    int given = lanes_level(lanes, source, destination);
    uint32_t shift = given < 0 ? 0 : 4 * (uint32_t)given;
    for (uint32_t i = 0; i < n_hops; i++) {
        uint32_t from = graph_link_from(graph, hops[i].link);
        uint64_t map = IDENTITY_MAP;
        if (from < graph->n_machines) {
            map = lanes->machine[from];
        } else if (lanes->router[from - graph->n_machines]) {
            uint32_t in = numbers[hops[i - 1].link ^ 1], out = numbers[hops[i].link];
            map = lanes->router[from - graph->n_machines][(size_t)in * lanes->stride + out];
        }
        hops[i].lane = (map >> shift) & 15;
    }
}

uint32_t lanes_n_unmapped_routers(const struct lanes *lanes)
{
    uint32_t n = 0;
    for (uint32_t router = 0; router < lanes->n_routers; router++)
        n += !lanes->router[router];
    return n;
}
