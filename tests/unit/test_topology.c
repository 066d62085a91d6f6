/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies against independent arithmetic: every route of small shapes is
 * compared with a breadth-first search over the links alone, with the rule the
 * header states, and with what is known of real fabrics.
 */
#include "base/text/units.h"
#include "base/codes.h"
#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/parts.h"
#include "network/tree.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An equality that names the case when it fails. */
#define EQUAL(actual, expected, context)                                                           \
    check_equal((uint64_t)(actual), (uint64_t)(expected), #actual, context, __LINE__)

static void check_equal(uint64_t actual, uint64_t expected, const char *what, const char *context,
                        int line)
{
    if (actual != expected)
        printf("\n  line %d, %s: %s is %llu, expected %llu", line, context, what,
               (unsigned long long)actual, (unsigned long long)expected);
    CU_ASSERT(actual == expected);
}

static struct topology *must_read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    struct text text = {0};
    diagnostics_print(&diagnostics, &text, false);
    if (!topology) {
        printf("\n%s", text.data ? text.data : "no topology and no message");
        CU_FAIL_FATAL("cannot read a topology");
    }
    text_free(&text);
    diagnostics_free(&diagnostics);
    return topology;
}

static uint32_t n_nodes_of(const struct topology *topology)
{
    return topology->n_machines + (topology_as_grid(topology) ? 0 : topology->n_routers);
}

/* ---- distances by search over the links ---- */

/* distance[node] from `start` by relaxing all links until nothing changes.
 * Machines of a tree or graph forward nothing. */
static void search(const struct topology *topology, uint32_t start, uint32_t *distance)
{
    memset(distance, 0xff, n_nodes_of(topology) * sizeof *distance);
    distance[start] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            bool forwards = from == start || topology_as_grid(topology) ||
                            from >= topology->n_machines;
            if (forwards && distance[from] != UINT32_MAX && distance[from] + 1 < distance[to]) {
                distance[to] = distance[from] + 1;
                changed = true;
            }
        }
    }
}

static void check_path(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    uint32_t at = source, from, to;
    for (uint32_t i = 0; i < n; i++) {
        CU_ASSERT_FATAL(hops[i].link < topology->n_link_ids);
        CU_ASSERT(topology_has_link(topology, hops[i].link));
        topology_link_ends(topology, hops[i].link, &from, &to);
        EQUAL(from, at, topology->name);
        at = to;
    }
    EQUAL(at, destination, topology->name);
}

/* The + or - link of every hop, coordinates and lanes, by the words of the rule. */
static void check_grid_rule(const struct topology *topology, const struct hop *hops, uint32_t n)
{
    uint32_t dimension = 0, lane = 0, sign = 2;
    uint32_t links_per_node = 2 * topology_as_grid(topology)->n_dimensions;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = hops[i].link % links_per_node, from, to;
        if (port / 2 != dimension || !i) {
            CU_ASSERT(port / 2 >= dimension); /* lowest dimension first */
            dimension = port / 2;
            lane = 0;
            sign = port % 2;
        }
        EQUAL(port % 2, sign, topology->name); /* one way round only */
        topology_link_ends(topology, hops[i].link, &from, &to);
        if ((sign == 0 && to < from) || (sign == 1 && to > from))
            lane = 1; /* the wrap link */
        EQUAL(hops[i].lane, lane, topology->name);
    }
}

static uint32_t steps_in(const struct hop *hops, uint32_t n, uint32_t links_per_node,
                         uint32_t dimension, uint32_t sign)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < n; i++)
        steps += hops[i].link % links_per_node == 2 * dimension + sign;
    return steps;
}

/* On an even ring, half way round goes +. */
static void check_ties(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    const struct grid *grid = topology_as_grid(topology);
    for (uint32_t i = 0, stride = 1; i < grid->n_dimensions; i++) {
        uint32_t extent = grid->extent[i].value;
        uint32_t from = source / stride % extent, to = destination / stride % extent;
        if (grid->wraps[i] && (from + extent - to) % extent * 2 == extent)
            EQUAL(steps_in(hops, n, 2 * grid->n_dimensions, i, 0), extent / 2, topology->name);
        stride *= extent;
    }
}

