/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule: a header and a lazy sequence of steps. Whoever produces the steps
 * (the expansion of a program, the reader of a schedule file) holds one step in
 * memory at a time; whoever consumes them (rules, emitters, the printer) sees
 * no difference.
 *
 * Meaning. A rank runs its steps in order. In a step it first makes its local
 * copies, in their order; then posts its sends and receives together; then waits
 * for all of them. A send reads its chunks when posted; a receive overwrites its
 * chunks; a `reduce` receives aside and combines into its chunks when the step
 * ends. A local combine reduces chunks into others of the rank, in the order of the
 * copies. What is received, or read by a local combine, is the left operand, as in
 * MPI_Reduce_local. Sends from one rank to another meet the receives there in the order in
 * which both were posted (MPI 4.0 section 3.5), whatever their step.
 */
#ifndef COLLC_IR_SCHEDULE_H
#define COLLC_IR_SCHEDULE_H

#include "ir/collective.h"
#include "network/placement/placement.h"

/* Limits of a schedule; readers and passes report more than that. */
enum { SCHEDULE_MAX_RANKS = 1 << 26 };
#define SCHEDULE_MAX_CHUNKS (UINT32_C(1) << 31) /* of a buffer */
#define SCHEDULE_MAX_STEP_OPS (UINT64_C(1) << 26) /* of one step, which is in memory: 1.5 GiB */
enum { SCHEDULE_MAX_STEPS = 1 << 23 };
/* Limit of idle ranks. Every rank of a complete schedule does something: a schedule file for more ranks than
 * these has at least as many operations as ranks, so that its size bounds the cost. */
enum { SCHEDULE_MAX_IDLE_RANKS = 1 << 16 };

enum op_kind {
    OP_SEND, OP_RECV, OP_REDUCE, OP_COPY, OP_COMBINE,
    OP_COPIES /* several of the last two, rows of the step: only for callers that take rows (struct
                 schedule) */
};

struct op {
    uint32_t rank;      /* rank that does it */
    union {
        uint32_t peer;     /* the other rank */
        uint32_t to_chunk; /* of a local operation: first chunk written, in `to_buffer` */
    };
    uint32_t chunk;     /* first chunk sent, written, or (local) read; of OP_COPIES the first row;
                           of a message of a set the first row of header.sets */
    uint32_t n_chunks;  /* chunks; 0: a message without data; of OP_COPIES the number of rows */
    uint8_t kind;       /* enum op_kind */
    uint8_t buffer;     /* enum buffer of `chunk` */
    union {
        uint8_t to_buffer; /* of a local operation: buffer written */
        bool is_set;       /* of a message: its chunks do not lie in a row (struct chunk_sets) */
    };
    uint8_t network;    /* of a send: index in header.networks, or NO_NETWORK: as the topology
                           chooses; without networks in the header, a number for people */
    uint32_t line;      /* line in the source, 0 unknown */
};

/* Row of n ranges of n_chunks chunks each, the k-th from chunk + k * step on. */
struct chunk_row {
    uint32_t chunk, n_chunks, n;
    int32_t step;
};
/* Chunks of messages that are more than one range: a message has the rows from op.chunk on that hold its
 * n_chunks chunks, in their order. They are valid like the step. Who keeps operations for later sets is_kept
 * meanwhile: then none are dropped. */
struct chunk_sets {
    struct chunk_row *rows;
    size_t n, capacity;
    bool is_kept;
    bool has_all; /* a message of parts has rows even if its chunks lie in a row: on another rank they may not
                     (ir/shifted_ops.h) */
};

/* Times at which an operation begins and ends, in ns: a send from when it is posted until it has left, a
 * receive until the rank has it, and has combined it. */
struct op_time {
    uint64_t start, end;
};
#define OP_TIME_MAX (UINT64_C(1) << 62)

/* Row of n copies inside of a rank: the k-th copies n_chunks chunks from chunk + k * step to to_chunk + k *
 * to_step. None reads what one before it writes, and no two write the same, so all may be read before any is
 * written. Copies of several chunks are consecutive. A combination is a row by itself. */
