/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a program as bound. See dump.h.
 */
#include "compiler/passes/dump.h"

#include "compiler/language/language.h"
#include "compiler/passes/variables.h"

/* True if the binding has its value: named values, parameters and lets of the header have one, unless they
 * differ between the ranks. */
static bool is_bound(const struct program *program, uint32_t variable)
{
    const struct variable *v = &program->variables[variable];
    return v->is_uniform && (v->kind == VARIABLE_NAMED || v->kind == VARIABLE_PARAMETER ||
                             (v->kind == VARIABLE_LET && v->value));
}

/* Made of numbers and bound names only. */
static bool is_constant(const struct program *program, const struct expr *expr)
{
    if (!expr)
        return true;
    if (expr->kind == EXPR_VARIABLE)
        return is_bound(program, expr->variable);
    return is_constant(program, expr->a) && is_constant(program, expr->b) &&
           is_constant(program, expr->c);
}

static bool dump_value_of(const void *of, const struct expr *expr, int64_t *value)
{
    /* evaluation writes what went wrong into the environment, which is not seen */
    struct environment *environment = *(struct environment *const *)of;
    return is_constant(environment->program, expr) && evaluate_uniform(environment, expr, value);
}

/* The names that the text has numbers for, in a comment. */
static void dump_print_names(const struct binding *binding, struct text *out)
{
    const struct program *program = binding->program;
    text_printf(out, "# p = %u", binding->n_ranks);
    if (collective_table[program->collective].rooted)
        text_printf(out, ", root = %u", binding->root);
    for (uint32_t i = 0; i < program->n_variables; i++)
        if (program->variables[i].kind != VARIABLE_NAMED && is_bound(program, i))
            text_printf(out, ", %s = %lld", program->variables[i].name,
                        (long long)binding->value[i]);
    text_printf(out, "\n");
}

void dump_binding(const struct binding *binding, struct text *out)
{
    struct diagnostics diagnostics = {0};
    struct environment *environment = environment_of_binding(binding, &diagnostics);
    const struct known_values known = {dump_value_of, &environment};
    dump_print_names(binding, out);
    program_print_tree(binding->program, &known, out);
    environment_free(environment);
    diagnostics_free(&diagnostics);
}
