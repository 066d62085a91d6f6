/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See copy_rows.h.
 */
#include "compiler/passes/copy_rows.h"

#include "compiler/passes/expansion.h"

#include <stdlib.h>
#include <string.h>

/* Fewer iterations are carried out as they are; sorts of ranks that are told apart in a block; names that a
 * loop gives values; rows that a copy may still continue. */
enum { WORTH_IT = 16, MAX_GROUPS = 8, MAX_NAMES = 64, OPEN_ROWS = 4 };

/* --- what a loop reads ------------------------------------------------ */

/* Variables that a loop reads from outside, and those that it gives values itself. */
struct names {
    enum collective collective;
    uint32_t read[MAX_COPY_READS], n_read;
    uint32_t made[MAX_NAMES], n_made;
    bool is_known; /* there is room for all, and nothing but copies and what leads to them */
};

static bool copy_rows_is_among(uint32_t name, const uint32_t *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (names[i] == name)
            return true;
    return false;
}

static void copy_rows_make(struct names *names, uint32_t variable)
{
    if (names->n_made < MAX_NAMES)
        names->made[names->n_made++] = variable;
    else
        names->is_known = false;
}

static void read_expr(struct names *names, const struct expr *expr)
{
    if (!expr || !names->is_known)
        return;
    read_expr(names, expr->a);
    read_expr(names, expr->b);
    read_expr(names, expr->c);
    if (expr->kind != EXPR_VARIABLE || copy_rows_is_among(expr->variable, names->made, names->n_made) ||
        copy_rows_is_among(expr->variable, names->read, names->n_read))
        return;
    if (names->n_read < MAX_COPY_READS)
        names->read[names->n_read++] = expr->variable;
    else
        names->is_known = false;
}

/* Reads the names of the chunks. A buffer that only the root has makes them unknown: it is an error at other
 * ranks. */
static void copy_rows_read_chunks(struct names *names, const struct chunks *chunks)
{
    if (collective_at_root(names->collective, chunks->buffer))
        names->is_known = false;
    for (uint32_t i = 0; i < chunks->n; i++)
        read_expr(names, chunks->index[i]);
    read_expr(names, chunks->last);
    read_expr(names, chunks->segment);
    read_expr(names, chunks->last_segment);
}

static void copy_rows_read_list(struct names *names, const struct statement *first);

/* A name is known behind what gives it its value. */
static void read_statement(struct names *names, const struct statement *s)
{
    read_expr(names, s->expr);
    read_expr(names, s->last);
    read_expr(names, s->by);
    switch (s->kind) {
    case STATEMENT_COPY:
    case STATEMENT_COMBINE:
        copy_rows_read_chunks(names, &s->chunks);
        copy_rows_read_chunks(names, &s->to_chunks);
        return;
    case STATEMENT_LET:
        copy_rows_make(names, s->variable);
        return;
    case STATEMENT_FOR:
        copy_rows_make(names, s->variable);
        copy_rows_read_list(names, s->body);
        return;
    case STATEMENT_IF:
        copy_rows_read_list(names, s->body);
        copy_rows_read_list(names, s->otherwise);
        return;
    case STATEMENT_CALL:
        for (uint32_t i = 0; i < s->definition->n_arguments; i++)
            read_expr(names, s->arguments[i]);
        for (uint32_t i = 0; i < s->definition->n_arguments; i++)
            copy_rows_make(names, s->definition->arguments[i]);
        copy_rows_read_list(names, s->definition->body);
        return;
    case STATEMENT_SEND:
    case STATEMENT_RECV:
    case STATEMENT_REDUCE:
    case STATEMENT_PART:
    case STATEMENT_STEP:
    case STATEMENT_WINDOW:
    case STATEMENT_RUN:
        break;
    }
    names->is_known = false;
}

static void copy_rows_read_list(struct names *names, const struct statement *first)
{
    for (const struct statement *s = first; s && names->is_known; s = s->next)
        read_statement(names, s);
}

