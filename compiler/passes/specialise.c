/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies the statements of a program with new variables. See specialise.h.
 */
#include "compiler/passes/specialise.h"

#include "compiler/language/language.h"

#include <assert.h>
#include <stdlib.h>

/* 32 MiB; nodes and nesting of the copy; operators for which it pays to keep a value. */
enum { FIXED_VALUES = 1 << 22, MAX_COPIES = 1 << 16, MAX_NESTING = 256, WORTH = 2 };

/* Times at which the value of an expression changes. */
enum time {
    CONSTANT, /* the same on all ranks, never changes */
    FIXED,    /* never changes at a rank */
    CHANGING
};

/* A variable of the copy. */
struct made {
    const struct expr *fixed; /* what it is the value of, or NULL */
    bool is_let;
};

struct copier {
    const struct program *program;
    struct environment *environment;
    struct arena *arena;
    struct {
        uint32_t variable;
        enum time time;
        const struct expr *value; /* of one that a statement makes CONSTANT; or NULL */
    } *name;                  /* [variable of the program]: in the copy, at this place */
    struct made *made;        /* [variable of the copy - program->n_variables] */
    size_t n_made, made_capacity;
    uint64_t n_fixed;
    uint32_t n_copies, nesting;
};

static void *specialise_copy(struct copier *copier, const void *from, size_t n, size_t size)
{
    char *to = arena_alloc(copier->arena, n, size);
    for (size_t i = 0; i < n * size; i++)
        to[i] = ((const char *)from)[i];
    copier->n_copies++;
    return to;
}

static uint32_t make_variable(struct copier *copier, const struct expr *fixed, bool is_let)
{
    copier->made =
        mem_grow(copier->made, &copier->made_capacity, copier->n_made + 1, sizeof *copier->made);
    copier->made[copier->n_made] = (struct made){fixed, is_let};
    copier->n_fixed += fixed != NULL;
    return copier->program->n_variables + (uint32_t)copier->n_made++;
}

static bool specialise_has_room(const struct copier *copier)
{
    return (copier->n_fixed + 1) * copier->environment->n_ranks <= FIXED_VALUES;
}

/* --- expressions ------------------------------------------------------ */

/* Operators, the slow ones twice. */
static uint32_t specialise_work_of(const struct expr *expr)
{
    const bool is_slow = expr->kind == EXPR_DIV || expr->kind == EXPR_MOD || expr->kind == EXPR_POW ||
                         expr->kind >= EXPR_CEIL_LOG2;
    if (!expr->a)
        return 0;
    return 1 + is_slow + specialise_work_of(expr->a) + (expr->b ? specialise_work_of(expr->b) : 0) +
           (expr->c ? specialise_work_of(expr->c) : 0);
}

static struct expr *keep_fixed(struct copier *copier, struct expr *expr, enum time time)
{
    if (time != FIXED || specialise_work_of(expr) < WORTH || !specialise_has_room(copier))
        return expr;
    struct expr *kept = specialise_copy(copier, expr, 1, sizeof *expr);
    kept->kind = EXPR_VARIABLE;
    kept->variable = make_variable(copier, expr, false);
    kept->a = kept->b = kept->c = NULL;
    return kept;
}

/* Copies an expression; keeps a fixed operand of something that changes. *time is that of the whole. */
static struct expr *copy_expr(struct copier *copier, const struct expr *expr, enum time *time)
{
    struct expr *made = specialise_copy(copier, expr, 1, sizeof *expr);
    struct expr **const operand[] = {&made->a, &made->b, &made->c};
    enum time own[3] = {CONSTANT, CONSTANT, CONSTANT};
    *time = CONSTANT;
    if (expr->kind == EXPR_VARIABLE) {
        made->variable = copier->name[expr->variable].variable;
        *time = copier->name[expr->variable].time;
        if (*time == CONSTANT && copier->name[expr->variable].value)
            *made = *copier->name[expr->variable].value;
        made->position = expr->position;
    }
    for (int i = 0; i < 3 && *operand[i]; i++) {
        *operand[i] = copy_expr(copier, *operand[i], &own[i]);
        *time = own[i] > *time ? own[i] : *time;
    }
    for (int i = 0; i < 3 && *operand[i] && *time == CHANGING; i++)
        *operand[i] = keep_fixed(copier, *operand[i], own[i]);
    return made;
}

