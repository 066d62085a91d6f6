/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutation testing of the verifier: small schedules, broken at random with a
 * fixed seed, judged by the engine and by the reference (agree.h says what has
 * to be equal). Each mutant goes through the printer and the reader of schedule
 * files. One that the reference rejects must be rejected. The bases are
 * the built-in algorithms on few ranks, algorithms that cut chunks in segments, and the cases
 * of tests/golden/rules.
 */
#include "base/codes.h"
#include "compiler/language/language.h"
#include "study/scene.h"
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/rule_cases.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct mutant_tally {
    uint64_t random; /* state of the generator */
    uint64_t mutants, refused, rejected, let_through, disagreed;
    uint64_t of_code[MAX_CODES];
};

static void judge_read(struct schedule *schedule, const struct verify_request *request,
                       const char *label, struct mutant_tally *tally)
{
    struct reference engine, reference;
    if (!agree(schedule, request, label))
        tally->disagreed++;
    CU_ASSERT_FATAL(reference_verify(schedule, request, &reference));
    CU_ASSERT_FATAL(engine_verify(schedule, request, &engine));
    tally->rejected += reference.n_findings > 0;
    tally->let_through += reference.n_findings > 0 && engine.n_findings == 0;
    for (size_t i = 0; i < reference.n_findings; i++)
        if (i == 0 || reference.findings[i].code != reference.findings[i - 1].code)
            tally->of_code[reference.findings[i].code]++;
    engine_free(&engine);
    reference_free(&reference);
}

static void judge(const struct oplist *mutant, const struct verify_request *request,
                  const char *label, struct mutant_tally *tally)
{
    struct arena arena = {0};
    struct schedule *schedule = oplist_reread(mutant, &arena);
    tally->mutants++;
    if (schedule) {
        judge_read(schedule, request, label, tally);
        schedule->destroy(schedule);
    } else {
        tally->refused++;
    }
    arena_free(&arena);
}

/* `rounds` mutants of each kind, every third with a second mutation on top; in the least form a fifth of
 * them. */
static void mutate(const struct oplist *base, const struct verify_request *request,
                   const char *name, uint32_t rounds, struct mutant_tally *tally)
{
    for (uint32_t i = 0; i < rounds * N_MUTATIONS; i += is_least() ? 5 : 1) {
        enum mutation kind = (enum mutation)(i % N_MUTATIONS);
        char label[SCENE_NAME + 64];
        struct oplist mutant;
        oplist_copy(base, &mutant);
        bool is_changed = oplist_mutate(&mutant, kind, &tally->random);
        if (is_changed && random_below(&tally->random, 3) == 0)
            oplist_mutate(&mutant, (enum mutation)random_below(&tally->random, N_MUTATIONS),
                          &tally->random);
        snprintf(label, sizeof label, "%s, %s, mutant %u", name, mutation_name[kind], i);
        if (is_changed)
            judge(&mutant, request, label, tally);
        oplist_free(&mutant);
    }
}

static void mutate_schedule(struct schedule *schedule, const struct verify_request *request,
                            const char *name, uint32_t rounds, struct mutant_tally *tally)
{
    struct oplist list;
    CU_ASSERT_FATAL(oplist_capture(schedule, &list));
    mutate(&list, request, name, rounds, tally);
    oplist_free(&list);
}

/* Mutants of algorithms leave all contributions in place, and only their brackets not, hardly ever. */
static void check_tally(const struct mutant_tally *tally, uint64_t least, bool is_of_cases)
{
    printf("\n    %" PRIu64 " mutants, %" PRIu64 " refused by the reader, %" PRIu64
           " rejected, %" PRIu64 " let through, %" PRIu64 " judged differently;",
           tally->mutants, tally->refused, tally->rejected, tally->let_through, tally->disagreed);
    for (uint32_t code = 0; code < n_codes; code++) {
        if (!reference_knows(code) || code_table[code].refutes == CLAIM_NOTHING)
            continue; /* limits, which mutations seldom change */
        printf(" %s %" PRIu64, code_table[code].id, tally->of_code[code]);
        /* every rule was put to the test */
        CU_ASSERT(tally->of_code[code] > 0 || (code == CODE_R010 && !is_of_cases) || is_least());
    }
    CU_ASSERT(tally->let_through == 0);
    CU_ASSERT(tally->disagreed == 0);
    CU_ASSERT(tally->mutants >= enough((unsigned)least));
}

