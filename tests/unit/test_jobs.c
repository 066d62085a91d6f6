/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares several jobs on a network (study/project/jobs.c) with the same found in the plainest way: a table
 * of all steps by all links for each job, every message routed by itself.
 */
#include "study/project/cell.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_LINKS = 200 };

/* Messages on each link in each step that has any. */
struct table {
    uint32_t load[MAX_STEPS][MAX_LINKS];
    uint32_t n_steps;
};

static void fill(const struct job_run *run, struct table *table)
{
    const struct topology *topology = run->making.scene.topology;
    struct schedule *schedule = run->making.scene.schedule;
    struct hop hops[64];
    struct step step;
    memset(table, 0, sizeof *table);
    CU_ASSERT_FATAL(topology->n_link_ids <= MAX_LINKS && topology->max_hops <= 64);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        bool has_any = false;
        for (size_t i = 0; i < step.n_sends; i++) {
            const uint32_t *machine = run->making.scene.placement->machine;
            const uint32_t from = machine[step.sends[i].rank], to = machine[step.sends[i].peer];
            has_any |= from != to;
            for (uint32_t n = from == to ? 0 : topology_route(topology, from, to, hops); n > 0; n--)
                table->load[table->n_steps][hops[n - 1].link]++;
        }
        table->n_steps += has_any;
        CU_ASSERT_FATAL(table->n_steps < MAX_STEPS);
    }
}

/* The sum over steps of the largest load, with what the other puts there at most or on average. */
static void slow_down(const struct table *table, const struct table *other, double *worst, double *mean)
{
    double alone = 0, with_worst = 0, with_mean = 0;
    for (uint32_t step = 0; step < table->n_steps; step++) {
        double most[3] = {0, 0, 0};
        for (uint32_t link = 0; link < MAX_LINKS; link++) {
            double peak = 0, sum = 0;
            const double load = table->load[step][link];
            for (uint32_t k = 0; k < other->n_steps; k++) {
                peak = fmax(peak, other->load[k][link]);
                sum += other->load[k][link];
            }
            if (!(load > 0))
                continue;
            most[0] = fmax(most[0], load);
            most[1] = fmax(most[1], load + peak);
            most[2] = fmax(most[2], load + sum / other->n_steps);
        }
        alone += most[0];
        with_worst += most[1];
        with_mean += most[2];
    }
    *worst = with_worst / alone;
    *mean = with_mean / alone;
}

static uint64_t peak_of(const struct table *table, uint32_t link)
{
    uint64_t peak = 0;
    for (uint32_t step = 0; step < table->n_steps; step++)
        peak = table->load[step][link] > peak ? table->load[step][link] : peak;
    return peak;
}

static void check_pair(const struct jobs *jobs)
{
    struct table *tables = mem_alloc(2, sizeof *tables);
    uint32_t n_shared = 0;
    for (size_t i = 0; i < 2; i++)
        fill(&jobs->runs[i], &tables[i]);
    for (size_t i = 0; i < 2; i++) {
        double worst, mean;
        const struct disturbance *found = &jobs->by[i * 2 + 1 - i];
        slow_down(&tables[i], &tables[1 - i], &worst, &mean);
        CU_ASSERT(fabs(found->worst - worst) < 1e-9 && fabs(found->mean - mean) < 1e-9);
        CU_ASSERT(fabs(jobs->by_all[i].worst - worst) < 1e-9);
        CU_ASSERT(jobs->by[i * 2 + i].n_links == 0);
        CU_ASSERT(found->worst >= found->mean && found->mean >= 1);
    }
    for (uint32_t link = 0; link < MAX_LINKS; link++)
        n_shared += peak_of(&tables[0], link) && peak_of(&tables[1], link);
    CU_ASSERT(jobs->n_links == n_shared);
    CU_ASSERT(jobs->by[1].n_links == n_shared && jobs->by[2].n_links == n_shared);
    for (size_t i = 0; i < jobs->n_links; i++) {
        const struct shared_link *link = &jobs->links[i];
        CU_ASSERT(link->peak == peak_of(&tables[0], link->link) + peak_of(&tables[1], link->link));
        CU_ASSERT(!i || link->peak <= link[-1].peak);
    }
    free(tables);
}

