/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fan-in, fan-out and head-of-line blocking by port on random networks whose machines have several cables,
 * with and without forwarding tables: the verifier beside the reference (reference_measure.c), which finds
 * the ports by searching all links.
 */
#include "network/adapters.h"
#include "network/host_ports.h"
#include "network/rail_order.h"
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

/* ---- rails by switches ---- */

enum { MAX_RAILS = 8, MAX_HOSTS = 64 };

/* A fabric of rails: a leaf for each group and rail, spines of each rail or of all, cables in any order. */
struct rail_fabric_wish {
    uint32_t hosts, rails, groups, spines; /* hosts of a group */
    bool has_planes;
    uint8_t name[MAX_HOSTS][MAX_RAILS]; /* [host][rail] number of the adapter's name */
    uint32_t lacking[MAX_HOSTS];        /* a rail on which the host has no cable; MAX_RAILS: it has all */
};

/* Draws a fabric, in whose groups most hosts have the names of their rails, and one may lack a cable. */
static struct rail_fabric_wish random_fabric(void)
{
    struct rail_fabric_wish wish = {.hosts = 3 + random_number_below(6),
                                    .rails = 2 + random_number_below(7),
                                    .groups = 1 + random_number_below(4),
                                    .spines = 1 + random_number_below(3),
                                    .has_planes = random_number_below(2)};
    for (uint32_t host = 0; host < wish.hosts * wish.groups; host++) {
        const uint32_t in_group = host % wish.hosts;
        const bool is_permuted = 2 * in_group + 2 < wish.hosts && random_number_below(2);
        const bool is_lacking = in_group + 1 == wish.hosts && wish.hosts > 4 && random_number_below(2);
        wish.lacking[host] = is_lacking ? random_number_below(wish.rails) : MAX_RAILS;
        for (uint32_t i = 0; i < wish.rails; i++) {
            const uint32_t at = is_permuted ? random_number_below(i + 1) : i;
            wish.name[host][i] = wish.name[host][at];
            wish.name[host][at] = (uint8_t)i;
        }
    }
    return wish;
}

static void add_rail_nodes(struct graph *graph, const struct rail_fabric_wish *wish)
{
    const uint32_t n_hosts = wish->hosts * wish->groups, n_leaves = wish->groups * wish->rails;
    for (uint32_t node = 0; node < n_hosts + n_leaves + wish->spines * wish->rails; node++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "n%u", node);
        graph_add_node(graph, node >= n_hosts, name, (size_t)length);
    }
}

/* Makes it, with adapters named by their rails or by the wish. */
static struct topology *fabric_of(const struct rail_fabric_wish *wish, bool is_by_wish)
{
    const uint32_t n_hosts = wish->hosts * wish->groups, first_spine = n_hosts + wish->groups * wish->rails;
    struct graph *graph = graph_new();
    uint8_t names[MAX_HOSTS * MAX_RAILS];
    uint32_t n = 0;
    add_rail_nodes(graph, wish);
    for (uint32_t i = 0; i < n_hosts * wish->rails; i++) {
        const uint32_t host = i * 7 % n_hosts, rail = (i / n_hosts + host) % wish->rails;
        if (wish->lacking[host] == rail)
            continue;
        graph_add_cable(graph, host, n_hosts + host / wish->hosts * wish->rails + rail, 1000, 0);
        names[n++] = is_by_wish ? wish->name[host][rail] : (uint8_t)rail;
    }
    for (uint32_t i = 0; i < wish->groups * wish->rails * wish->spines; i++) {
        const uint32_t leaf = i / wish->spines, plane = wish->has_planes ? leaf % wish->rails : 0;
        const uint32_t spine = first_spine + plane * wish->spines + i % wish->spines;
        graph_add_cable(graph, n_hosts + leaf, spine, 1000, 0);
    }
    for (uint32_t cable = 0; cable < n; cable++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "mlx5_%u", names[cable]);
        graph_name_adapter(graph, 2 * cable, name, (size_t)length);
    }
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
}

