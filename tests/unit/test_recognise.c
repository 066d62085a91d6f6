/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recognition of regular shapes: every small shape, its nodes renamed and its cables
 * shuffled, must be found again; with one cable moved, missing, doubled, slower or
 * exchanged with another it must not.
 */
#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/recognise.h"
#include "tests/unit/suite.h"
#include "network/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 20261;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

/* ---- shapes as explicit networks ---- */

/* An explicit network in the making: cables by the numbers of nodes. */
struct network {
    uint32_t n_machines, n_nodes, n_cables;
    struct graph_cable *cables;
};

static void add_cable(struct network *network, uint32_t a, uint32_t b, uint64_t bandwidth,
                      uint64_t latency)
{
    network->cables[network->n_cables++] = (struct graph_cable){{a, b}, bandwidth, latency};
}

/* The cables of an implicit shape; with switches, every node of a grid or full mesh is a
 * router with `hosts` machines of its own. */
static struct network network_of(const struct topology *shape, uint32_t hosts)
{
    uint32_t n_machines = hosts ? hosts * shape->n_machines : shape->n_machines;
    struct network network = {.n_machines = n_machines,
                              .n_nodes = hosts ? n_machines + shape->n_machines : shape->n_nodes};
    uint32_t shift = hosts ? n_machines : 0;
    network.cables = mem_alloc((size_t)shape->n_links + n_machines + 1, sizeof *network.cables);
    for (uint32_t link = 0; link < shape->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(shape, link))
            continue;
        topology_link_ends(shape, link, &from, &to);
        if (from < to)
            add_cable(&network, shift + from, shift + to, topology_link_bandwidth(shape, link),
                      topology_link_latency(shape, link));
    }
    for (uint32_t machine = 0; hosts && machine < n_machines; machine++)
        add_cable(&network, machine, n_machines + machine / hosts, 12500000000, 700);
    return network;
}

static void shuffle(uint32_t *numbers, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        numbers[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t other = random_below(i), kept = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = kept;
    }
}

static bool keeps_cables; /* in their order, which is that of the rails of a host */

/* The topology, nodes and cables in random order under random names. */
static struct topology *scatter(const struct network *network)
{
    uint32_t *order = mem_alloc(network->n_nodes + network->n_cables, sizeof *order);
    uint32_t *number = mem_alloc(network->n_nodes, sizeof *number);
    struct topology_settings settings = {.name = "scattered", .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct graph *graph = graph_new();
    shuffle(order, network->n_nodes);
    for (uint32_t i = 0; i < network->n_nodes; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "n%u", i);
        number[order[i]] =
            graph_add_node(graph, order[i] >= network->n_machines, name, (size_t)length);
    }
    shuffle(order, network->n_cables);
    for (uint32_t i = 0; i < network->n_cables; i++) {
        const struct graph_cable *cable = &network->cables[keeps_cables ? i : order[i]];
        uint32_t first = random_below(2);
        graph_add_cable(graph, number[cable->end[first]], number[cable->end[1 - first]],
                        cable->bandwidth, cable->latency);
    }
    free(order);
    free(number);
    graph_seal(graph);
    return topology_new_graph(&settings, graph);
}

/* Returns the shape that is recognised: the string, or "nearly ..." or "". Release with
 * text_free. */
static struct text answer_for(const struct network *network)
{
    struct topology *topology = scatter(network);
    struct recognition recognition;
    struct text text = {0};
    text_append(&text, "", 0);
    if (recognise(topology, &recognition))
        topology_shape(recognition.shape, &text);
    else if (recognition.nearly.length)
        text_printf(&text, "nearly %s", recognition.nearly.data);
    CU_ASSERT(!recognition.shape == !recognition.image);
    recognition_free(&recognition);
    topology_free(topology);
    return text;
}

static void expect(const struct network *network, const char *expected, const char *context)
{
    struct text text = answer_for(network);
    if (strcmp(text.data, expected) != 0)
        printf("\n  %s: '%s', expected '%s'", context, text.data, expected);
    CU_ASSERT_STRING_EQUAL(text.data, expected);
    text_free(&text);
}

