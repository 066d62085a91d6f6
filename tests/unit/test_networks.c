/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies of several networks against the members they are made of: random
 * memberships, every pair asked by brute force; and the networks that a schedule
 * carries.
 */
#include "network/formats/formats.h"
#include "network/networks.h"
#include "ir/schedule.h"
#include "tests/unit/suite.h"
#include "network/full.h"
#include "network/grid.h"
#include "network/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MACHINES = 24, MAX_HOPS = 16 };

/* xorshift: the cases are the same in every run. */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

/* The input: bit n of member[m] says that machine m is on network n. */
struct made {
    uint32_t n_machines, n_networks; /* memory included */
    uint32_t member[MAX_MACHINES];
    uint64_t bandwidth[NETWORKS_MAX];
    struct topology *topology;
};

static struct network_member make_member(const struct made *made, uint32_t network)
{
    static const char *const labels[] = {"SH", "A", "B", "C", "D", "E", "F", "G", "H",
                                         "I",  "J", "K", "L", "M", "N", "O", "P"};
    struct network_member member = {
        .network = {.name = "net", .label = labels[network],
                    .bandwidth = made->bandwidth[network]}};
    const char *problem;
    uint32_t n = 0;
    if (network == NETWORK_MEMORY)
        return member;
    member.machine = mem_alloc(MAX_MACHINES, sizeof *member.machine);
    for (uint32_t machine = made->n_machines; machine-- > 0;) /* not in their order */
        if (made->member[machine] >> network & 1)
            member.machine[n++] = machine;
    struct topology_settings settings = {.bandwidth = made->bandwidth[network]};
    member.topology = network % 3 == 0   ? topology_new_full(&settings, n, &problem)
                      : network % 3 == 1 ? topology_new_tree(&settings, 1, &n, &(uint32_t){1},
                                                             NULL, &problem)
                                         : topology_new_grid(&settings, 1, &n, &(bool){true},
                                                             &problem);
    return member;
}

static struct made make(uint64_t *state)
{
    struct made made = {.n_machines = 2 + next_random(state) % (MAX_MACHINES - 2),
                        .n_networks = 2 + next_random(state) % (NETWORKS_MAX - 1)};
    struct network_member members[NETWORKS_MAX];
    struct graph *names = graph_new();
    const char *problem;
    for (uint32_t machine = 0; machine < made.n_machines; machine++) {
        char name[] = {'h', (char)('a' + machine), '\0'};
        graph_add_node(names, false, name, 2);
        made.member[machine] = next_random(state) & next_random(state);
        made.member[machine] |= UINT32_C(2) << next_random(state) % (made.n_networks - 1);
    }
    for (uint32_t network = 1; network < made.n_networks; network++)
        made.member[network % made.n_machines] |= UINT32_C(1) << network; /* none is empty */
    for (uint32_t network = 0; network < made.n_networks; network++) {
        made.bandwidth[network] = 1000 * (1 + next_random(state) % 4); /* ties are common */
        members[network] = make_member(&made, network);
    }
    made.topology = topology_new_composite(&(struct topology_settings){.name = "made"}, names,
                                           members, made.n_networks, &problem);
    return made;
}

static uint32_t fastest_common(const struct made *made, uint32_t a, uint32_t b)
{
    uint32_t best = NO_NETWORK;
    if (a == b)
        return NETWORK_MEMORY;
    for (uint32_t i = 1; i < made->n_networks; i++)
        if ((made->member[a] & made->member[b]) >> i & 1 &&
            (best == NO_NETWORK || made->bandwidth[i] > made->bandwidth[best]))
            best = i;
    return best;
}

/* True if the hops lead from a to b on links of one network. */
static bool joins(const struct made *made, const struct hop *hops, uint32_t n, uint32_t a,
                  uint32_t b, uint32_t network)
{
    uint32_t at = a, from, to;
    for (uint32_t i = 0; i < n; i++) {
        topology_link_ends(made->topology, hops[i].link, &from, &to);
        if (from != at || !topology_has_link(made->topology, hops[i].link) ||
            topology_link_network(made->topology, hops[i].link) != network ||
            topology_link_bandwidth(made->topology, hops[i].link) != made->bandwidth[network])
            return false;
        at = to;
    }
    return n && at == b;
}

