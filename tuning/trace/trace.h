/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what one rank has recorded of its calls (tuning/runtime/record.def has the form).
 */
#ifndef COLLC_TUNING_TRACE_TRACE_H
#define COLLC_TUNING_TRACE_TRACE_H

#include "base/diagnostic.h"

enum { TRACE_ELEMENT = 8, TRACE_FILE_LIMIT = 1 << 30 }; /* bytes */
/* Most elements of a block, and of a message. */
#define TRACE_MOST_ELEMENTS (UINT64_C(1) << 31)

/* Elements with consecutive addresses and consecutive values. A value names the rank that made it. */
struct trace_piece {
    uint64_t n;                          /* elements, at least 1 */
    uint64_t address, value;             /* of the first one; of an operation those of its left operand */
    uint64_t right_address, right_value; /* of an operation */
};

enum trace_kind { TRACE_SEND, TRACE_RECV, TRACE_DONE, TRACE_OP };

struct trace_event {
    enum trace_kind kind;
    uint64_t id;     /* of a message, unique at the rank */
    uint32_t to;     /* of a send: the rank */
    const char *key; /* of a send or a receive, the latter's from its end if it was from anybody; NULL:
                        of a receive from anybody that never ended */
    uint64_t n;      /* elements; of a receive the most that it takes */
    uint64_t value;  /* of an operation: first result */
    size_t first_piece, n_pieces;
    uint32_t line;
};

struct trace_area {
    uint64_t address, n; /* elements */
};

/* A call of a collective at one rank. */
struct trace_call {
    uint32_t n_ranks, root;
    uint64_t elements; /* of a block */
    const char *collective;
    struct trace_area in, out;
    struct trace_event *events;
    struct trace_piece *pieces;
    size_t n_events, n_pieces;
    size_t first_final, n_final; /* pieces: the data of `out` when the call returned */
    bool is_over, fails;
    const char *lost; /* the first thing that could not be followed, or NULL */
};

struct trace {
    struct trace_call *calls;
    size_t n;
    const char *problem; /* why it could not be read, or NULL */
};

/* Reads a trace into the arena. Returns false with a problem: the file was cut, or is none. O(bytes). */
bool trace_read(const struct source *source, struct trace *trace, struct arena *arena);

#endif