static void mutate_algorithm(const char *name, uint32_t n_ranks, struct mutant_tally *tally)
{
    struct scene_spec spec = {.algorithm = name,
                              .topology = n_ranks == 9 ? "torus:3x3" : "star:8",
                              .n_ranks = n_ranks,
                              .root = n_ranks > 4,
                              .ranks_per_machine = n_ranks == 8 ? 2 : 1};
    struct test_scene scene;
    bool is_open = scene_open(&scene, &spec);
    scene.request.drift = n_ranks % 4;
    if (is_open)
        mutate_schedule(scene.schedule, &scene.request, scene_label(&scene, &spec), by_form(2, 3, 6), tally);
    scene_close(&scene);
}

static void test_algorithms(void)
{
    struct mutant_tally tally = {.random = 20100001};
    char name[SCENE_NAME];
    const uint32_t most = IS_SHORT ? 6 : 9, by = IS_SHORT ? 4 : 1;
    for (size_t i = 0; i < scene_n_files(); i++)
        for (uint32_t n_ranks = 2; scene_algorithm(i, name) && n_ranks <= most; n_ranks += by)
            mutate_algorithm(name, n_ranks, &tally);
    check_tally(&tally, by_form(600, 1500, 3000), false);
}

/* Chunks by rank that are cut, in every collective that has them. */
static const char *const cut[] = {
    "alltoall cut\nranks r: p\nlet segments = 3\ntmp j: p like in[r+j; 2]\ncopy in[r] to out[r]\n"
    "for i in 1 .. p-1\n  step\n    copy in[r+i; 2] to tmp[i]\n    send in[r+i; 0 .. 1] to r + i\n"
    "    send tmp[i] to r + i\n    recv out[r-i; 0 .. 1] from r - i\n    recv out[r-i; 2] from r - i\n",
    "alltoallv cut\nranks r: p\nlet segments = 2\ncopy in[r] to out[r]\nfor i in 1 .. p-1\n  step\n"
    "    send in[r+i; 1] to r + i\n    recv out[r-i; 1] from r - i\n    send in[r+i; 0] to r + i\n"
    "    recv out[r-i; 0] from r - i\n",
    "scatter cut\nranks r: p from root\nlet segments = 2\nif r == 0  copy in[0] to out\n"
    "for i in 1 .. p-1\n  for g in 0 .. 1\n    step\n      if r == 0  send in[i; g] to i\n"
    "      if r == i  recv out[g] from 0\n",
    "gather cut\nranks r: p from root\nlet segments = 2\nif r == 0  copy in to out[r]\n"
    "for i in 1 .. p-1\n  step\n    if r == i  send in[1] to 0\n    if r == 0  recv out[i; 1] from i\n"
    "    if r == i  send in[0] to 0\n    if r == 0  recv out[i; 0] from i\n",
    "allgatherv cut\nranks r: p\nlet segments = 2\ntmp 2 like in\ncopy in to tmp\ncopy in to out[r]\n"
    "for i in 1 .. p-1\n  step\n    send in[0] to r + i\n    send tmp[1] to r + i\n"
    "    recv out[r-i; 0] from r - i\n    recv out[r-i; 1] from r - i\n",
    "reduce_scatter_block cut\nranks r: p\nlet segments = 2\nordered\ntmp 2 * p like in\n"
    "copy in to tmp\nfor k in 1 .. p-1\n  step\n    if r == k - 1  send tmp to k\n"
    "    if r == k      reduce tmp from k - 1\nfor k in 0 .. p-2\n  step\n"
    "    if r == p - 1  send tmp[2*k] to k\n    if r == k      recv out[0] from p - 1\n"
    "    if r == p - 1  send tmp[2*k+1] to k\n    if r == k      recv out[1] from p - 1\n"
    "if r == p - 1  copy tmp[2*p-2 .. 2*p-1] to out\n"};

