/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the operation that wrote a chunk. The final data tell which chunk is wrong, but not why. To tell
 * that, the steps are produced once more and the last operation that wrote each chunk in question is kept,
 * or where nothing did, that which wrote the nearest one. Only after a finding; time O(operations).
 */
#include "verify/internal.h"

#include <stdlib.h>

/* A finding about a chunk at the end. */
struct traced {
    struct diagnostic *finding;
    const char *help; /* if a receive wrote it; NULL: none */
    uint32_t rank, chunk;
    uint8_t buffer;
    bool is_absent;   /* nothing wrote it */
    bool is_written;  /* it, or where it is absent another chunk of the buffer */
    uint32_t nearest; /* that chunk */
    struct op writer;
    uint64_t step;
    struct traced *next; /* of the same rank */
};

void trace_free(struct verifier *verifier)
{
    for (uint32_t rank = 0; verifier->trace && rank < verifier->n_ranks; rank++) {
        for (struct traced *traced = verifier->trace[rank], *next; traced; traced = next) {
            next = traced->next;
            free(traced);
        }
    }
    free(verifier->trace);
    verifier->trace = NULL;
}

static struct traced *trace_ask(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                                uint32_t chunk)
{
    const uint32_t rank = (uint32_t)finding->place.rank;
    struct verifier *verifier = judge->verifier;
    if (!verifier->trace)
        verifier->trace = mem_alloc(verifier->n_ranks, sizeof(struct traced *));
    struct traced *traced = mem_alloc(1, sizeof *traced);
    *traced = (struct traced){.finding = finding, .rank = rank, .chunk = chunk,
                              .buffer = (uint8_t)buffer, .next = verifier->trace[rank]};
    return verifier->trace[rank] = traced;
}

void finding_trace(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                   uint32_t chunk, const char *help)
{
    trace_ask(judge, finding, buffer, chunk)->help = help;
}

void finding_trace_absent(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                          uint32_t chunk)
{
    trace_ask(judge, finding, buffer, chunk)->is_absent = true;
}

static uint32_t trace_distance(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* An operation writes chunks first .. last of the buffer in question. */
static void note_write(struct traced *traced, const struct op *op, uint32_t first, uint32_t last,
                       uint64_t step)
{
    const uint32_t chunk = traced->chunk, nearest = chunk < first ? first : chunk > last ? last : chunk;
    const bool is_farther =
        traced->is_written && trace_distance(nearest, chunk) > trace_distance(traced->nearest, chunk);
    if (nearest != chunk && (!traced->is_absent || is_farther))
        return;
    traced->is_written = true;
    traced->nearest = nearest;
    traced->writer = *op;
    traced->step = step;
}

static void note_writes(struct verifier *verifier, const struct op *ops, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        const bool is_local = op_is_local(op);
        const uint8_t buffer = is_local ? op->to_buffer : op->buffer;
        for (struct traced *traced = verifier->trace[op->rank]; traced; traced = traced->next) {
            struct op_ranges ranges = op_ranges(&verifier->schedule->header, op);
            while (traced->buffer == buffer && op_ranges_next(&ranges)) {
                const uint32_t first = is_local ? op->to_chunk : ranges.chunk;
                note_write(traced, op, first, first + ranges.n - 1, step);
            }
        }
    }
}

static void trace_explain(struct verifier *verifier, const struct traced *traced)
{
    static const char *const verb[] = {"sent to", "received from", "reduced from", "copied by",
                                       "combined by"};
    struct diagnostic *finding = traced->finding;
    const struct op *writer = &traced->writer;
    if (!traced->is_written)
        return;
    uint32_t from = op_is_local(writer) ? writer->rank : writer->peer;
    finding->position = schedule_position(verifier->schedule, writer);
    if (traced->is_absent && traced->nearest != traced->chunk) {
        finding->message = diagnostics_text(
            verifier->diagnostics, "%s; the nearest that it has is %s[%u], %s rank %u in step %llu",
            finding->message, buffer_name[traced->buffer], traced->nearest, verb[writer->kind], from,
            (unsigned long long)traced->step);
        return;
    }
    finding->place.step = (int64_t)traced->step;
    finding->message = diagnostics_text(verifier->diagnostics, "%s, last %s rank %u in step %llu",
                                        finding->message, verb[writer->kind], from,
                                        (unsigned long long)traced->step);
    if (writer->kind == OP_RECV && traced->help)
        finding->help = traced->help;
}

void trace_run(struct verifier *verifier)
{
    struct schedule *schedule = verifier->schedule;
    struct step step;
    if (!verifier->trace)
        return;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        note_writes(verifier, step.copies, step.n_copies, step.index);
        note_writes(verifier, step.receives, step.n_receives, step.index);
    }
    for (uint32_t rank = 0; rank < verifier->n_ranks; rank++)
        for (struct traced *traced = verifier->trace[rank]; traced; traced = traced->next)
            trace_explain(verifier, traced);
    diagnostics_join_lines(verifier->diagnostics);
    trace_free(verifier);
}
