/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds accesses to the same chunk of a GPU. If one of two events writes, the steps must keep their order
 * in graph->order: an arrow is added. If the arrows of the file do not order them, a run need not keep
 * that order, and the last writer decides the contents: R009.
 *
 * It suffices to compare a write with the events before it back to the last write, and a read with the
 * last write before it: if all these pairs are ordered, every other pair is, through the events between.
 * A pair is ordered if a path of arrows leads from one to the other. Paths are followed for 64 pairs at
 * once, with a bit for each.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <stdlib.h>

/* Reads of a chunk since it was written last, a list. */
struct read {
    uint32_t event, next;
};

/* The last accesses to a chunk. */
struct touched {
    uint32_t writer, reads; /* NONE: no event */
};
#define COPIED (UINT32_MAX - 1) /* a writer before all events */

struct pair {
    uint32_t from, to;
    struct chunks at; /* one chunk */
};

struct search {
    struct msccl_graph *graph;
    struct touched *touched;  /* [chunk] of all buffers of a GPU, one after the other */
    uint64_t begin[N_BUFFERS];
    struct read *reads;
    struct pair *pairs;       /* pairs that no thread block orders by itself, in the order of `from` */
    size_t n_reads, reads_capacity, n_pairs, pairs_capacity;
    size_t n_file_arrows;     /* number of arrows of the file, which come first */
    uint32_t *rank_of;        /* [event] its place in graph->order */
};

/* ---- pairs ---- */

static uint32_t conflicts_block_of(const struct msccl_graph *graph, uint32_t event)
{
    return graph->file->ops[graph->events[event].op].block;
}

/* Returns the kind of an arrow. A rank posts the sends and receives of a step together. */
static enum arrow_kind conflicts_kind_of(const struct msccl_graph *graph, uint32_t from, uint32_t to)
{
    const bool is_together =
        graph->events[to].phase == PHASE_RECEIVE && graph->events[from].phase != PHASE_LOCAL;
    return is_together ? ARROW_OVER : ARROW_DATA;
}

static void conflicts_add_pair(struct search *search, uint32_t from, uint32_t to, struct chunks at)
{
    struct msccl_graph *graph = search->graph;
    struct arrows *arrows = &graph->arrows;
    if (from >= graph->n_events || from == to)
        return;
    const struct arrow *last = arrows->n > search->n_file_arrows ? &arrows->items[arrows->n - 1] : NULL;
    if (last && last->from == from && last->to == to)
        return; /* the chunk before it */
    msccl_push_arrow(arrows, from, to, conflicts_kind_of(graph, from, to));
    if (conflicts_block_of(graph, from) == conflicts_block_of(graph, to))
        return;
    search->pairs =
        mem_grow(search->pairs, &search->pairs_capacity, search->n_pairs + 1, sizeof *search->pairs);
    search->pairs[search->n_pairs++] = (struct pair){from, to, at};
}

static struct touched *touched_of(struct search *search, uint8_t buffer, uint32_t chunk)
{
    return &search->touched[search->begin[buffer] + chunk];
}

static void touch_read(struct search *search, uint32_t event, struct chunks chunks)
{
    for (uint32_t i = 0; i < chunks.n && chunks.buffer != BUFFER_IN; i++) {
        struct touched *touched = touched_of(search, chunks.buffer, chunks.chunk + i);
        conflicts_add_pair(search, touched->writer, event,
                           (struct chunks){chunks.buffer, chunks.chunk + i, 1});
        search->reads =
            mem_grow(search->reads, &search->reads_capacity, search->n_reads + 1, sizeof *search->reads);
        search->reads[search->n_reads] = (struct read){event, touched->reads};
        touched->reads = (uint32_t)search->n_reads++;
    }
}

static void touch_write(struct search *search, uint32_t event, struct chunks chunks)
{
    for (uint32_t i = 0; i < chunks.n; i++) {
        struct touched *touched = touched_of(search, chunks.buffer, chunks.chunk + i);
        const struct chunks at = {chunks.buffer, chunks.chunk + i, 1};
        if (touched->reads == NONE)
            conflicts_add_pair(search, touched->writer, event, at);
        for (uint32_t read = touched->reads; read != NONE; read = search->reads[read].next)
            conflicts_add_pair(search, search->reads[read].event, event, at);
        *touched = (struct touched){event, NONE};
    }
}

