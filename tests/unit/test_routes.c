/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table routes against a walker that shares nothing with the product but the file:
 * it reads lines with sscanf, keeps tables in plain arrays by GUID and follows
 * ports one at a time. Every pair of every fabric must take the same links.
 */
#include "tests/unit/suite.h"
#include "network/formats/formats.h"
#include "base/codes.h"
#include "network/formats/opensm/tables.h"
#include "network/forwarding.h"
#include "network/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the naive walker ---- */

enum { MAX_NODES = 400, MAX_PORTS = 64, MAX_LIDS = 1024 };

struct naive_node {
    unsigned long long guid;
    bool is_switch;
    char name[128];
    int peer[MAX_PORTS], peer_port[MAX_PORTS]; /* -1: none */
    int table[MAX_LIDS];                       /* port, -1: none */
    int lid;
};

struct naive {
    struct naive_node nodes[MAX_NODES];
    int n;
};

static int naive_find(struct naive *naive, unsigned long long guid, bool is_switch)
{
    for (int i = 0; i < naive->n; i++)
        if (naive->nodes[i].guid == guid && naive->nodes[i].is_switch == is_switch)
            return i;
    struct naive_node *node = &naive->nodes[naive->n];
    memset(node, 0xff, sizeof *node); /* -1 everywhere */
    node->guid = guid;
    node->is_switch = is_switch;
    node->name[0] = '\0';
    return naive->n++;
}

static void naive_name(struct naive_node *node, const char *line)
{
    const char *open = strchr(strchr(line, '#'), '"');
    snprintf(node->name, sizeof node->name, "%.*s", (int)strcspn(open + 1, "\""), open + 1);
    char *adapter = strstr(node->name, " HCA-");
    if (adapter && !node->is_switch)
        *adapter = '\0';
}

/* The blocks of ibnetdiscover. */
static void naive_read_topology(struct naive *naive, const char *path)
{
    char line[512], kind, rest[512];
    unsigned long long guid;
    int node = -1, port, peer_port, lid;
    FILE *file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*[SwitchCa] %*d \"%c-%llx\"", &kind, &guid) == 2) {
            node = naive_find(naive, guid, kind == 'S');
            naive_name(&naive->nodes[node], line);
        } else if (sscanf(line, "[%d]%*[^\"]\"%c-%llx\"[%d]%511[^\n]", &port, &kind, &guid,
                          &peer_port, rest) == 5) {
            naive->nodes[node].peer[port] = naive_find(naive, guid, kind == 'S');
            naive->nodes[node].peer_port[port] = peer_port;
            if (strstr(rest, "# lid ") && sscanf(strstr(rest, "# lid "), "# lid %d", &lid) == 1)
                naive->nodes[node].lid = lid;
        }
    }
    fclose(file);
}

static void naive_read_tables(struct naive *naive, const char *path)
{
    char line[512];
    unsigned long long guid;
    unsigned lid, port;
    int node = -1;
    FILE *file = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (fgets(line, sizeof line, file)) {
        const char *at = strstr(line, " guid 0x");
        if (strncmp(line, "Unicast", 7) == 0 && sscanf(at, " guid 0x%llx", &guid) == 1)
            node = naive_find(naive, guid, true);
        else if (sscanf(line, "0x%x %u", &lid, &port) == 2)
            naive->nodes[node].table[lid] = (int)port;
    }
    fclose(file);
}

/* Writes the nodes and ports on the way; returns how many links, 0 if it does not arrive. */
static int naive_walk(const struct naive *naive, int source, int destination, int *nodes,
                      int *ports)
{
    int at = source, port = 1, n = 0;
    while (n < MAX_NODES && port >= 0 && port < MAX_PORTS && naive->nodes[at].peer[port] >= 0) {
        nodes[n] = at;
        ports[n++] = port;
        at = naive->nodes[at].peer[port];
        if (!naive->nodes[at].is_switch)
            return at == destination ? n : 0;
        port = naive->nodes[at].table[naive->nodes[destination].lid];
    }
    return 0;
}

/* ---- comparison ---- */

static char folder[] = "/tmp/collc-routes-XXXXXX";

static const char *path_of(const char *name, char *path)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

static struct topology *must_read(const char *name, struct diagnostics *diagnostics)
{
    char path[256];
    struct topology *topology = topology_read(path_of(name, path), diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    return topology;
}

static bool read_routes(struct topology *topology, const char *name, bool keep_lids,
                        struct diagnostics *diagnostics)
{
    char path[256];
    const char *names[] = {path_of(name, path)};
    struct route_files files = {names, 1, keep_lids};
    return topology_read_routes(topology, &files, diagnostics);
}

static bool same_route(const struct topology *topology, const struct naive *naive,
                       const struct hop *hops, uint32_t n, const int *nodes, const int *ports)
{
    char name[256];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from, to;
        topology_link_ends(topology, hops[i].link, &from, &to);
        topology_node_name(topology, from, name, sizeof name);
        if (strcmp(name, naive->nodes[nodes[i]].name) != 0 ||
            topology_as_graph(topology)->subnet->numbers[hops[i].link] != ports[i])
            return false;
    }
    return true;
}

