/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of variables. See variables.h.
 *
 * A `let` whose bounds show that it cannot fail is deferred: where every condition that
 * guards its uses is false, it costs nothing. Read by few of its lanes it is evaluated for
 * these alone, and otherwise once for all.
 *
 * A fixed variable is evaluated for whole blocks, lanes included that have no use for it and
 * may have no value. Then the block is marked and the expression evaluated as it stands.
 */
#include "compiler/passes/variables.h"

#include <string.h>

/* A deferred variable is read by that of another no deeper than this. */
enum { MAX_CHAIN = 16 };
/* A deferred value is evaluated for the wanted lanes only if they are at most one in FEW of its lanes; each
 * variable that is evaluated for it counts as once more. */
enum { FEW = 8 };
/* So many lanes, or fewer, are evaluated as quickly as their bounds. */
enum { FEW_LANES = 8 };

struct lanes variables_block_lanes(const struct environment *environment)
{
    const uint32_t left = environment->n_ranks - environment->block_first;
    return (struct lanes){left < BLOCK_LANES ? left : BLOCK_LANES, NULL, 0};
}

static uint32_t n_blocks(const struct environment *environment)
{
    return (environment->n_ranks - 1) / BLOCK_LANES + 1;
}

static struct block_memo *memo_of(const struct environment *environment, const struct slot *slot)
{
    return &slot->memo[environment->block_first / BLOCK_LANES];
}

/* --- setting ---------------------------------------------------------- */

void variables_assign_uniform(struct environment *environment, uint32_t variable, int64_t value)
{
    struct slot *slot = &environment->slots[variable];
    slot->kind = SLOT_UNIFORM;
    slot->scalar = value;
}

void variables_assign_lanes(struct environment *environment, uint32_t variable, const struct lanes *lanes,
                            const struct value *value)
{
    struct slot *slot = &environment->slots[variable];
    if (!value->lane) {
        variables_assign_uniform(environment, variable, value->scalar);
        return;
    }
    if (!slot->block)
        slot->block = mem_alloc(BLOCK_LANES, sizeof(int64_t));
    slot->kind = SLOT_LANES;
    slot->range = range_between(INT64_MIN, INT64_MAX);
    if (!lanes->index)
        memmove(slot->block + lanes->first, value->lane, lanes->n * sizeof *slot->block);
    for (uint32_t i = 0; lanes->index && i < lanes->n; i++)
        slot->block[lanes->index[i]] = value->lane[i];
}

void variables_bound(struct environment *environment, uint32_t variable, struct range range)
{
    struct slot *slot = &environment->slots[variable];
    if (slot->kind == SLOT_FIXED)
        return;
    slot->kind = SLOT_LANES;
    slot->range = range;
}

static size_t repeats_of(const struct environment *environment)
{
    return environment->n_repeats ? environment->n_repeats : 1;
}

static void variables_make_room(struct environment *environment, struct slot *slot)
{
    if (slot->all)
        return;
    slot->all = mem_alloc(repeats_of(environment) * environment->n_ranks, sizeof *slot->all);
    slot->memo = mem_alloc(n_blocks(environment) + 1, sizeof *slot->memo);
}

void variable_of_ranks(struct environment *environment, uint32_t variable)
{
    struct slot *slot = &environment->slots[variable];
    variables_make_room(environment, slot);
    slot->kind = SLOT_RANKS;
}

static void keep_block(struct environment *environment, struct slot *slot, const struct value *value)
{
    const uint32_t n = variables_block_lanes(environment).n;
    int64_t *all = slot->all + environment->block_first;
    for (uint32_t i = 0; i < n; i++)
        all[i] = value_at(value, i);
    for (size_t i = n; i < environment->n_repeats * (size_t)n; i++)
        all[i] = all[i - n];
    *memo_of(environment, slot) = (struct block_memo){MEMO_READY, range_of_lanes(all, n)};
    if (environment->n_repeats)
        memo_of(environment, slot)->range.slope = 0;
    slot->memo[n_blocks(environment)].state = MEMO_UNKNOWN;
}

void variables_assign_block(struct environment *environment, uint32_t variable, const struct value *value)
{
    keep_block(environment, &environment->slots[variable], value);
}

/* --- fixed ------------------------------------------------------------ */

