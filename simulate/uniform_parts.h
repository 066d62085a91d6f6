/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data that uniform_find.c and uniform_shifted.c find and uniform_play.c plays: what one rank does, in
 * the order of the steps.
 */
#ifndef COLLC_SIMULATE_UNIFORM_PARTS_H
#define COLLC_SIMULATE_UNIFORM_PARTS_H

#include "simulate/uniform.h"

/* Local operations of so many units (ir/counts.h), one after the other. */
struct uniform_run {
    uint64_t units, times;
};

/* Links that are all crossed alike. */
struct uniform_class {
    uint64_t bandwidth, latency;
    bool is_shared;       /* they serve any number of messages at once */
};

struct uniform_message {
    uint64_t units;
    size_t first_hop;     /* in uniform->hops */
    uint32_t n_hops;      /* 0: it stays in its machine */
};

struct uniform_step {
    size_t first_copy, n_copies;       /* in uniform->runs */
    size_t first_message, n_messages;
    size_t first_combine, n_combines;  /* in uniform->runs, of what is received */
    uint64_t work;                     /* to play it */
};

struct uniform {
    struct uniform_step *steps;
    struct uniform_message *messages;
    struct uniform_run *runs;
    uint32_t *hops;       /* classes */
    struct uniform_class *classes;
    size_t n_steps, n_messages, n_runs, n_hops, n_classes;
    size_t step_capacity, message_capacity, run_capacity, hop_capacity, class_capacity;
    size_t most_messages; /* of a step */
    uint64_t work;        /* of all steps */
};

/* Appends a local operation to the runs, of which those from `first` on are of the same list of a step. */
void uniform_add_local(struct uniform *uniform, size_t first, uint64_t units);
/* Appends a message with room for its hops, which the caller writes. */
uint32_t *uniform_add_message(struct uniform *uniform, uint64_t units, uint32_t n_hops);
/* Appends a step whose runs and messages are there. */
void uniform_add_step(struct uniform *uniform, const struct uniform_step *step);

#endif
