/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthesis: what is made is verified, and its figures are compared with what the routes alone give. Unequal
 * counts are in test_synth_unequal.c.
 */
#include "network/formats/formats.h"
#include "tests/unit/suite.h"
#include "tests/unit/synth_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- phases ---- */

/* Messages on the busiest link if each of all pairs goes straight; at least ranks - 1. */
static uint64_t busiest_link(const struct synth_scene *scene)
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

static void check_phases(const struct synth_scene *scene)
{
    struct verify_report report = {0};
    struct schedule *schedule = synth_make_right(scene, SYNTH_phases, &report);
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
        struct topology *topology = synth_fabric(&seed, 0);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 5, &seed));
        check_phases(&scene);
        synth_scene_close(&scene);
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
            struct synth_scene scene = synth_scene_of_spec(specs[i], most, &seed);
            if (strncmp(specs[i], "mesh", 4) != 0)
                check_phases(&scene);
            synth_scene_close(&scene);
        }
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("mesh:5", &diagnostics);
    const uint32_t machine[] = {2, 2, 2, 2, 2, 0, 1, 4, 4};
    struct synth_scene scene = synth_scene_of(topology, placement_of_machines(machine, 9, "centre"));
    struct verify_report report = {0};
    struct schedule *schedule = synth_make_right(&scene, SYNTH_phases, &report);
    CU_ASSERT_EQUAL(report.n_steps, busiest_link(&scene));
    CU_ASSERT_EQUAL(report.max_link_load, 1);
    schedule->destroy(schedule);
    verify_report_free(&report);
    synth_scene_close(&scene);
    diagnostics_free(&diagnostics);
}

static void test_no_tree(void)
{
    uint64_t seed = 1;
    struct synth_scene ring = synth_scene_of_spec("torus:4", 1, &seed);
    struct synth_scene cables = synth_scene_of_spec("fattree:4x2,up=1x1", 1, &seed);
    synth_expect_refusal(&ring, SYNTH_phases, "ring");
    synth_expect_refusal(&cables, SYNTH_birkhoff, "equal");
    ring.request.what.collective = COLLECTIVE_bcast;
    synth_expect_refusal(&ring, SYNTH_fit, "all-to-all");
    synth_scene_close(&ring);
    synth_scene_close(&cables);
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

static bool crosses(const struct synth_scene *scene, const struct crossing *crossing, uint32_t link)
{
    const uint32_t *machine = scene->placement->machine;
    struct hop hops[64];
    const uint32_t n = topology_route(scene->topology, machine[crossing->from], machine[crossing->to], hops);
    for (uint32_t i = 0; i < n; i++)
        if (hops[i].link == link)
            return true;
    return false;
}

/* Counts the messages `on` a link, in the order of steps, that are sent by ranks that cannot know that
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
static uint64_t count_meetings(const struct synth_scene *scene, unsigned method, uint64_t *n_steps)
{
    struct verify_report report = {0};
    struct schedule *schedule = synth_make_right(scene, method, &report);
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
        struct topology *topology = synth_fabric(&seed, 0);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        n_meetings += count_meetings(&scene, SYNTH_phases, &n_steps[0]);
        CU_ASSERT_EQUAL(count_meetings(&scene, SYNTH_turns, &n_steps[1]), 0);
        CU_ASSERT_TRUE(n_steps[1] <= 2 * n_steps[0]);
        synth_scene_close(&scene);
    }
    CU_ASSERT_TRUE(n_meetings > (IS_SHORT ? 100 : 1000));
}

/* ---- fit ---- */

static void test_fit(void)
{
    uint64_t seed = 99;
    uint64_t n_steps = 0, n_least = 0;
    for (uint32_t i = 0; i < (IS_SHORT ? 20 : 100); i++) {
        struct topology *topology = synth_fabric(&seed, 3);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        struct schedule *schedule = synth_make_right(&scene, SYNTH_fit, &report);
        CU_ASSERT_TRUE(report.max_link_load <= 1);
        CU_ASSERT_TRUE(report.n_steps >= busiest_link(&scene));
        n_steps += report.n_steps;
        n_least += busiest_link(&scene);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
    }
    printf("fit: %llu steps, at least %llu: ", (unsigned long long)n_steps, (unsigned long long)n_least);
    CU_ASSERT_TRUE(n_steps * 100 <= n_least * 105);
}

/* ---- relays, ring ---- */

/* Blocks on the busiest link over all steps, counted from the operations of the schedule. */
static double blocks_on_link(const struct synth_scene *scene, struct schedule *schedule)
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
    for (uint32_t i = 0; i < (is_least() ? 4 : IS_SHORT ? 10 : 60); i++) {
        struct topology *topology = synth_fabric(&seed, 6);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        struct schedule *schedule = synth_make_relays(&scene, &report);
        if (schedule) {
            CU_ASSERT_TRUE(blocks_on_link(&scene, schedule) < (double)busiest_link(&scene));
            schedule->destroy(schedule);
            n_made++;
        }
        verify_report_free(&report);
        synth_scene_close(&scene);
    }
    printf("relays: %u fabrics gain: ", n_made);
    CU_ASSERT_TRUE(IS_SHORT || n_made >= 10);
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct synth_scene scene = synth_scene_of_spec(tori[i].spec, 1, &seed);
        struct verify_report report = {0};
        struct schedule *schedule = synth_make_right(&scene, SYNTH_relays, &report);
        const double blocks = blocks_on_link(&scene, schedule);
        CU_ASSERT_TRUE(blocks >= tori[i].bound && blocks <= tori[i].bound * 1.03);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
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
            struct synth_scene scene = synth_scene_of_spec(tori[i].spec, 1, &seed);
            struct verify_report report = {0};
            scene.request.what.collective = served[k];
            struct schedule *schedule = synth_make_right(&scene, SYNTH_greedy, &report);
            CU_ASSERT_TRUE(report.n_steps >= tori[i].least && report.n_steps <= tori[i].most);
            CU_ASSERT_EQUAL(report.max_link_load, 1);
            verify_report_free(&report);
            schedule->destroy(schedule);
            synth_scene_close(&scene);
        }
    for (uint32_t i = 0; i < (IS_SHORT ? 6 : 30); i++) {
        struct topology *topology = synth_fabric(&seed, 4);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = served[i % 3];
        struct schedule *schedule = synth_make_right(&scene, SYNTH_greedy, &report);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
    }
}

