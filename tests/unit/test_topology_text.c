/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies as text: strings and their units, the files of real fabrics and what is known of these, files
 * that are cut off, and the list of formats.
 */
#include "base/text/units.h"
#include "base/codes.h"
#include "network/formats/formats.h"
#include "tests/unit/suite.h"
#include "tests/unit/topology_checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

UNIT_PROGRAM(test_topology_text)
{
    CU_TestInfo tests[] = {{"strings round trip", test_strings_round_trip},
                           {"values in strings", test_string_values},
                           {"units", test_units},
                           {"bad strings", test_bad_strings},
                           {"all bad options", test_bad_options_all_reported},
                           {"fabrics from files", test_fabrics},
                           {"two layouts of one fabric", test_layouts_agree},
                           {"rates and names of a real fabric", test_fabric_details},
                           {"truncated files", test_truncated},
                           {"formats", test_formats},
                           CU_TEST_INFO_NULL};
    return run_suite("topology as text", tests);
}
