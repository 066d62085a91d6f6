/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies as subnets: the network and the tables that are written must, read again,
 * lead every message over the same switches as the topology they were made of.
 */
#include "base/codes.h"
#include "base/text/windows.h"
#include "network/formats/opensm/lft.h"
#include "network/formats/formats.h"
#include "network/formats/infiniband/subnet_plan.h"
#include "tests/unit/suite.h"
#include "network/full.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct topology *make(const char *spec, struct diagnostics *diagnostics)
{
    struct topology *topology = topology_read(spec, diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    return topology;
}

static const struct source *written(topology_writer *write, const struct topology *topology,
                                    struct diagnostics *diagnostics)
{
    struct text text = {0};
    const char *problem = NULL;
    CU_ASSERT_FATAL(write(topology, &text, &problem));
    const struct source *source =
        source_of_text("written", text.data, text.length, &diagnostics->arena);
    text_free(&text);
    return source;
}

static void add_name(const struct topology *topology, uint32_t node, struct text *out)
{
    char name[256];
    topology_node_name(topology, node, name, sizeof name);
    char *own = strstr(name, " switch"); /* of a machine that forwards */
    if (own)
        *own = '\0';
    text_printf(out, " %s", name);
}

/* The switches on a route; on a grid and a full mesh the machines themselves. */
static void print_switches(const struct topology *topology, uint32_t source, uint32_t destination,
                           struct text *out)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    bool is_direct = topology->machines_forward || topology_is_full(topology);
    uint32_t n = topology_route(topology, source, destination, hops), from, to;
    CU_ASSERT(n > 0);
    if (is_direct)
        add_name(topology, source, out);
    for (uint32_t i = 0; i < n; i++) {
        topology_link_ends(topology, hops[i].link, &from, &to);
        if (is_direct || to >= topology->n_machines)
            add_name(topology, to, out);
    }
    free(hops);
}

static void compare_routes(const struct topology *topology, const struct topology *again,
                           const char *spec)
{
    for (uint32_t source = 0; source < topology->n_machines; source++)
        for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
            struct text one = {0}, other = {0};
            char name[256];
            if (source == destination)
                continue;
            topology_node_name(topology, source, name, sizeof name);
            uint32_t from = topology_find_machine(again, name, strlen(name));
            topology_node_name(topology, destination, name, sizeof name);
            uint32_t to = topology_find_machine(again, name, strlen(name));
            CU_ASSERT_FATAL(from < again->n_machines && to < again->n_machines);
            print_switches(topology, source, destination, &one);
            print_switches(again, from, to, &other);
            if (strcmp(one.data, other.data) != 0)
                printf("\n  %s: route%s became%s", spec, one.data, other.data);
            CU_ASSERT_STRING_EQUAL(one.data, other.data);
            text_free(&one);
            text_free(&other);
        }
}

