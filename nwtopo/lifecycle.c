/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Init, settings, destroy, and the questions that need no arithmetic.
 */
#include "nwtopo/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ALL_FLAGS = NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW | NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM |
                NWTOPO_TOPOLOGY_FLAG_NO_MACHINES | NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES |
                NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS | NWTOPO_TOPOLOGY_FLAG_ON_DEMAND
};

unsigned nwtopo_get_api_version(void)
{
    return NWTOPO_API_VERSION;
}

/* ---- failing ---- */

int nwtopo_fail(int error)
{
    errno = error;
    return -1;
}

/* Sets errno and returns NULL. */
static void *nwtopo_fail_null(int error)
{
    errno = error;
    return NULL;
}

int nwtopo_guarded(struct nwtopo_topology *topology,
            int (*work)(struct nwtopo_topology *topology, void *argument), void *argument)
{
    struct fatal_guard guard;
    if (setjmp(guard.resume))
        return nwtopo_fail(ENOMEM);
    fatal_guard_enter(&guard);
    int result = work(topology, argument);
    fatal_guard_leave(&guard);
    return result;
}

/* ---- life ---- */

int nwtopo_topology_init(nwtopo_topology_t *topologyp)
{
    if (!topologyp)
        return nwtopo_fail(EINVAL);
    *topologyp = calloc(1, sizeof **topologyp);
    if (!*topologyp)
        return nwtopo_fail(ENOMEM);
    atomic_init(&(*topologyp)->users, 1);
    return 0;
}

void nwtopo_topology_destroy(nwtopo_topology_t topology)
{
    if (!topology || atomic_fetch_sub(&topology->users, 1) > 1)
        return;
    content_release(topology);
    free(topology->source);
    free(topology->job);
    free(topology->this_machine);
    free(topology->error);
    free(topology->failed);
    free(topology);
}

/* ---- settings ---- */

unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology)
{
    return topology ? topology->flags : 0;
}

int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags)
{
    if (!topology || flags & ~(unsigned long)ALL_FLAGS)
        return nwtopo_fail(EINVAL);
    if (topology->is_loaded)
        return nwtopo_fail(EBUSY);
    topology->flags = flags;
    return 0;
}

static int set_string(char **string, const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return nwtopo_fail(ENOMEM);
    free(*string);
    *string = copy;
    return 0;
}

static int set_source(nwtopo_topology_t topology, const char *source, bool is_file)
{
    if (!topology || !source || !*source)
        return nwtopo_fail(EINVAL);
    if (topology->is_loaded)
        return nwtopo_fail(EBUSY);
    if (set_string(&topology->source, source))
        return -1;
    topology->is_file = is_file;
    return 0;
}

int nwtopo_topology_set_file(nwtopo_topology_t topology, const char *path)
{
    return set_source(topology, path, true);
}

int nwtopo_topology_set_synthetic(nwtopo_topology_t topology, const char *string)
{
    return set_source(topology, string, false);
}

int nwtopo_topology_set_machines(nwtopo_topology_t topology, const char *names)
{
    if (!topology || !names)
        return nwtopo_fail(EINVAL);
    return topology->is_loaded ? nwtopo_fail(EBUSY) : set_string(&topology->job, names);
}

int nwtopo_topology_set_this_machine(nwtopo_topology_t topology, const char *hostname)
{
    if (!topology || !hostname)
        return nwtopo_fail(EINVAL);
    return set_string(&topology->this_machine, hostname);
}

const char *nwtopo_topology_get_error(nwtopo_topology_t topology)
{
    return topology && topology->error ? topology->error : "";
}

/* ---- questions ---- */

unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology)
{
    return topology ? topology->max_height : 0;
}

unsigned nwtopo_topology_get_num_machines(nwtopo_topology_t topology)
{
    return topology ? topology->n_machines : 0;
}

nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology, unsigned long id)
{
    if (!topology || !topology->is_loaded)
        return nwtopo_fail_null(EINVAL);
    if (id < topology->model->network->n_machines)
        return machine_object_safe(topology, (uint32_t)id);
    nwtopo_obj_t obj = upper_object(topology, id);
    return obj ? obj : nwtopo_fail_null(ENOENT);
}

nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology)
{
    char host[256] = "";
    if (!topology || !topology->is_loaded)
        return nwtopo_fail_null(EINVAL);
    const char *name = topology->this_machine ? topology->this_machine : getenv("NWTOPO_HOSTNAME");
    if (!name && gethostname(host, sizeof host - 1) == 0)
        name = host;
    uint32_t machine = model_find_machine(topology->model, name ? name : "");
    return machine_object_safe(topology, machine);
}

static bool has_machine_objects(const struct nwtopo_topology *topology)
{
    return topology->is_loaded && machines_are_made(topology);
}

unsigned nwtopo_topology_get_num_objects(nwtopo_topology_t topology, unsigned height)
{
    if (!topology || !topology->is_loaded || height > topology->max_height)
        return 0;
    if (height == 0)
        return has_machine_objects(topology) ? topology->n_machines : 0;
    return topology->first_of_height[height + 1] - topology->first_of_height[height];
}

nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height, unsigned index)
{
    if (!topology || !topology->is_loaded)
        return nwtopo_fail_null(EINVAL);
    if (index >= nwtopo_topology_get_num_objects(topology, height))
        return nwtopo_fail_null(ENOENT);
    if (height == 0)
        return machine_object_safe(topology, nwtopo_machine_at(topology, index));
    return &topology->upper[topology->by_height[topology->first_of_height[height] + index]];
}
