/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expressions of the language as C. Values are int64_t. Parentheses are put
 * where C needs them, and where a compiler would warn that a reader may need
 * them. What C has no operator for becomes a call of a helper, printed only if
 * used; helpers have a result for every operand, since a condition that the
 * algorithm evaluates before its requirement must not trap.
 */
#include "emitters/mpi_c.h"

#include <inttypes.h>
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
    const char *spelling; /* of a binary operator; NULL: a function or an atom */
    int precedence;
    const char *function;
};

static const struct c_operator operators[N_EXPR_KINDS] = {
    [EXPR_INTEGER] = {NULL, C_ATOM, NULL},
    [EXPR_VARIABLE] = {NULL, C_ATOM, NULL},
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
    if (child->kind == EXPR_NEGATE || child->kind == EXPR_NOT)
        return outer > C_LOGICAL_AND && (is_right || child->kind == EXPR_NOT || outer == C_UNARY);
    if (!is_binary(child))
        return false;
    if (outer == C_BIT_XOR || (outer == C_LOGICAL_OR && inner == C_LOGICAL_AND))
        return true;
    if (outer >= C_EQUALITY && outer <= C_RELATION && inner <= C_RELATION)
        return true;
    return inner < outer || (inner == outer && is_right);
}

static void print_operand(const struct program *program, const struct expr *parent,
                          const struct expr *child, bool is_right, struct text *out)
{
    bool parentheses = needs_parentheses(parent, child, is_right);
    bool is_logical =
        parent->kind == EXPR_AND || parent->kind == EXPR_OR || parent->kind == EXPR_NOT;
    if (is_logical && !is_truth(child)) {
        text_printf(out, "(");
        c_condition(program, child, out);
        text_printf(out, ")");
        return;
    }
    text_printf(out, "%s", parentheses ? "(" : "");
    c_expr(program, child, out);
    text_printf(out, "%s", parentheses ? ")" : "");
}

static void print_call(const struct program *program, const struct expr *expr, struct text *out)
{
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    text_printf(out, "%s(%s", operators[expr->kind].function,
                is_grid_function(expr->kind) || expr->kind == EXPR_GROUPS_BEFORE ? "run, " : "");
    for (uint32_t i = 0; i < 3 && operands[i]; i++) {
        text_printf(out, i ? ", " : "");
        c_expr(program, operands[i], out);
    }
    text_printf(out, ")");
}

void c_expr(const struct program *program, const struct expr *expr, struct text *out)
{
    const struct c_operator *operator = &operators[expr->kind];
    if (expr->kind == EXPR_INTEGER)
        print_integer(expr->integer, out);
    else if (expr->kind == EXPR_VARIABLE)
        c_name(program->variables[expr->variable].name, out);
    else if (operator->function)
        print_call(program, expr, out);
    else if (!operator->spelling) {
        text_printf(out, expr->kind == EXPR_NOT ? "!" : "-");
        print_operand(program, expr, expr->a, false, out);
    } else {
        print_operand(program, expr, expr->a, false, out);
        text_printf(out, " %s ", operator->spelling);
        print_operand(program, expr, expr->b, true, out);
    }
}

void c_condition(const struct program *program, const struct expr *expr, struct text *out)
{
    if (is_truth(expr)) {
        c_expr(program, expr, out);
        return;
    }
    bool parentheses = expr->kind == EXPR_XOR;
    text_printf(out, "%s", parentheses ? "(" : "");
    c_expr(program, expr, out);
    text_printf(out, "%s != 0", parentheses ? ")" : "");
}

#define HELPER(head, body) "static int64_t " head "\n{\n" body "}\n\n"

