/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares single failures (study/fabric/failures.c) with the plainest count: for each failure a topology
 * of its own, every message routed there if its way crosses what has failed, else as before, all loads of
 * all steps added up. Where routes are those of the base with alternatives, the verifier on the network
 * with the failure must say the same.
 */
#include "network/parts.h"
#include "study/fabric/failures.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdlib.h>
#include <string.h>

/* The parts of a schedule that are left. */
struct plain {
    uint64_t lost, gone, moved, sum, max_total, max_load;
};

static struct topology *open_rest(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_new_faulty(topology_read(spec, &diagnostics), NULL, 0);
    diagnostics_free(&diagnostics);
    return topology;
}

static bool is_in(const uint32_t *links, uint32_t n, uint32_t link)
{
    for (uint32_t i = 0; i < n; i++)
        if (links[i] == link)
            return true;
    return false;
}

/* The links of a failure: those of a node, or a link and the way back, which is the one of the same place
 * among the parallel ones. */
static uint32_t links_of(const struct topology *topology, const struct failure *failure, uint32_t *links)
{
    uint32_t n = 0, end[2], of[2] = {0, 0}, before = 0;
    if (failure->part == FAILED_CABLE)
        topology_link_ends(topology, failure->link, &of[0], &of[1]);
    for (uint32_t link = 0; failure->part == FAILED_CABLE && link < failure->link; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &end[0], &end[1]);
        before += end[0] == of[0] && end[1] == of[1];
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &end[0], &end[1]);
        if (failure->part != FAILED_CABLE && (end[0] == failure->node || end[1] == failure->node))
            links[n++] = link;
        if (failure->part == FAILED_CABLE && link == failure->link)
            links[n++] = link;
        if (failure->part == FAILED_CABLE && end[0] == of[1] && end[1] == of[0] && before-- == 0)
            links[n++] = link;
    }
    return n;
}

static struct plain count_plainly(const struct test_scene *scene, const char *spec,
                                  const struct failure *failure)
{
    const struct topology *whole = scene->topology;
    uint32_t *links = mem_alloc(whole->n_link_ids, sizeof *links);
    const uint32_t n_links = links_of(whole, failure, links);
    struct diagnostics diagnostics = {0};
    struct topology *rest = topology_new_faulty(topology_read(spec, &diagnostics), links, n_links);
    uint64_t *load = mem_alloc(whole->n_link_ids, sizeof *load);
    uint64_t *total = mem_alloc(whole->n_link_ids, sizeof *total);
    struct hop *hops = mem_alloc(whole->max_hops + rest->max_hops, sizeof *hops);
    struct plain plain = {0};
    struct step step;
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step)) {
        uint64_t most = 0;
        memset(load, 0, whole->n_link_ids * sizeof *load);
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t from = scene->placement->machine[step.sends[i].rank];
            const uint32_t to = scene->placement->machine[step.sends[i].peer];
            uint32_t n = from == to ? 0 : topology_route(whole, from, to, hops);
            bool crosses = false;
            for (uint32_t hop = 0; hop < n; hop++)
                crosses = crosses || is_in(links, n_links, hops[hop].link);
            if (crosses && failure->part == FAILED_MACHINE &&
                (from == failure->node || to == failure->node)) {
                plain.gone++;
                continue;
            }
            n = crosses ? topology_route(rest, from, to, hops) : n;
            plain.lost += crosses && n == 0;
            plain.moved += crosses && n > 0;
            for (; n > 0; n--) {
                load[hops[n - 1].link]++;
                total[hops[n - 1].link]++;
            }
        }
        for (uint32_t link = 0; link < whole->n_link_ids; link++)
            most = load[link] > most ? load[link] : most;
        plain.sum += most;
        plain.max_load = most > plain.max_load ? most : plain.max_load;
    }
    for (uint32_t link = 0; link < whole->n_link_ids; link++)
        plain.max_total = total[link] > plain.max_total ? total[link] : plain.max_total;
    free(links);
    free(load);
    free(total);
    free(hops);
    topology_free(rest);
    diagnostics_free(&diagnostics);
    return plain;
}

/* The verifier on the network without it: also of those that have no way. */
static void check_verifier(const struct test_scene *scene, const char *spec, const struct failure *failure,
                           const struct failures_bound *bound)
{
    uint32_t *links = mem_alloc(scene->topology->n_link_ids, sizeof *links);
    const uint32_t n_links = links_of(scene->topology, failure, links);
    struct diagnostics findings = {0};
    struct topology *rest = topology_new_faulty(topology_read(spec, &findings), links, n_links);
    struct lower_bound_request left = bound->request;
    left.topology = rest;
    const struct lower_bound least = lower_bound_by_flows(&left, failures_most_rows(scene->topology));
    const struct least_load load = least_load(&least, bound->segments);
    struct verify_request request = {.topology = rest,
                                     .placement = scene->placement,
                                     .least = load.units > bound->whole.units ? load : bound->whole};
    struct verify_report report;
    CU_ASSERT(verify_schedule(scene->schedule, &request, &report, &findings));
    CU_ASSERT(report.n_unrouted == failure->n_lost + failure->n_gone);
    CU_ASSERT(report.max_link_load == failure->max_link_load);
    CU_ASSERT(report.max_total_load == failure->max_total_load);
    CU_ASSERT(report.sum_step_load == failure->sum_step_load);
    const bool is_bounded = failure->part != FAILED_MACHINE && !failure->n_lost;
    CU_ASSERT_DOUBLE_EQUAL(failure->bound_ratio, is_bounded ? report.bound_ratio : 0, 1e-9);
    verify_report_free(&report);
    diagnostics_free(&findings);
    topology_free(rest);
    free(links);
}

