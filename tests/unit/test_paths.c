/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every rule is asked on every path. For each fact of verify/facts.def a rule is planted that says
 * something wherever it is asked. Schedules are verified with it rank by rank, by rows of copies,
 * by symmetry, by parts, and with ranks that are late, so that all goes through what is left over:
 * the rule must be heard as often on each path, or the path must give way. Whole algorithms,
 * programs that are wrong on all ranks alike, algorithms broken by chance, and the cases of
 * tests/golden/rules.
 */
#include "base/codes.h"
#include "study/symmetric.h"
#include "tests/unit/expansions.h"
#include "tests/unit/oplist.h"
#include "tests/unit/rule_cases.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include "verify/parts.h"
#include "verify/planted.h"
#include "verify/rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the planted rule ---- */

enum { EVERY, UNUSUAL, EXPANDED };
/* Listeners for which representatives are not enough. */
enum { LAST_RANK = N_FACTS, LAST_COPY, HOLDER, N_LISTENERS };

static const struct {
    const char *name;
    int kind;
} facts[N_LISTENERS] = {
#define FACT(name, kind, file) {#name, kind},
#include "verify/facts.def"
    {"op of the last rank", EVERY},
    {"copy into the last chunk", EVERY},
    {"message to a rank that holds something", EXPANDED}, /* which is said of closed steps only */
};

static bool hear(const struct judge *judge)
{
    if (!finding_is_counted(judge))
        finding_of(judge, "heard");
    return false;
}

#define FACT(name, kind, file)                                                           \
    static bool hear_##name(const struct judge *judge, const struct fact_##name *fact) \
    {                                                                                  \
        (void)fact;                                                                    \
        return hear(judge);                                                            \
    }
#include "verify/facts.def"

static bool hear_last(const struct judge *judge, const struct fact_op *fact)
{
    return fact->op->rank == judge->verifier->n_ranks - 1 && hear(judge);
}

static bool hear_copy(const struct judge *judge, const struct fact_local *fact)
{
    return fact->op->to_chunk == judge->verifier->n_ranks - 1 && hear(judge);
}

static bool hear_holder(const struct judge *judge, const struct fact_message *fact)
{
    const struct chunk_map *maps = judge->verifier->data->maps[BUFFER_OUT];
    return maps && chunk_map_run(&maps[fact->receive->rank], (struct run_at){0, 0}) && hear(judge);
}

/* No limit on idle steps is set here, so all findings of this code are of the planted rule. */
enum { PLANTED = CODE_C002 };

static void plant(unsigned listener, bool by_representatives)
{
    static struct rule rule;
    rule = (struct rule){.by_representatives = by_representatives};
    switch (listener) {
#define FACT(name, kind, file)   \
    case FACT_##name:            \
        rule.name = hear_##name; \
        break;
#include "verify/facts.def"
    case LAST_RANK: rule.op = hear_last; break;
    case LAST_COPY: rule.local = hear_copy; break;
    default: rule.message = hear_holder; break;
    }
    rules_plant(PLANTED, &rule);
}

/* ---- paths ---- */

static uint64_t heard_alone(struct schedule *schedule, const struct verify_request *request)
{
    struct verify_report report = {0};
    struct diagnostics findings = {0};
    CU_ASSERT(verify_schedule(schedule, request, &report, &findings));
    const uint64_t n = findings.n_of_code[PLANTED];
    verify_report_free(&report);
    diagnostics_free(&findings);
    return n;
}

/* Returns the number of facts heard. Nothing is heard if symmetry decides. */
static uint64_t heard_by_symmetry(const struct binding *binding, struct schedule *schedule,
                                  const struct verify_request *request, unsigned *n_decided)
{
    struct verify_report report;
    struct symmetric_verdict verdict = verify_by_symmetry(binding, request, &report);
    const bool is_decided = verdict.is_decided;
    *n_decided += is_decided;
    verify_report_free(&report);
    symmetric_verdict_free(&verdict);
    return is_decided ? 0 : heard_alone(schedule, request);
}

static bool none_is_lost(void *context)
{
    (void)context;
    return false;
}

