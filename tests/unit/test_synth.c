/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthesis: what is made is verified, and its figures are compared with what the routes alone give.
 */
#include "network/formats/formats.h"
#include "network/graph.h"
#include "synth/decompose.h"
#include "synth/synth.h"
#include "tests/unit/suite.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

/* ---- where ---- */

struct scene {
    struct topology *topology;
    struct placement *placement;
    struct counts_runs *counts; /* or NULL */
    struct synth_request request;
};

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

/* A tree of 1 to 6 switches, 1 to 12 machines anywhere on them; with some cables more. */
static struct topology *random_fabric(uint64_t *seed, uint32_t n_more)
{
    struct graph *graph = graph_new();
    const uint32_t n_routers = 1 + random_below(seed, 6), n_machines = 1 + random_below(seed, 12);
    uint32_t router[8];
    for (uint32_t i = 0; i < n_routers; i++) {
        router[i] = add_node(graph, true, i);
        if (i)
            graph_add_cable(graph, router[i], router[random_below(seed, i)], 1000000000, 0);
    }
    for (uint32_t i = 0; i < n_more; i++) {
        const uint32_t a = random_below(seed, n_routers), b = random_below(seed, n_routers);
        if (a != b)
            graph_add_cable(graph, router[a], router[b], 1000000000, 0);
    }
    for (uint32_t i = 0; i < n_machines; i++)
        graph_add_cable(graph, add_node(graph, false, i), router[random_below(seed, n_routers)],
                        1000000000, 0);
    return seal(graph);
}

/* 1 to `most` ranks on each machine, in random order. */
static struct placement *random_placement(const struct topology *topology, uint32_t most, uint64_t *seed)
{
    uint32_t *machine = mem_alloc((size_t)topology->n_machines * most, sizeof *machine), n = 0;
    for (uint32_t i = 0; i < topology->n_machines; i++)
        for (uint32_t k = 1 + random_below(seed, most); k-- > 0;)
            machine[n++] = i;
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t other = random_below(seed, i), kept = machine[i - 1];
        machine[i - 1] = machine[other];
        machine[other] = kept;
    }
    struct placement *placement = placement_of_machines(machine, n, "random");
    free(machine);
    return placement;
}

static struct scene scene_of(struct topology *topology, struct placement *placement)
{
    struct scene scene = {.topology = topology, .placement = placement};
    scene.request = (struct synth_request){
        .what = {.collective = COLLECTIVE_alltoall, .topology = topology, .placement = placement}};
    return scene;
}

static struct scene scene_of_spec(const char *spec, uint32_t most, uint64_t *seed)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return scene_of(topology, random_placement(topology, most, seed));
}

static void close_scene(struct scene *scene)
{
    if (scene->counts)
        scene->counts->counts.destroy(&scene->counts->counts);
    placement_free(scene->placement);
    topology_free(scene->topology);
}

/* Messages on the busiest link if each of all pairs goes straight; at least ranks - 1. */
static uint64_t busiest_link(const struct scene *scene)
{
    const struct placement *placement = scene->placement;
    uint64_t *load = mem_alloc(scene->topology->n_link_ids, sizeof *load), most = placement->n_ranks - 1;
    struct hop *hops = mem_alloc((size_t)scene->topology->max_hops + 1, sizeof *hops);
    for (uint32_t from = 0; from < placement->n_ranks; from++)
        for (uint32_t to = 0; to < placement->n_ranks; to++) {
            const uint32_t n = topology_route(scene->topology, placement->machine[from],
                                              placement->machine[to], hops);
            for (uint32_t i = 0; i < n; i++)
                if (++load[hops[i].link] > most)
                    most = load[hops[i].link];
        }
    free(hops);
    free(load);
    return most;
}

