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
#include "compiler/passes/variables.h"

#include "base/codes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct environment *environment_new(const struct program *program, struct diagnostics *diagnostics)
{
    struct environment *environment = mem_alloc(1, sizeof *environment);
    environment->program = program;
    environment->diagnostics = diagnostics;
    environment->n_slots = program->n_variables;
    environment->slots = mem_alloc(program->n_variables, sizeof *environment->slots);
    return environment;
}

void environment_free(struct environment *environment)
{
    if (!environment)
        return;
    for (uint32_t i = 0; i < environment->n_slots; i++) {
        free(environment->slots[i].block);
        free(environment->slots[i].all);
        free(environment->slots[i].memo);
    }
    for (unsigned i = 0; i < MAX_SCRATCH; i++)
        free(environment->scratch[i]);
    servers_free(&environment->servers);
    circulant_free(&environment->circulant);
    free(environment->slots);
    free(environment);
}

bool evaluate_fail(struct environment *environment, uint32_t code, struct position position, int64_t rank,
                   const char *format, ...)
{
    va_list args;
    if (environment->is_trial)
        return false;
    va_start(args, format);
    const char *message = arena_vprintf(&environment->diagnostics->arena, format, args);
    va_end(args);
    environment->fault = (struct fault){code, position, rank, message, NULL, false};
    if (code == CODE_E007)
        environment->fault.help =
            "keep its operands in range, such as by 'max(k - 1, 1)', by an 'if' around it, or by 'requires'";
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
                                 const int64_t operand[3])
{
    static const struct {
        const char *text;
        bool is_function;
    } spelling[N_EXPR_KINDS] = {
        [EXPR_NEGATE] = {"-", true},
#define BINARY(kind, spelling, precedence, right, meaning) [EXPR_##kind] = {spelling, false},
#define FUNCTION(kind, name, arity, meaning) [EXPR_##kind] = {#name, true},
#include "ir/program.def"
    };
    const char *text = spelling[expr->kind].text;
    const long long a = operand[0], b = operand[1], c = operand[2];
    if (!spelling[expr->kind].is_function)
        return diagnostics_text(environment->diagnostics, "%lld %s %lld", a, text, b);
    if (expr->c)
        return diagnostics_text(environment->diagnostics, "%s(%lld, %lld, %lld)", text, a, b, c);
    if (expr->b)
        return diagnostics_text(environment->diagnostics, "%s(%lld, %lld)", text, a, b);
    return diagnostics_text(environment->diagnostics, "%s(%lld)", text, a);
}

/* The checker has said so before, of what must be uniform: this is no news to anybody, and no message is
 * formatted each time that a step asks. */
static bool fail_varying(struct environment *environment, const struct expr *expr)
{
    if (!environment->is_trial)
        environment->fault = (struct fault){CODE_E006, expr->position, -1, "a value depends on the rank", NULL, false};
    return false;
}

static bool fail_arithmetic(struct environment *environment, const struct expr *expr, int64_t rank,
                            const int64_t operand[3])
{
    const char *text = expression_text(environment, expr);
    if (is_grid_function(expr->kind))
        return evaluate_fail(environment, CODE_E007, expr->position, rank,
                             "'%s' names a dimension below 0: %lld", text,
                             (long long)operand[expr->kind == EXPR_EXTENT ? 0 : 1]);
    const char *reason = expr->kind == EXPR_GROUPS_BEFORE     ? "is of no server or group"
                         : is_neighbor_function(expr->kind)   ? "is of no neighbour"
                         : expr->kind == EXPR_CIRCULANT_BLOCK ? "is of no rank or round"
                         : expr->kind == EXPR_REVERSE_DIGITS
                             ? "is no number of such digits"
                             : arithmetic_reason(expr->kind, operand[0], operand[1]);
    return evaluate_fail(environment, CODE_E007, expr->position, rank, "'%s' %s: %s", text, reason,
                         operator_text(environment, expr, operand));
}