static void check_reader(const struct topology_format *format, const struct topology *topology,
                         const char *spec)
{
    struct diagnostics diagnostics = {0};
    const struct source *network = written(ibsim_format.write, topology, &diagnostics);
    const struct source *tables = written(lfts_format.write, topology, &diagnostics);
    struct lft_text text = {.source = tables};
    struct lft_request request = {&text, 1, "tables", false};
    struct topology *again = topology_read_source(format, network, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    CU_ASSERT(lft_apply(again, &request, &diagnostics));
    compare_routes(topology, again, spec);
    CU_ASSERT(!diagnostics.first);
    topology_free(again);
    diagnostics_free(&diagnostics);
}

static void check_spec(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = make(spec, &diagnostics);
    check_reader(&ibsim_format, topology, spec);
    check_reader(&ibnetdiscover_format, topology, spec);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_routes_stay(void)
{
    static const char *const specs[] = {"star:5", "fattree:4x4", "fattree:4x4,up=1x2",
                                        "fattree:2x3x4", "fattree:3x2x2,up=1x3x2",
                                        "fattree:3x2,up=1x2,cables=1x2", "mesh:4x3", "torus:5x4", "torus:3x2x3", "torus:2", "torus:4x3mx2",
                                        "full:5", "examples/clusters/ft2_4s8l64h.txt",
                                        "examples/clusters/loginoff-qdr-fdr10-2014.txt"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_spec(specs[i]);
}

/* ---- the plan ---- */

static void test_plan_of_dump(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = make("examples/clusters/dualrail8.txt", &diagnostics);
    struct plan plan;
    const char *problem = NULL;
    CU_ASSERT_FATAL(plan_make(&plan, topology, &problem));
    CU_ASSERT_EQUAL(plan.n_switches, 2);
    CU_ASSERT_EQUAL(plan.n_devices, 18); /* 8 machines with two adapters each */
    for (uint32_t i = plan.n_switches; i < plan.n_devices; i++) {
        CU_ASSERT_EQUAL(plan.devices[i].adapter, (i - plan.n_switches) % 2 + 1);
        CU_ASSERT_EQUAL(plan.devices[i].guid, UINT64_C(0x2c90400000000) + 16 * (i - 2));
    }
    for (uint32_t i = 0; i < plan.n_ends; i++)
        CU_ASSERT_EQUAL(plan.ends[plan.ends[i].peer].peer, i);
    plan_free(&plan);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

/* A ring of two has two cables, + to + and - to -. */
static void test_plan_of_ring(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = make("torus:2", &diagnostics);
    struct plan plan;
    const char *problem = NULL;
    CU_ASSERT_FATAL(plan_make(&plan, topology, &problem));
    CU_ASSERT_EQUAL(plan.n_switches, 2);
    CU_ASSERT_EQUAL(plan.n_ends, 8); /* two cables, and one to each adapter */
    CU_ASSERT_EQUAL(plan.devices[0].n_ports, 3);
    CU_ASSERT_EQUAL(plan.devices[0].lid, 3);
    for (uint32_t link = 0; link < 4; link++) {
        uint32_t end = plan.end_of_link[link];
        CU_ASSERT_EQUAL(plan.ends[end].device, link / 2);
        CU_ASSERT_EQUAL(plan.ends[end].port, link % 2 + 1);
        CU_ASSERT_EQUAL(plan.ends[plan.ends[end].peer].device, 1 - link / 2);
    }
    plan_free(&plan);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

/* ---- tables larger than memory is given to them ---- */

enum { N_ENTRIES = 200000, WINDOW_LIMIT = 1 << 20 };

/* A table of 5 MB: a heading, then entries; the line `broken` has a byte that is no UTF-8. */
static void write_table(const char *path, uint32_t broken)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fprintf(file, "Unicast lids [0-1] of switch Lid 1 guid 0x0000000000000001 ('sw0'):\n");
    for (uint32_t line = 2; line < N_ENTRIES; line++)
        fprintf(file, "0x%04x 001 : (%s)\n", 1 + line % 40000, line == broken ? "\xff" : "node");
    CU_ASSERT(fclose(file) == 0);
}

/* Every line once, in its place, in windows that are small beside the file. */
static void test_windows(void)
{
    struct diagnostics diagnostics = {0};
    struct windows windows;
    const struct source *window;
    uint32_t line = 1, n_windows = 0;
    write_table("subnet-windows.txt", 0);
    CU_ASSERT_FATAL(windows_open(&windows, "subnet-windows.txt", 1 << 30, &diagnostics));
    for (; (window = windows_next(&windows)) != NULL; n_windows++) {
        CU_ASSERT_EQUAL(window->first_line, line);
        CU_ASSERT(window->length < WINDOW_LIMIT && strlen(window->text) == window->length);
        for (size_t i = 0; i < window->length; i++)
            line += window->text[i] == '\n';
    }
    CU_ASSERT_EQUAL(line, N_ENTRIES);
    CU_ASSERT(!windows.failed && n_windows > 10 && windows.capacity < 2 * WINDOW_LIMIT);
    windows_close(&windows);
    remove("subnet-windows.txt");
    diagnostics_free(&diagnostics);
}

struct entry_count {
    uint32_t n_entries;
    struct position position; /* of entry number 150,000 */
};

static void count_table(void *context, struct lines *lines, uint64_t guid, const char *at)
{
    (void)context, (void)lines, (void)guid, (void)at;
}

static void count_entry(void *context, struct lines *lines, const struct lft_entry *entry)
{
    struct entry_count *counted = context;
    (void)entry;
    if (++counted->n_entries == 150000)
        counted->position = lines_position(lines, lines->start, 6);
}

/* Messages about a line outlive its window. */
static void test_lines_of_windows(void)
{
    struct diagnostics diagnostics = {0};
    struct entry_count counted = {0};
    struct lft_listener listener = {&counted, count_table, count_entry};
    struct lft_text text = {.path = "subnet-lines.txt"};
    struct text out = {0};
    write_table(text.path, 0);
    CU_ASSERT(lft_read(&text, &listener, &diagnostics));
    CU_ASSERT_EQUAL(counted.n_entries, N_ENTRIES - 2);
    CU_ASSERT_EQUAL(counted.position.line, 150001);
    report(&diagnostics, CODE_T013, counted.position, "here");
    write_table(text.path, 170000);
    CU_ASSERT(!lft_read(&text, &listener, &diagnostics));
    diagnostics_print(&diagnostics, &out, false);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "150001 | 0x7532 001 : (node)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(out.data, "subnet-lines.txt:170000:15: error: byte 0xff"));
    text_free(&out);
    remove(text.path);
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_subnet)
{
    CU_TestInfo tests[] = {{"routes stay the same in tables", test_routes_stay},
                           {"plan of a dump", test_plan_of_dump},
                           {"plan of a ring", test_plan_of_ring},
                           {"a large file in windows", test_windows},
                           {"lines of windows stay", test_lines_of_windows},
                           CU_TEST_INFO_NULL};
    return run_suite("subnet", tests);
}
