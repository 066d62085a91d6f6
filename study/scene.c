/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See scene.h.
 */
#include "study/scene.h"

#include "study/message_adapters.h"
#include "study/near_adapters.h"

#include "base/codes.h"
#include "compiler/algorithms/builtin.h"
#include "compiler/language/language.h"
#include "ir/counts.h"
#include "network/formats/synthetic/shape.h"
#include "network/restrict.h"
#include "schedules/schedules.h"
#include "study/demand.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the schedule or the program ---- */

/* Returns the form to take. Unequal counts make an algorithm for equal ones one of the first form that has
 * them; a built-in algorithm has the form that it is named by. */
static enum collective_form scene_form(const struct scene *scene)
{
    enum collective_form form = FORM_EQUAL + 1;
    if (scene->form != FORM_EQUAL || !scene->has_counts || scene->is_builtin ||
        scene->program->form != FORM_EQUAL)
        return scene->form;
    while (form < N_FORMS && collective_of_form(form) != scene->program->collective)
        form++;
    return form < N_FORMS ? form : FORM_EQUAL;
}

bool scene_read_source(struct scene *scene, struct diagnostics *diagnostics)
{
    if (schedules_is_file(scene->source))
        return (scene->schedule = schedules_read(scene->source, scene->part, diagnostics));
    scene->owned.program =
        program_read_with(scene->source, scene->settings, scene->n_settings, diagnostics);
    scene->program = scene->owned.program;
    if (!scene->program)
        return false;
    scene->form = scene_form(scene);
    return scene->form == FORM_EQUAL || program_take_form(scene->owned.program, scene->form, diagnostics);
}

bool scene_read_builtin(struct scene *scene, const struct embedded_file *file, enum collective_form form,
                        struct diagnostics *diagnostics)
{
    if (!file)
        return false;
    scene->is_builtin = true;
    scene->form = form;
    scene->source = source_of_text(file->path, file->text, file->length, &scene->arena);
    return scene_read_source(scene, diagnostics);
}

/* Returns FILE of 'FILE:PART', where there is no file or network of the whole name, but a file called FILE;
 * else NULL. */
static const char *scene_file_of_part(struct scene *scene, const char *name)
{
    const char *colon = strrchr(name, ':');
    const char *file = colon ? arena_strndup(&scene->arena, name, (size_t)(colon - name)) : NULL;
    return file && access(name, F_OK) != 0 && !synthetic_is(name) && access(file, F_OK) == 0 ? file : NULL;
}

/* Reads FILE of 'FILE:PART', which has to be one of those that have parts. */
static bool scene_read_part(struct scene *scene, const char *file, const char *part,
                            struct diagnostics *diagnostics)
{
    scene->source = source_read(file, SCHEDULE_FILE_LIMIT, &scene->arena, diagnostics);
    if (scene->source && !schedules_is_file(scene->source)) {
        report(diagnostics, CODE_S009, (struct position){.source = scene->source},
               "no log or graph file of NCCL, so ':%s' takes no part of it", part)
            ->help = "a log has 'NCCL INFO' in its first 4 MiB, a graph file begins with <graphs>";
        return false;
    }
    scene->part = part;
    return scene->source && scene_read_source(scene, diagnostics);
}

bool scene_read(struct scene *scene, const char *name, struct diagnostics *diagnostics)
{
    enum collective_form form;
    const struct embedded_file *file = builtin_of_name(name, &form);
    if (file)
        return scene_read_builtin(scene, file, form, diagnostics);
    const char *of_part = scene_file_of_part(scene, name);
    if (of_part)
        return scene_read_part(scene, of_part, strrchr(name, ':') + 1, diagnostics);
    scene->source = source_read(name, SCHEDULE_FILE_LIMIT, &scene->arena, diagnostics);
    return scene->source && scene_read_source(scene, diagnostics);
}

/* ---- the place ---- */

