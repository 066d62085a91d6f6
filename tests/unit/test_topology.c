/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies against independent arithmetic (topology_checks.h): every route of small shapes, and of graphs;
 * the load of permutations; and large ones.
 */
#include "network/bulk.h"
#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/parts.h"
#include "network/tree.h"
#include "tests/unit/suite.h"
#include "tests/unit/topology_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Many pairs at once have the links that they have one by one. */
static void check_pairs(const struct topology *topology, uint32_t source)
{
    const uint32_t n = topology->n_machines, max_hops = topology->max_hops + 1;
    struct topology_pair *pairs = mem_alloc(n, sizeof *pairs);
    uint32_t *links = mem_alloc((size_t)n * max_hops, sizeof *links);
    uint32_t *n_links = mem_alloc(n, sizeof *n_links);
    uint32_t *times = mem_alloc(topology->n_link_ids + 1, sizeof *times), *at = links;
    struct hop *hops = mem_alloc(max_hops, sizeof *hops);
    bool is_same = true;
    for (uint32_t i = 0; i < n; i++)
        pairs[i] = (struct topology_pair){source, i};
    if (topology_route_pairs(topology, pairs, n, links, n_links))
        for (uint32_t i = 0; is_same && i < n; i++) {
            is_same = topology_route(topology, source, i, hops) == n_links[i];
            for (uint32_t k = 0; is_same && k < n_links[i]; k++) {
                times[hops[k].link]++;
                times[*at++]--;
            }
            for (uint32_t link = 0; is_same && link < topology->n_link_ids; link++)
                is_same = times[link] == 0;
        }
    CU_ASSERT(is_same);
    free(pairs);
    free(links);
    free(n_links);
    free(times);
    free(hops);
}

/* Loads that are laid are those of all hops: of two numbers in one, to places far and near. */
static void check_loads(const struct topology *topology)
{
    const uint32_t n = topology->n_machines;
    uint64_t *load = mem_alloc(topology->n_link_ids + 1, sizeof *load);
    struct hop *hops = mem_alloc(topology->max_hops + 1, sizeof *hops);
    bool is_same = true;
    for (uint32_t i = 0; topology_lay_loads(topology, NULL, 0, NULL, load) && i < 7 * n; i++) {
        const struct topology_pair pair = {i % n, (i % n + i / n * i * (n / 3 + 1)) % n};
        const uint64_t amount = UINT64_C(1) << 32 | (i % 5 + 1);
        topology_lay_loads(topology, &pair, 1, &amount, load);
    }
    if (topology_lay_loads(topology, NULL, 0, NULL, load))
        topology_sum_loads(topology, load);
    for (uint32_t i = 0; topology_lay_loads(topology, NULL, 0, NULL, load) && i < 7 * n; i++) {
        const uint32_t n_hops = topology_route(topology, i % n, (i % n + i / n * i * (n / 3 + 1)) % n, hops);
        for (uint32_t k = 0; k < n_hops; k++)
            load[hops[k].link] -= UINT64_C(1) << 32 | (i % 5 + 1);
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        is_same = is_same && load[link] == 0;
    CU_ASSERT(is_same);
    free(load);
    free(hops);
}

/* Loads that are added for many pairs at once are those of all hops: of machines in rows of any length to
 * such, and to themselves. */
static void check_added_loads(const struct topology *topology)
{
    const uint32_t n = topology->n_machines;
    struct topology_pair *pairs = mem_alloc(2 * n, sizeof *pairs);
    uint64_t *load = mem_alloc(topology->n_link_ids + 1, sizeof *load);
    struct hop *hops = mem_alloc(topology->max_hops + 1, sizeof *hops);
    uint64_t most = 0, highest = 0;
    bool is_same = true;
    for (uint32_t i = 0; i < 2 * n; i++) {
        const uint32_t row = i / 23, apart = row % 3 == 2 ? 5 : 1;
        pairs[i] = (struct topology_pair){i % n, (i * apart + row * row * 7 + row) % n};
    }
    if (topology_add_loads(topology, pairs, 2 * n, load, &most)) {
        for (uint32_t link = 0; link < topology->n_link_ids; link++)
            highest = load[link] > highest ? load[link] : highest;
        for (const struct topology_pair *pair = pairs; pair < pairs + 2 * n; pair++)
            for (uint32_t left = topology_route(topology, pair->source, pair->destination, hops); left;)
                load[hops[--left].link]--;
        for (uint32_t link = 0; link < topology->n_link_ids; link++)
            is_same = is_same && load[link] == 0;
    }
    CU_ASSERT(is_same && most == highest);
    free(pairs);
    free(load);
    free(hops);
}

/* The rows of links of all nodes of a tree are its links, each once, in the order of ids, to where it
 * leads. */
static void check_rows(const struct topology *topology)
{
    uint32_t *times = mem_alloc(topology->n_link_ids + 1, sizeof *times);
    bool is_right = true;
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        struct tree_row rows[2];
        uint32_t next = 0, from, to;
        tree_links_of(topology, node, rows);
        for (int way = 0; way < 2; way++)
            for (uint32_t i = 0; i < tree_row_length(&rows[way]) && is_right; i++) {
                const uint32_t link = tree_row_link(&rows[way], i);
                is_right = link >= next && link < topology->n_link_ids;
                topology_link_ends(topology, link, &from, &to);
                is_right = is_right && from == node && to == tree_row_node(&rows[way], i);
                times[link]++;
                next = link + 1;
            }
    }
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        is_right = is_right && times[link] == 1;
    CU_ASSERT(is_right);
    free(times);
}

