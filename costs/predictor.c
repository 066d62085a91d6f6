/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See predictor.h. A program is read once and bound once for each point: binding asks the topology for
 * its shape, not for its costs, so these may change afterwards.
 *
 * Models count whole nanoseconds. To see derivatives through their rounding, times are found in 1024ths
 * of a nanosecond: latencies are multiplied, bandwidths divided by that.
 */
#include "costs/predictor.h"

#include "base/codes.h"
#include "base/text/hostlist.h"
#include "compiler/algorithms/builtin.h"
#include "simulate/direct.h"
#include "study/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 1024 };
static const double MOST_RATE = 1e15;

/* The scene of a point, with its schedule unless it has a program, and its simulation. */
struct prepared {
    struct scene scene;
    struct simulation_request simulation;
    struct diagnostics problems; /* of the schedule, as long as it is open; nobody reads them */
};

struct predictor {
    const struct costs_request *request;
    struct prepared *prepared; /* [point] */
};

/* ---- costs as models take them ---- */

static uint64_t whole(double value)
{
    return value < 0x1p61 ? (uint64_t)(value + 0.5) : UINT64_C(1) << 61;
}

static uint64_t rate(double ns_per_byte, double scale)
{
    const double most = MOST_RATE / scale;
    const double value = ns_per_byte > 0 ? 1e9 / ns_per_byte / scale : most;
    return value < 1 ? 1 : whole(value < most ? value : most);
}

static struct host_costs hosts_at(const struct model_costs *costs, double scale)
{
    const double *value = costs->value;
    return (struct host_costs){.overhead = whole(value[COST_OVERHEAD] * scale),
                               .gap = whole(value[COST_GAP] * scale),
                               .memory_bandwidth = rate(value[COST_MEMORY_BYTE], scale),
                               .memory_latency = whole(value[COST_MEMORY_LATENCY] * scale),
                               .process_bandwidth = value[COST_PROCESS_BYTE] > 0
                                                        ? rate(value[COST_PROCESS_BYTE], scale)
                                                        : 0};
}

static void set_links(struct topology *topology, const struct model_costs *costs, double scale)
{
    topology_set_links(topology, (struct link_class){rate(costs->value[COST_LINK_BYTE], scale),
                                                     whole(costs->value[COST_LINK_LATENCY] * scale)});
}

struct host_costs costs_of_hosts(const struct model_costs *costs)
{
    return hosts_at(costs, 1);
}

void costs_set_links(struct topology *topology, const struct model_costs *costs)
{
    if (costs_has_links(topology))
        set_links(topology, costs, 1);
}

bool costs_has_links(const struct topology *topology)
{
    return topology_is_implicit(topology) && topology->n_classes <= 1 && topology->n_networks <= 1;
}

/* ---- schedules ---- */

static bool predictor_refuse(const struct timed_point *point, const struct diagnostics *why,
                             const char *otherwise, struct diagnostics *diagnostics)
{
    report(diagnostics, CODE_Y001, point->position, "%s cannot be predicted here: %s",
           point->algorithm ? point->algorithm : "a message",
           why->first ? why->first->message : otherwise)
        ->help = why->first ? why->first->help : NULL;
    return false;
}

/* Reads the program of a point, unless an earlier point has the same. */
static bool predictor_read(struct predictor *predictor, size_t i, struct diagnostics *problems)
{
    const struct timed_point *points = predictor->request->points->items;
    struct scene *scene = &predictor->prepared[i].scene;
    enum collective_form form;
    for (size_t k = 0; k < i && !scene->program; k++)
        if (points[k].kind == TIMED_ALGORITHM && strcmp(points[k].algorithm, points[i].algorithm) == 0)
            scene->program = predictor->prepared[k].scene.program;
    return scene->program ||
           scene_read_builtin(scene, builtin_of_name(points[i].algorithm, &form), FORM_EQUAL, problems);
}