/* What the method makes, verified; the report is to be freed. */
static void expect_right(const struct scene *scene, struct schedule *schedule, struct verify_report *report)
{
    struct diagnostics findings = {0};
    const struct verify_request where = {.topology = scene->topology, .placement = scene->placement};
    CU_ASSERT_TRUE(verify_schedule(schedule, &where, report, &findings));
    CU_ASSERT_TRUE(report->is_complete && report->is_matched && report->is_deadlock_free);
    CU_ASSERT_FALSE(diagnostics_has_errors(&findings));
    diagnostics_free(&findings);
}

static struct schedule *make_right(const struct scene *scene, unsigned method, struct verify_report *report)
{
    struct synth_request request = scene->request;
    struct text problem = {0};
    request.method = method;
    struct schedule *schedule = collc_synth(&request, &problem);
    if (!schedule)
        printf("%s: %s\n", synth_method_name[method], problem.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schedule);
    expect_right(scene, schedule, report);
    text_free(&problem);
    return schedule;
}

static void expect_refusal(const struct scene *scene, unsigned method, const char *words)
{
    struct synth_request request = scene->request;
    struct text problem = {0};
    request.method = method;
    CU_ASSERT_PTR_NULL(collc_synth(&request, &problem));
    CU_ASSERT_TRUE(problem.data && strstr(problem.data, words));
    text_free(&problem);
}

/* ---- phases ---- */

static void check_phases(const struct scene *scene)
{
    struct verify_report report = {0};
    struct schedule *schedule = make_right(scene, SYNTH_phases, &report);
    const uint64_t least = busiest_link(scene);
    CU_ASSERT_EQUAL(report.n_steps, least);
    CU_ASSERT_EQUAL(report.sum_step_load, scene->placement->n_servers > 1 ? least : 0);
    CU_ASSERT_TRUE(report.max_link_load <= 1 && report.max_fan_in <= 1);
    verify_report_free(&report);
    schedule->destroy(schedule);
}

static void test_switch_trees(void)
{
    uint64_t seed = 14;
    for (uint32_t i = 0; i < (IS_SHORT ? 40 : 200); i++) {
        struct topology *topology = random_fabric(&seed, 0);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 5, &seed));
        check_phases(&scene);
        close_scene(&scene);
    }
}

/* Machines in the middle of a tree, one with more than half of all ranks, a single machine. */
static void test_other_trees(void)
{
    static const char *const specs[] = {"mesh:9", "star:1", "star:2", "star:7", "mesh:2", "fattree:3x4,up=1x1",
                                        "fattree:2x3x2,up=1x1x1"};
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (uint32_t most = 1; most <= 4; most++) {
            struct scene scene = scene_of_spec(specs[i], most, &seed);
            if (strncmp(specs[i], "mesh", 4) != 0)
                check_phases(&scene);
            close_scene(&scene);
        }
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("mesh:5", &diagnostics);
    const uint32_t machine[] = {2, 2, 2, 2, 2, 0, 1, 4, 4};
    struct scene scene = scene_of(topology, placement_of_machines(machine, 9, "centre"));
    struct verify_report report = {0};
    struct schedule *schedule = make_right(&scene, SYNTH_phases, &report);
    CU_ASSERT_EQUAL(report.n_steps, busiest_link(&scene));
    CU_ASSERT_EQUAL(report.max_link_load, 1);
    schedule->destroy(schedule);
    verify_report_free(&report);
    close_scene(&scene);
    diagnostics_free(&diagnostics);
}

static void test_no_tree(void)
{
    uint64_t seed = 1;
    struct scene ring = scene_of_spec("torus:4", 1, &seed), cables = scene_of_spec("fattree:4x2,up=1x1", 1, &seed);
    expect_refusal(&ring, SYNTH_phases, "ring");
    expect_refusal(&cables, SYNTH_birkhoff, "equal");
    ring.request.what.collective = COLLECTIVE_bcast;
    expect_refusal(&ring, SYNTH_fit, "all-to-all");
    close_scene(&ring);
    close_scene(&cables);
}

/* ---- turns ---- */

struct crossing {
    uint32_t step, from, to;
};