static const char *const helper_text[N_EXPR_KINDS] = {
    [EXPR_DIV] = HELPER("collc_div(int64_t a, int64_t b) /* rounds down */",
                        "    if (b == 0)\n"
                        "        return 0;\n"
                        "    return a / b - (a % b != 0 && (a < 0) != (b < 0));\n"),
    [EXPR_MOD] = HELPER("collc_mod(int64_t a, int64_t n) /* 0 .. n-1 */",
                        "    int64_t rest = n == 0 ? 0 : a % n;\n"
                        "\n"
                        "    return rest != 0 && (rest < 0) != (n < 0) ? rest + n : rest;\n"),
    [EXPR_POW] = HELPER("collc_pow(int64_t a, int64_t n)",
                        "    uint64_t power = 1;\n"
                        "\n"
                        "    while (n-- > 0)\n"
                        "        power *= (uint64_t)a;\n"
                        "    return (int64_t)power;\n"),
    [EXPR_CEIL_LOG2] = HELPER("collc_ceil_log2(int64_t n)",
                              "    int64_t k = 0;\n"
                              "\n"
                              "    while (k < 62 && (INT64_C(1) << k) < n)\n"
                              "        k++;\n"
                              "    return k;\n"),
    [EXPR_FLOOR_LOG2] = HELPER("collc_floor_log2(int64_t n)",
                               "    int64_t k = 0;\n"
                               "\n"
                               "    while (n > 1) {\n"
                               "        n /= 2;\n"
                               "        k++;\n"
                               "    }\n"
                               "    return k;\n"),
    [EXPR_CEIL_LOG] = HELPER("collc_ceil_log(int64_t b, int64_t n)",
                             "    int64_t k = 0;\n"
                             "\n"
                             "    for (n--; b > 1 && n > 0; n /= b)\n"
                             "        k++;\n"
                             "    return k;\n"),
    [EXPR_REVERSE_BITS] = HELPER("collc_reverse_bits(int64_t n, int64_t k)",
                                 "    uint64_t bits = (uint64_t)n, reversed = 0;\n"
                                 "\n"
                                 "    for (; k > 0; k--, bits /= 2)\n"
                                 "        reversed = 2 * reversed + bits % 2;\n"
                                 "    return (int64_t)reversed;\n"),
    [EXPR_MIN] = HELPER("collc_min(int64_t a, int64_t b)", "    return a < b ? a : b;\n"),
    [EXPR_MAX] = HELPER("collc_max(int64_t a, int64_t b)", "    return a > b ? a : b;\n"),
    [EXPR_ABS] = HELPER("collc_abs(int64_t a)", "    return a < 0 ? -a : a;\n"),
    [EXPR_LCM] = HELPER("collc_lcm(int64_t a, int64_t b)",
                        "    int64_t divisor = a, rest = b;\n"
                        "\n"
                        "    while (rest > 0) {\n"
                        "        const int64_t next = divisor % rest;\n"
                        "        divisor = rest;\n"
                        "        rest = next;\n"
                        "    }\n"
                        "    return divisor > 0 ? a / divisor * b : 0;\n"),
    [EXPR_REVERSE_DIGITS] = HELPER("collc_reverse_digits(int64_t b, int64_t n, int64_t k)",
                                   "    uint64_t reversed = 0;\n"
                                   "\n"
                                   "    for (; b > 1 && k > 0; k--, n /= b)\n"
                                   "        reversed = reversed * (uint64_t)b + (uint64_t)(n % b);\n"
                                   "    return (int64_t)reversed;\n"),
    [EXPR_CIRCULANT_BLOCK] =
        "struct collc_circulant {\n"
        "    int64_t skip[63], goal, below, block;\n"
        "    int round, last_round, is_taken[63];\n"
        "};\n\n"
        "/* Of the rounds from search->round on, along the paths that go on from rank `from`. */\n"
        "static void collc_circulant_find(struct collc_circulant *search, int64_t from, int e)\n"
        "{\n"
        "    for (; e >= 0 && search->round <= search->last_round; e--) {\n"
        "        const int64_t rank = from + search->skip[e];\n"
        "\n"
        "        if (search->is_taken[e] || rank >= search->below ||\n"
        "            rank > search->goal - search->skip[search->round])\n"
        "            continue;\n"
        "        if (rank <= search->goal - search->skip[search->round + 1])\n"
        "            collc_circulant_find(search, rank, e);\n"
        "        if (search->round > search->last_round ||\n"
        "            from > search->goal - search->skip[search->round + 1])\n"
        "            return;\n"
        "        search->below = rank;\n"
        "        search->block = e;\n"
        "        search->is_taken[e] = 1;\n"
        "        search->round++;\n"
        "    }\n"
        "}\n\n"
        HELPER("collc_circulant_block(int64_t n, int64_t r, int64_t k) /* Traeff 2025 */",
               "    struct collc_circulant search = {.below = INT64_MAX, .last_round = (int)k};\n"
               "    int64_t rest;\n"
               "    int rounds = 0, base;\n"
               "\n"
               "    while (rounds < 62 && (INT64_C(1) << rounds) < n)\n"
               "        rounds++;\n"
               "    if (k < 0 || k >= rounds)\n"
               "        return 0;\n"
               "    search.skip[rounds] = n;\n"
               "    for (int i = rounds - 1; i >= 0; i--)\n"
               "        search.skip[i] = (search.skip[i + 1] + 1) / 2;\n"
               "    rest = (r % n + n) % n;\n"
               "    search.goal = n + rest;\n"
               "    base = rounds;\n"
               "    for (int i = rounds - 1; i >= 0 && rest > 0; i--)\n"
               "        if (search.skip[i] <= rest) {\n"
               "            rest -= search.skip[i];\n"
               "            base = i;\n"
               "        }\n"
               "    search.is_taken[base] = 1;\n"
               "    collc_circulant_find(&search, 0, rounds);\n"
               "    return search.block == rounds ? base : search.block - rounds;\n"),
    [EXPR_EXTENT] = HELPER("collc_extent_of(const struct collc_run *run, int64_t d)",
                           "    return d >= 0 && d < run->dimensions ? run->grid[d] : 1;\n"),
    [EXPR_COORDINATE] = HELPER("collc_coordinate(const struct collc_run *run, int64_t r, int64_t d)",
                               "    int64_t rank = collc_mod(collc_mod(r, run->p) + run->first, run->p);\n"
                               "    int64_t stride = 1, n = collc_extent_of(run, d);\n"
                               "\n"
                               "    for (int64_t i = 0; i < d && i < run->dimensions; i++)\n"
                               "        stride *= run->grid[i];\n"
                               "    return collc_mod(rank / stride % n - run->first / stride % n, n);\n"),
    [EXPR_SHIFT] = HELPER("collc_shift(const struct collc_run *run, int64_t r, int64_t d, int64_t k)",
                          "    int64_t rank = collc_mod(collc_mod(r, run->p) + run->first, run->p);\n"
                          "    int64_t stride = 1, n = collc_extent_of(run, d), at;\n"
                          "\n"
                          "    for (int64_t i = 0; i < d && i < run->dimensions; i++)\n"
                          "        stride *= run->grid[i];\n"
                          "    at = rank / stride % n;\n"
                          "    rank += (collc_mod(at + collc_mod(k, n), n) - at) * stride;\n"
                          "    return collc_mod(rank - run->first, run->p);\n"),
    [EXPR_DISPLACE] = HELPER("collc_displace(const struct collc_run *run, int64_t r, int64_t v, int64_t k)",
                             "    for (int64_t d = 0; d < run->dimensions; d++)\n"
                             "        r = collc_shift(run, r, d,\n"
                             "                        collc_coordinate(run, v, d) * collc_mod(k, run->grid[d]));\n"
                             "    return collc_mod(r, run->p);\n"),
    [EXPR_ROTATE] = HELPER("collc_rotate_by(const struct collc_run *run, int64_t v, int64_t k)",
                         "    int64_t turned = 0;\n"
                         "\n"
                         "    for (int64_t d = 0; d < run->dimensions; d++) {\n"
                         "        const int64_t other = (d + k) % run->dimensions;\n"
                         "        const int64_t from = run->grid[d], to = run->grid[other];\n"
                         "        const int64_t at = collc_coordinate(run, v, d);\n"
                         "        const int64_t hop = 2 * at <= from ? at : at - from;\n"
                         "        const int64_t twice = hop < 0 ? -2 * hop : 2 * hop;\n"
                         "\n"
                         "        if (from != to && (twice >= from || twice >= to))\n"
                         "            return run->p;\n"
                         "        turned = collc_shift(run, turned, other, hop);\n"
                         "    }\n"
                         "    return turned;\n")
                  HELPER("collc_rotate(const struct collc_run *run, int64_t v, int64_t k)",
                         "    const int64_t by = collc_mod(k, run->dimensions);\n"
                         "    const int64_t turned = collc_rotate_by(run, v, by);\n"
                         "\n"
                         "    for (int64_t before = 0; before < by; before++)\n"
                         "        if (collc_rotate_by(run, v, before) == turned)\n"
                         "            return run->p;\n"
                         "    return turned;\n"),
};

static void print_groups_before(const char *origin, struct text *out)
{
    text_printf(out, HELPER("collc_groups_before(const struct collc_run *run, int64_t s, int64_t k)",
                            "    const struct collc_comm *own = run->own;\n"
                            "    const int64_t origin = %s;\n"
                            "    int64_t n = 0;\n"
                            "\n"
                            "    if (k == 1 && s >= 0 && s <= own->servers)\n"
                            "        return own->first[(origin + s) %% own->servers] - own->first[origin] +\n"
                            "               (origin + s < own->servers ? 0 : run->p);\n"
                            "    for (int64_t i = 0; k != 0 && i < s && i < own->servers; i++)\n"
                            "        n += own->n_slots[(origin + i) %% own->servers] / k;\n"
                            "    return n;\n"),
                origin);
}

void c_expr_helpers(const struct c_helpers *helpers, struct text *out)
{
    if (helpers->is_used[EXPR_GROUPS_BEFORE])
        print_groups_before(helpers->origin, out);
    for (int kind = 0; kind < N_EXPR_KINDS; kind++)
        if (helpers->is_used[kind] && helper_text[kind])
            text_printf(out, "%s", helper_text[kind]);
}
