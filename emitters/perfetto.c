/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the operations of a schedule with times in the trace event format, which Perfetto and Chrome's
 * tracing page show: a process for each machine, a thread for each rank, times in microseconds.
 * Operations of a rank overlap, so they are async events ("b", "e"), which a viewer stacks while they are
 * open at once.
 */
#include "emitters/emit.h"

#include <inttypes.h>
#include <stdlib.h>

struct trace {
    struct text *out;
    const struct emit_request *request;
    uint64_t n_events;
};

static uint32_t perfetto_machine_of(const struct trace *trace, uint32_t rank)
{
    const struct placement *placement = trace->request->placement;
    return placement ? placement->machine[rank] : rank;
}

/* Writes ns as microseconds with three decimals. */
static void perfetto_put_time(struct text *out, const char *key, uint64_t ns)
{
    text_printf(out, ", \"%s\": %" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

static void perfetto_put_op(struct trace *trace, const struct op *op, const struct op_time *time,
                            uint64_t step)
{
    static const char *const verb[] = {"send to", "recv from", "reduce from", "copy", "combine"};
    for (int end = 0; end < 2; end++) {
        text_printf(trace->out, ",\n{\"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%s", end ? "e" : "b",
                    op->kind == OP_SEND ? "send" : op_is_local(op) ? "local" : "receive",
                    verb[op->kind]);
        if (!op_is_local(op))
            text_printf(trace->out, " %" PRIu32, op->peer);
        text_printf(trace->out, "\", \"id\": %" PRIu64 ", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32,
                    trace->n_events, perfetto_machine_of(trace, op->rank), op->rank);
        perfetto_put_time(trace->out, "ts", end ? time->end : time->start);
        if (!end)
            text_printf(trace->out, ", \"args\": {\"step\": %" PRIu64 ", \"chunks\": %" PRIu32 "}", step,
                        op->n_chunks);
        text_printf(trace->out, "}");
    }
    trace->n_events++;
}

static void put_names(struct trace *trace)
{
    const char *comma = "";
    for (uint32_t rank = 0; rank < trace->request->schedule->header.n_ranks; rank++) {
        text_printf(trace->out,
                    "%s\n{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": %" PRIu32 ", \"tid\": %" PRIu32
                    ", \"args\": {\"name\": \"rank %" PRIu32 "\"}}",
                    comma, perfetto_machine_of(trace, rank), rank, rank);
        text_printf(trace->out,
                    ",\n{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu32
                    ", \"args\": {\"name\": \"machine %" PRIu32 "\"}}",
                    perfetto_machine_of(trace, rank), perfetto_machine_of(trace, rank));
        comma = ",";
    }
}

const char *emit_perfetto(const struct emit_request *request, struct text *out)
{
    struct schedule *schedule = request->schedule;
    struct trace trace = {.out = out, .request = request};
    struct step step;
    if (!schedule->header.is_timed)
        return "the schedule has no times: write one with 'collc compile --timed'";
    text_printf(out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    put_names(&trace);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_copies; i++)
            perfetto_put_op(&trace, &step.copies[i], &step.copy_times[i], step.index);
        for (size_t i = 0; i < step.n_sends; i++)
            perfetto_put_op(&trace, &step.sends[i], &step.send_times[i], step.index);
        for (size_t i = 0; i < step.n_receives; i++)
            perfetto_put_op(&trace, &step.receives[i], &step.receive_times[i], step.index);
    }
    text_printf(out, "\n]}\n");
    return schedule->failed ? "" : NULL;
}
