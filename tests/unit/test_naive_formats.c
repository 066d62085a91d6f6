/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what collc reads in the files of fabrics with what a naive reader finds there: machines,
 * routers, and every cable with its ports and its bandwidth.
 */
#include "network/formats/formats.h"
#include "network/forwarding.h"
#include "network/graph.h"
#include "tests/unit/naive_fabric.h"
#include "tests/unit/random_network.h"
#include "tests/unit/suite.h"
#include "tests/unit/topology_checks.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- comparing ---- */

static void facts_of_topology(const struct topology *topology, struct naive_facts *facts)
{
    const struct graph *graph = topology_as_graph(topology);
    CU_ASSERT_FATAL(graph && graph->subnet);
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        naive_facts_add(facts, "%s %s", node < topology->n_machines ? "machine" : "router",
                        graph_name(graph, node));
    for (uint32_t link = 0; link < topology->n_link_ids; link += 2)
        naive_facts_add_cable(facts, graph_name(graph, graph_link_from(graph, link)),
                              graph->subnet->numbers[link], graph_name(graph, graph_link_to(graph, link)),
                              graph->subnet->numbers[link + 1], topology_link_bandwidth(topology, link));
    naive_facts_sort(facts);
}

static void compare(const struct source *source, const struct topology *topology)
{
    struct naive_facts naive = {0}, product = {0};
    naive_fabric_read(source->text, &naive);
    facts_of_topology(topology, &product);
    bool agree = naive.n == product.n;
    for (size_t i = 0; i < naive.n && i < product.n && agree; i++)
        if (strcmp(naive.items[i], product.items[i]) != 0) {
            printf("\n  %s: naive '%s', collc '%s'", source->path, naive.items[i], product.items[i]);
            agree = false;
        }
    if (naive.n != product.n)
        printf("\n  %s: naive has %zu facts, collc %zu", source->path, naive.n, product.n);
    CU_ASSERT(agree && naive.n > 0);
    naive_facts_free(&naive);
    naive_facts_free(&product);
}

static void compare_file(const char *path)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_read(path, 1 << 26, &arena, &diagnostics);
    CU_ASSERT_FATAL(source != NULL);
    struct topology *topology = must_read(path);
    compare(source, topology);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

/* ---- files ---- */

/* Compares the valid cases of the format; returns how many there are. */
static int compare_folder(const char *format)
{
    char folder[256], path[600];
    int n = 0;
    snprintf(folder, sizeof folder, "tests/golden/topology/%s", format);
    DIR *directory = opendir(folder);
    CU_ASSERT_FATAL(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".out") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%.*s.txt", folder, (int)(dot - entry->d_name), entry->d_name);
        compare_file(path);
        n++;
    }
    closedir(directory);
    return n;
}

static void test_golden(void)
{
    CU_ASSERT_EQUAL(compare_folder("ibnetdiscover"), 5);
    CU_ASSERT_EQUAL(compare_folder("iblinkinfo"), 3);
}

static void test_examples(void)
{
    static const char *const names[] = {
        "dualrail8", "ft2_4s8l64h-ports", "ft2_4s8l64h", "ft2_8s8l64h", "loginoff-qdr-fdr10-2014",
        "plafrim1",  "plafrim2-0",        "plafrim2-1",  "star24",      "torus4x4x4"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "examples/clusters/%s.txt", names[i]);
        compare_file(path);
    }
}

/* ---- random fabrics ---- */

enum { MAX_PORTS = 36, MAX_DRAWN = 40 };

struct drawn_node {
    char description[32];
    bool is_switch;
    int n_ports; /* that are cabled */
};
struct drawn_cable {
    int node[2], port[2], lanes, rate;
};
struct drawn {
    struct drawn_node nodes[MAX_DRAWN];
    struct drawn_cable cables[4 * MAX_DRAWN];
    int n_nodes, n_cables;
};

static const char *const rate_names[] = {"SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR"};
static const char *const rate_numbers[] = {"2.5",      "5.0",    "10.0",   "10.0", "14.0625",
                                           "25.78125", "53.125", "106.25", "212.5"};

static int draw(int n)
{
    return (int)random_number_below((uint32_t)n);
}

/* A switch uses its ports from 3 on: by these, iblinkinfo -l tells it from an adapter. */
static void draw_cable(struct drawn *drawn, int a, int b)
{
    static const int lanes[] = {1, 2, 4, 8, 12};
    struct drawn_cable *cable = &drawn->cables[drawn->n_cables++];
    *cable = (struct drawn_cable){.node = {a, b}, .lanes = lanes[draw(5)], .rate = draw(9)};
    for (int end = 0; end < 2; end++) {
        struct drawn_node *node = &drawn->nodes[cable->node[end]];
        cable->port[end] = ++node->n_ports + (node->is_switch ? 2 : 0);
    }
}

static void draw_fabric(struct drawn *drawn)
{
    const int n_switches = 1 + draw(5), n_machines = 2 + draw(10);
    *drawn = (struct drawn){.n_nodes = n_switches};
    for (int i = 0; i < n_switches; i++) {
        drawn->nodes[i].is_switch = true;
        snprintf(drawn->nodes[i].description, sizeof drawn->nodes[i].description, "sw %d;x/%d", i, draw(9));
        for (int times = i ? 1 + draw(2) : 0; times > 0; times--)
            draw_cable(drawn, draw(i), i);
    }
    for (int i = 0; i < n_machines; i++)
        for (int adapter = 0, n = 1 + draw(2); adapter < n; adapter++) {
            struct drawn_node *node = &drawn->nodes[drawn->n_nodes];
            snprintf(node->description, sizeof node->description, draw(2) ? "n%d HCA-%d" : "n%d mlx5_%d", i,
                     adapter + 1);
            const int to = adapter ? draw(n_switches) : 0; /* all meet on one */
            draw_cable(drawn, drawn->n_nodes++, to);
        }
}

