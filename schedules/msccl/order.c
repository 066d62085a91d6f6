/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds an order in which the events may happen, by Kahn's algorithm. A connection holds any number of
 * messages: a send never waits for its receive. The remaining events wait forever: D001.
 */
#include "schedules/msccl/internal.h"

#include "base/codes.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SHOWN = 8 };

/* Fills graph->order; n_waiting[event] is 0 of those in it. */
static void sort_events(struct msccl_graph *graph, const struct successors *successors, uint32_t *n_waiting)
{
    const struct arrow *arrows = graph->arrows.items;
    for (size_t i = 0; i < graph->arrows.n; i++)
        n_waiting[arrows[i].to]++;
    for (uint32_t event = 0; event < graph->n_events; event++)
        if (!n_waiting[event])
            graph->order[graph->n_ordered++] = event;
    for (size_t i = 0; i < graph->n_ordered; i++) {
        const uint32_t event = graph->order[i];
        for (uint32_t k = successors->first[event]; k < successors->first[event + 1]; k++) {
            const uint32_t next = arrows[successors->arrows[k]].to;
            struct event *behind = &graph->events[next];
            if (behind->kind == EVENT_NOP && graph->events[event].phase > behind->phase)
                behind->phase = graph->events[event].phase;
            if (!--n_waiting[next])
                graph->order[graph->n_ordered++] = next;
        }
    }
}

/* Returns for each event that waits forever one such event that it waits for; else NONE. */
static uint32_t *order_find_waits(const struct msccl_graph *graph, const uint32_t *n_waiting)
{
    uint32_t *waits_for = mem_alloc(graph->n_events, sizeof *waits_for);
    memset(waits_for, 0xff, graph->n_events * sizeof *waits_for);
    for (size_t i = 0; i < graph->arrows.n; i++) {
        const struct arrow *arrow = &graph->arrows.items[i];
        if (n_waiting[arrow->from] && n_waiting[arrow->to])
            waits_for[arrow->to] = arrow->from;
    }
    return waits_for;
}

/* Returns an event of a cycle: the end of n_events steps along `waits_for` from any waiting event. */
static uint32_t order_find_cycle(const struct msccl_graph *graph, const uint32_t *waits_for)
{
    uint32_t event = NONE;
    for (uint32_t i = 0; i < graph->n_events && event == NONE; i++)
        event = waits_for[i];
    for (size_t i = 0; i < graph->n_events; i++)
        event = waits_for[event];
    return event;
}

/* Appends "line 12: thread block 3 of GPU 1 receives from GPU 0". */
static void describe_wait(struct msccl_graph *graph, uint32_t event, uint32_t other, struct text *text)
{
    const struct msccl_file *file = graph->file;
    const struct event *waiting = &graph->events[event], *awaited = &graph->events[other];
    const struct msccl_op *op = &file->ops[waiting->op], *for_op = &file->ops[awaited->op];
    const char *who = msccl_words_of_block(graph, op);
    if (text->length)
        text_printf(text, "; ");
    if (waiting->gpu != awaited->gpu)
        text_printf(text, "line %u:%u: %s receives what GPU %u sends in line %u:%u", op->line, op->column, who,
                    awaited->gpu, for_op->line, for_op->column);
    else
        text_printf(text, "line %u:%u: %s waits for thread block %u, line %u:%u", op->line, op->column, who,
                    file->blocks[for_op->block].id, for_op->line, for_op->column);
}

static bool is_shown(const struct msccl_graph *graph, uint32_t event, uint32_t other)
{
    const struct msccl_op *ops = graph->file->ops;
    return ops[graph->events[event].op].block != ops[graph->events[other].op].block;
}

/* Counts instructions that do not end. */
static size_t count_waiting(const struct msccl_graph *graph)
{
    size_t n = graph->file->n_ops;
    for (size_t i = 0; i < graph->n_ordered; i++) {
        const uint32_t op = graph->events[graph->order[i]].op;
        n -= graph->first_event[op + 1] == graph->order[i] + 1; /* its last event */
    }
    return n;
}

/* Returns the event of the cycle of `start` that stands first in the file; among those shown, if any is. */
static uint32_t find_first(const struct msccl_graph *graph, const uint32_t *waits_for, uint32_t start)
{
    uint32_t first = start;
    for (uint32_t event = waits_for[start]; event != start; event = waits_for[event]) {
        const bool is_first_shown = is_shown(graph, first, waits_for[first]);
        if (is_shown(graph, event, waits_for[event]) && (!is_first_shown || first > event))
            first = event;
    }
    return first;
}

static void report_cycle(struct msccl_graph *graph, const uint32_t *waits_for)
{
    const struct msccl_file *file = graph->file;
    const uint32_t first = find_first(graph, waits_for, order_find_cycle(graph, waits_for));
    struct text text = {0};
    uint32_t event = first, n = 0, second = NONE;
    do {
        if (is_shown(graph, event, waits_for[event])) {
            if (n < MAX_SHOWN)
                describe_wait(graph, event, waits_for[event], &text);
            if (++n == 2)
                second = event;
        }
        event = waits_for[event];
    } while (event != first);
    if (n > MAX_SHOWN)
        text_printf(&text, "; and %u more", n - MAX_SHOWN);
    const struct msccl_op *op = &file->ops[graph->events[first].op];
    struct diagnostic *diagnostic =
        report(graph->found, CODE_D001, msccl_op_place(file, op),
               "thread blocks wait for each other: %s; %zu of %zu steps never end",
               text.data ? text.data : "a step waits for itself, or for one behind it", count_waiting(graph),
               file->n_ops);
    text_free(&text);
    diagnostic->help = "a thread block runs its steps in their order: put a send before the receive that waits "
                       "for what it makes others send, or give them thread blocks of their own; no buffering of "
                       "messages helps";
    diagnostic->place.rank = graph->events[first].gpu;
    if (second != NONE) {
        diagnostic->related = msccl_op_place(file, &file->ops[graph->events[second].op]);
        diagnostic->related_text = "this one waits, too";
    }
}

void msccl_order(struct msccl_graph *graph)
{
    struct successors successors = successors_of(graph);
    uint32_t *n_waiting = mem_alloc(graph->n_events, sizeof *n_waiting);
    graph->order = mem_alloc(graph->n_events, sizeof *graph->order);
    sort_events(graph, &successors, n_waiting);
    if (graph->n_ordered < graph->n_events) {
        uint32_t *waits_for = order_find_waits(graph, n_waiting);
        report_cycle(graph, waits_for);
        free(waits_for);
    }
    free(n_waiting);
    successors_free(&successors);
}