/* All messages with data, and, as bits, what each step tells whom: [step * n_ranks + sender]. */
static size_t list_crossings(struct schedule *schedule, struct crossing *crossings, uint64_t *tells)
{
    const uint32_t n_ranks = schedule->header.n_ranks;
    struct step step;
    size_t n = 0;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            const struct op *send = &step.sends[i];
            tells[step.index * n_ranks + send->rank] |= UINT64_C(1) << send->peer;
            if (send->n_chunks)
                crossings[n++] = (struct crossing){(uint32_t)step.index, send->rank, send->peer};
        }
    return n;
}

static bool crosses(const struct scene *scene, const struct crossing *crossing, uint32_t link)
{
    const uint32_t *machine = scene->placement->machine;
    struct hop hops[64];
    const uint32_t n = topology_route(scene->topology, machine[crossing->from], machine[crossing->to], hops);
    for (uint32_t i = 0; i < n; i++)
        if (hops[i].link == link)
            return true;
    return false;
}

/* How many of the messages `on` a link, in the order of steps, are sent by ranks that cannot know that
 * number `first` has crossed it, whatever the ranks' clocks. A rank begins a step when all that it
 * receives in those before has come, and knows what their senders knew. Whoever has received a
 * message knows that what its sender sent before is past the link, too. */
static uint64_t count_unaware(const uint64_t *tells, uint32_t n_ranks, const struct crossing *on, size_t n,
                              size_t first)
{
    uint64_t who = 0, n_unaware = 0;
    uint32_t step = on[first].step;
    for (size_t i = first; i < n; i++) {
        for (; step < on[i].step; step++) {
            uint64_t next = who;
            for (uint32_t rank = 0; rank < n_ranks; rank++)
                if (who >> rank & 1)
                    next |= tells[(size_t)step * n_ranks + rank];
            for (size_t k = first; k < i; k++)
                if (on[k].step == step && on[k].from == on[first].from)
                    next |= UINT64_C(1) << on[k].to;
            who = next;
        }
        n_unaware += on[i].from != on[first].from && !(who >> on[i].from & 1);
    }
    return n_unaware;
}

/* Pairs of messages that may be on a link at once, over all links. */
static uint64_t count_meetings(const struct scene *scene, unsigned method, uint64_t *n_steps)
{
    struct verify_report report = {0};
    struct schedule *schedule = make_right(scene, method, &report);
    const uint32_t n_ranks = schedule->header.n_ranks;
    struct crossing *crossings = mem_alloc((size_t)n_ranks * n_ranks, sizeof *crossings);
    struct crossing *on = mem_alloc((size_t)n_ranks * n_ranks, sizeof *on);
    uint64_t *tells = mem_alloc((report.n_steps + 1) * n_ranks, sizeof *tells), n_meetings = 0;
    const size_t n = list_crossings(schedule, crossings, tells);
    CU_ASSERT_EQUAL(n, (size_t)n_ranks * (n_ranks - 1));
    for (uint32_t link = 0; link < scene->topology->n_link_ids; link++) {
        size_t n_on = 0;
        for (size_t i = 0; i < n; i++)
            if (crosses(scene, &crossings[i], link))
                on[n_on++] = crossings[i];
        for (size_t i = 0; i < n_on; i++)
            n_meetings += count_unaware(tells, n_ranks, on, n_on, i);
    }
    *n_steps = report.n_steps;
    free(tells);
    free(on);
    free(crossings);
    verify_report_free(&report);
    schedule->destroy(schedule);
    return n_meetings;
}

static void test_turns(void)
{
    uint64_t seed = 31, n_steps[2], n_meetings = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 5 : 30); i++) {
        struct topology *topology = random_fabric(&seed, 0);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        n_meetings += count_meetings(&scene, SYNTH_phases, &n_steps[0]);
        CU_ASSERT_EQUAL(count_meetings(&scene, SYNTH_turns, &n_steps[1]), 0);
        CU_ASSERT_TRUE(n_steps[1] <= 2 * n_steps[0]);
        close_scene(&scene);
    }
    CU_ASSERT_TRUE(n_meetings > (IS_SHORT ? 100 : 1000));
}

