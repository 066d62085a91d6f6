/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares network/unrouted.c with a naive walk of all pairs: each pair without a route is in
 * one group, no other pair is in any, and a group has one reason. Over random networks, their tables right
 * and wrong, with failed links, and of some of their machines only.
 */
#include "network/parts.h"
#include "network/unrouted.h"

#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"
#include "tests/unit/topology_checks.h"

#include <stdlib.h>
#include <string.h>

struct tally {
    uint32_t n_networks, n_unrouted, n_wrong, n_mutual, n_among, n_cut_off;
    uint64_t n_pairs, n_groups;
};

/* Counts a pair of a group: 1000 where it has a route, or another reason. */
static void mark(const struct unrouted *unrouted, const struct unrouted_group *group, uint32_t source,
                 uint32_t destination, uint32_t *count)
{
    const struct topology *topology = unrouted->hosts.topology;
    struct table_end end = group->end;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    if (source != destination && tables_are_used(topology))
        end = tables_end(topology, source, destination);
    const bool is_right = !topology_route(topology, source, destination, hops) &&
                          end.fate == group->end.fate && end.node == group->end.node;
    if (source != destination)
        count[(size_t)source * topology->n_machines + destination] += is_right ? 1 : 1000;
    free(hops);
}

static void mark_group(const struct unrouted *unrouted, const struct unrouted_group *group, uint32_t *count)
{
    const uint32_t n_hosts = unrouted->hosts.n_hosts;
    uint32_t *sources = unrouted_sources(unrouted, group);
    bool *is_in = mem_alloc(unrouted->hosts.topology->n_machines, sizeof *is_in);
    for (uint32_t d = 0; d < group->n_destinations; d++) {
        is_in[group->destinations[d]] = true;
        for (uint32_t s = 0; s < group->n_sources; s++) {
            mark(unrouted, group, sources[s], group->destinations[d], count);
            if (group->is_mutual && !group->is_all)
                mark(unrouted, group, group->destinations[d], sources[s], count);
        }
    }
    /* One that is cut off reaches nobody: the way back of all but those inside. */
    for (uint32_t d = 0; d < group->n_destinations && group->is_mutual && group->is_all; d++)
        for (uint32_t i = 0; i < n_hosts; i++)
            if (!is_in[unrouted->hosts.hosts[i]])
                mark(unrouted, group, group->destinations[d], unrouted->hosts.hosts[i], count);
    free(sources);
    free(is_in);
}

/* Compares the groups with a walk of the pairs of the hosts, and adds up the figures. */
static void compare(const struct topology *topology, const uint32_t *hosts, uint32_t n_hosts,
                    struct tally *tally)
{
    struct unrouted unrouted = unrouted_find(topology, hosts, n_hosts, NULL);
    const uint32_t n = topology->n_machines;
    uint32_t *count = mem_alloc((size_t)n * n, sizeof *count), n_wrong = 0;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint64_t n_pairs = 0, in_groups = 0;
    for (size_t i = 0; i < unrouted.n_groups; i++) {
        const struct unrouted_group *group = &unrouted.groups[i];
        mark_group(&unrouted, group, count);
        in_groups += group->n_pairs;
        tally->n_mutual += group->is_mutual && !group->is_all;
        tally->n_cut_off += group->is_mutual && group->is_all;
        tally->n_among += group->is_among;
    }
    for (uint32_t i = 0; i < unrouted.hosts.n_hosts; i++)
        for (uint32_t j = 0; j < unrouted.hosts.n_hosts; j++) {
            const uint32_t source = unrouted.hosts.hosts[i], destination = unrouted.hosts.hosts[j];
            const bool is_lost = i != j && !topology_route(topology, source, destination, hops);
            n_wrong += count[(size_t)source * n + destination] != is_lost;
            n_pairs += is_lost;
        }
    n_wrong += n_pairs != unrouted.n_pairs || in_groups != n_pairs;
    tally->n_networks++;
    tally->n_unrouted += n_pairs > 0;
    tally->n_wrong += n_wrong > 0;
    tally->n_pairs += n_pairs;
    tally->n_groups += unrouted.n_groups;
    free(hops);
    free(count);
    unrouted_free(&unrouted);
}

static void compare_some(const struct topology *topology, struct tally *tally)
{
    uint32_t *hosts = mem_alloc(topology->n_machines, sizeof *hosts), n = 0;
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        if (random_number_below(3))
            hosts[n++] = machine;
    compare(topology, NULL, 0, tally);
    if (n)
        compare(topology, hosts, n, tally);
    free(hosts);
}

/* Takes links and machines out of a topology, and compares what is left. */
static void compare_parts(struct topology *topology, struct tally *tally)
{
    uint32_t links[4], machines[2];
    for (uint32_t i = 0; i < 4; i++)
        links[i] = random_number_below(topology->n_link_ids);
    topology = topology_new_faulty(topology, links, 1 + random_number_below(4));
    compare_some(topology, tally);
    machines[0] = random_number_below(topology->n_machines - 1);
    machines[1] = machines[0] + 1 + random_number_below(topology->n_machines - machines[0] - 1);
    topology = topology_new_subset(topology, machines, 2);
    compare(topology, NULL, 0, tally);
    topology_free(topology);
}

static struct topology *random_topology(uint32_t wrong)
{
    struct graph *graph = random_graph();
    struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "random"}, graph);
    if (wrong) {
        number_ports(graph);
        topology_set_forwarding(topology, random_tables(graph, wrong));
    }
    return topology;
}

static void test_groups_are_the_pairs(void)
{
    struct tally tally = {0};
    random_network_seed(20261128);
    for (int i = 0; i < (IS_SHORT ? 300 : 3000); i++) {
        struct topology *topology = random_topology(i % 3 ? 1 + random_number_below(60) : 0);
        compare_some(topology, &tally);
        compare_parts(topology, &tally);
    }
    printf("\n  %u networks, %u with pairs without a route, %llu pairs in %llu groups; %u wrong; both ways %u, "
           "cut off %u, among themselves %u ",
           tally.n_networks, tally.n_unrouted, (unsigned long long)tally.n_pairs,
           (unsigned long long)tally.n_groups, tally.n_wrong, tally.n_mutual, tally.n_cut_off, tally.n_among);
    CU_ASSERT(tally.n_wrong == 0);
    CU_ASSERT(tally.n_unrouted > tally.n_networks / 4);
    CU_ASSERT(tally.n_mutual > 10 && tally.n_cut_off > 10 && tally.n_among > 10);
}

/* Networks by arithmetic, of which links have failed: routes go round these, or there is none. */
static void test_failed_grids(void)
{
    static const char *const grids[] = {"torus:3x3", "mesh:4x3", "fattree:3x3", "full:7", "star:6", "fattree:2x2x2"};
    struct tally tally = {0};
    random_network_seed(7);
    for (int i = 0; i < (IS_SHORT ? 60 : 600); i++)
        compare_parts(must_read(grids[i % 6]), &tally);
    CU_ASSERT(tally.n_wrong == 0);
    CU_ASSERT(tally.n_unrouted > 20);
}

UNIT_PROGRAM(test_unrouted)
{
    CU_TestInfo tests[] = {{"groups are the pairs without a route", test_groups_are_the_pairs},
                           {"grids and trees with failed links", test_failed_grids},
                           CU_TEST_INFO_NULL};
    return run_suite("unrouted", tests);
}