static struct names names_of(const struct expansion *expansion, const struct statement *loop)
{
    struct names names = {.collective = expansion->schedule.header.collective, .is_known = true};
    read_statement(&names, loop);
    return names;
}

bool copy_rows_are_for(const struct expansion *expansion, const struct statement *loop, uint64_t n)
{
    const struct schedule_use *use = &expansion->schedule.use;
    return n >= WORTH_IT && (use->takes_rows || use->sends_only) && !expansion->rows.is_walking &&
           !expansion->binding->coverage && names_of(expansion, loop).is_known;
}

/* --- rows -------------------------------------------------------------- */

/* True if chunks chunk .. chunk+n_chunks-1 may meet n pieces of `size` chunks, `step` apart, or a gap between
 * them. */
static bool meets(uint32_t first, int32_t step, uint32_t n, uint32_t size, uint32_t chunk, uint32_t n_chunks)
{
    const int64_t last = first + (int64_t)step * (n - 1);
    const int64_t low = step < 0 ? last : first, high = step < 0 ? first : last;
    return chunk < high + size && (int64_t)chunk + n_chunks > low;
}

static bool copy_rows_reads(const struct copy_row *row, uint8_t buffer, uint32_t chunk, uint32_t n)
{
    return row->buffer == buffer && meets(row->chunk, row->step, row->n, row->n_chunks, chunk, n);
}

static bool writes(const struct copy_row *row, uint8_t buffer, uint32_t chunk, uint32_t n)
{
    return row->to_buffer == buffer && meets(row->to_chunk, row->to_step, row->n, row->n_chunks, chunk, n);
}

/* In place a chunk of `in` is one of `out`: then nothing that touches the one goes before what touches
 * the other. */
static bool may_be_one(const struct expansion *expansion, const struct copy_row *row, const struct op *op)
{
    const struct schedule_header *header = &expansion->schedule.header;
    const unsigned touched =
        1u << row->buffer | 1u << row->to_buffer | 1u << op->buffer | 1u << op->to_buffer;
    uint32_t in, out;
    return (touched & 1u << BUFFER_IN) && (touched & 1u << BUFFER_OUT) &&
           schedule_in_place(header, header->root, &in, &out);
}

/* True if it makes a difference whether the copy is done before or after the row. */
static bool depends_on(const struct copy_row *row, const struct op *op)
{
    return writes(row, op->buffer, op->chunk, op->n_chunks) ||
           writes(row, op->to_buffer, op->to_chunk, op->n_chunks) ||
           copy_rows_reads(row, op->to_buffer, op->to_chunk, op->n_chunks);
}

/* The copy would be the next one of the row: *longer is the row with it. */
static bool copy_rows_continues(const struct copy_row *row, const struct op *op, struct copy_row *longer)
{
    const bool is_like = row->kind == OP_COPY && op->kind == OP_COPY && row->line == op->line &&
                         row->buffer == op->buffer && row->to_buffer == op->to_buffer &&
                         row->n_chunks == op->n_chunks;
    if (!is_like)
        return false;
    const int64_t step = (int64_t)op->chunk - (row->chunk + (int64_t)row->step * (row->n - 1));
    const int64_t to_step = (int64_t)op->to_chunk - (row->to_chunk + (int64_t)row->to_step * (row->n - 1));
    if (to_step == 0 || (row->n > 1 && (step != row->step || to_step != row->to_step)))
        return false;
    if (row->n_chunks > 1 && (step != row->n_chunks || to_step != row->n_chunks))
        return false;
    *longer = *row;
    longer->n++;
    longer->step = (int32_t)step;
    longer->to_step = (int32_t)to_step;
    return true;
}

