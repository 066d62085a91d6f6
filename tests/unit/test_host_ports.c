/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fan-in, fan-out and head-of-line blocking by port on random networks whose machines have several cables,
 * with and without forwarding tables: the verifier beside the reference (reference_measure.c), which finds
 * the ports by searching all links.
 */
#include "network/adapters.h"
#include "network/host_ports.h"
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEST_RANKS = 24, MAX_TEST_STEPS = 4 };

/* Appends matched messages of random ranks in random steps. */
static void add_messages(struct oplist *list, uint32_t n_ranks)
{
    for (uint64_t step = 0; step < MAX_TEST_STEPS; step++)
        for (uint32_t n = random_number_below(3 * n_ranks); n > 0; n--) {
            const uint32_t from = random_number_below(n_ranks), to = random_number_below(n_ranks);
            const struct op send = {.rank = from, .peer = to, .n_chunks = 1 + random_number_below(2),
                                    .kind = OP_SEND, .buffer = BUFFER_TMP};
            struct op receive = send;
            receive.rank = to;
            receive.peer = from;
            receive.kind = OP_RECV;
            oplist_append(list, step, send);
            oplist_append(list, step, receive);
        }
}

static struct placement *random_placement(uint32_t n_machines)
{
    uint32_t machine[MAX_TEST_RANKS];
    const uint32_t n_ranks = 2 + random_number_below(MAX_TEST_RANKS - 1);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = random_number_below(n_machines);
    return placement_of_machines(machine, n_ranks, "random");
}

struct tally {
    uint64_t n_wrong, n_blocked;
    uint64_t n_by_port; /* ports matter: a host has more senders than one port has */
};

static void compare(const struct topology *topology, struct tally *tally)
{
    struct placement *placement = random_placement(topology->n_machines);
    struct oplist list = {.header = {.collective = COLLECTIVE_allgather, .algorithm = "random",
                                     .n_ranks = placement->n_ranks, .segments = 1, .n_tmp = 4}};
    const struct verify_request request = {.topology = topology,
                                           .placement = placement,
                                           .drift = 1 + random_number_below(2)};
    add_messages(&list, placement->n_ranks);
    struct schedule *schedule = oplist_schedule(&list);
    struct reference engine;
    CU_ASSERT_FATAL(engine_verify(schedule, &request, &engine));
    tally->n_wrong += !agree(schedule, &request, "random rails");
    tally->n_blocked += engine.report.hol_steps > 0;
    tally->n_by_port += topology->host_ports && engine.report.max_fan_in < engine.report.max_received;
    engine_free(&engine);
    schedule->destroy(schedule);
    oplist_free(&list);
    placement_free(placement);
}

static void test_random_rails(void)
{
    enum { N_NETWORKS_TRIED = 400 };
    struct tally tally = {0};
    random_network_seed(38);
    for (int i = 0; i < N_NETWORKS_TRIED; i++) {
        struct graph *graph = random_rails();
        number_ports(graph);
        struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
        compare(topology, &tally);
        topology_set_forwarding(topology, random_tables(graph, 1000000));
        compare(topology, &tally);
        topology_free(topology);
    }
    printf("\n  | ports: %d networks twice, %llu with blocking, %llu with several ports, %llu wrong\n",
           N_NETWORKS_TRIED, (unsigned long long)tally.n_blocked, (unsigned long long)tally.n_by_port,
           (unsigned long long)tally.n_wrong);
    CU_ASSERT_EQUAL(tally.n_wrong, 0);
    CU_ASSERT(tally.n_blocked > N_NETWORKS_TRIED / 2 && tally.n_by_port > N_NETWORKS_TRIED);
}

/* A port is a cable, on which side of it a machine stands: numbers by the order of links. */
static void test_numbers(void)
{
    struct graph *graph = graph_new();
    graph_add_node(graph, false, "a", 1);
    graph_add_node(graph, false, "b", 1);
    graph_add_node(graph, true, "s", 1);
    graph_add_node(graph, true, "t", 1);
    graph_add_cable(graph, 0, 2, 1000, 0); /* links 0, 1: a - s */
    graph_add_cable(graph, 3, 0, 1000, 0); /* links 2, 3: t - a */
    graph_add_cable(graph, 1, 3, 1000, 0); /* links 4, 5: b - t */
    graph_seal(graph);
    struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "two"}, graph);
    CU_ASSERT_FATAL(topology->host_ports != NULL);
    CU_ASSERT_EQUAL(topology_n_host_ports(topology), 2);
    CU_ASSERT_EQUAL(topology->host_ports->out[0], 0);
    CU_ASSERT_EQUAL(topology->host_ports->in[1], 0);
    CU_ASSERT_EQUAL(topology->host_ports->in[2], 1);
    CU_ASSERT_EQUAL(topology->host_ports->out[3], 1);
    CU_ASSERT_EQUAL(topology->host_ports->out[4], 0);
    CU_ASSERT_EQUAL(host_ports_link(topology, 0, 1, true), 2);
    CU_ASSERT_EQUAL(host_ports_link(topology, 0, 1, false), 3);
    CU_ASSERT_EQUAL(host_ports_link(topology, 1, 1, true), NO_NEXT_LINK);
    topology_free(topology);
}