/* Copies an expression of a statement, or NULL. */
static struct expr *specialise_copy_whole(struct copier *copier, const struct expr *expr)
{
    enum time time;
    if (!expr)
        return NULL;
    struct expr *made = copy_expr(copier, expr, &time);
    return keep_fixed(copier, made, time);
}

static struct expr **specialise_copy_all(struct copier *copier, struct expr *const *expr, uint32_t n)
{
    struct expr **made = arena_alloc(copier->arena, n, sizeof(struct expr *));
    for (uint32_t i = 0; i < n; i++)
        made[i] = specialise_copy_whole(copier, expr[i]);
    return made;
}

/* --- statements ------------------------------------------------------- */

static uint32_t rename_variable(struct copier *copier, uint32_t variable, uint32_t made, enum time time)
{
    copier->name[variable].variable = made;
    copier->name[variable].time = time;
    copier->name[variable].value = NULL;
    return made;
}

/* Returns the value of a constant expression; NULL: it has none. */
static const struct expr *specialise_value_of(struct copier *copier, const struct expr *expr)
{
    const bool was_trial = copier->environment->is_trial;
    struct expr number = {.kind = EXPR_INTEGER};
    copier->environment->is_trial = true;
    const bool has_value = evaluate_uniform(copier->environment, expr, &number.integer);
    copier->environment->is_trial = was_trial;
    return has_value ? specialise_copy(copier, &number, 1, sizeof number) : NULL;
}

/* Returns a variable for what gets the value of an expression of the copy. One that changes is that of the
 * program, whatever the place: it may have a value for each rank. Of a constant its uses have the value: what
 * is fixed may be evaluated before the statement that makes the constant. */
static uint32_t specialise_bind_variable(struct copier *copier, uint32_t variable, struct expr *expr,
                                         enum time time)
{
    const bool is_kept = time == FIXED && specialise_has_room(copier);
    const struct expr *value = time == CONSTANT ? specialise_value_of(copier, expr) : NULL;
    if (!is_kept && !value)
        return rename_variable(copier, variable, variable, CHANGING);
    const uint32_t made = make_variable(copier, is_kept ? expr : NULL, true);
    rename_variable(copier, variable, made, time);
    copier->name[variable].value = value;
    return made;
}

static struct statement *copy_list(struct copier *copier, const struct statement *statement);

/* The arguments are in the names of the caller. */
static void copy_call(struct copier *copier, struct statement *made)
{
    const struct definition *from = made->definition;
    struct definition *to = specialise_copy(copier, from, 1, sizeof *from);
    const uint32_t n = from->n_arguments;
    struct expr **values = arena_alloc(copier->arena, n, sizeof(struct expr *));
    enum time *times = arena_alloc(copier->arena, n, sizeof *times);
    for (uint32_t i = 0; i < n; i++)
        values[i] = copy_expr(copier, made->arguments[i], &times[i]);
    to->arguments = arena_alloc(copier->arena, n, sizeof *to->arguments);
    for (uint32_t i = 0; i < n; i++)
        to->arguments[i] = specialise_bind_variable(copier, from->arguments[i], values[i], times[i]);
    to->body = copy_list(copier, from->body);
    made->arguments = values;
    made->definition = to;
}

/* `index` is the copy of what names the first chunk, or NULL. */
static void copy_chunks(struct copier *copier, struct chunks *chunks, struct expr **index)
{
    chunks->index = index ? index : specialise_copy_all(copier, chunks->index, chunks->n);
    chunks->last = specialise_copy_whole(copier, chunks->last);
    chunks->segment = specialise_copy_whole(copier, chunks->segment);
    chunks->last_segment = specialise_copy_whole(copier, chunks->last_segment);
}

static void copy_let(struct copier *copier, struct statement *made)
{
    enum time time;
    made->expr = copy_expr(copier, made->expr, &time);
    made->variable = specialise_bind_variable(copier, made->variable, made->expr, time);
}