/* True if the variable has its values in this block, evaluating them if that was not tried yet. */
static bool has_block(struct environment *environment, struct slot *slot, uint32_t depth)
{
    const struct lanes lanes = variables_block_lanes(environment);
    const bool was_trial = environment->is_trial;
    struct value value;
    variables_make_room(environment, slot);
    struct block_memo *memo = memo_of(environment, slot);
    if (memo->state == MEMO_UNKNOWN) {
        environment->is_trial = true;
        if (evaluate(environment, slot->expr, &lanes, depth, &value))
            keep_block(environment, slot, &value);
        else
            memo->state = MEMO_FAILED;
        environment->is_trial = was_trial;
    }
    return memo->state == MEMO_READY;
}

/* Gives a `let` its values on the whole block, or, where some lane has none, on its own lanes only. */
static bool let_fixed(struct environment *environment, struct slot *slot, const struct lanes *lanes)
{
    struct value value;
    if (has_block(environment, slot, 0))
        return true;
    if (!evaluate(environment, slot->expr, lanes, 0, &value))
        return false;
    const size_t n = environment->n_ranks, end = repeats_of(environment) * n;
    for (uint32_t i = 0; i < lanes->n; i++)
        for (size_t at = environment->block_first + lane_at(lanes, i); at < end; at += n)
            slot->all[at] = value_at(&value, i);
    return true;
}

/* --- deferred --------------------------------------------------------- */

/* Adds to `needs` what the evaluation of an expression at a depth needs: `chain`, `reads`, and the depth that
 * it reaches. */
static void variables_measure(const struct environment *environment, const struct expr *expr, uint32_t depth,
                              struct slot *needs)
{
    const struct slot *read = expr->kind == EXPR_VARIABLE ? &environment->slots[expr->variable] : NULL;
    const bool is_deferred = read && read->kind == SLOT_DEFERRED;
    const uint32_t reached = depth + (is_deferred ? read->depth : 1);
    const struct expr *const operands[] = {expr->a, expr->b, expr->c};
    needs->depth = reached > needs->depth ? reached : needs->depth;
    if (is_deferred && read->chain > needs->chain)
        needs->chain = read->chain;
    if (is_deferred && needs->reads < BLOCK_LANES)
        needs->reads += 1 + read->reads;
    for (uint32_t i = 0; i < 3 && operands[i]; i++)
        variables_measure(environment, operands[i], depth + i, needs);
}

/* Evaluates at once a `let` that few lanes read. */
static bool let_of_few(struct environment *environment, uint32_t variable, const struct expr *expr,
                       const struct lanes *lanes)
{
    struct value value;
    if (!evaluate(environment, expr, lanes, 0, &value))
        return false;
    if (lanes->n == 1 || !value.lane) {
        variables_assign_uniform(environment, variable, value_at(&value, 0));
        return true;
    }
    variables_assign_lanes(environment, variable, lanes, &value);
    environment->slots[variable].range = range_of_few(value.lane, lanes->n);
    return true;
}

/* Reads of other deferred variables add up: in time and in depth. */
static bool can_wait(const struct environment *environment, const struct expr *expr,
                     struct slot *needs)
{
    variables_measure(environment, expr, 0, needs);
    needs->chain++;
    return needs->chain <= MAX_CHAIN && needs->depth <= MAX_SCRATCH / 2;
}

bool variables_let(struct environment *environment, uint32_t variable, const struct expr *expr,
                   const struct lanes *lanes)
{
    struct slot *slot = &environment->slots[variable], needs = {0};
    struct range range;
    struct value value;
    if (slot->kind == SLOT_FIXED)
        return let_fixed(environment, slot, lanes);
    if (lanes->n > 1 && evaluate_scalar(environment, expr, &value.scalar)) {
        variables_assign_uniform(environment, variable, value.scalar);
        return true;
    }
    if (lanes->n <= FEW_LANES)
        return let_of_few(environment, variable, expr, lanes);
    const bool is_known = evaluate_range(environment, expr, 0, &range);
    if (is_known && range_is_one(range))
        variables_assign_uniform(environment, variable, range.low);
    else if (is_known && can_wait(environment, expr, &needs)) {
        slot->kind = SLOT_DEFERRED;
        slot->range = range;
        slot->expr = expr;
        slot->lanes = *lanes;
        slot->chain = needs.chain;
        slot->reads = needs.reads;
        slot->depth = needs.depth;
    } else if (evaluate(environment, expr, lanes, 0, &value)) {
        variables_assign_lanes(environment, variable, lanes, &value);
        if (is_known)
            slot->range = range;
    } else
        return false;
    return true;
}

