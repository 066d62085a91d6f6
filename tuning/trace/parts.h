/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of recorded.c, in their order: messages, values, places, steps. Each returns false after setting
 * work->problem.
 */
#ifndef COLLC_TUNING_TRACE_PARTS_H
#define COLLC_TUNING_TRACE_PARTS_H

#include "tuning/trace/recorded.h"

#include "ir/counts.h"

#define NO_MESSAGE UINT32_MAX

/* Consecutive chunks of a buffer. */
struct chunk_range {
    uint8_t buffer;
    uint32_t chunk, n;
};

/* A send and the receive that it met. */
struct message {
    uint32_t from, to;
    uint32_t send, receive; /* events of these ranks */
    struct chunk_range sent, received;
    uint64_t send_step, receive_step;
    bool is_buffered;
};

/* Values with consecutive names that one operation made. */
struct value_run {
    uint64_t first, n;
    uint64_t right; /* the first right operand */
};

enum item_kind { ITEM_POST_SEND, ITEM_POST_RECEIVE, ITEM_DONE, ITEM_LOCAL };

/* An event of a rank in terms of the schedule. */
struct item {
    enum item_kind kind;
    uint32_t message;   /* but for ITEM_LOCAL */
    enum op_kind local; /* OP_COPY or OP_COMBINE */
    struct chunk_range from;
    uint8_t to_buffer;
    uint32_t to_chunk;
    uint64_t step;
};

struct rank_work {
    uint32_t *message_of;   /* [event] */
    struct value_run *runs; /* ascending */
    size_t n_runs;
    uint64_t n_given; /* elements that it had before */
    struct block_starts {
        uint32_t n;   /* blocks */
        uint64_t *at; /* [n + 1] the element of the buffer at which each begins */
    } in, out;
    uint64_t *like; /* [chunk of `tmp`] the datum that it holds, if counts are unequal; to be freed */
    struct item *items;
    size_t n_items, items_capacity;
    uint32_t n_tmp;
};

struct work {
    const struct trace_call *const *calls;
    struct schedule_header header;
    uint64_t elements; /* of a block, the least of them; 0: there are no data */
    struct rank_work *ranks;
    struct message *messages; /* ascending by sender and its event */
    uint32_t n_messages;
    uint64_t n_buffered, n_steps;
    const char *problem;
    struct arena *arena;
};

/* Sets the problem, and returns false. */
bool work_fail(struct work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Finds the messages (messages.c). */
bool work_messages(struct work *work);

/* Finds what operations made, and the number of segments (values.c). */
bool work_values(struct work *work);

/* Returns the block that has the element of the buffer. */
uint32_t work_block_at(const struct block_starts *starts, uint64_t element);
/* Returns the element of a block of n at which its segment begins. */
static inline uint64_t work_segment_begin(const struct work *work, uint64_t n, uint64_t segment)
{
    return n * segment / work->header.segments;
}

/* A chunk at a rank: where it lies and what it is. */
struct located {
    uint64_t address, value; /* of its first element */
    uint64_t datum;
    uint32_t segment; /* that of its datum */
};
struct located_list {
    struct located *items;
    size_t n, capacity;
};
/* Returns the datum of a value that is the first of a chunk; NO_DATUM: it is none. */
uint64_t work_datum_of(const struct work *work, uint64_t value);
/* Append the chunks of elements. False: they are no whole chunks, or none of the data. */
bool work_locate(const struct work *work, uint64_t address, uint64_t value, uint64_t n,
                 struct located_list *list);
bool work_locate_sent(const struct work *work, const struct message *message, struct located_list *list);
bool work_locate_received(const struct work *work, const struct message *message, struct located_list *list);

/* Gives the chunks of each rank places, and finds copies (places.c). */
bool work_places(struct work *work, uint32_t rank);

/* Finds the steps (steps.c). */
bool work_steps(struct work *work);

#endif
