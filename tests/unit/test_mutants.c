/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutation testing of the verifier: small schedules, broken at random with a
 * fixed seed, judged by the engine and by the reference (agree.h says what has
 * to be equal). Each mutant goes through the printer and the reader of schedule
 * files. One that the reference rejects must be rejected. The bases are
 * the built-in algorithms on few ranks and the cases of tests/golden/rules.
 */
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/rule_cases.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <stdio.h>

struct mutant_tally {
    uint64_t random; /* state of the generator */
    uint64_t mutants, refused, rejected, let_through, disagreed;
    uint64_t of_code[N_CODES];
};

static bool append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

/* The mutant as a user would hand it in: printed and read again. NULL if the
 * reader refuses it. */
static struct schedule *reread(const struct oplist *mutant, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct text text = {0};
    struct schedule *list = oplist_schedule(mutant);
    CU_ASSERT_FATAL(schedule_print(list, append, &text));
    const struct source *source = source_of_text("mutant", text.data, text.length, arena);
    struct schedule *schedule = schedule_read(source, &diagnostics);
    CU_ASSERT(schedule || diagnostics_has_errors(&diagnostics));
    list->destroy(list);
    text_free(&text);
    diagnostics_free(&diagnostics);
    return schedule;
}

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
    struct schedule *schedule = reread(mutant, &arena);
    tally->mutants++;
    if (schedule) {
        judge_read(schedule, request, label, tally);
        schedule->destroy(schedule);
    } else {
        tally->refused++;
    }
    arena_free(&arena);
}

/* `rounds` mutants of each kind, every third with a second mutation on top. */
static void mutate(const struct oplist *base, const struct verify_request *request,
                   const char *name, uint32_t rounds, struct mutant_tally *tally)
{
    for (uint32_t i = 0; i < rounds * N_MUTATIONS; i++) {
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

static void check_tally(const struct mutant_tally *tally, uint64_t least)
{
    printf("\n    %" PRIu64 " mutants, %" PRIu64 " refused by the reader, %" PRIu64
           " rejected, %" PRIu64 " let through, %" PRIu64 " judged differently;",
           tally->mutants, tally->refused, tally->rejected, tally->let_through, tally->disagreed);
    for (int code = CODE_M001; code <= CODE_R008; code++) {
        printf(" %s %" PRIu64, code_table[code].id, tally->of_code[code]);
        CU_ASSERT(tally->of_code[code] > 0 || code == CODE_D002); /* every rule was put to the test */
    }
    CU_ASSERT(tally->let_through == 0);
    CU_ASSERT(tally->disagreed == 0);
    CU_ASSERT(tally->mutants >= least);
}

static void mutate_algorithm(const char *name, uint32_t n_ranks, struct mutant_tally *tally)
{
    struct scene_spec spec = {.algorithm = name,
                              .topology = n_ranks == 9 ? "torus:3x3" : "star:8",
                              .n_ranks = n_ranks,
                              .root = n_ranks > 4,
                              .ranks_per_machine = n_ranks == 8 ? 2 : 1};
    struct scene scene;
    bool is_open = scene_open(&scene, &spec);
    scene.request.drift = n_ranks % 4;
    if (is_open)
        mutate_schedule(scene.schedule, &scene.request, scene_label(&scene, &spec), 6, tally);
    scene_close(&scene);
}

static void test_algorithms(void)
{
    struct mutant_tally tally = {.random = 20100001};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        for (uint32_t n_ranks = 2; scene_algorithm(i, name) && n_ranks <= 9; n_ranks++)
            mutate_algorithm(name, n_ranks, &tally);
    check_tally(&tally, 3000);
}

static void mutate_case(const struct rule_case *rule_case, void *context)
{
    struct verify_request request = rule_case->request;
    if (!request.limits.max_link_load && !request.limits.max_fan_in)
        request.drift = 2;
    mutate_schedule(rule_case->schedule, &request, rule_case->name, 30, context);
}

static void test_rule_cases(void)
{
    struct mutant_tally tally = {.random = 20090001};
    for (int code = CODE_M001; code <= CODE_H001; code++)
        CU_ASSERT(code == CODE_D002 || rule_cases(code_table[code].id, mutate_case, &tally));
    check_tally(&tally, 3000);
}

int main(void)
{
    CU_TestInfo tests[] = {{"mutants of algorithms", test_algorithms},
                           {"mutants of rule cases", test_rule_cases},
                           CU_TEST_INFO_NULL};
    return run_suite("mutants", tests);
}