/* The functions that are evaluated lane by lane, of up to three operands. */
static bool is_lanewise(enum expr_kind kind)
{
    return is_grid_function(kind) || is_neighbor_function(kind) || kind == EXPR_GROUPS_BEFORE ||
           kind == EXPR_REVERSE_DIGITS || kind == EXPR_CIRCULANT_BLOCK;
}

static bool apply_one(struct environment *environment, enum expr_kind kind,
                      const int64_t operand[3], int64_t *result)
{
    if (is_grid_function(kind))
        return rank_grid_apply(&environment->grid, kind, operand, result);
    if (is_neighbor_function(kind))
        return neighborhood_apply(environment->neighbors, kind, operand, result);
    if (kind == EXPR_GROUPS_BEFORE)
        return servers_groups_before(&environment->servers, operand[0], operand[1], result);
    if (kind == EXPR_REVERSE_DIGITS)
        return arithmetic_reverse_digits(operand[0], operand[1], operand[2], result);
    if (kind == EXPR_CIRCULANT_BLOCK)
        return circulant_block(operand[0], operand[1], operand[2], result);
    return arithmetic_apply(kind, operand[0], operand[1], result);
}

/* Does `a and b`, `a or b` have its value whatever b is? */
static bool is_decided(enum expr_kind kind, int64_t a)
{
    return (kind == EXPR_AND && !a) || (kind == EXPR_OR && a);
}

static bool evaluate_one(struct environment *environment, const struct expr *expr, int64_t lane,
                         int64_t *result);

/* Returns the operand of a choice that it has the value of. */
static const struct expr *chosen(const struct expr *choice, int64_t condition)
{
    return condition ? choice->b : choice->c;
}

static bool evaluate_variable(struct environment *environment, const struct expr *expr,
                              int64_t lane, int64_t *result)
{
    const struct slot *slot = &environment->slots[expr->variable];
    const struct expr *own = NULL;
    if (slot->kind != SLOT_UNIFORM && lane < 0)
        return fail_varying(environment, expr);
    *result = slot->kind == SLOT_UNIFORM
                  ? slot->scalar
                  : variable_at(environment, expr->variable, (uint32_t)lane, &own);
    return !own || evaluate_one(environment, own, lane, result);
}

/* The value at one lane, or, lane < 0, one that may not differ between them. */
static bool evaluate_one(struct environment *environment, const struct expr *expr, int64_t lane,
                         int64_t *result)
{
    int64_t operand[3] = {0};
    if (expr->kind == EXPR_INTEGER) {
        *result = expr->integer;
        return true;
    }
    if (expr->kind == EXPR_VARIABLE)
        return evaluate_variable(environment, expr, lane, result);
    if (!evaluate_one(environment, expr->a, lane, &operand[0]))
        return false;
    if (expr->kind == EXPR_CHOICE)
        return evaluate_one(environment, chosen(expr, operand[0]), lane, result);
    if (!is_decided(expr->kind, operand[0]) && expr->b &&
        !evaluate_one(environment, expr->b, lane, &operand[1]))
        return false;
    if (expr->c && !evaluate_one(environment, expr->c, lane, &operand[2]))
        return false;
    return apply_one(environment, expr->kind, operand, result) ||
           fail_arithmetic(environment, expr,
                           lane < 0 ? -1 : (int64_t)environment_rank(environment, (uint32_t)lane), operand);
}

static bool compute_scalar(struct environment *environment, const struct expr *expr, int64_t *value);

/* Numbers and variables without a call. */
static inline bool scalar_of(struct environment *environment, const struct expr *expr, int64_t *value)
{
    if (expr->kind == EXPR_INTEGER) {
        *value = expr->integer;
        return true;
    }
    if (expr->kind != EXPR_VARIABLE)
        return compute_scalar(environment, expr, value);
    *value = environment->slots[expr->variable].scalar;
    return environment->slots[expr->variable].kind == SLOT_UNIFORM;
}

