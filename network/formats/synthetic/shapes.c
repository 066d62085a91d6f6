/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a network of a regular shape from its numbers; shapes.def lists the numbers of each kind.
 */
#include "network/formats/synthetic/shape.h"
#include "network/dragonfly.h"
#include "network/full.h"
#include "network/grid.h"
#include "network/rail.h"
#include "network/tree.h"

#include <string.h>

static struct topology *shapes_make_grid(const struct shape_request *request, bool wraps_by_default,
                                         const char **problem)
{
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    for (uint32_t i = 0; i < request->down.n; i++) {
        char suffix = request->down.suffix[i];
        wraps[i] = suffix ? suffix == 't' : wraps_by_default;
    }
    return topology_new_grid(&request->settings, request->down.n, request->down.value, wraps,
                             problem);
}

static struct topology *make_mesh(const struct shape_request *request, const char **problem)
{
    return shapes_make_grid(request, false, problem);
}

static struct topology *make_torus(const struct shape_request *request, const char **problem)
{
    return shapes_make_grid(request, true, problem);
}

/* Makes a tree; without `up` it has full bisection. */
static struct topology *shapes_make_tree(const struct shape_request *request, const char **problem)
{
    uint32_t up[TOPOLOGY_MAX_DIMENSIONS] = {1};
    for (uint32_t i = 1; i < request->down.n; i++)
        up[i] = request->down.value[i - 1];
    if (request->up.n)
        memcpy(up, request->up.value, sizeof up);
    return topology_new_tree(&request->settings, request->down.n, request->down.value, up,
                             request->cables.n ? request->cables.value : NULL, problem);
}

static struct topology *make_full(const struct shape_request *request, const char **problem)
{
    return topology_new_full(&request->settings, request->down.value[0], problem);
}

static struct topology *make_tofu(const struct shape_request *request, const char **problem)
{
    if (request->down.n == 3)
        return topology_new_tofu(&request->settings, request->down.value, problem);
    *problem = "tofu takes three numbers, the extents of X, Y and Z";
    return NULL;
}

/* Makes a rail-optimised fabric; without `up` its spines are shared, as many as a group has hosts. */
static struct topology *make_rail(const struct shape_request *request, const char **problem)
{
    const uint32_t *down = request->down.value, *up = request->up.value;
    return topology_new_rail(&request->settings,
                             &(struct rail_shape){.hosts = down[0],
                                                  .rails = down[1],
                                                  .groups = request->down.n > 2 ? down[2] : 1,
                                                  .spines = request->up.n ? up[0] : down[0],
                                                  .cores = request->up.n > 1 ? up[1] : 0,
                                                  .has_planes = request->up.n > 1},
                             problem);
}

/* Makes a Dragonfly+; without `up` a leaf has as many spines as hosts, and each spine a cable to each other
 * group. */
static struct topology *make_dragonfly(const struct shape_request *request, const char **problem)
{
    const uint32_t *down = request->down.value, *up = request->up.value;
    const uint32_t spines = request->up.n ? up[0] : down[0];
    return topology_new_dragonfly(&request->settings,
                                  &(struct dragonfly_shape){.hosts = down[0],
                                                            .leaves = down[1],
                                                            .groups = down[2],
                                                            .spines = spines,
                                                            .cables = request->up.n > 1 ? up[1] : spines},
                                  problem);
}

static const struct shape_kind kinds[] = {
#define SHAPE(name, example, least, most, has_suffixes, up, has_cables, n_classes, make) \
    {#name, example, least, most, n_classes, has_suffixes, up, has_cables, make},
#include "network/formats/synthetic/shapes.def"
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const char *const shape_names[] = {
#define SHAPE(name, ...) #name,
#include "network/formats/synthetic/shapes.def"
};
const size_t shape_n_names = N_KINDS;

const struct shape_kind *shape_find(struct slice name)
{
    for (int i = 0; i < N_KINDS; i++)
        if (slice_is(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

uint32_t shape_n_classes(const struct shape_request *request)
{
    return request->kind->n_classes ? request->kind->n_classes : request->down.n;
}

/* Returns value i of a list, its only value, or the default of all. */
static uint64_t quantity(const struct quantities *list, uint32_t i, uint64_t of_all)
{
    return list->n ? list->value[list->n > 1 ? i : 0] : of_all;
}

struct topology *shape_make(const struct shape_request *request, const char **problem)
{
    struct shape_request complete = *request;
    struct topology_settings *settings = &complete.settings;
    struct link_class classes[TOPOLOGY_MAX_DIMENSIONS] = {{0}};
    settings->bandwidth = quantity(&request->bandwidths, 0, settings->bandwidth);
    settings->latency = quantity(&request->latencies, 0, settings->latency);
    for (uint32_t i = 0; i < shape_n_classes(request); i++) {
        classes[i].bandwidth = quantity(&request->bandwidths, i, settings->bandwidth);
        classes[i].latency = quantity(&request->latencies, i, settings->latency);
    }
    if (request->bandwidths.n > 1 || request->latencies.n > 1)
        settings->classes = classes;
    return request->kind->make(&complete, problem);
}