static bool check_pair(const struct made *made, uint32_t a, uint32_t b, uint64_t *n_apart)
{
    struct hop hops[MAX_HOPS];
    uint32_t best = fastest_common(made, a, b);
    bool good = topology_network(made->topology, a, b) == best;
    uint32_t n = topology_route(made->topology, a, b, hops);
    *n_apart += best == NO_NETWORK;
    if (a == b || best == NO_NETWORK)
        good &= n == 0;
    else
        good &= joins(made, hops, n, a, b, best);
    for (uint32_t i = 1; i < made->n_networks; i++) {
        bool is_common = (made->member[a] & made->member[b]) >> i & 1;
        good &= topology_is_joined(made->topology, i, a, b) == is_common;
        n = topology_route_over(made->topology, i, a, b, hops);
        good &= is_common && a != b ? joins(made, hops, n, a, b, i) : n == 0;
    }
    return good;
}

static void test_pairs(void)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t n_apart_in_all = 0;
    for (int round = 0; round < 200; round++) {
        struct made made = make(&state);
        uint64_t n_apart = 0;
        bool good = made.topology && made.topology->max_hops <= MAX_HOPS;
        for (uint32_t a = 0; good && a < made.n_machines; a++)
            for (uint32_t b = 0; b < made.n_machines; b++)
                good &= check_pair(&made, a, b, &n_apart);
        CU_ASSERT(good);
        CU_ASSERT(topology_pairs_apart(made.topology) == n_apart);
        n_apart_in_all += n_apart;
        topology_free(made.topology);
    }
    CU_ASSERT(n_apart_in_all > 0); /* the case occurs */
}

/* Every link id is in one member; routers are told apart by the label. */
static void test_links_and_names(void)
{
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d);
    for (int round = 0; round < 50; round++) {
        struct made made = make(&state);
        uint32_t n_links = 0, from, to;
        char name[64], again[64];
        for (uint32_t link = 0; link < made.topology->n_link_ids; link++) {
            if (!topology_has_link(made.topology, link))
                continue;
            n_links++;
            topology_link_ends(made.topology, link, &from, &to);
            CU_ASSERT(from < made.topology->n_nodes && to < made.topology->n_nodes);
        }
        CU_ASSERT(n_links == made.topology->n_links);
        for (uint32_t node = made.n_machines; node + 1 < made.topology->n_nodes; node++) {
            topology_node_name(made.topology, node, name, sizeof name);
            topology_node_name(made.topology, node + 1, again, sizeof again);
            CU_ASSERT(strcmp(name, again) != 0 && strchr(name, ':'));
        }
        CU_ASSERT(topology_find_machine(made.topology, "hb", 2) == 1);
        CU_ASSERT(topology_find_machine(made.topology, "sw0", 3) == made.n_machines);
        topology_free(made.topology);
    }
}

/* One network: everything is as without. */
static void test_one_network(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("star:4", &diagnostics);
    struct hop hops[2];
    uint8_t network[256];
    struct schedule_header header = {0};
    CU_ASSERT(topology_n_networks(topology) == 1 && topology_network(topology, 1, 3) == 0);
    CU_ASSERT(topology_route_over(topology, 0, 1, 3, hops) == 2);
    CU_ASSERT(topology_find_network(topology, "SH") == NO_NETWORK);
    CU_ASSERT(topology_pairs_apart(topology) == 0);
    CU_ASSERT(!schedule_networks(&header, topology, network));
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_labels(void)
{
    CU_ASSERT(network_is_label("FE") && network_is_label("ib_0") && network_is_label("ABCDEFGH"));
    CU_ASSERT(!network_is_label("") && !network_is_label("ABCDEFGHI") && !network_is_label("0A"));
    CU_ASSERT(!network_is_label("_A") && !network_is_label("F-E") && !network_is_label("F E"));
}

UNIT_PROGRAM(test_networks)
{
    CU_TestInfo tests[] = {{"every pair of random networks", test_pairs},
                           {"links and names", test_links_and_names},
                           {"one network", test_one_network},
                           {"labels", test_labels},
                           CU_TEST_INFO_NULL};
    return run_suite("networks", tests);
}
