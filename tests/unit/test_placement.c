/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements: the rules of compiler/topo/topo.h by brute force, host files, and
 * the invariants of ir/placement.h.
 */
#include "compiler/topo/topo.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Everything ir/placement.h says follows from machine[rank]. */
static void check_placement(const struct placement *placement, const char *context)
{
    uint32_t least = UINT32_MAX, most = 0;
    EQUAL(placement->first[0], 0, context);
    EQUAL(placement->first[placement->n_servers], placement->n_ranks, context);
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        uint32_t slots = placement->first[server + 1] - placement->first[server];
        CU_ASSERT(slots > 0);
        least = slots < least ? slots : least;
        most = slots > most ? slots : most;
        if (server)
            CU_ASSERT(placement->server_machine[server] > placement->server_machine[server - 1]);
        for (uint32_t slot = 0; slot < slots; slot++) {
            uint32_t rank = placement->ranks[placement->first[server] + slot];
            EQUAL(placement->server[rank], server, context);
            EQUAL(placement->slot[rank], slot, context);
            EQUAL(placement->machine[rank], placement->server_machine[server], context);
            if (slot)
                CU_ASSERT(rank > placement->ranks[placement->first[server] + slot - 1]);
        }
    }
    EQUAL(placement->max_slots, most, context);
    EQUAL(placement->slots, least == most ? most : 0, context);
}

