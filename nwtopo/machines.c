/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Objects of machines: all made at once, made when asked for, or those of another
 * topology.
 */
#include "nwtopo/internal.h"

#include "base/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- which machines ---- */

/* Returns the index of a machine in the order of numbers; n_machines if it is not chosen. */
static uint32_t machines_index_of(const struct nwtopo_topology *topology, uint64_t number)
{
    const uint32_t n = topology->n_machines;
    if (!topology->chosen)
        return number < n ? (uint32_t)number : n;
    uint32_t low = 0, high = n;
    SEARCH_FIRST(low, high, middle, topology->chosen[middle] < number);
    return low < n && topology->chosen[low] == number ? low : n;
}

bool has_machine(const struct nwtopo_topology *topology, uint64_t number)
{
    return machines_index_of(topology, number) < topology->n_machines;
}

uint32_t nwtopo_machine_at(const struct nwtopo_topology *topology, uint32_t index)
{
    return topology->chosen ? topology->chosen[index] : index;
}

/* ---- making them ---- */

static bool machines_has_names(const struct nwtopo_topology *topology)
{
    return !(topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
}

static unsigned count_nics(const struct nwtopo_topology *topology, uint32_t number)
{
    return topology->model->degree ? 1 : model_degree(topology->model, number);
}

static void fill_machine(struct nwtopo_topology *topology, nwtopo_obj_t obj, uint32_t number)
{
    obj->id = number;
    obj->type = NWTOPO_OBJ_MACHINE;
    obj->attr->machine.num_nics = count_nics(topology, number);
    if (machines_has_names(topology))
        obj->attr->machine.hostname = model_node_name(topology->model, number, &topology->arena);
    if (topology->parent) {
        obj->num_parents = 1;
        obj->parents = topology->parent;
    }
}

bool machines_are_made(const struct nwtopo_topology *topology)
{
    return !(topology->flags &
             (NWTOPO_TOPOLOGY_FLAG_NO_MACHINES | NWTOPO_TOPOLOGY_FLAG_ON_DEMAND));
}

/* True if all attributes are equal: machines have no names and the same number of cables. */
static bool attributes_are_alike(const struct nwtopo_topology *topology)
{
    return !machines_has_names(topology) && topology->model->degree;
}

void machines_make(struct nwtopo_topology *topology)
{
    const uint32_t n = topology->n_machines;
    if (!machines_are_made(topology) || topology->base)
        return;
    bool alike = attributes_are_alike(topology);
    topology->machines = arena_alloc(&topology->arena, n, sizeof *topology->machines);
    union nwtopo_obj_attr_u *attributes =
        arena_alloc(&topology->arena, alike ? 1 : n, sizeof *attributes);
    for (uint32_t i = 0; i < n; i++) {
        topology->machines[i].attr = &attributes[alike ? 0 : i];
        fill_machine(topology, &topology->machines[i], nwtopo_machine_at(topology, i));
    }
}

/* ---- on demand ---- */

static uint32_t hash_of_object(const void *items, uint32_t index)
{
    const struct demand *demand = items;
    return map_hash_number(demand->objects[index]->id);
}

static bool is_object(const void *items, uint32_t index, const void *number)
{
    const struct demand *demand = items;
    return demand->objects[index]->id == *(const uint32_t *)number;
}

static nwtopo_obj_t demand_object(struct nwtopo_topology *topology, uint32_t number)
{
    struct demand *demand = &topology->demand;
    map_reserve(&demand->by_number, hash_of_object, demand);
    uint32_t *slot =
        map_slot(&demand->by_number, map_hash_number(number), is_object, demand, &number);
    if (*slot != MAP_NONE)
        return demand->objects[*slot];
    demand->objects = mem_grow(demand->objects, &demand->capacity, (size_t)demand->by_number.n + 1,
                               sizeof *demand->objects);
    nwtopo_obj_t obj = arena_alloc(&topology->arena, 1, sizeof *obj);
    obj->attr = arena_alloc(&topology->arena, 1, sizeof *obj->attr);
    fill_machine(topology, obj, number);
    if (!topology->parent)
        hierarchy_set_parents(topology, obj);
    demand->objects[map_fill(&demand->by_number, slot)] = obj;
    return obj;
}

/* ---- finding them ---- */

nwtopo_obj_t machine_object(struct nwtopo_topology *topology, uint32_t number)
{
    uint32_t index = machines_index_of(topology, number);
    if (index == topology->n_machines || (topology->flags & NWTOPO_TOPOLOGY_FLAG_NO_MACHINES))
        return NULL;
    if (topology->base)
        return machine_object(topology->base, number);
    return topology->machines ? &topology->machines[index] : demand_object(topology, number);
}

static int machines_find_machine(struct nwtopo_topology *topology, void *argument)
{
    nwtopo_obj_t *obj = argument;
    *obj = machine_object(topology, (uint32_t)(*obj)->id);
    return *obj ? 0 : nwtopo_fail(ENOENT);
}

nwtopo_obj_t machine_object_safe(struct nwtopo_topology *topology, uint32_t number)
{
    struct nwtopo_obj wanted = {.id = number};
    nwtopo_obj_t obj = &wanted;
    return nwtopo_guarded(topology, machines_find_machine, &obj) ? NULL : obj;
}

bool is_machine_of(struct nwtopo_topology *topology, nwtopo_obj_t obj)
{
    return obj && obj->type == NWTOPO_OBJ_MACHINE && has_machine(topology, obj->id) &&
           machine_object_safe(topology, (uint32_t)obj->id) == obj;
}