static void expect_refused(const struct network *network, const char *context, const char *change)
{
    struct text text = answer_for(network);
    bool refused = !text.length || strncmp(text.data, "nearly ", 7) == 0;
    if (!refused)
        printf("\n  %s with %s: taken for '%s'", context, change, text.data);
    CU_ASSERT(refused);
    text_free(&text);
}

static struct topology *shape_named(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *shape = topology_read(spec, &diagnostics);
    if (!shape)
        printf("\n  cannot read '%s'", spec);
    CU_ASSERT_PTR_NOT_NULL_FATAL(shape);
    diagnostics_free(&diagnostics);
    return shape;
}

static void expect_one(const char *spec, const char *expected, uint32_t hosts)
{
    struct topology *shape = shape_named(spec);
    struct network network = network_of(shape, hosts);
    expect(&network, expected, spec);
    free(network.cables);
    topology_free(shape);
}

/* With machines cabled to each other, and with a switch at each. */
static void expect_both(const char *spec, const char *expected)
{
    expect_one(spec, expected, 0);
    expect_one(spec, expected, 1);
}

static void expect_tree(const char *spec, const char *expected)
{
    expect_one(spec, expected, 0);
}

/* ---- every small grid ---- */

struct axis {
    uint32_t extent;
    bool wraps;
};

static int compare_axes(const void *left, const void *right)
{
    const struct axis *a = left, *b = right;
    if (a->extent != b->extent)
        return a->extent < b->extent ? 1 : -1;
    return (int)b->wraps - (int)a->wraps;
}

static void print_axes(const struct axis *axes, uint32_t n, char *out, size_t size)
{
    bool any_wraps = false;
    for (uint32_t i = 0; i < n; i++)
        any_wraps = any_wraps || axes[i].wraps;
    int at = snprintf(out, size, "%s:", any_wraps ? "torus" : "mesh");
    for (uint32_t i = 0; i < n; i++)
        at += snprintf(out + at, size - (size_t)at, "%s%u%s", i ? "x" : "", axes[i].extent,
                       any_wraps && !axes[i].wraps ? "m" : "");
}

/* The canonical name as network/recognise.h states it; links are alike. */
static void canonical(const struct axis *axes, uint32_t n, char *out, size_t size)
{
    struct axis sorted[8];
    uint32_t n_sorted = 0, n_pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i].extent == 2 && !axes[i].wraps)
            n_pairs++;
        else
            sorted[n_sorted++] = axes[i];
    }
    for (; n_pairs >= 2; n_pairs -= 2)
        sorted[n_sorted++] = (struct axis){4, true};
    if (n_pairs)
        sorted[n_sorted++] = (struct axis){2, false};
    qsort(sorted, n_sorted, sizeof *sorted, compare_axes);
    print_axes(sorted, n_sorted, out, size);
    if (strcmp(out, "mesh:2") == 0 || strcmp(out, "torus:3") == 0)
        snprintf(out, size, "full:%u", sorted[0].extent);
}

static uint32_t check_grids(struct axis *axes, uint32_t n, uint32_t n_machines)
{
    uint32_t n_checked = 0, start = n ? axes[n - 1].extent : 2;
    if (n) {
        char spec[80], expected[80];
        print_axes(axes, n, spec, sizeof spec);
        canonical(axes, n, expected, sizeof expected);
        if (n_machines < 60)
            expect_both(spec, expected);
        else
            expect_one(spec, expected, random_below(2));
        n_checked++;
    }
    const uint32_t most = by_form(is_least() ? 100 : 200, 300, 300);
    for (uint32_t extent = start; n < 4 && extent <= 9 && n_machines * extent <= most; extent++)
        for (int wraps = 0; wraps < 2; wraps++) {
            axes[n] = (struct axis){extent, wraps};
            n_checked += check_grids(axes, n + 1, n_machines * extent);
        }
    return n_checked;
}

static void test_grids(void)
{
    struct axis axes[8];
    uint32_t n_checked = check_grids(axes, 0, 1);
    CU_ASSERT(n_checked > enough(by_form(600, 900, 900)));
}

