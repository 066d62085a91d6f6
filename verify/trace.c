/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the operation that wrote a chunk. The final data tell which chunk is wrong, but not why. To tell
 * that, the steps are produced once more and the last operation that wrote each chunk in question is kept,
 * or where nothing did, that which wrote the nearest one. If that was a copy, the steps are produced again
 * for the chunk that it read, and so on. Only after a finding; time O(operations), MAX_COPIES times at most.
 */
#include "base/codes.h"
#include "verify/internal.h"

#include <stdlib.h>

enum { MAX_COPIES = 4 };

/* An operation that wrote a chunk. */
struct written {
    bool is_known;
    struct op op;
    uint64_t step;
    size_t at; /* number of a copy in its step, which comes before what the step receives */
};

/* A finding about a chunk at the end. */
struct traced {
    struct diagnostic *finding;
    const char *help; /* if a receive wrote it; NULL: none */
    uint32_t rank, chunk;
    uint8_t buffer;
    bool is_absent;   /* nothing wrote it */
    bool is_lost;     /* looked for is the first write, if nothing of the chunk was passed on before */
    bool is_passed;
    bool is_unread;   /* looked for is the last write to tmp that nothing reads; no write to the chunk */
    bool is_word;     /* of a barrier: looked for is the last message that the rank gets */
    bool is_of_step;  /* `last` is the operation that the finding is about, */
    bool is_written;  /* as it writes: what a local one reads is not known */
    bool is_late;     /* in the step of `last` what that reads is received, so behind it */
    uint32_t n_from;  /* messages from its sender that the rank receives in that step */
    bool is_open;     /* in this pass something is looked for: what wrote the chunk last, */
    struct written *found;          /* which is one of these */
    struct written last, origin;    /* of the chunk itself; of what a copy put there */
    struct written before;          /* the copy before which it was written, if it is known */
    uint32_t nearest; /* where it is absent: the chunk of the buffer that was written */
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

static struct traced *trace_ask(const struct judge *judge, struct diagnostic *finding, int64_t rank,
                                enum buffer buffer, uint32_t chunk)
{
    struct verifier *verifier = judge->verifier;
    if (!verifier->trace)
        verifier->trace = mem_alloc(verifier->n_ranks, sizeof(struct traced *));
    struct traced *traced = mem_alloc(1, sizeof *traced);
    *traced = (struct traced){.finding = finding, .rank = (uint32_t)rank, .chunk = chunk,
                              .buffer = (uint8_t)buffer, .is_open = true, .next = verifier->trace[rank]};
    traced->found = &traced->last;
    return verifier->trace[rank] = traced;
}

void finding_trace(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                   uint32_t chunk, const char *help)
{
    trace_ask(judge, finding, finding->place.rank, buffer, chunk)->help = help;
}

void finding_trace_absent(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                          uint32_t chunk)
{
    trace_ask(judge, finding, finding->place.rank, buffer, chunk)->is_absent = true;
}

void finding_trace_lost(const struct judge *judge, struct diagnostic *finding, enum buffer buffer,
                        uint32_t chunk)
{
    trace_ask(judge, finding, finding->place.peer, buffer, chunk)->is_lost = true;
}

void finding_trace_unread(const struct judge *judge, struct diagnostic *finding)
{
    struct traced *traced = trace_ask(judge, finding, finding->place.rank, BUFFER_TMP, 0);
    traced->is_unread = true;
    traced->is_open = false;
}

void finding_trace_word(const struct judge *judge, struct diagnostic *finding)
{
    trace_ask(judge, finding, finding->place.rank, BUFFER_IN, 0)->is_word = true;
}

void finding_trace_step(const struct judge *judge, struct diagnostic *finding, const struct op *op,
                        uint64_t step)
{
    if (finding == judge->verifier->diagnostics->dummy)
        return;
    struct traced *traced = trace_ask(judge, finding, op->rank, (enum buffer)op->buffer, op->chunk);
    traced->is_of_step = true;
    traced->is_written = op_is_local(op) && op->buffer == op->to_buffer && op->chunk == op->to_chunk;
    traced->is_open = false;
    traced->last = (struct written){true, *op, step, 0};
}

static uint32_t trace_distance(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

/* True if the operation comes before the copy, or there is none. */
static bool comes_before(const struct written *write, const struct written *copy)
{
    return !copy->is_known || write->step < copy->step ||
           (write->step == copy->step && op_is_local(&write->op) && write->at < copy->at);
}

/* An operation writes chunks first .. last of the buffer in question. */
static void note_write(struct traced *traced, const struct written *write, uint32_t first, uint32_t last)
{
    const uint32_t chunk = traced->chunk, nearest = chunk < first ? first : chunk > last ? last : chunk;
    const bool is_farther = traced->found->is_known &&
                            trace_distance(nearest, chunk) > trace_distance(traced->nearest, chunk);
    const bool is_combined = write->op.kind == OP_REDUCE || write->op.kind == OP_COMBINE;
    if (nearest != chunk && (!traced->is_absent || traced->before.is_known || is_farther))
        return;
    if (traced->is_lost && (traced->is_passed || traced->found->is_known || is_combined))
        return;
    traced->nearest = nearest;
    *traced->found = *write;
    traced->is_late = false;
    traced->n_from = 0;
}

/* True if the local operation is the one that the finding knows by what it writes. */
static bool is_written_by(const struct traced *traced, const struct op *op, uint64_t step)
{
    const struct written *last = &traced->last;
    return traced->is_written && last->step == step && last->op.kind == op->kind &&
           last->op.line == op->line && traced->chunk - op->to_chunk < op->n_chunks;
}

/* True if the receive writes chunks that the operation, a send or a local one written below it, reads. */
static bool is_read_by(const struct schedule_header *header, const struct op *receive, const struct op *op)
{
    bool is_read = false;
    const bool is_below = op_is_local(op) && op->line > receive->line;
    if (receive->buffer == op->buffer && (is_below || op->kind == OP_SEND))
        for (struct op_ranges ranges = op_ranges(header, receive); op_ranges_next(&ranges);)
            is_read |= ranges.chunk < (uint64_t)op->chunk + op->n_chunks &&
                       op->chunk < (uint64_t)ranges.chunk + ranges.n;
    return is_read;
}

/* Notes what else happens in the step of the last write. */
static void trace_note_step(struct verifier *verifier, const struct step *step)
{
    for (size_t i = 0; i < step->n_copies; i++)
        for (struct traced *traced = verifier->trace[step->copies[i].rank]; traced; traced = traced->next)
            if (is_written_by(traced, &step->copies[i], step->index))
                traced->last.op = step->copies[i];
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        for (struct traced *traced = verifier->trace[op->rank]; traced; traced = traced->next) {
            const struct op *last = &traced->last.op;
            if (!traced->last.is_known || traced->last.step != step->index)
                continue;
            traced->n_from += !op_is_local(last) && last->kind != OP_SEND && op->peer == last->peer;
            traced->is_late |= is_read_by(&verifier->schedule->header, op, last);
        }
    }
}

static void note_writes(struct verifier *verifier, const struct op *ops, size_t n, uint64_t step)
{
    for (size_t i = 0; i < n; i++) {
        const struct written write = {true, ops[i], step, i};
        const bool is_local = op_is_local(&ops[i]);
        const uint8_t buffer = is_local ? ops[i].to_buffer : ops[i].buffer;
        for (struct traced *traced = verifier->trace[ops[i].rank]; traced; traced = traced->next) {
            struct op_ranges ranges = op_ranges(&verifier->schedule->header, &ops[i]);
            if ((traced->is_word && !is_local) || (traced->is_unread && buffer == BUFFER_TMP))
                traced->last = write;
            if (traced->is_word || !traced->is_open || traced->buffer != buffer ||
                !comes_before(&write, &traced->before))
                continue;
            while (op_ranges_next(&ranges)) {
                const uint32_t first = is_local ? ops[i].to_chunk : ranges.chunk;
                note_write(traced, &write, first, first + ranges.n - 1);
            }
        }
    }
}

/* True if the operation reads of what the other one has written. */
static bool reads_written(const struct op *op, const struct op *written)
{
    const uint32_t first = op_is_local(written) ? written->to_chunk : written->chunk;
    return (!op_is_local(op) && op->is_set) || (!op_is_local(written) && written->is_set) ||
           (op->chunk < (uint64_t)first + written->n_chunks && first < (uint64_t)op->chunk + op->n_chunks);
}

/* Sends and copies pass on what a rank has in a chunk. */
static void note_reads(struct verifier *verifier, const struct op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (struct traced *traced = verifier->trace[ops[i].rank]; traced; traced = traced->next) {
            struct op_ranges ranges = op_ranges(&verifier->schedule->header, &ops[i]);
            if (traced->is_unread && ops[i].buffer == BUFFER_TMP && reads_written(&ops[i], &traced->last.op))
                traced->last.is_known = false;
            if (!traced->is_lost || traced->last.is_known || traced->buffer != ops[i].buffer)
                continue;
            while (op_ranges_next(&ranges))
                traced->is_passed |= traced->chunk - ranges.chunk < ranges.n;
        }
}

/* If a copy wrote the chunk, goes on with the one that it read; false: there is nothing more to find. */
static bool trace_follow(struct traced *traced)
{
    const struct written found = *traced->found;
    const bool is_other = traced->is_absent && traced->nearest != traced->chunk;
    traced->is_open = traced->is_open && found.is_known && found.op.kind == OP_COPY &&
                      found.op.buffer != BUFFER_IN && !traced->is_lost && !is_other &&
                      (!traced->before.is_known || comes_before(&found, &traced->before));
    if (!traced->is_open)
        return false;
    traced->chunk = found.op.chunk + (traced->chunk - found.op.to_chunk);
    traced->buffer = found.op.buffer;
    traced->before = found;
    traced->found = &traced->origin;
    return true;
}

static const char *words_of_write(const struct verifier *verifier, const struct written *write)
{
    static const char *const verb[] = {"sent to", "received from", "reduced from", "copied by",
                                       "combined by"};
    const struct op *op = &write->op;
    return diagnostics_text(verifier->diagnostics, "%s rank %u in step %llu", verb[op->kind],
                            op_is_local(op) ? op->rank : op->peer, (unsigned long long)write->step);
}

/* Says where the data of the finding came from, or went. */
static void trace_relate(struct verifier *verifier, const struct traced *traced)
{
    struct diagnostic *finding = traced->finding;
    const struct written *write = traced->is_lost ? &traced->last : &traced->origin;
    if (!write->is_known)
        return;
    finding->related = schedule_position(verifier->schedule, &write->op);
    finding->related_text =
        traced->is_lost
            ? diagnostics_text(verifier->diagnostics,
                               "here rank %u replaces its own contribution, before it has passed it on",
                               traced->rank)
            : diagnostics_text(verifier->diagnostics, "what it copies was last %s",
                               words_of_write(verifier, write));
    if (traced->is_lost && write->op.kind == OP_RECV)
        finding->help = "recv replaces what was in the chunk: to combine, use reduce";
}

/* Says what the rank has written to tmp for nothing, of a finding that no operation has written. */
static void trace_explain_unread(struct verifier *verifier, const struct traced *traced)
{
    struct diagnostic *finding = traced->finding;
    const struct written *last = &traced->last;
    if (finding->position.line || !last->is_known)
        return;
    finding->position = schedule_position(verifier->schedule, &last->op);
    finding->message = diagnostics_text(
        verifier->diagnostics, "%s; tmp[%u], %s, is never read", finding->message,
        op_is_local(&last->op) ? last->op.to_chunk : last->op.chunk, words_of_write(verifier, last));
    if (last->op.kind == OP_COMBINE)
        finding->help = "'reduce A to B' combines A into B, and leaves A as it is";
}

/* Says what in the step of the last write is the likely cause. */
static void trace_explain_step(struct verifier *verifier, const struct traced *traced)
{
    struct diagnostic *finding = traced->finding;
    if (traced->is_late)
        finding->help = traced->last.op.kind == OP_SEND
                            ? "a step posts its messages together: what it receives can be sent in a later step"
                            : "a copy or local reduce is made before its step receives, also where it stands below: write it "
                              "behind the step";
    else if (traced->n_from > 1 && finding->help &&
             (finding->code == CODE_R002 || finding->code == CODE_R006))
        finding->help = diagnostics_text(
            verifier->diagnostics,
            "%s; %u messages come from rank %u in this step: the first that it sends meets the first receive",
            finding->help, traced->n_from, traced->last.op.peer);
}

static void trace_explain(struct verifier *verifier, const struct traced *traced)
{
    struct diagnostic *finding = traced->finding;
    const struct written *last = &traced->last;
    if (traced->is_unread) {
        trace_explain_unread(verifier, traced);
        return;
    }
    trace_relate(verifier, traced);
    if (!last->is_known || traced->is_lost)
        return;
    if (traced->is_of_step) {
        trace_explain_step(verifier, traced);
        return;
    }
    finding->position = schedule_position(verifier->schedule, &last->op);
    const char *how = words_of_write(verifier, last);
    if (traced->is_word) {
        finding->message = diagnostics_text(verifier->diagnostics, "%s; its last message is %s",
                                            finding->message, how);
        return;
    }
    if (traced->is_absent && traced->nearest != traced->chunk) {
        finding->message =
            diagnostics_text(verifier->diagnostics, "%s; the nearest that it has is %s[%u], %s",
                             finding->message, buffer_name[traced->buffer], traced->nearest, how);
        return;
    }
    finding->place.step = (int64_t)last->step;
    finding->message = diagnostics_text(verifier->diagnostics, "%s, last %s", finding->message, how);
    if (last->op.kind == OP_RECV && traced->help && !finding->related.line)
        finding->help = traced->help;
    trace_explain_step(verifier, traced);
}

/* Produces the steps once more; true if that raises a question for another time. */
static bool trace_pass(struct verifier *verifier)
{
    struct schedule *schedule = verifier->schedule;
    struct step step;
    bool has_more = false;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        note_reads(verifier, step.copies, step.n_copies);
        note_writes(verifier, step.copies, step.n_copies, step.index);
        note_reads(verifier, step.sends, step.n_sends);
        note_writes(verifier, step.receives, step.n_receives, step.index);
        trace_note_step(verifier, &step);
    }
    for (uint32_t rank = 0; rank < verifier->n_ranks; rank++)
        for (struct traced *traced = verifier->trace[rank]; traced; traced = traced->next)
            has_more |= trace_follow(traced);
    return has_more;
}

void trace_run(struct verifier *verifier)
{
    if (!verifier->trace)
        return;
    for (int i = 0; i <= MAX_COPIES && trace_pass(verifier); i++)
        ;
    for (uint32_t rank = 0; rank < verifier->n_ranks; rank++)
        for (struct traced *traced = verifier->trace[rank]; traced; traced = traced->next)
            trace_explain(verifier, traced);
    diagnostics_join_lines(verifier->diagnostics);
    trace_free(verifier);
}
