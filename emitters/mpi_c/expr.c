/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints expressions of the language as C. Values are int64_t. Parentheses stand where C needs them, and
 * where a compiler would warn that a reader may need them. An operator that C lacks becomes a call of a
 * helper (runtime/arithmetic.c).
 */
#include "emitters/mpi_c/mpi_c.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Precedence of C; the operator table of the language has another order. */
enum {
    C_LOGICAL_OR = 1,
    C_LOGICAL_AND,
    C_BIT_XOR,
    C_EQUALITY,
    C_RELATION,
    C_SUM,
    C_PRODUCT,
    C_UNARY,
    C_ATOM
};

struct c_operator {
    const char *spelling; /* spelling of a binary operator; NULL: a function or an atom */
    int precedence;
    const char *function;
};

static const struct c_operator operators[N_EXPR_KINDS] = {
    [EXPR_INTEGER] = {NULL, C_ATOM, NULL},
    [EXPR_VARIABLE] = {NULL, C_ATOM, NULL},
    [EXPR_CHOICE] = {NULL, C_ATOM, NULL}, /* always in parentheses */
    [EXPR_NEGATE] = {NULL, C_UNARY, NULL},
    [EXPR_NOT] = {NULL, C_UNARY, NULL},
    [EXPR_OR] = {"||", C_LOGICAL_OR, NULL},
    [EXPR_AND] = {"&&", C_LOGICAL_AND, NULL},
    [EXPR_EQ] = {"==", C_EQUALITY, NULL},
    [EXPR_NE] = {"!=", C_EQUALITY, NULL},
    [EXPR_LT] = {"<", C_RELATION, NULL},
    [EXPR_LE] = {"<=", C_RELATION, NULL},
    [EXPR_GT] = {">", C_RELATION, NULL},
    [EXPR_GE] = {">=", C_RELATION, NULL},
    [EXPR_XOR] = {"^", C_BIT_XOR, NULL},
    [EXPR_ADD] = {"+", C_SUM, NULL},
    [EXPR_SUB] = {"-", C_SUM, NULL},
    [EXPR_MUL] = {"*", C_PRODUCT, NULL},
    [EXPR_DIV] = {NULL, C_ATOM, "collc_div"},
    [EXPR_MOD] = {NULL, C_ATOM, "collc_mod"},
    [EXPR_POW] = {NULL, C_ATOM, "collc_pow"},
    [EXPR_CEIL_LOG2] = {NULL, C_ATOM, "collc_ceil_log2"},
    [EXPR_FLOOR_LOG2] = {NULL, C_ATOM, "collc_floor_log2"},
    [EXPR_CEIL_LOG] = {NULL, C_ATOM, "collc_ceil_log"},
    [EXPR_REVERSE_BITS] = {NULL, C_ATOM, "collc_reverse_bits"},
    [EXPR_MIN] = {NULL, C_ATOM, "collc_min"},
    [EXPR_MAX] = {NULL, C_ATOM, "collc_max"},
    [EXPR_ABS] = {NULL, C_ATOM, "collc_abs"},
    [EXPR_LCM] = {NULL, C_ATOM, "collc_lcm"},
    [EXPR_GROUPS_BEFORE] = {NULL, C_ATOM, "collc_groups_before"},
    [EXPR_REVERSE_DIGITS] = {NULL, C_ATOM, "collc_reverse_digits"},
    [EXPR_CIRCULANT_BLOCK] = {NULL, C_ATOM, "collc_circulant_block"},
    [EXPR_OUT_DEGREE] = {NULL, C_ATOM, "collc_out_degree"},
    [EXPR_IN_DEGREE] = {NULL, C_ATOM, "collc_in_degree"},
    [EXPR_OUT_NEIGHBOR] = {NULL, C_ATOM, "collc_out_neighbor"},
    [EXPR_IN_NEIGHBOR] = {NULL, C_ATOM, "collc_in_neighbor"},
    [EXPR_IN_TURN] = {NULL, C_ATOM, "collc_in_turn"},
    [EXPR_IN_PLACE] = {NULL, C_ATOM, "collc_in_place_of"},
    [EXPR_OUT_HOP] = {NULL, C_ATOM, "collc_out_hop"},
    [EXPR_OUT_LIKE] = {NULL, C_ATOM, "collc_out_like"},
    [EXPR_OUT_HOPS] = {NULL, C_ATOM, "collc_out_hops"},
    [EXPR_EXTENT] = {NULL, C_ATOM, "collc_extent_of"},
    [EXPR_COORDINATE] = {NULL, C_ATOM, "collc_coordinate"},
    [EXPR_SHIFT] = {NULL, C_ATOM, "collc_shift"},
    [EXPR_DISPLACE] = {NULL, C_ATOM, "collc_displace"},
    [EXPR_ROTATE] = {NULL, C_ATOM, "collc_rotate"},
};

