/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A Gantt chart as SVG of a schedule with times: a row for each rank, time from left to right. In the
 * row of a rank its sends are in the upper half, what it receives in the lower one, copies and
 * combinations across; bars of one colour that overlap are darker. The colours are those of Okabe &
 * Ito (2008). Under the pointer each says what it is.
 */
#include "emitters/emit.h"

#include "base/quantity.h"

#include <inttypes.h>

enum { WIDTH = 1200, LEFT = 90, RIGHT = 1180, TOP = 60, ROW = 24, BAR = 9, N_TICKS = 8 };
enum { MAX_BARS = 1 << 18 }; /* more are a file that nobody can look at */

struct gantt {
    struct text *out;
    uint64_t end;
};

static double place(const struct gantt *gantt, uint64_t time)
{
    return LEFT + (double)(RIGHT - LEFT) * (double)time / (double)(gantt->end ? gantt->end : 1);
}

/* Counts the operations and finds the last end. */
static uint64_t measure(struct schedule *schedule, uint64_t *end)
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

static void put_bar(const struct gantt *gantt, const struct op *op, const struct op_time *time,
                    uint64_t step)
{
    static const char *const verb[] = {"sends to", "receives from", "reduces from", "copies",
                                       "combines"};
    static const char *const colour[] = {"#D55E00", "#0072B2", "#CC79A7", "#009E73", "#009E73"};
    const bool is_local = op_is_local(op), is_receive = !is_local && op->kind != OP_SEND;
    const double from = place(gantt, time->start), to = place(gantt, time->end);
    text_printf(gantt->out,
                "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"%s\"><title>rank %" PRIu32
                " %s",
                from, TOP + (double)op->rank * ROW + 2 + (is_receive ? BAR + 1 : 0),
                to > from ? to - from : 0, is_local ? 2 * BAR + 1 : BAR, colour[op->kind], op->rank,
                verb[op->kind]);
    if (!is_local)
        text_printf(gantt->out, " %" PRIu32, op->peer);
    text_printf(gantt->out, ", step %" PRIu64 ", %" PRIu64 " to %" PRIu64 " ns</title></rect>\n", step,
                time->start, time->end);
}

static void put_frame(const struct gantt *gantt, const struct schedule_header *header)
{
    const double bottom = TOP + (double)header->n_ranks * ROW;
    text_printf(gantt->out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
                "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
                "fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"15\">%s, %" PRIu32
                " ranks: orange sends, blue receives, purple reduces, green copies</text>\n",
                WIDTH, bottom + 20, LEFT, collective_name(header->collective, header->form),
                header->n_ranks);
    for (uint64_t i = 0; i <= N_TICKS; i++) {
        const uint64_t time = gantt->end / N_TICKS * i;
        text_printf(gantt->out, "<path d=\"M%.2f %d V%.0f\" stroke=\"#ddd\"/>\n<text x=\"%.2f\" y=\"%d\" "
                                "text-anchor=\"middle\">",
                    place(gantt, time), TOP, bottom, place(gantt, time), TOP - 8);
        print_time(time, gantt->out);
        text_printf(gantt->out, "</text>\n");
    }
    for (uint32_t rank = 0; rank < header->n_ranks; rank++)
        text_printf(gantt->out, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">rank %" PRIu32 "</text>\n",
                    LEFT - 8, TOP + (double)rank * ROW + 16, rank);
}

const char *emit_gantt(const struct emit_request *request, struct text *out)
{
    struct schedule *schedule = request->schedule;
    struct gantt gantt = {.out = out};
    struct step step;
    if (!schedule->header.is_timed)
        return "the schedule has no times: write one with 'collc compile --timed'";
    if (measure(schedule, &gantt.end) > MAX_BARS)
        return "a chart of more than 262144 operations cannot be looked at: take fewer ranks";
    put_frame(&gantt, &schedule->header);
    text_printf(out, "<g fill-opacity=\"0.55\">\n");
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        for (size_t i = 0; i < step.n_copies; i++)
            put_bar(&gantt, &step.copies[i], &step.copy_times[i], step.index);
        for (size_t i = 0; i < step.n_sends; i++)
            put_bar(&gantt, &step.sends[i], &step.send_times[i], step.index);
        for (size_t i = 0; i < step.n_receives; i++)
            put_bar(&gantt, &step.receives[i], &step.receive_times[i], step.index);
    }
    text_printf(out, "</g>\n</svg>\n");
    return schedule->failed ? "" : NULL;
}