static bool is_undefined(const struct search *search, struct chunks chunks, uint32_t chunk)
{
    return search->graph->layout->output_is_undefined && chunks.buffer == BUFFER_BUF &&
           search->touched[search->begin[BUFFER_BUF] + chunk].writer == NONE;
}

/* Reports reads of `o` before it is written: out of place it holds nothing, although `buf`, its place in
 * the schedule, does. */
static void check_defined(struct search *search, uint32_t event, struct chunks chunks)
{
    struct msccl_graph *graph = search->graph;
    const struct msccl_op *op = &graph->file->ops[graph->events[event].op];
    for (uint32_t i = 0; i < chunks.n; i++) {
        if (!is_undefined(search, chunks, chunks.chunk + i) ||
            diagnostics_only_counts(graph->found, CODE_R004))
            continue;
        struct diagnostic *diagnostic =
            report(graph->found, CODE_R004, msccl_op_place(graph->file, op),
                   "%s reads chunk %u of 'o', to which nothing has been written",
                   msccl_words_of_block(graph, op), chunks.chunk + i);
        diagnostic->place.rank = graph->events[event].gpu;
        diagnostic->help = "inplace=\"0\": the own data is in 'i'; copy it first, with cpy";
    }
}

/* Records the reads and writes of an event. */
static void conflicts_touch(struct search *search, uint32_t index)
{
    const struct event *event = &search->graph->events[index];
    switch ((enum op_kind)event->kind) {
    case OP_SEND:
        check_defined(search, index, event->at);
        touch_read(search, index, event->at);
        return;
    case OP_COPY:
        if (event->at.buffer == event->from.buffer && event->at.chunk == event->from.chunk)
            return; /* in place: nothing moves */
        check_defined(search, index, event->from);
        touch_read(search, index, event->from);
        break;
    case OP_COMBINE:
        check_defined(search, index, event->from);
        check_defined(search, index, event->at);
        touch_read(search, index, event->from);
        break;
    case OP_REDUCE:
        check_defined(search, index, event->at);
        break;
    case OP_RECV:
        break;
    case OP_COPIES: /* a nop */
        return;
    }
    touch_write(search, index, event->at);
}

/* ---- GPUs ---- */

/* Returns the events in graph->order by their GPU: list[first[gpu]] .. list[first[gpu + 1] - 1]. */
static uint32_t *sort_by_gpu(const struct msccl_graph *graph, size_t *first)
{
    uint32_t *list = mem_alloc(graph->n_ordered, sizeof *list);
    for (size_t i = 0; i < graph->n_ordered; i++)
        first[graph->events[graph->order[i]].gpu]++;
    size_t n = 0;
    for (uint32_t gpu = 0; gpu <= graph->file->n_gpus; gpu++) {
        n += first[gpu];
        first[gpu] = n;
    }
    for (size_t i = graph->n_ordered; i-- > 0;)
        list[--first[graph->events[graph->order[i]].gpu]] = graph->order[i];
    return list;
}

static void conflicts_forget(struct search *search, struct chunks chunks)
{
    for (uint32_t i = 0; i < chunks.n; i++)
        *touched_of(search, chunks.buffer, chunks.chunk + i) = (struct touched){NONE, NONE};
}

/* Records the copies of <copy>, which write the output before all events. */
static void touch_copies(struct search *search, uint32_t gpu)
{
    const struct msccl_file *file = search->graph->file;
    const uint32_t first = file->gpus[gpu].first_copy, end = first + file->gpus[gpu].n_copies;
    for (uint32_t i = first; i < end && search->graph->layout->output_is_undefined; i++)
        touched_of(search, BUFFER_BUF, file->copies[i].output)->writer = COPIED;
}

/* True if `buf` at a GPU holds the result from the beginning, so that no other check would see that `o`,
 * out of place, is not written. */
static bool begins_with_result(const struct msccl_graph *graph, uint32_t gpu)
{
    const struct schedule_header *header = &graph->layout->header;
    const bool is_source = collective_table[header->collective].before == HELD_ROOT && gpu == header->root;
    return graph->layout->output_is_undefined && (is_source || header->n_ranks == 1);
}