/* Makes messages from rank 0 to rank 1, all posted at once, and one without data back. */
static bool stream(struct scene *scene, const struct timed_point *point, struct diagnostics *problems)
{
    struct text text = {0};
    const uint32_t n = point->kind == TIMED_STREAM ? point->window : 1;
    text_printf(&text,
                "collc-schedule 1\ncollective bcast\nalgorithm stream\nranks 2\nroot 0\nsegments %u\n", n);
    if (point->bytes)
        text_printf(&text, "chunk-bytes %llu\n", (unsigned long long)point->bytes);
    text_printf(&text, "step 0\n");
    if (point->bytes == 0)
        text_printf(&text, "0 send to 1\n1 recv from 0\n");
    for (uint32_t i = 0; i < n && point->bytes; i++)
        text_printf(&text, "0 send buf[%u] to 1\n1 recv buf[%u] from 0\n", i, i);
    if (point->kind == TIMED_STREAM)
        text_printf(&text, "step 1\n1 send to 0\n0 recv from 1\n");
    text_printf(&text, "end\n");
    scene->source = source_of_text("<stream>", text.data, text.length, &scene->arena);
    text_free(&text);
    return scene_read_source(scene, problems);
}

/* Puts the ranks on the hosts of the point, in their order. */
static bool predictor_place_on_hosts(const struct timed_point *point, uint32_t each, struct scene *scene,
                                     struct diagnostics *problems)
{
    struct hostlist list;
    const struct topology *topology = scene->topology;
    uint32_t *machine = arena_alloc(&scene->arena, point->n_ranks, sizeof *machine);
    bool is_found = true;
    (void)hostlist_expand(slice_of(point->hosts), HOSTLIST_MAX_NAMES, &list);
    for (uint32_t rank = 0; rank < point->n_ranks && is_found; rank++) {
        const uint32_t host = point->are_hosts_of_ranks ? rank : rank / (each ? each : 1);
        const struct slice name = host < list.n ? hostlist_get(&list, host) : slice_of(point->hosts);
        machine[rank] = topology_find_host(topology, name.text, name.length);
        is_found = host < list.n && machine[rank] < topology->n_machines;
        if (!is_found)
            report(problems, CODE_Y001, point->position, "'%.*s' %s", (int)name.length, name.text,
                   host < list.n ? "is no host of the topology" : "are not enough hosts for its ranks")
                ->help = point->are_hosts_of_ranks
                             ? "the output says on which host each rank ran; --placement, such as "
                               "'--placement block', takes the place of that"
                             : NULL;
    }
    if (is_found)
        scene->placement = scene->owned.placement = placement_of_machines(machine, point->n_ranks, "hosts");
    hostlist_free(&list);
    return is_found;
}

/* Moves all ranks of a machine to the one that takes its place. */
static void predictor_reorder(const uint32_t *order, struct scene *scene)
{
    const struct placement *old = scene->placement;
    uint32_t *machine = arena_alloc(&scene->arena, old->n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < old->n_ranks; rank++)
        machine[rank] = order[old->machine[rank]];
    struct placement *placement = placement_of_machines(machine, old->n_ranks, old->name);
    placement_free(scene->owned.placement);
    scene->placement = scene->owned.placement = placement;
}

static bool predictor_place(const struct costs_request *request, const struct timed_point *point,
                            struct scene *scene, struct diagnostics *problems)
{
    struct placement_request where = request->where;
    where.n_ranks = point->n_ranks;
    if (point->ranks_per_machine)
        where.ranks_per_machine = point->ranks_per_machine;
    if (point->hosts && !predictor_place_on_hosts(point, where.ranks_per_machine, scene, problems))
        return false;
    if (!point->hosts && !scene_place(scene, &where, problems))
        return false;
    if ((!point->hosts || point->are_hosts_of_ranks) && request->order)
        predictor_reorder(request->order, scene);
    return (!point->hosts && !request->order) ||
           placement_use_adapters(scene->owned.placement, scene->topology, &where, problems);
}

static bool predictor_prepare(struct predictor *predictor, size_t i, struct diagnostics *diagnostics)
{
    const struct costs_request *request = predictor->request;
    const struct timed_point *point = &request->points->items[i];
    struct scene *scene = &predictor->prepared[i].scene;
    struct diagnostics problems = {0};
    uint64_t chunk_bytes = point->bytes;
    *scene = (struct scene){.topology = request->topology,
                            .bytes = point->bytes,
                            .settings = point->settings,
                            .n_settings = point->n_settings};
    bool is_ready = predictor_place(request, point, scene, &problems);
    if (is_ready && point->kind != TIMED_ALGORITHM)
        is_ready = stream(scene, point, &problems);
    else if (is_ready)
        is_ready = predictor_read(predictor, i, &problems) && scene_bind(scene, 0, &problems);
    if (is_ready && scene->binding)
        chunk_bytes =
            collective_chunk_bytes(scene->program->collective, scene->binding->segments, point->bytes) +
            (program_tells_sizes(scene->program) ? BYTES_OF_SIZE : 0);
    predictor->prepared[i].simulation = (struct simulation_request){
        .model = request->model,
        .flit = flit_defaults(),
        .settings = {.topology = request->topology,
                     .placement = scene->placement,
                     .chunk_bytes = chunk_bytes,
                     .eager_limit = request->eager_limit}};
    if (!is_ready)
        predictor_refuse(point, &problems, "there is no such algorithm", diagnostics);
    diagnostics_free(&problems);
    return is_ready;
}