/* Runs the jobs of a project; how many links they share. */
static size_t check(const char *text, double limit, size_t n_findings)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0}, findings = {0};
    struct project project;
    struct jobs jobs;
    struct topology *of_jobs[2];
    const struct source *source = source_of_text("collc.yaml", text, strlen(text), &arena);
    CU_ASSERT_FATAL(project_read(source, &project, &arena, &diagnostics));
    CU_ASSERT_FATAL(project_find_schedules(&project, &arena, &diagnostics));
    CU_ASSERT(project_n_cells(&project) == 1 && project.n_jobs == 2);
    const struct project_cell cell = project_cell(&project, 0);
    CU_ASSERT(cell.is_of_jobs);
    struct topology *whole = cell_open_network(cell.network, &diagnostics);
    for (size_t i = 0; i < 2; i++) {
        struct project_network network;
        (void)project_job_cell(&project, &project.jobs[i], &network);
        of_jobs[i] = cell_open_network(&network, &diagnostics);
        CU_ASSERT_FATAL(of_jobs[i] != NULL);
    }
    CU_ASSERT(jobs_run(&jobs, &project, &cell, whole, of_jobs, 0, &findings));
    check_pair(&jobs);
    const struct verify_limits limits = {.max_link_load = limit_of(limit)};
    jobs_judge(&jobs, &limits, 0, &findings);
    size_t n = 0;
    for (const struct diagnostic *d = findings.first; d; d = d->next)
        n += strcmp(code_table[d->code].id, "F003") == 0;
    CU_ASSERT(n == n_findings);
    const size_t n_links = jobs.n_links;
    jobs_free(&jobs);
    for (size_t i = 0; i < 2; i++)
        topology_free(of_jobs[i]);
    topology_free(whole);
    project_free(&project);
    diagnostics_free(&diagnostics);
    diagnostics_free(&findings);
    arena_free(&arena);
    return n_links;
}

/* Four leaves of four machines, two ways up from each. */
#define TREE "networks: 'fattree:4x4,up=1x2'\njobs:\n"

static void test_tree(void)
{
    const size_t packed = check(TREE "  - {schedule: alltoall/ring, machines: 'm[0-7]'}\n"
                                     "  - {schedule: alltoall/ring, machines: 'm[8-15]'}\n", 100, 0);
    const size_t mixed = check(TREE "  - {schedule: alltoall/ring, machines: 'm0,m1,m4,m5,m8,m9,m12,m13'}\n"
                                    "  - {schedule: allreduce/ring, machines: 'm2,m3,m6,m7,m10,m11,m14,m15'}\n",
                               100, 0);
    CU_ASSERT(packed == 0 && mixed > 0);
    (void)check(TREE "  - {name: a, schedule: alltoall/bruck, machines: 'm[0-15]', order: switch}\n"
                     "  - {name: b, schedule: bcast/binomial, machines: 'm[0-15]', ranks: 12}\n", 1e9, 0);
}

static void test_torus(void)
{
    (void)check("networks: torus:4x4\njobs:\n"
                "  - {schedule: alltoall/ring, machines: '(0-1,0-3)'}\n"
                "  - {schedule: allgather/ring, machines: '(2-3,0-3)'}\n", 1e9, 0);
    (void)check("networks: torus:4x4\njobs:\n"
                "  - {schedule: alltoall/linear, ranks: 16}\n"
                "  - {schedule: reduce/binomial, ranks-per-machine: 2}\n", 1e9, 0);
}

/* On a star two ranks of each job on each machine: each puts 2 on a cable, both 4. */
static void test_limit(void)
{
    static const char text[] = "networks: star:3\njobs:\n"
                               "  - {schedule: alltoall/linear, ranks-per-machine: 1}\n"
                               "  - {schedule: alltoall/linear, ranks-per-machine: 1}\n";
    CU_ASSERT(check(text, 4, 0) == 6);
    CU_ASSERT(check(text, 3, 6) == 6);
    CU_ASSERT(check(text, 1, 0) == 6); /* each is above it alone */
}

UNIT_PROGRAM(test_jobs)
{
    CU_TestInfo tests[] = {{"a tree", test_tree}, {"a torus", test_torus}, {"a limit", test_limit},
                           CU_TEST_INFO_NULL};
    return run_suite("jobs", tests);
}
