/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a schedule of steps. The operations of a rank in a step are in the order of graph->order.
 * Messages of a step are in the order of their sends at both ends, and a message is sent and received in
 * the same step, so that they meet as in the connections.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

/* Operations by step: those of step k are first[k] .. first[k + 1] - 1. */
struct op_list {
    struct op *ops;
    size_t n, capacity;
    size_t *first;
};

struct steps {
    struct schedule schedule; /* first: the functions below get a pointer to it */
    struct op_list sends, receives, copies;
    size_t n_steps, next_step;
    struct diagnostics found;
    struct arena arena;
};

static bool steps_next(struct schedule *schedule, struct step *step)
{
    struct steps *steps = (struct steps *)schedule;
    const size_t at = steps->next_step;
    if (at >= steps->n_steps)
        return false;
    steps->next_step++;
    *step = (struct step){.index = at,
                          .sends = steps->sends.ops + steps->sends.first[at],
                          .n_sends = steps->sends.first[at + 1] - steps->sends.first[at],
                          .receives = steps->receives.ops + steps->receives.first[at],
                          .n_receives = steps->receives.first[at + 1] - steps->receives.first[at],
                          .copies = steps->copies.ops + steps->copies.first[at],
                          .n_copies = steps->copies.first[at + 1] - steps->copies.first[at]};
    return true;
}

static void steps_rewind(struct schedule *schedule)
{
    ((struct steps *)schedule)->next_step = 0;
}

static void free_list(struct op_list *list)
{
    free(list->ops);
    free(list->first);
}

static void steps_destroy(struct schedule *schedule)
{
    struct steps *steps = (struct steps *)schedule;
    free_list(&steps->sends);
    free_list(&steps->receives);
    free_list(&steps->copies);
    diagnostics_free(&steps->found);
    arena_free(&steps->arena);
    free(steps);
}

/* ---- operations ---- */

static void steps_push_op(struct op_list *list, const struct op *op)
{
    list->ops = mem_grow(list->ops, &list->capacity, list->n + 1, sizeof *list->ops);
    list->ops[list->n++] = *op;
}

static void push_local(struct op_list *list, uint32_t rank, uint8_t kind, struct chunks from,
                       struct chunks to, uint32_t line)
{
    const bool is_idle = kind == OP_COPY && from.buffer == to.buffer && from.chunk == to.chunk;
    if (from.n && !is_idle)
        steps_push_op(list, &(struct op){.rank = rank,
                                         .to_chunk = to.chunk,
                                         .chunk = from.chunk,
                                         .n_chunks = from.n,
                                         .kind = kind,
                                         .buffer = from.buffer,
                                         .to_buffer = to.buffer,
                                         .line = line});
}

static void push_message(struct steps *steps, const struct msccl_graph *graph, const struct event *send)
{
    const struct event *receive = &graph->events[send->partner];
    struct chunks at = receive->at;
    uint8_t kind = receive->kind;
    if (receive->is_staged) {
        at = (struct chunks){BUFFER_TMP, receive->slot, at.n};
        kind = OP_RECV;
    }
    steps_push_op(&steps->sends, &(struct op){.rank = send->gpu,
                                              .peer = receive->gpu,
                                              .chunk = send->at.chunk,
                                              .n_chunks = send->at.n,
                                              .kind = OP_SEND,
                                              .buffer = send->at.buffer,
                                              .line = graph->file->ops[send->op].line});
    steps_push_op(&steps->receives, &(struct op){.rank = receive->gpu,
                                                 .peer = send->gpu,
                                                 .chunk = at.chunk,
                                                 .n_chunks = at.n,
                                                 .kind = kind,
                                                 .buffer = at.buffer,
                                                 .line = graph->file->ops[receive->op].line});
}

static void steps_push_event(struct steps *steps, const struct msccl_graph *graph, const struct event *event)
{
    const uint32_t line = graph->file->ops[event->op].line;
    if (event->kind == OP_COPY || event->kind == OP_COMBINE)
        push_local(&steps->copies, event->gpu, event->kind, event->from, event->at, line);
    else if (event->kind == OP_SEND && event->partner != NONE)
        push_message(steps, graph, event);
    else if (event->is_staged)
        push_local(&steps->copies, event->gpu, event->kind == OP_REDUCE ? OP_COMBINE : OP_COPY,
                   (struct chunks){BUFFER_TMP, event->slot, event->at.n}, event->at, line);
}