/* Evaluates an operator or a function on scalars. */
static bool compute_scalar(struct environment *environment, const struct expr *expr, int64_t *value)
{
    int64_t operand[3] = {0};
    if (!scalar_of(environment, expr->a, &operand[0]))
        return false;
    if (expr->kind == EXPR_CHOICE)
        return scalar_of(environment, chosen(expr, operand[0]), value);
    if (expr->b && !is_decided(expr->kind, operand[0]) && !scalar_of(environment, expr->b, &operand[1]))
        return false;
    if (expr->c && !scalar_of(environment, expr->c, &operand[2]))
        return false;
    return expr->kind == EXPR_ADD   ? !__builtin_add_overflow(operand[0], operand[1], value)
           : expr->kind == EXPR_SUB ? !__builtin_sub_overflow(operand[0], operand[1], value)
                                    : apply_one(environment, expr->kind, operand, value);
}

bool evaluate_scalar(struct environment *environment, const struct expr *expr, int64_t *value)
{
    return scalar_of(environment, expr, value);
}

bool evaluate_uniform(struct environment *environment, const struct expr *expr, int64_t *value)
{
    return evaluate_scalar(environment, expr, value) || evaluate_one(environment, expr, -1, value);
}

/* Finds the first lane on which the expression fails, after it did. */
static bool evaluate_explain(struct environment *environment, const struct expr *expr,
                             const struct lanes *lanes)
{
    int64_t ignored;
    for (uint32_t i = 0; !environment->is_trial && i < lanes->n; i++)
        if (!evaluate_one(environment, expr, lane_at(lanes, i), &ignored))
            return false;
    return evaluate_fail(environment, CODE_E007, expr->position, -1, "'%s' has no value",
                         expression_text(environment, expr));
}

int64_t *evaluate_scratch(struct environment *environment, uint32_t depth)
{
    assert(depth < MAX_SCRATCH); /* the nesting of expressions is bounded by the reader */
    if (!environment->scratch[depth])
        environment->scratch[depth] = mem_alloc(BLOCK_LANES, sizeof(int64_t));
    return environment->scratch[depth];
}

/* Eight bytes, 0 or 1, as bits, the first one lowest: a product moves them together. */
static inline uint32_t bits_of_bytes(const uint8_t byte[8])
{
    uint64_t word;
    memcpy(&word, byte, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        word = __builtin_bswap64(word);
    return (uint32_t)(word * UINT64_C(0x0102040810204080) >> 56);
}

/* Returns which of GROUP lanes are true, bit by bit; without a branch if the values are 0 and 1, so that the
 * compiler uses vectors. */
enum { GROUP = 32 };
__attribute__((always_inline)) static inline uint32_t true_lanes(const int64_t *value)
{
    uint8_t is_true[GROUP];
    uint64_t any = 0;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < GROUP; i++) {
        any |= (uint64_t)value[i];
        is_true[i] = (uint8_t)value[i];
    }
    for (uint32_t i = 0; any > 1 && i < GROUP; i++)
        is_true[i] = value[i] != 0;
    for (uint32_t i = 0; any && i < GROUP; i += 8)
        bits |= bits_of_bytes(is_true + i) << i;
    return bits;
}

/* Writes the lanes whose value, [position in lanes], is true (or false), ascending; returns
 * how many. `out` may be the index of the lanes. */
static uint32_t find_lanes(const int64_t *value, const struct lanes *lanes, bool wanted,
                           uint16_t *out)
{
    uint32_t count = 0, first = 0;
    for (; lanes->n - first >= GROUP; first += GROUP) {
        uint32_t found = true_lanes(value + first);
        found = wanted ? found : ~found;
        for (uint32_t i = 0; found == UINT32_MAX && i < GROUP; i++)
            out[count + i] = (uint16_t)lane_at(lanes, first + i);
        count += found == UINT32_MAX ? GROUP : 0;
        for (; found != UINT32_MAX && found; found &= found - 1)
            out[count++] = (uint16_t)lane_at(lanes, first + (uint32_t)__builtin_ctz(found));
    }
    for (; first < lanes->n; first++) {
        out[count] = (uint16_t)lane_at(lanes, first);
        count += (value[first] != 0) == wanted;
    }
    return count;
}