static void test_shapes(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct topology *topology = must_read(shapes[i]);
        check_links(topology);
        check_routes(topology);
        check_pairs(topology, 0);
        check_pairs(topology, topology->n_machines / 2);
        check_loads(topology);
        check_added_loads(topology);
        check_names(topology);
        if (topology_as_tree(topology))
            check_rows(topology);
        topology_free(topology);
    }
}

/* The longest route, by walking all of them. */
static void check_longest(const char *spec)
{
    struct topology *topology = must_read(spec);
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint32_t longest = 0;
    bool is_exact;
    for (uint32_t a = 0; a < topology->n_machines; a++)
        for (uint32_t b = 0; b < topology->n_machines; b++) {
            uint32_t n = topology_route(topology, a, b, hops);
            longest = n > longest ? n : longest;
        }
    uint32_t said = topology_longest_route(topology, &is_exact);
    CU_ASSERT(is_exact);
    if (topology->n_machines > 1)
        EQUAL(said, longest, spec);
    free(hops);
    topology_free(topology);
}

static void test_longest_routes(void)
{
    static const char *const files[] = {
        "examples/clusters/dualrail8.txt", "examples/clusters/plafrim1.txt",
        "examples/clusters/torus4x4x4.txt", "tests/golden/topology/simgrid/zones.xml",
        "tests/golden/topology/xml/grid.xml", "tests/golden/topology/xml/networks.xml",
        "tests/simgrid/platforms/dijkstra.xml", "tests/simgrid/platforms/dragonfly.xml",
        "tests/simgrid/platforms/fattree-two.xml", "tests/simgrid/platforms/flat-backbone.xml"};
    bool is_exact;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_longest(shapes[i]);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_longest(files[i]);
    struct topology *topology = must_read("torus:32x32");
    uint32_t link = 0;
    topology = topology_new_faulty(topology, &link, 1); /* too many pairs to walk */
    CU_ASSERT_EQUAL(topology_longest_route(topology, &is_exact), 64);
    CU_ASSERT(!is_exact);
    topology_free(topology);
}

/* 1 to 8 dimensions with every mixture of wraps, counts by closed form. */
static void test_grid_counts(void)
{
    for (uint32_t n = 1; n <= 8; n++)
        for (uint32_t mask = 0; mask < 1u << n; mask++) {
            const char *problem;
            uint32_t extent[8], machines = 1, links = 0, hops = 0;
            bool wraps[8];
            for (uint32_t i = 0; i < n; i++) {
                extent[i] = 1 + (i + mask) % 3;
                wraps[i] = mask >> i & 1;
                machines *= extent[i];
            }
            for (uint32_t i = 0; i < n; i++) {
                bool ring = wraps[i] && extent[i] > 1;
                links += machines / extent[i] * 2 * (ring ? extent[i] : extent[i] - 1);
                hops += ring ? extent[i] / 2 : extent[i] - 1;
            }
            struct topology_settings settings = {.latency = TOPOLOGY_DEFAULT_LATENCY};
            struct topology *grid = topology_new_grid(&settings, n, extent, wraps, &problem);
            EQUAL(grid->n_machines, machines, grid->name);
            EQUAL(grid->n_links, links, grid->name);
            EQUAL(grid->max_hops, hops, grid->name);
            topology_free(grid);
        }
}