/* Few of many ranks act in a step, where some send and receive, or receive twice; all of many copy much; one
 * receives from many in an order of its own. */
enum { MANY_RANKS = 81 };
static const char *const many[] = {
    "allgather few\nranks r: p\ncopy in to out[r]\nfor i in 0 .. p-2\n  step\n    if r == i\n"
    "      send out[0 .. i] to r + 1\n      recv out[i+1] from r + 1\n    if r == i + 1\n"
    "      send out[r] to r - 1\n      recv out[0 .. i] from r - 1\nfor i in p-3 .. 0 by -1\n  step\n"
    "    if r == i + 1  send out[i+2 .. p-1] to i\n    if r == i      recv out[i+2 .. p-1] from r + 1\n",
    "bcast copies\nranks r: p from root\ntmp 20\nstep\n  if r == 0\n    for i in 1 .. p-1\n      send buf to i\n"
    "  else  recv buf from 0\nstep\n  send to r + 1\n  recv from r - 1\n"
    "copy buf to tmp[0]\nfor j in 0 .. 18\n  copy tmp[j] to tmp[j+1]\ncopy tmp[19] to buf\n",
    "gather few\nranks r: p from root\nif r == 0  copy in to out[0]\nfor i in 1 .. p-2 by 2\n  step\n"
    "    if r == i or r == i + 1  send in to 0\n    if r == 0\n      recv out[i] from i\n"
    "      recv out[i+1] from i + 1\n",
    "gather backwards\nranks r: p from root\nlet segments = 2\nif r == 0  copy in to out[0]\nstep\n"
    "  if r == 0\n    for i in p-1 .. 1 by -1\n      recv out[i; 0] from i\n      recv out[i; 1] from i\n"
    "  else\n    send in[0] to 0\n    send in[1] to 0\n"};

static void mutate_text(const char *text, uint32_t p, struct mutant_tally *tally)
{
    struct diagnostics diagnostics = {0};
    struct scene scene = {.source = NULL};
    scene.source = source_of_text("cut", text, strlen(text), &scene.arena);
    scene.placement = scene.owned.placement = placement_by_slots(p, 1, false);
    CU_ASSERT_FATAL(scene_read_source(&scene, &diagnostics));
    const uint32_t root = collective_table[scene.program->collective].rooted ? p - 1 : 0;
    CU_ASSERT_FATAL(scene_bind(&scene, root, &diagnostics) && scene_expand(&scene, &diagnostics));
    struct verify_request request = {.placement = scene.placement};
    CU_ASSERT(agree(scene.schedule, &request, text));
    mutate_schedule(scene.schedule, &request, text, p == MANY_RANKS ? 8 : 20, tally);
    scene_free(&scene);
    diagnostics_free(&diagnostics);
}

