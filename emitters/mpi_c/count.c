/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the count of numbers from one expression to another in as few terms as possible: the ends are
 * sums, and common terms cancel.
 */
#include "emitters/mpi_c/mpi_c.h"

enum { MAX_TERMS = 32 };

struct sum {
    struct {
        struct expr *expr;
        int64_t times;
    } term[MAX_TERMS];
    int n;
    int64_t constant;
    bool is_full;
};

/* Adds a multiple of the expression. */
static void add_to(struct sum *sum, struct expr *expr, int64_t times)
{
    const int64_t limit = INT32_MAX; /* beyond it nothing is simplified */
    if (expr->kind == EXPR_ADD || expr->kind == EXPR_SUB) {
        add_to(sum, expr->a, times);
        add_to(sum, expr->b, expr->kind == EXPR_ADD ? times : -times);
        return;
    }
    if (expr->kind == EXPR_INTEGER && expr->integer >= -limit && expr->integer <= limit) {
        sum->constant += times * expr->integer;
        return;
    }
    if (expr->kind == EXPR_MUL && expr->a->kind == EXPR_INTEGER && expr->a->integer >= -64 &&
        expr->a->integer <= 64 && times >= -1 && times <= 1) {
        add_to(sum, expr->b, times * expr->a->integer);
        return;
    }
    int i = 0;
    while (i < sum->n && !expr_is_same(sum->term[i].expr, expr))
        i++;
    sum->is_full = sum->is_full || i == MAX_TERMS;
    if (sum->is_full)
        return;
    sum->n += i == sum->n;
    sum->term[i].expr = expr;
    sum->term[i].times += times;
}

/* Appends a summand, `times` of the expression, at the right. */
static void count_append(struct expr *node, struct expr **whole, struct expr *expr, int64_t times)
{
    struct expr *factor = &node[0], *product = &node[1], *next = &node[2];
    const int64_t n = times < 0 && *whole ? -times : times;
    *factor = (struct expr){.kind = EXPR_INTEGER, .integer = n};
    *product = (struct expr){.kind = EXPR_MUL, .a = factor, .b = expr};
    if (n == 1 || !expr)
        product = expr ? expr : factor;
    *next = (struct expr){.kind = times < 0 ? EXPR_SUB : EXPR_ADD, .a = *whole, .b = product};
    *whole = *whole ? next : product;
}

/* Prints the sum in as few terms as possible: first those that are added, then those that are subtracted. */
static void count_print_sum(const struct program *program, const struct sum *sum, struct text *out)
{
    struct expr node[3 * (MAX_TERMS + 1)], *whole = NULL;
    bool is_first = sum->constant > 0; /* if nothing else is added; else the constant comes last */
    int used = 0;
    for (int i = 0; i < sum->n; i++)
        is_first = is_first && sum->term[i].times <= 0;
    if (is_first)
        count_append(&node[3 * used++], &whole, NULL, sum->constant);
    for (int is_minus = 0; is_minus < 2; is_minus++)
        for (int i = 0; i < sum->n; i++) {
            const int64_t times = sum->term[i].times;
            if (times != 0 && (times < 0) == is_minus)
                count_append(&node[3 * used++], &whole, sum->term[i].expr, times);
        }
    if (!whole || (sum->constant && !is_first))
        count_append(&node[3 * used++], &whole, NULL, sum->constant);
    c_expr(program, whole, out);
}

void c_count(const struct program *program, struct expr *first, struct expr *last,
             struct text *out)
{
    struct sum sum = {.constant = 1};
    add_to(&sum, last, 1);
    add_to(&sum, first, -1);
    if (!sum.is_full) {
        count_print_sum(program, &sum, out);
        return;
    }
    struct expr one = {.kind = EXPR_INTEGER, .integer = 1};
    struct expr end = {.kind = EXPR_ADD, .a = last, .b = &one};
    c_expr(program, &(struct expr){.kind = EXPR_SUB, .a = &end, .b = first}, out);
}
