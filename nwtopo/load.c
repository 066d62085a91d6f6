/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Load and shrink: choose machines of a network, then make the objects.
 */
#include "nwtopo/internal.h"

#include "base/integer.h"
#include "network/formats/formats.h"
#include "network/grid.h"
#include "network/restrict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- content ---- */

static void reading_release(struct nwtopo_topology *topology)
{
    if (topology->diagnostics)
        diagnostics_free(topology->diagnostics);
    free(topology->diagnostics);
    topology->diagnostics = NULL;
}

void content_release(struct nwtopo_topology *topology)
{
    reading_release(topology);
    model_release(topology->model);
    if (topology->base)
        nwtopo_topology_destroy(topology->base);
    map_free(&topology->demand.by_number);
    free(topology->demand.objects);
    arena_free(&topology->arena);
    arena_free(&topology->scratch);
    topology->model = NULL;
    topology->base = NULL;
    topology->chosen = NULL;
    topology->machines = NULL;
    topology->parent = NULL;
    topology->upper = NULL;
    topology->component = NULL;
    topology->n_upper = topology->n_machines = topology->max_height = 0;
    topology->box = (struct box){0};
    topology->demand = (struct demand){0};
}

/* Makes the objects of the chosen machines of topology->model. */
static void content_make(struct nwtopo_topology *topology)
{
    const struct topology *shape = topology->model->shape;
    if (shape && topology_as_grid(shape))
        grid_make(topology);
    else if (shape)
        full_make(topology);
    else
        hierarchy_make(topology);
    upper_index(topology);
    arena_free(&topology->scratch);
    topology->is_loaded = true;
}

/* ---- choosing machines ---- */

/* Chooses these machines; false if one is there twice. All machines are not a choice. */
static bool load_choose(struct nwtopo_topology *topology, uint32_t *numbers, uint32_t n)
{
    qsort(numbers, n, sizeof *numbers, compare_uint32);
    for (uint32_t i = 1; i < n; i++)
        if (numbers[i] == numbers[i - 1])
            return false;
    topology->n_machines = n;
    if (n == topology->model->network->n_machines)
        return true;
    topology->chosen = arena_alloc(&topology->arena, n, sizeof *topology->chosen);
    memcpy(topology->chosen, numbers, n * sizeof *numbers);
    return true;
}

static int fail_saying(struct nwtopo_topology *topology, const char *subject, const char *cause)
{
    struct text text = {0};
    text_printf(&text, "'%s': %s", subject, cause);
    free(topology->error);
    topology->error = text.data;
    return nwtopo_fail(EINVAL);
}

/* Machines of the job, by name. */
struct job {
    bool *is_taken;
    uint32_t *numbers, n;
};

static int take_machine(struct nwtopo_topology *topology, struct job *job, const char *name)
{
    uint32_t machine = model_find_machine(topology->model, name);
    if (machine == topology->model->network->n_machines || job->is_taken[machine])
        return fail_saying(topology, name,
                           "named as a machine of the job, but the network has none of that "
                           "name, or it is named twice");
    job->is_taken[machine] = true;
    job->numbers[job->n++] = machine;
    return 0;
}