static void test_canonical_names(void)
{
    expect_both("mesh:2x2", "torus:4");
    expect_both("torus:2", "torus:2");
    expect_both("mesh:2x2x2", "torus:4x2m");
    expect_both("mesh:2x2x2x2", "torus:4x4");
    expect_both("mesh:2x2x2x2x2x2x2x2", "torus:4x4x4x4");
    expect_both("torus:4x4x4x2mx2m", "torus:4x4x4x4");
    expect_both("torus:1x1x5", "torus:5");
    expect_both("torus:3", "full:3");
    expect_both("mesh:1x2", "full:2");
    expect_both("full:7", "full:7");
    expect_both("torus:3x8x2m", "torus:8x3x2m");
    expect_both("torus:16x16", "torus:16x16");
    expect_tree("star:1", "star:1");
    expect_tree("fattree:1x1", "fattree:1x1");
}

static void test_link_classes(void)
{
    expect_both("torus:5x5,bw=1GB/s:2GB/s", "torus:5x5,bw=2GB/s:1GB/s");
    expect_both("mesh:2x2,bw=1GB/s:2GB/s", "mesh:2x2,bw=2GB/s:1GB/s");
    expect_both("torus:4x2m,lat=1us:2us", "torus:4x2m,lat=1us:2us");
    expect_both("mesh:2x2x2,lat=3us:2us:3us", "torus:4x2m,lat=3us:2us");
    expect_both("torus:6x6m,bw=2GB/s,lat=5us", "torus:6x6m,bw=2GB/s,lat=5us");
    expect_both("full:5,bw=3GB/s", "full:5,bw=3GB/s");
    expect_tree("fattree:4x4,up=1x2,bw=1GB/s:4GB/s,lat=500ns:1us",
                "fattree:4x4,up=1x2,bw=1GB/s:4GB/s,lat=500ns:1us");
    expect_tree("fattree:4x4x2,bw=1GB/s:1GB/s:2GB/s", "fattree:4x4x2,bw=1GB/s:1GB/s:2GB/s");
}

/* ---- every small fat tree ---- */

static void expect_tree_or_rails(const struct network *network, const char *expected)
{
    struct text text = answer_for(network);
    if (strcmp(text.data, expected) != 0 && strncmp(text.data, "rail:", 5) != 0)
        printf("\n  '%s', expected '%s'", text.data, expected);
    CU_ASSERT(strcmp(text.data, expected) == 0 || strncmp(text.data, "rail:", 5) == 0);
    text_free(&text);
}

static uint32_t check_trees(uint32_t *down, uint32_t *up, uint32_t n, uint32_t n_machines)
{
    uint32_t n_checked = 0;
    if (n) {
        const char *problem;
        struct topology_settings settings = {.latency = TOPOLOGY_DEFAULT_LATENCY};
        struct topology *tree = topology_new_tree(&settings, n, down, up, NULL, &problem);
        CU_ASSERT_PTR_NOT_NULL_FATAL(tree);
        struct network network = network_of(tree, 0);
        if (up[0] > 1) /* rails, where the cables of all hosts happen to be in one order */
            expect_tree_or_rails(&network, tree->name);
        else
            expect(&network, tree->name, tree->name);
        free(network.cables);
        topology_free(tree);
        n_checked++;
    }
    uint32_t most = n < 2 ? 6 : 3; /* children; fewer where there are many levels */
    for (uint32_t m = 1; n < 4 && m <= most; m++)
        for (uint32_t w = 1; w <= (n < 2 ? 3 : 2); w++) {
            if (n == 3 && random_below(8)) /* one of eight */
                continue;
            down[n] = m;
            up[n] = w;
            n_checked += check_trees(down, up, n + 1, n_machines * m);
        }
    return n_checked;
}

static void test_trees(void)
{
    uint32_t down[8], up[8];
    CU_ASSERT(check_trees(down, up, 0, 1) > 2000);
}

/* ---- near misses ---- */

static bool are_cabled(const struct network *network, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < network->n_cables; i++) {
        const uint32_t *end = network->cables[i].end;
        if ((end[0] == a && end[1] == b) || (end[0] == b && end[1] == a))
            return true;
    }
    return a == b;
}