static void copy_control(struct copier *copier, struct statement *made)
{
    made->expr = specialise_copy_whole(copier, made->expr);
    made->last = specialise_copy_whole(copier, made->last);
    made->by = specialise_copy_whole(copier, made->by);
    if (made->kind == STATEMENT_FOR)
        rename_variable(copier, made->variable, made->variable, CHANGING);
    made->body = copy_list(copier, made->body);
    made->otherwise = copy_list(copier, made->otherwise);
}

/* True if the chunks are one block with the same coordinates as the peer: in[r+i] to r+i. */
static bool is_of_peer(const struct statement *statement)
{
    const struct chunks *chunks = &statement->chunks;
    bool is_same = chunks->n > 0 && chunks->n == statement->peer.n && !chunks->last;
    for (uint32_t i = 0; i < chunks->n && is_same; i++)
        is_same = expr_is_same(chunks->index[i], statement->peer.coordinates[i]);
    return is_same;
}

static struct statement *copy_statement(struct copier *copier, const struct statement *statement)
{
    struct statement *made = specialise_copy(copier, statement, 1, sizeof *statement);
    if (made->kind == STATEMENT_LET)
        copy_let(copier, made);
    else if (made->kind == STATEMENT_CALL)
        copy_call(copier, made);
    else if (made->kind > STATEMENT_LET)
        copy_control(copier, made);
    else {
        made->peer.coordinates = specialise_copy_all(copier, made->peer.coordinates, made->peer.n);
        copy_chunks(copier, &made->chunks, is_of_peer(statement) ? made->peer.coordinates : NULL);
        copy_chunks(copier, &made->to_chunks, NULL);
        made->body = copy_list(copier, made->body);
    }
    return made;
}

static bool specialise_is_too_large(const struct copier *copier)
{
    return copier->n_copies > MAX_COPIES || copier->nesting > MAX_NESTING;
}

/* Copies a list of statements. A copy that is too large ends early: it is not used. */
static struct statement *copy_list(struct copier *copier, const struct statement *statement)
{
    struct statement *first = NULL, **end = &first;
    if (++copier->nesting > MAX_NESTING)
        copier->n_copies = MAX_COPIES + 1;
    for (; statement && !specialise_is_too_large(copier); statement = statement->next) {
        *end = copy_statement(copier, statement);
        end = &(*end)->next;
    }
    *end = NULL;
    copier->nesting--;
    return first;
}

/* --- the program ------------------------------------------------------ */

/* Names of the header: `let`s there that differ between ranks, and coordinates, are fixed. */
static void name_header(struct copier *copier)
{
    const struct program *program = copier->program;
    for (uint32_t i = 0; i < program->n_variables; i++)
        rename_variable(copier, i, i, program->variables[i].is_uniform ? CONSTANT : FIXED);
}

static void add_variables(const struct copier *copier)
{
    struct environment *environment = copier->environment;
    const uint32_t n = environment->n_slots + (uint32_t)copier->n_made;
    struct slot *slots = mem_alloc(n, sizeof *slots);
    for (uint32_t i = 0; i < environment->n_slots; i++)
        slots[i] = environment->slots[i];
    for (size_t i = 0; i < copier->n_made; i++) {
        const struct made *made = &copier->made[i];
        if (made->fixed)
            slots[environment->n_slots + i] =
                (struct slot){.kind = SLOT_FIXED, .is_let = made->is_let, .expr = made->fixed};
    }
    free(environment->slots);
    environment->slots = slots;
    environment->n_slots = n;
}

const struct statement *specialise(const struct program *program, struct environment *environment,
                                   struct arena *arena)
{
    struct copier copier = {.program = program, .environment = environment, .arena = arena};
    assert(environment->n_ranks > 0); /* values are kept for so many */
    copier.name = mem_alloc(program->n_variables, sizeof *copier.name);
    name_header(&copier);
    const struct statement *body = copy_list(&copier, program->body);
    if (specialise_is_too_large(&copier))
        body = program->body;
    else
        add_variables(&copier);
    assert(statements_are_sound(program, body, environment->n_slots));
    free(copier.name);
    free(copier.made);
    return body;
}
