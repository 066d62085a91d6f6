/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared by the parts of the reader. A file goes through them in this order:
 *
 *   parse.c      text -> thread blocks and their instructions           (S005)
 *   buffers.c    the collective, and the chunks of its buffers
 *   limits.c     the limits of the runtimes                             (S006)
 *   events.c     instructions -> events, and which of them waits for which
 *   connect.c    sends and receives -> messages                        (M001, M002, M003)
 *   order.c      events -> an order in which they may happen            (D001)
 *   conflicts.c  accesses to the same chunk, and their order            (R009)
 *   levels.c     events -> their steps
 *   steps.c      steps -> a schedule
 *
 * An *event* is the part of an instruction that is one operation of a schedule: rcs is a receive and a
 * send. Events and the arrows between them are a graph without cycles after order.c.
 */
#ifndef COLLC_SCHEDULES_MSCCL_INTERNAL_H
#define COLLC_SCHEDULES_MSCCL_INTERNAL_H

#include "ir/schedule.h"

#define NONE UINT32_MAX

/* ---- the file ---- */

/* INSTRUCTION(name, receives, reduces, stores, sends, is_local): `stores` is true if the received data goes
 * to the destination. */
#define INSTRUCTIONS(X)                        \
    X(s, false, false, false, true, false)     \
    X(r, true, false, true, false, false)      \
    X(rcs, true, false, true, true, false)     \
    X(rrs, true, true, false, true, false)     \
    X(rrc, true, true, true, false, false)     \
    X(rrcs, true, true, true, true, false)     \
    X(cpy, false, false, true, false, true)    \
    X(re, false, true, true, false, true)      \
    X(nop, false, false, false, false, false)
struct instruction_info {
    const char *name;
    bool receives, reduces, stores, sends, is_local;
};
enum instruction {
#define X(name, receives, reduces, stores, sends, is_local) INSTRUCTION_##name,
    INSTRUCTIONS(X)
#undef X
    N_INSTRUCTIONS
};
extern const struct instruction_info instruction_table[N_INSTRUCTIONS];

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH, N_MSCCL_BUFFERS };
extern const char msccl_buffer_letter[N_MSCCL_BUFFERS]; /* i, o, s */

/* A <step>. */
struct msccl_op {
    uint32_t line, column;
    uint32_t block;            /* index of its thread block in the file */
    uint32_t source, target;   /* first chunks */
    uint32_t count;            /* chunks */
    uint32_t after;            /* index of the instruction that it waits for, or NONE */
    uint8_t instruction;
    uint8_t source_buffer, target_buffer; /* enum msccl_buffer */
    bool publishes;            /* hasdep: others may wait for it */
};
/* A <tb>: instructions first .. first + n - 1. */
struct msccl_block {
    uint32_t line, column;
    uint32_t gpu, id, channel;
    uint32_t send_peer, receive_peer; /* GPUs, or NONE */
    uint32_t first, n;
};
/* A <copy>: before all thread blocks, a chunk of the input to one of the output. */
struct msccl_copy {
    uint32_t line, gpu, input, output;
};
/* A <gpu>: thread blocks first .. first + n - 1, in the order of their ids, and copies. */
struct msccl_gpu {
    uint32_t line, column;
    bool is_read;
    uint32_t first, n;
    uint32_t first_copy, n_copies;
    uint32_t n_chunks[N_MSCCL_BUFFERS]; /* i_chunks, o_chunks, s_chunks */
};

struct msccl_file {
    const struct source *source;
    struct diagnostics *diagnostics;
    struct arena arena;  /* owns all arrays here */
    const char *name, *collective;
    struct position collective_place; /* position of the collective's name, or of <algo> */
    uint32_t n_gpus, n_chunks;        /* ngpus, nchunksperloop */
    bool is_in_place;
    struct msccl_gpu *gpus;
    struct msccl_block *blocks;
    struct msccl_op *ops;
    struct msccl_copy *copies;
    size_t n_blocks, n_ops, n_copies;
};

/* Parses the text. Returns false after reporting; the caller frees the arena either way. */
bool msccl_parse(const struct source *source, struct diagnostics *diagnostics, struct msccl_file *file);
/* Return the place of the element's name: <step>, <tb>, <gpu>. */
struct position msccl_op_place(const struct msccl_file *file, const struct msccl_op *op);
struct position msccl_block_place(const struct msccl_file *file, const struct msccl_block *block);
struct position msccl_gpu_place(const struct msccl_file *file, const struct msccl_gpu *gpu);
static inline const struct instruction_info *op_info(const struct msccl_op *op)
{
    return &instruction_table[op->instruction];
}
static inline bool op_reads_source(const struct msccl_op *op)
{
    const struct instruction_info *info = op_info(op);
    return info->is_local || info->reduces || (info->sends && !info->receives);
}
static inline bool op_uses_target(const struct msccl_op *op)
{
    return op_info(op)->stores;
}