/* The port up from level i-1 must be (d / W_{i-1}) mod w_i. The upper node of a
 * link is (a, b) with b = lower b + W_{i-1} * port. */
static void check_tree_rule(const struct topology *topology, const struct hop *hops, uint32_t n,
                            uint32_t destination)
{
    const struct tree *tree = topology_as_tree(topology);
    uint32_t below = 1; /* W_{i-1} */
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t from, to, width = below * tree->up[i].value;
        topology_link_ends(topology, hops[i].link, &from, &to);
        uint32_t place = to - topology->n_machines - tree->router_base[i];
        EQUAL(place % width / below, destination / below % tree->up[i].value, topology->name);
        below = width;
    }
}

static void check_rule(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    if (topology_as_grid(topology)) {
        check_grid_rule(topology, hops, n);
        check_ties(topology, hops, n, source, destination);
    } else if (topology_as_tree(topology)) {
        check_tree_rule(topology, hops, n, destination);
    }
}

static void check_routes(const struct topology *topology)
{
    uint32_t *distance = mem_alloc(n_nodes_of(topology), sizeof *distance), longest = 0;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < topology->n_machines; source++) {
        search(topology, source, distance);
        for (uint32_t to = 0; to < topology->n_machines; to++) {
            uint32_t n = topology_route(topology, source, to, hops);
            CU_ASSERT_FATAL(n <= topology->max_hops);
            EQUAL(n, distance[to], topology->name);
            check_path(topology, hops, n, source, to);
            check_rule(topology, hops, n, source, to);
            longest = n > longest ? n : longest;
        }
    }
    if (!topology_as_graph(topology))
        EQUAL(longest, topology->max_hops, topology->name);
    free(hops);
    free(distance);
}

/* Ids are dense, ends are nodes, every link has its reverse, and no two links
 * of an implicit shape other than a ring of two join the same nodes. */
static void check_links(const struct topology *topology)
{
    uint32_t n_nodes = n_nodes_of(topology), n_links = 0;
    int32_t *balance = mem_alloc((size_t)n_nodes * n_nodes, sizeof *balance);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        topology_link_ends(topology, link, &from, &to);
        CU_ASSERT_FATAL(from < n_nodes && to < n_nodes);
        if (!topology_has_link(topology, link))
            continue;
        CU_ASSERT(from != to);
        n_links++;
        balance[from * n_nodes + to]++;
    }
    for (uint32_t a = 0; a < n_nodes; a++)
        for (uint32_t b = 0; b < a; b++)
            EQUAL(balance[a * n_nodes + b], balance[b * n_nodes + a], topology->name);
    EQUAL(n_links, topology->n_links, topology->name);
    CU_ASSERT(!topology_has_link(topology, topology->n_link_ids));
    free(balance);
}

static void check_names(const struct topology *topology)
{
    char name[300];
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        topology_node_name(topology, machine, name, sizeof name);
        EQUAL(topology_find_machine(topology, name, strlen(name)), machine, name);
    }
    EQUAL(topology_find_machine(topology, "m", 1), topology->n_machines, "m");
    EQUAL(topology_find_machine(topology, "(0", 2), topology->n_machines, "(0");
    EQUAL(topology_find_machine(topology, "", 0), topology->n_machines, "no name");
}

