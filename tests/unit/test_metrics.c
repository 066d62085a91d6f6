/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures of routes by trees (routes/trees.c) against the walk over all pairs: the same topology with
 * and without the method that tells where routes are trees must have the same figures, the cycle of
 * channels included, over random networks, their tables right and wrong.
 */
#include "network/forwarding.h"
#include "network/kind.h"
#include "routes/crossing.h"
#include "routes/metrics.h"

#include "tests/unit/suite.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state = 20261123;

static uint32_t random_below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

static void add_nodes(struct graph *graph, uint32_t n, bool is_router)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "%c%u", is_router ? 's' : 'm', i);
        graph_add_node(graph, is_router, name, (size_t)length);
    }
}

/* Machines on routers near their number or anywhere, some with two cables, some on another machine. */
static struct graph *random_graph(void)
{
    const uint32_t n_machines = 2 + random_below(30), n_routers = 1 + random_below(12);
    const bool is_ordered = random_below(2), is_odd = random_below(3) == 0;
    struct graph *graph = graph_new();
    add_nodes(graph, n_machines, false);
    add_nodes(graph, n_routers, true);
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        const uint32_t router =
            is_ordered ? machine * n_routers / n_machines : random_below(n_routers);
        if (is_odd && random_below(8) == 0 && machine)
            graph_add_cable(graph, machine, random_below(machine), 1000, 0);
        else
            graph_add_cable(graph, machine, n_machines + router, 1000, 0);
        if (is_odd && random_below(6) == 0)
            graph_add_cable(graph, machine, n_machines + random_below(n_routers), 1000, 0);
    }
    for (uint32_t router = 1; router < n_routers; router++)
        if (!is_odd || random_below(10))
            graph_add_cable(graph, n_machines + router, n_machines + random_below(router), 1000, 0);
    for (uint32_t i = random_below(2 * n_routers); i > 0; i--) {
        const uint32_t a = random_below(n_routers), b = random_below(n_routers);
        if (a != b)
            graph_add_cable(graph, n_machines + a, n_machines + b, 1000, 0);
    }
    graph_seal(graph);
    return graph;
}

/* Ports are numbered by the order of cables, machine m has the LID m + 1 on its first. */
static void number_ports(struct graph *graph)
{
    uint32_t n_ports = 0;
    uint8_t *used = mem_alloc(graph->n_nodes, 1);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        n_ports += graph->first[machine + 1] - graph->first[machine];
    graph->subnet = subnet_new(n_ports, graph->n_nodes - graph->n_machines, graph->n_cables);
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        graph->subnet->numbers[link] = ++used[graph_link_from(graph, link)];
    for (uint32_t machine = 0, at = 0; machine < graph->n_machines; machine++)
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++, at++)
            graph->subnet->ports[at] = (struct subnet_port){
                .link = graph->out[i],
                .lid = (uint16_t)(i == graph->first[machine] ? machine + 1 : 0)};
    free(used);
}

/* Entries along shortest paths, and, one in `wrong`, anything. */
static struct forwarding *random_tables(struct graph *graph, uint32_t wrong)
{
    uint32_t *next = mem_alloc(graph->n_nodes, sizeof *next);
    struct forwarding *forwarding = forwarding_new(graph);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        graph_next_links(graph, machine, next);
        for (uint32_t router = 0; router < forwarding->n_routers; router++) {
            const uint32_t link = next[graph->n_machines + router];
            uint8_t port = link == NO_NEXT_LINK ? FORWARDING_NONE : graph->subnet->numbers[link];
            if (random_below(wrong) == 0)
                port = (uint8_t)random_below(forwarding->stride + 2);
            forwarding->has_table[router] = true;
            forwarding_set(forwarding, router, machine + 1, port);
        }
    }
    free(next);
    return forwarding;
}

/* Following the links of the tree gives every route, and no other. */
static uint32_t count_wrong_routes(const struct topology *topology)
{
    uint32_t *next = mem_alloc(topology->n_nodes, sizeof *next), n_wrong = 0;
    struct hop *hops = mem_alloc((size_t)topology->max_hops + topology->n_nodes, sizeof *hops);
    for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
        n_wrong += !topology_next_links(topology, destination, next);
        for (uint32_t source = 0; source < topology->n_machines; source++) {
            const uint32_t n = topology_route(topology, source, destination, hops);
            uint32_t node = source, from, length = 0;
            if (source == destination)
                continue;
            while (next[node] != NO_NEXT_LINK && length <= topology->n_nodes) {
                n_wrong += n && (length >= n || hops[length].link != next[node]);
                topology_link_ends(topology, next[node], &from, &node);
                length++;
                if (node < topology->n_machines)
                    break;
            }
            n_wrong += node == destination ? length != n : n != 0;
        }
    }
    free(next);
    free(hops);
    return n_wrong;
}

