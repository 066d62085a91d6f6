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

struct term_list {
    struct need_term *items;
    size_t n, capacity;
};

/* Adds the terms of a line: of both sides range by range, cut where either ends. */
static void needs_add_terms(const struct schedule_header *header, const struct op *send,
                            const struct op *receive, struct term_list *terms)
{
    for (struct op_range_pairs pairs = op_range_pairs(header, send, receive); op_range_pairs_next(&pairs);) {
        terms->items = mem_grow(terms->items, &terms->capacity, terms->n + 1, sizeof *terms->items);
        terms->items[terms->n++] = (struct need_term){.rank = receive->rank,
                                                      .chunk = pairs.to.chunk,
                                                      .n = pairs.n,
                                                      .from = receive->peer,
                                                      .last = receive->peer,
                                                      .from_chunk = pairs.from.chunk,
                                                      .line = receive->line,
                                                      .adds = receive->kind == OP_REDUCE};
    }
}

/* False after reporting. */
static bool needs_take_terms(const struct binding *binding, const struct schedule_header *header,
                             const struct step *step, struct term_list *terms,
                             struct diagnostics *diagnostics)
{
    size_t *const sends = order_by_rank(step->sends, step->n_sends, binding->n_ranks);
    size_t *const receives = order_by_rank(step->receives, step->n_receives, binding->n_ranks);
    bool is_right = true;
    for (size_t i = 0; i < step->n_receives && is_right; i++) {
        const struct op *send = &step->sends[sends[i]], *receive = &step->receives[receives[i]];
        is_right = needs_check_sizes(binding, send, receive, diagnostics);
        if (is_right)
            needs_add_terms(header, send, receive, terms);
    }
    free(sends);
    free(receives);
    return is_right;
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

/* Expands a clause as the one step of a program. NULL after reporting; *step is empty if nothing is said. */
static struct schedule *needs_expand(const struct binding *binding, struct program *program,
                                     struct binding *bound, struct statement *first, struct step *step,
                                     struct diagnostics *diagnostics)
{
    *program = *binding->program;
    *bound = *binding;
    *step = (struct step){0};
    program->body = first;
    program->needs = program->has = (struct needs_clause){.body = NULL};
    bound->program = program;
    struct schedule *schedule = expand_program(bound, diagnostics);
    if (!schedule || schedule->next(schedule, step) || !schedule->failed)
        return schedule;
    schedule->destroy(schedule);
    return NULL;
}

static struct statement needs_step(struct position position, struct statement *body)
{
    struct statement step = {.kind = STATEMENT_STEP, .position = position, .body = body};
    step.chunks.buffer = step.to_chunks.buffer = N_BUFFERS;
    return step;
}

/* Sets which chunks of `in` ranks have; NULL: all. False after reporting. */
static bool needs_find_has(const struct binding *binding, bool **has, struct diagnostics *diagnostics)
{
    const struct needs_clause *clause = &binding->program->has;
    const uint64_t n_places = (uint64_t)binding->n_ranks * binding->n_in;
    struct statement first = needs_step(clause->position, clause->body);
    struct program program;
    struct binding bound;
    struct step step;
    *has = NULL;
    if (!clause->position.line)
        return true;
    if (n_places > NEEDS_MAX_PLACES) {
        report(diagnostics, CODE_E010, clause->position, "all ranks have %llu chunks of 'in', more than %d",
               (unsigned long long)n_places, NEEDS_MAX_PLACES)
            ->help = "take fewer ranks, or leave 'has' out: each then has all chunks of 'in'";
        return false;
    }
    struct schedule *schedule = needs_expand(binding, &program, &bound, &first, &step, diagnostics);
    if (!schedule)
        return false;
    *has = mem_alloc(n_places + 1, sizeof **has);
    for (size_t i = 0; i < step.n_copies; i++)
        for (uint32_t k = 0; k < step.copies[i].n_chunks; k++)
            (*has)[(size_t)step.copies[i].rank * binding->n_in + step.copies[i].chunk + k] = true;
    schedule->destroy(schedule);
    return true;
}

static struct needs *needs_of_step(const struct binding *binding, const struct schedule_header *header,
                                   const struct step *step, struct diagnostics *diagnostics)
{
    bool *has;
    struct need_fault fault;
    struct term_list terms = {.n = 0};
    if (!needs_take_terms(binding, header, step, &terms, diagnostics) ||
        !needs_find_has(binding, &has, diagnostics)) {
        free(terms.items);
        return NULL;
    }
    struct needs *needs = needs_new(binding->n_ranks, binding->n_in, terms.items, terms.n, has, &fault);
    if (!needs)
        needs_report(binding, &fault, diagnostics);
    return needs;
}

struct needs *needs_of_binding(const struct binding *binding, struct diagnostics *diagnostics)
{
    const struct needs_clause *clause = &binding->program->needs;
    struct arena arena = {0};
    struct statement first = needs_step(clause->position, needs_as_steps(clause->body, &arena));
    struct program program;
    struct binding bound;
    struct step step;
    struct schedule *schedule = needs_expand(binding, &program, &bound, &first, &step, diagnostics);
    struct needs *needs = schedule ? needs_of_step(binding, &schedule->header, &step, diagnostics) : NULL;
    if (schedule)
        schedule->destroy(schedule);
    arena_free(&arena);
    return needs;
}