static const char *const shapes[] = {
    "star:1",          "star:2",           "star:7",
    "full:1",          "full:2",           "full:7",
    "mesh:1",          "mesh:5",           "mesh:4x3",
    "mesh:2x2x2",      "mesh:3x1x4",       "torus:1",
    "torus:2",         "torus:3",          "torus:8",
    "torus:5x4",       "torus:2x2x2",      "torus:4x3x2",
    "torus:4x1x3",     "torus:6x5m",       "mesh:3x4tx2",
    "mesh:2x2x2x2x2x2", "torus:3x2x2x2x2", "torus:2x1x2x1x2x1x2x3",
    "fattree:4",       "fattree:1",        "fattree:4x3",
    "fattree:4x4x4",   "fattree:4x4x2,up=1x2x1", "fattree:3x2x4,up=2x3x2",
    "fattree:2x2x2x2", "fattree:2x2x2x2x2x2", "fattree:4x1,up=1x2",
    "fattree:1x4",     "fattree:3x1x3",    "star:5,ports=2",
};

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
            for (uint32_t i = 0; i < rows[way].n && is_right; i++) {
                const uint32_t link = rows[way].link + i * rows[way].link_stride;
                is_right = link >= next && link < topology->n_link_ids;
                topology_link_ends(topology, link, &from, &to);
                is_right = is_right && from == node && to == rows[way].node + i * rows[way].node_stride;
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

/* ---- strings ---- */

static void test_strings_round_trip(void)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct topology *topology = must_read(shapes[i]);
        struct text shape = {0};
        topology_shape(topology, &shape);
        struct topology *again = must_read(shape.data);
        EQUAL(again->fingerprint, topology->fingerprint, shapes[i]);
        CU_ASSERT_STRING_EQUAL(again->name, shape.data);
        text_free(&shape);
        topology_free(topology);
        topology_free(again);
    }
}

static void test_string_values(void)
{
    struct topology *tree = must_read("fattree:4x4,up=1x2,bw=1GB/s:2GB/s,lat=500ns:1us");
    struct topology *grid = must_read("torus:4x4,bw=1GB/s:3GB/s");
    struct hop hops[4];
    EQUAL(topology_route(tree, 0, 15, hops), 4, "over the top");
    for (uint32_t i = 0; i < 4; i++) {
        bool is_high = i == 1 || i == 2;
        EQUAL(topology_link_bandwidth(tree, hops[i].link), is_high ? 2000000000 : 1000000000, "bw");
        EQUAL(topology_link_latency(tree, hops[i].link), is_high ? 1000 : 500, "lat");
    }
    EQUAL(topology_route(grid, 0, 5, hops), 2, "x, then y");
    EQUAL(topology_link_bandwidth(grid, hops[0].link), 1000000000, "x");
    EQUAL(topology_link_bandwidth(grid, hops[1].link), 3000000000, "y");
    topology_free(tree);
    topology_free(grid);
    struct topology *topology = must_read("torus:4x4,lat=1.5us,bw=13.64Gb/s,ports=4");
    EQUAL(topology->latency, 1500, "lat");
    EQUAL(topology->bandwidth, 1705000000, "bw");
    EQUAL(topology->ports, 4, "ports");
    topology_free(topology);
    struct topology *star = must_read("star:3"), *slow = must_read("star:3,bw=1GB/s");
    EQUAL(star->bandwidth, TOPOLOGY_DEFAULT_BANDWIDTH, "default");
    EQUAL(star->latency, TOPOLOGY_DEFAULT_LATENCY, "default");
    CU_ASSERT(star->fingerprint != slow->fingerprint);
    topology_free(star);
    topology_free(slow);
}