static bool same_cycle(const struct channel_cycle *a, const struct channel_cycle *b)
{
    return a->n == b->n && (!a->n || memcmp(a->channels, b->channels, a->n * sizeof *a->channels) == 0);
}

static bool same_metrics(const struct metrics *a, const struct metrics *b)
{
    return a->pairs == b->pairs && a->pairs_unrouted == b->pairs_unrouted && a->hops_max == b->hops_max &&
           a->n_channels == b->n_channels && a->n_unused == b->n_unused && a->efi_max == b->efi_max &&
           a->efi_min == b->efi_min && a->efi_mean == b->efi_mean && a->n_lanes == b->n_lanes &&
           a->effective_bisection == b->effective_bisection &&
           a->worst_shift_load == b->worst_shift_load && a->mean_shift_load == b->mean_shift_load &&
           same_cycle(&a->cycle, &b->cycle) && same_cycle(&a->cycle_lanes, &b->cycle_lanes);
}

struct tally {
    uint32_t n, n_different, n_wrong_routes, n_cycles, n_unrouted;
    uint64_t n_over, n_wrong_over; /* pairs over links; links with others by trees than by walking */
};

static void compare_pairs(const struct topology *topology, const struct topology *walked, struct tally *tally)
{
    const struct observer nobody = {NULL, NULL};
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        size_t n, n_walked;
        if (!topology_has_link(topology, link))
            continue;
        struct route_ends *pairs = routes_over(topology, link, &nobody, &n);
        struct route_ends *by_walk = routes_over(walked, link, &nobody, &n_walked);
        tally->n_over += n_walked;
        tally->n_wrong_over += n != n_walked || (n && memcmp(pairs, by_walk, n * sizeof *pairs) != 0);
        free(pairs);
        free(by_walk);
    }
}

static void compare(const struct topology *topology, struct tally *tally)
{
    const struct metrics_request request = {1, 3, {0}};
    struct topology_methods methods = *topology->methods;
    struct topology walked = *topology;
    methods.next_links = NULL;
    walked.methods = &methods;
    struct metrics by_trees = metrics_measure(topology, &request);
    struct metrics by_walk = metrics_measure(&walked, &request);
    tally->n++;
    tally->n_different += !same_metrics(&by_trees, &by_walk);
    tally->n_wrong_routes += count_wrong_routes(topology);
    compare_pairs(topology, &walked, tally);
    tally->n_cycles += by_walk.cycle.n > 0;
    tally->n_unrouted += by_walk.pairs_unrouted > 0;
    metrics_free(&by_trees);
    metrics_free(&by_walk);
}

static void test_trees_agree(void)
{
    struct tally tally = {0};
    for (int i = 0; i < (IS_SHORT ? 200 : 2000); i++) {
        struct graph *graph = random_graph();
        struct topology *topology =
            topology_new_graph(&(struct topology_settings){.name = "random"}, graph);
        compare(topology, &tally);
        number_ports(graph);
        topology_set_forwarding(topology, random_tables(graph, 1000000));
        compare(topology, &tally);
        topology_set_forwarding(topology, random_tables(graph, 1 + random_below(100)));
        compare(topology, &tally);
        topology_free(topology);
    }
    printf("\n  %u networks: %u differ, %u wrong links of trees; %u with a cycle, %u with pairs "
           "without a route ",
           tally.n, tally.n_different, tally.n_wrong_routes, tally.n_cycles, tally.n_unrouted);
    CU_ASSERT(tally.n_different == 0);
    CU_ASSERT(tally.n_wrong_routes == 0);
    printf("\n  %llu pairs over links, %llu links with others by trees ", (unsigned long long)tally.n_over,
           (unsigned long long)tally.n_wrong_over);
    CU_ASSERT(tally.n_over > 10000 && tally.n_wrong_over == 0);
    CU_ASSERT(tally.n_cycles > tally.n / 50);
    CU_ASSERT(tally.n_unrouted > tally.n / 10 && tally.n_unrouted < tally.n);
}

int main(void)
{
    CU_TestInfo tests[] = {{"trees and walk agree over random networks", test_trees_agree},
                           CU_TEST_INFO_NULL};
    return run_suite("metrics", tests);
}