/* Returns the number of pairs that have a route. */
static uint64_t compare(const char *topology_name, const char *tables, bool keep_lids)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = must_read(topology_name, &diagnostics);
    CU_ASSERT_FATAL(read_routes(topology, tables, keep_lids, &diagnostics));
    static struct naive naive;
    char path[256];
    naive.n = 0;
    naive_read_topology(&naive, path_of(topology_name, path));
    naive_read_tables(&naive, path_of(tables, path));
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint64_t n_routed = 0, n_wrong = 0, n_pairs = 0;
    for (int s = 0; s < naive.n; s++)
        for (int d = 0; d < naive.n; d++) {
            int nodes[MAX_NODES], ports[MAX_NODES];
            if (s == d || naive.nodes[s].is_switch || naive.nodes[d].is_switch)
                continue;
            const char *from = naive.nodes[s].name, *to = naive.nodes[d].name;
            uint32_t n = topology_route(topology, topology_find_machine(topology, from, strlen(from)),
                                        topology_find_machine(topology, to, strlen(to)), hops);
            int expected = naive_walk(&naive, s, d, nodes, ports);
            n_pairs++;
            n_routed += n > 0;
            n_wrong += (int)n != expected || !same_route(topology, &naive, hops, n, nodes, ports);
        }
    if (n_wrong)
        printf("\n  %s: %llu of %llu routes differ", tables, (unsigned long long)n_wrong,
               (unsigned long long)n_pairs);
    CU_ASSERT(n_wrong == 0);
    CU_ASSERT(n_pairs == (uint64_t)topology->n_machines * (topology->n_machines - 1));
    CU_ASSERT(topology_as_graph(topology)->forwarding->pairs[FATE_ARRIVES] == n_routed);
    free(hops);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return n_routed;
}

