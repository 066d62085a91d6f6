/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages whose chunks are a set. The body of the message is carried out like any other statements; what its
 * parts name is noted with the lane, and then put into the set of each lane, in the order of the body. See
 * expansion.h.
 */
#include "base/codes.h"
#include "compiler/passes/expansion.h"

#include <stdlib.h>
#include <string.h>

static bool are_uniform(struct expr *const *list, uint32_t n)
{
    bool are = true;
    for (uint32_t i = 0; i < n && are; i++)
        are = !list[i] || list[i]->is_uniform;
    return are;
}

/* True if every rank that sends the message names the same chunks. */
static bool is_same_everywhere(const struct statement *body)
{
    bool is_same = true;
    for (const struct statement *s = body; s && is_same; s = s->next) {
        const struct chunks *chunks = &s->chunks;
        struct expr *const exprs[] = {s->expr, s->last, s->by,
                                      chunks->last, chunks->segment, chunks->last_segment};
        is_same = are_uniform(exprs, sizeof exprs / sizeof *exprs) && are_uniform(chunks->index, chunks->n) &&
                  is_same_everywhere(s->body);
    }
    return is_same;
}

static bool fail_rows(struct expansion *expansion, const struct statement *message)
{
    evaluate_fail(expansion->environment, CODE_E010, message->position, -1,
                  "sets of chunks of more than %llu ranges in a step",
                  (unsigned long long)SCHEDULE_MAX_STEP_OPS);
    expansion->environment->fault.help = "end the step earlier, or take fewer ranks";
    return false;
}

bool post_part(struct expansion *expansion, const struct statement *part, const struct lanes *lanes)
{
    struct parts *parts = &expansion->parts;
    if (!post_find_chunks(expansion, &part->chunks, lanes, expansion->chunk, expansion->n_chunks))
        return false;
    if (parts->n + lanes->n > SCHEDULE_MAX_STEP_OPS)
        return fail_rows(expansion, part);
    parts->items = mem_grow(parts->items, &parts->capacity, parts->n + lanes->n, sizeof *parts->items);
    for (uint32_t i = 0; i < lanes->n; i++)
        parts->items[parts->n++] =
            (struct part){expansion->chunk[i], expansion->n_chunks[i], lane_at(lanes, i)};
    return true;
}

/* Puts the parts in the order of lanes, each lane's in theirs: those of a lane begin at begin[lane]. */
static void sort_by_lane(struct parts *parts, size_t begin[BLOCK_LANES + 1])
{
    size_t at[BLOCK_LANES];
    bool is_sorted = true;
    memset(begin, 0, (BLOCK_LANES + 1) * sizeof *begin);
    for (size_t i = 0; i < parts->n; i++) {
        is_sorted = is_sorted && (i == 0 || parts->items[i - 1].lane <= parts->items[i].lane);
        begin[parts->items[i].lane + 1]++;
    }
    for (uint32_t lane = 0; lane < BLOCK_LANES; lane++) {
        begin[lane + 1] += begin[lane];
        at[lane] = begin[lane];
    }
    if (is_sorted)
        return;
    parts->sorted = mem_grow(parts->sorted, &parts->sorted_capacity, parts->n, sizeof *parts->sorted);
    for (size_t i = 0; i < parts->n; i++)
        parts->sorted[at[parts->items[i].lane]++] = parts->items[i];
    struct part *const items = parts->items;
    const size_t capacity = parts->capacity;
    parts->items = parts->sorted;
    parts->capacity = parts->sorted_capacity;
    parts->sorted = items;
    parts->sorted_capacity = capacity;
}

static bool fail_set(struct expansion *expansion, const struct statement *message, uint32_t rank,
                     const char *what, const char *help)
{
    evaluate_fail(expansion->environment, CODE_E008, message_part(message)->chunks.position, rank, "%s",
                  what);
    expansion->environment->fault.help = help;
    return false;
}

/* Gives the operation the chunks of n parts. */
static bool take_set(struct expansion *expansion, const struct statement *message, const struct part *parts,
                     size_t n, struct op *op)
{
    struct chunk_sets *sets = &expansion->sets;
    const size_t first = sets->n;
    uint64_t n_chunks = 0;
    uint32_t twice;
    for (size_t i = 0; i < n; i++) {
        n_chunks += parts[i].n;
        if (parts[i].n)
            chunk_sets_append(sets, first, parts[i].chunk, parts[i].n);
    }
    op->n_chunks = (uint32_t)n_chunks;
    if (!n_chunks)
        return fail_set(expansion, message, op->rank, "a message of an empty set of chunks",
                        "put an 'if' before it; a message without data is 'send to', 'recv from'");
    if (!chunk_sets_end(sets, first, op) || sets->n > SCHEDULE_MAX_STEP_OPS || n_chunks > UINT32_MAX)
        return fail_rows(expansion, message);
    if (chunk_set_overlaps(&expansion->schedule.header, op, &twice))
        return fail_set(expansion, message, op->rank,
                        arena_printf(&expansion->diagnostics->arena, "chunk %u of '%s' is twice in a message",
                                     twice, buffer_name[op->buffer]),
                        "let the loops of the set name each chunk once");
    return true;
}

/* The set of the first lane, which is that of all. */
static bool take_same(struct expansion *expansion, const struct statement *message, const struct lanes *lanes,
                      struct op *ops)
{
    if (!take_set(expansion, message, expansion->parts.items, expansion->parts.n, &ops[0]))
        return false;
    for (uint32_t i = 1; i < lanes->n; i++) {
        ops[i].chunk = ops[0].chunk;
        ops[i].n_chunks = ops[0].n_chunks;
        ops[i].is_set = ops[0].is_set;
    }
    return true;
}

static bool take_own(struct expansion *expansion, const struct statement *message, const struct lanes *lanes,
                     struct op *ops)
{
    size_t begin[BLOCK_LANES + 1];
    sort_by_lane(&expansion->parts, begin);
    for (uint32_t i = 0; i < lanes->n; i++) {
        const uint32_t lane = lane_at(lanes, i);
        if (!take_set(expansion, message, expansion->parts.items + begin[lane], begin[lane + 1] - begin[lane],
                      &ops[i]))
            return false;
    }
    return true;
}

bool post_set(struct expansion *expansion, const struct statement *message, const struct lanes *lanes,
              struct op *ops)
{
    enum { AT_ONCE = 64 }; /* lanes whose parts are kept: those of more would leave the cache */
    const bool is_same = is_same_everywhere(message->body);
    const uint32_t most = is_same ? 1 : AT_ONCE;
    bool is_done = true;
    for (uint32_t i = 0; i < lanes->n && is_done; i += is_same ? lanes->n : most) {
        const uint32_t left = lanes->n - i;
        const struct lanes some = {left < most ? left : most, lanes->index ? lanes->index + i : NULL,
                                   lanes->first + i};
        expansion->parts.n = 0;
        is_done = post_list(expansion, message->body, &some) &&
                  (is_same ? take_same(expansion, message, lanes, ops)
                           : take_own(expansion, message, &some, ops + i));
    }
    return is_done;
}

void parts_free(struct parts *parts)
{
    free(parts->items);
    free(parts->sorted);
}
