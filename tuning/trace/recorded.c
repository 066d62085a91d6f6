/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See recorded.h.
 */
#include "tuning/trace/recorded.h"

#include "base/integer.h"
#include "tuning/trace/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool work_fail(struct work *work, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!work->problem)
        work->problem = arena_vprintf(work->arena, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- what was recorded ---- */

static bool recorded_is_same_call(const struct trace_call *a, const struct trace_call *b)
{
    return a->n_ranks == b->n_ranks && a->root == b->root && a->elements == b->elements &&
           strcmp(a->collective, b->collective) == 0;
}

static bool check_calls(struct work *work, uint32_t n_ranks)
{
    const struct trace_call *first = work->calls[0];
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        const struct trace_call *call = work->calls[rank];
        if (!recorded_is_same_call(call, first) || call->n_ranks != n_ranks || call->root >= n_ranks)
            return work_fail(work, "the recordings are not of one call");
        if (call->fails)
            return work_fail(work, "the MPI returned an error at rank %" PRIu32, rank);
        if (call->lost)
            return work_fail(work, "rank %" PRIu32 " has %s", rank, call->lost);
    }
    return true;
}

/* The data of collectives with equal counts, of which others are forms. */
static bool recorded_take_header(struct work *work, const struct recorded_request *request)
{
    const struct trace_call *call = work->calls[0];
    enum collective_form form;
    work->header = (struct schedule_header){
        .collective = collective_find_form(call->collective, strlen(call->collective), &form),
        .algorithm = request->title,
        .n_ranks = request->n_ranks,
        .root = call->root,
        .segments = 1,
        .is_ordered = request->is_ordered};
    if (work->header.collective == N_COLLECTIVES)
        return work_fail(work, "there is no collective '%s'", call->collective);
    work->elements = collective_has_data(work->header.collective) ? call->elements : 0;
    work->ranks = arena_alloc(work->arena, request->n_ranks, sizeof *work->ranks);
    return true;
}

/* Counts what each rank has before the call, and checks that it is what the collective gives it. */
static bool take_given(struct work *work)
{
    const struct schedule_header *header = &work->header;
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        const struct trace_call *call = work->calls[rank];
        const bool is_root = rank == header->root && header->collective == COLLECTIVE_bcast;
        const uint64_t in = schedule_has(header, rank, BUFFER_IN) ? schedule_chunks(header, BUFFER_IN) : 0;
        work->ranks[rank].n_given = !work->elements ? 0
                                    : call->in.n    ? call->in.n
                                    : is_root       ? work->elements
                                                    : 0;
        if (work->elements && in && call->in.n != in * work->elements)
            return work_fail(work, "rank %" PRIu32 " has another buffer than the collective", rank);
    }
    return true;
}

/* ---- the file ---- */

/* An operation of the file, for its order: by step, rank, and what it is. */
struct written {
    uint64_t step, order;
    uint32_t rank;
    uint8_t kind; /* enum op_kind; copies and combinations before sends, and receives behind */
    const struct item *item;
    const struct message *message;
};

static int written_class(const struct written *written)
{
    return written->message == NULL ? 0 : written->kind == OP_SEND ? 1 : 2;
}

static int compare_written(const void *x, const void *y)
{
    const struct written *a = x, *b = y;
    const int differences[] = {compare_numbers(a->step, b->step), compare_numbers(a->rank, b->rank),
                               written_class(a) - written_class(b), compare_numbers(a->order, b->order)};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i])
            return differences[i];
    return 0;
}

/* Adds the operations of a rank. Receives of a step are in the order in which the messages were sent. */
static void add_written(const struct work *work, uint32_t rank, struct written *all, size_t *n)
{
    for (size_t i = 0; i < work->ranks[rank].n_items; i++) {
        const struct item *item = &work->ranks[rank].items[i];
        const struct message *message = item->kind == ITEM_LOCAL ? NULL : &work->messages[item->message];
        if (item->kind == ITEM_DONE)
            continue;
        all[(*n)++] = (struct written){.step = !message                       ? item->step
                                               : item->kind == ITEM_POST_SEND ? message->send_step
                                                                              : message->receive_step,
                                       .order = message ? (uint64_t)(message - work->messages) : i,
                                       .rank = rank,
                                       .kind = (uint8_t)(!message                       ? item->local
                                                         : item->kind == ITEM_POST_SEND ? OP_SEND
                                                                                        : OP_RECV),
                                       .item = item,
                                       .message = message};
    }
}

