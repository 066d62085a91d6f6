/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Narrowest cuts, and trees that reach them: published optima; on small random networks every cut there is;
 * and of every packing without switches what its trees put on each arc.
 */
#include "bound/cut/ratio.h"
#include "synth/packing.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t random_below(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

/* ---- networks ---- */

static struct cut_network network_new(uint32_t n_members, uint32_t n_nodes)
{
    struct cut_network network = {.n_nodes = n_nodes};
    network.arcs = mem_alloc((size_t)n_nodes * n_nodes, sizeof *network.arcs);
    network.weight = mem_alloc(n_nodes, sizeof *network.weight);
    network.is_member = mem_alloc(n_nodes, sizeof *network.is_member);
    for (uint32_t member = 0; member < n_members; member++) {
        network.weight[member] = 1;
        network.is_member[member] = true;
    }
    return network;
}

static void network_free(struct cut_network *network)
{
    free(network->arcs);
    free(network->weight);
    free(network->is_member);
}

static void add_cable(struct cut_network *network, uint32_t a, uint32_t b, uint64_t capacity)
{
    network->arcs[network->n_arcs++] = (struct cut_arc){a, b, capacity};
    network->arcs[network->n_arcs++] = (struct cut_arc){b, a, capacity};
}

/* n DGX A100: 8 GPUs at 300 GB/s on a switch; beyond one also at 25 GB/s by an adapter each on one of two
 * switches between the machines. */
static struct cut_network a100(uint32_t n)
{
    const uint32_t gpus = 8 * n, switches = gpus, adapters = switches + n, between = adapters + gpus;
    struct cut_network network = network_new(gpus, n > 1 ? between + 2 : adapters);
    for (uint32_t gpu = 0; gpu < gpus; gpu++) {
        add_cable(&network, gpu, switches + gpu / 8, 300);
        if (n > 1) {
            add_cable(&network, gpu, adapters + gpu, 25);
            add_cable(&network, adapters + gpu, between + gpu % 2, 25);
        }
    }
    return network;
}

/* n machines of 16 MI250 dies, joined by one to four links of 50 GB/s, and at 16 GB/s by one switch. */
static struct cut_network mi250(uint32_t n)
{
    static const uint8_t cables[][3] = {
        {0, 1, 4}, {0, 4, 2}, {0, 8, 1}, {1, 5, 1}, {1, 9, 1}, {1, 10, 1}, {2, 3, 4}, {2, 6, 1},
        {2, 9, 1}, {2, 10, 1}, {3, 7, 2}, {3, 11, 1}, {4, 5, 4}, {4, 6, 1}, {5, 6, 1}, {5, 7, 1},
        {6, 7, 4}, {8, 9, 4}, {8, 12, 2}, {9, 13, 1}, {10, 11, 4}, {10, 14, 1}, {11, 15, 2},
        {12, 13, 4}, {12, 14, 1}, {13, 14, 1}, {13, 15, 1}, {14, 15, 4}};
    struct cut_network network = network_new(16 * n, 16 * n + (n > 1));
    for (uint32_t machine = 0; machine < n; machine++) {
        for (size_t i = 0; i < sizeof cables / sizeof *cables; i++)
            add_cable(&network, 16 * machine + cables[i][0], 16 * machine + cables[i][1],
                      UINT64_C(50) * cables[i][2]);
        for (uint32_t die = 0; n > 1 && die < 16; die++)
            add_cable(&network, 16 * machine + die, 16 * n, 16);
    }
    return network;
}

static struct cut_network torus(uint32_t n)
{
    struct cut_network network = network_new(n * n, n * n);
    for (uint32_t x = 0; x < n; x++)
        for (uint32_t y = 0; y < n; y++) {
            add_cable(&network, x * n + y, (x + 1) % n * n + y, 1);
            add_cable(&network, x * n + y, x * n + (y + 1) % n, 1);
        }
    return network;
}

/* ---- cuts ---- */

/* The largest quotient of all sets. */
static double best_of_all(const struct cut_network *network)
{
    double best = 0;
    for (uint32_t set = 1; set < 1u << network->n_nodes; set++) {
        uint64_t blocks = 0, capacity = 0;
        bool has_all = true;
        for (uint32_t node = 0; node < network->n_nodes; node++) {
            blocks += set >> node & 1 ? network->weight[node] : 0;
            has_all &= !network->is_member[node] || (set >> node & 1);
        }
        for (uint32_t i = 0; i < network->n_arcs; i++)
            if ((set >> network->arcs[i].from & 1) && !(set >> network->arcs[i].to & 1))
                capacity += network->arcs[i].capacity;
        if (!has_all && blocks && (double)blocks / (double)capacity > best)
            best = (double)blocks / (double)capacity;
    }
    return best;
}

/* Joined by a path, and some cables more; some nodes are no members. */
static struct cut_network random_network(uint64_t *seed, uint32_t n_members)
{
    const uint32_t n = n_members + random_below(seed, 4);
    struct cut_network network = network_new(n_members, n);
    for (uint32_t node = 1; node < n; node++)
        add_cable(&network, node, random_below(seed, node), 1 + random_below(seed, 6));
    for (uint32_t i = random_below(seed, n); i-- > 0;) {
        const uint32_t a = random_below(seed, n), b = random_below(seed, n);
        if (a != b)
            add_cable(&network, a, b, 1 + random_below(seed, 6));
    }
    for (uint32_t member = 0; member < n_members; member++)
        network.weight[member] = random_below(seed, 3);
    network.weight[0]++;
    return network;
}

