/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the messages and copies of a schedule, each with its step, in any order.
 */
#ifndef COLLC_SYNTH_STEPS_H
#define COLLC_SYNTH_STEPS_H

#include "ir/schedule.h"

/* Chunks of the sender that become chunks of the receiver. */
struct synth_message {
    uint32_t step, from, to;
    uint32_t chunk, to_chunk, n_chunks;
    uint8_t buffer, to_buffer;
    bool reduces; /* combined into what is there */
};

/* An operation within a rank, before the messages of its step. */
struct synth_local {
    uint32_t step;
    struct op op;
};

/* Chunks of `tmp` of a rank that have the size of data of any rank (ir/counts.h). */
struct synth_kept {
    uint32_t rank, chunk, n;
    uint64_t datum;          /* datum of the first chunk; the others follow */
};

/* Must be zero-initialised. Ends in synth_steps_schedule or synth_steps_free. */
struct synth_steps {
    struct synth_message *messages;
    size_t n_messages, messages_capacity;
    struct synth_local *locals;
    size_t n_locals, locals_capacity;
    struct synth_kept *kept;
    size_t n_kept, kept_capacity;
};
void synth_steps_free(struct synth_steps *steps);

void synth_steps_send(struct synth_steps *steps, const struct synth_message *message);
void synth_steps_copy(struct synth_steps *steps, uint32_t step, const struct op *copy);
/* Adds the block of an all-to-all as one message or, within one rank, as a copy in step 0. */
void synth_steps_send_block(struct synth_steps *steps, uint32_t step, uint32_t from, uint32_t to,
                            uint32_t segments);

/* Adds the sizes of chunks, with unequal counts; the chunks of one rank in ascending order. */
void synth_steps_keep(struct synth_steps *steps, const struct synth_kept *kept);

/* Makes the schedule and takes `steps` over. Operations of one step keep their order. Steps are numbered up
 * to the last one with an operation. Time and memory O(operations + steps). */
struct schedule *synth_steps_schedule(struct synth_steps *steps, const struct schedule_header *header);

#endif
