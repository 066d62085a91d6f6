/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who wrote it? The final data tells which chunk is wrong, not how it came so.
 * To say that, the steps are produced once more and the last operation that
 * wrote each chunk in question is kept. Only after a finding; time O(operations).
 */
#include "verify/internal.h"

#include <stdlib.h>

/* A finding about a chunk at the end. */
struct traced {
    struct diagnostic *finding;
    const char *help; /* if a receive wrote it; NULL: none */
    uint32_t rank, chunk;
    uint8_t buffer;
    bool is_written;
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

void finding_trace(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                   uint32_t chunk, const char *help)
{
    const uint32_t rank = (uint32_t)finding->place.rank;
    struct verifier *verifier = judge->verifier;
    if (!verifier->trace)
        verifier->trace = mem_alloc(verifier->n_ranks, sizeof(struct traced *));
    struct traced *traced = mem_alloc(1, sizeof *traced);
    *traced = (struct traced){.finding = finding, .help = help, .rank = rank, .chunk = chunk,
                              .buffer = (uint8_t)buffer, .next = verifier->trace[rank]};
    verifier->trace[rank] = traced;
}

static void note_writes(struct verifier *verifier, const struct op *ops, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        const struct op *op = &ops[i];
        bool is_local = op_is_local(op);
        uint32_t first = is_local ? op->to_chunk : op->chunk;
        uint8_t buffer = is_local ? op->to_buffer : op->buffer;
        for (struct traced *traced = verifier->trace[op->rank]; traced; traced = traced->next) {
            if (traced->buffer != buffer || traced->chunk < first ||
                traced->chunk - first >= op->n_chunks)
                continue;
            traced->is_written = true;
            traced->writer = *op;
            traced->step = step;
        }
    }
}

static void explain(struct verifier *verifier, const struct traced *traced)
{
    static const char *const verb[] = {"sent to", "received from", "reduced from", "copied by",
                                       "combined by"};
    struct diagnostic *finding = traced->finding;
    const struct op *writer = &traced->writer;
    if (!traced->is_written)
        return;
    uint32_t from = op_is_local(writer) ? writer->rank : writer->peer;
    finding->position = schedule_position(verifier->schedule, writer);
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
            explain(verifier, traced);
    diagnostics_join_lines(verifier->diagnostics);
    trace_free(verifier);
}
