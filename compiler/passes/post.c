/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Posts the operations of a step: carries out its statements for a block of ranks at a time. An `if`
 * narrows the set of lanes, so what only one rank does costs one lane, and where bounds decide it for the
 * block it costs none; a `for` whose bounds differ between ranks runs as often as the longest of the
 * block, with the lanes that are not yet through.
 *
 * Within a block statements follow each other in program order and blocks are
 * disjoint sets of ranks, so the operations of each rank are appended in its
 * program order.
 */
#include "compiler/passes/cyclic.h"
#include "base/codes.h"
#include "compiler/passes/effect.h"
#include "compiler/passes/expansion.h"
#include "compiler/passes/variables.h"
#include "network/networks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns the lanes whose peer is there, the peers moved up; `index` is room for them. */
static struct lanes present_lanes(struct expansion *expansion, const struct lanes *lanes,
                                  uint16_t index[BLOCK_LANES])
{
    uint32_t n = 0;
    if (!expansion->coordinates.ragged)
        return *lanes;
    for (uint32_t i = 0; i < lanes->n; i++) {
        if (expansion->peer[i] == NO_RANK)
            continue;
        expansion->peer[n] = expansion->peer[i];
        index[n++] = (uint16_t)lane_at(lanes, i);
    }
    return n == lanes->n ? *lanes : (struct lanes){n, index, 0};
}

/* --- operations ------------------------------------------------------- */

/* Returns room for n more operations; NULL, with a fault, if the step gets too large. */
static struct op *post_make_room(struct expansion *expansion, struct op_list *list, uint32_t n,
                                 const struct statement *statement)
{
    const size_t total = expansion->sends.n + expansion->receives.n + expansion->copies.n;
    if (total + n > SCHEDULE_MAX_STEP_OPS) {
        expand_fail_operations(expansion, statement);
        return NULL;
    }
    list->ops = mem_grow(list->ops, &list->capacity, list->n + n, sizeof *list->ops);
    return list->ops + list->n;
}

/* Notes the lanes of the operations that are appended to a list next. */
static void note_lanes(const struct expansion *expansion, struct op_list *list, const struct lanes *lanes)
{
    if (!expansion->ahead.is_posting)
        return;
    list->lane = mem_grow(list->lane, &list->lane_capacity, list->n + lanes->n, sizeof *list->lane);
    for (uint32_t i = 0; i < lanes->n; i++)
        list->lane[list->n + i] = (uint16_t)lane_at(lanes, i);
}

/* Two numbers as they are next to each other in memory. */
static inline uint64_t post_pair_of(uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};
    uint64_t both;
    memcpy(&both, pair, sizeof both);
    return both;
}

/* The operation of a single lane. */
static void write_op(const struct expansion *expansion, const struct op *pattern, const struct lanes *lanes,
                     struct op *op)
{
    op->rank = environment_rank(expansion->environment, lane_at(lanes, 0));
    op->peer = expansion->peer[0];
    op->chunk = expansion->chunk[0];
    op->n_chunks = expansion->n_chunks[0];
    op->kind = pattern->kind;
    op->buffer = pattern->buffer;
    op->is_set = pattern->is_set;
    op->network = pattern->network;
    op->line = pattern->line;
}

/* The operations of n lanes, in as few stores as can be: vectors, put in their places bit by bit, take half
 * as long again. */
static void write_ops(const struct expansion *expansion, const struct op *pattern, const struct lanes *lanes,
                      uint32_t n, struct op *op)
{
    enum { WORDS = sizeof *op / sizeof(uint64_t) };
    _Static_assert(offsetof(struct op, n_chunks) == 12 && WORDS == 3, "two words are written for each lane");
    const uint32_t block_first = expansion->environment->block_first;
    const uint32_t *ranks = expansion->environment->ranks;
    const struct lanes own = *lanes; /* which no store changes */
    uint64_t words[WORDS];
    memcpy(words, pattern, sizeof words);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t position = block_first + lane_at(&own, i);
        words[0] = post_pair_of(ranks ? ranks[position] : position, expansion->peer[i]);
        words[1] = post_pair_of(expansion->chunk[i], expansion->n_chunks[i]);
        memcpy(&op[i], words, sizeof words);
        __asm__ volatile(""); /* no vectors */
    }
}

