/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joins sends and receives to messages. A connection goes from a GPU to another on a channel; a thread
 * block sends on it and one of the other GPU receives, and the k-th receive gets the data of the k-th
 * send. A message needs both, with the same number of chunks. A mismatch is reported and left out of the
 * schedule, so that one mistake is not reported many times.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <stdlib.h>

/* A thread block at an end of a connection. */
struct end {
    uint32_t from, to, channel, block;
    bool receives;
};

static int connect_compare_ends(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    const uint32_t keys[][2] = {{x->from, y->from}, {x->to, y->to}, {x->channel, y->channel},
                                {x->receives, y->receives}, {x->block, y->block}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Returns the next instruction of the block from `index` on that sends, or receives; the end of the block
 * if none. */
static uint32_t next_op(const struct msccl_file *file, const struct end *end, uint32_t index)
{
    const struct msccl_block *block = &file->blocks[end->block];
    for (; index < block->first + block->n; index++) {
        const struct instruction_info *info = op_info(&file->ops[index]);
        if (end->receives ? info->receives : info->sends)
            break;
    }
    return index;
}

static bool is_end_of(const struct msccl_file *file, const struct end *end, uint32_t index)
{
    const struct msccl_block *block = &file->blocks[end->block];
    return index >= block->first + block->n;
}

/* True if the thread block of the end sends or receives there. */
static bool connect_is_used(const struct msccl_file *file, const struct end *end)
{
    return !is_end_of(file, end, next_op(file, end, file->blocks[end->block].first));
}

static size_t connect_list_ends(const struct msccl_file *file, struct end *ends)
{
    size_t n = 0;
    for (uint32_t i = 0; i < file->n_blocks; i++) {
        const struct msccl_block *block = &file->blocks[i];
        const struct end out = {block->gpu, block->send_peer, block->channel, i, false};
        const struct end in = {block->receive_peer, block->gpu, block->channel, i, true};
        if (block->send_peer != NONE && connect_is_used(file, &out))
            ends[n++] = out;
        if (block->receive_peer != NONE && connect_is_used(file, &in))
            ends[n++] = in;
    }
    if (n)
        qsort(ends, n, sizeof *ends, connect_compare_ends);
    return n;
}

static bool is_same_connection(const struct end *a, const struct end *b)
{
    return a->from == b->from && a->to == b->to && a->channel == b->channel;
}

/* Refuses two thread blocks at one end, which would take each other's messages. */
static bool check_alone(const struct msccl_file *file, const struct end *ends, size_t n)
{
    bool is_right = true;
    for (size_t i = 1; i < n; i++) {
        if (!is_same_connection(&ends[i - 1], &ends[i]) || ends[i - 1].receives != ends[i].receives)
            continue;
        const struct msccl_block *one = &file->blocks[ends[i - 1].block];
        const struct msccl_block *other = &file->blocks[ends[i].block];
        struct diagnostic *diagnostic =
            report(file->diagnostics, CODE_S005, msccl_block_place(file, other),
                   "thread blocks %u and %u of GPU %u both %s GPU %u on channel %u", one->id, other->id, one->gpu,
                   ends[i].receives ? "receive from" : "send to", ends[i].receives ? ends[i].from : ends[i].to,
                   one->channel);
        diagnostic->help = "one thread block sends on a connection and one receives: give each a channel, 'chan', "
                           "of its own";
        diagnostic->related = msccl_block_place(file, one);
        diagnostic->related_text = "the other one";
        is_right = false;
    }
    return is_right;
}

static void report_unmatched(struct msccl_graph *graph, const struct end *end, uint32_t index)
{
    const struct msccl_op *op = &graph->file->ops[index];
    const uint32_t code = end->receives ? CODE_M002 : CODE_M001;
    if (diagnostics_only_counts(graph->found, code))
        return;
    struct diagnostic *diagnostic =
        report(graph->found, code, msccl_op_place(graph->file, op),
               end->receives ? "%s receives from GPU %u on channel %u, and GPU %u sends nothing there for it"
                             : "%s sends to GPU %u on channel %u, and GPU %u has no receive there for it",
               msccl_words_of_block(graph, op), end->receives ? end->from : end->to, end->channel,
               end->receives ? end->from : end->to);
    diagnostic->help = "the k-th receive of a connection, from, to and channel, gets what the k-th send of it sent";
    diagnostic->place.rank = end->receives ? end->to : end->from;
    diagnostic->place.peer = end->receives ? end->from : end->to;
}

static void report_unequal(struct msccl_graph *graph, const struct end *end, const struct msccl_op *send,
                           const struct msccl_op *receive)
{
    if (diagnostics_only_counts(graph->found, CODE_M003))
        return;
    struct diagnostic *diagnostic =
        report(graph->found, CODE_M003, msccl_op_place(graph->file, receive),
               "%s receives %u chunk%s from GPU %u on channel %u, which sends %u",
               msccl_words_of_block(graph, receive), receive->count, plural(receive->count), end->from,
               end->channel, send->count);
    diagnostic->help = "both ends of a message have the same cnt";
    diagnostic->related = msccl_op_place(graph->file, send);
    diagnostic->related_text = "the send";
    diagnostic->place.rank = end->to;
    diagnostic->place.peer = end->from;
}

/* Joins the send and the receive of a message. An instruction receives first and sends last. */
static void connect_join(struct msccl_graph *graph, const struct end *end, uint32_t send, uint32_t receive)
{
    const uint32_t from = graph->first_event[send + 1] - 1, to = graph->first_event[receive];
    msccl_push_arrow(&graph->arrows, from, to, ARROW_WAIT);
    if (graph->file->ops[send].count != graph->file->ops[receive].count) {
        report_unequal(graph, end, &graph->file->ops[send], &graph->file->ops[receive]);
        return;
    }
    graph->events[from].partner = to;
    graph->events[to].partner = from;
}

/* Makes the messages of a connection; a missing end has no thread block. */
static void connect_ends(struct msccl_graph *graph, const struct end *sender, const struct end *receiver)
{
    const struct msccl_file *file = graph->file;
    uint32_t send = sender ? next_op(file, sender, file->blocks[sender->block].first) : 0;
    uint32_t receive = receiver ? next_op(file, receiver, file->blocks[receiver->block].first) : 0;
    for (;;) {
        const bool has_send = sender && !is_end_of(file, sender, send);
        const bool has_receive = receiver && !is_end_of(file, receiver, receive);
        if (has_send && has_receive)
            connect_join(graph, receiver, send, receive);
        else if (has_send)
            report_unmatched(graph, sender, send);
        else if (has_receive)
            report_unmatched(graph, receiver, receive);
        else
            return;
        if (has_send)
            send = next_op(file, sender, send + 1);
        if (has_receive)
            receive = next_op(file, receiver, receive + 1);
    }
}

bool msccl_connect(struct msccl_graph *graph)
{
    const struct msccl_file *file = graph->file;
    struct end *ends = mem_alloc(2 * file->n_blocks, sizeof *ends);
    const size_t n = connect_list_ends(file, ends);
    const bool is_right = check_alone(file, ends, n);
    for (size_t i = 0; i < n && is_right; i++) {
        const bool is_pair = i + 1 < n && is_same_connection(&ends[i], &ends[i + 1]);
        connect_ends(graph, ends[i].receives ? NULL : &ends[i],
                     is_pair ? &ends[i + 1] : ends[i].receives ? &ends[i] : NULL);
        i += is_pair;
    }
    free(ends);
    return is_right;
}
