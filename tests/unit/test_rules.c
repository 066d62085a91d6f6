/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every rule of the verifier on the cases of tests/golden/rules: the rules that
 * fire are those of the expected output, what nearly fires does not, and the reference
 * (agree.h) is of the same opinion. Each rule that the reference knows has at least one schedule
 * of both sorts.
 */
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/rule_cases.h"

#include "base/codes.h"
#include "network/graph.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <string.h>

struct count {
    uint32_t code; /* of the folder */
    unsigned n_fires, n_near;
};

static void check_case(const struct rule_case *rule_case, void *context)
{
    struct count *count = context;
    struct reference engine;
    CU_ASSERT_FATAL(engine_verify(rule_case->schedule, &rule_case->request, &engine));
    bool is_same = rule_case_fits(rule_case, &engine);
    CU_ASSERT(is_same);
    if (!is_same) {
        struct text text = {0};
        print_findings(&engine, &text);
        fprintf(stderr, "%s: not as in its .out:\n%s", rule_case->name,
                text.data ? text.data : "clean\n");
        text_free(&text);
    }
    CU_ASSERT(agree(rule_case->schedule, &rule_case->request, rule_case->name));
    const bool is_fired = has_code(&engine, count->code);
    count->n_fires += !strncmp(rule_case->name, "fires-", strlen("fires-")) && is_fired;
    count->n_near += !strncmp(rule_case->name, "near-", strlen("near-")) && !is_fired;
    engine_free(&engine);
}

/* A rule that the reference does not know is said, so that nobody forgets it. */
static void test_rule_cases(void)
{
    for (uint32_t code = 0; code < n_codes; code++) {
        struct count count = {.code = code};
        if (!code_table[code].is_rule)
            continue;
        CU_ASSERT(rule_cases(code_table[code].id, check_case, &count));
        if (!reference_knows(code))
            printf("\n    %s is not known to the reference", code_table[code].id);
        CU_ASSERT(count.n_fires > 0 || !reference_knows(code));
        CU_ASSERT(count.n_near > 0 || !reference_knows(code));
    }
}

/* Two switches that only a machine joins; machines forward nothing. */
static struct topology *two_islands(void)
{
    static const char *const machines[] = {"gateway", "red", "blue"};
    static const char *const routers[] = {"leaf0", "leaf1"};
    static const char *const cables[][2] = {
        {"gateway", "leaf0"}, {"red", "leaf0"}, {"gateway", "leaf1"}, {"blue", "leaf1"}};
    const struct topology_settings settings = {.name = "islands",
                                               .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct graph *graph = graph_new();
    for (size_t i = 0; i < 3; i++)
        graph_add_node(graph, false, machines[i], strlen(machines[i]));
    for (size_t i = 0; i < 2; i++)
        graph_add_node(graph, true, routers[i], strlen(routers[i]));
    for (size_t i = 0; i < 4; i++)
        graph_add_cable(graph, graph_find(graph, cables[i][0], strlen(cables[i][0])),
                        graph_find(graph, cables[i][1], strlen(cables[i][1])),
                        TOPOLOGY_DEFAULT_BANDWIDTH, TOPOLOGY_DEFAULT_LATENCY);
    graph_seal(graph);
    return topology_new_graph(&settings, graph);
}

/* A broadcast from rank 0 over rank 1 to rank 2, on machines that `chain` names. */
static void verify_chain(const struct topology *topology, const uint32_t chain[3],
                         struct reference *engine)
{
    struct oplist list = {.header = {.collective = COLLECTIVE_bcast, .algorithm = "chain",
                                     .n_ranks = 3, .segments = 1}};
    struct placement *placement = placement_of_machines(chain, 3, "chain");
    struct verify_request request = {.topology = topology, .placement = placement};
    for (uint32_t rank = 0; rank < 2; rank++) {
        oplist_append(&list, rank, (struct op){.rank = rank, .peer = rank + 1, .n_chunks = 1,
                                               .kind = OP_SEND, .buffer = BUFFER_BUF});
        oplist_append(&list, rank, (struct op){.rank = rank + 1, .peer = rank, .n_chunks = 1,
                                               .kind = OP_RECV, .buffer = BUFFER_BUF});
    }
    struct schedule *schedule = oplist_schedule(&list);
    CU_ASSERT_FATAL(engine_verify(schedule, &request, engine));
    CU_ASSERT(agree(schedule, &request, "chain over islands"));
    schedule->destroy(schedule);
    placement_free(placement);
    oplist_free(&list);
}

static void test_no_route(void)
{
    struct topology *topology = two_islands();
    struct reference engine;
    verify_chain(topology, (const uint32_t[]){0, 1, 2}, &engine); /* red cannot reach blue */
    CU_ASSERT(engine.n_findings == 1 && has_code(&engine, CODE_L002));
    CU_ASSERT(engine.findings[0].step == 1 && !engine.report.is_complete);
    engine_free(&engine);
    verify_chain(topology, (const uint32_t[]){1, 0, 2}, &engine); /* the gateway reaches both */
    CU_ASSERT(engine.n_findings == 0);
    engine_free(&engine);
    topology_free(topology);
}

UNIT_PROGRAM(test_rules)
{
    CU_TestInfo tests[] = {{"rule cases", test_rule_cases},
                           {"no route", test_no_route},
                           CU_TEST_INFO_NULL};
    return run_suite("rules", tests);
}
