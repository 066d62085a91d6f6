/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the schedule in GOAL, the language of LogGOPSim (Hoefler, Schneider & Lumsdaine 2010) and of the
 * simulators that read it:
 *
 *   num_ranks N
 *   rank R {
 *   s3: send 1000b to 4 tag 0      operations of a step require the join of the step before,
 *   s4: recv 1000b from 2 tag 0    j4 here; each send of a step, and each receive, begins when
 *   s3 requires j2                 the one before has begun, so that messages of a pair meet in
 *   s4 requires j2                 their order
 *   j5: calc 0                     the join: the whole step is over
 *   j5 requires s3 ...
 *   }
 *
 * Labels are numbered by rank. Copies and combinations take no time in it. A message without data has one
 * byte. Ranks are separate processes; the file does not say which of them share a machine.
 */
#include "emitters/emit.h"
#include "ir/counts.h"

#include <inttypes.h>
#include <stdlib.h>

struct goal {
    struct text *out;
    const struct schedule_header *header;
    struct text *ranks;   /* [rank] its lines */
    uint32_t *n_labels;   /* [rank] */
    uint32_t *join;       /* [rank] its last join + 1; 0: none */
    uint32_t *first;      /* [rank] first label of the step + 1, 0: nothing in it; zero between steps */
    const char *refusal;
};

static uint64_t goal_bytes_of(struct goal *goal, const struct op *op)
{
    const uint64_t unit_bytes = schedule_unit_bytes(goal->header);
    uint64_t bytes;
    if (!op->n_chunks)
        return 1;
    if (!unit_bytes)
        goal->refusal = "GOAL has bytes in it: give --bytes";
    if (!mem_multiply(schedule_carried_units(goal->header, op), unit_bytes, &bytes))
        goal->refusal = "a message has 2^64 bytes or more";
    return bytes;
}

/* Writes the operations of a list; each follows the one of its rank before it in the list. */
static void put_list(struct goal *goal, const struct op *ops, size_t n, uint32_t *before)
{
    for (size_t i = 0; i < n && !goal->refusal; i++) {
        const struct op *op = &ops[i];
        struct text *lines = &goal->ranks[op->rank];
        if (!schedule_is_sent(goal->header, op))
            continue;
        const uint32_t label = goal->n_labels[op->rank]++;
        text_printf(lines, "s%" PRIu32 ": %s %" PRIu64 "b %s %" PRIu32 " tag 0\n", label,
                    op->kind == OP_SEND ? "send" : "recv", goal_bytes_of(goal, op),
                    op->kind == OP_SEND ? "to" : "from", op->peer);
        if (goal->join[op->rank])
            text_printf(lines, "s%" PRIu32 " requires j%" PRIu32 "\n", label,
                        goal->join[op->rank] - 1);
        if (before[op->rank])
            text_printf(lines, "s%" PRIu32 " irequires s%" PRIu32 "\n", label, before[op->rank] - 1);
        before[op->rank] = label + 1;
        if (!goal->first[op->rank])
            goal->first[op->rank] = label + 1;
    }
    for (size_t i = 0; i < n; i++)
        before[ops[i].rank] = 0;
}

/* Writes the join of a rank's operations in the step. */
static void put_joins(struct goal *goal, const struct op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t rank = ops[i].rank;
        struct text *lines = &goal->ranks[rank];
        if (!goal->first[rank])
            continue;
        const uint32_t label = goal->n_labels[rank]++;
        text_printf(lines, "j%" PRIu32 ": calc 0\n", label);
        for (uint32_t part = goal->first[rank] - 1; part < label; part++)
            text_printf(lines, "j%" PRIu32 " requires s%" PRIu32 "\n", label, part);
        goal->join[rank] = label + 1;
        goal->first[rank] = 0;
    }
}

static void goal_put_ranks(struct goal *goal)
{
    text_printf(goal->out, "num_ranks %" PRIu32 "\n", goal->header->n_ranks);
    for (uint32_t rank = 0; rank < goal->header->n_ranks; rank++) {
        const struct text *lines = &goal->ranks[rank];
        text_printf(goal->out, "\nrank %" PRIu32 " {\n", rank);
        if (lines->length)
            text_append(goal->out, lines->data, lines->length);
        text_printf(goal->out, "}\n");
    }
}

const char *emit_goal(const struct emit_request *request, struct text *out)
{
    struct schedule *schedule = request->schedule;
    const uint32_t n_ranks = schedule->header.n_ranks;
    struct goal goal = {.out = out,
                        .header = &schedule->header,
                        .ranks = mem_alloc(n_ranks, sizeof *goal.ranks),
                        .n_labels = mem_alloc(n_ranks, sizeof *goal.n_labels),
                        .join = mem_alloc(n_ranks, sizeof *goal.join),
                        .first = mem_alloc(n_ranks, sizeof *goal.first)};
    uint32_t *before = mem_alloc(n_ranks, sizeof *before);
    struct step step;
    schedule->rewind(schedule);
    while (!goal.refusal && schedule->next(schedule, &step)) {
        put_list(&goal, step.receives, step.n_receives, before);
        put_list(&goal, step.sends, step.n_sends, before);
        put_joins(&goal, step.receives, step.n_receives);
        put_joins(&goal, step.sends, step.n_sends);
    }
    if (!goal.refusal && !schedule->failed)
        goal_put_ranks(&goal);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        text_free(&goal.ranks[rank]);
    free(goal.ranks);
    free(goal.n_labels);
    free(goal.join);
    free(goal.first);
    free(before);
    return schedule->failed ? "" : goal.refusal;
}