/* Adds the first copies: the input to its place for the instructions, then the copies of <copy>. */
static void push_first(struct steps *steps, const struct msccl_graph *graph)
{
    const struct msccl_file *file = graph->file;
    struct chunks from, to;
    for (uint32_t gpu = 0; gpu < file->n_gpus; gpu++)
        if (msccl_first_copy(file, graph->layout, gpu, &from, &to))
            push_local(&steps->copies, gpu, OP_COPY, from, to, file->gpus[gpu].line);
    for (size_t i = 0; i < file->n_copies; i++) {
        const struct msccl_copy *copy = &file->copies[i];
        from = msccl_buffer_chunks(file, graph->layout, copy->gpu, MSCCL_INPUT);
        to = msccl_buffer_chunks(file, graph->layout, copy->gpu, MSCCL_OUTPUT);
        from = (struct chunks){from.buffer, from.chunk + copy->input, 1};
        to = (struct chunks){to.buffer, to.chunk + copy->output, 1};
        push_local(&steps->copies, copy->gpu, OP_COPY, from, to, copy->line);
    }
}

static void push_last(struct steps *steps, const struct msccl_graph *graph)
{
    struct chunks from, to;
    for (uint32_t gpu = 0; gpu < graph->file->n_gpus; gpu++)
        if (msccl_last_copy(graph->file, graph->layout, gpu, &from, &to))
            push_local(&steps->copies, gpu, OP_COPY, from, to, graph->file->gpus[gpu].line);
}

/* ---- steps ---- */

/* Returns the events of graph->order by their step: list[first[step]] ... */
static uint32_t *sort_by_level(const struct msccl_graph *graph, size_t *first, size_t n_levels)
{
    uint32_t *list = mem_alloc(graph->n_ordered, sizeof *list);
    for (size_t i = 0; i < graph->n_ordered; i++)
        first[graph->events[graph->order[i]].level]++;
    size_t n = 0;
    for (size_t level = 0; level <= n_levels; level++) {
        n += first[level];
        first[level] = n;
    }
    for (size_t i = graph->n_ordered; i-- > 0;)
        list[--first[graph->events[graph->order[i]].level]] = graph->order[i];
    return list;
}

static void begin_step(struct op_list *list, size_t step)
{
    list->first[step] = list->n;
}

static void steps_begin_steps(struct steps *steps, size_t step)
{
    begin_step(&steps->sends, step);
    begin_step(&steps->receives, step);
    begin_step(&steps->copies, step);
}

static void steps_fill(struct steps *steps, const struct msccl_graph *graph)
{
    size_t n_levels = 1;
    for (size_t i = 0; i < graph->n_ordered; i++)
        if (graph->events[graph->order[i]].level >= n_levels)
            n_levels = (size_t)graph->events[graph->order[i]].level + 1;
    size_t *first = mem_alloc(n_levels + 1, sizeof *first);
    uint32_t *list = sort_by_level(graph, first, n_levels);
    struct op_list *const lists[] = {&steps->sends, &steps->receives, &steps->copies};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lists[i]->first = mem_alloc(n_levels + 2, sizeof *lists[i]->first);
        lists[i]->ops = mem_grow(NULL, &lists[i]->capacity, 1, sizeof *lists[i]->ops);
    }
    push_first(steps, graph);
    for (size_t level = 0; level < n_levels; level++) {
        if (level)
            steps_begin_steps(steps, level);
        for (size_t i = first[level]; i < first[level + 1]; i++)
            steps_push_event(steps, graph, &graph->events[list[i]]);
    }
    steps->n_steps = n_levels;
    if (graph->layout->copies_output) {
        steps_begin_steps(steps, steps->n_steps++);
        push_last(steps, graph);
    }
    steps_begin_steps(steps, steps->n_steps);
    free(list);
    free(first);
}

static bool set_tmp(struct msccl_graph *graph, struct diagnostics *diagnostics)
{
    struct schedule_header *header = &graph->layout->header;
    uint64_t most = 0;
    for (uint32_t gpu = 0; gpu < graph->file->n_gpus; gpu++)
        most = graph->n_slots[gpu] > most ? graph->n_slots[gpu] : most;
    most += header->n_tmp;
    if (most < SCHEDULE_MAX_CHUNKS) {
        header->n_tmp = (uint32_t)most;
        return true;
    }
    report(diagnostics, CODE_S005, (struct position){graph->file->source, 1, 1, 1},
           "more than 2^31 chunks of scratch at a GPU");
    return false;
}

struct schedule *msccl_steps(struct msccl_graph *graph, struct diagnostics *diagnostics)
{
    if (!set_tmp(graph, diagnostics))
        return NULL;
    struct steps *steps = mem_alloc(1, sizeof *steps);
    steps->schedule = (struct schedule){.header = graph->layout->header,
                                        .source = graph->file->source,
                                        .next = steps_next,
                                        .rewind = steps_rewind,
                                        .destroy = steps_destroy,
                                        .is_cut_short = graph->n_ordered < graph->n_events};
    const char *name = steps->schedule.header.algorithm;
    steps->schedule.header.algorithm = arena_strndup(&steps->arena, name, strlen(name));
    steps_fill(steps, graph);
    steps->found = *graph->found;
    *graph->found = (struct diagnostics){0};
    if (steps->found.first)
        steps->schedule.found = &steps->found;
    return &steps->schedule;
}
