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

#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"

#include <stdlib.h>
#include <string.h>

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
    random_network_seed(20261123);
    for (int i = 0; i < (int)by_form(200, 800, 2000); i++) {
        struct graph *graph = random_graph();
        struct topology *topology =
            topology_new_graph(&(struct topology_settings){.name = "random"}, graph);
        compare(topology, &tally);
        number_ports(graph);
        topology_set_forwarding(topology, random_tables(graph, 1000000));
        compare(topology, &tally);
        topology_set_forwarding(topology, random_tables(graph, 1 + random_number_below(100)));
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

UNIT_PROGRAM(test_metrics)
{
    CU_TestInfo tests[] = {{"trees and walk agree over random networks", test_trees_agree},
                           CU_TEST_INFO_NULL};
    return run_suite("metrics", tests);
}
