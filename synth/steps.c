/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorts messages by steps. See steps.h.
 */
#include "synth/steps.h"

#include "ir/counts.h"

#include <stdlib.h>

/* The data that chunks of `tmp` are as large as, by rank. */
struct kept_sizes {
    struct tmp_sizes sizes; /* first */
    struct synth_kept *kept;
    size_t *first;          /* [rank], n_ranks + 1 */
};

struct made_schedule {
    struct schedule base; /* first: the schedule handed out is this object */
    uint32_t n_steps, step;
    size_t *first, *first_local; /* [step] of sends and receives, and of copies; n_steps + 1 */
    struct op *sends, *receives, *copies;
    struct kept_sizes *kept;     /* or NULL */
};

void synth_steps_free(struct synth_steps *steps)
{
    free(steps->messages);
    free(steps->locals);
    free(steps->kept);
    *steps = (struct synth_steps){0};
}

void synth_steps_send(struct synth_steps *steps, const struct synth_message *message)
{
    if (steps->n_messages == steps->messages_capacity)
        steps->messages = mem_grow(steps->messages, &steps->messages_capacity, steps->n_messages + 1,
                                   sizeof *steps->messages);
    steps->messages[steps->n_messages++] = *message;
}

void synth_steps_copy(struct synth_steps *steps, uint32_t step, const struct op *copy)
{
    if (steps->n_locals == steps->locals_capacity)
        steps->locals = mem_grow(steps->locals, &steps->locals_capacity, steps->n_locals + 1,
                                 sizeof *steps->locals);
    steps->locals[steps->n_locals++] = (struct synth_local){step, *copy};
}

void synth_steps_send_block(struct synth_steps *steps, uint32_t step, uint32_t from, uint32_t to,
                            uint32_t segments)
{
    if (from != to) {
        synth_steps_send(steps, &(struct synth_message){step, from, to, to * segments, from * segments,
                                                        segments, BUFFER_IN, BUFFER_OUT, false});
        return;
    }
    synth_steps_copy(steps, 0, &(struct op){.rank = from, .to_chunk = from * segments,
                                            .chunk = from * segments, .n_chunks = segments,
                                            .kind = OP_COPY, .buffer = BUFFER_IN,
                                            .to_buffer = BUFFER_OUT});
}

void synth_steps_keep(struct synth_steps *steps, const struct synth_kept *kept)
{
    if (steps->n_kept == steps->kept_capacity)
        steps->kept = mem_grow(steps->kept, &steps->kept_capacity, steps->n_kept + 1, sizeof *steps->kept);
    steps->kept[steps->n_kept++] = *kept;
}

/* ---- sizes of what is kept ---- */