static void test_walker_agrees(void)
{
    static const struct {
        const char *topology, *tables;
        uint64_t pairs;
    } cases[] = {{"star24.txt", "star24-lfts.dump", 552},
                 {"star24.txt", "star24-dump_lfts.txt", 552},
                 {"ft4.txt", "ft4-minhop.dump", 4032},
                 {"ft4.txt", "ft4-nue.dump", 4032},
                 {"ft4.txt", "ft4-dor.dump", 4032},
                 {"ft8.txt", "ft8-ftree.dump", 4032},
                 {"torus.txt", "torus-nue.dump", 4032},
                 {"torus.txt", "torus-updn-root0.dump", 4032},
                 {"torus.txt", "torus-t2q.dump", 4032},
                 {"mesh.txt", "mesh-minhop.dump", 240}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CU_ASSERT(compare(cases[i].topology, cases[i].tables, false) == cases[i].pairs);
}

/* ---- small fabrics, made here ---- */

/* Two switches, `trunks` cables between them, one host each, LMC as given. */
static void write_pair(const char *name, int lmc)
{
    char path[256];
    FILE *file = fopen(path_of(name, path), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (int i = 0; i < 2; i++) {
        fprintf(file, "Switch\t4 \"S-000000000000000%d\"\t\t# \"sw%d\" base port 0 lid %d lmc 0\n",
                i + 1, i, i + 1);
        fprintf(file, "[1]\t\"H-00000000000000a%d\"[1](b%d) \t\t# \"host%d HCA-1\" lid %d 4xEDR\n",
                i, i, i, 8 + 8 * i);
        for (int port = 2; port < 4; port++)
            fprintf(file, "[%d]\t\"S-000000000000000%d\"[%d]\t\t# \"sw%d\" lid %d 4xEDR\n", port,
                    2 - i, port, 1 - i, 2 - i);
    }
    for (int i = 0; i < 2; i++)
        fprintf(file, "Ca\t1 \"H-00000000000000a%d\"\t\t# \"host%d HCA-1\"\n"
                      "[1](b%d) \t\"S-000000000000000%d\"[1]\t\t# lid %d lmc %d \"sw%d\" lid %d 4xEDR\n",
                i, i, i, i + 1, 8 + 8 * i, lmc, i, i + 1);
    fclose(file);
}

static void write_text(const char *name, const char *text)
{
    char path[256];
    FILE *file = fopen(path_of(name, path), "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
}

#define HEADING(n) "Unicast lids [0-20] of switch Lid " #n " guid 0x000000000000000" #n " ('sw'):\n"

/* Reads tables for the pair of switches; the number of reports of the code wanted. */
static uint64_t try_tables(const char *text, uint32_t code, uint64_t *fates, bool *is_read)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = must_read("pair.txt", &diagnostics);
    write_text("pair.dump", text);
    *is_read = read_routes(topology, "pair.dump", false, &diagnostics);
    if (*is_read && fates)
        memcpy(fates, topology_as_graph(topology)->forwarding->pairs, N_FATES * sizeof *fates);
    struct hop hops[16];
    if (*is_read)
        CU_ASSERT(topology_route(topology, 0, 1, hops) <= topology->max_hops);
    uint64_t n = diagnostics.n_of_code[code];
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return n;
}

static void test_fates(void)
{
    uint64_t fates[N_FATES];
    bool is_read;
    write_pair("pair.txt", 0);
    CU_ASSERT(try_tables(HEADING(1) "0x8 1\n0x10 2\n" HEADING(2) "0x8 3\n0x10 1\n", CODE_T011, fates,
                         &is_read) == 0);
    CU_ASSERT(is_read && fates[FATE_ARRIVES] == 2);
    CU_ASSERT(try_tables(HEADING(1) "0x8 1\n0x10 2\n" HEADING(2) "0x8 3\n0x10 3\n", CODE_T012, fates,
                         &is_read) == 1);
    CU_ASSERT(is_read && fates[FATE_ARRIVES] == 1 && fates[FATE_LOOPS] == 1);
    CU_ASSERT(try_tables(HEADING(1) "0x8 1\n0x10 4\n" HEADING(2) "0x10 1\n", CODE_T011, fates,
                         &is_read) == 1);
    CU_ASSERT(is_read && fates[FATE_NO_CABLE] == 1 && fates[FATE_NO_ENTRY] == 1);
    CU_ASSERT(try_tables(HEADING(1) "0x8 1\n0x10 1\n", CODE_T011, fates, &is_read) == 1);
    CU_ASSERT(is_read && fates[FATE_ASTRAY] == 1 && fates[FATE_NO_TABLE] == 1);
    CU_ASSERT(try_tables(HEADING(1) "0x8 0\n0x10 255\n" HEADING(2) "0x8 2\n", CODE_T011, fates,
                         &is_read) == 1);
    CU_ASSERT(is_read && fates[FATE_NO_ENTRY] == 1 && fates[FATE_NO_CABLE] == 1);
}

static void test_bad_tables(void)
{
    static const struct {
        const char *text;
        uint32_t code;
    } cases[] = {{"", CODE_T009},
                 {"0x8 1\n", CODE_T009},
                 {HEADING(1) "0x8\n", CODE_T009},
                 {HEADING(1) "0x8 256\n", CODE_T009},
                 {HEADING(1) "0xc000 1\n", CODE_T009},
                 {HEADING(1) "0x0 1\n", CODE_T009},
                 {HEADING(1) "0x8 1\n2 valid lids dumped\n", CODE_T009},
                 {HEADING(1) "some other text\n", CODE_T009},
                 {"Unicast lids [0-20] of switch Lid 1\n", CODE_T009},
                 {"Multicast mlids [0xc000-0xc00f] of switch Lid 1 guid 0x1 (sw):\n", CODE_T009},
                 {HEADING(7) "0x8 1\n", CODE_T010},
                 {HEADING(1) "0x8 1\n" HEADING(1) "0x8 1\n", CODE_T010}};
    bool is_read;
    write_pair("pair.txt", 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT(try_tables(cases[i].text, cases[i].code, NULL, &is_read) > 0);
        CU_ASSERT(!is_read);
    }
}

static void test_moved_lids(void)
{
    uint64_t fates[N_FATES];
    bool is_read;
    const char *text = HEADING(1) "0x9 1 # Channel Adapter portguid 0x00000000000000b0: 'host0'\n"
                                  "0x10 2 : (Channel Adapter portguid 0x00000000000000b1: 'host1')\n"
                       HEADING(2) "0x9 3 # Channel Adapter portguid 0xb0: 'host0'\n0x10 1\n"
                                  "0x15 1\n";
    write_pair("pair.txt", 0);
    CU_ASSERT(try_tables(text, CODE_T015, fates, &is_read) == 1);
    CU_ASSERT(is_read && fates[FATE_ARRIVES] == 2);
    CU_ASSERT(try_tables(text, CODE_T013, fates, &is_read) == 1);
}

/* With LMC 1 each host has two LIDs, which take the two trunks. */
static void test_lmc(void)
{
    struct diagnostics diagnostics = {0};
    struct hop hops[4];
    write_pair("pair.txt", 1);
    struct topology *topology = must_read("pair.txt", &diagnostics);
    write_text("pair.dump", HEADING(1) "0x8 1\n0x9 1\n0x10 2\n0x11 3\n" HEADING(2)
                            "0x8 2\n0x9 3\n0x10 1\n0x11 1\n");
    CU_ASSERT_FATAL(read_routes(topology, "pair.dump", false, &diagnostics));
    const uint8_t *numbers = topology_as_graph(topology)->subnet->numbers;
    CU_ASSERT(forwarding_n_lids(topology_as_graph(topology), 1) == 2);
    CU_ASSERT(topology_route(topology, 0, 1, hops) == 3 && numbers[hops[1].link] == 2);
    CU_ASSERT(forwarding_route_to_lid(topology_as_graph(topology), 0, 1, 0x11, 4, hops) == 3);
    CU_ASSERT(numbers[hops[1].link] == 3);
    CU_ASSERT(forwarding_route_to_lid(topology_as_graph(topology), 0, 1, 0x12, 4, hops) == 0);
    CU_ASSERT(diagnostics.n_of_severity[SEVERITY_WARNING] == 0);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

/* ---- lanes ---- */

static bool try_lanes(const char *levels, const char *maps, struct hop *hops)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = must_read("pair.txt", &diagnostics);
    char level_path[256], map_path[256];
    write_text("pair.dump", HEADING(1) "0x8 1\n0x10 2\n" HEADING(2) "0x8 3\n0x10 1\n");
    write_text("pair.psl", levels ? levels : "");
    write_text("pair.sl2vl", maps ? maps : "");
    CU_ASSERT_FATAL(read_routes(topology, "pair.dump", false, &diagnostics));
    bool is_read = topology_read_lanes(topology, levels ? path_of("pair.psl", level_path) : NULL,
                                       maps ? path_of("pair.sl2vl", map_path) : NULL, &diagnostics);
    CU_ASSERT(is_read == !diagnostics_has_errors(&diagnostics));
    if (is_read)
        CU_ASSERT(topology_route(topology, 0, 1, hops) == 3);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return is_read;
}

#define LANES_OF_SL2(v) "0 1 " #v " 3 4 5 6 7 0 1 2 3 4 5 6 7\n"

static void test_lanes(void)
{
    struct hop hops[4];
    write_pair("pair.txt", 0);
    CU_ASSERT(try_lanes("0x00000000000000a0 16 2\n", NULL, hops));
    CU_ASSERT(hops[0].lane == 2 && hops[1].lane == 2 && hops[2].lane == 2);
    CU_ASSERT(try_lanes("# comment\n0xa0 0x10 2\n",
                        "Switch 0x0000000000000001, base LID 1, \"sw0\"\n#in out : 0 1\n"
                        "1   2   : " LANES_OF_SL2(5) "2   2   : " LANES_OF_SL2(6)
                        "Channel Adapter 0x00000000000000a0, base LID 8, \"host0\"\n"
                        "0   0   : " LANES_OF_SL2(7),
                        hops));
    CU_ASSERT(hops[0].lane == 7 && hops[1].lane == 5 && hops[2].lane == 2);
    CU_ASSERT(!try_lanes("0xa0 16 16\n", NULL, hops));
    CU_ASSERT(!try_lanes("0xa0 16\n", NULL, hops));
    CU_ASSERT(!try_lanes("0xa7 16 1\n", NULL, hops));
    CU_ASSERT(!try_lanes("0xa0 99 1\n", NULL, hops));
    CU_ASSERT(!try_lanes(NULL, "1 2 : " LANES_OF_SL2(5), hops));
    CU_ASSERT(!try_lanes(NULL, "Switch 0x1, base LID 1\n1 2 : 0 1 2\n", hops));
    CU_ASSERT(!try_lanes(NULL, "Switch 0x9, base LID 1\n", hops));
    CU_ASSERT(!try_lanes(NULL, "", hops));
}

static int set_up(void)
{
    char command[512];
    if (!mkdtemp(folder))
        return 1;
    snprintf(command, sizeof command, "tests/data/routes/unpack %s", folder);
    return system(command) != 0;
}

static int tear_down(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}

UNIT_PROGRAM(test_routes)
{
    CU_TestInfo tests[] = {
        {"naive walker agrees on every pair", test_walker_agrees},
        {"every way to fail is told", test_fates},
        {"bad tables are refused", test_bad_tables},
        {"port GUIDs decide over LIDs", test_moved_lids},
        {"LMC gives several routes", test_lmc},
        {"service levels and SL2VL", test_lanes},
        CU_TEST_INFO_NULL,
    };
    if (set_up() != 0)
        return 2;
    const int status = run_suite("routes", tests);
    tear_down();
    return status;
}