/* Warns of sizes that the runtimes refuse. */
void msccl_check_limits(const struct msccl_file *file);

/* ---- its buffers ---- */

/* n chunks of a buffer of the schedule. */
struct chunks {
    uint8_t buffer; /* enum buffer */
    uint32_t chunk, n;
};

/* The places of MSCCL's buffers in a schedule. */
struct msccl_layout {
    struct schedule_header header; /* contents of the file's header; n_tmp so far */
    uint32_t segments;
    bool copies_input;   /* the input is in `tmp`, to which it is copied before the first step */
    bool copies_output;  /* the output is copied after the last step */
    bool output_is_undefined; /* the output is undefined at first, although it is in `buf`, which holds
                                 data */
};
/* Finds the layout. Returns false after reporting. */
bool msccl_lay_out(const struct msccl_file *file, struct msccl_layout *layout);
/* Returns the chunks of a whole buffer at a GPU. */
struct chunks msccl_buffer_chunks(const struct msccl_file *file, const struct msccl_layout *layout,
                                  uint32_t gpu, enum msccl_buffer buffer);
/* Find the copies at a GPU before the first step, or after the last one. Return false if there is none. */
bool msccl_first_copy(const struct msccl_file *file, const struct msccl_layout *layout, uint32_t gpu,
                      struct chunks *from, struct chunks *to);
bool msccl_last_copy(const struct msccl_file *file, const struct msccl_layout *layout, uint32_t gpu,
                     struct chunks *from, struct chunks *to);

/* ---- events ---- */

/* Phases in the order in which they happen in a step. */
enum phase { PHASE_LOCAL, PHASE_SEND, PHASE_RECEIVE };

struct event {
    uint32_t op;      /* its instruction */
    uint32_t gpu;
    uint32_t partner; /* a send's receive and the reverse, or NONE: takes no part in what follows */
    uint8_t phase;    /* enum phase; a nop has the last phase of the events that it follows */
    uint8_t kind;     /* enum op_kind; N_KINDS for a nop */
    bool is_staged;   /* a receive whose message is kept in `slot` from the step of its send */
    struct chunks at; /* chunks sent, received into, or written */
    struct chunks from; /* chunks that a local operation reads */
    uint32_t slot;    /* chunk of tmp */
    uint32_t level;   /* step */
};
enum { EVENT_NOP = OP_COPIES };

/* The reason why an event follows another. */
enum arrow_kind {
    ARROW_WAIT,    /* the second waits until the first is done */
    ARROW_DATA,    /* both touch the same chunk, and the steps must keep their order */
    ARROW_OVER     /* the same, but never in one step */
};
struct arrow {
    uint32_t from, to;
    uint8_t kind;
};
struct arrows {
    struct arrow *items;
    size_t n, capacity;
};

struct msccl_graph {
    const struct msccl_file *file;
    struct msccl_layout *layout;
    struct diagnostics *found; /* errors of the order, not of the file */
    struct event *events;
    size_t n_events, capacity;
    uint32_t *first_event;     /* [n_ops + 1] first event of each instruction */
    uint32_t *n_slots;         /* [gpu] chunks of tmp behind those of the layout */
    struct arrows arrows;
    uint32_t *order;           /* [n_ordered] events, each after the events that it waits for */
    size_t n_ordered;          /* n_events, unless some events wait forever */
};

void msccl_push_arrow(struct arrows *arrows, uint32_t from, uint32_t to, enum arrow_kind kind);
/* Returns n chunks of tmp that nothing else uses. */
struct chunks msccl_new_slot(struct msccl_graph *graph, uint32_t gpu, uint32_t n);
void msccl_make_events(struct msccl_graph *graph);
/* Makes the messages. Returns false after reporting. */
bool msccl_connect(struct msccl_graph *graph);
void msccl_order(struct msccl_graph *graph);
void msccl_find_conflicts(struct msccl_graph *graph);
void msccl_set_levels(struct msccl_graph *graph);

/* Returns "thread block 3 of GPU 1". */
const char *msccl_words_of_block(struct msccl_graph *graph, const struct msccl_op *op);

/* Arrows by the event that they come from. */
struct successors {
    uint32_t *first;  /* [n_events + 1] */
    uint32_t *arrows; /* indices */
};
struct successors successors_of(const struct msccl_graph *graph);
void successors_free(struct successors *successors);

/* Returns the schedule of the events, which takes `found` over; NULL after reporting that it is too large. */
struct schedule *msccl_steps(struct msccl_graph *graph, struct diagnostics *diagnostics);

#endif