static void check_written(struct search *search, uint32_t gpu)
{
    struct msccl_graph *graph = search->graph;
    const struct position place = msccl_gpu_place(graph->file, &graph->file->gpus[gpu]);
    for (uint32_t chunk = 0; chunk < graph->layout->segments; chunk++) {
        if (touched_of(search, BUFFER_BUF, chunk)->writer != NONE ||
            diagnostics_only_counts(graph->found, CODE_R001))
            continue;
        struct diagnostic *diagnostic =
            report(graph->found, CODE_R001, place, "nothing is written to chunk %u of 'o' of GPU %u", chunk, gpu);
        diagnostic->place.rank = gpu;
        diagnostic->help = "inplace=\"0\": copy the own data from 'i', with cpy";
    }
}

static void find_pairs(struct search *search)
{
    struct msccl_graph *graph = search->graph;
    size_t *first = mem_alloc((size_t)graph->file->n_gpus + 1, sizeof *first);
    uint32_t *list = sort_by_gpu(graph, first);
    for (uint32_t gpu = 0; gpu < graph->file->n_gpus; gpu++) {
        for (size_t i = first[gpu]; i < first[gpu + 1]; i++) {
            conflicts_forget(search, graph->events[list[i]].at);
            conflicts_forget(search, graph->events[list[i]].from);
        }
        if (begins_with_result(graph, gpu))
            conflicts_forget(search, (struct chunks){BUFFER_BUF, 0, graph->layout->segments});
        touch_copies(search, gpu);
        for (size_t i = first[gpu]; i < first[gpu + 1]; i++)
            conflicts_touch(search, list[i]);
        if (begins_with_result(graph, gpu))
            check_written(search, gpu);
        search->n_reads = 0;
    }
    free(list);
    free(first);
}

/* ---- whether they are ordered ---- */

static const char *words_of_chunk(struct msccl_graph *graph, uint32_t gpu, struct chunks at)
{
    for (unsigned buffer = 0; buffer < N_MSCCL_BUFFERS; buffer++) {
        const struct chunks all =
            msccl_buffer_chunks(graph->file, graph->layout, gpu, (enum msccl_buffer)buffer);
        if (all.buffer == at.buffer && at.chunk >= all.chunk && at.chunk < all.chunk + all.n)
            return diagnostics_text(graph->found, "chunk %u of '%c'", at.chunk - all.chunk,
                                    msccl_buffer_letter[buffer]);
    }
    return "a chunk";
}

static bool event_writes(const struct event *event, struct chunks at)
{
    return event->kind != OP_SEND && event->at.buffer == at.buffer && at.chunk >= event->at.chunk &&
           at.chunk < event->at.chunk + event->at.n;
}

static void report_race(struct msccl_graph *graph, const struct pair *pair)
{
    const struct event *one = &graph->events[pair->from], *other = &graph->events[pair->to];
    const struct msccl_op *op = &graph->file->ops[other->op], *before = &graph->file->ops[one->op];
    if (diagnostics_only_counts(graph->found, CODE_R009))
        return;
    struct diagnostic *diagnostic =
        report(graph->found, CODE_R009, msccl_op_place(graph->file, op),
               "thread blocks %u and %u of GPU %u are not ordered: this one %s %s, which the other one %s",
               graph->file->blocks[op->block].id, graph->file->blocks[before->block].id, other->gpu,
               event_writes(other, pair->at) ? "writes" : "reads", words_of_chunk(graph, other->gpu, pair->at),
               event_writes(one, pair->at) ? "writes" : "reads");
    diagnostic->help = "have one wait for the other by depid and deps, and let the step that it waits for have "
                       "hasdep=\"1\"; a nop in front of it waits for one more";
    diagnostic->related = msccl_op_place(graph->file, before);
    diagnostic->related_text = "the other one";
    diagnostic->place.rank = other->gpu;
}

