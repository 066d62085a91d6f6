/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates expressions, a block of ranks at a time. See evaluate.h.
 *
 * Vectors are placed in scratch by depth: the left operand at the depth of its
 * expression, the right one above, the result over the left. When an operator
 * fails on some lane, the expression is evaluated again lane by lane, by the
 * scalar evaluator below, to find the first rank and the operands: faults are
 * fatal to the schedule, so that path may be slow.
 */
#include "compiler/passes/evaluate.h"

#include <stdlib.h>
#include <string.h>

struct environment *environment_new(const struct program *program, struct diagnostics *diagnostics)
{
    struct environment *environment = mem_alloc(1, sizeof *environment);
    environment->program = program;
    environment->diagnostics = diagnostics;
    environment->slots = mem_alloc(program->n_variables, sizeof *environment->slots);
    return environment;
}

void environment_free(struct environment *environment)
{
    if (!environment)
        return;
    for (uint32_t i = 0; i < environment->program->n_variables; i++) {
        free(environment->slots[i].block);
        free(environment->slots[i].all);
    }
    for (unsigned i = 0; i < MAX_SCRATCH; i++)
        free(environment->scratch[i]);
    servers_free(&environment->servers);
    free(environment->slots);
    free(environment);
}

bool fail(struct environment *environment, enum code code, struct position position, int64_t rank,
          const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(&environment->diagnostics->arena, format, args);
    va_end(args);
    environment->fault = (struct fault){code, position, rank, message, NULL};
    return false;
}