/* ---- chosen adapters ---- */

/* Names the adapters of each host "mlx5_0", "mlx5_1" ... in the order of its links. */
static void name_adapters(struct graph *graph)
{
    for (uint32_t host = 0; host < graph->n_machines; host++)
        for (uint32_t i = graph->first[host]; i < graph->first[host + 1]; i++) {
            char name[16];
            const int length = snprintf(name, sizeof name, "mlx5_%u", i - graph->first[host]);
            graph_name_adapter(graph, graph->out[i], name, (size_t)length);
        }
}

/* Lists the cables of hosts whose adapter has its bit in `mask`, "m3 mlx5_1 s2", in the order of links. */
static void list_cables(const struct topology *topology, uint32_t mask, struct text *out)
{
    const struct graph *graph = topology_as_graph(topology);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const char *name = graph_adapter_name(graph, link);
        if (name && mask >> (name[5] - '0') & 1)
            text_printf(out, "%s %s %s\n", graph_name(graph, graph_link_from(graph, link)), name,
                        graph_name(graph, graph_link_to(graph, link)));
    }
}

static void choose(const char *list, uint32_t mask, struct tally *tally)
{
    struct diagnostics diagnostics = {0};
    struct text expected = {0}, found = {0};
    struct graph *graph = random_rails();
    number_ports(graph);
    name_adapters(graph);
    struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
    list_cables(topology, mask, &expected);
    topology = topology_choose_adapters(topology, list, &diagnostics);
    if (topology) {
        list_cables(topology, UINT32_MAX, &found);
        tally->n_wrong += strcmp(expected.data ? expected.data : "", found.data ? found.data : "") != 0;
        tally->n_wrong += topology_as_graph(topology)->subnet->n_ports != topology->n_machines &&
                          topology->host_ports == NULL;
        tally->n_by_port++;
        topology_free(topology);
    } else {
        tally->n_wrong += !diagnostics_has_errors(&diagnostics);
        tally->n_blocked++;
    }
    text_free(&expected);
    text_free(&found);
    diagnostics_free(&diagnostics);
}

/* Each list keeps the cables that a search by name keeps, in their order; or it is refused. */
static void test_chosen(void)
{
    static const struct {
        const char *list;
        uint32_t mask;
    } lists[] = {{"mlx5_0", 1},         {"mlx5_1,mlx5_0", 3},     {"mlx5_[02]", 5},  {"^mlx5_0", ~1u},
                 {"rail:1-3", 14},      {"NCCL_IB_HCA=mlx5", ~0u}, {"rail:0", 1},     {"mlx5_3", 8},
                 {"^rail:0-1", ~3u},    {"UCX_NET_DEVICES=mlx5_0:1", 1}};
    struct tally tally = {0};
    random_network_seed(39);
    for (size_t i = 0; i < 60 * sizeof lists / sizeof *lists; i++)
        choose(lists[i % 10].list, lists[i % 10].mask, &tally);
    printf("\n  | adapters: %llu networks restricted, %llu refused, %llu wrong\n",
           (unsigned long long)tally.n_by_port, (unsigned long long)tally.n_blocked,
           (unsigned long long)tally.n_wrong);
    CU_ASSERT_EQUAL(tally.n_wrong, 0);
    CU_ASSERT(tally.n_by_port > 200 && tally.n_blocked > 50);
}

/* Rail r has the hosts with more than r cables, and the switches at their cables number r. */
static void test_rails(void)
{
    uint32_t n_wrong = 0, n_rails = 0;
    random_network_seed(40);
    for (int i = 0; i < 300; i++) {
        struct graph *graph = random_rails();
        number_ports(graph);
        name_adapters(graph);
        struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
        uint32_t n;
        struct host_rail *rails = topology_find_rails(topology, &n);
        for (uint32_t r = 0; r < n; r++) {
            bool is_met[64] = {false};
            uint32_t n_hosts = 0, n_switches = 0;
            for (uint32_t host = 0; host < graph->n_machines; host++) {
                if (graph->first[host] + r >= graph->first[host + 1])
                    continue;
                const uint32_t at = graph_link_to(graph, graph->out[graph->first[host] + r]);
                n_hosts++;
                n_switches += !is_met[at];
                is_met[at] = true;
            }
            n_wrong += rails[r].n_hosts != n_hosts || rails[r].n_switches != n_switches ||
                       rails[r].adapter[5] != (char)('0' + r) || rails[r].lowest != 1000;
        }
        n_rails += n;
        n_wrong += (n == 0) != (topology->host_ports == NULL);
        free(rails);
        topology_free(topology);
    }
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_rails > 300);
}

UNIT_PROGRAM(test_host_ports)
{
    CU_TestInfo tests[] = {{"ports are the cables of a machine", test_numbers},
                           {"random rails against the reference", test_random_rails},
                           {"chosen adapters", test_chosen},
                           {"rails", test_rails},
                           CU_TEST_INFO_NULL};
    return run_suite("host_ports", tests);
}
