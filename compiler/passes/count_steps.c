/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lower bound on a number of steps. See count_steps.h.
 *
 * By interval arithmetic (range.h): a loop within the loop has the iterations that it has for
 * every value of the outer variables, an `if` that is not decided the fewer steps of its two
 * blocks. What is not known has none.
 */
#include "compiler/passes/count_steps.h"

#include "compiler/passes/variables.h"

enum { MAX_VISITED = 1024 };

struct counting {
    struct environment *environment;
    uint32_t n_visited; /* statements; beyond MAX_VISITED nothing more is known */
};

/* The product of two such numbers does not overflow. */
static uint64_t capped(uint64_t n)
{
    return n < UINT32_MAX ? n : UINT32_MAX;
}

static uint64_t count_list(struct counting *counting, const struct statement *first);

static bool range_of(struct counting *counting, const struct expr *expr, struct range *range)
{
    return evaluate_range(counting->environment, expr, 0, range);
}

static void count_assignment(struct counting *counting, uint32_t variable, const struct expr *expr)
{
    struct range range;
    if (!range_of(counting, expr, &range))
        range = range_between(INT64_MIN, INT64_MAX);
    bound_variable(counting->environment, variable, range);
}

static uint64_t count_if(struct counting *counting, const struct statement *statement)
{
    struct range condition;
    const bool is_known = range_of(counting, statement->expr, &condition);
    if (is_known && range_is_true(condition))
        return count_list(counting, statement->body);
    if (is_known && range_is_false(condition))
        return count_list(counting, statement->otherwise);
    const uint64_t n = count_list(counting, statement->body);
    const uint64_t other = count_list(counting, statement->otherwise);
    return n < other ? n : other;
}

/* Iterations that the loop has at least; what values its variable has then. */
static uint64_t iterations(struct counting *counting, const struct statement *loop,
                           struct range *values)
{
    struct range first, last, by = range_of_one(1);
    if (!range_of(counting, loop->expr, &first) || !range_of(counting, loop->last, &last) ||
        (loop->by && !range_of(counting, loop->by, &by)) || !range_is_one(by) || by.low == 0)
        return 0;
    const bool is_up = by.low > 0;
    const int64_t from = is_up ? first.high : last.high, to = is_up ? last.low : first.low;
    const uint64_t stride = is_up ? (uint64_t)by.low : -(uint64_t)by.low;
    *values = is_up ? range_between(first.low, last.high) : range_between(last.low, first.high);
    return from > to ? 0 : capped(((uint64_t)to - (uint64_t)from) / stride + 1);
}

static uint64_t count_for(struct counting *counting, const struct statement *loop)
{
    struct range values;
    const uint64_t n = iterations(counting, loop, &values);
    if (n == 0)
        return 0;
    bound_variable(counting->environment, loop->variable, values);
    return capped(n * count_list(counting, loop->body));
}

static uint64_t count_window(struct counting *counting, const struct statement *window)
{
    struct range size;
    const bool is_known = range_of(counting, window->expr, &size) && size.low > 0;
    const uint64_t n = count_list(counting, window->body);
    return is_known ? n / (uint64_t)size.high : 0;
}

static uint64_t count_call(struct counting *counting, const struct statement *statement)
{
    const struct definition *definition = statement->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        count_assignment(counting, definition->arguments[i], statement->arguments[i]);
    return count_list(counting, definition->body);
}

static uint64_t count_statement(struct counting *counting, const struct statement *statement)
{
    switch (statement->kind) {
    case STATEMENT_STEP: return 1;
    case STATEMENT_IF: return count_if(counting, statement);
    case STATEMENT_FOR: return count_for(counting, statement);
    case STATEMENT_WINDOW: return count_window(counting, statement);
    case STATEMENT_CALL: return count_call(counting, statement);
    case STATEMENT_LET: count_assignment(counting, statement->variable, statement->expr); break;
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
    case STATEMENT_RUN: break;
    }
    return 0;
}

static uint64_t count_list(struct counting *counting, const struct statement *first)
{
    uint64_t n = 0;
    for (const struct statement *s = first; s && counting->n_visited < MAX_VISITED; s = s->next) {
        counting->n_visited++;
        n = capped(n + count_statement(counting, s));
    }
    return n;
}

uint64_t count_steps_of_loop(struct environment *environment, const struct statement *loop,
                             uint64_t n, struct range range)
{
    struct counting counting = {environment, 0};
    bound_variable(environment, loop->variable, range);
    return capped(capped(n) * count_list(&counting, loop->body));
}