/* The network of a message: one that is named, or as the topology chooses. */
static uint8_t post_network(const struct expansion *expansion, const struct statement *statement)
{
    const struct schedule_header *header = &expansion->schedule.header;
    if (header->n_networks == 0 || statement->kind != STATEMENT_SEND)
        return 0;
    return statement->network ? (uint8_t)(expansion->first_named + statement->network - 1) : NO_NETWORK;
}

/* Posts a transfer on some lanes; leaves it out where the peer is an absent rank. */
static bool post_transfer(struct expansion *expansion, const struct statement *statement,
                          const struct lanes *all)
{
    static const uint8_t kind_of[] = {
        [STATEMENT_SEND] = OP_SEND, [STATEMENT_RECV] = OP_RECV, [STATEMENT_REDUCE] = OP_REDUCE};
    struct op_list *list =
        statement->kind == STATEMENT_SEND ? &expansion->sends : &expansion->receives;
    const enum buffer buffer =
        statement->body ? message_part(statement)->chunks.buffer : statement->chunks.buffer;
    const bool has_set = statement->body && buffer < N_BUFFERS;
    uint16_t index[BLOCK_LANES];
    if (!coordinates_find(&expansion->coordinates, expansion->environment, statement->peer.coordinates,
                          statement->peer.n, all, expansion->peer))
        return false;
    const struct lanes present = present_lanes(expansion, all, index), *lanes = &present;
    if (lanes->n == 0)
        return expand_count_work(expansion, statement);
    if (!has_set && !post_find_message(expansion, statement, lanes))
        return false;
    struct op *op = post_make_room(expansion, list, lanes->n, statement);
    if (!op)
        return false;
    const struct op pattern = {.kind = kind_of[statement->kind],
                               .buffer = buffer < N_BUFFERS ? (uint8_t)buffer : 0,
                               .network = post_network(expansion, statement),
                               .line = statement->position.line};
    if (lanes->n == 1)
        write_op(expansion, &pattern, lanes, op); /* words that are read back byte by byte take long */
    else
        write_ops(expansion, &pattern, lanes, lanes->n, op);
    if (has_set && !post_set(expansion, statement, lanes, op))
        return false;
    note_lanes(expansion, list, lanes);
    list->n += lanes->n;
    return true;
}

static bool fail_copy(struct expansion *expansion, const struct statement *statement,
                      const struct lanes *lanes, uint32_t i)
{
    evaluate_fail(expansion->environment, CODE_E008, statement->position,
                  environment_rank(expansion->environment, lane_at(lanes, i)), "%s of %u chunk%s to %u",
                  statement->kind == STATEMENT_COPY ? "copy" : "reduce", expansion->n_chunks[i],
                  plural(expansion->n_chunks[i]), expansion->to_n_chunks[i]);
    expansion->environment->fault.help =
        expansion->schedule.header.segments > 1
            ? "both sides have the same number of chunks, and each segment is one"
            : "both sides have the same number of chunks";
    return false;
}

static bool post_copy(struct expansion *expansion, const struct statement *statement,
                      const struct lanes *lanes)
{
    if (!post_find_chunks(expansion, &statement->chunks, lanes, expansion->chunk, expansion->n_chunks) ||
        !post_find_chunks(expansion, &statement->to_chunks, lanes, expansion->to_chunk,
                     expansion->to_n_chunks))
        return false;
    struct op_list *list = &expansion->copies;
    struct op *op = post_make_room(expansion, list, lanes->n, statement);
    if (!op)
        return false;
    note_lanes(expansion, list, lanes);
    for (uint32_t i = 0; i < lanes->n; i++) {
        if (expansion->n_chunks[i] != expansion->to_n_chunks[i])
            return fail_copy(expansion, statement, lanes, i);
        if (expansion->ahead.is_posting)
            list->lane[op - list->ops] = (uint16_t)lane_at(lanes, i);
        *op = (struct op){.rank = environment_rank(expansion->environment, lane_at(lanes, i)),
                          .to_chunk = expansion->to_chunk[i],
                          .chunk = expansion->chunk[i],
                          .n_chunks = expansion->n_chunks[i],
                          .kind = statement->kind == STATEMENT_COPY ? OP_COPY : OP_COMBINE,
                          .buffer = (uint8_t)statement->chunks.buffer,
                          .to_buffer = (uint8_t)statement->to_chunks.buffer,
                          .line = statement->position.line};
        op += op->n_chunks > 0;
    }
    list->n = (size_t)(op - list->ops);
    return true;
}

