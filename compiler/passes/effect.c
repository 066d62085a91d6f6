/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Certain effects of statements. See effect.h.
 *
 * By interval arithmetic (range.h): a loop within the loop has the iterations that it has for
 * every value of the outer variables, an `if` that is not decided the fewer steps of its two
 * blocks. What is not known has no steps, and is not idle.
 */
#include "compiler/passes/effect.h"

#include "compiler/passes/expansion.h"
#include "compiler/passes/variables.h"

enum { MAX_VISITED = 1024 };

static const struct effect idle = {0, 0, true}, unknown = {0, 0, false};

struct inspection {
    struct environment *environment;
    uint32_t n_visited; /* statements; beyond MAX_VISITED nothing more is known */
};

/* The product of two such numbers does not overflow, nor does a sum. */
static uint64_t capped(uint64_t n)
{
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static struct effect of_list(struct inspection *inspection, const struct statement *first);

static bool effect_range_of(struct inspection *inspection, const struct expr *expr, struct range *range)
{
    return evaluate_range(inspection->environment, expr, 0, range);
}

static bool take_assignment(struct inspection *inspection, uint32_t variable, const struct expr *expr)
{
    struct range range;
    const bool is_known = effect_range_of(inspection, expr, &range);
    if (!is_known)
        range = range_between(INT64_MIN, INT64_MAX);
    variables_bound(inspection->environment, variable, range);
    return is_known;
}

static struct effect of_if(struct inspection *inspection, const struct statement *statement)
{
    struct range condition;
    const bool is_known = effect_range_of(inspection, statement->expr, &condition);
    if (is_known && range_is_true(condition))
        return of_list(inspection, statement->body);
    if (is_known && range_is_false(condition))
        return of_list(inspection, statement->otherwise);
    const struct effect yes = of_list(inspection, statement->body);
    const struct effect no = of_list(inspection, statement->otherwise);
    return (struct effect){yes.steps < no.steps ? yes.steps : no.steps,
                           yes.posts < no.posts ? yes.posts : no.posts,
                           is_known && yes.is_idle && no.is_idle};
}

/* Values that a loop's variable has from `low` to `high`, or down from there. */
static uint64_t count_values(int64_t low, int64_t high, uint64_t stride)
{
    const uint64_t distance = (uint64_t)high - (uint64_t)low;
    if (low > high)
        return 0;
    return distance / stride < MAX_ITERATIONS ? distance / stride + 1 : MAX_ITERATIONS + 1;
}

static struct effect of_for(struct inspection *inspection, const struct statement *loop)
{
    struct range first, last, by = range_of_one(1);
    if (!effect_range_of(inspection, loop->expr, &first) || !effect_range_of(inspection, loop->last, &last) ||
        (loop->by && !effect_range_of(inspection, loop->by, &by)) || !range_is_one(by) || by.low == 0)
        return unknown;
    const bool is_up = by.low > 0;
    const uint64_t stride = is_up ? (uint64_t)by.low : -(uint64_t)by.low;
    const struct range values = is_up ? range_between(first.low, last.high)
                                      : range_between(last.low, first.high);
    const uint64_t least = is_up ? count_values(first.high, last.low, stride)
                                 : count_values(last.high, first.low, stride);
    const uint64_t most = count_values(values.low, values.high, stride);
    if (most == 0)
        return idle;
    variables_bound(inspection->environment, loop->variable, values);
    const struct effect each = of_list(inspection, loop->body);
    return (struct effect){capped(capped(least) * each.steps), capped(capped(least) * each.posts),
                           each.is_idle && most <= MAX_ITERATIONS};
}

static struct effect of_window(struct inspection *inspection, const struct statement *window)
{
    struct range size;
    const bool is_known = effect_range_of(inspection, window->expr, &size) && size.low > 0;
    const struct effect effect = of_list(inspection, window->body);
    return is_known ? (struct effect){effect.steps / (uint64_t)size.high, 0, effect.is_idle} : unknown;
}

static struct effect of_call(struct inspection *inspection, const struct statement *statement)
{
    const struct definition *definition = statement->definition;
    bool is_known = true;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        is_known &= take_assignment(inspection, definition->arguments[i], statement->arguments[i]);
    const struct effect effect = of_list(inspection, definition->body);
    return (struct effect){effect.steps, effect.posts, is_known && effect.is_idle};
}

/* Returns the effect of a transfer; where ranks may be absent, it may do nothing. */
static struct effect of_transfer(const struct inspection *inspection)
{
    return (struct effect){0, !program_is_ragged(inspection->environment->program), false};
}

static struct effect of_statement(struct inspection *inspection, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_STEP: return (struct effect){1, 0, false};
    case STATEMENT_IF: return of_if(inspection, statement);
    case STATEMENT_FOR: return of_for(inspection, statement);
    case STATEMENT_WINDOW: return of_window(inspection, statement);
    case STATEMENT_CALL: return of_call(inspection, statement);
    case STATEMENT_LET:
        return take_assignment(inspection, statement->variable, statement->expr) ? idle : unknown;
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE: return of_transfer(inspection);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_PART:
    case STATEMENT_RUN: break;
    }
    return unknown;
}

static struct effect of_list(struct inspection *inspection, const struct statement *first)
{
    struct effect effect = idle;
    for (const struct statement *s = first; s; s = s->next) {
        if (inspection->n_visited++ >= MAX_VISITED)
            return (struct effect){effect.steps, effect.posts, false};
        const struct effect own = of_statement(inspection, s);
        effect = (struct effect){capped(effect.steps + own.steps), capped(effect.posts + own.posts),
                                 effect.is_idle && own.is_idle};
    }
    return effect;
}

struct effect effect_of_loop(struct environment *environment, const struct statement *loop,
                             uint64_t n, struct range range)
{
    struct inspection inspection = {environment, 0};
    variables_bound(environment, loop->variable, range);
    const struct effect each = of_list(&inspection, loop->body);
    return (struct effect){capped(capped(n) * each.steps), capped(capped(n) * each.posts),
                           each.is_idle};
}

uint64_t effect_least_posts(struct environment *environment, const struct statement *first)
{
    struct inspection inspection = {environment, 0};
    environment->is_whole = true;
    const uint64_t posts = of_list(&inspection, first).posts;
    environment->is_whole = false;
    return posts;
}
