/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Placements: the rules of network/formats/formats.h by brute force, host files, and
 * the invariants of network/placement/placement.h.
 */
#include "tests/unit/suite.h"
#include "network/formats/formats.h"
#include "network/placement/placement_make.h"

#include "base/codes.h"

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

/* Everything network/placement/placement.h says follows from machine[rank]. */
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
            CU_ASSERT(placement->ranks[placement->first[server]] >
                      placement->ranks[placement->first[server - 1]]);
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
    struct placement_request request = {
        .n_ranks = n_ranks, .ranks_per_machine = per_machine, .rule = cyclic ? "cyclic" : NULL};
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

static struct placement *place_file_on(const char *shape, const char *text, uint32_t n_ranks,
                                       uint32_t per_machine, struct diagnostics *diagnostics)
{
    char name[] = "/tmp/collc-hosts-XXXXXX";
    int descriptor = mkstemp(name);
    CU_ASSERT_FATAL(descriptor >= 0);
    CU_ASSERT(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    struct placement_request request = {
        .n_ranks = n_ranks, .ranks_per_machine = per_machine, .rule = name};
    struct placement *placement = place(shape, &request, diagnostics);
    remove(name);
    return placement;
}

static struct placement *place_file(const char *text, uint32_t n_ranks, uint32_t per_machine,
                                    struct diagnostics *diagnostics)
{
    return place_file_on("mesh:3x2", text, n_ranks, per_machine, diagnostics);
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
    {"m2.cluster.example slots=2\nm0.cluster.example\n", 0, 0, "220"},
    {"m2 slots = 2 max_slots= 4\nm0 cpu =1 username=x\nm1 port=22 count=2\n", 0, 0, "22011"},
    {"m2:2 binding=user:0,1\nm0:1 user=x\n", 0, 0, "220"},
    /* PE_HOSTFILE of SGE, LSB_MCPU_HOSTS and LSB_DJOB_HOSTFILE of LSF */
    {"m2 2 all.q@m2 UNDEFINED\nm0 1 all.q@m0 0,0:0,1\n", 0, 0, "220"},
    {"m2 2 m0 1 m4 2\n", 0, 0, "22044"},
    {"m2 2\n", 0, 0, "22"},
    {"m2\nm2\nm0\n", 0, 0, "220"},
    /* rank files of Open MPI */
    {"rank 0=m4 slot=1:0-2\nrank 1=m2 slot=0:0,1\n", 0, 0, "42"},
    {"rank 1 = m4 slots=1\nrank 0=(2,0)\n", 0, 0, "24"},
    /* srun -l hostname */
    {" 1: m3\n 0: m5.cluster.example\n 2:m3\n", 0, 0, "533"},
    /* host lists; what begins with a plain name is one if any line is */
    {"m[3-4,0]\n", 0, 0, "340"},
    {"m5\nm[0-1]*2,m3\n", 0, 0, "501013"},
    {"m5,m1\nm5\n", 0, 2, "551155"},
    {"m[0-5]\n", 3, 0, "012"},
    {"m1*3\n", 0, 0, "111"},
    /* the environment of a Slurm job */
    {"SLURM_JOB_NODELIST=m[1-3]\n", 0, 0, "123"},
    {"SLURM_JOB_ID=7\nSLURM_TASKS_PER_NODE=2(x2),1\nSLURM_NODELIST=m[1-3]\n", 0, 0, "11223"},
    {"export SLURM_JOB_NODELIST='m[1-3]'\nexport SLURM_TASKS_PER_NODE=\"1,3,2\"\n", 0, 0,
     "122233"},
    {"SLURM_JOB_NODELIST=m[1-3]\nSLURM_TASKS_PER_NODE=1,3,2\nSLURM_DISTRIBUTION=cyclic\n", 0, 0,
     "123232"},
    {"SLURM_JOB_NODELIST=m[1-3]\nSLURM_NTASKS_PER_NODE=2\n", 0, 0, "112233"},
    {"SLURM_NTASKS=6\nSLURM_JOB_NODELIST=m[1-3]\n", 0, 0, "112233"},
    {"SLURM_NTASKS=4\nSLURM_JOB_NODELIST=m[1-3]\nSLURM_TASKS_PER_NODE=1(x2),2\n", 0, 0, "1233"},
    {"SLURM_NTASKS_PER_NODE=2\nSLURM_TASKS_PER_NODE=1,2,1\nSLURM_JOB_NODELIST=m[1-3]\n", 0, 0, "1223"},
    {"SLURM_JOB_NODELIST=m[1-2]\nSLURM_NTASKS_PER_NODE=2\nSLURM_DISTRIBUTION=cyclic:block\n", 0, 0,
     "1212"},
    /* all of env, and of export -p in two shells */
    {"PATH=/bin\nBASH_FUNC_ml%%=() {  eval $(ml)\n}\nSLURM_JOB_NODELIST=m[2-3]\n_=/bin/env\n", 0, 0,
     "23"},
    {"declare -x HOME=\"/home/a\"\ndeclare -x OLDPWD\ndeclare -rx SLURM_JOB_NODELIST=\"m[2-3]\"\n"
     "declare -x SLURM_TASKS_PER_NODE=\"2(x2)\"\ndeclare -x SLURM_DISTRIBUTION=\"block\"\n",
     0, 0, "2233"},
    {"export HOME='/home/a'\nexport SLURM_NODELIST='m[2-3]'\nexport SLURM_NTASKS_PER_NODE='2'\n", 0, 0,
     "2233"},
    /* coordinates: mesh:3x2, x fastest */
    {"(0,0)\n(2,1)\n( 1 , 0 ) core=1 mem=2\n(0,0)\n", 0, 0, "0510"},
    {"(2,1) core=4\n", 0, 0, "5"},
    {"0 0 0\n2 1 0\n0 0 1\n1 0 7\n", 0, 0, "0501"},
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
        uint32_t code;
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
        {"m0 slots=\n", 0, CODE_A003, 1, 10},
        {"m0 slots=-1\n", 0, CODE_A003, 1, 10},
        {"m0\nm1 slots = x\n", 0, CODE_A003, 2, 12},
        {"m0\nm1 cpus=2\n", 0, CODE_A003, 2, 4},
        {"m0\nm1 slots\n", 0, CODE_A003, 2, 4},
        {"m[0-1] slots=2\n", 0, CODE_A003, 1, 8},
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
        {"rank 0=m0 cores=1\n", 0, CODE_A003, 1, 11},
        {"rank 0=+n0 slot=0\n", 0, CODE_A003, 1, 8},
        {"rank 0=m0 slot=\n", 0, CODE_A003, 1, 11},
        {"rank 0=m0 slot=1 more\n", 0, CODE_A003, 1, 18},
        {"rank 0=m7 slot=1\n", 0, CODE_A002, 1, 8},
        {"0: m0\n1: m7\n", 0, CODE_A002, 2, 4},
        {"0: m0\nm1\n", 0, CODE_A003, 2, 1},
        {"0: m0\n0: m1\n", 0, CODE_A003, 2, 1},
        {"0: m0\n2: m1\n", 0, CODE_A001, 0, 0},
        {"m[0-\n", 0, CODE_A003, 1, 2},
        {"m0,m[3-7]\n", 0, CODE_A002, 1, 4},
        {"m0,m[3-1]\n", 0, CODE_A003, 1, 6},
        {"m0*0\n", 0, CODE_A003, 1, 3},
        {"m[0-1]\n", 3, CODE_A001, 0, 0},
        {"m[0-1]*1048576\n", 0, CODE_A003, 1, 1},
        {"SLURM_JOB_ID=7\n", 0, CODE_A001, 0, 0},
        {"SLURM_JOB_NODELIST=m[1-9]\n", 0, CODE_A002, 1, 20},
        {"SLURM_JOB_ID=7\nSLURM_JOB_NODELIST=m[1-\n", 0, CODE_A003, 2, 21},
        {"SLURM_JOB_NODELIST=m1\nSLURM_TASKS_PER_NODE=2(x2)\n", 0, CODE_A003, 2, 22},
        {"SLURM_JOB_NODELIST=m[1-3]\nSLURM_TASKS_PER_NODE=2(x2)\n", 0, CODE_A003, 2, 22},
        {"SLURM_JOB_NODELIST=m1\nSLURM_TASKS_PER_NODE=1(y1)\n", 0, CODE_A003, 2, 22},
        {"SLURM_JOB_NODELIST=m1\nSLURM_TASKS_PER_NODE=\n", 0, CODE_A003, 2, 22},
        {"SLURM_JOB_NODELIST=m1\nSLURM_TASKS_PER_NODE 2\n", 0, CODE_A003, 2, 1},
        {"SLURM_JOB_NODELIST=m[1-2]\nSLURM_NTASKS=5\n", 0, CODE_A003, 2, 14},
        {"SLURM_JOB_NODELIST=m1\nSLURM_NTASKS_PER_NODE=0\n", 0, CODE_A003, 2, 23},
        {"SLURM_JOB_NODELIST=m1\nSLURM_NTASKS_PER_NODE=2(x1)\n", 0, CODE_A003, 2, 23},
        {"HOME=/\nSLURM_JOB_NODELIST=m1\nSLURM_DISTRIBUTION=plane=2\n", 0, CODE_A003, 3, 20},
        {"SLURM_JOB_NODELIST=m1\nSLURM_DISTRIBUTION='arbitrary'\n", 0, CODE_A003, 2, 21},
        {"(0,0)\n(3,0)\n", 0, CODE_A002, 2, 1},
        {"(0,0)\n(1)\n", 0, CODE_A003, 2, 1},
        {"(0,0)\n (1,x)\n", 0, CODE_A003, 2, 2},
        {"(0,0)\n(1,0\n", 0, CODE_A003, 2, 1},
        {"(0,0)\n(1,0) slots=2\n", 0, CODE_A003, 2, 7},
        {"(0,0)\nm1\n", 0, CODE_A003, 2, 1},
        {"0 0 0\n0 0 x\n", 0, CODE_A003, 2, 5},
        {"0 0 0\n0 0\n", 0, CODE_A003, 2, 1},
        {"0 0 0\n0 2 0\n", 0, CODE_A002, 2, 1},
        {"0 0 0\n0 0 0\n", 0, CODE_A001, 0, 0},
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

/* The names of another cluster are one mistake, a slip is one of its own. */
static void test_absent_machines(void)
{
    char text[4096] = "";
    for (uint32_t i = 0; i < 100; i++)
        sprintf(text + strlen(text), "node%u\n%s", i, i == 5 ? "mm2\n" : "");
    struct diagnostics diagnostics = {0};
    CU_ASSERT(place_file_on("star:4", text, 0, 0, &diagnostics) == NULL);
    EQUAL(diagnostics.n_of_code[CODE_A002], 101, "all are counted");
    const struct diagnostic *first = diagnostics.first, *slip = first ? first->next : NULL;
    CU_ASSERT_FATAL(slip != NULL);
    EQUAL(first->position.line, 1, "the first");
    EQUAL(first->n_more, 99, "the others like it");
    EQUAL(slip->position.line, 7, "the slip");
    EQUAL(slip->n_more, 0, "the slip");
    CU_ASSERT_STRING_EQUAL(slip->help, "did you mean 'm2'?");
    CU_ASSERT(slip->next == NULL);
    diagnostics_free(&diagnostics);
}

static void test_missing_file(void)
{
    struct diagnostics diagnostics = {0};
    struct placement_request request = {.rule = "/nonexistent/hosts"};
    CU_ASSERT(place("star:2", &request, &diagnostics) == NULL);
    EQUAL(diagnostics.first->code, CODE_I001, "missing file");
    diagnostics_free(&diagnostics);
}

/* ---- orders ---- */

static struct placement *place_in_order(const char *shape, const char *order, uint32_t seed)
{
    struct diagnostics diagnostics = {0};
    struct placement_request request = {.order = order, .seed = seed};
    struct placement *placement = place(shape, &request, &diagnostics);
    CU_ASSERT_FATAL(placement != NULL);
    check_placement(placement, shape);
    diagnostics_free(&diagnostics);
    return placement;
}

static bool is_permutation(const struct placement *placement)
{
    uint64_t seen = 0;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        seen |= UINT64_C(1) << placement->machine[rank];
    return seen + 1 == UINT64_C(1) << placement->n_ranks;
}

/* The permutation is part of the interface: a seed means the same everywhere and for good. */
static void test_random_order(void)
{
    static const uint32_t expected[] = {0, 3, 7, 1, 2, 6, 5, 4};
    struct placement *a = place_in_order("star:8", "random", 1);
    struct placement *b = place_in_order("full:8", "random", 1);
    struct placement *c = place_in_order("star:8", "random", 2);
    CU_ASSERT(is_permutation(a) && is_permutation(c));
    for (uint32_t rank = 0; rank < 8; rank++)
        EQUAL(a->machine[rank], expected[rank], "star:8 --seed 1");
    CU_ASSERT(memcmp(a->machine, b->machine, 8 * sizeof *a->machine) == 0);
    CU_ASSERT(memcmp(a->machine, c->machine, 8 * sizeof *a->machine) != 0);
    CU_ASSERT_STRING_EQUAL(a->name, "block, machines in random order (seed 1)");
    placement_free(a);
    placement_free(b);
    placement_free(c);
}

/* Two switches, whose nodes are named by turns and cabled backwards. */
static void test_switch_order(void)
{
    char name[] = "/tmp/collc-switches-XXXXXX", spec[64];
    int descriptor = mkstemp(name);
    static const char text[] = "<topology version=\"1\"><graph><machine name=\"a\"/>"
                               "<machine name=\"b\"/><machine name=\"c\"/><machine name=\"d\"/>"
                               "<router name=\"s\"/><router name=\"t\"/>"
                               "<link a=\"s\" b=\"t\"/><link a=\"b\" b=\"t\"/>"
                               "<link a=\"s\" b=\"c\"/><link a=\"a\" b=\"s\"/>"
                               "<link a=\"d\" b=\"t\"/></graph></topology>";
    static const uint32_t expected[] = {2, 0, 1, 3}; /* s: c, a; t: b, d */
    CU_ASSERT_FATAL(descriptor >= 0);
    CU_ASSERT(write(descriptor, text, strlen(text)) == (ssize_t)strlen(text));
    close(descriptor);
    snprintf(spec, sizeof spec, "xml:%s", name);
    struct placement *placement = place_in_order(spec, "switch", 0);
    for (uint32_t rank = 0; rank < 4; rank++)
        EQUAL(placement->machine[rank], expected[rank], "two switches");
    EQUAL(placement->server_machine[0], 2, "server 0 has rank 0");
    placement_free(placement);
    placement = place_in_order("torus:3x3", "switch", 0);
    for (uint32_t rank = 0; rank < 9; rank++)
        EQUAL(placement->machine[rank], rank, "a grid is in order");
    placement_free(placement);
    remove(name);
}

/* ---- network/placement/placement.c alone ---- */

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
    struct placement_request request = {
        .n_ranks = 1000000, .ranks_per_machine = 7, .rule = "cyclic"};
    struct placement *placement = place("star:200000", &request, &diagnostics);
    CU_ASSERT_FATAL(placement != NULL);
    EQUAL(placement->n_servers, 142858, "ceil(10^6 / 7)");
    EQUAL(placement->max_slots, 7, "slots");
    EQUAL(placement->slots, 0, "not equal");
    placement_free(placement);
    struct placement_request all = {.ranks_per_machine = 1};
    CU_ASSERT(place("star:1073741824", &all, &diagnostics) == NULL);
    EQUAL(diagnostics.first->code, CODE_A001, "too many ranks");
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_placement)
{
    CU_TestInfo tests[] = {
        {"block and cyclic", test_rules},
        {"host and rank files", test_files},
        {"bad files", test_bad_files},
        {"machines that are absent", test_absent_machines},
        {"missing file", test_missing_file},
        {"random order", test_random_order},
        {"order of switches", test_switch_order},
        {"servers and slots", test_of_machines},
        {"a million ranks", test_million},
        CU_TEST_INFO_NULL,
    };
    return run_suite("placement", tests);
}