/* ---- fit ---- */

static void test_fit(void)
{
    uint64_t seed = 99;
    uint64_t n_steps = 0, n_least = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 100); i++) {
        struct topology *topology = random_fabric(&seed, 3);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        struct schedule *schedule = make_right(&scene, SYNTH_fit, &report);
        CU_ASSERT_TRUE(report.max_link_load <= 1);
        CU_ASSERT_TRUE(report.n_steps >= busiest_link(&scene));
        n_steps += report.n_steps;
        n_least += busiest_link(&scene);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
    printf("fit: %llu steps, at least %llu: ", (unsigned long long)n_steps, (unsigned long long)n_least);
    CU_ASSERT_TRUE(n_steps * 100 <= n_least * 105);
}

/* ---- relays, ring ---- */

/* Blocks on the busiest link over all steps, counted from the operations of the schedule. */
static double blocks_on_link(const struct scene *scene, struct schedule *schedule)
{
    const struct placement *placement = scene->placement;
    uint64_t *load = mem_alloc(scene->topology->n_link_ids, sizeof *load), most = 0;
    struct hop *hops = mem_alloc((size_t)scene->topology->max_hops + 1, sizeof *hops);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t n = topology_route(scene->topology, placement->machine[step.sends[i].rank],
                                              placement->machine[step.sends[i].peer], hops);
            for (uint32_t hop = 0; hop < n; hop++) {
                load[hops[hop].link] += step.sends[i].n_chunks;
                most = load[hops[hop].link] > most ? load[hops[hop].link] : most;
            }
        }
    const double blocks = (double)most / schedule->header.segments;
    free(hops);
    free(load);
    return blocks;
}

/* What relays make, verified; NULL: no relay helps. */
static struct schedule *make_relays(struct scene *scene, struct verify_report *report)
{
    struct text problem = {0};
    scene->request.method = SYNTH_relays;
    struct schedule *schedule = collc_synth(&scene->request, &problem);
    if (schedule)
        expect_right(scene, schedule, report);
    else
        CU_ASSERT_PTR_NOT_NULL(strstr(problem.data, "no relay"));
    text_free(&problem);
    return schedule;
}

/* The busiest link has less to do than by straight ways, or nothing is made; on tori of even extents, whose
 * routes are uneven, little more than the p n / 8 blocks that half of the machines have for the others, n
 * being the longest extent. */
static void test_relays(void)
{
    static const struct {
        const char *spec;
        double bound;
    } tori[] = {{"torus:4x4", 8}, {"torus:6x4", 18}, {"torus:8x8", 64}, {"torus:4x4x4", 32}};
    uint64_t seed = 2024;
    uint32_t n_made = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 10 : 60); i++) {
        struct topology *topology = random_fabric(&seed, 6);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        struct schedule *schedule = make_relays(&scene, &report);
        if (schedule) {
            CU_ASSERT_TRUE(blocks_on_link(&scene, schedule) < (double)busiest_link(&scene));
            schedule->destroy(schedule);
            n_made++;
        }
        verify_report_free(&report);
        close_scene(&scene);
    }
    printf("relays: %u fabrics gain: ", n_made);
    CU_ASSERT_TRUE(IS_SHORT || n_made >= 10);
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct scene scene = scene_of_spec(tori[i].spec, 1, &seed);
        struct verify_report report = {0};
        struct schedule *schedule = make_right(&scene, SYNTH_relays, &report);
        const double blocks = blocks_on_link(&scene, schedule);
        CU_ASSERT_TRUE(blocks >= tori[i].bound && blocks <= tori[i].bound * 1.03);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
}

/* Each link carries a block in a step, and there are few more steps than blocks for a server and link; one
 * way and backwards, with several ranks a server, and where links are shared. */
