/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See recorded.h.
 */
#include "tuning/trace/recorded.h"

#include "base/integer.h"
#include "base/search.h"
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

/* Returns the elements of a block of `in` or `out`; of one that nobody sends, as of those beyond a border,
 * the least. */
static uint64_t block_elements(const struct work *work, uint32_t rank, enum buffer buffer, uint32_t block)
{
    struct counts *counts = work->header.counts;
    const uint64_t datum = counts ? schedule_chunk_datum(&work->header, rank, buffer, block) : NO_DATUM;
    return datum == NO_DATUM ? work->elements : counts->bytes(counts, datum) / TRACE_ELEMENT;
}

/* Finds where the blocks of a buffer begin, as many as its elements are. */
static bool take_starts(struct work *work, uint32_t rank, enum buffer buffer, const struct trace_area *area,
                        struct block_starts *starts)
{
    const struct schedule_header *header = &work->header;
    const bool is_whole = collective_has(header->collective, BUFFER_BUF);
    const uint64_t most = is_whole                             ? 1
                          : schedule_has(header, rank, (uint8_t)buffer) ? schedule_chunks(header, buffer)
                                                               : 0;
    starts->at = arena_alloc(work->arena, most + 1, sizeof *starts->at);
    for (starts->n = 0; starts->n < most; starts->n++) {
        const uint64_t n = block_elements(work, rank, buffer, is_whole ? 0 : starts->n);
        if (n && starts->at[starts->n] >= area->n)
            break;
        starts->at[starts->n + 1] = starts->at[starts->n] + n;
    }
    return starts->at[starts->n] == area->n || !work->elements ||
           work_fail(work, "rank %" PRIu32 " has another buffer than the collective", rank);
}

uint32_t work_block_at(const struct block_starts *starts, uint64_t element)
{
    uint32_t low = 0, high = starts->n;
    SEARCH_FIRST(low, high, middle, starts->at[middle] <= element);
    return low ? low - 1 : 0;
}

static uint64_t least_elements(const struct work *work)
{
    struct counts *counts = work->header.counts;
    uint32_t row;
    const uint64_t n = schedule_n_counts(&work->header, &row);
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t elements = counts->bytes(counts, i) / TRACE_ELEMENT;
        least =
            elements && elements < least ? elements : least; /* 0: a place that a rank has no neighbour at */
    }
    return least == UINT64_MAX ? 0 : least; /* all are 0 */
}

static bool recorded_take_header(struct work *work, const struct recorded_request *request)
{
    const struct trace_call *call = work->calls[0];
    enum collective_form form;
    work->header = (struct schedule_header){
        .collective = collective_find_form(call->collective, strlen(call->collective), &form),
        .form = request->form,
        .algorithm = request->title,
        .n_ranks = request->n_ranks,
        .root = call->root,
        .segments = 1,
        .needs = request->needs,
        .n_in = request->needs ? request->needs->n_in : 0,
        .n_out = request->n_out,
        .counts = request->counts};
    const enum collective collective = work->header.collective;
    if (collective == N_COLLECTIVES || collective_is_of_neighbors(collective) != (request->needs != NULL))
        return work_fail(work, "there is no collective '%s'", call->collective);
    work->header.is_ordered = request->is_ordered && collective_table[collective].reduces;
    work->elements = !collective_has_data(collective) ? 0
                     : request->counts                ? least_elements(work)
                                                      : call->elements;
    work->ranks = arena_alloc(work->arena, request->n_ranks, sizeof *work->ranks);
    return true;
}

/* Counts what each rank has before the call, and checks that it is what the collective gives it. */
static bool take_given(struct work *work)
{
    const struct schedule_header *header = &work->header;
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        const struct trace_call *call = work->calls[rank];
        struct rank_work *of = &work->ranks[rank];
        const bool is_root = rank == header->root && header->collective == COLLECTIVE_bcast;
        if (!take_starts(work, rank, BUFFER_IN, &call->in, &of->in) ||
            !take_starts(work, rank, BUFFER_OUT, &call->out, &of->out))
            return false;
        if (is_root && !call->in.n)
            of->in = of->out;
        of->n_given = work->elements ? of->in.at[of->in.n] : 0;
        const uint64_t in =
            schedule_has(header, rank, BUFFER_IN) && !header->needs ? schedule_chunks(header, BUFFER_IN) : 0;
        if (work->elements && in && of->in.n != in)
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

/* Sizes of the chunks of `tmp`: those of the data that they hold. */
struct recorded_sizes {
    struct tmp_sizes sizes; /* first */
    const struct work *work;
};

static uint64_t recorded_size(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct work *work = ((const struct recorded_sizes *)sizes)->work;
    const struct rank_work *of = &work->ranks[rank];
    const uint64_t datum = chunk < of->n_tmp ? of->like[chunk] : NO_DATUM;
    return datum == NO_DATUM && !sizes->is_of_others
               ? schedule_chunk_datum(&work->header, rank, sizes->buffer, 0) /* never used */
               : datum;
}

static bool recorded_append(void *context, const char *data, size_t length)
{
    text_append(context, data, length);
    return true;
}

static void put_head(struct work *work, const char *comment, struct text *out)
{
    struct schedule_header *header = &work->header;
    const enum collective collective = header->collective;
    const bool has_all_out = collective == COLLECTIVE_allgather,
               has_all_in = collective == COLLECTIVE_reduce_scatter_block;
    struct recorded_sizes sizes = {
        {.buffer = has_all_out || collective == COLLECTIVE_scatter ? BUFFER_OUT : BUFFER_IN,
         .is_of_others = !has_all_out && !has_all_in,
         .datum = recorded_size},
        work};
    struct text head = {0};
    if (header->counts)
        header->tmp_sizes = &sizes.sizes;
    else if (work->elements && work->elements % header->segments == 0)
        header->chunk_bytes = work->elements / header->segments * TRACE_ELEMENT;
    schedule_print_header(header, recorded_append, &head);
    header->tmp_sizes = NULL;
    const size_t first = strcspn(head.data, "\n") + 1;
    text_printf(out, "%.*s%s%s", (int)first, head.data, comment ? comment : "", head.data + first);
    text_free(&head);
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
    for (uint32_t rank = 0; work.ranks && rank < request->n_ranks; rank++) {
        free(work.ranks[rank].items);
        free(work.ranks[rank].like);
    }
    return is_well;
}