/* Patterns: what ranks need is said, or nothing; halos, a transpose, sums of groups, a chain of stages. */
static const char *const patterns[] = {
    "pattern halo\nranks r: p\nin 2\nout 2\nneeds\n  out[0] = in[1] of r - 1\n  out[1] = in[0] of r + "
    "1\nstep\n"
    "  send in[0] to r - 1\n  send in[1] to r + 1\n  recv out[1] from r + 1\n  recv out[0] from r - 1\n",
    "pattern open\nranks r: p\nin 4\nout 4\nneeds\n  if r > 0        out[0 .. 1] = in[2 .. 3] of r - 1\n"
    "  if r < p - 1  out[2 .. 3] = in[0 .. 1] of r + 1\nstep\n  if r > 0\n    send in[0 .. 1] to r - 1\n"
    "    recv out[0 .. 1] from r - 1\n  if r < p - 1\n    send in[2 .. 3] to r + 1\n    recv out[2 .. 3] "
    "from r + 1\n",
    "pattern groups\nrequires p mod 2 == 0\nranks (i: p/2, j: 2)\nin 2\nout 2\ntmp 2\nneeds\n"
    "  for k in 0 .. 1\n    out += in of (i, k)\ncopy in to tmp\nrun allreduce/recursive_doubling over j on "
    "tmp\n"
    "copy tmp to out\n",
    "pattern sums\nranks r: p\nin p\nout 2\ntmp 1\nneeds\n  for k in 0 .. p-1\n    out[0] += in[r] of k\n"
    "  out[1] = in[r] of r + 1\ncopy in[r] to out[0]\nfor k in 1 .. p-1\n  step\n    send in[(r+k) mod p] to "
    "r + k\n"
    "    if k == p - 1  send in[(r-1) mod p] to r - 1\n    reduce out[0] from r - k\n"
    "    if k == p - 1  recv out[1] from r + 1\n",
    "pattern stages\nranks r: p\nin 1\nout 1\ntmp 1\nneeds\n  if r > 0  out = in of 0\nfor k in 1 .. p-1\n  "
    "step\n"
    "    if r == k - 1 and r == 0  send in to 1\n    if r == k - 1 and r > 0   send tmp to k\n"
    "    if r == k                 recv tmp from k - 1\nif r > 0  copy tmp to out\n",
    "pattern server\nranks r: p\nin 2\nout 2\nhas\n  if r == 0  in\n  else  in[1]\nneeds\n  if r > 0  out[0] "
    "= in[0] of 0\n"
    "  if r == 0  out[1] = in[1] of p - 1\nstep\n  if r == 0\n    for k in 1 .. p-1\n      send in[0] to k\n"
    "    recv out[1] from p - 1\n  else  recv out[0] from 0\n  if r == p - 1  send in[1] to 0\n",
    ("pattern free\nranks r: p\nin 2\nout 2\ntmp 1\ncopy in[0] to tmp\nstep\n  send in[1] to r + 1\n"
     "  recv out[0] from r - 1\nstep\n  send out[0] to r - 1\n  reduce tmp from r + 1\ncopy tmp to out[1]\n")};

/* A lost message, a wrong rank or place, a race. */
static void test_patterns(void)
{
    struct mutant_tally tally = {.random = 20260001};
    for (unsigned round = 0; round < by_form(1, 1, 10); round++)
        for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
            for (uint32_t p = 2; p <= (is_least() ? 3 : 6); p++)
                if (p % 2 == 0 || !strstr(patterns[i], "mod 2"))
                    mutate_text(patterns[i], p, &tally);
    printf("\n    %" PRIu64 " mutants of patterns, %" PRIu64 " rejected, %" PRIu64 " let through, %" PRIu64
           " judged differently", tally.mutants, tally.rejected, tally.let_through, tally.disagreed);
    CU_ASSERT(tally.let_through == 0 && tally.disagreed == 0 && tally.rejected > tally.mutants / 2);
    CU_ASSERT(tally.mutants >= enough(by_form(3000, 3000, 50000)));
}

static void test_programs(void)
{
    struct mutant_tally tally = {.random = 20250001};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        for (uint32_t p = 2; p <= 5; p++)
            mutate_text(cut[i], p, &tally);
    for (size_t i = 0; i < sizeof many / sizeof *many && !is_least(); i++)
        mutate_text(many[i], MANY_RANKS, &tally);
    check_tally(&tally, is_least() ? 500 : 3000, false);
}