static void test_all_cuts(void)
{
    uint64_t seed = 11;
    for (int i = 0; i < 300; i++) {
        struct cut_network network = random_network(&seed, 2 + random_below(&seed, 5));
        struct ratio_cut cut;
        CU_ASSERT_TRUE_FATAL(ratio_cut_find(&network, &cut));
        CU_ASSERT_FALSE(cut.is_apart);
        CU_ASSERT_TRUE(fabs(fraction_real(cut.ratio) - best_of_all(&network)) < 1e-9);
        ratio_cut_free(&cut);
        network_free(&network);
    }
}

/* Members times 1 / quotient, in GB/s: what is published for ForestColl; tori: n^2 * 4 / (n^2 - 1). */
static void test_published(void)
{
    const struct {
        struct cut_network network;
        double bandwidth;
    } cases[] = {{a100(1), 342.9}, {a100(2), 346.7}, {a100(4), 266.7}, {mi250(1), 342.9}, {mi250(2), 354.1},
                 {torus(4), 4.267}, {torus(6), 4.114}, {torus(8), 4.063}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cut_network network = cases[i].network;
        struct ratio_cut cut;
        double members = 0;
        for (uint32_t node = 0; node < network.n_nodes; node++)
            members += network.is_member[node];
        CU_ASSERT_TRUE_FATAL(ratio_cut_find(&network, &cut));
        const double bandwidth = members / fraction_real(cut.ratio);
        CU_ASSERT_TRUE(fabs(bandwidth - cases[i].bandwidth) < 0.0005 * cases[i].bandwidth);
        ratio_cut_free(&cut);
        network_free(&network);
    }
}

/* ---- trees ---- */

/* Every tree reaches every member, from one before it; roots have k copies for each block. */
static void check_trees(const struct cut_network *network, uint32_t n, const struct packing *packing)
{
    uint64_t *copies = mem_alloc(n, sizeof *copies);
    for (uint32_t i = 0; i < packing->n_trees; i++) {
        const struct packed_tree *tree = &packing->trees[i];
        uint32_t *place = mem_alloc(n, sizeof *place); /* 1 + in the order */
        for (uint32_t at = 0; at < n; at++) {
            CU_ASSERT_EQUAL(place[tree->order[at]], 0);
            place[tree->order[at]] = at + 1;
            CU_ASSERT_TRUE(at == 0 || place[tree->from[at]] > 0);
        }
        copies[tree->order[0]] += tree->copies;
        free(place);
    }
    for (uint32_t member = 0; member < n; member++)
        CU_ASSERT_EQUAL(copies[member], packing->k * network->weight[member]);
    free(copies);
}

/* Without switches arcs are those of the network: trees have k * quotient * capacity copies on each. */
static void check_loads(const struct cut_network *network, uint32_t n, const struct packing *packing)
{
    uint64_t *load = mem_alloc((size_t)n * n, sizeof *load);
    uint64_t *capacity = mem_alloc((size_t)n * n, sizeof *capacity);
    struct ratio_cut cut;
    CU_ASSERT_TRUE_FATAL(ratio_cut_find(network, &cut));
    for (uint32_t i = 0; i < packing->n_trees; i++)
        for (uint32_t at = 1; at < n; at++)
            load[packing->trees[i].from[at] * n + packing->trees[i].order[at]] += packing->trees[i].copies;
    for (uint32_t i = 0; i < network->n_arcs; i++)
        capacity[network->arcs[i].from * n + network->arcs[i].to] += network->arcs[i].capacity;
    for (uint32_t i = 0; i < n * n; i++)
        CU_ASSERT_TRUE((wide)load[i] * cut.ratio.bottom <= (wide)packing->k * cut.ratio.top * capacity[i]);
    ratio_cut_free(&cut);
    free(load);
    free(capacity);
}

static void check_packing(const struct cut_network *network, uint32_t n_members)
{
    const struct packing_request request = {network, n_members, NULL, NULL};
    struct packing packing;
    struct text problem = {0};
    CU_ASSERT_TRUE_FATAL(packing_find(&request, &packing, &problem));
    check_trees(network, n_members, &packing);
    if (n_members == network->n_nodes)
        check_loads(network, n_members, &packing);
    packing_free(&packing);
    text_free(&problem);
}

static void test_random_trees(void)
{
    uint64_t seed = 12;
    for (int i = 0; i < 200; i++) {
        const uint32_t n_members = 2 + random_below(&seed, 5);
        struct cut_network network = random_network(&seed, n_members);
        check_packing(&network, n_members);
        network_free(&network);
    }
}

static void test_known_trees(void)
{
    struct cut_network network = torus(4);
    check_packing(&network, 16);
    network_free(&network);
    network = a100(2);
    check_packing(&network, 16);
    network_free(&network);
    network = a100(4);
    check_packing(&network, 32);
    network_free(&network);
    network = mi250(1);
    check_packing(&network, 16);
    network_free(&network);
}

static void test_apart(void)
{
    struct cut_network network = network_new(3, 3);
    struct packing packing;
    struct text problem = {0};
    add_cable(&network, 0, 1, 5);
    const struct packing_request request = {&network, 3, NULL, NULL};
    CU_ASSERT_FALSE(packing_find(&request, &packing, &problem));
    CU_ASSERT_PTR_NOT_NULL(problem.data);
    text_free(&problem);
    network_free(&network);
}

UNIT_PROGRAM(test_packing)
{
    CU_TestInfo tests[] = {{"the narrowest of all cuts", test_all_cuts},
                           {"published optima", test_published},
                           {"trees in random networks", test_random_trees},
                           {"trees in known networks", test_known_trees},
                           {"a network in parts", test_apart},
                           CU_TEST_INFO_NULL};
    return run_suite("packing", tests);
}