struct copy_row {
    uint32_t chunk, to_chunk, n, n_chunks;
    int32_t step, to_step;
    uint8_t kind, buffer, to_buffer; /* as of an operation */
    uint32_t line;
};
/* True if it writes consecutive chunks. */
static inline bool copy_row_is_dense(const struct copy_row *row)
{
    return row->kind == OP_COPY && (row->n_chunks > 1 || row->to_step == 1 || row->to_step == -1);
}

/* Returns the k-th copy of a row, as the operation of a rank. */
static inline struct op copy_row_op(const struct copy_row *row, uint32_t rank, uint32_t k)
{
    return (struct op){.rank = rank,
                       .chunk = (uint32_t)(row->chunk + (int64_t)row->step * k),
                       .to_chunk = (uint32_t)(row->to_chunk + (int64_t)row->to_step * k),
                       .n_chunks = row->n_chunks,
                       .kind = row->kind,
                       .buffer = row->buffer,
                       .to_buffer = row->to_buffer,
                       .line = row->line};
}

/* True for operations inside of a rank: OP_COPY, OP_COMBINE or OP_COPIES. */
static inline bool op_is_local(const struct op *op)
{
    return op->kind >= OP_COPY;
}

/* Operations of one step of all ranks. Within each array those of one rank are in its program order; ranks
 * may be interleaved. Valid until the next call. */
struct step {
    uint64_t index;
    const struct op *sends, *receives, *copies; /* receives: OP_RECV and OP_REDUCE;
                                                   copies: OP_COPY, OP_COMBINE, OP_COPIES */
    size_t n_sends, n_receives, n_copies;
    const struct copy_row *rows; /* of OP_COPIES, of any rank; those of one are done in their order */
    size_t n_rows;
    const struct op_time *send_times, *receive_times, *copy_times; /* of each; NULL: not said */
    uint64_t
        n_more; /* number of later steps that are like this one (compiler/passes/symmetry/congruent.h), */
    uint64_t like;   /* of which it is one: like the like-th of the steps that have such. It is given without
                        operations; 0: it has its own */
};
/* True if no rank does anything in it. */
static inline bool step_is_idle(const struct step *step)
{
    return !step->n_sends && !step->n_receives && !step->n_copies;
}
/* True if ranks only copy and combine in it: it does not count as a step of communication. */
static inline bool step_is_local(const struct step *step)
{
    return step->n_copies && !step->n_sends && !step->n_receives;
}

/* The host that the source of a schedule places a rank on, by name, and where it says so. */
struct schedule_host {
    const char *name;
    uint32_t line, column;
};

/* The adapters by which a message leaves its host and arrives: those of these names, or, where the names are
 * NULL or the network does not know them, those of these numbers. */
struct schedule_via {
    const char *out, *in;
    uint32_t out_number, in_number;
};
enum { SCHEDULE_MAX_VIAS = 250 };
/* Returns the pair of adapters that are so called: digits alone are a number. */
struct schedule_via schedule_via_of(const char *out, const char *in);

/* A channel: a ring or tree of ranks to which the messages of a share of the data keep. */
struct schedule_channel {
    const char *name; /* numbers that its maker gives it, such as "0-3,8" */
    bool is_tree;
    uint32_t n_hops;
    const struct schedule_hop {
        uint32_t from, to;
        uint8_t via;
    } *hops;
};

struct counts;    /* ir/counts.h */
struct tmp_sizes;
struct needs;     /* ir/needs.h */

