/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Uses of names in a program, and the structure that it distinguishes by them. See use.h.
 */
#include "ir/use.h"

static bool is_use(const struct expr *expr, uint32_t variable)
{
    if (variable == A_GRID_FUNCTION)
        return is_grid_function(expr->kind);
    if (variable == A_POWER_OF_RANKS)
        return expr->kind == EXPR_POW &&
               (!expr->a->is_uniform || (!expr->b->is_uniform && expr->a->kind != EXPR_INTEGER));
    return expr->kind == EXPR_VARIABLE && expr->variable == variable;
}

const struct expr *expr_use(const struct expr *expr, uint32_t variable)
{
    if (!expr || is_use(expr, variable))
        return expr;
    const struct expr *found = expr_use(expr->a, variable);
    if (!found)
        found = expr_use(expr->b, variable);
    return found ? found : expr_use(expr->c, variable);
}

static const struct expr *use_in_list(struct expr *const *list, uint32_t n, uint32_t variable)
{
    const struct expr *found = NULL;
    for (uint32_t i = 0; i < n && !found; i++)
        found = expr_use(list[i], variable);
    return found;
}

static const struct expr *use_in_chunks(const struct chunks *chunks, uint32_t variable)
{
    struct expr *const others[] = {chunks->last, chunks->segment, chunks->last_segment};
    const struct expr *found = use_in_list(chunks->index, chunks->n, variable);
    return found ? found : use_in_list(others, 3, variable);
}

static const struct expr *use_in_statement(const struct statement *s, uint32_t variable)
{
    struct expr *const own[] = {s->expr, s->last, s->by};
    const struct expr *found = use_in_list(own, 3, variable);
    if (!found)
        found = use_in_chunks(&s->chunks, variable);
    if (!found)
        found = use_in_chunks(&s->to_chunks, variable);
    if (!found)
        found = use_in_list(s->peer.coordinates, s->peer.n, variable);
    if (!found && s->kind == STATEMENT_CALL)
        found = use_in_list(s->arguments, s->definition->n_arguments, variable);
    if (!found)
        found = block_use(s->body, variable);
    return found ? found : block_use(s->otherwise, variable);
}

const struct expr *block_use(const struct statement *first, uint32_t variable)
{
    const struct expr *found = NULL;
    for (const struct statement *s = first; s && !found; s = s->next)
        found = use_in_statement(s, variable);
    return found;
}

/* Returns a use in a clause that says how many chunks a buffer has, or NULL. */
static const struct expr *use_in_sizes(const struct program *program, uint32_t variable)
{
    struct expr *const sizes[] = {program->n_in, program->n_out, program->n_tmp};
    return use_in_list(sizes, 3, variable);
}

const struct expr *program_use(const struct program *program, uint32_t variable)
{
    const struct expr *found = use_in_list(program->extent, program->n_coordinates, variable);
    for (uint32_t i = 0; i < program->n_variables && !found; i++)
        found = expr_use(program->variables[i].value, variable);
    for (const struct requirement *r = program->requirements; r && !found; r = r->next)
        found = expr_use(r->expr, variable);
    if (!found)
        found = use_in_sizes(program, variable);
    if (!found)
        found = use_in_chunks(&program->tmp_like, variable);
    if (!found)
        found = use_in_list(program->tmp_like_rank.coordinates, program->tmp_like_rank.n, variable);
    for (const struct definition *d = program->functions; d && !found; d = d->next)
        found = expr_use(d->value, variable);
    for (const struct definition *d = program->definitions; d && !found; d = d->next)
        found = block_use(d->body, variable);
    if (!found)
        found = block_use(program->needs.body, variable);
    if (!found)
        found = block_use(program->has.body, variable);
    return found ? found : block_use(program->body, variable);
}

const struct expr *head_use(const struct program *program, uint32_t variable)
{
    const struct expr *found = use_in_list(program->extent, program->n_coordinates, variable);
    for (uint32_t i = 0; i < program->n_own_variables && !found; i++)
        found = expr_use(program->variables[i].value, variable);
    for (const struct requirement *r = program->requirements; r && !found; r = r->next)
        found = r->of_run ? NULL : expr_use(r->expr, variable);
    if (!found)
        found = use_in_sizes(program, variable);
    return found && found->position.source == program->source ? found : NULL;
}

const struct expr *costs_use(const struct program *program, uint32_t variable)
{
    const struct expr *found = NULL;
    for (enum cost cost = 0; cost < N_COSTS && !found; cost++)
        found = expr_use(program->costs.of[cost].expr, variable);
    return found;
}

enum program_kind program_kind(const struct program *program)
{
    enum program_kind kind = KIND_PLAIN;
    if (program->needs_grid)
        return KIND_GRID;
    for (uint32_t named = NAMED_servers; named <= NAMED_cluster_ranks; named++)
        if (program_use(program, named)) /* named values are the first variables */
            kind = named >= NAMED_clusters ? KIND_CLUSTERS : KIND_SERVERS;
    return kind;
}
