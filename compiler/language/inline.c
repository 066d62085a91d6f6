/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts the statements of other algorithms in the place of runs. See inline.h.
 *
 * All ranks have the same steps, so a run in an `if` that depends on the rank is made by
 * all, and the condition goes into its steps and around its copies: the other ranks have
 * empty steps meanwhile.
 */
#include "compiler/language/inline.h"

#include "base/codes.h"
#include "ir/use.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- new things -------------------------------------------------------- */

void inline_count_statement(struct inliner *inliner, struct position position)
{
    if (++inliner->n_statements == MAX_STATEMENTS + 1)
        report(inliner->diagnostics, CODE_E010, position,
               "more than %d statements and clauses with those of the algorithms that are run",
               MAX_STATEMENTS)
            ->help = "run fewer algorithms: one 'run' in a 'for' counts once";
}

struct statement *inline_copy_statement(struct inliner *inliner, enum statement_kind kind,
                                        struct position position)
{
    struct statement *statement = arena_alloc(inliner->program->arena, 1, sizeof *statement);
    statement->kind = kind;
    statement->number = inliner->number;
    statement->of_run = true;
    statement->position = position;
    statement->chunks.buffer = statement->to_chunks.buffer = N_BUFFERS;
    inline_count_statement(inliner, position);
    return statement;
}

static bool inline_is_taken(const struct inliner *inliner, const char *name)
{
    for (size_t i = 0; i < inliner->n_variables; i++)
        if (inliner->variables[i].name && strcmp(inliner->variables[i].name, name) == 0)
            return true;
    return false;
}

/* Unlike every other name of the program, in whatever block: values of the header are one
 * block in the C that is emitted, and lets move out of theirs. */
static const char *name_of_copy(struct inliner *inliner, const char *name, uint32_t copy)
{
    const char *new = arena_printf(inliner->program->arena, "%s_%u", name, copy);
    while (inline_is_taken(inliner, new))
        new = arena_printf(inliner->program->arena, "%s_%u", name, ++inliner->n_copies);
    return new;
}

uint32_t inline_new_copy(struct inliner *inliner, const struct variable *of, uint32_t copy)
{
    inliner->variables = mem_grow(inliner->variables, &inliner->variables_capacity,
                                  inliner->n_variables + 1, sizeof *inliner->variables);
    struct variable *variable = &inliner->variables[inliner->n_variables];
    *variable = *of;
    variable->name = name_of_copy(inliner, of->name, copy); /* not yet one of the n_variables */
    variable->value = NULL;
    variable->source_name = NULL;
    return (uint32_t)inliner->n_variables++;
}

struct expr *inline_header_let(struct inliner *inliner, const char *name, uint32_t copy,
                               struct expr *value, struct position run)
{
    const struct variable let = {.name = name, .kind = VARIABLE_LET, .is_uniform = true,
                                 .position = value->position, .run = run};
    uint32_t variable = inline_new_copy(inliner, &let, copy);
    inline_count_statement(inliner, value->position);
    inliner->variables[variable].value = value;
    if (!inline_is_of_header(inliner, value) && !inliner->diagnostics->n_of_code[CODE_E006])
        report(inliner->diagnostics, CODE_E006, value->position,
               "a value of the header of an algorithm that is run must be known above the first "
               "statement")
            ->help = "give it a value of the header here: a parameter, 'p', an extent or a 'let' above the body";
    return expr_new_variable(inliner, variable, value->position);
}

bool inline_is_of_header(const struct inliner *inliner, const struct expr *expr)
{
    if (!expr)
        return true;
    if (expr->kind != EXPR_VARIABLE)
        return inline_is_of_header(inliner, expr->a) && inline_is_of_header(inliner, expr->b) &&
               inline_is_of_header(inliner, expr->c);
    const struct variable *variable = &inliner->variables[expr->variable];
    return variable->kind == VARIABLE_NAMED || variable->kind == VARIABLE_PARAMETER ||
           (variable->kind == VARIABLE_LET && variable->value);
}