static const char *bytes_of(void *context, uint32_t part, size_t *length)
{
    const struct text *texts = context;
    *length = texts[part].length;
    return *length ? texts[part].data : NULL;
}

/* Three parts, one after the other; of independent steps if n_independent. */
static uint64_t heard_by_parts(struct schedule *schedule, const struct verify_request *request,
                               uint64_t n_independent, unsigned *n_whole)
{
    struct verify_share share = {.n = 3};
    struct text texts[3] = {{0}};
    struct verify_report report = {0};
    struct diagnostics findings = {0};
    bool is_lost;
    if (n_independent && verify_may_be_independent(schedule, request))
        share.n_independent = n_independent;
    for (share.number = 1; share.number < share.n; share.number++)
        verify_measure_part(schedule, request, &share, &texts[share.number]);
    share.number = 0;
    const struct verify_others others = {share, texts, none_is_lost, bytes_of};
    verify_with_others(schedule, request, &others, &report, &findings, &is_lost);
    const uint64_t n = findings.n_of_code[PLANTED];
    *n_whole += !is_lost;
    verify_report_free(&report);
    diagnostics_free(&findings);
    for (uint32_t part = 0; part < share.n; part++)
        text_free(&texts[part]);
    return is_lost ? heard_alone(schedule, request) : n;
}

/* The same with all that rank r does r mod 3 steps later. */
static void delay(const struct oplist *list, struct oplist *late)
{
    oplist_copy(list, late); /* its sets, too */
    late->n_ops = 0;
    late->n_steps = 0;
    for (size_t i = 0; i < list->n_ops; i++)
        oplist_append(late, list->ops[i].step + list->ops[i].op.rank % 3, list->ops[i].op);
}

/* ---- a schedule on all paths ---- */

struct tally {
    uint64_t random; /* state of the generator */
    uint64_t heard[N_LISTENERS];
    unsigned n_cases, n_decided, n_whole, n_disagreed;
};

struct tried {
    const char *label;
    const struct binding *binding; /* NULL: there is no program */
    struct schedule *schedule;
    struct oplist list;            /* the same */
    struct oplist late;            /* without operations: it is not to be tried */
    const struct verify_request *request;
    unsigned listener;
    struct tally *tally;
};

static void expect(const struct tried *tried, const char *path, uint64_t expected, uint64_t heard)
{
    tried->tally->n_disagreed += heard != expected;
    if (heard != expected)
        printf("\n  %s: %s is heard %" PRIu64 " times, %" PRIu64 " times %s", tried->label,
               facts[tried->listener].name, expected, heard, path);
}

static void try_late(const struct tried *tried, uint64_t expected)
{
    struct schedule *schedule = oplist_schedule(&tried->late);
    const uint64_t heard = heard_alone(schedule, tried->request);
    if (facts[tried->listener].kind != EXPANDED)
        expect(tried, "late", tried->listener == FACT_step ? tried->late.n_steps : expected, heard);
    schedule->destroy(schedule);
}

static void try_listener(const struct tried *tried, bool by_representatives)
{
    struct tally *tally = tried->tally;
    const struct verify_request *request = tried->request;
    struct schedule *plain = tried->binding ? oplist_schedule(&tried->list) : tried->schedule;
    plant(tried->listener, by_representatives);
    const uint64_t expected = heard_alone(plain, request);
    tally->heard[tried->listener] += expected;
    expect(tried, "in parts", expected, heard_by_parts(plain, request, 0, &tally->n_whole));
    expect(tried, "in parts of independent steps", expected,
           heard_by_parts(plain, request, tried->list.n_steps, &tally->n_whole));
    if (tried->late.n_ops)
        try_late(tried, expected);
    if (tried->binding) {
        expect(tried, "by rows", expected, heard_alone(tried->schedule, request));
        expect(tried, "by symmetry", expected,
               heard_by_symmetry(tried->binding, tried->schedule, request, &tally->n_decided));
        plain->destroy(plain);
    }
}