/* n lanes, ascending. */
static struct lanes lanes_of(const uint16_t *index, uint32_t n)
{
    if (n && index[n - 1] - index[0] == (int)n - 1)
        return (struct lanes){n, NULL, index[0]};
    return (struct lanes){n, index, 0};
}

struct lanes evaluate_select_lanes(const struct lanes *lanes, const struct value *condition, bool wanted,
                                   uint16_t index[BLOCK_LANES])
{
    if (!condition->lane)
        return (condition->scalar != 0) == wanted ? *lanes : (struct lanes){0, NULL, 0};
    return lanes_of(index, find_lanes(condition->lane, lanes, wanted, index));
}

/* The value of a condition, where bounds decide it without looking at the lanes; one lane is as quick. */
static bool evaluate_condition(struct environment *environment, const struct expr *expr,
                               const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct range range;
    if (lanes->n == 1 || !evaluate_range(environment, expr, depth, &range) ||
        !(range_is_false(range) || range_is_true(range)))
        return evaluate(environment, expr, lanes, depth, value);
    *value = (struct value){NULL, range_is_true(range)};
    return true;
}

/* Returns the lanes from low to before end. */
static struct lanes lanes_between(const struct lanes *lanes, int64_t low, int64_t end)
{
    const int64_t first = lanes->first, beyond = first + lanes->n;
    uint32_t before = 0, n = 0;
    if (!lanes->index) {
        low = low < first ? first : low;
        end = end > beyond ? beyond : end;
        n = low < end ? (uint32_t)(end - low) : 0;
        return (struct lanes){n, NULL, (uint32_t)low};
    }
    for (uint32_t i = 0; i < lanes->n; i++) {
        before += lanes->index[i] < low;
        n += lanes->index[i] >= low && lanes->index[i] < end;
    }
    return (struct lanes){n, lanes->index + before, 0};
}

/* Comparisons that are true on lanes in a row, and what they are with their sides exchanged. */
static const enum expr_kind mirrored[N_EXPR_KINDS] = {
    [EXPR_EQ] = EXPR_EQ, [EXPR_LT] = EXPR_GT, [EXPR_LE] = EXPR_GE,
    [EXPR_GT] = EXPR_LT, [EXPR_GE] = EXPR_LE};

/* Returns the lanes i with i < at, i == at ... */
static struct lanes evaluate_solve(enum expr_kind kind, int64_t at, const struct lanes *lanes)
{
    const bool is_equal = kind == EXPR_EQ;
    const int64_t low = kind == EXPR_GT ? at + 1 : kind == EXPR_GE || is_equal ? at : 0;
    const int64_t end = kind == EXPR_LT ? at : kind == EXPR_LE || is_equal ? at + 1 : INT64_MAX;
    return lanes_between(lanes, low, end);
}

/* A comparison whose bounds decide it for all lanes, or of what has a slope with one number, which
 * is true on lanes in a row: none of them is looked at. */
static bool is_solved(struct environment *environment, const struct expr *condition,
                      const struct lanes *lanes, struct lanes *selected)
{
    enum expr_kind kind = condition->kind;
    struct range a, b, truth;
    int64_t at;
    if (!evaluate_range(environment, condition->a, 0, &a) ||
        !evaluate_range(environment, condition->b, 0, &b) || !range_apply(kind, a, b, &truth))
        return false;
    if (range_is_one(truth)) {
        *selected = truth.low ? *lanes : (struct lanes){0, NULL, 0};
        return true;
    }
    if (b.slope) {
        const struct range one = a;
        a = b;
        b = one;
        kind = mirrored[kind];
    }
    if (!a.slope || !range_is_one(b) ||
        __builtin_sub_overflow(a.slope > 0 ? b.low : a.high, a.slope > 0 ? a.low : b.low, &at))
        return false;
    if (a.slope < 0)
        kind = mirrored[kind];
    *selected = evaluate_solve(kind, at, lanes);
    return true;
}