static void test_greedy(void)
{
    static const struct {
        const char *spec;
        uint32_t least, most; /* steps */
    } tori[] = {{"torus:5x5", 6, 7}, {"torus:8x8", 16, 18}, {"torus:4x4x4", 11, 12}, {"mesh:5x4", 10, 12}};
    static const enum collective served[] = {COLLECTIVE_allgather, COLLECTIVE_reduce_scatter_block,
                                             COLLECTIVE_allreduce};
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++)
        for (int k = 0; k < 2; k++) {
            struct scene scene = scene_of_spec(tori[i].spec, 1, &seed);
            struct verify_report report = {0};
            scene.request.what.collective = served[k];
            struct schedule *schedule = make_right(&scene, SYNTH_greedy, &report);
            CU_ASSERT_TRUE(report.n_steps >= tori[i].least && report.n_steps <= tori[i].most);
            CU_ASSERT_EQUAL(report.max_link_load, 1);
            verify_report_free(&report);
            schedule->destroy(schedule);
            close_scene(&scene);
        }
    for (uint32_t i = 0; i < (IS_SHORT ? 6 : 30); i++) {
        struct topology *topology = random_fabric(&seed, 4);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = served[i % 3];
        struct schedule *schedule = make_right(&scene, SYNTH_greedy, &report);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
}

/* On a tree of switches a ring crosses each cable once each way, wherever machines are and whatever their
 * numbers. */