static struct placement *place(const char *shape, const struct placement_request *request,
                               struct diagnostics *diagnostics)
{
    struct topology *topology = topology_read(shape, diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    struct placement *placement = placement_make(topology, request, diagnostics);
    CU_ASSERT((placement == NULL) == diagnostics_has_errors(diagnostics));
    topology_free(topology);
    return placement;
}

static void check_rule(uint32_t n_machines, uint32_t n_ranks, uint32_t per_machine, bool cyclic)
{
    char shape[32], context[128];
    struct diagnostics diagnostics = {0};
    struct placement_request request = {n_ranks, per_machine, cyclic ? "cyclic" : NULL};
    uint32_t per = per_machine ? per_machine : 1, wanted = n_ranks ? n_ranks : n_machines * per;
    uint32_t used = (wanted + per - 1) / per;
    snprintf(shape, sizeof shape, "star:%u", n_machines);
    snprintf(context, sizeof context, "%s --ranks %u --ranks-per-machine %u %s", shape, n_ranks,
             per_machine, cyclic ? "cyclic" : "block");
    struct placement *placement = place(shape, &request, &diagnostics);
    EQUAL(placement != NULL, used <= n_machines, context);
    if (placement) {
        EQUAL(placement->n_ranks, wanted, context);
        for (uint32_t rank = 0; rank < wanted; rank++)
            EQUAL(placement->machine[rank], cyclic ? rank % used : rank / per, context);
        check_placement(placement, context);
    } else {
        EQUAL(diagnostics.first->code, CODE_A001, context);
    }
    placement_free(placement);
    diagnostics_free(&diagnostics);
}

static void test_rules(void)
{
    for (uint32_t machines = 1; machines <= 5; machines++)
        for (uint32_t ranks = 0; ranks <= 12; ranks++)
            for (uint32_t per = 0; per <= 4; per++) {
                check_rule(machines, ranks, per, false);
                check_rule(machines, ranks, per, true);
            }
}

/* ---- files ---- */

static struct placement *place_file(const char *text, uint32_t n_ranks, uint32_t per_machine,
                                    struct diagnostics *diagnostics)
{
    char name[] = "/tmp/collc-hosts-XXXXXX";
    int descriptor = mkstemp(name);
    CU_ASSERT_FATAL(descriptor >= 0);
    CU_ASSERT(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    struct placement_request request = {n_ranks, per_machine, name};
    struct placement *placement = place("mesh:3x2", &request, diagnostics);
    remove(name);
    return placement;
}

static const struct file_case {
    const char *text;
    uint32_t n_ranks, per_machine;
    const char *machines; /* a digit per rank */
} good_files[] = {
    {"m2\nm0\n", 0, 0, "20"},
    {"m2\nm0\n", 0, 2, "2200"},
    {"m2 slots=3\nm0\n", 0, 0, "2220"},
    {"m2 slots=3 max_slots=4\n\n# all\n  m0:2 # two\n", 0, 0, "22200"},
    {"m2:2\nm0\nm2\n", 0, 0, "2220"},
    {"m2:2\nm0:5\n", 4, 0, "2200"},
    {"(1,1):2\r\n(0,0)\r\n", 0, 0, "440"},
    {"m5", 0, 0, "5"},
    {"rank 1 m3\nrank 0 (2,0)\nrank 2 m3\n", 0, 0, "233"},
    {"# explicit\nrank 0 m1\nrank 1 m1 # comment\n", 1, 0, "1"},
};

static void test_files(void)
{
    for (size_t i = 0; i < sizeof good_files / sizeof *good_files; i++) {
        const struct file_case *file = &good_files[i];
        struct diagnostics diagnostics = {0};
        struct placement *placement =
            place_file(file->text, file->n_ranks, file->per_machine, &diagnostics);
        CU_ASSERT_FATAL(placement != NULL);
        EQUAL(placement->n_ranks, strlen(file->machines), file->text);
        for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
            EQUAL(placement->machine[rank], file->machines[rank] - '0', file->text);
        check_placement(placement, file->text);
        placement_free(placement);
        diagnostics_free(&diagnostics);
    }
}

static void test_bad_files(void)
{
    static const struct {
        const char *text;
        uint32_t n_ranks;
        enum code code;
        uint32_t line, column;
    } cases[] = {
        {"", 0, CODE_A001, 0, 0},
        {"# nobody\n", 0, CODE_A001, 0, 0},
        {"m0:2\n", 3, CODE_A001, 0, 0},
        {"m0\n m9\n", 0, CODE_A002, 2, 2},
        {"node1:2\n", 0, CODE_A002, 1, 1},
        {"m0:x\n", 0, CODE_A003, 1, 4},
        {"m0:\n", 0, CODE_A003, 1, 4},
        {"m0:0\n", 0, CODE_A003, 1, 4},
        {"m0 slots=\n", 0, CODE_A003, 1, 4},
        {"m0 slots=-1\n", 0, CODE_A003, 1, 10},
        {"m0 slots=99999999999\n", 0, CODE_A003, 1, 10},
        {"m0 cores=2\n", 0, CODE_A003, 1, 4},
        {"m0:67108864\nm1:67108864\n", 0, CODE_A001, 0, 0},
        {"rank 0 m0\nrank 2 m1\n", 0, CODE_A001, 0, 0},
        {"rank 0 m0\nrank 1 m1\n", 3, CODE_A001, 0, 0},
        {"rank 0 m0\nrank 0 m1\n", 0, CODE_A003, 2, 6},
        {"rank 0 m6\n", 0, CODE_A002, 1, 8},
        {"rank 0\n", 0, CODE_A003, 1, 1},
        {"rank x m0\n", 0, CODE_A003, 1, 6},
        {"rank 4294967295 m0\n", 0, CODE_A003, 1, 6},
        {"rank 0 m0 m1\n", 0, CODE_A003, 1, 11},
        {"rank 0 m0\nm1\n", 0, CODE_A003, 2, 1},
        {"m0\xff\n", 0, CODE_I003, 1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diagnostics diagnostics = {0};
        struct placement *placement = place_file(cases[i].text, cases[i].n_ranks, 0, &diagnostics);
        EQUAL(placement != NULL, false, cases[i].text);
        CU_ASSERT_FATAL(diagnostics.first != NULL);
        EQUAL(diagnostics.first->code, cases[i].code, cases[i].text);
        EQUAL(diagnostics.first->position.line, cases[i].line, cases[i].text);
        if (cases[i].line)
            EQUAL(diagnostics.first->position.column, cases[i].column, cases[i].text);
        placement_free(placement);
        diagnostics_free(&diagnostics);
    }
}

static void test_missing_file(void)
{
    struct diagnostics diagnostics = {0};
    struct placement_request request = {0, 0, "/nonexistent/hosts"};
    CU_ASSERT(place("star:2", &request, &diagnostics) == NULL);
    EQUAL(diagnostics.first->code, CODE_I001, "missing file");
    diagnostics_free(&diagnostics);
}

/* ---- ir/placement.c alone ---- */

/* Dense, sparse and very uneven machine numbers. */
static void test_of_machines(void)
{
    uint32_t machine[200], state = 7;
    for (uint32_t n = 0; n <= 200; n += 25)
        for (uint64_t range = 1; range <= 1u << 30; range *= 32) {
            for (uint32_t rank = 0; rank < n; rank++) {
                state = state * 1664525u + 1013904223u;
                machine[rank] = (uint32_t)((state >> 2) % range);
            }
            struct placement *placement = placement_of_machines(machine, n, "test");
            CU_ASSERT(n == 0 || memcmp(placement->machine, machine, n * sizeof *machine) == 0);
            if (n)
                check_placement(placement, "random machines");
            else
                EQUAL(placement->n_servers, 0, "no ranks");
            placement_free(placement);
        }
}

static void test_million(void)
{
    struct diagnostics diagnostics = {0};
    struct placement_request request = {1000000, 7, "cyclic"};
    struct placement *placement = place("star:200000", &request, &diagnostics);
    CU_ASSERT_FATAL(placement != NULL);
    EQUAL(placement->n_servers, 142858, "ceil(10^6 / 7)");
    EQUAL(placement->max_slots, 7, "slots");
    EQUAL(placement->slots, 0, "not equal");
    placement_free(placement);
    struct placement_request all = {0, 1, NULL};
    CU_ASSERT(place("star:1073741824", &all, &diagnostics) == NULL);
    EQUAL(diagnostics.first->code, CODE_A001, "too many ranks");
    diagnostics_free(&diagnostics);
}

int main(void)
{
    CU_initialize_registry();
    CU_pSuite suite = CU_add_suite("placement", NULL, NULL);
    CU_add_test(suite, "block and cyclic", test_rules);
    CU_add_test(suite, "host and rank files", test_files);
    CU_add_test(suite, "bad files", test_bad_files);
    CU_add_test(suite, "missing file", test_missing_file);
    CU_add_test(suite, "servers and slots", test_of_machines);
    CU_add_test(suite, "a million ranks", test_million);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures != 0;
}