bool evaluate_select_where(struct environment *environment, const struct expr *condition,
                           const struct lanes *lanes, uint16_t index[BLOCK_LANES], struct lanes *selected)
{
    const bool is_comparison = mirrored[condition->kind];
    struct value value;
    if (is_comparison && is_solved(environment, condition, lanes, selected))
        return true;
    if (condition->kind == EXPR_AND) {
        struct lanes open;
        if (!evaluate_select_where(environment, condition->a, lanes, index, &open))
            return false;
        *selected = open;
        return open.n == 0 || evaluate_select_where(environment, condition->b, &open, index, selected);
    }
    if (!(is_comparison ? evaluate : evaluate_condition)(environment, condition, lanes, 0, &value))
        return false;
    *selected = evaluate_select_lanes(lanes, &value, true, index);
    return true;
}

bool evaluate_select_ranks(struct environment *environment, const struct expr *condition, struct lanes *ranks)
{
    if (condition->kind == EXPR_AND)
        return evaluate_select_ranks(environment, condition->a, ranks) &&
               (ranks->n == 0 || evaluate_select_ranks(environment, condition->b, ranks));
    environment->is_whole = true;
    const bool done = mirrored[condition->kind] && is_solved(environment, condition, ranks, ranks);
    environment->is_whole = false;
    return done;
}

/* Truth values of b at the given positions, the others as decided by a. */
static void evaluate_merge(int64_t *out, uint32_t n, bool decided, const struct value *b,
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
    const struct lanes all = {lanes->n, NULL, 0};
    const uint32_t n = find_lanes(value->lane, &all, !decided, position);
    for (uint32_t i = 0; i < n; i++)
        index[i] = (uint16_t)lane_at(lanes, position[i]);
    const struct lanes open = lanes_of(index, n);
    if (n && !evaluate(environment, expr->b, &open, depth + 1, &b))
        return false;
    int64_t *out = evaluate_scratch(environment, depth);
    evaluate_merge(out, lanes->n, decided, &b, position, n);
    *value = (struct value){out, 0};
    return true;
}

static bool apply(struct environment *environment, const struct expr *expr,
                  const struct lanes *lanes, uint32_t depth, struct value *a, const struct value *b)
{
    if (!a->lane && !b->lane) {
        const int64_t left = a->scalar;
        return arithmetic_apply(expr->kind, left, b->scalar, &a->scalar) ||
               evaluate_explain(environment, expr, lanes);
    }
    int64_t *out = evaluate_scratch(environment, depth);
    if (!arithmetic_lanes(expr->kind, a, b, lanes->n, out))
        return evaluate_explain(environment, expr, lanes);
    *a = (struct value){out, 0};
    return true;
}

static bool function_lanes(struct environment *environment, enum expr_kind kind,
                           const struct value operand[3], uint32_t n, int64_t *out)
{
    bool done = true;
    if (is_grid_function(kind))
        return rank_grid_lanes(&environment->grid, kind, operand, n, out);
    if (kind == EXPR_CIRCULANT_BLOCK && !operand[0].lane && !operand[2].lane)
        return circulant_blocks(&environment->circulant, operand[0].scalar, &operand[1],
                                operand[2].scalar, n, out);
    for (uint32_t i = 0; i < n && done; i++) {
        const int64_t own[] = {value_at(&operand[0], i), value_at(&operand[1], i),
                               value_at(&operand[2], i)};
        done = apply_one(environment, kind, own, &out[i]);
    }
    return done;
}

/* An operand: numbers and variables that are the same everywhere without a call. */
static inline bool evaluate_operand(struct environment *environment, const struct expr *expr,
                                    const struct lanes *lanes, uint32_t depth, struct value *value)
{
    const struct slot *slot = expr->kind == EXPR_VARIABLE ? &environment->slots[expr->variable] : NULL;
    const bool is_uniform = slot && slot->kind == SLOT_UNIFORM;
    if (!is_uniform && expr->kind != EXPR_INTEGER)
        return evaluate(environment, expr, lanes, depth, value);
    *value = (struct value){NULL, is_uniform ? slot->scalar : expr->integer};
    return true;
}

