/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R005: the same chunk is touched twice where the order is not told, so the result depends on
 * which is faster.
 *
 * Among operations that a rank posts together these are a receive into a chunk that is also sent (MPI 4.0,
 * section 3.7.2: the send buffer may not be modified), or two receives into one chunk. A reduce receives
 * aside and combines when the step ends, so it may meet sends of the chunk and other reduces into it. Under
 * MPI_IN_PLACE a chunk of `in` may be one of `out` (schedule_in_place). Time O(n log n) in the operations of
 * the rank.
 *
 * A copy or combination of a range of chunks moves them in any order, or at once. So what
 * it reads and what it writes may not overlap, as with memcpy and MPI_Reduce_local (MPI 4.0,
 * section 2.3: an argument that is written may be no other argument). What is copied onto itself,
 * in place or not, is not moved at all.
 */
#include "verify/rule.h"

#include <stdlib.h>

/* Chunks first .. end-1 of a buffer, which an operation sends or receives. */
struct touch {
    const struct op *op;
    uint64_t first, end;
    uint8_t buffer;
    bool is_alias; /* of `in`, which in place is `out` */
};

static int compare_touches(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    if (x->op->line != y->op->line)
        return x->op->line < y->op->line ? -1 : 1;
    return x->op->kind < y->op->kind ? -1 : x->op->kind > y->op->kind;
}

/* The part of the chunks of `in` that in place is part of `out`, there. False if there is none. */
static bool r005_find_alias(const struct schedule_header *header, const struct op *op, struct touch *touch)
{
    uint32_t in, out;
    if (op->buffer != BUFFER_IN || !schedule_in_place(header, op->rank, &in, &out))
        return false;
    const uint64_t end = (uint64_t)op->chunk + op->n_chunks, limit = (uint64_t)in + header->segments;
    const uint64_t first = op->chunk > in ? op->chunk : in, last = end < limit ? end : limit;
    *touch = (struct touch){op, first - in + out, last - in + out, BUFFER_OUT, true};
    return first < last;
}

/* Lists what operations touch, twice as many as there are ranges at most. */
static size_t list_touches(const struct schedule_header *header, const struct fact_posted *fact,
                           struct touch *touches)
{
    size_t n = 0;
    for (size_t i = 0; i < fact->n; i++) {
        struct op_ranges ranges = op_ranges(header, fact->ops[i]);
        while (op_ranges_next(&ranges)) {
            const struct op range = op_of_range(fact->ops[i], &ranges);
            touches[n++] = (struct touch){fact->ops[i], range.chunk, (uint64_t)range.chunk + range.n_chunks,
                                          range.buffer, false};
            if (range.kind == OP_SEND && r005_find_alias(header, &range, &touches[n]))
                touches[n++].op = fact->ops[i];
        }
    }
    return n;
}

static size_t count_ranges(const struct schedule_header *header, const struct fact_posted *fact)
{
    size_t n = 0;
    if (!schedule_has_sets(header))
        return fact->n;
    for (size_t i = 0; i < fact->n; i++)
        for (struct op_ranges ranges = op_ranges(header, fact->ops[i]); op_ranges_next(&ranges);)
            n++;
    return n;
}

static void report_alias(const struct judge *judge, const struct op *receive, const struct op *send,
                         uint32_t chunk, uint64_t step)
{
    uint32_t in, out;
    schedule_in_place(&judge->verifier->schedule->header, send->rank, &in, &out);
    struct diagnostic *finding = finding_at(
        judge, receive, step,
        "rank %u receives out[%u] from rank %u and sends in[%u], which in place is the same, "
        "to rank %u in the same step %llu",
        receive->rank, chunk, receive->peer, chunk - out + in, send->peer, (unsigned long long)step);
    finding_relate(judge, finding, send, "the other operation");
    finding->help = "what a rank has itself is copied from 'in' to 'out'; in place that costs nothing";
}

/* Returns how to mend it. Where data are combined, a receive into the own result was likely meant to be a
 * `reduce`. */
