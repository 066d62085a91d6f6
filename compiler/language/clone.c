/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The statements of an algorithm that runs, with our names. Calls of its definitions
 * become the statements of the definition, so the tree of statements grows (bounded by
 * MAX_STATEMENTS). Expressions grow, too: a map may name the chunk it is given many times
 * over, and every run around it copies the whole of that (bounded by MAX_NODES).
 */
#include "compiler/language/inline.h"

#include "base/codes.h"
#include "ir/use.h"

#include <assert.h>
#include <string.h>

static struct statement **clone_list(struct instance *instance, const struct statement *from,
                                     struct position position, struct statement **tail);

static struct expr *unknown(struct instance *instance, const char *name, const struct expr *expr)
{
    struct inliner *inliner = instance->inliner;
    report(inliner->diagnostics, CODE_E011, instance->run->position,
           "'%s' uses '%s', which a group of ranks does not have", instance->algorithm->name, name)
        ->help = "run an algorithm that knows 'p' only";
    return expr_new_integer(inliner, 1, expr->position);
}

struct expr *clone_expr(struct instance *instance, const struct expr *expr)
{
    struct inliner *inliner = instance->inliner;
    uint32_t arity;
    if (inliner_is_full(inliner)) /* a copy of a large one would still take its time */
        return expr_new_integer(inliner, 0, expr->position);
    if (is_grid_function(expr->kind))
        return unknown(instance, parser_function_name(expr->kind, &arity), expr);
    if (expr->kind == EXPR_INTEGER)
        return expr_new_integer(inliner, expr->integer, expr->position);
    if (expr->kind == EXPR_VARIABLE) {
        struct expr *value = instance->value[expr->variable];
        const char *name = instance->algorithm->variables[expr->variable].name;
        if (value && value->a) /* the root of the run is no name: shared, and met again */
            expr_count_nodes(inliner, expr_n_nodes(value), expr->position);
        return value ? value : unknown(instance, name, expr);
    }
    struct expr *copy = expr_new_operation(inliner, expr->kind, clone_expr(instance, expr->a),
                                           expr->b ? clone_expr(instance, expr->b) : NULL);
    copy->c = expr->c ? clone_expr(instance, expr->c) : NULL;
    copy->position = expr->position;
    return copy;
}

/* Gives a variable of the algorithm a variable here; returns it. */
static uint32_t new_name(struct instance *instance, uint32_t variable, uint32_t copy,
                         struct position position)
{
    struct inliner *inliner = instance->inliner;
    uint32_t new = inline_new_copy(inliner, &instance->algorithm->variables[variable], copy);
    instance->value[variable] = expr_new_variable(inliner, new, position);
    return new;
}

/* Clones a let, unless its value is a number or a name itself. */
static struct statement **clone_let(struct instance *instance, uint32_t variable,
                                    struct expr *value, struct position position, uint32_t copy,
                                    struct statement **tail)
{
    if (value->kind == EXPR_INTEGER || value->kind == EXPR_VARIABLE) {
        instance->value[variable] = value;
        return tail;
    }
    struct statement *let = inline_copy_statement(instance->inliner, STATEMENT_LET, position);
    let->variable = new_name(instance, variable, copy, position);
    instance->inliner->variables[let->variable].kind = VARIABLE_LET;
    instance->inliner->variables[let->variable].is_uniform = value->is_uniform;
    instance->value[variable]->is_uniform = value->is_uniform;
    let->expr = value;
    *tail = let;
    return &let->next;
}

static struct statement **clone_call(struct instance *instance, const struct statement *call,
                                     struct position position, struct statement **tail)
{
    const struct definition *definition = call->definition;
    const uint32_t outer = instance->copy;
    instance->copy = ++instance->inliner->n_copies;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        tail = clone_let(instance, definition->arguments[i],
                         clone_expr(instance, call->arguments[i]), position, instance->copy, tail);
    tail = clone_list(instance, definition->body, position, tail);
    instance->copy = outer;
    return tail;
}

static struct statement **clone_for(struct instance *instance, const struct statement *from,
                                    struct position position, struct statement **tail)
{
    struct statement *to = inline_copy_statement(instance->inliner, STATEMENT_FOR, position);
    to->expr = clone_expr(instance, from->expr);
    to->last = clone_expr(instance, from->last);
    to->by = from->by ? clone_expr(instance, from->by) : NULL;
    to->variable = new_name(instance, from->variable, instance->copy, position);
    clone_list(instance, from->body, position, &to->body);
    *tail = to;
    return &to->next;
}