/* A function lane by lane; `value` is its first operand. */
static bool apply_lanewise(struct environment *environment, const struct expr *expr,
                           const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct value operands[3] = {*value};
    bool varies = value->lane;
    const struct expr *const rest[] = {expr->b, expr->c};
    for (uint32_t i = 0; i < 2 && rest[i]; i++) {
        if (!evaluate_operand(environment, rest[i], lanes, depth + 1 + i, &operands[i + 1]))
            return false;
        varies = varies || operands[i + 1].lane;
    }
    int64_t *out = evaluate_scratch(environment, depth);
    if (!function_lanes(environment, expr->kind, operands, varies ? lanes->n : 1, out))
        return evaluate_explain(environment, expr, lanes);
    *value = (struct value){varies ? out : NULL, varies ? 0 : out[0]};
    return true;
}

/* and, or; where b has a value on all lanes it is evaluated for all of them, by vectors. */
static bool evaluate_logic(struct environment *environment, const struct expr *expr,
                           const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct range range;
    struct value b;
    if (!evaluate_condition(environment, expr->a, lanes, depth, value))
        return false;
    if (!value->lane && is_decided(expr->kind, value->scalar)) {
        value->scalar = expr->kind == EXPR_OR;
        return true;
    }
    if (value->lane && !evaluate_range(environment, expr->b, depth + 1, &range))
        return short_circuit(environment, expr, lanes, depth, value);
    return evaluate_condition(environment, expr->b, lanes, depth + 1, &b) &&
           apply(environment, expr, lanes, depth, value, &b);
}

/* Evaluates an operand of a choice on the lanes where it is the value, [position] of which there are n, and
 * puts it there. */
static bool choose_lanes(struct environment *environment, const struct expr *expr, const struct lanes *lanes,
                         uint32_t depth, const uint16_t *position, uint32_t n, int64_t *out)
{
    uint16_t index[BLOCK_LANES];
    struct value value;
    for (uint32_t i = 0; i < n; i++)
        index[i] = (uint16_t)lane_at(lanes, position[i]);
    const struct lanes own = lanes_of(index, n);
    if (!n)
        return true;
    if (!evaluate(environment, expr, &own, depth, &value))
        return false;
    for (uint32_t i = 0; i < n; i++)
        out[position[i]] = value_at(&value, i);
    return true;
}

/* A choice whose condition differs between lanes, and whose operands need not have a value where they are not
 * taken. */
static bool choose_apart(struct environment *environment, const struct expr *choice,
                         const struct lanes *lanes, uint32_t depth, const int64_t *condition, int64_t *out)
{
    uint16_t yes[BLOCK_LANES], no[BLOCK_LANES];
    const struct lanes all = {lanes->n, NULL, 0};
    const uint32_t n_yes = find_lanes(condition, &all, true, yes),
                   n_no = find_lanes(condition, &all, false, no);
    return choose_lanes(environment, choice->b, lanes, depth + 1, yes, n_yes, out) &&
           choose_lanes(environment, choice->c, lanes, depth + 1, no, n_no, out);
}

VECTORISED static void choose_each(const int64_t *condition, const struct value *b, const struct value *c,
                                   uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = condition[i] ? value_at(b, i) : value_at(c, i);
}

/* Evaluates both operands for all lanes, by vectors, if they have a value on all of them. */
static bool evaluate_choice(struct environment *environment, const struct expr *expr,
                            const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct range range;
    struct value b, c;
    if (!evaluate_condition(environment, expr->a, lanes, depth, value))
        return false;
    if (!value->lane)
        return evaluate(environment, chosen(expr, value->scalar), lanes, depth, value);
    int64_t *out = evaluate_scratch(environment, depth);
    if (!evaluate_range(environment, expr->b, depth + 1, &range) ||
        !evaluate_range(environment, expr->c, depth + 1, &range)) {
        const int64_t *condition = value->lane;
        if (!choose_apart(environment, expr, lanes, depth, condition, out))
            return false;
    } else {
        if (!evaluate(environment, expr->b, lanes, depth + 1, &b) ||
            !evaluate(environment, expr->c, lanes, depth + 2, &c))
            return false;
        choose_each(value->lane, &b, &c, lanes->n, out);
    }
    *value = (struct value){out, 0};
    return true;
}