/* One end goes to another router, or machine where there are no routers. */
static void move_cable(struct network *network, uint32_t cable)
{
    uint32_t first = network->n_nodes > network->n_machines ? network->n_machines : 0, to;
    uint32_t *end = network->cables[cable].end;
    uint32_t moved = end[1] >= first, tries = 0; /* routers have the higher numbers */
    do
        to = first + random_below(network->n_nodes - first);
    while (to == end[moved] || to == end[1 - moved] ||
           (++tries < 1000 && are_cabled(network, end[1 - moved], to)));
    end[moved] = to; /* in a full mesh it doubles another */
}

/* a-b and c-d become a-d and c-b; every node keeps its number of cables. */
static void exchange(struct network *network, uint32_t cable)
{
    uint32_t other, *one = network->cables[cable].end, *two;
    do {
        other = random_below(network->n_cables);
        two = network->cables[other].end;
    } while (are_cabled(network, one[0], two[1]) || are_cabled(network, two[0], one[1]));
    uint32_t kept = one[1];
    one[1] = two[1];
    two[1] = kept;
}

static void check_near_misses(const struct topology *shape, uint32_t hosts, bool can_exchange)
{
    static const char *const changes[] = {"a cable moved", "a cable missing", "a cable doubled",
                                          "a slow cable", "a late cable", "ends exchanged"};
    for (int change = 0; change < 5 + can_exchange; change++) {
        struct network network = network_of(shape, hosts);
        uint32_t cable = random_below(network.n_cables);
        struct graph_cable *chosen = &network.cables[cable];
        switch (change) {
        case 0: move_cable(&network, cable); break;
        case 1: *chosen = network.cables[--network.n_cables]; break;
        case 2: network.cables[network.n_cables++] = *chosen; break;
        case 3: chosen->bandwidth--; break;
        case 4: chosen->latency++; break;
        default: exchange(&network, cable); break;
        }
        expect_refused(&network, shape->name, changes[change]);
        free(network.cables);
    }
}

static void test_near_misses(void)
{
    static const char *const grids[] = {
        "torus:4x4x4", "torus:5x5", "mesh:4x4",  "mesh:3x3x3",    "torus:3x3x3", "torus:2x4x4",
        "torus:4x4",   "torus:2x7",   "mesh:7x3",  "torus:5x4x3m",  "mesh:9x9",    "torus:2x2x2",
        "full:8",      "torus:3x4", "torus:6x5m", "mesh:2x2x2x2x2", "torus:9x3"};
    static const char *const trees[] = {"fattree:4x4", "fattree:4x4x4", "fattree:8x4,up=1x2",
                                        "fattree:2x2x2x2", "fattree:4x3,up=2x2", "star:9",
                                        "fattree:4x3,up=1x2,cables=1x3",
                                        "fattree:3x2x2,up=1x2x1,cables=1x2x4"};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct topology *shape = shape_named(grids[i]);
        bool is_large = shape->n_machines > 24 && strcmp(grids[i], "mesh:2x2x2x2x2") != 0;
        for (int again = 0; again < 20; again++)
            for (uint32_t hosts = 0; hosts <= 1; hosts++)
                check_near_misses(shape, hosts, is_large && hosts == 0);
        topology_free(shape);
    }
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        struct topology *shape = shape_named(trees[i]);
        for (int again = 0; again < 20; again++)
            if (shape->n_routers > 1)
                check_near_misses(shape, 0, false);
        topology_free(shape);
    }
}

/* ---- rails ---- */