static const char *remedy(const struct judge *judge, const struct op *receive, const struct op *other)
{
    const bool reduces = collective_table[judge->verifier->schedule->header.collective].reduces;
    if (other->kind != OP_SEND)
        return "put the two in different steps";
    if (reduces && receive->buffer != BUFFER_TMP)
        return "'reduce' in place of 'recv' combines what comes with what is there; or receive into another "
               "chunk, of 'tmp' for example, or in another step";
    return "if the number of neither chunk is wrong, receive into another one, of 'tmp' for example, or put the two "
           "in different steps";
}

static void r005_report_clash(const struct judge *judge, const struct touch *a, const struct touch *b,
                              uint64_t step)
{
    static const char *const verb[] = {"sends", "receives", "reduces", "copies"};
    const struct op *receive = a->op->kind == OP_RECV ? a->op : b->op;
    const struct op *second = receive == a->op ? b->op : a->op;
    const uint32_t chunk = (uint32_t)(a->first > b->first ? a->first : b->first);
    if (finding_is_counted(judge))
        return;
    if (a->is_alias || b->is_alias) {
        report_alias(judge, receive, second, chunk, step);
        return;
    }
    struct diagnostic *finding =
        finding_at(judge, receive, step,
                   "rank %u receives %s[%u] from rank %u and %s it %s rank %u in the same step %llu",
                   receive->rank, buffer_name[receive->buffer], chunk, receive->peer,
                   verb[second->kind], second->kind == OP_SEND ? "to" : "from", second->peer,
                   (unsigned long long)step);
    finding_relate(judge, finding, second, "the other operation");
    finding->help = remedy(judge, receive, second);
}

/* True if `next`, which does not begin before `touch`, begins in it. */
static bool r005_covers(const struct touch *touch, const struct touch *next)
{
    return touch && touch->buffer == next->buffer && next->first < touch->end;
}

/* Finds two that clash, in ascending order of chunks; remembers the one that reaches furthest of each kind:
 * OP_SEND, OP_RECV, OP_REDUCE. */
static bool find_clash(const struct touch *touches, size_t n, const struct touch *clash[2])
{
    const struct touch *far[3] = {NULL, NULL, NULL};
    for (size_t i = 0; i < n; i++) {
        const struct touch *touch = &touches[i];
        const uint8_t kind = touch->op->kind;
        for (int other = OP_SEND; other <= OP_REDUCE; other++) {
            if ((kind != OP_RECV && other != OP_RECV) || !r005_covers(far[other], touch))
                continue;
            clash[0] = touch;
            clash[1] = far[other];
            return true;
        }
        if (!r005_covers(far[kind], touch) || touch->end > far[kind]->end)
            far[kind] = touch;
    }
    return false;
}

enum { FEW = 16 };

/* Most ranks post two operations in a step, which are sorted at once. */
static void sort_touches(struct touch *touches, size_t n)
{
    if (n > FEW) {
        qsort(touches, n, sizeof *touches, compare_touches);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const struct touch touch = touches[i];
        size_t at = i;
        for (; at > 0 && compare_touches(&touch, &touches[at - 1]) < 0; at--)
            touches[at] = touches[at - 1];
        touches[at] = touch;
    }
}

/* True if no receive meets another operation, where they are many, of one buffer, and near each other. False:
 * not known. O(n) */
static bool are_all_apart(const struct schedule_header *header, const struct op *const *ops, size_t n)
{
    enum { IS_USED = 1, IS_RECEIVED = 2, APART = 16 };
    const uint8_t buffer = ops[0]->buffer;
    uint64_t first = ops[0]->chunk, end = first, n_chunks = 0;
    bool are = n > FEW && buffer != BUFFER_IN && !schedule_has_sets(header);
    for (size_t i = 0; are && i < n; i++) {
        const uint64_t end_of_op = (uint64_t)ops[i]->chunk + ops[i]->n_chunks;
        first = ops[i]->chunk < first ? ops[i]->chunk : first;
        end = end_of_op > end ? end_of_op : end;
        n_chunks += ops[i]->n_chunks;
        are = ops[i]->buffer == buffer && end - first + n_chunks <= APART * (uint64_t)n;
    }
    uint8_t *use = are ? mem_alloc((size_t)(end - first) + 1, 1) : NULL;
    for (size_t i = 0; are && i < n; i++) {
        const bool is_received = ops[i]->kind == OP_RECV;
        uint8_t *of_op = use + (ops[i]->chunk - first);
        for (uint32_t k = 0; k < ops[i]->n_chunks; k++) {
            are = are && (is_received ? !of_op[k] : !(of_op[k] & IS_RECEIVED));
            of_op[k] |= is_received ? IS_RECEIVED : IS_USED;
        }
    }
    free(use);
    return are;
}

