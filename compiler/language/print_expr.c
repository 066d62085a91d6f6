/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expression -> text with the fewest parentheses. Signs are spaced in free
 * standing expressions (`r + 2^k < p`) and tight in brackets, coordinates and
 * ranges (`in[s+j, l+k]`, `0 .. p-1`), as the papers set them; words and
 * comparisons are always spaced.
 */
#include "compiler/language/frontend.h"

struct printer {
    const struct program *program;
    const struct known_values *known; /* or NULL */
    bool is_tight;
    struct text *out;
    struct line_breaks *breaks; /* NULL: all in one line */
};

/* The number to print in its place. */
static bool known_value(const struct printer *printer, const struct expr *expr, int64_t *value)
{
    const struct known_values *known = printer->known;
    return known && known->value_of(known->of, expr, value);
}

/* A number below 0 is read as a sign and a number. */
static int precedence_of(const struct printer *printer, const struct expr *expr)
{
    int64_t value;
    if (known_value(printer, expr, &value))
        return value < 0 ? PRECEDENCE_NEGATE : PRECEDENCE_ATOM;
    const struct binary_operator *operator = parser_binary_operator(expr->kind);
    if (operator)
        return operator->precedence;
    if (expr->kind == EXPR_NEGATE)
        return PRECEDENCE_NEGATE;
    if (expr->kind == EXPR_CHOICE)
        return PRECEDENCE_CHOICE;
    return expr->kind == EXPR_NOT ? PRECEDENCE_NOT : PRECEDENCE_ATOM;
}

/* Begins a line if the expression does. */
static bool print_expr_goes_on(const struct printer *printer, const struct expr *expr)
{
    struct line_breaks *breaks = printer->breaks;
    if (!breaks || expr->position.line <= breaks->line)
        return false;
    breaks->line = expr->position.line;
    breaks->go_on(breaks->layout, breaks->line);
    return true;
}

static void print(const struct printer *printer, const struct expr *expr, int at_least);

static void print_binary(const struct printer *printer, const struct expr *expr,
                         const struct binary_operator *operator)
{
    int precedence = operator->precedence;
    bool is_comparison = precedence == PRECEDENCE_COMPARISON;
    bool is_word = operator->spelling[0] >= 'a' && operator->spelling[0] <= 'z';
    bool is_power = expr->kind == EXPR_POW;
    bool is_close = is_power || (printer->is_tight && !is_word && !is_comparison);
    struct printer inner = *printer;
    inner.is_tight |= is_power;
    print(&inner, expr->a, precedence + (operator->is_right || is_comparison));
    const bool is_first = print_expr_goes_on(printer, expr->b);
    text_printf(printer->out, "%s%s%s", is_close || is_first ? "" : " ", operator->spelling,
                is_close ? "" : " ");
    /* a minus sign after an operator needs no parentheses: 2^-k */
    const bool is_sign = precedence_of(printer, expr->b) == PRECEDENCE_NEGATE;
    print(&inner, expr->b, is_sign ? PRECEDENCE_NEGATE : precedence + !operator->is_right);
}

/* Prints an operand of a function, behind a comma unless it is the first. */
static void print_expr_operand(const struct printer *printer, const struct expr *operand, bool is_first)
{
    struct printer inner = *printer;
    inner.is_tight = true;
    text_printf(printer->out, is_first ? "" : ",");
    if (!is_first && !print_expr_goes_on(printer, operand))
        text_printf(printer->out, " ");
    print(&inner, operand, PRECEDENCE_CHOICE);
}

static void print_function(const struct printer *printer, const struct expr *expr)
{
    uint32_t arity = 0;
    text_printf(printer->out, "%s(", parser_function_name(expr->kind, &arity));
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    for (uint32_t i = 0; i < arity; i++)
        print_expr_operand(printer, operands[i], i == 0);
    text_append(printer->out, ")", 1);
}

static void print_expr_call(const struct printer *printer, const struct expr *call)
{
    text_printf(printer->out, "%s(", call->definition->name);
    for (const struct expr *argument = call->a; argument; argument = argument->b)
        print_expr_operand(printer, argument->a, argument == call->a);
    text_append(printer->out, ")", 1);
}

static void print_expr_choice(const struct printer *printer, const struct expr *expr)
{
    const struct expr *const parts[] = {expr->b, expr->a, expr->c};
    static const char *const words[] = {"", "if ", "else "};
    for (int i = 0; i < 3; i++) {
        text_printf(printer->out, i && !print_expr_goes_on(printer, parts[i]) ? " %s" : "%s", words[i]);
        print(printer, parts[i], i < 2 ? PRECEDENCE_CHOICE + 1 : PRECEDENCE_CHOICE);
    }
}

static void print_bare(const struct printer *printer, const struct expr *expr)
{
    const struct binary_operator *operator = parser_binary_operator(expr->kind);
    int64_t value;
    if (known_value(printer, expr, &value)) {
        text_printf(printer->out, "%lld", (long long)value);
        return;
    }
    if (printer->breaks && printer->breaks->line < expr->position.line)
        printer->breaks->line = expr->position.line;
    if (operator) {
        print_binary(printer, expr, operator);
    } else if (expr->kind == EXPR_INTEGER) {
        text_printf(printer->out, "%lld", (long long)expr->integer);
    } else if (expr->kind == EXPR_VARIABLE) {
        text_printf(printer->out, "%s", printer->program->variables[expr->variable].name);
    } else if (expr->kind == EXPR_NEGATE || expr->kind == EXPR_NOT) {
        text_printf(printer->out, expr->kind == EXPR_NOT ? "not " : "-");
        print(printer, expr->a, expr->kind == EXPR_NOT ? PRECEDENCE_NOT : PRECEDENCE_NEGATE);
    } else if (expr->kind == EXPR_CHOICE) {
        print_expr_choice(printer, expr);
    } else if (expr->kind == EXPR_CALL) {
        print_expr_call(printer, expr);
    } else {
        print_function(printer, expr);
    }
}

/* In parentheses if the expression binds less than `at_least`. */
static void print(const struct printer *printer, const struct expr *expr, int at_least)
{
    bool needs_parentheses = precedence_of(printer, expr) < at_least;
    if (needs_parentheses)
        text_append(printer->out, "(", 1);
    print_bare(printer, expr);
    if (needs_parentheses)
        text_append(printer->out, ")", 1);
}

void print_expr(const struct program *program, const struct known_values *known, const struct expr *expr,
                enum expr_style style, struct text *out)
{
    struct printer printer = {program, known, style >= STYLE_TIGHT, out, NULL};
    const bool is_alone = style == STYLE_ALONE || style == STYLE_LISTED;
    print(&printer, expr, is_alone ? PRECEDENCE_CHOICE : PRECEDENCE_CHOICE + 1);
}

void print_expr_lines(const struct program *program, const struct expr *expr,
                      struct line_breaks *breaks, struct text *out)
{
    struct printer printer = {program, NULL, false, out, breaks};
    breaks->line = expr->position.line;
    print(&printer, expr, PRECEDENCE_CHOICE);
}