/* Tries the listener, or with N_LISTENERS each of them. */
static void try_schedule(const char *label, const struct binding *binding,
                         struct schedule *schedule, const struct verify_request *request,
                         unsigned listener, struct tally *tally)
{
    struct tried tried = {.label = label, .binding = binding, .schedule = schedule,
                          .request = request, .tally = tally};
    CU_ASSERT_FATAL(oplist_capture(schedule, &tried.list));
    if (!schedule->header.is_timed && listener == N_LISTENERS)
        delay(&tried.list, &tried.late);
    tally->n_cases++;
    for (unsigned i = 0; i < N_LISTENERS; i++) {
        tried.listener = i;
        if (listener != N_LISTENERS && listener != i)
            continue;
        try_listener(&tried, false);
        if (i < N_FACTS)
            try_listener(&tried, true);
    }
    rules_plant(PLANTED, NULL);
    oplist_free(&tried.list);
    oplist_free(&tried.late);
}

/* ---- schedules ---- */

/* An algorithm as it is, or with so many mutations. */
static void try_algorithm(const struct scene_spec *spec, unsigned n_mutations, struct tally *tally)
{
    struct test_scene scene;
    struct arena arena = {0};
    struct oplist list;
    if (scene_open(&scene, spec) && !n_mutations) {
        try_schedule(scene_label(&scene, spec), scene.binding, scene.schedule, &scene.request,
                     N_LISTENERS, tally);
    } else if (scene.schedule) {
        CU_ASSERT_FATAL(oplist_capture(scene.schedule, &list));
        for (unsigned i = 0; i < n_mutations; i++)
            oplist_mutate(&list, (enum mutation)random_below(&tally->random, N_MUTATIONS),
                          &tally->random);
        struct schedule *mutant = oplist_reread(&list, &arena);
        if (mutant) {
            try_schedule(scene_label(&scene, spec), NULL, mutant, &scene.request, N_LISTENERS,
                         tally);
            mutant->destroy(mutant);
        }
        oplist_free(&list);
    }
    scene_close(&scene);
    arena_free(&arena);
}

static void try_algorithms(const char *topology, size_t step, unsigned n_mutations,
                           struct tally *tally)
{
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i += (is_least() ? 12 : by_form(5, 2, 1)) * step) {
        const struct scene_spec spec = {.algorithm = scene_algorithm(i, name),
                                        .topology = topology};
        if (spec.algorithm)
            try_algorithm(&spec, n_mutations, tally);
    }
}

/* Programs that are wrong, or out of the ordinary, on all ranks alike. */
static const char *const texts[] = {
    /* nobody does anything in a step */
    "allgather idle\nranks r: p\ncopy in to out[r]\nstep\n  if p == 1\n    send out[r] to r + 1\n"
    "    recv out[r] from r - 1\nfor i in 0 .. p-2\n  step\n    send out[r+i] to r - 1\n"
    "    recv out[r+i+1] from r + 1\n",
    /* nobody copies its own data */
    "allgather absent\nranks r: p\nfor i in 0 .. p-2\n  step\n    send out[r+i] to r - 1\n"
    "    recv out[r+i+1] from r + 1\n",
    /* contributions come twice */
    "allreduce twice\nranks r: p\nfor i in 0 .. p-1\n  step\n    send buf to r + 1\n"
    "    reduce buf from r - 1\n",
    /* blocks lie in places of others */
    "allgather astray\nranks r: p\ncopy in to out[r]\nfor i in 1 .. p-1\n  step\n"
    "    send in to r + i\n    recv out[r-i+1] from r - i\n",
    /* in is read when in place it is overwritten */
    "allgather alias\nranks r: p\nstep\n  send in to r + 1\n  recv out[r] from r - 1\n"
    "step\n  send in to r + 1\n  recv out[r-1] from r - 1\n",
    /* nobody receives; sizes differ; everybody waits for the next one */
    "allgather lost\nranks r: p\nstep\n  send in to r + 1\n",
    "alltoall larger\nranks r: p\nstep\n  send in[r .. r] to r + 1\n"
    "  recv out[0 .. 1] from r - 1\n",
    "allgather cycle\nranks r: p\nstep\n  send in to r + 1\nstep\n  recv out[r-1] from r - 1\n",
    /* rows of copies: all that a right program copies, single chunks, several, over themselves */
    "alltoall right\nranks r: p\ntmp p\nfor i in 0 .. p-1\n  copy in[i] to tmp[i]\n"
    "for i in 0 .. p-1\n  step\n    send tmp[(r+i) mod p] to r + i\n"
    "    recv out[r-i] from r - i\n",
    "alltoall rows\nranks r: p\ntmp 2*p\nfor i in 0 .. p-1\n  copy in[i] to tmp[2*i]\n"
    "for i in 0 .. p-1\n  copy tmp[2*i] to tmp[i]\nfor i in 0 .. p-1\n  copy tmp[i] to out[p-1-i]\n",
    "allgather ranges(segments = 64)\nranks r: p\ntmp 65\nfor i in 0 .. 31\n"
    "  copy in[2*i .. 2*i+1] to tmp[2*i .. 2*i+1]\nfor i in 0 .. 31\n"
    "  copy tmp[2*i .. 2*i+1] to tmp[2*i+1 .. 2*i+2]\n",
};