static void test_ring(void)
{
    uint64_t seed = 31;
    for (uint32_t i = 0; i < (IS_SHORT ? 10 : 60); i++) {
        struct topology *topology = random_fabric(&seed, 0);
        struct scene scene = scene_of(topology, random_placement(topology, 1, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = COLLECTIVE_allgather;
        struct schedule *schedule = make_right(&scene, SYNTH_ring, &report);
        const uint32_t n = scene.placement->n_ranks;
        CU_ASSERT_EQUAL(report.n_steps, n - 1);
        CU_ASSERT_TRUE(n == 1 || blocks_on_link(&scene, schedule) == n - 1);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
}

/* On random fabrics all are right. On a mesh 24 cables can carry the 15 edges of a tree 24 / 15 times at
 * most, so a link has 15 / 24 of an allreduce. */
static void test_shares(void)
{
    static const enum collective made[] = {COLLECTIVE_allreduce, COLLECTIVE_allgather, COLLECTIVE_bcast,
                                           COLLECTIVE_reduce, COLLECTIVE_reduce_scatter_block};
    const uint32_t n_made = sizeof made / sizeof *made;
    uint64_t seed = 77;
    for (uint32_t i = 0; i < (IS_SHORT ? n_made : 3 * n_made); i++) {
        struct topology *topology = random_fabric(&seed, 3);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = made[i % n_made];
        struct schedule *schedule = make_right(&scene, SYNTH_shares, &report);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
    struct scene mesh = scene_of_spec("mesh:4x4", 1, &seed);
    struct verify_report report = {0};
    mesh.request.what.collective = COLLECTIVE_allreduce;
    struct schedule *schedule = make_right(&mesh, SYNTH_shares, &report);
    const double blocks = blocks_on_link(&mesh, schedule);
    CU_ASSERT_TRUE(blocks >= 15.0 / 24 && blocks < 1.03 * 15 / 24);
    verify_report_free(&report);
    schedule->destroy(schedule);
    close_scene(&mesh);
}

static bool stop(void *data, const struct synth_progress *progress)
{
    (void)progress;
    ++*(int *)data;
    return false;
}

/* Stopped at once, it still makes a schedule that is right; equal seeds make equal ones. */
static void test_stopped(void)
{
    uint64_t seed = 5;
    int n_asked = 0;
    struct scene scene = scene_of_spec("torus:5x5", 1, &seed);
    struct verify_report report[3] = {{0}, {0}, {0}};
    struct schedule *schedule[3];
    for (int i = 0; i < 3; i++) {
        scene.request.watch = i == 2 ? stop : NULL;
        scene.request.watch_data = &n_asked;
        schedule[i] = make_right(&scene, SYNTH_fit, &report[i]);
    }
    CU_ASSERT_EQUAL(report[0].n_steps, report[1].n_steps);
    CU_ASSERT_EQUAL(n_asked, 1);
    CU_ASSERT_TRUE(report[2].n_steps >= report[0].n_steps);
    for (int i = 0; i < 3; i++) {
        schedule[i]->destroy(schedule[i]);
        verify_report_free(&report[i]);
    }
    close_scene(&scene);
}

/* Sum over steps of the busiest link of each, in blocks, by the operations. */
static double sum_of_steps(const struct scene *scene, struct schedule *schedule)
{
    uint64_t *load = mem_alloc(scene->topology->n_link_ids, sizeof *load), sum = 0;
    struct hop *hops = mem_alloc((size_t)scene->topology->max_hops + 1, sizeof *hops);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint64_t most = 0;
        memset(load, 0, scene->topology->n_link_ids * sizeof *load);
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t n = topology_route(scene->topology, scene->placement->machine[step.sends[i].rank],
                                              scene->placement->machine[step.sends[i].peer], hops);
            for (uint32_t hop = 0; hop < n; hop++) {
                load[hops[hop].link] += step.sends[i].n_chunks;
                most = load[hops[hop].link] > most ? load[hops[hop].link] : most;
            }
        }
        sum += most;
    }
    free(hops);
    free(load);
    return (double)sum / schedule->header.segments;
}

/* With one piece edges of trees wait for links that others use: steps together take not much more than the
 * bound, what each rank has to hear over its links. By depths alone the tori take twice that and more. */
static void test_spread(void)
{
    static const struct {
        const char *spec;
        enum collective collective;
        double bound, most;
    } cases[] = {{"torus:5x5", COLLECTIVE_allgather, 24 / 4.0, 1.5},
                 {"torus:5x5", COLLECTIVE_reduce_scatter_block, 24 / 4.0, 1.5},
                 {"torus:4x4x4", COLLECTIVE_allgather, 63 / 6.0, 1.8},
                 {"fattree:4x4,up=1x4", COLLECTIVE_allgather, 15, 1.2}};
    uint64_t seed = 8;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = scene_of_spec(cases[i].spec, 1, &seed);
        struct verify_report report = {0};
        scene.request.what.collective = cases[i].collective;
        scene.request.bytes = 4096;
        struct schedule *schedule = make_right(&scene, SYNTH_shares, &report);
        const double sum = sum_of_steps(&scene, schedule);
        CU_ASSERT_TRUE(sum >= cases[i].bound && sum <= cases[i].bound * cases[i].most);
        verify_report_free(&report);
        schedule->destroy(schedule);
        close_scene(&scene);
    }
}

/* ---- unequal counts ---- */

struct sums {
    uint64_t *left; /* what is not taken off yet */
    uint32_t n;
    uint64_t weight, n_found;
};

static void take(void *data, const uint32_t *to, uint64_t weight)
{
    struct sums *sums = data;
    uint64_t is_taken = 0;
    for (uint32_t row = 0; row < sums->n; row++) {
        uint64_t *left = &sums->left[row * sums->n + to[row]];
        is_taken |= UINT64_C(1) << to[row];
        *left -= *left < weight ? *left : weight;
    }
    CU_ASSERT_EQUAL(is_taken, (UINT64_C(1) << sums->n) - 1);
    sums->weight += weight;
    sums->n_found++;
}

static void test_decompose(void)
{
    uint64_t seed = 7, matrix[12 * 12], left[12 * 12];
    for (int i = 0; i < 200; i++) {
        const uint32_t n = 1 + random_below(&seed, 12);
        uint64_t most = 0;
        struct sums sums = {left, n, 0, 0};
        for (uint32_t cell = 0; cell < n * n; cell++)
            left[cell] = matrix[cell] = random_below(&seed, 3) ? random_below(&seed, 1 << (i % 20)) : 0;
        for (uint32_t row = 0; row < n; row++) {
            uint64_t out = 0, in = 0;
            for (uint32_t other = 0; other < n; other++) {
                out += matrix[row * n + other];
                in += matrix[other * n + row];
            }
            most = out > most ? out : most;
            most = in > most ? in : most;
        }
        CU_ASSERT_EQUAL(decompose(matrix, n, take, &sums), most);
        CU_ASSERT_EQUAL(sums.weight, most);
        CU_ASSERT_TRUE(sums.n_found <= (uint64_t)n * n);
        for (uint32_t cell = 0; cell < n * n; cell++)
            CU_ASSERT_EQUAL(left[cell], 0);
    }
}

/* The sum over steps of the bytes on the busiest cable, and the most of a cable in all. */
static void check_star(const struct scene *scene, struct schedule *schedule)
{
    const struct placement *placement = scene->placement;
    uint64_t *bytes = mem_alloc(2 * (size_t)placement->n_servers, sizeof *bytes), sum = 0, bound = 0;
    uint64_t *all = mem_alloc(2 * (size_t)placement->n_servers, sizeof *all);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint64_t most = 0;
        memset(bytes, 0, 2 * placement->n_servers * sizeof *bytes);
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t from = placement->server[step.sends[i].rank];
            const uint32_t to = placement->server[step.sends[i].peer];
            if (from == to)
                continue;
            bytes[from] += schedule_units(&schedule->header, &step.sends[i]);
            bytes[placement->n_servers + to] += schedule_units(&schedule->header, &step.sends[i]);
        }
        for (uint32_t i = 0; i < 2 * placement->n_servers; i++) {
            most = bytes[i] > most ? bytes[i] : most;
            all[i] += bytes[i];
            bound = all[i] > bound ? all[i] : bound;
        }
        sum += most;
    }
    CU_ASSERT_EQUAL(sum, bound);
    free(bytes);
    free(all);
}