static unsigned guid(const struct drawn *drawn, int node, bool of_port)
{
    return 0x1000u + 16u * (unsigned)node + (of_port && !drawn->nodes[node].is_switch);
}

static void print_block(const struct drawn *drawn, int node, struct text *text)
{
    const struct drawn_node *n = &drawn->nodes[node];
    if (n->is_switch)
        text_printf(text, "Switch: 0x%016x %s:\n", guid(drawn, node, false), n->description);
    else
        text_printf(text, "CA: %s:\n", n->description);
}

static void print_discover(const struct drawn *drawn, int node, struct text *text)
{
    const struct drawn_node *n = &drawn->nodes[node];
    text_printf(text, "\n%s\t%d \"%c-%016x\"\t\t# \"%s\"%s\n", n->is_switch ? "Switch" : "Ca",
                n->is_switch ? MAX_PORTS : 1, n->is_switch ? 'S' : 'H', guid(drawn, node, false),
                n->description, n->is_switch ? " base port 0 lid 1 lmc 0" : "");
}

enum layout { DISCOVER, REPORT, LIST, BLOCKS, N_LAYOUTS };

/* Prints a cable as the layout does in the section of one of its ends. */
static void print_end(const struct drawn *drawn, const struct drawn_cable *cable, int end, enum layout layout,
                      struct text *text)
{
    const int node = cable->node[end], peer = cable->node[!end];
    const int port = cable->port[end], peer_port = cable->port[!end];
    const struct drawn_node *a = &drawn->nodes[node], *b = &drawn->nodes[peer];
    char own[24] = "", guid_of_peer[24] = "", speed[64];
    snprintf(speed, sizeof speed, "%dX %s Gbps%s Active/  LinkUp", cable->lanes, rate_numbers[cable->rate],
             cable->rate == 3 ? " (FDR10)" : "");
    if (!a->is_switch)
        snprintf(own, sizeof own, layout == BLOCKS ? "0x%016x" : "(%x)", guid(drawn, node, true));
    if (!b->is_switch)
        snprintf(guid_of_peer, sizeof guid_of_peer, "(%x)", guid(drawn, peer, true));
    if (layout == DISCOVER)
        text_printf(text, "[%d]%s \t\"%c-%016x\"[%d]%s \t\t# %s\"%s\" lid %d %dx%s\n", port, own,
                    b->is_switch ? 'S' : 'H', guid(drawn, peer, false), peer_port, guid_of_peer,
                    a->is_switch ? "" : "lid 7 lmc 0 ", b->description, peer + 1, cable->lanes,
                    rate_names[cable->rate]);
    else if (layout == REPORT)
        text_printf(text, "%s %5d %2d 0x%016x %dx %s - %s %5d %2d 0x%016x ( '%s' - '%s' )\n",
                    a->is_switch ? "SW" : "CA", node + 1, port, guid(drawn, node, true), cable->lanes,
                    rate_names[cable->rate], b->is_switch ? "SW" : "CA", peer + 1, peer_port,
                    guid(drawn, peer, true), a->description, b->description);
    else if (layout == LIST)
        text_printf(text, "0x%016x \"%30s\" %6d %4d[  ] ==( %s)==>  0x%016x %6d %4d[  ] \"%s\" ( )\n",
                    guid(drawn, node, true), a->description, node + 1, port, speed, guid(drawn, peer, true),
                    peer + 1, peer_port, b->description);
    else
        text_printf(text, "      %18s %6d %4d[  ] ==( %s)==> %6d %4d[  ] \"%s\" ( )\n", own, node + 1, port,
                    speed, peer + 1, peer_port, b->description);
}

static void print_fabric(const struct drawn *drawn, enum layout layout, struct text *text)
{
    for (int node = 0; node < drawn->n_nodes; node++) {
        if (layout == DISCOVER)
            print_discover(drawn, node, text);
        else if (layout == BLOCKS)
            print_block(drawn, node, text);
        for (int i = 0; i < drawn->n_cables; i++)
            for (int end = 0; end < 2; end++)
                if (drawn->cables[i].node[end] == node)
                    print_end(drawn, &drawn->cables[i], end, layout, text);
    }
}

static void compare_text(const struct text *text, enum layout layout)
{
    struct arena arena = {0};
    struct diagnostics diagnostics = {0};
    const struct source *source = source_of_text("drawn", text->data, text->length, &arena);
    struct topology *topology = topology_read_source(
        layout < LIST ? &ibnetdiscover_format : &iblinkinfo_format, source, &diagnostics);
    if (topology)
        compare(source, topology);
    else
        printf("\n%s", text->data);
    CU_ASSERT_FATAL(topology != NULL);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

static void test_drawn(void)
{
    random_network_seed(20);
    for (int seed = 0; seed < (IS_SHORT ? 10 : 60); seed++) {
        struct drawn drawn;
        draw_fabric(&drawn);
        for (enum layout layout = DISCOVER; layout < N_LAYOUTS; layout++) {
            struct text text = {0};
            print_fabric(&drawn, layout, &text);
            compare_text(&text, layout);
            text_free(&text);
        }
    }
}

UNIT_PROGRAM(test_naive_formats)
{
    CU_TestInfo tests[] = {{"valid cases of InfiniBand", test_golden},
                           {"examples of InfiniBand", test_examples},
                           {"drawn fabrics in each layout", test_drawn},
                           CU_TEST_INFO_NULL};
    return run_suite("naive_formats", tests);
}