static bool evaluate_deferred(struct environment *environment, uint32_t variable, uint32_t depth)
{
    struct slot *slot = &environment->slots[variable];
    const struct range range = slot->range;
    struct value value;
    if (!evaluate(environment, slot->expr, &slot->lanes, depth, &value))
        return false;
    variables_assign_lanes(environment, variable, &slot->lanes, &value);
    slot->range = range;
    return true;
}

/* --- reading ---------------------------------------------------------- */

static void variables_gather(const int64_t *from, const struct lanes *lanes, int64_t *out)
{
    for (uint32_t i = 0; i < lanes->n; i++)
        out[i] = from[lanes->index[i]];
}

bool variables_value(struct environment *environment, const struct expr *expr,
                    const struct lanes *lanes, uint32_t depth, struct value *value)
{
    struct slot *slot = &environment->slots[expr->variable];
    if (slot->kind == SLOT_DEFERRED) {
        if (FEW * (1 + slot->reads) * lanes->n <= slot->lanes.n)
            return evaluate(environment, slot->expr, lanes, depth, value);
        if (!evaluate_deferred(environment, expr->variable, depth))
            return false;
    }
    if (slot->kind == SLOT_UNIFORM) {
        *value = (struct value){NULL, slot->scalar};
        return true;
    }
    if (slot->kind == SLOT_FIXED && !has_block(environment, slot, depth)) {
        if (environment->is_trial)
            return false;
        if (!slot->is_let)
            return evaluate(environment, slot->expr, lanes, depth, value);
    }
    const int64_t *lane =
        slot->kind == SLOT_LANES ? slot->block : slot->all + environment->block_first;
    *value = (struct value){lane + lanes->first, 0};
    if (lanes->index) {
        int64_t *out = evaluate_scratch(environment, depth);
        variables_gather(lane, lanes, out);
        value->lane = out;
    }
    return true;
}

int64_t variable_at(struct environment *environment, uint32_t variable, uint32_t lane,
                    const struct expr **expr)
{
    const struct slot *slot = &environment->slots[variable];
    *expr = NULL;
    if (slot->kind == SLOT_DEFERRED)
        evaluate_deferred(environment, variable, 0);
    if (slot->kind == SLOT_UNIFORM)
        return slot->scalar;
    if (slot->kind == SLOT_LANES)
        return slot->block[lane];
    const bool has_values = slot->kind == SLOT_RANKS ||
                            (slot->kind == SLOT_FIXED && slot->all &&
                             (slot->is_let || memo_of(environment, slot)->state == MEMO_READY));
    if (has_values)
        return slot->all[environment->block_first + lane];
    *expr = slot->expr;
    return 0;
}

/* Bounds of the values of all ranks, if each block has its own. */
static bool range_of_ranks(const struct environment *environment, const struct slot *slot,
                           struct range *range)
{
    const uint32_t n = n_blocks(environment);
    struct block_memo *whole = slot->memo ? &slot->memo[n] : NULL;
    const bool is_known = slot->kind == SLOT_RANKS || (slot->kind == SLOT_FIXED && whole);
    for (uint32_t i = 0; is_known && whole->state == MEMO_UNKNOWN && i < n; i++) {
        const struct block_memo *block = &slot->memo[i];
        if (block->state != MEMO_READY)
            return false;
        whole->range = i ? range_join(whole->range, block->range) : block->range;
    }
    if (is_known) {
        whole->state = MEMO_READY;
        *range = whole->range;
    }
    return is_known;
}

bool variable_range(struct environment *environment, uint32_t variable, uint32_t depth,
                    struct range *range)
{
    struct slot *slot = &environment->slots[variable];
    *range = slot->kind == SLOT_UNIFORM ? range_of_one(slot->scalar) : slot->range;
    if (environment->is_whole && slot->kind != SLOT_UNIFORM)
        return range_of_ranks(environment, slot, range);
    if (slot->kind == SLOT_FIXED && !has_block(environment, slot, depth))
        return false;
    if (slot->kind == SLOT_RANKS || slot->kind == SLOT_FIXED)
        *range = memo_of(environment, slot)->range;
    return true;
}
