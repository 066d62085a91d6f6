/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R005: operations that one rank posts together touch the same chunk, so the
 * result depends on which is faster: a receive into a chunk that is also sent (MPI
 * 4.0, section 3.7.2: the send buffer may not be modified), or two receives into one
 * chunk. A reduce receives aside and combines when the step ends, so it may meet
 * sends of the chunk and other reduces into it. Under MPI_IN_PLACE a chunk of `in` may be
 * one of `out` (schedule_in_place). Time O(n log n) in the operations of the rank.
 */
#include "verify/internal.h"

#include <stdlib.h>

static int compare_ops(const void *a, const void *b)
{
    const struct op *x = *(const struct op *const *)a, *y = *(const struct op *const *)b;
    if (x->buffer != y->buffer)
        return x->buffer < y->buffer ? -1 : 1;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void report_overlap(struct verifier *verifier, const struct op *op, const struct op *other,
                           uint64_t step)
{
    static const char *const verb[] = {"sends", "receives", "reduces", "copies"};
    const struct op *receive = op->kind == OP_RECV ? op : other;
    const struct op *second = receive == op ? other : op;
    uint32_t chunk = op->chunk > other->chunk ? op->chunk : other->chunk;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R005))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R005, schedule_position(verifier->schedule, receive),
               "rank %u receives %s[%u] from rank %u and %s it %s rank %u in the same step %llu",
               receive->rank, buffer_name[receive->buffer], chunk, receive->peer,
               verb[second->kind], second->kind == OP_SEND ? "to" : "from", second->peer,
               (unsigned long long)step);
    place_at_op(finding, receive, step);
    finding->related = schedule_position(verifier->schedule, second);
    finding->related_text = "the other operation";
    finding->help = "put the two in different steps";
}

/* The chunks of a buffer that the operation has of those first .. first + n - 1, from 0 on. */
static bool cut_chunks(const struct op *op, enum buffer buffer, uint32_t first, uint32_t n,
                       uint64_t range[2])
{
    const uint64_t end = (uint64_t)op->chunk + op->n_chunks, limit = (uint64_t)first + n;
    range[0] = op->chunk > first ? op->chunk - first : 0;
    range[1] = (end < limit ? end : limit) - first;
    return op->n_chunks > 0 && op->buffer == buffer && op->chunk < limit && end > first;
}

/* The receive into a segment of `out` that in place is one of `in` that is sent, *segment. */
static const struct op *find_same(const struct schedule_header *header, const struct op **ops,
                                  size_t n, const struct op *send, uint32_t *segment)
{
    uint64_t sent[2], received[2];
    uint32_t in, out;
    schedule_in_place(header, send->rank, &in, &out);
    if (send->kind != OP_SEND || !cut_chunks(send, BUFFER_IN, in, header->segments, sent))
        return NULL;
    for (size_t i = n; i-- > 0;) {
        if (ops[i]->kind != OP_RECV ||
            !cut_chunks(ops[i], BUFFER_OUT, out, header->segments, received) ||
            sent[1] <= received[0] || received[1] <= sent[0])
            continue;
        *segment = (uint32_t)(sent[0] > received[0] ? sent[0] : received[0]);
        return ops[i];
    }
    return NULL;
}

/* A receive into a chunk of `out` while one of `in` is sent, which in place is the same
 * memory (R006.c has the other half). */
static bool report_in_place(struct verifier *verifier, const struct op **ops, size_t n,
                            uint64_t step)
{
    const struct schedule_header *header = &verifier->schedule->header;
    const struct op *send = NULL, *receive = NULL;
    uint32_t in, out, segment = 0;
    if (!schedule_in_place(header, ops[0]->rank, &in, &out))
        return false;
    for (size_t i = n; i-- > 0 && !receive;) {
        send = ops[i];
        receive = find_same(header, ops, n, send, &segment);
    }
    if (!receive)
        return false;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R005))
        return true;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R005, schedule_position(verifier->schedule, receive),
               "rank %u receives out[%u] from rank %u and sends in[%u], which in place is the same, "
               "to rank %u in the same step %llu",
               receive->rank, out + segment, receive->peer, in + segment, send->peer,
               (unsigned long long)step);
    place_at_op(finding, receive, step);
    finding->related = schedule_position(verifier->schedule, send);
    finding->related_text = "the other operation";
    finding->help = "what a rank has itself is copied from 'in' to 'out'; in place that costs nothing";
    return true;
}

/* The operation that reaches furthest to the right, of each sort, in the
 * buffer looked at. */
struct reach {
    const struct op *by[3]; /* OP_SEND, OP_RECV, OP_REDUCE */
};

static uint64_t end_of(const struct op *op)
{
    return op->chunk + (uint64_t)op->n_chunks;
}

static bool covers(const struct op *op, const struct op *next)
{
    return op && op->buffer == next->buffer && next->chunk - op->chunk < op->n_chunks;
}

void rule_R005(struct verifier *verifier, const struct op **ops, size_t n, uint64_t step)
{
    if (n < 2 || report_in_place(verifier, ops, n, step))
        return;
    struct reach reach = {{NULL, NULL, NULL}};
    qsort(ops, n, sizeof *ops, compare_ops);
    for (size_t i = 0; i < n; i++) {
        const struct op *op = ops[i];
        if (op->n_chunks == 0)
            continue;
        for (int kind = OP_SEND; kind <= OP_REDUCE; kind++) {
            bool clashes = (op->kind == OP_RECV || kind == OP_RECV) && covers(reach.by[kind], op);
            if (clashes) {
                report_overlap(verifier, op, reach.by[kind], step);
                return;
            }
        }
        const struct op **far = &reach.by[op->kind];
        if (!covers(*far, op) || end_of(op) > end_of(*far))
            *far = op;
    }
}