/* Puts a copy, which follows the rows from `first` on, into one of the last of them or a row of its own. */
static void add_copy(struct expansion *expansion, size_t first, const struct op *op)
{
    struct copy_rows *rows = &expansion->rows;
    struct copy_row longer;
    for (size_t i = rows->n; i > first && rows->n - i < OPEN_ROWS; i--) {
        struct copy_row *row = &rows->rows[i - 1];
        if (may_be_one(expansion, row, op))
            break;
        if (copy_rows_continues(row, op, &longer) && !writes(row, op->buffer, op->chunk, op->n_chunks)) {
            *row = longer;
            return;
        }
        if (depends_on(row, op))
            break;
    }
    rows->rows = mem_grow(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n++] = (struct copy_row){.chunk = op->chunk,
                                              .to_chunk = op->to_chunk,
                                              .n = 1,
                                              .n_chunks = op->n_chunks,
                                              .kind = op->kind,
                                              .buffer = op->buffer,
                                              .to_buffer = op->to_buffer,
                                              .line = op->line};
}

/* --- ranks that are alike ---------------------------------------------- */

/* The lanes of a block by the values of what a loop reads. */
struct groups {
    uint32_t n, n_values;
    uint8_t of[BLOCK_LANES];  /* [position in lanes] */
    uint32_t lane[MAX_GROUPS]; /* the first of each */
    int64_t values[MAX_GROUPS][MAX_COPY_READS];
    uint32_t first[MAX_GROUPS], n_rows[MAX_GROUPS];
};

/* Returns the group that has the values of the lane at position k, or a new one; MAX_GROUPS if there are too
 * many. */
static uint32_t copy_rows_group_of(struct groups *groups, const struct value *values, uint32_t k,
                                   uint32_t guess)
{
    int64_t own[MAX_COPY_READS] = {0};
    const size_t size = groups->n_values * sizeof *own;
    for (uint32_t i = 0; i < groups->n_values; i++)
        own[i] = value_at(&values[i], k);
    if (guess < groups->n && memcmp(own, groups->values[guess], size) == 0)
        return guess;
    for (uint32_t group = 0; group < groups->n; group++)
        if (memcmp(own, groups->values[group], size) == 0)
            return group;
    if (groups->n < MAX_GROUPS)
        memcpy(groups->values[groups->n], own, size);
    return groups->n;
}

/* False: there are too many, or something has no value. */
static bool find_groups(struct environment *environment, const struct names *names, const struct lanes *lanes,
                        struct groups *groups)
{
    struct value values[MAX_COPY_READS];
    uint32_t group = 0;
    groups->n = 0;
    groups->n_values = names->n_read;
    for (uint32_t i = 0; i < names->n_read; i++) {
        const struct expr read = {.kind = EXPR_VARIABLE, .variable = names->read[i]};
        if (!evaluate(environment, &read, lanes, i, &values[i]))
            return false;
    }
    for (uint32_t k = 0; k < lanes->n; k++) {
        group = copy_rows_group_of(groups, values, k, group);
        if (group == MAX_GROUPS)
            return false;
        if (group == groups->n)
            groups->lane[groups->n++] = lane_at(lanes, k);
        groups->of[k] = (uint8_t)group;
    }
    return true;
}

/* --- posting ------------------------------------------------------------ */

/* Carries the loop out at a lane, and puts what it copies into rows. */
static bool copy_rows_walk(struct expansion *expansion, const struct statement *loop, uint32_t lane)
{
    struct copy_rows *rows = &expansion->rows;
    const size_t before = expansion->copies.n, first = rows->n;
    const uint64_t work = expansion->work;
    const uint32_t depth = expansion->depth;
    rows->is_walking = true;
    const bool is_done = post_at_lane(expansion, loop, lane);
    rows->is_walking = false;
    for (size_t i = before; is_done && i < expansion->copies.n; i++)
        add_copy(expansion, first, &expansion->copies.ops[i]);
    expansion->copies.n = before;
    expansion->depth = depth;
    if (!is_done)
        expansion->work = work;
    return is_done && rows->n <= SCHEDULE_MAX_STEP_OPS;
}

static bool has_memo(const struct copy_memo *memo, const struct statement *loop, const struct groups *groups,
                     uint32_t group)
{
    return memo->loop == loop && memo->n_values == groups->n_values &&
           memcmp(memo->values, groups->values[group], memo->n_values * sizeof *memo->values) == 0;
}