const char *expression_text(struct environment *environment, const struct expr *expr)
{
    const struct position *at = &expr->position;
    const char *line = at->source ? at->source->text : NULL, *end = line;
    if (line)
        end += at->source->length;
    for (uint32_t i = 1; line && i < at->line; i++) {
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    size_t room = line ? (size_t)(end - line) : 0, skip = at->column ? at->column - 1 : 0;
    if (!at->line || skip + at->length > room)
        return "expression";
    return diagnostics_text(environment->diagnostics, "%.*s", (int)at->length, line + skip);
}

static const char *operator_text(struct environment *environment, const struct expr *expr,
                                 int64_t a, int64_t b)
{
    static const struct {
        const char *text;
        bool is_function;
    } spelling[N_EXPR_KINDS] = {
        [EXPR_NEGATE] = {"-", true},
#define BINARY(kind, spelling, precedence, right) [EXPR_##kind] = {spelling, false},
#define FUNCTION(kind, name, arity) [EXPR_##kind] = {#name, true},
#include "ir/program.def"
    };
    const char *text = spelling[expr->kind].text;
    if (!spelling[expr->kind].is_function)
        return diagnostics_text(environment->diagnostics, "%lld %s %lld", (long long)a, text,
                                (long long)b);
    if (expr->b)
        return diagnostics_text(environment->diagnostics, "%s(%lld, %lld)", text, (long long)a,
                                (long long)b);
    return diagnostics_text(environment->diagnostics, "%s(%lld)", text, (long long)a);
}

static bool fail_arithmetic(struct environment *environment, const struct expr *expr, int64_t rank,
                            int64_t a, int64_t b)
{
    if (is_grid_function(expr->kind))
        return fail(environment, CODE_E007, expr->position, rank,
                    "'%s' names a dimension below 0: %lld", expression_text(environment, expr),
                    (long long)(expr->kind == EXPR_EXTENT ? a : b));
    if (expr->kind == EXPR_GROUPS_BEFORE)
        return fail(environment, CODE_E007, expr->position, rank,
                    "'%s' is of no server or group: %s", expression_text(environment, expr),
                    operator_text(environment, expr, a, b));
    return fail(environment, CODE_E007, expr->position, rank, "'%s' %s: %s",
                expression_text(environment, expr), arithmetic_reason(expr->kind, b),
                operator_text(environment, expr, a, b));
}

/* Does `a and b`, `a or b` have its value whatever b is? */
static bool is_decided(enum expr_kind kind, int64_t a)
{
    return (kind == EXPR_AND && !a) || (kind == EXPR_OR && a);
}

/* The value at one lane, or, lane < 0, one that may not differ between them. */
static bool evaluate_one(struct environment *environment, const struct expr *expr, int64_t lane,
                         int64_t *result)
{
    int64_t a, b = 0, c = 0;
    if (expr->kind == EXPR_INTEGER) {
        *result = expr->integer;
        return true;
    }
    if (expr->kind == EXPR_VARIABLE) {
        const struct slot *slot = &environment->slots[expr->variable];
        if (slot->varies && lane < 0)
            return fail(environment, CODE_E006, expr->position, -1, "'%s' depends on the rank",
                        variable_source_name(&environment->program->variables[expr->variable]));
        *result = slot->varies ? slot->lane[lane] : slot->scalar;
        return true;
    }
    if (!evaluate_one(environment, expr->a, lane, &a))
        return false;
    if (!is_decided(expr->kind, a) && expr->b && !evaluate_one(environment, expr->b, lane, &b))
        return false;
    if (expr->c && !evaluate_one(environment, expr->c, lane, &c))
        return false;
    if (is_grid_function(expr->kind) &&
        rank_grid_apply(&environment->grid, expr->kind, (const int64_t[]){a, b, c}, result))
        return true;
    if (expr->kind == EXPR_GROUPS_BEFORE
            ? servers_groups_before(&environment->servers, a, b, result)
            : arithmetic_apply(expr->kind, a, b, result))
        return true;
    return fail_arithmetic(environment, expr, lane < 0 ? -1 : environment->block_first + lane, a,
                           b);
}

bool evaluate_uniform(struct environment *environment, const struct expr *expr, int64_t *value)
{
    return evaluate_one(environment, expr, -1, value);
}

/* Finds the first lane on which the expression fails, after it did. */
static bool explain(struct environment *environment, const struct expr *expr,
                    const struct lanes *lanes)
{
    int64_t ignored;
    for (uint32_t i = 0; i < lanes->n; i++)
        if (!evaluate_one(environment, expr, lane_at(lanes, i), &ignored))
            return false;
    return fail(environment, CODE_E007, expr->position, -1, "'%s' has no value",
                expression_text(environment, expr));
}

static int64_t *scratch_at(struct environment *environment, uint32_t depth)
{
    if (!environment->scratch[depth])
        environment->scratch[depth] = mem_alloc(BLOCK_LANES, sizeof(int64_t));
    return environment->scratch[depth];
}

static struct value variable_value(struct environment *environment, const struct expr *expr,
                                   const struct lanes *lanes, uint32_t depth)
{
    const struct slot *slot = &environment->slots[expr->variable];
    if (!slot->varies)
        return (struct value){NULL, slot->scalar};
    if (!lanes->index)
        return (struct value){slot->lane, 0};
    int64_t *out = scratch_at(environment, depth);
    for (uint32_t i = 0; i < lanes->n; i++)
        out[i] = slot->lane[lanes->index[i]];
    return (struct value){out, 0};
}

/* How many of GROUP lanes are true (or, not `wanted`, false)? 1, which stands for some, if
 * they are other numbers than 0 and 1. Without a branch, so that the compiler uses vectors. */
enum { GROUP = 32 };
static uint64_t count_group(const int64_t *value, bool wanted)
{
    uint64_t any = 0, sum = 0;
    for (uint32_t i = 0; i < GROUP; i++) {
        any |= (uint64_t)value[i];
        sum += (uint64_t)value[i];
    }
    if (any > 1)
        return 1;
    return wanted ? sum : GROUP - sum;
}

/* Often a condition holds on all lanes of a block: seen without writing them down. */
static bool is_same_everywhere(const int64_t *value, uint32_t n, bool wanted)
{
    uint32_t first = 0;
    while (n - first >= GROUP && count_group(value + first, wanted) == GROUP)
        first += GROUP;
    if (n - first >= GROUP)
        return false;
    while (first < n && (value[first] != 0) == wanted)
        first++;
    return first == n;
}

/* Writes the lanes whose value, [position in lanes], is true (or false), ascending; returns
 * how many. `out` may be the index of the lanes. A condition is mostly false, or true, for
 * many ranks in a row: such groups are passed over, or copied. */
static uint32_t find_lanes(const int64_t *value, const struct lanes *lanes, bool wanted,
                           uint16_t *out)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < lanes->n; first += GROUP) {
        const bool is_whole = lanes->n - first >= GROUP;
        const uint32_t end = is_whole ? first + GROUP : lanes->n;
        const uint64_t found = is_whole ? count_group(value + first, wanted) : 1;
        for (uint32_t i = first; found == GROUP && i < end; i++)
            out[count++] = (uint16_t)lane_at(lanes, i);
        for (uint32_t i = first; found % GROUP && i < end; i++) {
            out[count] = (uint16_t)lane_at(lanes, i);
            count += (value[i] != 0) == wanted;
        }
    }
    return count;
}

