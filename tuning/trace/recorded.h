/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a schedule file of what the ranks of a call have recorded.
 *
 * Messages are the sends and receives of the ranks. A step follows from what ranks wait for: a message is in
 * a later step than those after which its sender and its receiver went on before they posted it. A rank gets
 * each datum from a place where it has it by then; where the MPI has moved it in between, that is a copy.
 * Data elsewhere than in a buffer of the caller are in `tmp`, a chunk for each address.
 */
#ifndef COLLC_TUNING_TRACE_RECORDED_H
#define COLLC_TUNING_TRACE_RECORDED_H

#include "ir/counts.h"
#include "ir/needs.h"
#include "tuning/trace/trace.h"

struct recorded_request {
    const struct trace_call *const *calls; /* [n_ranks] of one call, by rank */
    uint32_t n_ranks;
    const char *title;   /* of the schedule: its algorithm */
    const char *comment; /* lines at the top of the file, each with '#'; or NULL */
    bool is_ordered;     /* the operation does not commute: combining in rank order is claimed */
    enum collective_form form; /* FORM_EQUAL: all counts are equal */
    struct counts *counts;     /* of another form: bytes, multiples of TRACE_ELEMENT and at least that */
    struct needs *needs;       /* of a neighbourhood collective; else NULL */
    uint32_t n_out;            /* of the same: chunks of `out` that a rank has at most */
};

struct recorded {
    struct text file;  /* to be freed */
    uint32_t segments; /* chunks of a block */
    uint64_t n_messages, n_steps;
    uint64_t n_buffered; /* messages whose sender went on before the receiver could have posted its receive:
                            ranks would wait for each other if it had waited */
    const char *problem; /* why there is no schedule, or NULL */
};

/* Returns false with a problem. The blocks of a buffer lie one behind the other. O(chunks of messages * log)
 * time, memory O(chunks of messages + ranks * chunks of their buffers). */
bool recorded_make(const struct recorded_request *request, struct recorded *recorded, struct arena *arena);

#endif