static void test_units(void)
{
    static const struct { const char *text; enum value_result result; uint64_t value; } cases[] = {
        {"2GB/s", VALUE_OK, 2000000000},  {"100Gb/s", VALUE_OK, 12500000000},
        {"1KiB/s", VALUE_OK, 1024},       {"0.5MB/s", VALUE_OK, 500000},
        {"8bit/s", VALUE_OK, 1},          {"0.3B/s", VALUE_RANGE, 0},
        {"1000TB/s", VALUE_OK, UINT64_C(1000000000000000)},
        {"1001TB/s", VALUE_RANGE, 0},     {"0GB/s", VALUE_RANGE, 0},
        {"GB/s", VALUE_SYNTAX, 0},        {"2", VALUE_SYNTAX, 0},
        {"2.GB/s", VALUE_SYNTAX, 0},      {".5GB/s", VALUE_SYNTAX, 0},
        {"1.2.3GB/s", VALUE_SYNTAX, 0},   {"-2GB/s", VALUE_SYNTAX, 0},
        {"2GB/sec", VALUE_SYNTAX, 0},     {"9999999999999999999B/s", VALUE_RANGE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 0;
        struct slice slice = {cases[i].text, strlen(cases[i].text)};
        EQUAL(parse_bandwidth(slice, &value), cases[i].result, cases[i].text);
        if (cases[i].result == VALUE_OK)
            EQUAL(value, cases[i].value, cases[i].text);
    }
}

static void test_bad_strings(void)
{
    static const struct { const char *spec; uint32_t code; uint32_t column; } cases[] = {
        {"tor:8x8", CODE_T001, 1},            {"star:", CODE_T001, 6},
        {"star:x", CODE_T001, 6},             {"star:8x", CODE_T001, 8},
        {"star:8x8", CODE_T001, 6},           {"full:8t", CODE_T001, 6},
        {"star:0", CODE_T006, 6},             {"mesh:0x3", CODE_T006, 6},
        {"mesh:3y4", CODE_T001, 7},           {"mesh:3x-4", CODE_T001, 8},
        {"star:1073741825", CODE_T006, 6},    {"full:65537", CODE_T006, 6},
        {"mesh:1048577", CODE_T006, 6},       {"torus:1024x1024x1025", CODE_T006, 7},
        {"torus:1024x1024x1024", CODE_T006, 7}, /* links */
        {"mesh:99999999999", CODE_T006, 6},   {"mesh:1x1x1x1x1x1x1x1x1", CODE_T006, 22},
        {"fattree:65536x32768,up=1x1", CODE_T006, 9},
        {"fattree:65536x65536", CODE_T006, 9}, {"fattree:4x0", CODE_T006, 9},
        {"fattree:4x4,up=1x0", CODE_T006, 9}, {"fattree:4x4,up=1", CODE_T001, 16},
        {"fattree:4x4,up=1x4m", CODE_T001, 16},
        {"fattree:4x4x4,up=1x65536x65536", CODE_T006, 9},
        {"star:8,up=1", CODE_T001, 11},       {"star:8,", CODE_T001, 8},
        {"star:8,bw", CODE_T001, 8},          {"star:8,,bw=2GB/s", CODE_T001, 8},
        {"star:8,bw=", CODE_T001, 11},        {"star:8,bw=2", CODE_T001, 11},
        {"star:8,bw=0B/s", CODE_T006, 11},    {"star:8,lat=5", CODE_T001, 12},
        {"star:8,lat=1001s", CODE_T006, 12},  {"star:8,bw=1B/s,bw=1B/s", CODE_T001, 16},
        {"star:8,ports=0", CODE_T006, 14},    {"star:8,ports=x", CODE_T001, 14},
        {"star:8,slots=4", CODE_T001, 8},     {"star:8 ", CODE_T001, 7},
        {"star:8\xff", CODE_I003, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diagnostics diagnostics = {0};
        struct topology *topology = topology_read(cases[i].spec, &diagnostics);
        EQUAL(topology != NULL, false, cases[i].spec);
        CU_ASSERT_FATAL(diagnostics.first != NULL);
        EQUAL(diagnostics.first->code, cases[i].code, cases[i].spec);
        EQUAL(diagnostics.first->position.line, 1, cases[i].spec);
        EQUAL(diagnostics.first->position.column, cases[i].column, cases[i].spec);
        topology_free(topology);
        diagnostics_free(&diagnostics);
    }
}

/* Every mistake in the options shows in one run. */
static void test_bad_options_all_reported(void)
{
    struct diagnostics diagnostics = {0};
    CU_ASSERT(!topology_read("star:8,bw=2,lat=x,foo=1", &diagnostics));
    EQUAL(diagnostics.n_of_code[CODE_T001], 3, "three bad options");
    diagnostics_free(&diagnostics);
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
            search(topology, to, distance); /* cables go both ways */
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

/* ---- files ---- */

/* Real and made fabrics and what is in them. The longest route of dualrail8 has 2
 * links; 3 is a bound, because its machines have two cables. */
static const struct { const char *file; uint32_t machines, routers, links, hops; } fabrics[] = {
    {"examples/clusters/star24.txt", 24, 1, 48, 2},
    {"examples/clusters/ft2_4s8l64h.txt", 64, 12, 192, 4},
    {"examples/clusters/ft2_4s8l64h-ports.txt", 64, 12, 192, 4},
    {"examples/clusters/ft2_8s8l64h.txt", 64, 16, 256, 4},
    {"examples/clusters/torus4x4x4.txt", 64, 64, 512, 8},
    {"examples/clusters/dualrail8.txt", 8, 2, 34, 3},
    {"examples/clusters/loginoff-qdr-fdr10-2014.txt", 144, 8, 384, 4},
    {"examples/clusters/plafrim1.txt", 125, 9, 402, 7},
    {"examples/clusters/naruse2010.xml", 24, 1, 48, 2},
};

static struct topology *read_text(const char *text, size_t length, struct diagnostics *diagnostics)
{
    char name[] = "/tmp/collc-test-XXXXXX";
    int descriptor = mkstemp(name);
    CU_ASSERT_FATAL(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fwrite(text, 1, length, file);
    fclose(file);
    struct topology *topology = topology_read(name, diagnostics);
    remove(name);
    return topology;
}

static void check_xml_round_trip(const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct text xml = {0};
    const char *problem = NULL;
    xml_format.write(topology, &xml, &problem);
    struct topology *again = read_text(xml.data, xml.length, &diagnostics);
    CU_ASSERT_FATAL(again != NULL);
    EQUAL(again->fingerprint, topology->fingerprint, topology->name);
    EQUAL(again->n_links, topology->n_links, topology->name);
    topology_free(again);
    text_free(&xml);
    diagnostics_free(&diagnostics);
}

static void test_fabrics(void)
{
    for (size_t i = 0; i < sizeof fabrics / sizeof *fabrics; i++) {
        struct topology *topology = must_read(fabrics[i].file);
        EQUAL(topology->n_machines, fabrics[i].machines, fabrics[i].file);
        EQUAL(topology->n_routers, fabrics[i].routers, fabrics[i].file);
        EQUAL(topology->n_links, fabrics[i].links, fabrics[i].file);
        EQUAL(topology->max_hops, fabrics[i].hops, fabrics[i].file);
        check_names(topology);
        check_routes(topology);
        check_xml_round_trip(topology);
        topology_free(topology);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct topology *topology = must_read(shapes[i]);
        check_xml_round_trip(topology);
        topology_free(topology);
    }
}

/* The two layouts of one fabric are one topology. */
static void test_layouts_agree(void)
{
    struct topology *blocks = must_read("examples/clusters/ft2_4s8l64h.txt");
    struct topology *ports = must_read("examples/clusters/ft2_4s8l64h-ports.txt");
    EQUAL(blocks->fingerprint, ports->fingerprint, "layouts");
    topology_free(blocks);
    topology_free(ports);
}

static void test_fabric_details(void)
{
    struct topology *topology = must_read("examples/clusters/loginoff-qdr-fdr10-2014.txt");
    uint32_t stage = topology_find_machine(topology, "stage114", 8);
    CU_ASSERT_FATAL(stage < topology->n_machines);
    struct hop hops[8];
    uint32_t other = topology_find_machine(topology, "stage134", 8);
    CU_ASSERT_FATAL(other < topology->n_machines);
    uint32_t n = topology_route(topology, stage, other, hops);
    EQUAL(n, 4, "two leaves");
    EQUAL(topology_link_bandwidth(topology, hops[0].link), 4000000000u, "4xQDR");
    EQUAL(topology_link_bandwidth(topology, hops[1].link), 5000000000u, "4xFDR10");
    topology_free(topology);
    struct topology *rails = must_read("examples/clusters/dualrail8.txt");
    char name[32];
    topology_node_name(rails, 3, name, sizeof name);
    CU_ASSERT_STRING_EQUAL(name, "node003"); /* in the order of names */
    EQUAL(topology_route(rails, 0, 3, hops), 2, "same rail");
    topology_free(rails);
}

/* A dump cut anywhere ends in a topology or in an error, never in silence. */
static void test_truncated(void)
{
    static const char *const files[] = {"examples/clusters/dualrail8.txt",
                                        "examples/clusters/ft2_4s8l64h-ports.txt",
                                        "examples/clusters/naruse2010.xml"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct arena arena = {0};
        struct diagnostics none = {0};
        const struct source *source = source_read(files[i], 1 << 20, &arena, &none);
        CU_ASSERT_FATAL(source != NULL);
        size_t step = source->length > 10000 ? 97 : 7;
        for (size_t cut = 0; cut < source->length; cut++) {
            bool line_end = cut && source->text[cut - 1] == '\n';
            if (!line_end && cut % step)
                continue;
            struct diagnostics diagnostics = {0};
            struct topology *topology = read_text(source->text, cut, &diagnostics);
            CU_ASSERT((topology != NULL) == !diagnostics_has_errors(&diagnostics));
            topology_free(topology);
            diagnostics_free(&diagnostics);
        }
        arena_free(&arena);
    }
}

/* ---- formats ---- */

struct listed_format {
    const char *spelling;
    const struct topology_format *format;
};
static const struct listed_format readers[] = {
#define READS(name, spelling, title) {spelling, &name##_format},
#include "network/formats/formats.def"
};
static const struct listed_format writers[] = {
#define WRITES(name, spelling, title) {spelling, &name##_format},
#include "network/formats/formats.def"
};

/* The page of formats has the spelling, as code. */
static void check_page(const char *spelling)
{
    struct diagnostics diagnostics = {0};
    const struct source *page =
        source_read("docs/formats.md", 1 << 20, &diagnostics.arena, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(page);
    bool is_there = strstr(page->text, diagnostics_text(&diagnostics, "`%s`", spelling));
    if (!is_there)
        printf("\n  docs/formats.md does not name %s", spelling);
    CU_ASSERT(is_there);
    diagnostics_free(&diagnostics);
}

/* Every line of formats.def is what the record in the folder can do, and is told in the page. */
static void test_formats(void)
{
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const struct topology_format *format = readers[i].format;
        int n_readers = !!format->read + !!format->read_files + !!format->read_with_parts;
        EQUAL(format->is && n_readers == 1, true, readers[i].spelling);
        check_page(readers[i].spelling);
        bool is_written = topology_writer_find(readers[i].spelling);
        EQUAL(is_written, format->write != NULL, readers[i].spelling);
    }
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        EQUAL(topology_writer_find(writers[i].spelling) == writers[i].format->write &&
                  writers[i].format->write,
              true, writers[i].spelling);
        check_page(writers[i].spelling);
    }
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("topology", NULL, NULL);
    CU_add_test(suite, "divider", test_divider);
    CU_add_test(suite, "every route of small shapes", test_shapes);
    CU_add_test(suite, "longest routes", test_longest_routes);
    CU_add_test(suite, "grids of 1 to 8 dimensions", test_grid_counts);
    CU_add_test(suite, "load of shift permutations", test_shifts);
    CU_add_test(suite, "strings round trip", test_strings_round_trip);
    CU_add_test(suite, "values in strings", test_string_values);
    CU_add_test(suite, "units", test_units);
    CU_add_test(suite, "bad strings", test_bad_strings);
    CU_add_test(suite, "all bad options", test_bad_options_all_reported);
    CU_add_test(suite, "large shapes", test_large);
    CU_add_test(suite, "routes of graphs", test_graph_routes);
    CU_add_test(suite, "graphs not connected", test_graph_gaps);
    CU_add_test(suite, "fabrics from files", test_fabrics);
    CU_add_test(suite, "two layouts of one fabric", test_layouts_agree);
    CU_add_test(suite, "rates and names of a real fabric", test_fabric_details);
    CU_add_test(suite, "truncated files", test_truncated);
    CU_add_test(suite, "formats", test_formats);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