struct lanes select_lanes(const struct lanes *lanes, const struct value *condition, bool wanted,
                          uint16_t index[BLOCK_LANES])
{
    if (!condition->lane)
        return (condition->scalar != 0) == wanted ? *lanes : (struct lanes){0, NULL};
    if (is_same_everywhere(condition->lane, lanes->n, wanted))
        return *lanes;
    return (struct lanes){find_lanes(condition->lane, lanes, wanted, index), index};
}

bool select_where(struct environment *environment, const struct expr *condition,
                  const struct lanes *lanes, uint16_t index[BLOCK_LANES], struct lanes *selected)
{
    struct value value;
    if (condition->kind == EXPR_AND) {
        struct lanes open;
        if (!select_where(environment, condition->a, lanes, index, &open))
            return false;
        *selected = open;
        return open.n == 0 || select_where(environment, condition->b, &open, index, selected);
    }
    if (!evaluate(environment, condition, lanes, 0, &value))
        return false;
    *selected = select_lanes(lanes, &value, true, index);
    return true;
}

/* Truth values of b at the given positions, the others as decided by a. */
static void merge(int64_t *out, uint32_t n, bool decided, const struct value *b,
                  const uint16_t *position, uint32_t n_open)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = decided;
    for (uint32_t i = 0; i < n_open; i++)
        out[position[i]] = value_at(b, i) != 0;
}

/* a and b, a or b where a differs between lanes: b is evaluated only where a
 * does not decide, so that `r > 0 and n / r > 1` has a value everywhere. */
static bool short_circuit(struct environment *environment, const struct expr *expr,
                          const struct lanes *lanes, uint32_t depth, struct value *value)
{
    uint16_t position[BLOCK_LANES], index[BLOCK_LANES];
    const bool decided = expr->kind == EXPR_OR;
    struct value b = {0};
    const struct lanes all = {lanes->n, NULL};
    const uint32_t n = find_lanes(value->lane, &all, !decided, position);
    for (uint32_t i = 0; i < n; i++)
        index[i] = (uint16_t)lane_at(lanes, position[i]);
    const struct lanes open = {n, lanes->index || n < lanes->n ? index : NULL};
    if (n && !evaluate(environment, expr->b, &open, depth + 1, &b))
        return false;
    int64_t *out = scratch_at(environment, depth);
    merge(out, lanes->n, decided, &b, position, n);
    *value = (struct value){out, 0};
    return true;
}