/* Judges pairs first .. end-1, of at most 64 different `from`, which follow each other. */
static void judge_pairs(struct search *search, const struct successors *successors, uint64_t *reached,
                        size_t first, size_t end)
{
    struct msccl_graph *graph = search->graph;
    uint32_t last = 0, n = 0;
    for (size_t i = first; i < end; i++) {
        const struct pair *pair = &search->pairs[i];
        n += i > first && pair->from != pair[-1].from;
        reached[pair->from] |= UINT64_C(1) << n;
        last = search->rank_of[pair->to] > last ? search->rank_of[pair->to] : last;
    }
    const uint32_t begin = search->rank_of[search->pairs[first].from];
    for (uint32_t at = begin; at < last; at++) {
        const uint32_t event = graph->order[at];
        for (uint32_t k = successors->first[event]; k < successors->first[event + 1] && reached[event]; k++)
            reached[graph->arrows.items[successors->arrows[k]].to] |= reached[event];
    }
    n = 0;
    for (size_t i = first; i < end; i++) {
        const struct pair *pair = &search->pairs[i];
        n += i > first && pair->from != pair[-1].from;
        if (!(reached[pair->to] >> n & 1))
            report_race(graph, pair);
    }
    for (uint32_t at = begin; at <= last; at++) {
        const uint32_t event = graph->order[at];
        reached[event] = 0;
        for (uint32_t k = successors->first[event]; k < successors->first[event + 1]; k++)
            reached[graph->arrows.items[successors->arrows[k]].to] = 0;
    }
}

static void judge_all(struct search *search, const struct successors *successors)
{
    enum { AT_ONCE = 64 };
    uint64_t *reached = mem_alloc(search->graph->n_events, sizeof *reached);
    size_t first = 0, n = 0;
    for (size_t i = 1; i <= search->n_pairs; i++) {
        n += i < search->n_pairs && search->pairs[i].from != search->pairs[i - 1].from;
        if (i < search->n_pairs && n < AT_ONCE)
            continue;
        judge_pairs(search, successors, reached, first, i);
        first = i;
        n = 0;
    }
    free(reached);
}

/* A pair, sorted by the place of its first event, so that pairs that are searched together are close. */
struct placed_pair {
    uint32_t place;
    struct pair pair;
};

static int conflicts_compare_pairs(const void *a, const void *b)
{
    const struct placed_pair *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->pair.to != y->pair.to)
        return x->pair.to < y->pair.to ? -1 : 1;
    return x->pair.at.chunk < y->pair.at.chunk ? -1 : x->pair.at.chunk > y->pair.at.chunk;
}

static void sort_pairs(struct search *search)
{
    struct placed_pair *placed = mem_alloc(search->n_pairs, sizeof *placed);
    for (size_t i = 0; i < search->n_pairs; i++)
        placed[i] = (struct placed_pair){search->rank_of[search->pairs[i].from], search->pairs[i]};
    if (search->n_pairs)
        qsort(placed, search->n_pairs, sizeof *placed, conflicts_compare_pairs);
    size_t n = 0;
    for (size_t i = 0; i < search->n_pairs; i++)
        if (!n || search->pairs[n - 1].from != placed[i].pair.from ||
            search->pairs[n - 1].to != placed[i].pair.to)
            search->pairs[n++] = placed[i].pair;
    search->n_pairs = n;
    free(placed);
}

void msccl_find_conflicts(struct msccl_graph *graph)
{
    struct search search = {.graph = graph, .n_file_arrows = graph->arrows.n};
    struct successors successors = successors_of(graph); /* only arrows of the file */
    uint64_t n_chunks = 0, most_slots = 0;
    for (uint32_t gpu = 0; gpu < graph->file->n_gpus; gpu++)
        most_slots = graph->n_slots[gpu] > most_slots ? graph->n_slots[gpu] : most_slots;
    for (unsigned buffer = 0; buffer < N_BUFFERS; buffer++) {
        search.begin[buffer] = n_chunks;
        n_chunks += schedule_chunks(&graph->layout->header, (enum buffer)buffer);
    }
    search.touched = mem_alloc(n_chunks + most_slots, sizeof *search.touched);
    search.rank_of = mem_alloc(graph->n_events, sizeof *search.rank_of);
    for (size_t i = 0; i < graph->n_ordered; i++)
        search.rank_of[graph->order[i]] = (uint32_t)i;
    find_pairs(&search);
    sort_pairs(&search);
    if (search.n_pairs)
        judge_all(&search, &successors);
    free(search.touched);
    free(search.rank_of);
    free(search.reads);
    free(search.pairs);
    successors_free(&successors);
}