/* The rows of a group: what has been found before, or is found now. */
static bool find_rows(struct expansion *expansion, const struct statement *loop, struct groups *groups,
                      uint32_t group)
{
    struct copy_rows *rows = &expansion->rows;
    const uint32_t n = rows->n_memos < N_COPY_MEMOS ? rows->n_memos : N_COPY_MEMOS;
    const struct copy_memo *found = NULL;
    for (uint32_t i = 0; i < n && !found; i++)
        if (has_memo(&rows->memos[i], loop, groups, group))
            found = &rows->memos[i];
    if (!found) {
        struct copy_memo *memo = &rows->memos[rows->n_memos % N_COPY_MEMOS];
        const size_t first = rows->n;
        if (!copy_rows_walk(expansion, loop, groups->lane[group]))
            return false;
        *memo = (struct copy_memo){loop, groups->n_values, {0}, (uint32_t)first, (uint32_t)(rows->n - first)};
        memcpy(memo->values, groups->values[group], groups->n_values * sizeof *memo->values);
        rows->n_memos++;
        found = memo;
    }
    groups->first[group] = found->first;
    groups->n_rows[group] = found->n;
    return true;
}

static bool post_lanes(struct expansion *expansion, const struct statement *loop, const struct names *names,
                       const struct lanes *lanes)
{
    struct op_list *copies = &expansion->copies;
    struct groups groups;
    bool is_done = find_groups(expansion->environment, names, lanes, &groups) &&
                   (expansion->environment->ranks || lanes->n >= 2 * groups.n);
    for (uint32_t group = 0; is_done && group < groups.n; group++)
        is_done = find_rows(expansion, loop, &groups, group);
    if (!is_done)
        return false;
    copies->ops = mem_grow(copies->ops, &copies->capacity, copies->n + lanes->n, sizeof *copies->ops);
    for (uint32_t k = 0; k < lanes->n; k++) {
        const uint32_t group = groups.of[k];
        copies->ops[copies->n] =
            (struct op){.rank = environment_rank(expansion->environment, lane_at(lanes, k)),
                        .chunk = groups.first[group],
                        .n_chunks = groups.n_rows[group],
                        .kind = OP_COPIES,
                        .line = loop->position.line};
        copies->n += groups.n_rows[group] > 0;
    }
    return expansion->sends.n + expansion->receives.n + copies->n <= SCHEDULE_MAX_STEP_OPS;
}

/* Takes back what was posted since. */
static bool copy_rows_take_back(struct expansion *expansion, size_t n_copies, size_t n_rows)
{
    expansion->copies.n = n_copies;
    expansion->rows.n = n_rows;
    expansion->rows.n_memos = 0;
    return false;
}

/* of_all: of all blocks; else of `lanes` alone. Says nothing about what fails. */
static bool post(struct expansion *expansion, const struct statement *loop, const struct lanes *lanes)
{
    struct environment *environment = expansion->environment;
    const size_t n_copies = expansion->copies.n, n_rows = expansion->rows.n;
    const bool was_trial = environment->is_trial;
    const struct names names = names_of(expansion, loop);
    bool is_done = true;
    if (expansion->schedule.use.sends_only)
        return true;
    environment->is_trial = true;
    if (lanes)
        is_done = post_lanes(expansion, loop, &names, lanes);
    struct lanes block;
    for (uint32_t at = 0; !lanes && is_done && post_next_lanes(expansion, &at, &block);)
        is_done = post_lanes(expansion, loop, &names, &block);
    environment->is_trial = was_trial;
    return is_done || copy_rows_take_back(expansion, n_copies, n_rows);
}

bool copy_rows_post(struct expansion *expansion, const struct statement *loop, const struct lanes *lanes)
{
    return post(expansion, loop, lanes);
}

bool copy_rows_post_all(struct expansion *expansion, const struct statement *loop)
{
    return post(expansion, loop, NULL);
}

void copy_rows_clear(struct copy_rows *rows)
{
    rows->n = 0;
    rows->n_memos = 0;
}

void copy_rows_free(struct copy_rows *rows)
{
    free(rows->rows);
    *rows = (struct copy_rows){.rows = NULL};
}
