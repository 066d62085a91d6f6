/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The time-independent trace of a schedule, for the replay of SimGrid's SMPI: what each rank sends
 * and receives, without any times, one action a line,
 *
 *   RANK isend|irecv PEER TAG BYTES 6       6: MPI_BYTE
 *   RANK waitall N
 *
 * All ranks are in one file, in the order of the steps, each of which begins with a comment. Local
 * copies and combinations cost nothing in it. docs/simulation.md says how it is replayed.
 */
#include "emitters/emit.h"
#include "ir/counts.h"

#include <inttypes.h>
#include <stdlib.h>

static void ti_trace_put_all(struct text *out, uint32_t n_ranks, const char *action)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        text_printf(out, "%" PRIu32 " %s\n", rank, action);
}

/* Writes the messages of a list; counts those that each rank has to wait for. Returns why that is
 * impossible, or NULL. */
static const char *put_messages(struct text *out, const struct schedule_header *header, const char *action,
                         const struct op *ops, size_t n, uint32_t *n_open)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t unit_bytes = schedule_unit_bytes(header);
        uint64_t bytes;
        if (!schedule_is_sent(header, &ops[i]))
            continue;
        if (ops[i].n_chunks && !unit_bytes)
            return "a trace has bytes in it: give --bytes";
        if (!mem_multiply(schedule_carried_units(header, &ops[i]), unit_bytes, &bytes))
            return "a message has 2^64 bytes or more";
        text_printf(out, "%" PRIu32 " %s %" PRIu32 " 0 %" PRIu64 " 6\n", ops[i].rank, action,
                    ops[i].peer, bytes);
        n_open[ops[i].rank]++;
    }
    return NULL;
}

/* Writes a wait of each rank for its messages of this step. */
static void put_waits(struct text *out, const struct op *ops, size_t n, uint32_t *n_open)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t *open = &n_open[ops[i].rank];
        if (*open)
            text_printf(out, "%" PRIu32 " waitall %" PRIu32 "\n", ops[i].rank, *open);
        *open = 0;
    }
}

const char *emit_ti_trace(const struct emit_request *request, struct text *out)
{
    struct schedule *schedule = request->schedule;
    const struct schedule_header *header = &schedule->header;
    const char *refusal = NULL;
    struct step step;
    uint32_t *n_open = mem_alloc(header->n_ranks, sizeof *n_open);
    schedule->rewind(schedule);
    text_printf(out, "# %s %s of %" PRIu32 " ranks\n", collective_name(header->collective, header->form),
                header->algorithm ? header->algorithm : "", header->n_ranks);
    ti_trace_put_all(out, header->n_ranks, "init");
    while (!refusal && schedule->next(schedule, &step)) {
        text_printf(out, "# step %" PRIu64 "\n", step.index);
        refusal = put_messages(out, header, "irecv", step.receives, step.n_receives, n_open);
        if (!refusal)
            refusal = put_messages(out, header, "isend", step.sends, step.n_sends, n_open);
        put_waits(out, step.receives, step.n_receives, n_open);
        put_waits(out, step.sends, step.n_sends, n_open);
    }
    ti_trace_put_all(out, header->n_ranks, "finalize");
    free(n_open);
    return schedule->failed ? "" : refusal;
}
