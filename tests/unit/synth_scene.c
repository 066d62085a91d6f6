/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See synth_scene.h.
 */
#include "tests/unit/synth_scene.h"

#include "network/formats/formats.h"
#include "network/graph.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t synth_random(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

static uint32_t add_node(struct graph *graph, bool is_router, uint32_t number)
{
    char name[32];
    const int n = snprintf(name, sizeof name, "%s%u", is_router ? "r" : "h", number);
    return graph_add_node(graph, is_router, name, (size_t)n);
}

static struct topology *seal(struct graph *graph)
{
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "random"}, graph);
}

struct topology *synth_fabric(uint64_t *seed, uint32_t n_more)
{
    struct graph *graph = graph_new();
    const uint32_t n_routers = 1 + synth_random(seed, 6), n_machines = 1 + synth_random(seed, 12);
    uint32_t router[8];
    for (uint32_t i = 0; i < n_routers; i++) {
        router[i] = add_node(graph, true, i);
        if (i)
            graph_add_cable(graph, router[i], router[synth_random(seed, i)], 1000000000, 0);
    }
    for (uint32_t i = 0; i < n_more; i++) {
        const uint32_t a = synth_random(seed, n_routers), b = synth_random(seed, n_routers);
        if (a != b)
            graph_add_cable(graph, router[a], router[b], 1000000000, 0);
    }
    for (uint32_t i = 0; i < n_machines; i++)
        graph_add_cable(graph, add_node(graph, false, i), router[synth_random(seed, n_routers)],
                        1000000000, 0);
    return seal(graph);
}

struct placement *synth_placement(const struct topology *topology, uint32_t most, uint64_t *seed)
{
    uint32_t *machine = mem_alloc((size_t)topology->n_machines * most, sizeof *machine), n = 0;
    for (uint32_t i = 0; i < topology->n_machines; i++)
        for (uint32_t k = 1 + synth_random(seed, most); k-- > 0;)
            machine[n++] = i;
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t other = synth_random(seed, i), kept = machine[i - 1];
        machine[i - 1] = machine[other];
        machine[other] = kept;
    }
    struct placement *placement = placement_of_machines(machine, n, "random");
    free(machine);
    return placement;
}

struct synth_scene synth_scene_of(struct topology *topology, struct placement *placement)
{
    struct synth_scene scene = {.topology = topology, .placement = placement};
    scene.request = (struct synth_request){
        .what = {.collective = COLLECTIVE_alltoall, .topology = topology, .placement = placement}};
    return scene;
}

struct synth_scene synth_scene_of_spec(const char *spec, uint32_t most, uint64_t *seed)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return synth_scene_of(topology, synth_placement(topology, most, seed));
}

void synth_scene_close(struct synth_scene *scene)
{
    if (scene->counts)
        scene->counts->counts.destroy(&scene->counts->counts);
    placement_free(scene->placement);
    topology_free(scene->topology);
}

void synth_expect_right(const struct synth_scene *scene, struct schedule *schedule,
                        struct verify_report *report)
{
    struct diagnostics findings = {0};
    const struct verify_request where = {.topology = scene->topology, .placement = scene->placement};
    CU_ASSERT_TRUE(verify_schedule(schedule, &where, report, &findings));
    CU_ASSERT_TRUE(report->is_complete);
    CU_ASSERT_FALSE(diagnostics_has_errors(&findings));
    diagnostics_free(&findings);
}

struct schedule *synth_make_right(const struct synth_scene *scene, unsigned method,
                                  struct verify_report *report)
{
    struct synth_request request = scene->request;
    struct text problem = {0};
    request.method = method;
    struct schedule *schedule = collc_synth(&request, &problem);
    if (!schedule)
        printf("%s: %s\n", synth_method_name[method], problem.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schedule);
    synth_expect_right(scene, schedule, report);
    text_free(&problem);
    return schedule;
}

void synth_expect_refusal(const struct synth_scene *scene, unsigned method, const char *words)
{
    struct synth_request request = scene->request;
    struct text problem = {0};
    request.method = method;
    CU_ASSERT_PTR_NULL(collc_synth(&request, &problem));
    CU_ASSERT_TRUE(problem.data && strstr(problem.data, words));
    text_free(&problem);
}

struct schedule *synth_make_relays(struct synth_scene *scene, struct verify_report *report)
{
    struct text problem = {0};
    scene->request.method = SYNTH_relays;
    struct schedule *schedule = collc_synth(&scene->request, &problem);
    if (schedule)
        synth_expect_right(scene, schedule, report);
    else
        CU_ASSERT_PTR_NOT_NULL(strstr(problem.data, "no relay"));
    text_free(&problem);
    return schedule;
}