static bool apply_servers(struct environment *environment, const struct expr *expr,
                          const struct lanes *lanes, uint32_t depth, struct value *a,
                          const struct value *b)
{
    const bool varies = a->lane || b->lane;
    int64_t *out = scratch_at(environment, depth);
    for (uint32_t i = 0; i < (varies ? lanes->n : 1); i++)
        if (!servers_groups_before(&environment->servers, value_at(a, i), value_at(b, i), &out[i]))
            return explain(environment, expr, lanes);
    *a = (struct value){varies ? out : NULL, varies ? 0 : out[0]};
    return true;
}

static bool apply(struct environment *environment, const struct expr *expr,
                  const struct lanes *lanes, uint32_t depth, struct value *a, const struct value *b)
{
    if (!a->lane && !b->lane) {
        const int64_t left = a->scalar;
        return arithmetic_apply(expr->kind, left, b->scalar, &a->scalar) ||
               explain(environment, expr, lanes);
    }
    int64_t *out = scratch_at(environment, depth);
    if (!arithmetic_lanes(expr->kind, a, b, lanes->n, out))
        return explain(environment, expr, lanes);
    *a = (struct value){out, 0};
    return true;
}

/* The operands that come after the first one, which is `value`. */
static bool apply_grid(struct environment *environment, const struct expr *expr,
                       const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct value operands[3] = {*value};
    bool varies = value->lane;
    const struct expr *const rest[] = {expr->b, expr->c};
    for (uint32_t i = 0; i < 2 && rest[i]; i++) {
        if (!evaluate(environment, rest[i], lanes, depth + 1 + i, &operands[i + 1]))
            return false;
        varies = varies || operands[i + 1].lane;
    }
    int64_t *out = scratch_at(environment, depth);
    if (!rank_grid_lanes(&environment->grid, expr->kind, operands, varies ? lanes->n : 1, out))
        return explain(environment, expr, lanes);
    *value = (struct value){varies ? out : NULL, varies ? 0 : out[0]};
    return true;
}

bool evaluate(struct environment *environment, const struct expr *expr, const struct lanes *lanes,
              uint32_t depth, struct value *value)
{
    struct value b = {0};
    if (depth >= MAX_SCRATCH)
        return fail(environment, CODE_E010, expr->position, -1, "expression is nested too deep");
    if (expr->kind == EXPR_INTEGER) {
        *value = (struct value){NULL, expr->integer};
        return true;
    }
    if (expr->kind == EXPR_VARIABLE) {
        *value = variable_value(environment, expr, lanes, depth);
        return true;
    }
    if (!evaluate(environment, expr->a, lanes, depth, value))
        return false;
    if (is_grid_function(expr->kind))
        return apply_grid(environment, expr, lanes, depth, value);
    if (expr->kind == EXPR_AND || expr->kind == EXPR_OR) {
        if (value->lane)
            return short_circuit(environment, expr, lanes, depth, value);
        if (is_decided(expr->kind, value->scalar)) {
            value->scalar = expr->kind == EXPR_OR;
            return true;
        }
    }
    if (expr->b && !evaluate(environment, expr->b, lanes, depth + 1, &b))
        return false;
    return expr->kind == EXPR_GROUPS_BEFORE
               ? apply_servers(environment, expr, lanes, depth, value, &b)
               : apply(environment, expr, lanes, depth, value, &b);
}

void assign_uniform(struct environment *environment, uint32_t variable, int64_t value)
{
    struct slot *slot = &environment->slots[variable];
    slot->varies = slot->is_per_rank = false;
    slot->scalar = value;
}

void assign_lanes(struct environment *environment, uint32_t variable, const struct lanes *lanes,
                  const struct value *value)
{
    struct slot *slot = &environment->slots[variable];
    if (!value->lane) {
        assign_uniform(environment, variable, value->scalar);
        return;
    }
    if (!slot->block)
        slot->block = mem_alloc(BLOCK_LANES, sizeof(int64_t));
    slot->varies = true;
    slot->is_per_rank = false;
    slot->lane = slot->block;
    for (uint32_t i = 0; i < lanes->n; i++)
        slot->block[lane_at(lanes, i)] = value->lane[i];
}