static bool do_overlap(uint64_t a, uint64_t b, uint64_t n)
{
    return a < b + n && b < a + n;
}

/* True if each operation touches chunks behind those of the one before it, or a later buffer. False: not
 * known. O(n) */
static bool r005_ascend(const struct schedule_header *header, const struct op *const *ops, size_t n)
{
    uint32_t in, out;
    bool are = !schedule_has_sets(header) && !schedule_in_place(header, ops[0]->rank, &in, &out);
    for (size_t i = 1; are && i < n; i++) {
        const struct op *before = ops[i - 1], *op = ops[i];
        are = before->buffer < op->buffer || (before->buffer == op->buffer &&
                                              (uint64_t)before->chunk + before->n_chunks <= op->chunk);
    }
    return are;
}

/* True if two operations are apart, which is all that most ranks need. */
static bool are_apart(const struct op *a, const struct op *b)
{
    return a->buffer != BUFFER_IN && b->buffer != BUFFER_IN && !a->is_set && !b->is_set &&
           (a->buffer != b->buffer || a->chunk >= (uint64_t)b->chunk + b->n_chunks ||
            b->chunk >= (uint64_t)a->chunk + a->n_chunks);
}

static bool judge_posted(const struct judge *judge, const struct fact_posted *fact)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    const struct touch *clash[2];
    struct touch few[FEW], *touches = few;
    if (fact->n < 2 || (fact->n == 2 && are_apart(fact->ops[0], fact->ops[1])) ||
        r005_ascend(header, fact->ops, fact->n) || are_all_apart(header, fact->ops, fact->n))
        return false;
    const size_t most = 2 * count_ranges(header, fact);
    if (most > FEW)
        touches = mem_alloc(most, sizeof *touches);
    const size_t n = list_touches(header, fact, touches);
    sort_touches(touches, n);
    const bool is_found = find_clash(touches, n, clash);
    if (is_found)
        r005_report_clash(judge, clash[0], clash[1], fact->step);
    if (touches != few)
        free(touches);
    return is_found;
}

/* True if, in place, what is read of `out` is written elsewhere in it, among what is read. */
static bool is_shifted_in_place(const struct judge *judge, const struct op *op)
{
    const uint64_t end = (uint64_t)op->to_chunk + op->n_chunks;
    struct touch alias;
    uint32_t in, out;
    if (op->to_buffer != BUFFER_OUT || !r005_find_alias(&judge->verifier->schedule->header, op, &alias) ||
        alias.first >= end || op->to_chunk >= alias.end)
        return false;
    schedule_in_place(&judge->verifier->schedule->header, op->rank, &in, &out);
    return alias.first - out + in - op->chunk != alias.first - op->to_chunk;
}

static bool overlaps_itself(const struct op *op)
{
    const bool is_moved = op->chunk != op->to_chunk || op->kind != OP_COPY;
    return op->buffer == op->to_buffer && is_moved && do_overlap(op->chunk, op->to_chunk, op->n_chunks);
}

static bool judge_local(const struct judge *judge, const struct fact_local *fact)
{
    const struct op *op = fact->op;
    const bool is_same = overlaps_itself(op);
    if ((!is_same && !is_shifted_in_place(judge, op)) || op->n_chunks == 0)
        return false;
    if (finding_is_counted(judge))
        return true;
    finding_at(judge, op, fact->step, "rank %u %s %s[%u..%u] to %s[%u..%u] in step %llu, which %s",
               op->rank, op->kind == OP_COPY ? "copies" : "combines", buffer_name[op->buffer],
               op->chunk, op->chunk + op->n_chunks - 1, buffer_name[op->to_buffer], op->to_chunk,
               op->to_chunk + op->n_chunks - 1, (unsigned long long)fact->step,
               is_same ? "overlap" : "in place overlap")
        ->help = "go through other chunks of 'tmp', or chunk by chunk in an order in which none is "
                 "written before it is read";
    return true;
}

const struct rule rule_R005 = {
    .by_representatives = true, .posted = judge_posted, .local = judge_local};