/* On a tree of switches a ring crosses each cable once each way, wherever machines are and whatever their
 * numbers. */
static void test_ring(void)
{
    uint64_t seed = 31;
    for (uint32_t i = 0; i < (IS_SHORT ? 10 : 60); i++) {
        struct topology *topology = synth_fabric(&seed, 0);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = COLLECTIVE_allgather;
        struct schedule *schedule = synth_make_right(&scene, SYNTH_ring, &report);
        const uint32_t n = scene.placement->n_ranks;
        CU_ASSERT_EQUAL(report.n_steps, n - 1);
        CU_ASSERT_TRUE(n == 1 || blocks_on_link(&scene, schedule) == n - 1);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
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
        struct topology *topology = synth_fabric(&seed, 3);
        struct synth_scene scene = synth_scene_of(topology, synth_placement(topology, 1 + i % 3, &seed));
        struct verify_report report = {0};
        scene.request.what.collective = made[i % n_made];
        struct schedule *schedule = synth_make_right(&scene, SYNTH_shares, &report);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
    }
    struct synth_scene mesh = synth_scene_of_spec("mesh:4x4", 1, &seed);
    struct verify_report report = {0};
    mesh.request.what.collective = COLLECTIVE_allreduce;
    struct schedule *schedule = synth_make_right(&mesh, SYNTH_shares, &report);
    const double blocks = blocks_on_link(&mesh, schedule);
    CU_ASSERT_TRUE(blocks >= 15.0 / 24 && blocks < 1.03 * 15 / 24);
    verify_report_free(&report);
    schedule->destroy(schedule);
    synth_scene_close(&mesh);
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
    struct synth_scene scene = synth_scene_of_spec("torus:5x5", 1, &seed);
    struct verify_report report[3] = {{0}, {0}, {0}};
    struct schedule *schedule[3];
    for (int i = 0; i < 3; i++) {
        scene.request.watch = i == 2 ? stop : NULL;
        scene.request.watch_data = &n_asked;
        schedule[i] = synth_make_right(&scene, SYNTH_fit, &report[i]);
    }
    CU_ASSERT_EQUAL(report[0].n_steps, report[1].n_steps);
    CU_ASSERT_EQUAL(n_asked, 1);
    CU_ASSERT_TRUE(report[2].n_steps >= report[0].n_steps);
    for (int i = 0; i < 3; i++) {
        schedule[i]->destroy(schedule[i]);
        verify_report_free(&report[i]);
    }
    synth_scene_close(&scene);
}

/* Sum over steps of the busiest link of each, in blocks, by the operations. */
static double sum_of_steps(const struct synth_scene *scene, struct schedule *schedule)
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
        struct synth_scene scene = synth_scene_of_spec(cases[i].spec, 1, &seed);
        struct verify_report report = {0};
        scene.request.what.collective = cases[i].collective;
        scene.request.bytes = 4096;
        struct schedule *schedule = synth_make_right(&scene, SYNTH_shares, &report);
        const double sum = sum_of_steps(&scene, schedule);
        CU_ASSERT_TRUE(sum >= cases[i].bound && sum <= cases[i].bound * cases[i].most);
        verify_report_free(&report);
        schedule->destroy(schedule);
        synth_scene_close(&scene);
    }
}

UNIT_PROGRAM(test_synth)
{
    CU_TestInfo tests[] = {{"phases on 200 random trees of switches", test_switch_trees},
                           {"phases on other trees", test_other_trees},
                           {"turns: no two messages meet", test_turns},
                           {"no tree", test_no_tree},
                           {"fit", test_fit},
                           {"relays", test_relays},
                           {"greedy", test_greedy},
                           {"ring", test_ring},
                           {"shares", test_shares},
                           {"shares, steps", test_spread},
                           {"fit, stopped", test_stopped},
                           CU_TEST_INFO_NULL};
    return run_suite("synth", tests);
}