/* Returns the entry that holds the chunk, or NULL. */
static const struct synth_kept *find_kept(const struct kept_sizes *self, uint32_t rank, uint32_t chunk)
{
    size_t low = self->first[rank], high = self->first[rank + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct synth_kept *kept = &self->kept[middle];
        if (chunk >= kept->chunk && chunk < kept->chunk + kept->n)
            return kept;
        if (kept->chunk < chunk)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static uint64_t kept_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct synth_kept *kept = find_kept((const struct kept_sizes *)sizes, rank, chunk);
    return kept ? kept->datum + (chunk - kept->chunk) : NO_DATUM;
}

static uint32_t kept_in_order(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct synth_kept *kept = find_kept((const struct kept_sizes *)sizes, rank, chunk);
    return kept ? kept->n - (chunk - kept->chunk) : 1;
}

static struct kept_sizes *sort_kept(const struct synth_steps *steps, uint32_t n_ranks)
{
    struct kept_sizes *self = mem_alloc(1, sizeof *self);
    size_t *next = mem_alloc((size_t)n_ranks + 1, sizeof *next);
    self->sizes = (struct tmp_sizes){.buffer = BUFFER_IN, .is_of_others = true, .datum = kept_datum,
                                     .n_in_order = kept_in_order};
    self->first = mem_alloc((size_t)n_ranks + 1, sizeof *self->first);
    self->kept = mem_alloc(steps->n_kept, sizeof *self->kept);
    for (size_t i = 0; i < steps->n_kept; i++)
        self->first[steps->kept[i].rank + 1]++;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        next[rank + 1] = self->first[rank + 1] += self->first[rank];
    for (size_t i = 0; i < steps->n_kept; i++)
        self->kept[next[steps->kept[i].rank]++] = steps->kept[i];
    free(next);
    return self;
}

static void kept_free(struct kept_sizes *kept)
{
    if (!kept)
        return;
    free(kept->kept);
    free(kept->first);
    free(kept);
}

/* ---- the schedule ---- */

static bool made_next(struct schedule *schedule, struct step *step)
{
    struct made_schedule *self = (struct made_schedule *)schedule;
    if (self->step == self->n_steps)
        return false;
    const size_t first = self->first[self->step], local = self->first_local[self->step];
    const size_t n = self->first[self->step + 1] - first;
    *step = (struct step){.index = self->step,
                          .sends = self->sends + first,
                          .receives = self->receives + first,
                          .copies = self->copies + local,
                          .n_sends = n,
                          .n_receives = n,
                          .n_copies = self->first_local[self->step + 1] - local};
    self->step++;
    return true;
}

static void made_rewind(struct schedule *schedule)
{
    ((struct made_schedule *)schedule)->step = 0;
}

static void made_destroy(struct schedule *schedule)
{
    struct made_schedule *self = (struct made_schedule *)schedule;
    free(self->first);
    free(self->first_local);
    free(self->sends);
    free(self->receives);
    free(self->copies);
    kept_free(self->kept);
    free(self);
}

static uint32_t count_steps(const struct synth_steps *steps)
{
    uint32_t n = 1;
    for (size_t i = 0; i < steps->n_messages; i++)
        n = steps->messages[i].step >= n ? steps->messages[i].step + 1 : n;
    for (size_t i = 0; i < steps->n_locals; i++)
        n = steps->locals[i].step >= n ? steps->locals[i].step + 1 : n;
    return n;
}

/* Converts numbers in [step + 1] to the begin of each step. Returns a copy to be counted up; release with
 * free. */
static size_t *synth_steps_begin_steps(size_t *first, uint32_t n_steps)
{
    size_t *next = mem_alloc((size_t)n_steps + 1, sizeof *next);
    for (uint32_t step = 0; step < n_steps; step++) {
        first[step + 1] += first[step];
        next[step] = first[step];
    }
    return next;
}

static void steps_sort_messages(struct made_schedule *self, const struct synth_steps *steps)
{
    for (size_t i = 0; i < steps->n_messages; i++)
        self->first[steps->messages[i].step + 1]++;
    size_t *next = synth_steps_begin_steps(self->first, self->n_steps);
    for (size_t i = 0; i < steps->n_messages; i++) {
        const struct synth_message *message = &steps->messages[i];
        const size_t place = next[message->step]++;
        self->sends[place] = (struct op){.rank = message->from, .peer = message->to,
                                         .chunk = message->chunk, .n_chunks = message->n_chunks,
                                         .kind = OP_SEND, .buffer = message->buffer};
        self->receives[place] = (struct op){.rank = message->to, .peer = message->from,
                                            .chunk = message->to_chunk, .n_chunks = message->n_chunks,
                                            .kind = message->reduces ? OP_REDUCE : OP_RECV,
                                            .buffer = message->to_buffer};
    }
    free(next);
}

static void sort_locals(struct made_schedule *self, const struct synth_steps *steps)
{
    for (size_t i = 0; i < steps->n_locals; i++)
        self->first_local[steps->locals[i].step + 1]++;
    size_t *next = synth_steps_begin_steps(self->first_local, self->n_steps);
    for (size_t i = 0; i < steps->n_locals; i++)
        self->copies[next[steps->locals[i].step]++] = steps->locals[i].op;
    free(next);
}

struct schedule *synth_steps_schedule(struct synth_steps *steps, const struct schedule_header *header)
{
    struct made_schedule *self = mem_alloc(1, sizeof *self);
    self->base = (struct schedule){
        .header = *header, .next = made_next, .rewind = made_rewind, .destroy = made_destroy};
    self->n_steps = count_steps(steps);
    self->first = mem_alloc((size_t)self->n_steps + 1, sizeof *self->first);
    self->first_local = mem_alloc((size_t)self->n_steps + 1, sizeof *self->first_local);
    self->sends = mem_alloc(steps->n_messages, sizeof *self->sends);
    self->receives = mem_alloc(steps->n_messages, sizeof *self->receives);
    self->copies = mem_alloc(steps->n_locals, sizeof *self->copies);
    steps_sort_messages(self, steps);
    sort_locals(self, steps);
    if (steps->n_kept) {
        self->kept = sort_kept(steps, header->n_ranks);
        self->base.header.tmp_sizes = &self->kept->sizes;
    }
    synth_steps_free(steps);
    return &self->base;
}