static void test_rails(void)
{
    static const char *const rails[] = {"rail:4x2", "rail:8x4,up=3", "rail:3x3,up=0", "rail:1x2,up=0",
                                        "rail:4x2x3", "rail:4x2x3,up=2", "rail:4x3x2,up=2x0", "rail:3x2x2,up=2x3",
                                        "rail:3x2,up=1x2", "rail:5x8,up=2x1,bw=1GB/s:2GB/s,lat=2us:3us",
                                        "rail:4x2,up=0,bw=8GB/s"};
    keeps_cables = true;
    for (size_t i = 0; i < sizeof rails / sizeof *rails; i++) {
        struct topology *shape = shape_named(rails[i]);
        struct text text = {0};
        topology_shape(shape, &text);
        CU_ASSERT_STRING_EQUAL(text.data, rails[i]);
        text_free(&text);
        for (int again = 0; again < 10; again++) {
            struct network network = network_of(shape, 0);
            expect(&network, rails[i], rails[i]);
            free(network.cables);
            if (shape->n_machines > 2 && shape->n_routers > 3)
                check_near_misses(shape, 0, false);
        }
        topology_free(shape);
    }
    keeps_cables = false;
}

/* Groups are as good in one order as in another where each spine has cables to each other group; else what
 * is known is the number of cables between groups. */
static void test_dragonfly(void)
{
    static const char *const equal[] = {"dragonfly+:4x4x5", "dragonfly+:2x3x3,up=2x4", "dragonfly+:1x2x3",
                                        "dragonfly+:2x4x4,up=3,bw=1GB/s:2GB/s:3GB/s,lat=1us:2us:3us"};
    static const char *const dealt[] = {"dragonfly+:2x3x7,up=6x2", "dragonfly+:4x4x9,up=8x1",
                                        "dragonfly+:4x2x3,up=4x1", "dragonfly+:2x2x4,up=2x3"};
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        struct topology *shape = shape_named(equal[i]);
        for (int again = 0; again < 10; again++) {
            struct network network = network_of(shape, 0);
            expect(&network, equal[i], equal[i]);
            free(network.cables);
            check_near_misses(shape, 0, false);
        }
        topology_free(shape);
    }
    for (size_t i = 0; i < sizeof dealt / sizeof *dealt; i++) {
        struct topology *shape = shape_named(dealt[i]);
        struct network network = network_of(shape, 0);
        struct text text = answer_for(&network);
        if (!strstr(text.data, dealt[i]))
            printf("\n  '%s', expected '%s'", text.data, dealt[i]);
        CU_ASSERT_PTR_NOT_NULL(strstr(text.data, dealt[i]));
        text_free(&text);
        free(network.cables);
        topology_free(shape);
    }
}