/* Takes machines: a name, even one with brackets or commas as on a grid; else a host list. */
static int load_take_machines(struct nwtopo_topology *topology, struct job *job, const char *word)
{
    const char *problem;
    if (model_find_machine(topology->model, word) < topology->model->network->n_machines)
        return take_machine(topology, job, word);
    char *names = machine_list_expand(word, &topology->scratch, &problem), *rest = NULL;
    if (!names)
        return fail_saying(topology, word, problem);
    for (const char *name = strtok_r(names, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        if (take_machine(topology, job, name))
            return -1;
    return 0;
}

static int choose_named(struct nwtopo_topology *topology, const char *names)
{
    static const char blanks[] = " \t\r\n";
    char *copy = arena_strndup(&topology->scratch, names, strlen(names)), *rest = NULL;
    uint32_t all = topology->model->network->n_machines;
    struct job job = {arena_alloc(&topology->scratch, all, sizeof *job.is_taken),
                      arena_alloc(&topology->scratch, all, sizeof *job.numbers), 0};
    for (const char *word = strtok_r(copy, blanks, &rest); word;
         word = strtok_r(NULL, blanks, &rest))
        if (load_take_machines(topology, &job, word))
            return -1;
    load_choose(topology, job.numbers, job.n);
    return 0;
}

static bool load_is_said(const char *names) { return names && names[strspn(names, " \t\r\n")]; }

/* Returns the hosts that Slurm gave to the job; NULL if the network has none of them: it is another one. */
static const char *load_slurm_names(struct nwtopo_topology *topology)
{
    const char *list = getenv("SLURM_JOB_NODELIST"), *problem;
    char *names = NULL, *rest = NULL;
    if (load_is_said(list))
        names = machine_list_expand(list, &topology->scratch, &problem);
    for (char *name = names ? strtok_r(names, "\n", &rest) : NULL; name; name = strtok_r(NULL, "\n", &rest))
        if (model_find_machine(topology->model, name) < topology->model->network->n_machines)
            return list;
    return NULL;
}

static const char *names_of_job(struct nwtopo_topology *topology)
{
    const char *names = topology->job ? topology->job : getenv("NWTOPO_MACHINES");
    if (topology->flags & NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM)
        return NULL;
    return load_is_said(names) ? names : names ? NULL : load_slurm_names(topology); /* blanks: all machines */
}

/* ---- load ---- */

static int load(struct nwtopo_topology *topology, void *argument)
{
    (void)argument;
    if (!model_read(topology))
        return -1;
    reading_release(topology);
    if (!faults_check(topology))
        return fail_saying(topology, topology->model->network->name,
                           "a link marked as failed before load is none of this network");
    const char *names = names_of_job(topology);
    topology->n_machines = topology->model->network->n_machines;
    if (names && choose_named(topology, names))
        return -1;
    content_make(topology);
    return 0;
}

/* Finishes a load; if work failed, nothing of it stays. */
static int load_finish(struct nwtopo_topology *topology, int result)
{
    int error = errno;
    if (result)
        content_release(topology);
    errno = error;
    return result;
}

int nwtopo_topology_load(nwtopo_topology_t topology)
{
    if (!topology)
        return nwtopo_fail(EINVAL);
    if (topology->is_loaded)
        return nwtopo_fail(EBUSY);
    /* one thread at a time: the libraries that read XML and DOT have a state of their own */
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&reading);
    int result = load_finish(topology, nwtopo_guarded(topology, load, NULL));
    pthread_mutex_unlock(&reading);
    return result;
}

/* ---- shrink ---- */

struct shrinking {
    struct nwtopo_topology *base;
    uint32_t n;
    nwtopo_obj_t *machines;
};

static int shrink(struct nwtopo_topology *topology, void *argument)
{
    const struct shrinking *request = argument;
    uint32_t *numbers = arena_alloc(&topology->scratch, request->n, sizeof *numbers);
    for (uint32_t i = 0; i < request->n; i++) {
        if (!is_machine_of(request->base, request->machines[i]))
            return nwtopo_fail(EINVAL);
        numbers[i] = (uint32_t)request->machines[i]->id;
    }
    topology->model = model_use(request->base->model);
    if (!load_choose(topology, numbers, request->n) || !faults_check(topology))
        return nwtopo_fail(EINVAL);
    faults_copy(topology, request->base);
    if (topology->flags & NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS) {
        topology->base = request->base;
        atomic_fetch_add(&topology->base->users, 1);
    }
    content_make(topology);
    return 0;
}

int nwtopo_topology_shrink(nwtopo_topology_t new_topology, nwtopo_topology_t base_topology,
                           unsigned num_machines, nwtopo_obj_t *machines)
{
    if (!new_topology || !base_topology || !base_topology->is_loaded || !machines ||
        !num_machines || num_machines > base_topology->n_machines)
        return nwtopo_fail(EINVAL);
    if (new_topology->is_loaded)
        return nwtopo_fail(EBUSY);
    unsigned long view = NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW, asked = new_topology->flags;
    if (asked & ~base_topology->flags & view)
        return nwtopo_fail(EINVAL);
    struct shrinking request = {base_topology, num_machines, machines};
    new_topology->flags |= base_topology->flags & view;
    int result = load_finish(new_topology, nwtopo_guarded(new_topology, shrink, &request));
    if (result)
        new_topology->flags = asked;
    return result;
}