static void try_text(const char *text, struct tally *tally)
{
    struct bound_text bound = {0};
    struct verify_request request = {.placement = NULL};
    bind_text(&bound, text, place(18, 1, BLOCK), NULL, (struct bind_request){0});
    CU_ASSERT_FATAL(bound.binding != NULL);
    struct schedule *schedule = expand_program(bound.binding, &bound.diagnostics);
    request.placement = bound.binding->placement;
    try_schedule(text, bound.binding, schedule, &request, N_LISTENERS, tally);
    schedule->destroy(schedule);
    unbind_text(&bound);
}

static void try_case(const struct rule_case *rule_case, void *context)
{
    try_schedule(rule_case->name, NULL, rule_case->schedule, &rule_case->request, N_LISTENERS,
                 context);
}

/* More operations wait than are kept. */
static void try_far_apart(struct tally *tally)
{
    enum { N = (1 << 21) + 256 };
    struct oplist list = {.header = {.collective = COLLECTIVE_bcast, .algorithm = "far",
                                     .n_ranks = 2, .segments = 1}};
    const struct verify_request request = {.placement = NULL};
    for (uint32_t i = 0; i < N; i++)
        oplist_append(&list, 0, (struct op){.rank = 0, .peer = 1, .n_chunks = 1, .kind = OP_SEND,
                                            .buffer = BUFFER_BUF});
    for (uint32_t i = 0; i < N; i++)
        oplist_append(&list, 1, (struct op){.rank = 1, .peer = 0, .n_chunks = 1, .kind = OP_RECV,
                                            .buffer = BUFFER_BUF});
    struct schedule *schedule = oplist_schedule(&list);
    try_schedule("far apart", NULL, schedule, &request, FACT_unjudged, tally);
    schedule->destroy(schedule);
    oplist_free(&list);
}

static void test_paths(void)
{
    struct tally tally = {.random = 20261128};
    try_algorithms("star:6", 1, 0, &tally);
    try_algorithms("star:18", 4, 0, &tally);
    try_algorithms("torus:4x4", 6, 0, &tally);
    try_algorithms("star:6", 2, 1, &tally);
    try_algorithms("star:5", 3, 2, &tally);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        try_text(texts[i], &tally);
    for (uint32_t code = 0; code < n_codes; code++)
        if (code_table[code].is_rule && code != PLANTED)
            CU_ASSERT(rule_cases(code_table[code].id, try_case, &tally));
    if (!IS_SHORT)
        try_far_apart(&tally);
    printf("\n  %u schedules: %u times symmetry decides that nothing is heard, %u times parts; "
           "%u disagree ",
           tally.n_cases, tally.n_decided, tally.n_whole, tally.n_disagreed);
    CU_ASSERT(tally.n_disagreed == 0 && tally.n_decided > 0 && tally.n_whole > 0);
    for (unsigned i = 0; i < N_LISTENERS; i++) {
        const bool is_heard = tally.heard[i] > 0 || (IS_SHORT && i == FACT_unjudged);
        CU_ASSERT(is_heard);
        if (!is_heard)
            printf("\n  no schedule here brings a fact '%s'", facts[i].name);
    }
}

UNIT_PROGRAM(test_paths)
{
    CU_TestInfo tests[] = {{"each fact is heard on each path", test_paths}, CU_TEST_INFO_NULL};
    return run_suite("paths", tests);
}
