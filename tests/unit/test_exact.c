/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The method `exact` where the best is known: in closed form on rings and hypercubes, and the points of
 * SCCL's frontier on a DGX-1. What is made is verified, and its rounds are counted from its operations.
 */
#include "network/formats/formats.h"
#include "synth/synth.h"
#include "tests/unit/suite.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found {
    uint32_t steps, rounds;
    char note[512];
};

/* Rounds of the schedule, a round being the time in which a link of that bandwidth passes a chunk. */
static uint32_t count_rounds(const struct topology *topology, const struct placement *placement,
                             struct schedule *schedule, uint64_t bandwidth, uint32_t *steps)
{
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    uint32_t *load = mem_alloc(topology->n_link_ids, sizeof *load), sum = 0;
    struct step step;
    *steps = 0;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint32_t rounds = 0;
        memset(load, 0, topology->n_link_ids * sizeof *load);
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t n = topology_route(topology, placement->machine[step.sends[i].rank],
                                              placement->machine[step.sends[i].peer], hops);
            for (uint32_t hop = 0; hop < n; hop++) {
                const uint64_t room = topology_link_bandwidth(topology, hops[hop].link) / bandwidth;
                load[hops[hop].link] += step.sends[i].n_chunks;
                CU_ASSERT_TRUE_FATAL(room > 0);
                const uint32_t needed = (uint32_t)((load[hops[hop].link] + room - 1) / room);
                rounds = needed > rounds ? needed : rounds;
            }
        }
        sum += rounds;
        *steps += rounds > 0;
    }
    free(load);
    free(hops);
    return sum;
}

/* `bandwidth` of a round; 0: all links are alike. */
static struct found make(enum collective collective, const char *spec, uint64_t bandwidth, uint32_t steps,
                         uint32_t chunks)
{
    struct found found = {0};
    struct diagnostics diagnostics = {0}, findings = {0};
    struct text problem = {0}, note = {0};
    struct verify_report report = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    struct placement *placement = placement_by_slots(topology->n_machines, 1, false);
    const struct synth_request request = {
        .what = {.collective = collective, .topology = topology, .placement = placement},
        .method = SYNTH_exact, .is_exact = true, .steps = steps, .chunks = chunks, .note = &note};
    struct schedule *schedule = collc_synth(&request, &problem);
    if (!schedule)
        printf("%s: %s\n", spec, problem.data);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schedule);
    const struct verify_request where = {.topology = topology, .placement = placement};
    CU_ASSERT_TRUE(verify_schedule(schedule, &where, &report, &findings));
    CU_ASSERT_TRUE(report.is_complete);
    CU_ASSERT_FALSE(diagnostics_has_errors(&findings));
    if (!bandwidth)
        bandwidth = topology_link_bandwidth(topology, 0);
    found.rounds = count_rounds(topology, placement, schedule, bandwidth, &found.steps);
    snprintf(found.note, sizeof found.note, "%s", note.data ? note.data : "");
    schedule->destroy(schedule);
    verify_report_free(&report);
    diagnostics_free(&findings);
    diagnostics_free(&diagnostics);
    text_free(&problem);
    text_free(&note);
    placement_free(placement);
    topology_free(topology);
    return found;
}

static void expect(const struct found *found, uint32_t steps, uint32_t rounds, const char *proof)
{
    char words[64];
    snprintf(words, sizeof words, "%" PRIu32 " rounds in %" PRIu32 " steps", rounds, steps);
    CU_ASSERT_EQUAL(found->steps, steps);
    CU_ASSERT_EQUAL(found->rounds, rounds);
    CU_ASSERT_PTR_NOT_NULL(strstr(found->note, words));
    CU_ASSERT_PTR_NOT_NULL(strstr(found->note, proof));
    CU_ASSERT_PTR_NULL(strstr(found->note, "not proved"));
}

/* On a ring each rank has n - 1 blocks to get over two cables, the last of them from n / 2 steps away. Blocks
 * of an all-to-all cross n^2 / 8 cables each way for each rank. */
static void test_rings(void)
{
    for (uint32_t n = 4; n <= 8; n++) {
        char spec[16];
        snprintf(spec, sizeof spec, "torus:%" PRIu32, n);
        struct found found = make(COLLECTIVE_allgather, spec, 0, 0, 1);
        expect(&found, n / 2, n / 2, "fewer steps cannot be");
        found = make(COLLECTIVE_alltoall, spec, 0, 0, 1);
        expect(&found, n / 2, n % 2 ? (n * n - 1) / 8 : (n * n + 7) / 8, "fewer");
        found = make(COLLECTIVE_reduce_scatter_block, spec, 0, n - 1, 2);
        CU_ASSERT_EQUAL(found.rounds, n - 1);
        found = make(COLLECTIVE_bcast, spec, 0, 0, 1);
        expect(&found, n / 2, n / 2, "a step takes one");
    }
}

/* On a hypercube of d dimensions (2^d - 1) / d rounds a chunk; for an all-to-all half as many as ranks. */
static void test_hypercubes(void)
{
    struct found found = make(COLLECTIVE_allgather, "torus:2x2", 0, 0, 2);
    expect(&found, 2, 3, "a cut");
    found = make(COLLECTIVE_allgather, "torus:2x2x2", 0, 0, 3);
    expect(&found, 3, 7, "a cut");
    found = make(COLLECTIVE_alltoall, "torus:2x2", 0, 0, 1);
    expect(&found, 2, 2, "fewer");
    found = make(COLLECTIVE_alltoall, "torus:2x2x2", 0, 0, 1);
    expect(&found, 3, 4, "a cut");
}

/* Steps, rounds and chunks of SCCL's frontier, with GPUs and cables as nvidia-smi tells them: (2, 4, 3) is
 * none. */
static void test_dgx1(void)
{
    static const struct {
        uint32_t steps, rounds, chunks;
        const char *proof;
    } points[] = {{2, 2, 1, "a step takes one"},
                  {2, 3, 2, "a cut"},
                  {2, 5, 3, "the solver finds that there is none"},
                  {3, 4, 3, "a cut"},
                  {3, 5, 4, "a cut"}};
    const char *spec = "tests/golden/topology/nvidia_smi/cube-mesh.txt";
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const struct found found =
            make(COLLECTIVE_allgather, spec, UINT64_C(25000000000), points[i].steps, points[i].chunks);
        expect(&found, points[i].steps, points[i].rounds, points[i].proof);
    }
}

/* All that is served, also where links are shared and machines differ. */
static void test_all(void)
{
    static const enum collective all[] = {COLLECTIVE_allgather, COLLECTIVE_alltoall,
                                          COLLECTIVE_allreduce, COLLECTIVE_bcast,
                                          COLLECTIVE_reduce, COLLECTIVE_reduce_scatter_block};
    static const char *const specs[] = {"mesh:3x2", "star:5", "fattree:2x3,up=1x1", "full:4"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            const struct found found = make(all[i], specs[k], 0, 0, 1 + (uint32_t)k % 2);
            CU_ASSERT_PTR_NULL(strstr(found.note, "not proved"));
        }
    const struct found found = make(COLLECTIVE_alltoall, "star:5", 0, 0, 1);
    expect(&found, 1, 4, "a cut");
}

UNIT_PROGRAM(test_exact)
{
    CU_TestInfo tests[] = {{"rings", test_rings},
                           {"hypercubes", test_hypercubes},
                           {"SCCL's points on a DGX-1", test_dgx1},
                           {"all collectives", test_all},
                           CU_TEST_INFO_NULL};
    return run_suite("exact", tests);
}