/* The cables of machines at switches are not in the shape, but may be no narrower. */
static void test_host_cables(void)
{
    static const struct {
        const char *spec, *expected;
        uint64_t bandwidth; /* of the machines' cables */
    } cases[] = {
        {"full:4,bw=5GB/s", "full:4,bw=5GB/s", 5000000000},
        {"full:4,bw=5GB/s", "nearly full:4 but the machines' cables are narrower", 4999999999},
        /* four processors cabled to each other, with a GPU each on a PCI link */
        {"full:4,bw=16GB/s", "nearly full:4 but the machines' cables are narrower", 12000000000},
        {"torus:5x4,bw=1GB/s:2GB/s", "torus:5x4,bw=1GB/s:2GB/s", 2000000000},
        {"torus:5x4,bw=1GB/s:2GB/s", "nearly torus:5x4 but the machines' cables are narrower",
         1500000000},
        {"mesh:7,bw=1GB/s", "nearly mesh:7 but the machines' cables are narrower", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topology *shape = shape_named(cases[i].spec);
        struct network network = network_of(shape, 1);
        for (uint32_t cable = network.n_cables - shape->n_machines; cable < network.n_cables;
             cable++)
            network.cables[cable].bandwidth = cases[i].bandwidth;
        expect(&network, cases[i].expected, cases[i].spec);
        free(network.cables);
        topology_free(shape);
    }
}

/* The report says of a network that it is nearly regular. */
static void test_nearly(void)
{
    struct topology *torus = shape_named("torus:5x4");
    struct network network = network_of(torus, 2);
    expect(&network, "nearly torus:5x4 of switches with 2 machines each", "two machines");
    network.cables[0].bandwidth /= 2;
    expect(&network,
           "nearly torus:5x4 of switches with 2 machines each but for the bandwidth or latency "
           "of some cables",
           "two machines and a slow cable");
    free(network.cables);
    struct topology *tree = shape_named("fattree:4x4,up=1x2");
    network = network_of(tree, 0);
    uint32_t n = network.n_cables;
    network.cables = mem_resize(network.cables, 2 * (size_t)n, sizeof *network.cables);
    for (uint32_t i = 0; i < n; i++)
        if (network.cables[i].end[0] >= network.n_machines)
            network.cables[network.n_cables++] = network.cables[i];
    expect(&network, "fattree:4x4,up=1x2,cables=1x2", "parallel cables");
    network.n_cables--;
    expect(&network, "nearly fattree:4x4,up=1x2 but for parallel cables", "a parallel cable too few");
    free(network.cables);
    topology_free(torus);
    topology_free(tree);
}

/* ---- the proof, by itself ---- */

/* The true image of a grid, written by hand, passes; any two nodes exchanged that are no
 * symmetry do not. */
static void test_check(void)
{
    struct topology *shape = shape_named("mesh:3x2");
    struct network network = network_of(shape, 0);
    struct graph *graph = graph_new();
    uint32_t image[6];
    for (uint32_t i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), 0};
        graph_add_node(graph, false, name, 1);
        image[i] = i;
    }
    for (uint32_t i = 0; i < network.n_cables; i++)
        graph_add_cable(graph, network.cables[i].end[0], network.cables[i].end[1],
                        network.cables[i].bandwidth, network.cables[i].latency);
    graph_seal(graph);
    CU_ASSERT(recognition_check(graph, 0, shape, image, LIKE_EXACTLY));
    uint32_t turned[] = {5, 4, 3, 2, 1, 0}, exchanged[] = {1, 0, 2, 3, 4, 5};
    uint32_t twice[] = {0, 0, 2, 3, 4, 5}, outside[] = {0, 1, 2, 3, 4, 6};
    CU_ASSERT(recognition_check(graph, 0, shape, turned, LIKE_EXACTLY));
    CU_ASSERT(!recognition_check(graph, 0, shape, exchanged, LIKE_IN_PAIRS));
    CU_ASSERT(!recognition_check(graph, 0, shape, twice, LIKE_IN_PAIRS));
    CU_ASSERT(!recognition_check(graph, 0, shape, outside, LIKE_IN_PAIRS));
    graph->cables[2].latency++;
    CU_ASSERT(!recognition_check(graph, 0, shape, image, LIKE_EXACTLY));
    CU_ASSERT(recognition_check(graph, 0, shape, image, LIKE_IN_CABLES));
    graph_free(graph);
    free(network.cables);
    topology_free(shape);
}

/* Networks without any structure end in a plain no. */
static void test_random_networks(void)
{
    for (int again = 0; again < 300; again++) {
        uint32_t n_machines = 1 + random_below(12), n_routers = random_below(8);
        struct network network = {.n_machines = n_machines, .n_nodes = n_machines + n_routers};
        uint32_t n_cables = random_below(40);
        network.cables = mem_alloc(n_cables + 1, sizeof *network.cables);
        for (uint32_t i = 0; i < n_cables && network.n_nodes > 1; i++) {
            uint32_t a = random_below(network.n_nodes), b = random_below(network.n_nodes - 1);
            add_cable(&network, a, b + (b >= a), 1000000000, 1000);
        }
        struct text text = answer_for(&network);
        CU_ASSERT(text.data != NULL);
        text_free(&text);
        free(network.cables);
    }
}

UNIT_PROGRAM(test_recognise)
{
    CU_TestInfo tests[] = {
        {"every small grid, renamed", test_grids},
        {"every small fat tree, renamed", test_trees},
        {"canonical names", test_canonical_names},
        {"links that differ by dimension or level", test_link_classes},
        {"cables of machines at switches", test_host_cables},
        {"near misses are refused", test_near_misses},
        {"rails", test_rails},
        {"Dragonfly+", test_dragonfly},
        {"what a network is nearly", test_nearly},
        {"the proof without the search", test_check},
        {"random networks", test_random_networks},
        CU_TEST_INFO_NULL,
    };
    return run_suite("recognise", tests);
}