/* --- control ---------------------------------------------------------- */

/* Both branches see the condition's value before either of them runs. */
static bool do_if_else(struct expansion *expansion, const struct statement *statement,
                       const struct lanes *lanes)
{
    uint16_t index[2][BLOCK_LANES];
    struct value condition;
    if (!evaluate(expansion->environment, statement->expr, lanes, 0, &condition))
        return false;
    const struct lanes yes = evaluate_select_lanes(lanes, &condition, true, index[0]);
    const struct lanes no = evaluate_select_lanes(lanes, &condition, false, index[1]);
    return post_list(expansion, statement->body, &yes) &&
           post_list(expansion, statement->otherwise, &no);
}

/* Bounds may decide it for the block: then no rank is looked at. evaluate_select_where() asks for those of
 * a condition that is not made of several. */
static bool do_if(struct expansion *expansion, const struct statement *statement,
                  const struct lanes *lanes)
{
    struct environment *environment = expansion->environment;
    uint16_t index[BLOCK_LANES];
    struct range range;
    struct lanes yes;
    int64_t condition;
    if (evaluate_scalar(environment, statement->expr, &condition))
        return post_list(expansion, condition ? statement->body : statement->otherwise, lanes);
    const bool is_known = (statement->otherwise || statement->expr->kind == EXPR_AND) &&
                          evaluate_range(environment, statement->expr, 0, &range);
    if (is_known && range_is_true(range))
        return post_list(expansion, statement->body, lanes);
    if (is_known && range_is_false(range))
        return post_list(expansion, statement->otherwise, lanes);
    if (statement->otherwise)
        return do_if_else(expansion, statement, lanes);
    return evaluate_select_where(environment, statement->expr, lanes, index, &yes) &&
           post_list(expansion, statement->body, &yes);
}

static bool do_uniform_for(struct expansion *expansion, const struct statement *statement,
                           const struct lanes *lanes, const struct value bounds[3])
{
    uint64_t n;
    int64_t value = bounds[0].scalar;
    if (!expand_count_iterations(expansion->environment, statement, value, bounds[1].scalar,
                                 bounds[2].scalar, &n)) {
        expansion->environment->fault.rank =
            environment_rank(expansion->environment, lane_at(lanes, 0));
        return false;
    }
    struct effect effect = {0, 0, false};
    if (n >= FEW_ITERATIONS)
        effect = effect_of_loop(expansion->environment, statement, n,
                                loop_values(value, bounds[1].scalar));
    if (effect.posts * lanes->n > SCHEDULE_MAX_STEP_OPS)
        return expand_fail_operations(expansion, statement);
    if (effect.is_idle && !expansion->binding->coverage)
        return true;
    if (copy_rows_are_for(expansion, statement, n) && copy_rows_post(expansion, statement, lanes))
        return true;
    for (uint64_t i = 0; i < n; i++) {
        variables_assign_uniform(expansion->environment, statement->variable, value);
        if (!post_list(expansion, statement->body, lanes))
            return false;
        if (i + 1 < n) /* the value after the last may not exist */
            value += bounds[2].scalar;
    }
    return true;
}

/* A loop whose bounds differ between the lanes, by position in the set of lanes. */
struct varying_loop {
    int64_t value[BLOCK_LANES]; /* of the variable in the next iteration */
    int64_t by[BLOCK_LANES];
    uint64_t left[BLOCK_LANES]; /* iterations to come */
    int64_t active_value[BLOCK_LANES];
    uint16_t index[BLOCK_LANES];
};