static void print_integer(int64_t value, struct text *out)
{
    bool is_small = value >= INT32_MIN && value <= INT32_MAX;
    text_printf(out, is_small ? "%" PRId64 : "INT64_C(%" PRId64 ")", value);
}

static bool is_binary(const struct expr *expr)
{
    return operators[expr->kind].spelling != NULL;
}

static bool is_truth(const struct expr *expr)
{
    int precedence = operators[expr->kind].precedence;
    return expr->kind == EXPR_NOT ||
           (is_binary(expr) && precedence <= C_RELATION && precedence != C_BIT_XOR);
}

static bool needs_parentheses(const struct expr *parent, const struct expr *child, bool is_right)
{
    int outer = operators[parent->kind].precedence, inner = operators[child->kind].precedence;
    if (child->kind == EXPR_INTEGER)
        return child->integer < 0;
    if (child->kind == EXPR_NEGATE)
        return outer >= C_SUM && (is_right || outer == C_UNARY);
    if (child->kind == EXPR_NOT)
        return outer > C_LOGICAL_AND;
    if (!is_binary(child))
        return false;
    if (outer == C_BIT_XOR || (outer == C_LOGICAL_OR && inner == C_LOGICAL_AND))
        return true;
    if (outer >= C_EQUALITY && outer <= C_RELATION && inner <= C_RELATION)
        return true;
    return inner < outer || (inner == outer && is_right);
}

/* Finds the complement of the operand of a `not`, an expression without one. Returns false if there is
 * none. */
static bool complement(const struct expr *expr, struct expr *result)
{
    static const enum expr_kind opposite[N_EXPR_KINDS] = {
        [EXPR_EQ] = EXPR_NE, [EXPR_NE] = EXPR_EQ, [EXPR_LT] = EXPR_GE,
        [EXPR_GE] = EXPR_LT, [EXPR_LE] = EXPR_GT, [EXPR_GT] = EXPR_LE};
    static struct expr zero = {.kind = EXPR_INTEGER};
    if (expr->kind != EXPR_NOT)
        return false;
    const struct expr *inner = expr->a;
    if (opposite[inner->kind])
        *result = (struct expr){.kind = opposite[inner->kind], .a = inner->a, .b = inner->b};
    else if (inner->kind == EXPR_NOT && is_truth(inner->a))
        *result = *inner->a;
    else if (!is_truth(inner))
        *result = (struct expr){.kind = EXPR_EQ, .a = expr->a, .b = &zero};
    else
        return false;
    return true;
}

/* Returns the largest absolute value of an expression without variables, whose type in C would be int; else
 * 0. */
static double size_of_int(const struct expr *expr)
{
    if (expr->kind == EXPR_INTEGER)
        return fmax(1, fabs((double)expr->integer));
    if (is_truth(expr))
        return 1;
    if (expr->kind == EXPR_NEGATE)
        return size_of_int(expr->a);
    if (!is_binary(expr))
        return 0;
    const double a = size_of_int(expr->a), b = size_of_int(expr->b);
    const bool are_both = a > 0 && b > 0;
    return !are_both ? 0 : expr->kind == EXPR_MUL ? a * b : a + b;
}