static void check_order(const struct failures *failures)
{
    for (size_t i = 1; i < failures->n; i++) {
        const struct failure *a = &failures->items[i - 1], *b = &failures->items[i];
        CU_ASSERT(a->n_lost > b->n_lost || (a->n_lost == b->n_lost && a->sum_step_load >= b->sum_step_load));
    }
}

static void check(const char *algorithm, const char *spec, uint32_t ranks_per_machine, size_t n_parts,
                  bool has_same_verifier)
{
    const struct scene_spec where = {.algorithm = algorithm, .topology = spec,
                                     .ranks_per_machine = ranks_per_machine};
    struct test_scene scene;
    struct verify_report report;
    struct diagnostics findings = {0};
    CU_ASSERT_FATAL(scene_open(&scene, &where));
    struct traffic_matrix matrix = traffic_matrix_start(scene.topology, scene.placement);
    scene.request.watch = traffic_matrix_watch;
    scene.request.watch_context = &matrix;
    CU_ASSERT(verify_schedule(scene.schedule, &scene.request, &report, &findings));
    struct topology *rest = open_rest(spec);
    const struct schedule_header *header = &scene.schedule->header;
    const struct lower_bound_request request =
        lower_bound_request_of(header, scene.topology, scene.placement);
    const struct lower_bound least = lower_bound_of(&request);
    const struct failures_bound bound = {request, least_load(&least, header->segments), header->segments};
    struct failures failures = failures_sweep(&matrix, rest, header->counts ? NULL : &bound);
    CU_ASSERT(failures.n == n_parts);
    CU_ASSERT(failures.sum_step_load == report.sum_step_load);
    CU_ASSERT(failures.max_link_load == report.max_link_load);
    CU_ASSERT(failures.max_total_load == report.max_total_load);
    check_order(&failures);
    for (size_t i = 0; i < failures.n; i += is_least() ? 7 : 1) {
        const struct failure *failure = &failures.items[i];
        const struct plain plain = count_plainly(&scene, spec, failure);
        const bool is_same = plain.lost == failure->n_lost && plain.gone == failure->n_gone &&
                             plain.moved == failure->n_moved && plain.sum == failure->sum_step_load &&
                             plain.max_total == failure->max_total_load &&
                             plain.max_load == failure->max_link_load;
        if (!is_same) {
            struct text name = {0};
            failure_print(failure, scene.topology, &name);
            printf("%s on %s without %s\n", algorithm, spec, name.data);
            text_free(&name);
        }
        CU_ASSERT(is_same);
        CU_ASSERT(failure->bound_ratio < 1e-9 || failure->bound_ratio > 1 - 1e-9);
        CU_ASSERT(!failure->bound_kind == (failure->bound_ratio < 1e-9));
        if (has_same_verifier)
            check_verifier(&scene, spec, failure, &bound);
    }
    failures_free(&failures);
    traffic_matrix_free(&matrix);
    topology_free(rest);
    verify_report_free(&report);
    diagnostics_free(&findings);
    scene_close(&scene);
}

/* Cables, and machines that are their own routers. */
static void test_grids(void)
{
    check("alltoall/ring", "torus:4x3", 1, 24 + 12, true);
    check("alltoall/bruck", "torus:3x3x2", 1, 54 + 18, true);
    check("allgather/bucket", "mesh:3x4", 1, 17 + 12, true);
    check("allreduce/swing", "torus:4x4", 1, 32 + 16, true);
}

static void test_trees(void)
{
    check("alltoall/ring", "star:5", 2, 5 + 5 + 1, true);
    check("alltoall/spread", "fattree:4x2x4", 1, 96 + 32 + 32, true);
    check("bcast/binomial", "fattree:4x4,up=1x2", 2, 24 + 16 + 6, true);
}

/* Routes are searched anew there, but only for messages that crossed what has failed. */
static void test_real(void)
{
    check("alltoall/ring", "examples/clusters/plafrim1.txt", 1, 335, false);
    if (!is_least())
        check("allreduce/rabenseifner", "examples/clusters/loginoff-qdr-fdr10-2014.txt", 1, 192 + 144 + 8, false);
}

UNIT_PROGRAM(test_failures)
{
    CU_TestInfo tests[] = {{"grids", test_grids}, {"trees", test_trees}, {"real fabrics", test_real},
                           CU_TEST_INFO_NULL};
    return run_suite("failures", tests);
}