static void test_divider(void)
{
    static const uint32_t numbers[] = {1, 2, 3, 5, 7, 10, 641, 65535, 65536, 65537, 1000003,
                                       2147483647, 2147483648u, 4294967295u};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct divider divider = divider_of(numbers[i]);
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t n = numbers[j] * (k + 1) - k;
                EQUAL(divide(n, &divider), n / numbers[i], "divide");
            }
    }
}

/* ---- load of permutations ---- */

static uint32_t worst_shift_load(const struct topology *topology)
{
    uint32_t *load = mem_alloc(topology->n_link_ids, sizeof *load), worst = 0;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t shift = 1; shift < topology->n_machines; shift++) {
        memset(load, 0, topology->n_link_ids * sizeof *load);
        for (uint32_t source = 0; source < topology->n_machines; source++) {
            uint32_t n = topology_route(topology, source, (source + shift) % topology->n_machines,
                                        hops);
            for (uint32_t i = 0; i < n; i++)
                if (++load[hops[i].link] > worst)
                    worst = load[hops[i].link];
        }
    }
    free(load);
    free(hops);
    return worst;
}

/* Zahavi 2010: D-mod-k carries every shift on a full-bisection tree without
 * contention; with half the links up the worst shift is twice that. */
static void test_shifts(void)
{
    static const struct { const char *spec; uint32_t worst; } cases[] = {
        {"star:24", 1},
        {"fattree:8x8", 1},
        {"fattree:4x4x4", 1},
        {"fattree:8x4x2", 1},
        {"fattree:8x8,up=1x4", 2},
        {"fattree:8x8,up=1x2,cables=1x4", 1},
        {"fattree:8x8,up=1x2,cables=1x2", 2},
        {"fattree:4x4x4,up=1x4x2", 2},
        {"full:9", 1},
        {"torus:4x4x4", 2},
        {"mesh:4x4", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *topology = must_read(cases[i].spec);
        EQUAL(worst_shift_load(topology), cases[i].worst, cases[i].spec);
        topology_free(topology);
    }
}

/* Implicit means implicit: the largest shapes cost nothing. */
static void test_large(void)
{
    static const struct { const char *spec; uint32_t machines; } cases[] = {
        {"star:1073741824", 1u << 30},
        {"torus:1024x1024", 1u << 20},
        {"mesh:32768x16384", 1u << 29},
        {"fattree:1024x1024x1024,up=1x1x1", 1u << 30},
        {"full:65536", 65536},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *topology = must_read(cases[i].spec);
        struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
        uint32_t last = topology->n_machines - 1;
        EQUAL(topology->n_machines, cases[i].machines, cases[i].spec);
        uint32_t n = topology_route(topology, 0, last, hops);
        check_path(topology, hops, n, 0, last);
        n = topology_route(topology, last, last / 3, hops);
        check_path(topology, hops, n, last, last / 3);
        free(hops);
        topology_free(topology);
    }
}

/* ---- graphs ---- */

/* Rings with chords, some machines with two cables, one direct cable. */
static struct topology *make_graph(uint32_t seed)
{
    struct graph *graph = graph_new();
    uint32_t n_routers = 3 + seed % 6, n_machines = 4 + seed % 5;
    char name[16];
    for (uint32_t i = 0; i < n_routers + n_machines; i++) {
        int length = snprintf(name, sizeof name, "n%u", i);
        graph_add_node(graph, i < n_routers, name, (size_t)length);
    }
    for (uint32_t i = 0; i < n_routers; i++) {
        graph_add_cable(graph, i, (i + 1) % n_routers, 1000, 10);
        if ((seed >> i) & 1)
            graph_add_cable(graph, i, (i + 2) % n_routers, 2000, 20);
    }
    for (uint32_t i = 0; i < n_machines; i++) {
        graph_add_cable(graph, n_routers + i, (i * seed) % n_routers, 1000, 10);
        if ((seed + i) % 3 == 0)
            graph_add_cable(graph, (i + seed) % n_routers, n_routers + i, 1000, 10);
    }
    if (seed % 4 == 0)
        graph_add_cable(graph, n_routers, n_routers + 1, 1000, 10);
    graph_seal(graph);
    struct topology_settings settings = {.name = "random"};
    return topology_new_graph(&settings, graph);
}

/* Among the links one hop nearer, in the order of ids, number d mod n; of the machine's own cables number
 * (s + d) mod n. */
static void check_graph_rule(const struct topology *topology, uint32_t source, uint32_t to,
                             const struct hop *hops, uint32_t n, const uint32_t *distance_to)
{
    uint32_t at = source;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count = 0, chosen = UINT32_MAX;
        for (int pass = 0; pass < 2; pass++)
            for (uint32_t link = 0, k = 0; link < topology->n_link_ids; link++) {
                uint32_t from, end;
                topology_link_ends(topology, link, &from, &end);
                bool machine_on_the_way = end < topology->n_machines && end != to;
                if (from != at || machine_on_the_way || distance_to[end] != n - i - 1)
                    continue;
                if (pass && k == (i ? to : source + to) % count)
                    chosen = link;
                k++;
                count += !pass;
            }
        EQUAL(hops[i].link, chosen, "graph rule");
        EQUAL(hops[i].lane, 0, "graph lane");
        topology_link_ends(topology, hops[i].link, &(uint32_t){0}, &at);
    }
}