static void test_star(void)
{
    uint64_t seed = 21;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 100); i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "star:%u", 1 + random_below(&seed, 8));
        struct scene scene = scene_of_spec(spec, 1 + i % 3, &seed);
        const uint32_t p = scene.placement->n_ranks, unit = 1 + random_below(&seed, 1000);
        scene.counts = counts_new();
        for (uint32_t pair = 0; pair < p * p; pair++)
            counts_add(scene.counts, random_below(&seed, 3) ? unit * random_below(&seed, 50) : 0, 1);
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0};
        struct schedule *schedule = make_right(&scene, SYNTH_birkhoff, &report);
        CU_ASSERT_TRUE(report.max_fan_in <= 1);
        check_star(&scene, schedule);
        schedule->destroy(schedule);
        verify_report_free(&report);
        close_scene(&scene);
    }
}

/* Unequal counts on any fabric: right, a message on a link, and none of no bytes is sent. */
static void test_fit_unequal(void)
{
    uint64_t seed = 31;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 60); i++) {
        struct topology *topology = random_fabric(&seed, 3);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        const uint64_t p = scene.placement->n_ranks;
        uint64_t n_sent = 0;
        scene.counts = counts_new();
        for (uint64_t pair = 0; pair < p * p; pair++) {
            const uint32_t bytes = random_below(&seed, 3) ? 1 + random_below(&seed, 1000) : 0;
            counts_add(scene.counts, bytes, 1);
            n_sent += bytes > 0 && pair / p != pair % p;
        }
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0};
        struct schedule *schedule = make_right(&scene, SYNTH_fit, &report);
        CU_ASSERT_TRUE(report.max_link_load <= 1);
        CU_ASSERT_EQUAL(report.n_messages, n_sent);
        schedule->destroy(schedule);
        verify_report_free(&report);
        close_scene(&scene);
    }
}

static uint64_t segment_bytes(const struct scene *scene, uint64_t datum, uint32_t segments)
{
    const uint64_t bytes = scene->counts->counts.bytes(&scene->counts->counts, datum / segments);
    const uint64_t k = datum % segments;
    return bytes * (k + 1) / segments - bytes * k / segments;
}

