/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fan-in, fan-out and head-of-line blocking by port on random networks whose machines have several cables,
 * with and without forwarding tables: the verifier beside the reference (reference_measure.c), which finds
 * the ports by searching all links.
 */
#include "network/host_ports.h"
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

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
    uint64_t n_wrong, n_blocked, n_by_port; /* n_by_port: ports matter, as hosts have more senders than ports */
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
    printf("\n  | ports of hosts: %d networks twice, %llu with blocking, %llu with several ports, %llu wrong\n",
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

int main(void)
{
    CU_TestInfo tests[] = {{"ports are the cables of a machine", test_numbers},
                           {"random rails against the reference", test_random_rails},
                           CU_TEST_INFO_NULL};
    return run_suite("host_ports", tests);
}
