/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts instructions to events: an instruction that receives, reduces and sends is several operations
 * of a schedule, one after the other. Received data that is reduced with other chunks than its
 * destination, or has none, is kept in tmp meanwhile:
 *
 *   s     send source               rrs   receive into tmp, combine source into it, send it
 *   r     receive target            rrc   reduce target; or receive into tmp, combine source
 *   rcs   receive, send target            into it, copy it to target
 *   cpy   copy source to target     rrcs  the same, and send target
 *   re    combine source into target      (reduce: where source and target are the same chunks)
 *
 * An event waits for the one before it in its thread block, and the first one of an instruction for the
 * last one of the instruction that it depends on.
 */
#include "schedules/msccl/internal.h"

#include <stdlib.h>

void msccl_push_arrow(struct arrows *arrows, uint32_t from, uint32_t to, enum arrow_kind kind)
{
    arrows->items = mem_grow(arrows->items, &arrows->capacity, arrows->n + 1, sizeof *arrows->items);
    arrows->items[arrows->n++] = (struct arrow){from, to, (uint8_t)kind};
}

struct chunks msccl_new_slot(struct msccl_graph *graph, uint32_t gpu, uint32_t n)
{
    const uint32_t first = graph->layout->header.n_tmp + graph->n_slots[gpu];
    graph->n_slots[gpu] += n;
    return (struct chunks){BUFFER_TMP, first, n};
}

static void events_push_event(struct msccl_graph *graph, uint32_t op, enum phase phase, uint8_t kind,
                              struct chunks from, struct chunks at)
{
    const struct msccl_file *file = graph->file;
    graph->events = mem_grow(graph->events, &graph->capacity, graph->n_events + 1, sizeof *graph->events);
    graph->events[graph->n_events++] = (struct event){.op = op,
                                                      .gpu = file->blocks[file->ops[op].block].gpu,
                                                      .partner = NONE,
                                                      .phase = (uint8_t)phase,
                                                      .kind = kind,
                                                      .at = at,
                                                      .from = from};
}

static struct chunks place_side(const struct msccl_graph *graph, const struct msccl_op *op, uint8_t buffer,
                                uint32_t first)
{
    const uint32_t gpu = graph->file->blocks[op->block].gpu;
    struct chunks chunks =
        msccl_buffer_chunks(graph->file, graph->layout, gpu, (enum msccl_buffer)buffer);
    chunks.chunk += first;
    chunks.n = op->count;
    return chunks;
}

static void push_receive(struct msccl_graph *graph, uint32_t index, struct chunks source,
                         struct chunks target)
{
    const struct msccl_op *op = &graph->file->ops[index];
    const struct instruction_info *info = op_info(op);
    const struct chunks none = {0};
    const bool is_same = source.buffer == target.buffer && source.chunk == target.chunk;
    if (!info->reduces || (info->stores && is_same)) {
        events_push_event(graph, index, PHASE_RECEIVE, info->reduces ? OP_REDUCE : OP_RECV, none, target);
        if (info->sends)
            events_push_event(graph, index, PHASE_SEND, OP_SEND, none, target);
        return;
    }
    const struct chunks slot = msccl_new_slot(graph, graph->file->blocks[op->block].gpu, op->count);
    events_push_event(graph, index, PHASE_RECEIVE, OP_RECV, none, slot);
    events_push_event(graph, index, PHASE_LOCAL, OP_COMBINE, source, slot);
    if (info->stores)
        events_push_event(graph, index, PHASE_LOCAL, OP_COPY, slot, target);
    if (info->sends)
        events_push_event(graph, index, PHASE_SEND, OP_SEND, none, slot);
}

static void push_events(struct msccl_graph *graph, uint32_t index)
{
    const struct msccl_op *op = &graph->file->ops[index];
    const struct instruction_info *info = op_info(op);
    struct chunks source = {0}, target = {0};
    if (op_reads_source(op))
        source = place_side(graph, op, op->source_buffer, op->source);
    if (op_uses_target(op))
        target = place_side(graph, op, op->target_buffer, op->target);
    if (info->receives)
        push_receive(graph, index, source, target);
    else if (info->is_local)
        events_push_event(graph, index, PHASE_LOCAL, info->reduces ? OP_COMBINE : OP_COPY, source, target);
    else if (info->sends)
        events_push_event(graph, index, PHASE_SEND, OP_SEND, target, source);
    else
        events_push_event(graph, index, PHASE_LOCAL, EVENT_NOP, source, target);
}

static void push_arrows(struct msccl_graph *graph, const struct msccl_block *block)
{
    const uint32_t *first = graph->first_event;
    for (uint32_t index = block->first; index < block->first + block->n; index++) {
        const uint32_t after = graph->file->ops[index].after;
        for (uint32_t event = first[index]; event < first[index + 1]; event++)
            if (event > first[block->first])
                msccl_push_arrow(&graph->arrows, event - 1, event, ARROW_WAIT);
        if (after != NONE)
            msccl_push_arrow(&graph->arrows, first[after + 1] - 1, first[index], ARROW_WAIT);
    }
}

void msccl_make_events(struct msccl_graph *graph)
{
    const struct msccl_file *file = graph->file;
    graph->first_event = mem_alloc(file->n_ops + 1, sizeof *graph->first_event);
    graph->n_slots = mem_alloc(file->n_gpus, sizeof *graph->n_slots);
    for (uint32_t index = 0; index < file->n_ops; index++) {
        graph->first_event[index] = (uint32_t)graph->n_events;
        push_events(graph, index);
    }
    graph->first_event[file->n_ops] = (uint32_t)graph->n_events;
    for (size_t i = 0; i < file->n_blocks; i++)
        push_arrows(graph, &file->blocks[i]);
}

const char *msccl_words_of_block(struct msccl_graph *graph, const struct msccl_op *op)
{
    const struct msccl_block *block = &graph->file->blocks[op->block];
    return diagnostics_text(graph->found, "thread block %u of GPU %u", block->id, block->gpu);
}

/* ---- who comes behind whom ---- */

struct successors successors_of(const struct msccl_graph *graph)
{
    const struct arrows *arrows = &graph->arrows;
    struct successors successors = {.first = mem_alloc(graph->n_events + 1, sizeof *successors.first),
                                    .arrows = mem_alloc(arrows->n, sizeof *successors.arrows)};
    for (size_t i = 0; i < arrows->n; i++)
        successors.first[arrows->items[i].from]++;
    uint32_t n = 0;
    for (size_t event = 0; event <= graph->n_events; event++) {
        n += successors.first[event];
        successors.first[event] = n;
    }
    for (size_t i = arrows->n; i-- > 0;)
        successors.arrows[--successors.first[arrows->items[i].from]] = (uint32_t)i;
    return successors;
}

void successors_free(struct successors *successors)
{
    free(successors->first);
    free(successors->arrows);
}
