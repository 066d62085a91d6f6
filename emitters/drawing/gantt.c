/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A Gantt chart as SVG of a schedule with times: a row for each rank, time from left to right. In a
 * rank's row sends are in the upper half, receives in the lower one, copies and combinations in both;
 * overlapping bars of one colour are darker. The colours are those of Okabe & Ito (2008). Under the
 * pointer each bar shows its operation, or how many copies of a rank follow each other.
 */
#include "emitters/emit.h"

#include "emitters/drawing/time_axis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEFT = 80, TOP = 72, ROW = 24, BAR = 10 };
enum { MAX_BARS = 1 << 18 }; /* larger charts would be unreadable */

static const char *const colours[] = {
    [OP_SEND] = "#D55E00", [OP_RECV] = "#0072B2", [OP_REDUCE] = "#CC79A7", [OP_COPY] = "#009E73",
    [OP_COMBINE] = "#009E73"};

/* Counts the operations and finds the last end. */
static uint64_t gantt_measure(struct schedule *schedule, uint64_t *end)
{
    struct step step;
    uint64_t n = 0;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        const struct op_time *const times[] = {step.copy_times, step.send_times, step.receive_times};
        const size_t lengths[] = {step.n_copies, step.n_sends, step.n_receives};
        for (int list = 0; list < 3; list++)
            for (size_t i = 0; i < lengths[list]; i++, n++)
                *end = times[list][i].end > *end ? times[list][i].end : *end;
    }
    return n;
}

/* `n`: so many operations of this kind, one right after the other, are one bar. */
static void put_bar(const struct time_axis *axis, const struct op *op, const struct op_time *time, size_t n,
                    uint64_t step)
{
    static const char *const verb[] = {"sends to", "receives from", "reduces from", "copies",
                                       "combines"};
    const bool is_local = op_is_local(op), is_receive = !is_local && op->kind != OP_SEND;
    const double from = time_axis_place(axis, time->start), to = time_axis_place(axis, time->end);
    text_printf(axis->out,
                "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>rank %" PRIu32
                " %s",
                from, axis->top + (double)op->rank * ROW + 2 + (is_receive ? BAR : 0),
                to > from ? to - from : 0, is_local ? 2 * BAR : BAR, colours[op->kind], op->rank,
                verb[op->kind]);
    if (!is_local)
        text_printf(axis->out, " %" PRIu32, op->peer);
    if (n > 1)
        text_printf(axis->out, " %zu times", n);
    text_printf(axis->out, ", step %" PRIu64 ", %" PRIu64 " to %" PRIu64 " ns</title></rect>\n", step,
                time->start, time->end);
}

/* Operations of a rank, one right after the other. */
struct local_run {
    const struct op *op; /* the first */
    struct op_time time;
    size_t n;
};

static void put_run(const struct time_axis *axis, struct local_run *run, uint64_t step)
{
    if (run->n)
        put_bar(axis, run->op, &run->time, run->n, step);
    run->n = 0;
}

/* Draws copies and combinations, of which a rank may have a thousand in a row. `runs`: [rank], empty. */
static void put_local(const struct time_axis *axis, const struct step *step, struct local_run *runs,
                      uint32_t n_ranks)
{
    for (size_t i = 0; i < step->n_copies; i++) {
        const struct op *op = &step->copies[i];
        const struct op_time time = step->copy_times[i];
        struct local_run *run = &runs[op->rank];
        if (run->n && (run->op->kind != op->kind || run->time.end != time.start))
            put_run(axis, run, step->index);
        if (run->n)
            run->time.end = time.end;
        else
            *run = (struct local_run){op, time, 0};
        run->n++;
    }
    for (uint32_t rank = 0; step->n_copies && rank < n_ranks; rank++)
        put_run(axis, &runs[rank], step->index);
}

static void put_frame(const struct time_axis *axis, const struct schedule_header *header)
{
    char words[128];
    double x = LEFT;
    snprintf(words, sizeof words, "%s, %" PRIu32 " rank%s", collective_name(header->collective, header->form),
             header->n_ranks, header->n_ranks == 1 ? "" : "s");
    time_axis_begin(axis, words);
    time_axis_legend(axis, &x, colours[OP_SEND], "sends");
    time_axis_legend(axis, &x, colours[OP_RECV], "receives, from when it is ready to");
    time_axis_legend(axis, &x, colours[OP_REDUCE], "receives and reduces");
    time_axis_legend(axis, &x, colours[OP_COPY], "copies, combines");
    for (uint32_t rank = 0; rank < header->n_ranks; rank++) {
        snprintf(words, sizeof words, "rank %" PRIu32, rank);
        time_axis_name(axis, rank, words);
    }
}

const char *emit_gantt(const struct emit_request *request, struct text *out)
{
    struct schedule *schedule = request->schedule;
    struct time_axis axis = {.out = out, .n_rows = schedule->header.n_ranks, .left = LEFT, .top = TOP,
                             .row = ROW};
    struct step step;
    if (!schedule->header.is_timed)
        return "the schedule has no times: write one with 'collc compile --timed'";
    if (gantt_measure(schedule, &axis.end) > MAX_BARS)
        return "a chart of more than 262144 operations cannot be looked at: take fewer ranks";
    put_frame(&axis, &schedule->header);
    text_printf(out, "<g fill-opacity=\"0.6\" stroke=\"white\" stroke-width=\"0.8\">\n");
    struct local_run *runs = mem_alloc(schedule->header.n_ranks, sizeof *runs);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        put_local(&axis, &step, runs, schedule->header.n_ranks);
        for (size_t i = 0; i < step.n_sends; i++)
            put_bar(&axis, &step.sends[i], &step.send_times[i], 1, step.index);
        for (size_t i = 0; i < step.n_receives; i++)
            put_bar(&axis, &step.receives[i], &step.receive_times[i], 1, step.index);
    }
    free(runs);
    text_printf(out, "</g>\n");
    time_axis_close(&axis);
    return schedule->failed ? "" : NULL;
}