static void put_range(const char *before, const struct chunk_range *range, struct text *out)
{
    if (!range->n)
        return;
    text_printf(out, "%s%s[%" PRIu32, before, buffer_name[range->buffer], range->chunk);
    if (range->n > 1)
        text_printf(out, "..%" PRIu32, range->chunk + range->n - 1);
    text_printf(out, "]");
}

static void put_written(const struct written *written, struct text *out)
{
    const struct message *message = written->message;
    text_printf(out, "%" PRIu32, written->rank);
    if (!message) {
        const struct item *item = written->item;
        const struct chunk_range to = {item->to_buffer, item->to_chunk, item->from.n};
        text_printf(out, written->kind == OP_COPY ? " copy" : " reduce");
        put_range(" ", &item->from, out);
        put_range(" to ", &to, out);
    } else if (written->kind == OP_SEND) {
        text_printf(out, " send");
        put_range(" ", &message->sent, out);
        text_printf(out, " to %" PRIu32, message->to);
    } else {
        text_printf(out, " recv");
        put_range(" ", &message->received, out);
        text_printf(out, " from %" PRIu32, message->from);
    }
    text_printf(out, "\n");
}

static void put_head(const struct work *work, const char *comment, struct text *out)
{
    const struct schedule_header *header = &work->header;
    const struct collective_info *info = &collective_table[header->collective];
    text_printf(out, "collc-schedule 1\n%scollective %s\nalgorithm \"%s\"\nranks %" PRIu32 "\n",
                comment ? comment : "", info->name, header->algorithm, header->n_ranks);
    if (info->rooted)
        text_printf(out, "root %" PRIu32 "\n", header->root);
    if (header->segments > 1 || collective_has(header->collective, BUFFER_BUF))
        text_printf(out, "segments %" PRIu32 "\n", header->segments);
    if (header->n_tmp)
        text_printf(out, "tmp %" PRIu32 "\n", header->n_tmp);
    if (header->is_ordered && info->reduces)
        text_printf(out, "ordered\n");
    if (work->elements && work->elements % header->segments == 0)
        text_printf(out, "chunk-bytes %" PRIu64 "\n", work->elements / header->segments * TRACE_ELEMENT);
}

static void put_file(struct work *work, const char *comment, struct text *out)
{
    size_t n = 0, most = 0;
    uint64_t step = 0;
    for (uint32_t rank = 0; rank < work->header.n_ranks; rank++)
        most += work->ranks[rank].n_items;
    struct written *all = mem_alloc(most + 1, sizeof *all);
    for (uint32_t rank = 0; rank < work->header.n_ranks; rank++)
        add_written(work, rank, all, &n);
    qsort(all, n, sizeof *all, compare_written);
    put_head(work, comment, out);
    for (size_t i = 0; i < n; i++) {
        while (step <= all[i].step)
            text_printf(out, "step %" PRIu64 "\n", step++);
        put_written(&all[i], out);
    }
    text_printf(out, "end\n");
    work->n_steps = step;
    free(all);
}

static bool record_all(struct work *work, const struct recorded_request *request)
{
    if (!check_calls(work, request->n_ranks) || !recorded_take_header(work, request) || !take_given(work) ||
        !work_messages(work) || !work_values(work))
        return false;
    for (uint32_t rank = 0; rank < request->n_ranks; rank++) {
        if (!work_places(work, rank))
            return false;
        const uint32_t n_tmp = work->ranks[rank].n_tmp;
        work->header.n_tmp = n_tmp > work->header.n_tmp ? n_tmp : work->header.n_tmp;
    }
    return work_steps(work);
}

bool recorded_make(const struct recorded_request *request, struct recorded *recorded, struct arena *arena)
{
    struct work work = {.calls = request->calls, .arena = arena};
    *recorded = (struct recorded){0};
    const bool is_well = record_all(&work, request);
    if (is_well)
        put_file(&work, request->comment, &recorded->file);
    recorded->segments = work.header.segments;
    recorded->n_messages = work.n_messages;
    recorded->n_buffered = work.n_buffered;
    recorded->n_steps = work.n_steps;
    recorded->problem = work.problem;
    for (uint32_t rank = 0; work.ranks && rank < request->n_ranks; rank++)
        free(work.ranks[rank].items);
    return is_well;
}