/* True if the user has said nothing of where ranks are. */
static bool scene_is_free(const struct placement_request *request)
{
    return !request->ranks_per_machine && !request->rule && !request->order;
}

static bool is_stated(const struct scene *scene, const struct placement_request *request)
{
    const struct schedule_header *header = scene->schedule ? &scene->schedule->header : NULL;
    return header && header->machine && scene_is_free(request) &&
           (!scene->topology_spec || header->fingerprint == scene->topology->fingerprint);
}

static struct placement *scene_place_as_stated(const struct scene *scene, struct diagnostics *diagnostics)
{
    const struct schedule_header *header = &scene->schedule->header;
    const struct topology *topology = scene->topology;
    for (uint32_t rank = 0; topology && rank < header->n_ranks; rank++) {
        if (header->machine[rank] < topology->n_machines)
            continue;
        report(diagnostics, CODE_S004, (struct position){.source = scene->schedule->source},
               "rank %u is on machine %u, but topology '%s' has %u machines", rank, header->machine[rank],
               topology->name, topology->n_machines);
        return NULL;
    }
    return placement_of_machines(header->machine, header->n_ranks, "schedule");
}

/* Returns the machine of a host that a schedule file names; n_machines after reporting that there is none. */
static uint32_t scene_find_host(const struct scene *scene, const struct schedule_host *host,
                                struct diagnostics *diagnostics)
{
    const struct topology *topology = scene->topology;
    const struct slice name = slice_of(host->name);
    const uint32_t machine = topology_find_host(topology, name.text, name.length);
    if (machine < topology->n_machines || diagnostics_only_counts(diagnostics, CODE_A002))
        return machine;
    report(diagnostics, CODE_A002,
           (struct position){scene->schedule->source, host->line, host->column, (uint32_t)name.length},
           "'%s': the topology has no machine of this name", host->name)
        ->help = diagnostics_text(diagnostics, "%s; --placement block leaves the names out",
                                  topology_help_with_machine(topology, name, &diagnostics->arena));
    return machine;
}

static int scene_compare_hosts(const void *a, const void *b)
{
    return strcmp((*(const struct schedule_host *const *)a)->name,
                  (*(const struct schedule_host *const *)b)->name);
}

/* Numbers hosts by their names: ranks with one name share a machine. */
static void scene_number_hosts(const struct schedule_host *hosts, uint32_t n_ranks, uint32_t *machine)
{
    const struct schedule_host **sorted = mem_alloc(n_ranks, sizeof *sorted);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        sorted[rank] = &hosts[rank];
    qsort(sorted, n_ranks, sizeof *sorted, scene_compare_hosts);
    uint32_t number = 0;
    for (uint32_t i = 0; i < n_ranks; i++) {
        number += i && scene_compare_hosts(&sorted[i - 1], &sorted[i]) != 0;
        machine[sorted[i] - hosts] = number;
    }
    free(sorted);
}

/* Places ranks on the hosts that the schedule file names. */
static struct placement *scene_place_by_names(const struct scene *scene, struct diagnostics *diagnostics)
{
    const struct schedule_header *header = &scene->schedule->header;
    uint32_t *machine = mem_alloc(header->n_ranks, sizeof *machine);
    struct placement *placement = NULL;
    bool is_found = true;
    for (uint32_t rank = 0; scene->topology && rank < header->n_ranks; rank++) {
        machine[rank] = scene_find_host(scene, &header->hosts[rank], diagnostics);
        is_found = is_found && machine[rank] < scene->topology->n_machines;
    }
    if (!scene->topology)
        scene_number_hosts(header->hosts, header->n_ranks, machine);
    if (is_found)
        placement = placement_of_machines(machine, header->n_ranks, "hosts of the schedule");
    free(machine);
    return placement;
}