struct schedule_header {
    enum collective collective;
    enum collective_form form;  /* FORM_EQUAL, or one of the collective with unequal counts */
    const char *algorithm;      /* name, for people */
    uint32_t n_ranks, root;
    uint32_t segments;          /* chunks of `buf` and of each block of `in` and `out`, at least 1 */
    uint32_t n_tmp;             /* chunks of `tmp` */
    uint32_t n_in, n_out;       /* of a pattern: chunks of `in` and `out`; else 0 */
    struct needs *needs;        /* of a pattern that says what ranks need in the end; else NULL */
    bool is_tmp_unread;         /* each chunk of `tmp` is received once at most, and nobody reads it */
    bool is_timed;              /* its operations have times */
    bool is_ordered;            /* claims to combine in rank order (R007) */
    bool is_exact;              /* for exact operations only: ranks may combine in other brackets (R010) */
    uint64_t chunk_bytes;       /* bytes of a chunk; 0: not said, or unequal */
    struct counts *counts;      /* bytes of every datum, of a form with unequal counts; or NULL */
    struct tmp_sizes *tmp_sizes; /* sizes of the chunks of `tmp`, or NULL */
    const char *topology;       /* spec it was compiled for, or NULL */
    uint64_t fingerprint;       /* of that topology */
    const uint32_t *machine;    /* [rank], or NULL: not placed */
    const struct schedule_host *hosts; /* [rank] where the source places it, or NULL */
    const char *const *networks; /* labels (network/networks.h) that sends refer to */
    uint32_t n_networks;        /* 0: sends name no network */
    const struct schedule_via *vias; /* that op.network refers to, of which [0] is as routes lead; then
                                        there are no networks */
    uint32_t n_vias;            /* 0: op.network is something else */
    const struct schedule_channel *channels;
    uint32_t n_channels;        /* 0: not said */
    struct chunk_sets *sets;    /* of its messages; NULL: every message is one range */
};

/* Way in which the caller uses the steps of a schedule. Rewind the schedule after a change. */
struct schedule_use {
    bool sends_only;             /* the caller looks at sends only: the rest may be left out, and its faults
                                    too */
    uint32_t n_sharing;          /* number of callers that share the steps of a program, each wanting its own
                                    steps once: an error is not reported, as `failed` is enough, and one
                                    caller repeats all and reports. 0: not shared */
    bool takes_rows;             /* the caller understands OP_COPIES: equal copies of many ranks may be given
                                    once */
    /* True if the caller looks at the step of this index; if not, it may be given without operations. Called
     * at most once for each, in order, and perhaps for one that does not exist. NULL: it looks at all. */
    bool (*is_wanted)(void *wanting, uint64_t step);
    void *wanting;
};

struct schedule {
    struct schedule_header header;
    const struct source *source; /* where op.line points, or NULL */
    /* Gives the next step; false at the end and after an error, which was
     * reported. Steps without any operation are given too. A step that
     * has only copies is not counted as a communication step. */
    bool (*next)(struct schedule *schedule, struct step *step);
    void (*rewind)(struct schedule *schedule);
    void (*destroy)(struct schedule *schedule);
    const struct diagnostics *found; /* faults that do not show in its steps, known to the reader only. NULL:
                                        none */
    bool is_cut_short;           /* its steps end where ranks wait for each other forever: `found` has the
                                    reason */
    bool failed;                 /* an error was reported while producing steps */
    struct schedule_use use;     /* use, set by the caller that takes the steps */
};

/* Ranges of chunks of an operation, one after the other: chunk .. chunk + n - 1. */
struct op_ranges {
    uint32_t chunk, n;
    uint32_t left, at;           /* chunks to come, and the next range of the row */
    const struct chunk_row *row; /* NULL: there is one range */
};
static inline struct op_ranges op_ranges(const struct schedule_header *header, const struct op *op)
{
    const bool is_set = !op_is_local(op) && op->is_set;
    return (struct op_ranges){.chunk = op->chunk,
                              .left = op->n_chunks,
                              .row = is_set ? &header->sets->rows[op->chunk] : NULL};
}
/* Goes on to the next range, the first one at the first call; false: there is none. */
static inline bool op_ranges_next(struct op_ranges *ranges)
{
    if (ranges->left == 0)
        return false;
    ranges->n = ranges->left;
    if (ranges->row) {
        ranges->chunk = (uint32_t)(ranges->row->chunk + (int64_t)ranges->row->step * ranges->at);
        ranges->n = ranges->row->n_chunks;
        if (++ranges->at == ranges->row->n) {
            ranges->row++;
            ranges->at = 0;
        }
    }
    ranges->left -= ranges->n;
    return true;
}
/* Returns the operation on the range alone. */
static inline struct op op_of_range(const struct op *op, const struct op_ranges *range)
{
    struct op one = *op;
    one.chunk = range->chunk;
    one.n_chunks = range->n;
    one.is_set = false;
    return one;
}
/* Walks over the ranges of a send and its receive together, cut where either ends: chunks from.chunk and
 * to.chunk of n each. */
