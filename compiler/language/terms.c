/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Building expressions. Sums are written without what cancels, so that the number of
 * chunks from k * n to k * n + n - 1 is n, whatever k is; integers are computed if they
 * are small.
 */
#include "compiler/language/inline.h"

#include "base/codes.h"

enum { MAX_TERMS = 32, MAX_SMALL = 1 << 24 };

/* Sum of +-expr, and a constant. */
struct terms {
    int64_t constant;
    uint32_t n, n_waiting; /* right sides to be added */
    struct expr *expr[MAX_TERMS];
    bool is_negative[MAX_TERMS];
};

void expr_count_nodes(struct inliner *inliner, uint32_t n, struct position position)
{
    uint32_t *n_nodes = &inliner->reading->n_nodes;
    if (*n_nodes > MAX_NODES)
        return;
    *n_nodes = n > MAX_NODES - *n_nodes ? MAX_NODES + 1 : *n_nodes + n;
    if (*n_nodes > MAX_NODES)
        report(inliner->diagnostics, CODE_E010, position,
               "more than %d numbers, names and operators in the expressions of the algorithms "
               "that are run", MAX_NODES)
            ->help = "run fewer algorithms: one 'run' in a 'for' counts once";
}

uint32_t expr_n_nodes(const struct expr *expr)
{
    return expr ? 1 + expr_n_nodes(expr->a) + expr_n_nodes(expr->b) + expr_n_nodes(expr->c) : 0;
}

bool inliner_is_full(const struct inliner *inliner)
{
    return inliner->n_statements > MAX_STATEMENTS || inliner->reading->n_nodes > MAX_NODES;
}

static struct expr *terms_new_node(struct inliner *inliner, struct position position)
{
    expr_count_nodes(inliner, 1, position);
    return arena_alloc(inliner->program->arena, 1, sizeof(struct expr));
}

struct expr *expr_new_integer(struct inliner *inliner, int64_t value, struct position position)
{
    struct expr *expr = terms_new_node(inliner, position);
    *expr = (struct expr){.kind = EXPR_INTEGER, .is_uniform = true, .integer = value,
                          .position = position};
    return expr;
}

struct expr *expr_new_variable(struct inliner *inliner, uint32_t variable,
                               struct position position)
{
    struct expr *expr = terms_new_node(inliner, position);
    *expr = (struct expr){.kind = EXPR_VARIABLE,
                          .is_uniform = inliner->variables[variable].is_uniform,
                          .variable = variable, .position = position};
    return expr;
}

struct expr *expr_new_operation(struct inliner *inliner, enum expr_kind kind, struct expr *a,
                                struct expr *b)
{
    struct expr *expr = terms_new_node(inliner, a->position);
    *expr = (struct expr){.kind = kind, .is_uniform = a->is_uniform && (!b || b->is_uniform),
                          .a = a, .b = b, .position = a->position};
    return expr;
}

bool expr_is_integer(const struct expr *expr, int64_t value)
{
    return expr->kind == EXPR_INTEGER && expr->integer == value;
}

static bool is_small(const struct expr *expr)
{
    return expr->kind == EXPR_INTEGER && expr->integer >= -MAX_SMALL && expr->integer <= MAX_SMALL;
}

static bool cancel(struct terms *terms, const struct expr *expr, bool is_negative)
{
    for (uint32_t i = 0; i < terms->n; i++) {
        if (terms->is_negative[i] == is_negative || !expr_is_same(terms->expr[i], expr))
            continue;
        terms->n--;
        for (; i < terms->n; i++) {
            terms->expr[i] = terms->expr[i + 1];
            terms->is_negative[i] = terms->is_negative[i + 1];
        }
        return true;
    }
    return false;
}

/* Sums are taken apart as long as there is room. */
static void terms_add(struct terms *terms, struct expr *expr, bool is_negative)
{
    const bool has_room = terms->n + terms->n_waiting + 2 < MAX_TERMS;
    if (is_small(expr)) {
        terms->constant += is_negative ? -expr->integer : expr->integer;
    } else if (has_room && (expr->kind == EXPR_ADD || expr->kind == EXPR_SUB)) {
        terms->n_waiting++;
        terms_add(terms, expr->a, is_negative);
        terms->n_waiting--;
        terms_add(terms, expr->b, is_negative != (expr->kind == EXPR_SUB));
    } else if (has_room && expr->kind == EXPR_NEGATE) {
        terms_add(terms, expr->a, !is_negative);
    } else if (!cancel(terms, expr, is_negative)) {
        terms->expr[terms->n] = expr;
        terms->is_negative[terms->n++] = is_negative;
    }
}

static struct expr *terms_join(struct inliner *inliner, struct expr *sum, struct expr *term, bool is_negative)
{
    if (!sum)
        return is_negative ? expr_new_operation(inliner, EXPR_NEGATE, term, NULL) : term;
    return expr_new_operation(inliner, is_negative ? EXPR_SUB : EXPR_ADD, sum, term);
}

/* Returns the sum as an expression: first the terms that are added, then those that are subtracted. */
static struct expr *expr_of(struct inliner *inliner, const struct terms *terms,
                            struct position position)
{
    struct expr *sum = NULL;
    for (int negative = 0; negative < 2; negative++)
        for (uint32_t i = 0; i < terms->n; i++)
            if (terms->is_negative[i] == (negative == 1))
                sum = terms_join(inliner, sum, terms->expr[i], negative == 1);
    if (!sum)
        return expr_new_integer(inliner, terms->constant, position);
    if (!terms->constant)
        return sum;
    const bool is_negative = terms->constant < 0;
    struct expr *constant =
        expr_new_integer(inliner, is_negative ? -terms->constant : terms->constant, position);
    return terms_join(inliner, sum, constant, is_negative);
}

static struct expr *terms_combine(struct inliner *inliner, struct expr *a, struct expr *b, bool is_negative,
                                  int64_t constant)
{
    struct terms terms = {.constant = constant};
    terms_add(&terms, a, false);
    if (b)
        terms_add(&terms, b, is_negative);
    return expr_of(inliner, &terms, a->position);
}

struct expr *term_sum(struct inliner *inliner, struct expr *a, struct expr *b, int64_t constant)
{
    return terms_combine(inliner, a, b, false, constant);
}

struct expr *term_difference(struct inliner *inliner, struct expr *a, struct expr *b, int64_t constant)
{
    return terms_combine(inliner, a, b, true, constant);
}

struct expr *term_product(struct inliner *inliner, struct expr *a, struct expr *b)
{
    if (expr_is_integer(a, 0) || expr_is_integer(b, 1))
        return a;
    if (expr_is_integer(b, 0) || expr_is_integer(a, 1))
        return b;
    if (is_small(a) && is_small(b))
        return expr_new_integer(inliner, a->integer * b->integer, a->position);
    return expr_new_operation(inliner, EXPR_MUL, a, b);
}

struct expr *term_quotient(struct inliner *inliner, struct expr *a, struct expr *b)
{
    if (expr_is_integer(b, 1))
        return a;
    if (expr_is_same(a, b))
        return expr_new_integer(inliner, 1, a->position);
    if (a->kind == EXPR_MUL && expr_is_same(a->b, b))
        return a->a;
    if (a->kind == EXPR_MUL && expr_is_same(a->a, b))
        return a->b;
    return expr_new_operation(inliner, EXPR_DIV, a, b);
}