/* --- conditions --------------------------------------------------------- */

static bool inline_has(const struct statement *statement, enum statement_kind kind)
{
    bool found = false;
    for (; statement && !found; statement = statement->next)
        found = statement->kind == kind || inline_has(statement->body, kind) ||
                inline_has(statement->otherwise, kind);
    return found;
}

/* A condition that goes into steps, and the lets that were under it, the last one first:
 * they may have a value where it holds only (`if l > 0`, `let q = n / l`), so they go
 * along. */
struct guard {
    struct expr *condition;
    struct pending {
        const struct statement *let;
        const struct pending *before;
    } *lets;
};

/* Returns the body with those of the lets before it that it needs. */
static struct statement *with_lets(struct inliner *inliner, const struct guard *guard,
                                   struct statement *body)
{
    for (const struct pending *i = guard->lets; i && !inliner_is_full(inliner); i = i->before) {
        if (!block_use(body, i->let->variable))
            continue;
        struct statement *let = inline_copy_statement(inliner, STATEMENT_LET, i->let->position);
        *let = *i->let;
        let->next = body;
        body = let;
    }
    return body;
}

static struct statement *new_if(struct inliner *inliner, const struct guard *guard,
                                struct statement *body)
{
    inliner->number = body->number;
    struct statement *statement = inline_copy_statement(inliner, STATEMENT_IF, body->position);
    statement->expr = guard->condition;
    statement->body = with_lets(inliner, guard, body);
    return statement;
}

/* It leaves the block it was in, where another one may have the same name. */
static void free_name(struct inliner *inliner, uint32_t index)
{
    struct variable *variable = &inliner->variables[index];
    bool is_other = false;
    for (size_t i = 0; i < inliner->n_variables; i++)
        is_other = is_other || (i != index && inliner->variables[i].name &&
                                strcmp(inliner->variables[i].name, variable->name) == 0);
    if (!is_other)
        return;
    if (!variable->source_name)
        variable->source_name = variable->name;
    variable->name = name_of_copy(inliner, variable->name, ++inliner->n_copies);
}

static void guard_list(struct inliner *inliner, struct statement **list, struct guard guard);

/* Restricts one statement to where the condition holds; steps remain on all ranks. */
static void guard_one(struct inliner *inliner, struct statement **at, const struct guard *guard)
{
    struct statement *statement = *at, *next = statement->next;
    const bool has_steps =
        inline_has(statement->body, STATEMENT_STEP) || inline_has(statement->otherwise, STATEMENT_STEP);
    if (statement->kind == STATEMENT_STEP && statement->body) {
        statement->body = new_if(inliner, guard, statement->body);
    } else if (statement->kind == STATEMENT_LET) { /* uniform: steps may depend on it */
        free_name(inliner, statement->variable);
    } else if (has_steps) {
        guard_list(inliner, &statement->body, *guard);
        guard_list(inliner, &statement->otherwise, *guard);
    } else if (statement->kind != STATEMENT_STEP) {
        statement->next = NULL;
        *at = new_if(inliner, guard, statement);
        (*at)->next = next;
    }
}

static void guard_list(struct inliner *inliner, struct statement **list, struct guard guard)
{
    while (*list) {
        struct statement *statement = *list;
        if (statement->kind != STATEMENT_LET || statement->expr->is_uniform) {
            guard_one(inliner, list, &guard);
            list = &(*list)->next;
            continue;
        }
        struct pending *pending = arena_alloc(inliner->program->arena, 1, sizeof *pending);
        *pending = (struct pending){statement, guard.lets};
        guard.lets = pending;
        *list = statement->next;
    }
}

/* --- the tree ----------------------------------------------------------- */

static void inline_list(struct inliner *inliner, struct statement **list);