/* Returns 1 if the hosts that are listed as out of order are not those whose names are not of their rails. */
static uint32_t has_wrong_disorders(const struct topology *topology, const struct rail_fabric_wish *wish,
                                    uint32_t *n_listed)
{
    uint32_t *rail = rail_order_find(topology), n_wrong = rail == NULL;
    struct rail_disorders disorders = rail_disorders_find(topology, rail);
    bool is_listed[MAX_HOSTS] = {false};
    for (size_t i = 0; i < disorders.n; i++)
        for (uint32_t k = 0; k < disorders.items[i].n_machines; k++)
            is_listed[disorders.items[i].machines[k]] = true;
    for (uint32_t host = 0; host < topology->n_machines; host++) {
        bool is_other = false;
        for (uint32_t i = 0; i < wish->rails; i++)
            is_other |= wish->name[host][i] != i;
        n_wrong += is_other != is_listed[host];
        *n_listed += is_listed[host];
    }
    rail_disorders_free(&disorders);
    free(rail);
    return n_wrong;
}

/* Numbers rails of a fabric by switches where some hosts have other names: they are those of the fabric in
 * order by its names. */
static void test_switches(void)
{
    uint32_t n_wrong = 0, n_listed = 0, n_by_names = 0;
    random_network_seed(43);
    for (int i = 0; i < 300; i++) {
        struct diagnostics diagnostics = {0};
        struct rail_fabric_wish wish = random_fabric();
        while (wish.hosts * wish.groups % 7 == 0)
            wish = random_fabric();
        struct topology *right = fabric_of(&wish, false), *named = fabric_of(&wish, true);
        n_wrong += has_wrong_disorders(named, &wish, &n_listed);
        for (uint32_t link = 0; link < right->n_link_ids; link++)
            n_by_names += right->host_ports->out[link] != named->host_ports->out[link];
        named = topology_choose_adapters(named, "rails-by-switch", &diagnostics);
        CU_ASSERT_FATAL(named != NULL);
        for (uint32_t link = 0; link < right->n_link_ids; link++)
            n_wrong += right->host_ports->out[link] != named->host_ports->out[link] ||
                       right->host_ports->in[link] != named->host_ports->in[link];
        topology_free(right);
        topology_free(named);
        diagnostics_free(&diagnostics);
    }
    printf("\n  | rails by switches: %u hosts out of order, %u cables of other rails by names, %u wrong\n",
           n_listed, n_by_names, n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_listed > 200 && n_by_names > 800);
}

/* On any network rails by switches are refused, or each switch has one, and each cable of a host another. */
static void test_any_switches(void)
{
    uint32_t n_wrong = 0, n_refused = 0, n_taken = 0;
    random_network_seed(44);
    for (int i = 0; i < 400; i++) {
        struct diagnostics diagnostics = {0};
        struct graph *graph = random_rails();
        uint32_t of_switch[64];
        memset(of_switch, 0xff, sizeof of_switch);
        number_ports(graph);
        if (i % 2)
            name_adapters(graph);
        struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
        const bool has_ports = topology->host_ports;
        topology = topology_choose_adapters(topology, "rails-by-switch", &diagnostics);
        n_refused += has_ports && !topology;
        n_taken += topology != NULL;
        for (uint32_t host = 0; topology && host < topology->n_machines; host++) {
            uint32_t met = 0;
            graph = topology_as_graph(topology);
            for (uint32_t k = graph->first[host]; k < graph->first[host + 1]; k++) {
                const uint32_t rail = topology->host_ports->out[graph->out[k]];
                uint32_t *of = &of_switch[graph_link_to(graph, graph->out[k])];
                n_wrong += met >> rail & 1 || (*of != GRAPH_NONE && *of != rail);
                met |= 1U << rail;
                *of = rail;
            }
        }
        if (topology)
            topology_free(topology);
        diagnostics_free(&diagnostics);
    }
    printf("\n  | rails of any network by switches: %u taken, %u refused, %u wrong\n", n_taken, n_refused,
           n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_taken > 50 && n_refused > 50);
}

UNIT_PROGRAM(test_host_ports)
{
    CU_TestInfo tests[] = {{"ports are the cables of a machine", test_numbers},
                           {"random rails against the reference", test_random_rails},
                           {"chosen adapters", test_chosen},
                           {"rails", test_rails},
                           {"rails by switches", test_switches},
                           {"rails of any network by switches", test_any_switches},
                           CU_TEST_INFO_NULL};
    return run_suite("host_ports", tests);
}