static void test_graph_routes(void)
{
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct topology *topology = make_graph(seed);
        struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
        uint32_t *distance = mem_alloc(n_nodes_of(topology), sizeof *distance);
        check_links(topology);
        check_names(topology);
        for (uint32_t to = 0; to < topology->n_machines; to++) {
            find_distances(topology, to, distance); /* cables go both ways */
            for (uint32_t source = 0; source < topology->n_machines; source++) {
                uint32_t n = topology_route(topology, source, to, hops);
                CU_ASSERT_FATAL(n <= topology->max_hops);
                EQUAL(n, distance[source], "length");
                check_path(topology, hops, n, source, to);
                check_graph_rule(topology, source, to, hops, n, distance);
            }
        }
        free(hops);
        free(distance);
        topology_free(topology);
    }
}

static struct topology *graph_of_cables(uint32_t n_machines, uint32_t n_routers,
                                        const uint32_t (*cables)[2], uint32_t n_cables)
{
    struct graph *graph = graph_new();
    char name[16];
    for (uint32_t i = 0; i < n_machines + n_routers; i++) {
        int length = snprintf(name, sizeof name, "n%u", i);
        graph_add_node(graph, i >= n_machines, name, (size_t)length);
    }
    for (uint32_t i = 0; i < n_cables; i++)
        graph_add_cable(graph, cables[i][0], cables[i][1], 1, 1);
    graph_seal(graph);
    struct topology_settings settings = {.name = "graph"};
    return topology_new_graph(&settings, graph);
}

/* Rails A and B: machine 1 sits on both but forwards nothing. */
static void test_graph_gaps(void)
{
    static const uint32_t rails[][2] = {{0, 3}, {1, 3}, {1, 4}, {2, 4}};
    struct graph_gap gap;
    struct hop hops[16];
    struct topology *apart = graph_of_cables(3, 2, rails, 4);
    CU_ASSERT_FATAL(graph_find_gap(topology_as_graph(apart), &gap));
    EQUAL(gap.from, 0, "gap");
    EQUAL(gap.to, 2, "gap");
    EQUAL(gap.n_reached, 2, "gap");
    EQUAL(topology_route(apart, 0, 2, hops), 0, "no route");
    EQUAL(topology_route(apart, 0, 1, hops), 2, "route");
    EQUAL(topology_route(apart, 2, 1, hops), 2, "route");
    topology_free(apart);
    /* every pair meets somewhere, though no rail has all machines */
    static const uint32_t triangle[][2] = {{0, 3}, {1, 3}, {1, 4}, {2, 4}, {2, 5}, {0, 5}};
    struct topology *joined = graph_of_cables(3, 3, triangle, 6);
    CU_ASSERT(!graph_find_gap(topology_as_graph(joined), &gap));
    topology_free(joined);
    static const uint32_t direct[][2] = {{0, 1}, {1, 2}, {2, 0}};
    struct topology *back_to_back = graph_of_cables(3, 0, direct, 3);
    CU_ASSERT(!graph_find_gap(topology_as_graph(back_to_back), &gap));
    EQUAL(topology_route(back_to_back, 0, 2, hops), 1, "direct");
    topology_free(back_to_back);
    struct topology *open_chain = graph_of_cables(3, 0, direct, 2);
    CU_ASSERT(graph_find_gap(topology_as_graph(open_chain), &gap));
    topology_free(open_chain);
}

UNIT_PROGRAM(test_topology)
{
    CU_TestInfo tests[] = {{"divider", test_divider},
                           {"every route of small shapes", test_shapes},
                           {"longest routes", test_longest_routes},
                           {"grids of 1 to 8 dimensions", test_grid_counts},
                           {"load of shift permutations", test_shifts},
                           {"large shapes", test_large},
                           {"routes of graphs", test_graph_routes},
                           {"graphs not connected", test_graph_gaps},
                           CU_TEST_INFO_NULL};
    return run_suite("topology", tests);
}
