/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Objects above machines: their storage, their index by height, and the simplest of
 * them, FULL over all machines.
 */
#include "nwtopo/internal.h"

#include "base/search.h"

#include <stdlib.h>

nwtopo_obj_t upper_object(const struct nwtopo_topology *topology, uint64_t id)
{
    const uint32_t n = topology->n_upper;
    const uint64_t first = n ? topology->upper[0].id : 0;
    if (n && topology->upper[n - 1].id - first == n - 1) /* one behind the other: all routers, nothing else */
        return id >= first && id - first < n ? &topology->upper[id - first] : NULL;
    uint32_t low = 0, high = n;
    SEARCH_FIRST(low, high, middle, topology->upper[middle].id < id);
    return low < n && topology->upper[low].id == id ? &topology->upper[low] : NULL;
}

void upper_allocate(struct nwtopo_topology *topology, uint32_t n)
{
    topology->n_upper = n;
    topology->upper = arena_alloc(&topology->arena, n, sizeof *topology->upper);
    union nwtopo_obj_attr_u *attributes = arena_alloc(&topology->arena, n, sizeof *attributes);
    for (uint32_t i = 0; i < n; i++)
        topology->upper[i].attr = &attributes[i];
}

void upper_index(struct nwtopo_topology *topology)
{
    const uint32_t n = topology->n_upper;
    for (uint32_t i = 0; i < n; i++)
        if (topology->upper[i].height > topology->max_height)
            topology->max_height = topology->upper[i].height;
    uint32_t n_heights = topology->max_height + 1, at = 0;
    topology->by_height = arena_alloc(&topology->arena, n, sizeof *topology->by_height);
    topology->first_of_height =
        arena_alloc(&topology->arena, n_heights + 1, sizeof *topology->first_of_height);
    uint32_t *first = topology->first_of_height;
    for (uint32_t i = 0; i < n; i++)
        first[topology->upper[i].height + 1]++;
    for (uint32_t height = 0; height < n_heights; height++)
        first[height + 1] += first[height];
    uint32_t *next = arena_alloc(&topology->scratch, n_heights, sizeof *next);
    for (uint32_t height = 0; height < n_heights; height++)
        next[height] = first[height];
    for (; at < n; at++)
        topology->by_height[next[topology->upper[at].height]++] = at;
}

void set_only_parent(struct nwtopo_topology *topology, nwtopo_obj_t obj)
{
    topology->parent = arena_alloc(&topology->arena, 1, sizeof *topology->parent);
    topology->parent[0] = obj;
}

void full_make(struct nwtopo_topology *topology)
{
    upper_allocate(topology, 1);
    nwtopo_obj_t full = &topology->upper[0];
    full->id = topology->model->network->n_nodes;
    full->type = NWTOPO_OBJ_FULL;
    full->height = 1;
    set_only_parent(topology, full);
    machines_make(topology);
    if (topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES)
        return;
    full->num_children = topology->n_machines;
    if (!machines_are_made(topology))
        return;
    full->children = arena_alloc(&topology->arena, full->num_children, sizeof(nwtopo_obj_t));
    for (uint32_t i = 0; i < topology->n_machines; i++)
        full->children[i] = machine_object(topology, nwtopo_machine_at(topology, i));
}
