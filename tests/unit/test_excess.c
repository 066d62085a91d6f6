/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the findings of links above their limit (verify/excess.c) with the same found in the plainest
 * way: a table of all steps by all links, and for each step all messages routed one by one.
 */
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200 };

/* [step][link] messages that cross it. Every message is received in its step. */
struct table {
    const struct test_scene *scene;
    uint32_t *load;
    uint64_t n_steps;
    struct hop *hops;
};

static uint32_t n_links(const struct table *table)
{
    return table->scene->topology->n_link_ids;
}

static uint32_t route(const struct table *table, const struct op *send)
{
    const uint32_t *machine = table->scene->placement->machine;
    return topology_route(table->scene->topology, machine[send->rank], machine[send->peer],
                          table->hops);
}

static struct table make_table(const struct test_scene *scene)
{
    struct table table = {.scene = scene};
    struct step step;
    table.load = mem_alloc(MAX_STEPS * (size_t)n_links(&table), sizeof *table.load);
    table.hops = mem_alloc(scene->topology->max_hops, sizeof *table.hops);
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step)) {
        CU_ASSERT_FATAL(table.n_steps < MAX_STEPS);
        for (size_t i = 0; i < step.n_sends; i++)
            for (uint32_t hop = route(&table, &step.sends[i]); hop-- > 0;)
                table.load[table.n_steps * n_links(&table) + table.hops[hop].link]++;
        table.n_steps++;
    }
    return table;
}

static uint32_t load_of(const struct table *table, uint64_t step, int64_t link)
{
    return table->load[step * n_links(table) + (uint64_t)link];
}

static bool is_in(const uint32_t *list, size_t n, uint32_t number)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == number)
            return true;
    return false;
}

/* The ranks that send over the link in the step are the ranks of the finding, and their machines are its
 * machines. Some of them send at its line. */
static void check_ranks(const struct table *table, const struct diagnostic *found)
{
    struct schedule *schedule = table->scene->schedule;
    struct step step;
    bool *is_sender = mem_alloc(schedule->header.n_ranks, sizeof *is_sender);
    bool is_at_line = false;
    uint32_t n = 0;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step) && step.index < (uint64_t)found->place.step)
        ;
    for (size_t i = 0; i < step.n_sends; i++)
        for (uint32_t hop = route(table, &step.sends[i]); hop-- > 0;)
            if (table->hops[hop].link == (uint64_t)found->place.link) {
                is_sender[step.sends[i].rank] = true;
                is_at_line = is_at_line || step.sends[i].line == found->position.line;
            }
    for (uint32_t rank = 0; rank < schedule->header.n_ranks; rank++) {
        n += is_sender[rank];
        CU_ASSERT(is_sender[rank] == is_in(found->ranks, found->n_ranks, rank));
        CU_ASSERT(!is_sender[rank] || is_in(found->machines, found->n_machines,
                                            table->scene->placement->machine[rank]));
    }
    CU_ASSERT(n == found->n_ranks && is_at_line);
    free(is_sender);
}

/* The worst of a link, where, and the steps in which it is above `threshold`. */
static uint32_t check_steps(const struct table *table, const struct diagnostic *found,
                            uint32_t threshold)
{
    uint32_t worst = 0, total = 0;
    size_t span = 0;
    for (uint64_t step = 0; step < table->n_steps; step++) {
        const uint32_t load = load_of(table, step, found->place.link);
        total += load;
        if (load > worst) {
            worst = load;
            CU_ASSERT((uint64_t)found->place.step >= step);
        }
        while (span < found->n_steps && found->steps[span].last < step)
            span++;
        const bool is_listed = span < found->n_steps && found->steps[span].first <= step;
        CU_ASSERT(is_listed == (load > threshold));
    }
    CU_ASSERT(load_of(table, (uint64_t)found->place.step, found->place.link) == worst);
    return found->code == CODE_L004 ? total : worst;
}

static uint64_t count_links_above(const struct table *table, uint32_t limit)
{
    uint64_t n = 0;
    for (uint32_t link = 0; link < n_links(table); link++) {
        bool is_above = false;
        for (uint64_t step = 0; step < table->n_steps; step++)
            is_above = is_above || load_of(table, step, link) > limit;
        n += is_above;
    }
    return n;
}

/* Limits are set so that some links pass; `keep` findings are listed, the worst of them. */
static void check_scene(const char *algorithm, const char *topology, uint32_t per_machine,
                        uint32_t keep)
{
    struct test_scene scene;
    const struct scene_spec spec = {.algorithm = algorithm, .topology = topology,
                                    .ranks_per_machine = per_machine, .placement = "block"};
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    struct table table = make_table(&scene);
    struct diagnostics findings = {.is_joined = true};
    struct verify_report report;
    scene.request.keep_measured = keep;
    scene.request.limits = (struct verify_limits){.max_link_load = limit_of(1),
                                                  .max_total_load = limit_of(2)};
    CU_ASSERT_FATAL(verify_schedule(scene.schedule, &scene.request, &report, &findings));
    uint64_t n = 0;
    const struct diagnostic *before = NULL;
    for (const struct diagnostic *found = findings.first; found; found = found->next) {
        const bool is_total = found->code == CODE_L004;
        CU_ASSERT_FATAL(is_total || found->code == CODE_L001);
        CU_ASSERT(found->counted.value == check_steps(&table, found, is_total ? 0 : 1));
        check_ranks(&table, found);
        const bool is_first = !before || before->code != found->code;
        CU_ASSERT(is_first || found->counted.value <= before->counted.value); /* the worst first */
        before = found;
        n += !is_total;
    }
    CU_ASSERT(findings.n_of_code[CODE_L001] == count_links_above(&table, 1));
    CU_ASSERT(n == (keep && keep < findings.n_of_code[CODE_L001] ? keep
                                                                 : findings.n_of_code[CODE_L001]));
    CU_ASSERT(findings.n_of_code[CODE_L001] > 0 && findings.n_of_code[CODE_L004] > 0);
    verify_report_free(&report);
    diagnostics_free(&findings);
    free(table.load);
    free(table.hops);
    scene_close(&scene);
}

static void test_links(void)
{
    check_scene("alltoall/ring", "star:6", 3, 0);
    check_scene("alltoall/linear", "star:5", 2, 0);
    check_scene("alltoall/ring", "fattree:4x2x4", 2, 0);
    check_scene("alltoall/bruck", "torus:4x4", 1, 0);
    check_scene("alltoall/pairwise", "fattree:2x4x4", 2, 0);
    check_scene("alltoall/linear", "mesh:4x4", 1, 0);
}

static void test_kept(void)
{
    check_scene("alltoall/ring", "star:6", 3, 4);
    check_scene("alltoall/ring", "fattree:4x2x4", 2, 1);
}

UNIT_PROGRAM(test_excess)
{
    CU_TestInfo tests[] = {{"links above their limit", test_links},
                           {"the worst of them", test_kept},
                           CU_TEST_INFO_NULL};
    return run_suite("excess", tests);
}