struct op_range_pairs {
    struct op_ranges from, to;
    uint32_t n;
};
static inline struct op_range_pairs op_range_pairs(const struct schedule_header *header,
                                                   const struct op *send, const struct op *receive)
{
    return (struct op_range_pairs){.from = op_ranges(header, send), .to = op_ranges(header, receive)};
}
static inline bool op_range_pairs_next(struct op_range_pairs *pairs)
{
    pairs->from.chunk += pairs->n;
    pairs->to.chunk += pairs->n;
    pairs->from.n -= pairs->n;
    pairs->to.n -= pairs->n;
    pairs->n = 0;
    if ((pairs->from.n == 0 && !op_ranges_next(&pairs->from)) ||
        (pairs->to.n == 0 && !op_ranges_next(&pairs->to)))
        return false;
    pairs->n = pairs->from.n < pairs->to.n ? pairs->from.n : pairs->to.n;
    return true;
}
/* True if there may be sets in the step. */
static inline bool schedule_has_sets(const struct schedule_header *header)
{
    return header->sets && header->sets->n;
}
/* Makes room for so many rows: until they are used up, rows stay where they are. */
void chunk_sets_reserve(struct chunk_sets *sets, size_t n);
/* Appends n chunks, at least one, to the set whose first row is `first`, the last set. */
void chunk_sets_append(struct chunk_sets *sets, size_t first, uint32_t chunk, uint32_t n);
/* Ends it: gives the operation its first chunk, or the set. False: there are too many rows. */
bool chunk_sets_end(struct chunk_sets *sets, size_t first, struct op *op);
/* True if the chunks of a message that is a set overlap; *twice is one that is there twice. */
bool chunk_set_overlaps(const struct schedule_header *header, const struct op *op, uint32_t *twice);
/* Drops the sets of the steps before, unless they are kept. */
void chunk_sets_clear(struct chunk_sets *sets);

/* Returns the number of chunks of a buffer under this header, at each rank that has it. */
uint64_t schedule_chunks(const struct schedule_header *header, enum buffer buffer);
/* True if it is said what ranks need in the end. */
bool schedule_promises(const struct schedule_header *header);
/* True if the rank has the buffer, if the collective has it at all. */
bool schedule_has(const struct schedule_header *header, uint32_t rank, uint8_t buffer);
/* True if under MPI_IN_PLACE a block of `in` of that rank is one of its blocks of `out`; then the first
 * chunks of the two, of `segments` each (MPI 4.0, sections 6.5 to 6.7). */
bool schedule_in_place(const struct schedule_header *header, uint32_t rank, uint32_t *in,
                       uint32_t *out);
/* Finds the network of the topology for each value of op.network, network[0 .. 255]: NO_NETWORK stands for
 * the one that a pair takes, NETWORK_UNKNOWN for a label that the topology does not have. True if the
 * topology has several networks; of one only all are NO_NETWORK. */
enum { NETWORK_UNKNOWN = 254 };
bool schedule_networks(const struct schedule_header *header, const struct topology *topology,
                       uint8_t network[256]);
/* Returns the position of a line of a source; none if there is no source, or line 0. */
struct position schedule_line(const struct source *source, uint32_t line);
struct position schedule_position(const struct schedule *schedule, const struct op *op);

/* Largest size of a file with a schedule or an algorithm, in bytes. */
enum { SCHEDULE_FILE_LIMIT = 1 << 30 };
/* True if the first word, behind empty lines and comments, is that of a schedule file. */
bool schedule_is_file(const struct source *source);
/* Reads a schedule file in memory (docs/schedule-format.md). NULL after reporting. */
struct schedule *schedule_read(const struct source *source, struct diagnostics *diagnostics);
/* Prints header and steps, ranks ascending within a step; reading the text and
 * printing it again gives the same bytes. False if producing a step failed. */
bool schedule_print(struct schedule *schedule, bool (*write)(void *context, const char *data, size_t length),
                    void *context);
/* Prints the header alone. */
void schedule_print_header(const struct schedule_header *header,
                           bool (*write)(void *context, const char *data, size_t length), void *context);

#endif
