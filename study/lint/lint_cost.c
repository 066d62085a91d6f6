/* SPDX-License-Identifier: BSD-3-Clause
 *
 * W012: compares the cost that an algorithm states with that of its expansion, for a few numbers of
 * ranks, on servers and on grids. See lint.h.
 */
#include "compiler/passes/stated.h"
#include "network/formats/formats.h"
#include "base/codes.h"
#include "study/lint/lint.h"
#include "study/scene.h"

#include <inttypes.h>
#include <stdlib.h>

/* Bytes of a chunk, divisible by all small numbers, so that bytes are whole. */
enum { CHUNK_BYTES = 840 };
/* Limit of operations of one schedule; larger ones are not measured. */
#define MOST_OPERATIONS (UINT64_C(1) << 20)

struct shape {
    uint32_t p, slots;
    const char *torus; /* NULL: on no known network */
};

static const struct shape shapes[] = {
    {5, 1, NULL}, {8, 1, NULL}, {9, 1, NULL}, {16, 1, NULL}, {6, 2, NULL}, {8, 4, NULL},
    {6, 1, "torus:2x3"}, {9, 1, "torus:3x3"}, {8, 1, "torus:2x2x2"}, {4, 1, "torus:2x2"},
    {3, 1, NULL}, {2, 1, NULL}, {1, 1, NULL}};

/* Measures the schedule's cost, in the order of cost_name. Returns false if it is too large or fails. */
static bool lint_cost_measure(struct schedule *schedule, uint64_t cost[N_COSTS])
{
    uint32_t p = schedule->header.n_ranks;
    uint64_t *messages = mem_alloc(p, sizeof *messages), *chunks = mem_alloc(p, sizeof *chunks);
    uint64_t work = 0;
    struct step step;
    while (work < MOST_OPERATIONS && schedule->next(schedule, &step)) {
        cost[COST_STEPS] += !step_is_local(&step);
        work += step.n_sends + step.n_copies + p;
        for (size_t i = 0; i < step.n_sends; i++) {
            messages[step.sends[i].rank]++;
            chunks[step.sends[i].rank] += step.sends[i].n_chunks;
        }
    }
    for (uint32_t rank = 0; rank < p; rank++) {
        uint64_t bytes = chunks[rank] * CHUNK_BYTES;
        cost[COST_MESSAGES] =
            messages[rank] > cost[COST_MESSAGES] ? messages[rank] : cost[COST_MESSAGES];
        cost[COST_BYTES] = bytes > cost[COST_BYTES] ? bytes : cost[COST_BYTES];
    }
    free(messages);
    free(chunks);
    return work < MOST_OPERATIONS && !schedule->failed;
}

static void report_first(struct position position, const struct shape *shape,
                         const char *difference, const char *help, struct diagnostics *findings)
{
    report(findings, CODE_W012, position, "with %u rank%s, %u on a server%s, %s", shape->p,
           plural(shape->p), shape->slots, shape->torus ? ", on a torus" : "", difference)
        ->help = help;
}

static void lint_cost_report_none(const struct program *program, const struct bind_request *request,
                                  const struct shape *shape, struct diagnostics *findings)
{
    static const char help[] = "a formula has a value wherever the algorithm works (docs/algorithms.md)";
    struct position position = source_position(program->source, 0, 1);
    const char *difference = "the costs have no value";
    struct stated_problem problem;
    if (stated_problem(program, request, &problem, &findings->arena)) {
        position = stated_position(program, problem.cost);
        difference = diagnostics_text(findings, "the %s have no value: %s",
                                      cost_name[problem.cost], problem.message);
    }
    report_first(position, shape, difference, help, findings);
}

/* False after a finding. */
static bool lint_cost_compare(const struct program *program, const struct bind_request *request,
                              const struct shape *shape, const uint64_t cost[N_COSTS],
                              struct diagnostics *findings)
{
    int64_t value[N_COSTS];
    if (!stated_values(program, request, value)) {
        lint_cost_report_none(program, request, shape, findings);
        return false;
    }
    for (enum cost i = 0; i < N_COSTS; i++) {
        int64_t measured = (int64_t)cost[i];
        if (value[i] == measured || (program->costs.of[i].is_at_most && measured < value[i]))
            continue;
        report_first(stated_position(program, i), shape,
                     diagnostics_text(findings, "the %s are %" PRId64 ", but %" PRId64 " are stated",
                                      cost_name[i], measured, value[i]),
                     "mend the clause 'costs', which 'collc algorithms' prints", findings);
        return false;
    }
    return true;
}

/* Checks one placement. Returns false after a finding; a refused placement is not one. */
static bool check_shape(const struct program *program, const struct shape *shape,
                        struct diagnostics *findings)
{
    const struct placement_request where = {.n_ranks = shape->p, .ranks_per_machine = shape->slots};
    struct scene scene = {.program = program};
    struct diagnostics diagnostics = {0};
    uint64_t cost[N_COSTS] = {0};
    bool is_same = true;
    if (shape->torus)
        scene.topology = scene.owned.topology = topology_read(shape->torus, findings);
    if (scene_place(&scene, &where, &diagnostics) && scene_bind(&scene, 0, &diagnostics) &&
        scene_expand(&scene, &diagnostics) && lint_cost_measure(scene.schedule, cost)) {
        struct bind_request request = scene_where(&scene, 0);
        request.bytes = (uint64_t)CHUNK_BYTES * scene.binding->segments;
        is_same = lint_cost_compare(program, &request, shape, cost, findings);
    }
    scene_free(&scene);
    diagnostics_free(&diagnostics);
    return is_same;
}

void lint_cost(const struct program *program, struct diagnostics *findings)
{
    for (enum cost cost = 0; cost < N_COSTS; cost++)
        if (!program->costs.of[cost].expr) /* W009 */
            return;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!check_shape(program, &shapes[i], findings))
            return;
}
