/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the variables, operators and parts of the run time that a piece of a program uses. Emitted C must
 * compile without warnings, so nothing unused may be printed: no helper, no variable, no `let`.
 */
#include "emitters/mpi_c/program.h"

static void use_variable(struct use *use, uint32_t variable);

/* Adds the helpers that a helper calls. */
static void use_grid_function(struct use *use, enum expr_kind kind)
{
    bool *is_used = use->helper;
    is_used[EXPR_EXTENT] = true;
    if (kind == EXPR_EXTENT)
        return;
    is_used[EXPR_MOD] = true;
    if (kind == EXPR_DISPLACE || kind == EXPR_ROTATE)
        is_used[EXPR_COORDINATE] = is_used[EXPR_SHIFT] = true;
}

void use_expr(struct use *use, const struct expr *expr)
{
    if (!expr)
        return;
    use->helper[expr->kind] = true;
    if (expr->kind == EXPR_VARIABLE)
        use_variable(use, expr->variable);
    if (is_grid_function(expr->kind))
        use_grid_function(use, expr->kind);
    use_expr(use, expr->a);
    use_expr(use, expr->b);
    use_expr(use, expr->c);
}

/* Adds a variable, and everything in its value if it is a `let`. */
static void use_variable(struct use *use, uint32_t variable)
{
    const struct variable *v = &use->form->program->variables[variable];
    const int64_t *parameters = use->form->options->parameters;
    if (use->variable[variable])
        return;
    use->variable[variable] = true;
    if (use->form->let_value[variable])
        use_expr(use, use->form->let_value[variable]);
    else if (v->value && !(v->kind == VARIABLE_PARAMETER && parameters))
        use_expr(use, v->value);
}

bool is_by_rank(const struct program *program, enum buffer buffer)
{
    return collective_is_by_rank(program->collective, buffer);
}

bool is_by_coordinates(const struct program *program, const struct chunks *chunks)
{
    uint32_t n = program->n_coordinates ? program->n_coordinates : 1;
    return is_by_rank(program, chunks->buffer) && chunks->n == n && !chunks->last;
}

/* Adds everything in the chunks but their number. */
static void use_first_chunk(struct use *use, const struct chunks *chunks)
{
    if (chunks->buffer == N_BUFFERS)
        return;
    bool is_range = chunks->n == 0 || chunks->last;
    use->features |= chunks->buffer == BUFFER_TMP ? C(TMP) : 0;
    if (is_range && chunks->buffer != BUFFER_BUF)
        use->features |= C(RANGE);
    use->rank_at = use->rank_at || is_by_coordinates(use->form->program, chunks);
    if (is_by_rank(use->form->program, chunks->buffer) && chunks->n == 1)
        use->helper[EXPR_MOD] = true;
    for (uint32_t i = 0; i < chunks->n; i++)
        use_expr(use, chunks->index[i]);
    use_expr(use, chunks->segment);
}

static void use_chunks(struct use *use, const struct chunks *chunks)
{
    use_first_chunk(use, chunks);
    if (chunks->buffer == N_BUFFERS)
        return;
    use_expr(use, chunks->last);
    use_expr(use, chunks->last_segment);
}

/* Adds a line of the clause `needs`, which is no message. */
static void use_need(struct use *use, const struct statement *statement)
{
    const uint64_t features = use->features;
    for (uint32_t i = 0; i < statement->peer.n; i++)
        use_expr(use, statement->peer.coordinates[i]);
    use->rank_at = true;
    use_chunks(use, &statement->chunks);
    use_first_chunk(use, &statement->to_chunks);
    use->features = features;
}

static void use_transfer(struct use *use, const struct statement *statement)
{
    const struct chunks *chunks = &statement->chunks;
    const bool is_barrier =
        !collective_has_data(use->form->program->collective) && !use->form->options->is_library;
    for (uint32_t i = 0; i < statement->peer.n; i++)
        use_expr(use, statement->peer.coordinates[i]);
    use->rank_at = true;
    if (statement->body) { /* its parts are looked at on their own */
        use->features |= C(SETS);
        return;
    }
    use_chunks(use, chunks);
    if (chunks->buffer < N_BUFFERS && (chunks->n == 0 || chunks->last) &&
        is_by_rank(use->form->program, chunks->buffer))
        use->features |= C(EACH);
    if (chunks->buffer == N_BUFFERS && !is_barrier)
        use->features |= C(SIGNAL);
    else
        use->features |= statement->kind == STATEMENT_SEND   ? C(SEND)
                         : statement->kind == STATEMENT_RECV ? C(RECV)
                                                             : C(RECV_REDUCE);
}

/* Adds a call. Definitions are marked in the order in which they are reached; each gets a `struct use` of
 * its own when it is printed. */
static void use_call(struct use *use, const struct statement *statement)
{
    for (uint32_t i = 0; i < statement->definition->n_arguments; i++)
        use_expr(use, statement->arguments[i]);
}

static void use_statement(struct use *use, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        if (statement->is_need)
            use_need(use, statement);
        else
            use_transfer(use, statement);
        break;
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        use->features |= statement->kind == STATEMENT_COPY ? C(COPY) : C(COMBINE);
        use_chunks(use, &statement->chunks);
        use_first_chunk(use, &statement->to_chunks); /* their number is that of the copied chunks */
        break;
    case STATEMENT_PART:
        use_chunks(use, &statement->chunks);
        break;
    case STATEMENT_IF:
    case STATEMENT_FOR:
    case STATEMENT_WINDOW:
        use->features |= statement->kind == STATEMENT_WINDOW ? C(WINDOW) : 0;
        use_expr(use, statement->expr);
        use_expr(use, statement->last);
        use_expr(use, statement->by);
        break;
    case STATEMENT_CALL:
        use_call(use, statement);
        break;
    case STATEMENT_LET: /* counts where the variable is used */
    case STATEMENT_STEP:
    case STATEMENT_RUN: /* never in a tree that was read to be carried out */
        break;
    }
}

void use_statements(struct use *use, const struct statement *statement)
{
    for (; statement; statement = statement->next) {
        use_statement(use, statement);
        use_statements(use, statement->body);
        use_statements(use, statement->otherwise);
    }
}

void use_open(struct use *use, const struct c_form *form)
{
    *use = (struct use){.form = form};
    use->variable = mem_alloc(form->program->n_variables, sizeof *use->variable);
}

void use_close(struct use *use)
{
    free(use->variable);
}
