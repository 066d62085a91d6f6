/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks of nwtopo/nwtopo.h for its tests, by its public functions alone, and what holds of each.
 */
#ifndef COLLC_TESTS_UNIT_NWTOPO_SCENE_H
#define COLLC_TESTS_UNIT_NWTOPO_SCENE_H

#include "nwtopo/nwtopo.h"
#include "tests/unit/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_MACHINES NWTOPO_TOPOLOGY_FLAG_NO_MACHINES
#define NO_HOSTNAMES NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES
#define ON_DEMAND NWTOPO_TOPOLOGY_FLAG_ON_DEMAND
#define REUSE NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS
#define PHYSICAL NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW
#define WHOLE NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM

/* The call fails with that errno. */
#define FAILS(call, error)                                                                         \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CU_ASSERT_EQUAL((call), -1);                                                               \
        CU_ASSERT_EQUAL(errno, error);                                                             \
    } while (0)
#define IS_NULL(call, error)                                                                       \
    do {                                                                                           \
        errno = 0;                                                                                 \
        CU_ASSERT_PTR_NULL(call);                                                                  \
        CU_ASSERT_EQUAL(errno, error);                                                             \
    } while (0)

/* Two groups of three switches with two machines each; inside a group all to all, between
 * the groups two cables. */
static const char dragonfly[] = "tests/data/nwtopo/dragonfly.xml";

static inline nwtopo_topology_t make(unsigned long flags)
{
    nwtopo_topology_t topology = NULL;
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_init(&topology), 0);
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_set_flags(topology, flags), 0);
    return topology;
}

static inline nwtopo_topology_t load(const char *spec, unsigned long flags)
{
    nwtopo_topology_t topology = make(flags);
    bool is_file = strncmp(spec, "examples/", 9) == 0 || strncmp(spec, "tests/", 6) == 0;
    CU_ASSERT_EQUAL((is_file ? nwtopo_topology_set_file : nwtopo_topology_set_synthetic)(topology,
                                                                                         spec),
                    0);
    int result = nwtopo_topology_load(topology);
    if (result)
        printf("\n  %s: %s", spec, nwtopo_topology_get_error(topology));
    CU_ASSERT_EQUAL_FATAL(result, 0);
    return topology;
}

static inline nwtopo_obj_t machine(nwtopo_topology_t topology, unsigned long number)
{
    nwtopo_obj_t obj = nwtopo_topology_get_object_by_id(topology, number);
    CU_ASSERT_PTR_NOT_NULL_FATAL(obj);
    return obj;
}

static inline nwtopo_obj_t top(nwtopo_topology_t topology)
{
    nwtopo_obj_t obj =
        nwtopo_topology_get_object(topology, nwtopo_topology_get_max_height(topology), 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(obj);
    return obj;
}

static inline bool has(nwtopo_obj_t const *list, unsigned n, nwtopo_obj_t obj)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == obj)
            return true;
    return false;
}

/* Returns how many things are wrong in a topology with all objects made: heights, ids, both directions. */
static inline unsigned check(nwtopo_topology_t topology)
{
    unsigned n_bad = 0, n = 0;
    for (unsigned height = 0; height <= nwtopo_topology_get_max_height(topology); height++) {
        unsigned long last = 0;
        for (unsigned i = 0; i < nwtopo_topology_get_num_objects(topology, height); i++, n++) {
            nwtopo_obj_t obj = nwtopo_topology_get_object(topology, height, i);
            n_bad += !obj || obj->height != height || (i && obj->id <= last);
            n_bad += nwtopo_topology_get_object_by_id(topology, obj->id) != obj;
            n_bad += (obj->type == NWTOPO_OBJ_MACHINE) != (height == 0) || !obj->attr;
            for (unsigned k = 0; k < obj->num_parents; k++)
                n_bad += obj->parents[k]->height <= height ||
                         !has(obj->parents[k]->children, obj->parents[k]->num_children, obj);
            for (unsigned k = 0; k < obj->num_children; k++)
                n_bad += obj->children[k]->height >= height ||
                         !has(obj->children[k]->parents, obj->children[k]->num_parents, obj);
            last = obj->id;
        }
    }
    CU_ASSERT_EQUAL(n_bad, 0);
    CU_ASSERT_EQUAL(nwtopo_topology_get_num_objects(topology, 0),
                    nwtopo_topology_get_num_machines(topology));
    return n;
}

/* Shrinks to the machines with these numbers. */
static inline nwtopo_topology_t shrink(nwtopo_topology_t base, unsigned long flags, unsigned n,
                                       const unsigned *numbers)
{
    nwtopo_topology_t part = make(flags);
    nwtopo_obj_t *list = calloc(n, sizeof *list);
    for (unsigned i = 0; i < n; i++)
        list[i] = machine(base, numbers[i]);
    CU_ASSERT_EQUAL_FATAL(nwtopo_topology_shrink(part, base, n, list), 0);
    free(list);
    return part;
}

#endif