/* Puts the list in the place of *at; returns its end. */
static struct statement **splice(struct statement **at, struct statement *list)
{
    struct statement *next = (*at)->next;
    *at = list;
    while (*at)
        at = &(*at)->next;
    *at = next;
    return at;
}

static struct statement **inline_run(struct inliner *inliner, struct statement **at)
{
    struct statement *list = NULL;
    struct instance *instance = inliner->next;
    assert(instance->run == (*at)->run); /* inline_collect() has gone the same way */
    inliner->next = instance->following;
    inliner->number = (*at)->number;
    clone_instance(instance, (*at)->position, &list);
    return splice(at, list);
}

/* Inlines an `if` that depends on the rank: first one branch, then the other, each under its condition. */
static struct statement **inline_if(struct inliner *inliner, struct statement **at)
{
    struct statement *statement = *at, *otherwise = statement->otherwise;
    struct expr *negated = expr_new_operation(inliner, EXPR_NOT, statement->expr, NULL);
    guard_list(inliner, &statement->body, (struct guard){.condition = statement->expr});
    guard_list(inliner, &otherwise, (struct guard){.condition = negated});
    struct statement **end = &statement->body;
    while (*end)
        end = &(*end)->next;
    *end = otherwise;
    return splice(at, statement->body);
}

static void inline_list(struct inliner *inliner, struct statement **at)
{
    while (*at) {
        struct statement *statement = *at;
        const bool has_runs =
            inline_has(statement->body, STATEMENT_RUN) || inline_has(statement->otherwise, STATEMENT_RUN);
        inline_list(inliner, &statement->body);
        inline_list(inliner, &statement->otherwise);
        if (statement->kind == STATEMENT_RUN)
            at = inline_run(inliner, at);
        else if (statement->kind == STATEMENT_IF && has_runs && !statement->expr->is_uniform)
            at = inline_if(inliner, at);
        else
            at = &statement->next;
    }
}

/* --- tmp and segments --------------------------------------------------- */

/* `tmp` alone is what the program has of it, without its runs. */
static void settle_whole(struct inliner *inliner, struct chunks *chunks)
{
    if (chunks->buffer != BUFFER_TMP || chunks->n)
        return;
    chunks->n = 1;
    chunks->index = arena_alloc(inliner->program->arena, 1, sizeof *chunks->index);
    chunks->index[0] = expr_new_integer(inliner, 0, chunks->position);
    chunks->last = term_sum(inliner, inliner->own_tmp, NULL, -1);
}

static void settle_tmp(struct inliner *inliner, struct statement *statement)
{
    for (; statement; statement = statement->next) {
        for (enum buffer b = 0; statement->run && b < N_BUFFERS; b++)
            if (statement->run->maps[b])
                settle_whole(inliner, &statement->run->maps[b]->chunks);
        settle_whole(inliner, &statement->chunks);
        settle_whole(inliner, &statement->to_chunks);
        settle_tmp(inliner, statement->body);
        settle_tmp(inliner, statement->otherwise);
    }
}

/* The run has all of our `buf`. */
static bool is_on_all(const struct instance *instance)
{
    const struct run_map *map = instance->run->maps[BUFFER_BUF];
    return collective_has(instance->run->collective, BUFFER_BUF) &&
           (!map || (map->chunks.buffer == BUFFER_BUF && map->chunks.n == 0));
}

/* Without a word about `segments`: so many that all can cut `buf` as they need it. */
static void settle_segments(struct inliner *inliner)
{
    struct program *program = inliner->program;
    struct expr *common = NULL;
    if (program->segments != NO_VARIABLE ||
        !collective_has(program->collective, BUFFER_BUF))
        return;
    for (struct instance *i = inliner->instances; i; i = i->following) {
        if (!is_on_all(i) || expr_is_integer(i->segments, 1) || (common && expr_is_same(common, i->segments)))
            continue;
        common = common ? expr_new_operation(inliner, EXPR_LCM, common, i->segments) : i->segments;
    }
    inliner->segments = common;
    if (!common)
        return;
    if (common->kind != EXPR_VARIABLE || inliner->variables[common->variable].kind == VARIABLE_NAMED)
        common = inline_header_let(inliner, "segments", ++inliner->n_copies, common,
                                   inliner->instances->run->position);
    program->segments = common->variable;
}

