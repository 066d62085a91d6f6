/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Soundness of a tree: what every pass may rely on. The front end asserts it of each program that it
 * gives, the specialiser of the statements that it makes.
 */
#include "compiler/language/frontend.h"


struct soundness {
    const struct program *program;
    uint32_t n_variables; /* that expressions may name */
    bool may_run; /* statements `run` and calls of functions are there: as written */
};

static bool is_expr(const struct soundness *soundness, const struct expr *expr);

/* True if it is as written: with as many arguments as the function has. */
static bool is_call_of_function(const struct soundness *soundness, const struct expr *call)
{
    uint32_t n = 0;
    for (const struct expr *argument = call->a; argument; argument = argument->b, n++)
        if (argument->kind != EXPR_ARGUMENT || !is_expr(soundness, argument->a))
            return false;
    return call->definition && call->definition->value && n == call->definition->n_arguments;
}

/* True if it has as many operands as its kind, each of them sound. */
static bool is_expr(const struct soundness *soundness, const struct expr *expr)
{
    uint32_t arity = 0;
    if (!expr)
        return false;
    if (expr->kind == EXPR_VARIABLE)
        return expr->variable < soundness->n_variables;
    if (expr->kind == EXPR_NEGATE || expr->kind == EXPR_NOT)
        arity = 1;
    else if (expr->kind == EXPR_CHOICE)
        arity = 3;
    else if (parser_binary_operator(expr->kind))
        arity = 2;
    else if (soundness->may_run && expr->kind == EXPR_CALL)
        return is_call_of_function(soundness, expr);
    else if (expr->kind != EXPR_INTEGER && !parser_function_name(expr->kind, &arity))
        return false;
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    for (uint32_t i = 0; i < 3; i++)
        if (i < arity ? !is_expr(soundness, operands[i]) : operands[i] != NULL)
            return false;
    return true;
}

static bool are_exprs(const struct soundness *soundness, struct expr *const *list, uint32_t n)
{
    bool all = true;
    for (uint32_t i = 0; i < n && all; i++)
        all = is_expr(soundness, list[i]);
    return all;
}

static bool is_expr_or_none(const struct soundness *soundness, const struct expr *expr)
{
    return !expr || is_expr(soundness, expr);
}

/* A range is of one index, and of segments if these are named. */
static bool are_chunks(const struct soundness *soundness, const struct chunks *chunks)
{
    return chunks->buffer <= N_BUFFERS && (!chunks->last || (chunks->n == 1 && !chunks->segment)) &&
           (!chunks->last_segment || chunks->segment) &&
           are_exprs(soundness, chunks->index, chunks->n) &&
           is_expr_or_none(soundness, chunks->last) && is_expr_or_none(soundness, chunks->segment) &&
           is_expr_or_none(soundness, chunks->last_segment);
}

static bool is_call(const struct soundness *soundness, const struct statement *statement)
{
    const struct definition *definition = statement->definition;
    return definition && are_exprs(soundness, statement->arguments, definition->n_arguments);
}

static bool is_list(const struct soundness *soundness, const struct statement *statement);

static bool is_statement(const struct soundness *soundness, const struct statement *s)
{
    const struct expr *by = s->by;
    switch (s->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        return s->peer.n > 0 && are_exprs(soundness, s->peer.coordinates, s->peer.n) &&
               s->network <= soundness->program->n_networks && are_chunks(soundness, &s->chunks) &&
               is_list(soundness, s->body) &&
               (!s->body || (s->chunks.buffer == N_BUFFERS && message_part(s)));
    case STATEMENT_PART: return are_chunks(soundness, &s->chunks);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        return are_chunks(soundness, &s->chunks) && are_chunks(soundness, &s->to_chunks);
    case STATEMENT_LET: return s->variable < soundness->n_variables && is_expr(soundness, s->expr);
    case STATEMENT_IF:
        return is_expr(soundness, s->expr) && is_list(soundness, s->body) &&
               is_list(soundness, s->otherwise);
    case STATEMENT_FOR:
        return s->variable < soundness->n_variables && is_expr(soundness, s->expr) &&
               is_expr(soundness, s->last) && is_expr_or_none(soundness, by) &&
               is_list(soundness, s->body);
    case STATEMENT_STEP: return is_list(soundness, s->body);
    case STATEMENT_WINDOW: return is_expr(soundness, s->expr) && is_list(soundness, s->body);
    case STATEMENT_CALL: return is_call(soundness, s);
    case STATEMENT_RUN: return soundness->may_run && s->run;
    }
    return false;
}

static bool is_list(const struct soundness *soundness, const struct statement *statement)
{
    for (; statement; statement = statement->next)
        if (!is_statement(soundness, statement))
            return false;
    return true;
}

static bool sound_is_header(const struct soundness *soundness)
{
    const struct program *program = soundness->program;
    bool is_sound = are_exprs(soundness, program->extent, program->n_coordinates) &&
                    is_expr_or_none(soundness, program->n_tmp) && is_expr_or_none(soundness, program->n_in) &&
                    is_expr_or_none(soundness, program->n_out);
    for (uint32_t i = 0; i < program->n_variables && is_sound; i++)
        is_sound = program->variables[i].name && is_expr_or_none(soundness, program->variables[i].value);
    for (const struct requirement *r = program->requirements; r && is_sound; r = r->next)
        is_sound = is_expr(soundness, r->expr);
    for (enum cost cost = 0; cost < N_COSTS && is_sound; cost++)
        is_sound = is_expr_or_none(soundness, program->costs.of[cost].expr);
    return is_sound;
}

bool program_is_sound(const struct program *program, bool may_run)
{
    const struct soundness soundness = {program, program->n_variables, may_run};
    bool is_sound = sound_is_header(&soundness) && is_list(&soundness, program->body) &&
                    is_list(&soundness, program->needs.body) && is_list(&soundness, program->has.body);
    for (const struct definition *d = program->definitions; d && is_sound; d = d->next)
        is_sound = is_list(&soundness, d->body);
    return is_sound;
}

bool statements_are_sound(const struct program *program, const struct statement *first,
                          uint32_t n_variables)
{
    return is_list(&(struct soundness){program, n_variables, false}, first);
}
