/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See needs.h. A line `out[...] = in[...] of RANK` is carried out as a step is:
 * as a send of the chunks of `in` and a receive of those of `out`, both with
 * that rank. So all that holds for chunks and ranks in a step, and what is said
 * of wrong ones, holds for what ranks need. The k-th send of a rank belongs to
 * its k-th receive.
 */
#include "compiler/passes/needs.h"

#include "base/codes.h"

#include <stdlib.h>

static struct statement *needs_as_steps(const struct statement *first, struct arena *arena);

/* Returns a copy of the statement, without those that follow it. */
static struct statement *needs_copy(const struct statement *statement, struct arena *arena)
{
    struct statement *copy = arena_alloc(arena, 1, sizeof *copy);
    *copy = *statement;
    copy->next = NULL;
    copy->body = needs_as_steps(statement->body, arena);
    copy->otherwise = needs_as_steps(statement->otherwise, arena);
    return copy;
}

/* Puts a send before each line of the clause, which is a receive. */
static struct statement *needs_as_steps(const struct statement *first, struct arena *arena)
{
    struct statement *made = NULL, **tail = &made;
    for (const struct statement *s = first; s; s = s->next) {
        if (s->is_need) {
            *tail = needs_copy(s, arena);
            (*tail)->kind = STATEMENT_SEND;
            (*tail)->chunks = s->to_chunks;
            (*tail)->to_chunks.buffer = N_BUFFERS;
            tail = &(*tail)->next;
        }
        *tail = needs_copy(s, arena);
        if (s->is_need)
            (*tail)->to_chunks.buffer = N_BUFFERS;
        tail = &(*tail)->next;
    }
    return made;
}

/* Operations by rank, in their order. */
static size_t *order_by_rank(const struct op *ops, size_t n, uint32_t n_ranks)
{
    size_t *next = mem_alloc((size_t)n_ranks + 1, sizeof *next), *order = mem_alloc(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++)
        next[ops[i].rank + 1]++;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        next[rank + 1] += next[rank];
    for (size_t i = 0; i < n; i++)
        order[next[ops[i].rank]++] = i;
    free(next);
    return order;
}

/* Returns the place of a term in the source. */
static struct position needs_position(const struct binding *binding, const struct need_term *term)
{
    return schedule_line(binding->program->source, term->line);
}

/* Sends and receives differ in size. */
static bool needs_check_sizes(const struct binding *binding, const struct op *send, const struct op *receive,
                              struct diagnostics *diagnostics)
{
    if (send->n_chunks == receive->n_chunks)
        return true;
    report(diagnostics, CODE_E022, schedule_line(binding->program->source, receive->line),
           "%u chunk%s of 'out' of rank %u need%s %u chunk%s of 'in'", receive->n_chunks,
           plural(receive->n_chunks), receive->rank, receive->n_chunks == 1 ? "s" : "", send->n_chunks,
           plural(send->n_chunks))
        ->help = "name as many chunks on both sides of '='";
    return false;
}

static struct need_term *needs_take_terms(const struct binding *binding, const struct step *step, size_t *n,
                                          struct diagnostics *diagnostics)
{
    size_t *const sends = order_by_rank(step->sends, step->n_sends, binding->n_ranks);
    size_t *const receives = order_by_rank(step->receives, step->n_receives, binding->n_ranks);
    struct need_term *terms = mem_alloc(step->n_receives + 1, sizeof *terms);
    bool is_right = true;
    *n = 0;
    for (size_t i = 0; i < step->n_receives && is_right; i++) {
        const struct op *send = &step->sends[sends[i]], *receive = &step->receives[receives[i]];
        is_right = needs_check_sizes(binding, send, receive, diagnostics);
        if (receive->n_chunks)
            terms[(*n)++] = (struct need_term){
                receive->rank, receive->chunk, receive->n_chunks, receive->peer,
                receive->peer, send->chunk,    receive->line,     receive->kind == OP_REDUCE};
    }
    free(sends);
    free(receives);
    if (is_right)
        return terms;
    free(terms);
    return NULL;
}

static void needs_report(const struct binding *binding, const struct need_fault *fault,
                         struct diagnostics *diagnostics)
{
    struct diagnostic *diagnostic = report(diagnostics, CODE_E022, needs_position(binding, &fault->a), "%s",
                                           arena_printf(&diagnostics->arena, "%s", fault->words));
    diagnostic->help = fault->help;
    if (fault->b.line == fault->a.line)
        return;
    diagnostic->related = needs_position(binding, &fault->b);
    diagnostic->related_text = "the other one is here";
}

static struct needs *needs_of_step(const struct binding *binding, const struct step *step,
                                   struct diagnostics *diagnostics)
{
    size_t n;
    struct need_fault fault;
    struct need_term *terms = needs_take_terms(binding, step, &n, diagnostics);
    if (!terms)
        return NULL;
    struct needs *needs = needs_new(binding->n_ranks, binding->n_in, terms, n, &fault);
    if (!needs)
        needs_report(binding, &fault, diagnostics);
    return needs;
}

struct needs *needs_of_binding(const struct binding *binding, struct diagnostics *diagnostics)
{
    struct arena arena = {0};
    struct program program = *binding->program;
    struct statement step_of_needs = {.kind = STATEMENT_STEP,
                                      .position = program.needs.position,
                                      .body = needs_as_steps(program.needs.body, &arena)};
    step_of_needs.chunks.buffer = step_of_needs.to_chunks.buffer = N_BUFFERS;
    struct binding bound = *binding;
    struct step step = {0};
    struct needs *needs = NULL;
    program.body = &step_of_needs;
    program.needs = (struct needs_clause){.body = NULL};
    bound.program = &program;
    struct schedule *schedule = expand_program(&bound, diagnostics);
    const bool is_given = schedule && schedule->next(schedule, &step);
    if (is_given || (schedule && !schedule->failed))
        needs = needs_of_step(binding, &step, diagnostics);
    if (schedule)
        schedule->destroy(schedule);
    arena_free(&arena);
    return needs;
}