/* Returns the number of a network of the algorithm here. */
static uint32_t clone_network(struct instance *instance, const char *label, struct position position)
{
    const uint32_t network = program_add_network(instance->inliner->program, label);
    if (!network)
        report(instance->inliner->diagnostics, CODE_E010, position,
               "more than %d networks with those of the algorithms that are run", PROGRAM_MAX_NETWORKS)
            ->help = "leave 'via' out of some: the network is then chosen for each message";
    return network;
}

/* Clones a statement as it is, part by part. */
static struct statement **clone_plain(struct instance *instance, const struct statement *from,
                                      struct position position, struct statement **tail)
{
    struct statement *to = inline_copy_statement(instance->inliner, from->kind, position);
    clone_chunks(instance, &from->chunks, &to->chunks);
    clone_chunks(instance, &from->to_chunks, &to->to_chunks);
    clone_target(instance, &from->peer, &to->peer);
    if (from->network)
        to->network = clone_network(instance, instance->algorithm->networks[from->network - 1], position);
    to->expr = from->expr ? clone_expr(instance, from->expr) : NULL;
    clone_list(instance, from->body, position, &to->body);
    clone_list(instance, from->otherwise, position, &to->otherwise);
    *tail = to;
    return &to->next;
}

static struct statement **clone_one(struct instance *instance, const struct statement *from,
                                    struct position position, struct statement **tail)
{
    if (inliner_is_full(instance->inliner))
        return tail;
    switch (from->kind) {
    case STATEMENT_LET:
        return clone_let(instance, from->variable, clone_expr(instance, from->expr), position,
                         instance->copy, tail);
    case STATEMENT_FOR: return clone_for(instance, from, position, tail);
    case STATEMENT_CALL: return clone_call(instance, from, position, tail);
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_PART:
    case STATEMENT_IF:
    case STATEMENT_STEP:
    case STATEMENT_WINDOW: break;
    case STATEMENT_RUN: assert(0 && "an algorithm that runs has none: it was read with them put in"); break;
    }
    return clone_plain(instance, from, position, tail);
}

static struct statement **clone_list(struct instance *instance, const struct statement *from,
                                     struct position position, struct statement **tail)
{
    for (; from; from = from->next)
        tail = clone_one(instance, from, position, tail);
    return tail;
}

/* The rank counted from the root of the group. */
static struct statement **clone_rank(struct instance *instance, struct position position,
                                     struct statement **tail)
{
    const struct program *algorithm = instance->algorithm;
    struct inliner *inliner = instance->inliner;
    if (!instance->root || !algorithm->from_root || !algorithm->n_coordinates)
        return tail;
    struct expr *rank =
        expr_new_operation(inliner, EXPR_MOD, term_difference(inliner, instance->rank, instance->root, 0),
                           instance->extent);
    return clone_let(instance, algorithm->coordinate[0], rank, position, instance->copy, tail);
}

/* Returns how many of its ranks are present: over `max_slots`, as many as the server has. */
static struct expr *present_of(struct instance *instance, struct position position)
{
    struct inliner *inliner = instance->inliner;
    const struct program *program = inliner->program;
    const uint32_t over = instance->run->coordinate;
    const enum named_value extent = program_named_extent(program, over);
    if (program->n_coordinates == 1 && extent == NAMED_p)
        return expr_new_variable(inliner, NAMED_present, position);
    if (!program_is_ragged(program) || extent != NAMED_max_slots)
        return instance->extent;
    struct expr *one = expr_new_integer(inliner, 1, position);
    struct expr *server = expr_new_variable(inliner, program->coordinate[1 - over], position);
    struct expr *next = expr_new_operation(inliner, EXPR_ADD, server, one);
    return expr_new_operation(inliner, EXPR_SUB, expr_new_operation(inliner, EXPR_GROUPS_BEFORE, next, one),
                              expr_new_operation(inliner, EXPR_GROUPS_BEFORE, server, one));
}

static struct statement **clone_present(struct instance *instance, struct position position,
                                        struct statement **tail)
{
    if (!program_use(instance->algorithm, NAMED_present)) /* named values are the first variables */
        return tail;
    return clone_let(instance, NAMED_present, present_of(instance, position), position,
                     instance->copy, tail);
}

struct statement **clone_instance(struct instance *instance, struct position position,
                                  struct statement **tail)
{
    tail = clone_present(instance, position, tail);
    tail = clone_rank(instance, position, tail);
    return clone_list(instance, instance->algorithm->body, position, tail);
}