struct predictor *predictor_new(const struct costs_request *request, struct diagnostics *diagnostics)
{
    struct predictor *predictor = mem_alloc(1, sizeof *predictor);
    bool is_ready = true;
    predictor->request = request;
    predictor->prepared = mem_alloc(request->points->n, sizeof *predictor->prepared);
    for (size_t i = 0; i < request->points->n && is_ready; i++)
        is_ready = predictor_prepare(predictor, i, diagnostics);
    if (!is_ready) {
        predictor_free(predictor);
        return NULL;
    }
    return predictor;
}

void predictor_free(struct predictor *predictor)
{
    if (!predictor)
        return;
    for (size_t i = 0; i < predictor->request->points->n; i++) {
        scene_free(&predictor->prepared[i].scene);
        diagnostics_free(&predictor->prepared[i].problems);
    }
    free(predictor->prepared);
    free(predictor);
}

/* ---- times ---- */

const struct placement *predictor_placement(const struct predictor *predictor, size_t point)
{
    return predictor->prepared[point].scene.placement;
}

struct schedule *predictor_expand(struct predictor *predictor, size_t point)
{
    struct prepared *prepared = &predictor->prepared[point];
    (void)scene_expand(&prepared->scene, &prepared->problems);
    return prepared->scene.schedule;
}

void predictor_close(struct predictor *predictor, size_t point)
{
    struct scene *scene = &predictor->prepared[point].scene;
    if (!scene->binding) {
        scene->schedule->rewind(scene->schedule);
    } else if (scene->schedule) {
        scene->schedule->destroy(scene->schedule);
        scene->schedule = NULL;
    }
    diagnostics_free(&predictor->prepared[point].problems);
}

bool predictor_time(struct predictor *predictor, size_t point, const struct topology *on,
                    const struct host_costs *hosts, uint64_t *time)
{
    struct prepared *prepared = &predictor->prepared[point];
    struct diagnostics problems = {0};
    struct simulation simulation = {0};
    struct time_parts parts;
    struct schedule *schedule = predictor_expand(predictor, point);
    prepared->simulation.settings.costs = *hosts;
    prepared->simulation.settings.topology = on;
    bool is_whole = schedule && prepared->simulation.model == SIMULATION_asap &&
                    direct_play(schedule, &prepared->simulation.settings, time, &parts);
    if (schedule && !is_whole) {
        schedule->rewind(schedule);
        simulation_run(&prepared->simulation, schedule, &simulation, &problems);
        is_whole = simulation.played.outcome == PLAYED_WHOLE;
        *time = simulation.played.time;
    }
    predictor_close(predictor, point);
    if (simulation.header)
        simulation_free(&simulation);
    diagnostics_free(&problems);
    return is_whole;
}

bool predictor_times(struct predictor *predictor, const struct model_costs *costs, bool is_rounded,
                     double *times)
{
    const double scale = is_rounded ? 1 : SCALE;
    struct host_costs hosts = hosts_at(costs, scale);
    struct topology *topology = predictor->request->topology;
    const struct link_class links = {topology->bandwidth, topology->latency};
    bool is_whole = true;
    if (predictor->request->inside_bandwidth)
        hosts.inside_bandwidth = rate(1e9 / (double)predictor->request->inside_bandwidth, scale);
    if (costs_has_links(topology))
        set_links(topology, costs, scale);
    for (size_t i = 0; i < predictor->request->points->n && is_whole; i++) {
        uint64_t time = 0;
        is_whole = predictor_time(predictor, i, topology, &hosts, &time);
        times[i] = (double)time / scale;
    }
    if (costs_has_links(topology))
        topology_set_links(topology, links);
    return is_whole;
}