static bool fail_depth(struct environment *environment, const struct expr *expr)
{
    return evaluate_fail(environment, CODE_E010, expr->position, -1, "expression is nested too deep");
}

bool evaluate(struct environment *environment, const struct expr *expr, const struct lanes *lanes,
              uint32_t depth, struct value *value)
{
    struct value b = {0};
    if (depth >= MAX_SCRATCH)
        return fail_depth(environment, expr);
    if (expr->kind == EXPR_INTEGER) {
        *value = (struct value){NULL, expr->integer};
        return true;
    }
    if (expr->kind == EXPR_VARIABLE)
        return variables_value(environment, expr, lanes, depth, value);
    if (expr->kind == EXPR_AND || expr->kind == EXPR_OR)
        return evaluate_logic(environment, expr, lanes, depth, value);
    if (expr->kind == EXPR_CHOICE)
        return evaluate_choice(environment, expr, lanes, depth, value);
    if (!evaluate_operand(environment, expr->a, lanes, depth, value))
        return false;
    if (is_lanewise(expr->kind))
        return apply_lanewise(environment, expr, lanes, depth, value);
    if (expr->b && !evaluate_operand(environment, expr->b, lanes, depth + 1, &b))
        return false;
    return apply(environment, expr, lanes, depth, value, &b);
}

/* Functions of the grid and of the servers give numbers up to that of the ranks, if they have
 * a value: a dimension must not be below 0, and there are groups before a server only. */
static bool range_of_function(const struct environment *environment, const struct expr *expr,
                              struct range a, struct range b, struct range *range)
{
    const int64_t dimension = expr->kind == EXPR_EXTENT ? a.low : b.low;
    const struct placement *placement = environment->servers.placement;
    *range = range_between(0, environment->grid.n_ranks);
    if (expr->kind == EXPR_GROUPS_BEFORE) {
        *range = range_between(0, placement ? placement->n_ranks : 0);
        return placement && a.low >= 0 && b.low >= 1 && a.high <= placement->n_servers;
    }
    return environment->grid.n_ranks > 0 &&
           (expr->kind == EXPR_DISPLACE || expr->kind == EXPR_ROTATE || dimension >= 0);
}

/* Bounds a choice by the operand that is taken, or by both. */
static bool range_of_choice(struct environment *environment, const struct expr *expr, uint32_t depth,
                            struct range condition, struct range *range)
{
    struct range c;
    if (range_is_true(condition) || range_is_false(condition))
        return evaluate_range(environment, chosen(expr, range_is_true(condition)), depth, range);
    if (!evaluate_range(environment, expr->b, depth, range) ||
        !evaluate_range(environment, expr->c, depth, &c))
        return false;
    *range =
        range_between(range->low < c.low ? range->low : c.low, range->high > c.high ? range->high : c.high);
    return true;
}

bool evaluate_range(struct environment *environment, const struct expr *expr, uint32_t depth,
                    struct range *range)
{
    struct range a, b = range_of_one(0), c;
    const bool is_and = expr->kind == EXPR_AND, is_or = expr->kind == EXPR_OR;
    if (expr->kind == EXPR_VARIABLE)
        return variable_range(environment, expr->variable, depth, range);
    *range = range_of_one(expr->integer);
    if (expr->kind == EXPR_INTEGER)
        return true;
    if (!evaluate_range(environment, expr->a, depth, &a))
        return false;
    if (expr->kind == EXPR_CHOICE)
        return range_of_choice(environment, expr, depth, a, range);
    *range = range_of_one(is_or);
    if ((is_and && range_is_false(a)) || (is_or && range_is_true(a)))
        return true;
    if ((expr->b && !evaluate_range(environment, expr->b, depth, &b)) ||
        (expr->c && !evaluate_range(environment, expr->c, depth, &c)))
        return false;
    return is_grid_function(expr->kind) || expr->kind == EXPR_GROUPS_BEFORE
               ? range_of_function(environment, expr, a, b, range)
               : range_apply(expr->kind, a, b, range);
}
