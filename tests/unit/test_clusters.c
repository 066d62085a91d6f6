/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Clusters of servers on several networks: by their definition, pair by pair, for random
 * placements on the cluster of clusters of Sumimoto et al. 2000; and where all servers are one.
 */
#include "network/formats/formats.h"
#include "network/placement/clusters.h"
#include "network/networks.h"
#include "tests/unit/suite.h"

#include <stdio.h>

enum { N_RANKS = 24 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* True if the clusters are equal in ranks, and ranks i and j in the list are in one exactly
 * if their machines do without the network between all. */
static bool is_as_defined(const struct topology *topology, const struct placement *placement,
                          const struct clusters *clusters)
{
    uint32_t outer = topology_find_network(topology, "FE");
    bool is_right = clusters->n * clusters->n_ranks == placement->n_ranks;
    for (uint32_t i = 0; i < placement->n_ranks && is_right; i++)
        for (uint32_t j = 0; j < placement->n_ranks && is_right; j++) {
            uint32_t a = placement->machine[clusters->ranks[i]];
            uint32_t b = placement->machine[clusters->ranks[j]];
            bool is_one = i / clusters->n_ranks == j / clusters->n_ranks;
            is_right = (topology_network(topology, a, b) != outer) == is_one;
        }
    return is_right;
}

/* True if the list has every rank once, also with unequal clusters. */
static bool has_all(const struct placement *placement, const struct clusters *clusters)
{
    bool seen[N_RANKS] = {false}, is_right = true;
    for (uint32_t i = 0; i < placement->n_ranks; i++) {
        is_right = is_right && !seen[clusters->ranks[i]];
        seen[clusters->ranks[i]] = true;
    }
    return is_right;
}

static void test_random(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("examples/sumimoto2000/fig1.xml", &diagnostics);
    uint32_t state = 1, n_equal = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    for (int turn = 0; turn < 2000; turn++) {
        uint32_t machine[N_RANKS], n = 1 + next_random(&state) % N_RANKS;
        for (uint32_t rank = 0; rank < n; rank++)
            machine[rank] = next_random(&state) % topology->n_machines;
        struct placement *placement = placement_of_machines(machine, n, "random");
        struct arena arena = {0};
        struct clusters clusters;
        CU_ASSERT_PTR_NULL(clusters_find(topology, placement, &clusters, &arena));
        CU_ASSERT(clusters.n == 1 || clusters.n == 2);
        CU_ASSERT(has_all(placement, &clusters));
        /* with one cluster in use its own network is not seen as an inner one */
        if (clusters.n == 2 && clusters.n_ranks)
            CU_ASSERT(is_as_defined(topology, placement, &clusters));
        n_equal += clusters.n == 2 && clusters.n_ranks;
        arena_free(&arena);
        placement_free(placement);
    }
    printf("%u equal ", n_equal);
    CU_ASSERT(n_equal > 100);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_one(void)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct clusters clusters;
    const uint32_t machine[] = {0, 1, 2};
    struct topology *star = topology_read("star:3", &diagnostics);
    struct placement *placement = placement_of_machines(machine, 3, "block");
    CU_ASSERT_PTR_NOT_NULL_FATAL(star);
    const struct topology *const one_network[] = {NULL, star};
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_PTR_NULL(clusters_find(one_network[i], placement, &clusters, &arena));
        CU_ASSERT(clusters.n == 1 && clusters.servers == 3 && clusters.n_ranks == 3);
        CU_ASSERT(has_all(placement, &clusters));
    }
    placement_free(placement);
    topology_free(star);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_clusters)
{
    CU_TestInfo tests[] = {{"random placements", test_random},
                           {"all servers are one", test_one},
                           CU_TEST_INFO_NULL};
    return run_suite("clusters", tests);
}