/* True if its type in C is int. */
static bool is_int(const struct expr *expr)
{
    const double size = size_of_int(expr);
    return size > 0 && size <= INT32_MAX;
}

static void print_operand(const struct program *program, const struct expr *parent,
                          const struct expr *child, bool is_right, struct text *out)
{
    struct expr positive;
    if (complement(child, &positive))
        child = &positive;
    bool parentheses = needs_parentheses(parent, child, is_right);
    if ((parent->kind == EXPR_AND || parent->kind == EXPR_OR) && !is_truth(child)) {
        c_condition(program, child, out);
        return;
    }
    text_printf(out, "%s", parentheses ? "(" : "");
    c_expr(program, child, out);
    text_printf(out, "%s", parentheses ? ")" : "");
}

static void expr_print_call(const struct program *program, const struct expr *expr, struct text *out)
{
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    text_printf(out, "%s(%s", operators[expr->kind].function,
                is_grid_function(expr->kind) || is_neighbor_function(expr->kind) ||
                        expr->kind == EXPR_GROUPS_BEFORE
                    ? "run, "
                    : "");
    for (uint32_t i = 0; i < 3 && operands[i]; i++) {
        text_printf(out, i ? ", " : "");
        c_expr(program, operands[i], out);
    }
    text_printf(out, ")");
}

/* (condition ? b : c), whose type is int64_t. */
static void expr_print_choice(const struct program *program, const struct expr *expr, struct text *out)
{
    text_printf(out, is_int(expr->b) && is_int(expr->c) ? "(int64_t)(" : "(");
    c_condition(program, expr->a, out);
    text_printf(out, " ? ");
    c_expr(program, expr->b, out);
    text_printf(out, " : ");
    c_expr(program, expr->c, out);
    text_printf(out, ")");
}

void c_expr(const struct program *program, const struct expr *expr, struct text *out)
{
    struct expr positive;
    if (complement(expr, &positive))
        expr = &positive;
    const struct c_operator *operator = &operators[expr->kind];
    if (expr->kind == EXPR_INTEGER)
        print_integer(expr->integer, out);
    else if (expr->kind == EXPR_VARIABLE)
        c_name(program->variables[expr->variable].name, out);
    else if (operator->function)
        expr_print_call(program, expr, out);
    else if (expr->kind == EXPR_CHOICE)
        expr_print_choice(program, expr, out);
    else if (!operator->spelling) {
        text_printf(out, expr->kind == EXPR_NOT ? "!" : "-");
        print_operand(program, expr, expr->a, false, out);
    } else {
        const bool is_wide = !is_int(expr) && is_int(expr->a) && is_int(expr->b); /* of ints, but no int */
        text_printf(out, is_wide && is_binary(expr->a) ? "(int64_t)(" : is_wide ? "(int64_t)" : "");
        print_operand(program, expr, expr->a, false, out);
        text_printf(out, is_wide && is_binary(expr->a) ? ") %s " : " %s ", operator->spelling);
        print_operand(program, expr, expr->b, true, out);
    }
}

void c_condition(const struct program *program, const struct expr *expr, struct text *out)
{
    struct expr positive;
    if (complement(expr, &positive))
        expr = &positive;
    if (is_truth(expr)) {
        c_expr(program, expr, out);
        return;
    }
    bool parentheses = expr->kind == EXPR_XOR;
    text_printf(out, "%s", parentheses ? "(" : "");
    c_expr(program, expr, out);
    text_printf(out, "%s != 0", parentheses ? ")" : "");
}

bool c_helper_is_used(const bool *helpers, const char *name, size_t length, bool *is_helper)
{
    static const char prefix[] = "collc_";
    for (int kind = 0; kind < N_EXPR_KINDS; kind++) {
        const char *function = operators[kind].function;
        if (!function || strlen(function) != strlen(prefix) + length)
            continue;
        size_t same = 0;
        while (same < length && toupper((unsigned char)function[strlen(prefix) + same]) == name[same])
            same++;
        *is_helper = same == length;
        if (*is_helper)
            return helpers && helpers[kind];
    }
    return false;
}