/* Returns the lanes that still have iterations, the variable's value on them assigned. */
static struct lanes next_iteration(struct expansion *expansion, uint32_t variable,
                                   struct varying_loop *loop, const struct lanes *lanes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < lanes->n; i++) {
        if (loop->left[i] == 0)
            continue;
        loop->active_value[n] = loop->value[i];
        loop->index[n++] = (uint16_t)lane_at(lanes, i);
        if (--loop->left[i])
            loop->value[i] += loop->by[i];
    }
    const struct value value = {loop->active_value, 0};
    const struct lanes active = n == lanes->n ? *lanes : (struct lanes){n, loop->index, 0};
    if (n)
        variables_assign_lanes(expansion->environment, variable, &active, &value);
    return active;
}

static bool begin_varying(struct expansion *expansion, const struct statement *statement,
                          const struct lanes *lanes, const struct value bounds[3],
                          struct varying_loop *loop)
{
    struct environment *environment = expansion->environment;
    for (uint32_t i = 0; i < lanes->n; i++) {
        loop->value[i] = value_at(&bounds[0], i);
        loop->by[i] = value_at(&bounds[2], i);
        if (!expand_count_iterations(environment, statement, loop->value[i], value_at(&bounds[1], i),
                                     loop->by[i], &loop->left[i])) {
            environment->fault.rank = environment_rank(environment, lane_at(lanes, i));
            return false;
        }
    }
    return true;
}

/* The state is on the heap: loops nest, and it is some pages large. */
static bool do_varying_for(struct expansion *expansion, const struct statement *statement,
                           const struct lanes *lanes, const struct value bounds[3])
{
    struct varying_loop *loop = mem_alloc(1, sizeof *loop);
    bool done = begin_varying(expansion, statement, lanes, bounds, loop);
    while (done) {
        const struct lanes active = next_iteration(expansion, statement->variable, loop, lanes);
        if (active.n == 0)
            break;
        done = post_list(expansion, statement->body, &active);
    }
    free(loop);
    return done;
}

static bool do_for(struct expansion *expansion, const struct statement *statement,
                   const struct lanes *lanes)
{
    struct environment *environment = expansion->environment;
    struct value bounds[3] = {{NULL, 0}, {NULL, 0}, {NULL, 1}};
    if (!evaluate(environment, statement->expr, lanes, 0, &bounds[0]) ||
        !evaluate(environment, statement->last, lanes, 1, &bounds[1]) ||
        (statement->by && !evaluate(environment, statement->by, lanes, 2, &bounds[2])))
        return false;
    if (bounds[0].lane || bounds[1].lane || bounds[2].lane)
        return do_varying_for(expansion, statement, lanes, bounds);
    return do_uniform_for(expansion, statement, lanes, bounds);
}

static bool do_call(struct expansion *expansion, const struct statement *statement,
                    const struct lanes *lanes)
{
    const struct definition *definition = statement->definition;
    for (uint32_t i = 0; i < definition->n_arguments; i++)
        if (!variables_let(expansion->environment, definition->arguments[i],
                           statement->arguments[i], lanes))
            return false;
    return post_list(expansion, definition->body, lanes);
}

static bool do_statement(struct expansion *expansion, const struct statement *statement,
                         const struct lanes *lanes)
{
    const bool is_transfer = statement->kind == STATEMENT_SEND ||
                             statement->kind == STATEMENT_RECV || statement->kind == STATEMENT_REDUCE;
    if (!is_transfer && !expand_count_work(expansion, statement))
        return false;
    count_coverage(expansion, statement, lanes->n);
    switch (statement->kind) {
    case STATEMENT_SEND:
        return post_transfer(expansion, statement, lanes);
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
        return expansion->schedule.use.sends_only ? expand_count_work(expansion, statement)
                                              : post_transfer(expansion, statement, lanes);
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        return expansion->schedule.use.sends_only || post_copy(expansion, statement, lanes);
    case STATEMENT_PART:
        return post_part(expansion, statement, lanes);
    case STATEMENT_LET:
        return variables_let(expansion->environment, statement->variable, statement->expr, lanes);
    case STATEMENT_IF:
        return do_if(expansion, statement, lanes);
    case STATEMENT_FOR:
        return do_for(expansion, statement, lanes);
    case STATEMENT_CALL:
        return do_call(expansion, statement, lanes);
    case STATEMENT_STEP:
    case STATEMENT_WINDOW:
    case STATEMENT_RUN:
        break;
    }
    return evaluate_fail(expansion->environment, CODE_E006, statement->position, -1,
                         "a step inside of a step, or in a branch that depends on the rank");
}

