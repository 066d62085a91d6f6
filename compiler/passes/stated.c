/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs that an algorithm states. See stated.h.
 */
#include "compiler/passes/stated.h"

#include "compiler/language/language.h"
#include "compiler/passes/variables.h"

#include <string.h>

struct stated stated_read(const struct program *program, struct arena *arena)
{
    struct stated stated = {0};
    for (enum cost cost = 0; cost < N_COSTS; cost++) {
        struct text text = {0};
        if (!program->costs.of[cost].expr)
            continue;
        program_print_expr(program, program->costs.of[cost].expr, &text);
        stated.formula[cost] = arena_strndup(arena, text.data, text.length);
        stated.is_bound[cost] = program->costs.of[cost].is_at_most;
        text_free(&text);
    }
    return stated;
}

/* In lines of at most LINE bytes, those behind the first one set in. */
static void append_wrapped(struct text *text, const char *words)
{
    enum { LINE = 90 };
    for (size_t column = 0, length; *words; words += length, column += length) {
        length = strspn(words, " ") + strcspn(words + strspn(words, " "), " ");
        if (column && column + length > LINE) {
            text_printf(text, "\n ");
            column = 1;
        }
        text_append(text, words, length);
    }
}

const char *stated_description(const struct program *program, struct arena *arena)
{
    const struct stated stated = stated_read(program, arena);
    struct text text = {0};
    text_printf(&text, "%s", program->description);
    for (enum cost cost = 0; cost < N_COSTS; cost++) {
        if (!stated.formula[cost])
            continue;
        text_printf(&text, !text.length ? "" : text.length == strlen(program->description) ? "\n\n" : "\n");
        append_wrapped(&text, arena_printf(arena, "%s: %s%s", cost_name[cost],
                                           stated.is_bound[cost] ? "at most " : "",
                                           stated.formula[cost]));
    }
    const char *description = arena_strndup(arena, text.data ? text.data : "", text.length);
    text_free(&text);
    return description;
}

/* Returns an environment in which names have the values of the binding, and `m` the bytes. */
static struct environment *open_environment(const struct binding *binding, uint64_t bytes,
                                            struct diagnostics *diagnostics)
{
    const struct program *program = binding->program;
    struct environment *environment = environment_of_binding(binding, diagnostics);
    if (program->costs.position.line)
        variables_assign_uniform(environment, program->costs.size, (int64_t)bytes);
    return environment;
}

/* Evaluates the formulas; returns the first one that has no value, whose fault the environment
 * has if it is stated, or N_COSTS. */
static enum cost evaluate_costs(struct environment *environment, int64_t value[N_COSTS])
{
    enum cost cost = 0;
    for (; cost < N_COSTS; cost++) {
        const struct expr *expr = environment->program->costs.of[cost].expr;
        if (!expr || !evaluate_uniform(environment, expr, &value[cost]))
            break;
    }
    return cost;
}

bool stated_values_bound(const struct binding *binding, uint64_t bytes, int64_t value[N_COSTS])
{
    struct diagnostics diagnostics = {0};
    struct environment *environment = open_environment(binding, bytes, &diagnostics);
    int64_t found[N_COSTS];
    const bool has_all = evaluate_costs(environment, found) == N_COSTS;
    if (has_all)
        memcpy(value, found, sizeof found);
    environment_free(environment);
    diagnostics_free(&diagnostics);
    return has_all;
}

static struct binding *bind_with_costs(const struct program *program,
                                       const struct bind_request *request,
                                       struct diagnostics *diagnostics)
{
    struct bind_request with_costs = *request;
    with_costs.with_costs = true;
    return bind_program(program, &with_costs, diagnostics);
}

bool stated_values(const struct program *program, const struct bind_request *request,
                   int64_t value[N_COSTS])
{
    struct diagnostics diagnostics = {0};
    struct binding *binding = bind_with_costs(program, request, &diagnostics);
    const bool has_all = binding && stated_values_bound(binding, request->bytes, value);
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return has_all;
}

static bool stated_is_at(const struct expr *expr, const struct position *position)
{
    if (!expr)
        return false;
    return (expr->position.line == position->line && expr->position.column == position->column) ||
           stated_is_at(expr->a, position) || stated_is_at(expr->b, position) ||
           stated_is_at(expr->c, position);
}

/* Returns the formula that the position is in; N_COSTS: none. */
static enum cost cost_at(const struct program *program, const struct position *position)
{
    enum cost cost = 0;
    while (cost < N_COSTS && !stated_is_at(program->costs.of[cost].expr, position))
        cost++;
    return cost;
}

static bool take_problem(struct stated_problem *problem, enum cost cost, const char *message,
                         uint32_t code, struct arena *arena)
{
    *problem = (struct stated_problem){
        .cost = cost, .message = arena_printf(arena, "%s [%s]", message, code_table[code].id)};
    return true;
}

bool stated_problem(const struct program *program, const struct bind_request *request,
                    struct stated_problem *problem, struct arena *arena)
{
    struct diagnostics diagnostics = {0};
    struct binding *binding = bind_with_costs(program, request, &diagnostics);
    const struct diagnostic *first = diagnostics.first;
    bool is_found = false;
    if (binding) {
        struct environment *environment = open_environment(binding, request->bytes, &diagnostics);
        int64_t value[N_COSTS];
        const enum cost cost = evaluate_costs(environment, value);
        if (cost < N_COSTS && program->costs.of[cost].expr)
            is_found = take_problem(problem, cost, environment->fault.message,
                                    environment->fault.code, arena);
        environment_free(environment);
    } else if (first && cost_at(program, &first->position) < N_COSTS) {
        is_found = take_problem(problem, cost_at(program, &first->position), first->message,
                                first->code, arena);
    }
    binding_free(binding);
    diagnostics_free(&diagnostics);
    return is_found;
}

struct position stated_position(const struct program *program, enum cost cost)
{
    const struct expr *expr = program->costs.of[cost].expr;
    return expr ? expr->position : source_position(program->source, 0, 1);
}