/* --- the whole ---------------------------------------------------------- */

static bool inline_collect(struct inliner *inliner, const struct statement *statement)
{
    bool done = true;
    for (; statement; statement = statement->next) {
        if (statement->kind == STATEMENT_RUN) {
            const struct diagnostic *last = inliner->diagnostics->last;
            *inliner->tail = instance_new(inliner, statement->run);
            if (inliner->reading->depth == 0) /* of runs within runs the first is the user's */
                diagnostics_of_run(inliner->diagnostics, last, statement->run->position);
            if (*inliner->tail)
                inliner->tail = &(*inliner->tail)->following;
            else
                done = false;
        }
        done &= inline_collect(inliner, statement->body);
        done &= inline_collect(inliner, statement->otherwise);
    }
    return done;
}

static bool collect_all(struct inliner *inliner)
{
    bool done = inline_collect(inliner, inliner->program->body);
    for (const struct definition *d = inliner->program->definitions; d; d = d->next)
        done &= inline_collect(inliner, d->body);
    return done;
}

static void inline_all(struct inliner *inliner)
{
    struct program *program = inliner->program;
    settle_segments(inliner);
    for (struct instance *i = inliner->instances; i; i = i->following)
        instance_place(i);
    if (inliner->own_tmp && inliner->own_tmp != program->n_tmp)
        settle_tmp(inliner, program->body);
    for (struct definition *d = program->definitions; d; d = d->next)
        if (inliner->own_tmp && inliner->own_tmp != program->n_tmp)
            settle_tmp(inliner, d->body);
    inliner->next = inliner->instances;
    inline_list(inliner, &program->body);
    for (struct definition *d = program->definitions; d; d = d->next)
        inline_list(inliner, &d->body);
    assert(!inliner->next); /* each instance was put in where its run stood */
}

static bool has_runs(const struct program *program)
{
    bool found = inline_has(program->body, STATEMENT_RUN);
    for (const struct definition *d = program->definitions; d && !found; d = d->next)
        found = inline_has(d->body, STATEMENT_RUN);
    return found;
}

static void copy_variables(struct inliner *inliner)
{
    const struct program *program = inliner->program;
    inliner->variables = mem_grow(NULL, &inliner->variables_capacity, program->n_variables,
                                  sizeof *inliner->variables);
    memcpy(inliner->variables, program->variables,
           program->n_variables * sizeof *program->variables);
    inliner->n_variables = program->n_variables;
}

static void settle_variables(struct inliner *inliner)
{
    struct program *program = inliner->program;
    program->n_variables = (uint32_t)inliner->n_variables;
    program->variables =
        arena_alloc(program->arena, inliner->n_variables, sizeof *program->variables);
    memcpy(program->variables, inliner->variables,
           inliner->n_variables * sizeof *program->variables);
    free(inliner->variables);
}

bool inline_runs(struct program *program, struct reading *reading, struct diagnostics *diagnostics)
{
    struct inliner inliner = {.program = program, .reading = reading, .diagnostics = diagnostics,
                              .own_tmp = program->n_tmp};
    inliner.tail = &inliner.instances;
    if (!has_runs(program))
        return false;
    copy_variables(&inliner);
    uint64_t n_errors = diagnostics->n_of_severity[SEVERITY_ERROR];
    if (collect_all(&inliner) && diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors)
        inline_all(&inliner);
    settle_variables(&inliner);
    return diagnostics->n_of_severity[SEVERITY_ERROR] == n_errors;
}