bool post_list(struct expansion *expansion, const struct statement *first, const struct lanes *lanes)
{
    bool done = true;
    if (!first || !lanes->n)
        return true;
    if (++expansion->depth > MAX_POST_DEPTH)
        return evaluate_fail(expansion->environment, CODE_E010, first->position, -1,
                             "blocks and calls nested deeper than %d", MAX_POST_DEPTH);
    for (const struct statement *statement = first; statement && done; statement = statement->next)
        done = do_statement(expansion, statement, lanes);
    expansion->depth--;
    return done;
}

/* --- all ranks -------------------------------------------------------- */

static struct lanes enter_block(struct expansion *expansion, uint32_t first)
{
    expansion->environment->block_first = first;
    return variables_block_lanes(expansion->environment);
}

/* `ranks` by their positions. */
static bool post_body(struct expansion *expansion, const struct statement *statement, struct lanes ranks)
{
    const uint32_t end = ranks.first + ranks.n;
    bool done = true;
    for (uint32_t at = ranks.first, next; done && at < end; at = next) {
        const uint32_t lane = at % BLOCK_LANES;
        enter_block(expansion, at - lane);
        next = end - at < BLOCK_LANES - lane ? end : at - lane + BLOCK_LANES;
        done = post_list(expansion, statement->body, &(struct lanes){next - at, NULL, lane});
    }
    return done;
}

bool post_next_lanes(struct expansion *expansion, uint32_t *at, struct lanes *lanes)
{
    if (*at * (uint64_t)BLOCK_LANES >= expansion->environment->n_ranks)
        return false;
    *lanes = enter_block(expansion, *at * BLOCK_LANES);
    ++*at;
    return true;
}

bool post_at_lane(struct expansion *expansion, const struct statement *statement, uint32_t lane)
{
    return do_statement(expansion, statement, &(struct lanes){1, NULL, lane});
}

/* Posts a statement on all ranks; if bounds tell which ranks act, enters only their blocks. */
bool post_statement(struct expansion *expansion, const struct statement *statement)
{
    struct environment *environment = expansion->environment;
    struct lanes ranks = {environment->n_ranks, NULL, 0}, lanes;
    bool done = true;
    if (statement->kind == STATEMENT_IF && !statement->otherwise &&
        evaluate_select_ranks(environment, statement->expr, &ranks)) {
        count_coverage(expansion, statement, environment->n_ranks);
        return expand_count_work(expansion, statement) && post_body(expansion, statement, ranks);
    }
    for (uint32_t at = 0; done && post_next_lanes(expansion, &at, &lanes);)
        done = do_statement(expansion, statement, &lanes);
    return done;
}

/* Does it give variables values that are those of one block only? */
static bool has_values(const struct statement *statement)
{
    for (; statement; statement = statement->next)
        if (statement->kind == STATEMENT_LET || statement->kind == STATEMENT_CALL)
            return true;
    return false;
}

bool post_statements(struct expansion *expansion, const struct statement *first)
{
    struct lanes lanes;
    bool done = true;
    if (!has_values(first)) {
        for (const struct statement *at = first; at && done; at = at->next)
            done = post_statement(expansion, at);
        return done;
    }
    for (uint32_t at = 0; done && post_next_lanes(expansion, &at, &lanes);)
        done = post_list(expansion, first, &lanes);
    return done;
}

bool post_assignment(struct expansion *expansion, uint32_t variable, const struct expr *expr)
{
    struct environment *environment = expansion->environment;
    const bool is_fixed = environment->slots[variable].kind == SLOT_FIXED;
    bool done = true;
    if (!is_fixed)
        variable_of_ranks(environment, variable);
    struct lanes lanes;
    for (uint32_t at = 0; done && post_next_lanes(expansion, &at, &lanes);) {
        struct value value;
        done = is_fixed ? variables_let(environment, variable, expr, &lanes)
                        : evaluate(environment, expr, &lanes, 0, &value);
        if (done && !is_fixed)
            variables_assign_block(environment, variable, &value);
    }
    return done;
}