/* Bytes on the busiest link, by the operations of the schedule: what a message takes from `tmp` is what came
 * there before. */
static uint64_t bytes_on_link(const struct scene *scene, struct schedule *schedule)
{
    const struct schedule_header *header = &schedule->header;
    const uint64_t p = header->n_ranks, s = header->segments;
    uint64_t *load = mem_alloc(scene->topology->n_link_ids, sizeof *load), most = 0;
    uint64_t *held = mem_alloc(p * header->n_tmp + 1, sizeof *held); /* [rank * n_tmp + chunk] datum */
    struct hop *hops = mem_alloc((size_t)scene->topology->max_hops + 1, sizeof *hops);
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends; i++) {
            const struct op *send = &step.sends[i], *receive = &step.receives[i];
            const uint32_t n = topology_route(scene->topology, scene->placement->machine[send->rank],
                                              scene->placement->machine[send->peer], hops);
            for (uint32_t k = 0; k < send->n_chunks; k++) {
                const uint64_t chunk = send->chunk + k;
                const uint64_t datum = send->buffer == BUFFER_TMP ? held[send->rank * header->n_tmp + chunk]
                                                                  : send->rank * p * s + chunk;
                if (receive->buffer == BUFFER_TMP)
                    held[receive->rank * header->n_tmp + receive->chunk + k] = datum;
                for (uint32_t hop = 0; hop < n; hop++)
                    load[hops[hop].link] += segment_bytes(scene, datum, (uint32_t)s);
            }
        }
    for (uint32_t link = 0; link < scene->topology->n_link_ids; link++)
        most = load[link] > most ? load[link] : most;
    free(hops);
    free(held);
    free(load);
    return most;
}

/* Where counts are given, blocks of all sizes are passed on: the busiest link has less to do than by straight
 * ways. */
static void test_relays_unequal(void)
{
    uint64_t seed = 77;
    uint32_t n_made = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 6 : 40); i++) {
        struct topology *topology = random_fabric(&seed, 6);
        struct scene scene = scene_of(topology, random_placement(topology, 1 + i % 3, &seed));
        const uint64_t p = scene.placement->n_ranks;
        scene.counts = counts_new();
        for (uint64_t pair = 0; pair < p * p; pair++)
            counts_add(scene.counts, random_below(&seed, 4) ? random_below(&seed, 100000) : 0, 1);
        scene.request.what.counts = &scene.counts->counts;
        scene.request.form = FORM_alltoallv;
        struct verify_report report = {0}, straight_report = {0};
        struct schedule *schedule = make_relays(&scene, &report);
        if (schedule) {
            struct schedule *straight = make_right(&scene, SYNTH_fit, &straight_report);
            CU_ASSERT_TRUE(bytes_on_link(&scene, schedule) < bytes_on_link(&scene, straight));
            straight->destroy(straight);
            schedule->destroy(schedule);
            n_made++;
        }
        verify_report_free(&report);
        verify_report_free(&straight_report);
        close_scene(&scene);
    }
    printf("relays of unequal blocks: %u fabrics gain: ", n_made);
    CU_ASSERT_TRUE(IS_SHORT || n_made >= 5);
}

int main(void)
{
    CU_TestInfo tests[] = {{"phases on 200 random trees of switches", test_switch_trees},
                           {"phases on other trees", test_other_trees},
                           {"turns: no two messages meet", test_turns},
                           {"no tree", test_no_tree},
                           {"fit", test_fit},
                           {"relays", test_relays},
                           {"greedy", test_greedy},
                           {"relays, unequal counts", test_relays_unequal},
                           {"ring", test_ring},
                           {"shares", test_shares},
                           {"shares, steps", test_spread},
                           {"fit, stopped", test_stopped},
                           {"fit, unequal counts", test_fit_unequal},
                           {"sums of permutations", test_decompose},
                           {"unequal counts on a star", test_star},
                           CU_TEST_INFO_NULL};
    return run_suite("synth", tests);
}
