/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See ahead.h.
 *
 * A statement is carried out in all iterations before the next one is. That is no other meaning, as a step
 * gives values to nothing that another one reads; only the lists of operations have another order, and there
 * the lane tells the step. Whatever goes wrong is done again step by step, for its message.
 */
#include "compiler/passes/ahead.h"

#include "compiler/passes/expansion.h"
#include "compiler/passes/variables.h"

#include <stdlib.h>

enum { LEAST = 4 }; /* fewer iterations are not worth it */

/* Sends, receives, copies and what leads to them, without loops and sets: so of a lane they are no more than
 * the statements. */
static bool ahead_is_plain(const struct statement *first)
{
    for (const struct statement *s = first; s; s = s->next) {
        const bool is_control = s->kind != STATEMENT_IF && (s->kind > STATEMENT_LET || s->body);
        if (is_control || !ahead_is_plain(s->body) || !ahead_is_plain(s->otherwise))
            return false;
    }
    return true;
}

/* Returns the step with which the body of a loop ends, behind values alone; or NULL. */
static const struct statement *ahead_step_of(const struct statement *loop)
{
    const struct statement *step = loop->body;
    while (step && step->kind == STATEMENT_LET)
        step = step->next;
    return step && step->kind == STATEMENT_STEP && !step->next ? step : NULL;
}

static bool has_window(const struct expansion *expansion)
{
    for (size_t i = 0; i < expansion->n_frames; i++)
        if (expansion->frames[i].owner && expansion->frames[i].owner->kind == STATEMENT_WINDOW)
            return true;
    return false;
}

bool ahead_is_for(const struct expansion *expansion, const struct statement *loop)
{
    const struct statement *step = ahead_step_of(loop);
    return expansion->environment->n_repeats >= LEAST && step && ahead_is_plain(step->body) &&
           !expansion->binding->coverage && !expansion->schedule.use.is_wanted && !has_window(expansion);
}

/* Gives the variable of the loop its values, and carries out the body. */
static bool post_iterations(struct expansion *expansion, const struct frame *frame, uint32_t n)
{
    struct environment *environment = expansion->environment;
    const struct statement *loop = frame->owner, *statement = loop->body;
    const struct lanes lanes = {n * environment->n_ranks, NULL, 0};
    const int64_t last = frame->value + frame->by * (n - 1);
    int64_t value[BLOCK_LANES];
    bool done = true;
    for (uint32_t i = 0; i < lanes.n; i++)
        value[i] = frame->value + frame->by * (i / environment->n_ranks);
    environment->block_first = 0;
    variables_assign_lanes(environment, loop->variable, &lanes, &(struct value){value, 0});
    variables_bound(environment, loop->variable, loop_values(frame->value, last));
    for (; done && statement->kind == STATEMENT_LET; statement = statement->next)
        done = variables_let(environment, statement->variable, statement->expr, &lanes);
    return done && post_list(expansion, statement->body, &lanes);
}

/* Puts the operations of a list in the order of their steps, and finds where each begins. */
static void sort_by_step(struct expansion *expansion, struct op_list *list, size_t *begin)
{
    struct ahead *ahead = &expansion->ahead;
    const uint32_t n_ranks = expansion->environment->n_ranks;
    size_t at[BLOCK_LANES];
    bool is_sorted = true;
    for (uint32_t i = 0; i <= ahead->n; i++)
        begin[i] = 0;
    for (size_t i = 0; i < list->n; i++) {
        is_sorted = is_sorted && (i == 0 || list->lane[i] > list->lane[i - 1]);
        begin[list->lane[i] / n_ranks + 1]++;
    }
    for (uint32_t i = 0; i < ahead->n; i++) {
        begin[i + 1] += begin[i];
        at[i] = begin[i];
    }
    if (is_sorted)
        return;
    struct op_list *sorted = &ahead->sorted;
    sorted->ops = mem_grow(sorted->ops, &sorted->capacity, list->n, sizeof *sorted->ops);
    for (size_t i = 0; i < list->n; i++)
        sorted->ops[at[list->lane[i] / n_ranks]++] = list->ops[i];
    struct op *const ops = list->ops;
    const size_t capacity = list->capacity;
    list->ops = sorted->ops;
    list->capacity = sorted->capacity;
    sorted->ops = ops;
    sorted->capacity = capacity;
}

/* Iterations for which there are lanes, and steps. */
static uint32_t most_iterations(const struct expansion *expansion, const struct frame *frame)
{
    const uint64_t left = frame->left + 1, steps = SCHEDULE_MAX_STEPS - expansion->next_step;
    const uint64_t n = left < steps ? left : steps;
    return n < expansion->environment->n_repeats ? (uint32_t)n : expansion->environment->n_repeats;
}

/* Undoes what was done ahead. */
static void ahead_take_back(struct expansion *expansion, struct frame *frame)
{
    expansion->sends.n = expansion->receives.n = expansion->copies.n = 0;
    expansion->depth = 0;
    frame->is_ahead = false;
    variables_assign_uniform(expansion->environment, frame->owner->variable, frame->value);
}

bool ahead_post(struct expansion *expansion)
{
    struct ahead *ahead = &expansion->ahead;
    struct frame *frame = &expansion->frames[expansion->n_frames - 1];
    const uint32_t n = most_iterations(expansion, frame);
    const bool was_trial = expansion->environment->is_trial;
    if (n < LEAST || expansion->copies.n || expansion->rows.n)
        return false;
    ahead->is_posting = expansion->environment->is_trial = true;
    const bool done = post_iterations(expansion, frame, n);
    ahead->is_posting = false;
    expansion->environment->is_trial = was_trial;
    if (!done) {
        ahead_take_back(expansion, frame);
        return false;
    }
    ahead->next = 0;
    ahead->n = n;
    sort_by_step(expansion, &expansion->sends, ahead->begin[0]);
    sort_by_step(expansion, &expansion->receives, ahead->begin[1]);
    sort_by_step(expansion, &expansion->copies, ahead->begin[2]);
    frame->value += frame->by * (n - 1);
    frame->left -= n - 1;
    frame->next = NULL;
    return true;
}

bool ahead_take(struct expansion *expansion, struct step *step)
{
    struct ahead *ahead = &expansion->ahead;
    const uint32_t i = ahead->next;
    const size_t *sends = ahead->begin[0] + i, *receives = ahead->begin[1] + i, *copies = ahead->begin[2] + i;
    if (i == ahead->n)
        return false;
    *step = (struct step){.sends = expansion->sends.ops + sends[0],
                          .n_sends = sends[1] - sends[0],
                          .receives = expansion->receives.ops + receives[0],
                          .n_receives = receives[1] - receives[0],
                          .copies = expansion->copies.ops + copies[0],
                          .n_copies = copies[1] - copies[0]};
    ahead->next++;
    return true;
}

void ahead_free(struct ahead *ahead)
{
    free(ahead->sorted.ops);
}