bool scene_place(struct scene *scene, const struct placement_request *request,
                 struct diagnostics *diagnostics)
{
    struct placement_request where = *request;
    struct placement *placement;
    if (scene->schedule)
        where.n_ranks = scene->schedule->header.n_ranks;
    scene->is_as_stated = is_stated(scene, request);
    if (scene->is_as_stated)
        placement = scene_place_as_stated(scene, diagnostics);
    else if (scene->schedule && scene->schedule->header.hosts && scene_is_free(request))
        placement = scene_place_by_names(scene, diagnostics);
    else if (scene->topology)
        placement = placement_make(scene->topology, &where, diagnostics);
    else
        placement = placement_by_slots(where.n_ranks, where.ranks_per_machine ? where.ranks_per_machine : 1,
                                       where.rule && strcmp(where.rule, "cyclic") == 0);
    scene->placement = scene->owned.placement = placement;
    if (!placement || !near_adapters_read(&where, &scene->arena, diagnostics) ||
        !placement_use_adapters(placement, scene->topology, &where, diagnostics))
        return false;
    if (scene->schedule)
        message_adapters_use(scene->schedule, scene->topology, placement, diagnostics);
    return true;
}

/* ---- the expansion ---- */

struct bind_request scene_where(const struct scene *scene, uint32_t root)
{
    return (struct bind_request){
        .topology = scene->topology,
        .topology_spec = scene->topology_spec,
        .placement = scene->placement,
        .root = root,
        .bytes = scene->bytes,
        .counts = scene->counts,
        .neighbors = scene->neighbors,
        .settings = scene->settings,
        .n_settings = scene->n_settings,
    };
}

bool scene_bind(struct scene *scene, uint32_t root, struct diagnostics *diagnostics)
{
    const struct bind_request where = scene_where(scene, root);
    return (scene->binding = bind_program(scene->program, &where, diagnostics));
}

bool scene_expand(struct scene *scene, struct diagnostics *diagnostics)
{
    if (!scene->schedule)
        scene->schedule = expand_program(scene->binding, diagnostics);
    return scene->schedule;
}

void scene_free(struct scene *scene)
{
    if (scene->schedule)
        scene->schedule->destroy(scene->schedule);
    binding_free(scene->binding);
    if (scene->owned.counts)
        scene->owned.counts->destroy(scene->owned.counts);
    placement_free(scene->owned.placement);
    topology_free(scene->owned.topology);
    program_free(scene->owned.program);
    arena_free(&scene->arena);
}

/* ---- what it is measured by ---- */

struct verify_limits scene_limits(const struct scene *scene, const struct verify_limits *limits)
{
    struct verify_limits all = *limits;
    if (!all.ports.is_set && scene->topology && scene->topology->ports)
        all.ports = limit_of(scene->topology->ports);
    return all;
}

struct lower_bound scene_bound(const struct scene *scene)
{
    const struct schedule_header *header = &scene->schedule->header;
    struct lower_bound_request request = lower_bound_request_of(header, scene->topology, scene->placement);
    const char *problem;
    if (!collective_is_said(header->collective))
        return lower_bound_of(&request);
    struct lower_bound none = {.kind = NULL};
    if (!scene->topology || header->n_ranks > BOUND_MAX_PAIRED_RANKS)
        return none;
    request.collective = COLLECTIVE_alltoall;
    request.counts = demand_of(scene->schedule, scene->placement, true, 1, &problem);
    if (!request.counts)
        return none;
    const struct lower_bound least = lower_bound_of(&request);
    request.counts->destroy(request.counts);
    return least;
}

struct least_load scene_least(const struct scene *scene, struct lower_bound_cache *cache)
{
    const struct schedule_header *header = &scene->schedule->header;
    const struct lower_bound_request request =
        lower_bound_request_of(header, scene->topology, scene->placement);
    const struct lower_bound least = collective_is_said(header->collective) ? scene_bound(scene)
                                     : cache && !scene->is_as_stated ? lower_bound_cached(cache, &request)
                                                                     : scene_bound(scene);
    return least_load(&least, schedule_block_units(header));
}