/* Messages of sets of chunks: of scratch, by rank, of segments, in lists, combined, and one end a range. */
static const char *const sets[] = {
    "alltoall bruck\nranks r: p\ntmp 2 * p\nfor i in 0 .. p-1\n  copy in[r+i] to tmp[i]\n"
    "for k in 0 .. ceil_log2(p)-1\n  step\n"
    "    send tmp[b for b in 0 .. p-1 if b / 2^k mod 2 == 1] to r + 2^k\n"
    "    recv tmp[p+b for b in 0 .. p-1 if b / 2^k mod 2 == 1] from r - 2^k\n"
    "  for b in 0 .. p-1\n    if b / 2^k mod 2 == 1  copy tmp[p+b] to tmp[b]\n"
    "for i in 0 .. p-1\n  copy tmp[i] to out[r-i]\n",
    "allgatherv sparbit\nranks r: p\ncopy in to out[r]\nfor k in ceil_log2(p)-1 .. 0 by -1\n  step\n"
    "    send out[r-2*t*2^k for t in 0 .. (p+2^k-1)/2^k-(p+2*2^k-1)/(2*2^k)-1] to r + 2^k\n"
    "    recv out[r-(2*t+1)*2^k for t in 0 .. (p+2^k-1)/2^k-(p+2*2^k-1)/(2*2^k)-1] from r - 2^k\n",
    "allgather around\nranks r: p\nlet segments = 2\ncopy in to out[r]\nfor i in 1 .. p-1\n  step\n"
    "    send out[r; 1-g for g in 0 .. 1] to r + i\n    recv out[r-i; 1-g for g in 0 .. 1] from r - i\n",
    "reduce_scatter_block halves\nranks r: p\nrequires 2^floor_log2(p) == p\ntmp p\ncopy in to tmp\n"
    "for k in 0 .. floor_log2(p)-1\n  step\n"
    "    send tmp[b for b in 0 .. p-1 if b mod 2^(k+1) == (r xor 2^k) mod 2^(k+1)] to r xor 2^k\n"
    "    reduce tmp[b for b in r mod 2^(k+1) .. p-1 by 2^(k+1)] from r xor 2^k\ncopy tmp[r] to out\n",
    "reduce row(segments = 3)\nranks r: p\nordered\nfor i in 1 .. p-1\n  step\n"
    "    if r == i - 1  send buf[2-g for g in 0 .. 2 by 2], buf[1] to i\n"
    "    if r == i      reduce buf[2], buf[0 .. 1] from i - 1\n",
    "scatter packed\nranks r: p from root\ntmp 2\nif r == 0  copy in[0] to out\nfor i in 1 .. p-2 by 2\n"
    "  step\n    if r == 0  send in[i+1], in[i] to i\n    if r == i  recv tmp from 0\n  step\n"
    "    if r == i      send tmp[0] to i + 1\n    if r == i + 1  recv out from i\n"
    "  if r == i  copy tmp[1] to out\nif p mod 2 == 0\n  step\n    if r == 0      send in[p-1] to p - 1\n"
    "    if r == p - 1  recv out from 0\n"};

static void test_sets(void)
{
    struct mutant_tally tally = {.random = 20260401};
    for (unsigned round = 0; round < by_form(1, 2, 40); round++)
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            for (uint32_t p = 3; p <= 8; p++)
                if (i != 3 || (p & (p - 1)) == 0)
                    mutate_text(sets[i], p, &tally);
    check_tally(&tally, by_form(3000, 6000, 50000), false);
}

static void mutate_case(const struct rule_case *rule_case, void *context)
{
    struct verify_request request = rule_case->request;
    if (!request.limits.max_link_load.is_set && !request.limits.max_fan_in.is_set)
        request.drift = 2;
    mutate_schedule(rule_case->schedule, &request, rule_case->name, by_form(5, 10, 60), context);
}

static void test_rule_cases(void)
{
    struct mutant_tally tally = {.random = 20090001};
    for (uint32_t code = 0; code < n_codes; code++)
        CU_ASSERT(!code_table[code].is_rule ||
                  rule_cases(code_table[code].id, mutate_case, &tally));
    check_tally(&tally, by_form(400, 1000, 6000), true);
}

UNIT_PROGRAM(test_mutants)
{
    CU_TestInfo tests[] = {{"mutants of algorithms", test_algorithms},
                           {"mutants of chunks in segments, and of many ranks", test_programs},
                           {"mutants of patterns", test_patterns},
                           {"mutants of sets of chunks", test_sets},
                           {"mutants of rule cases", test_rule_cases},
                           CU_TEST_INFO_NULL};
    return run_suite("mutants", tests);
}
