/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule as one list of operations in memory, for tests to change and to
 * hand to a verifier as a schedule again. Mutations make small schedules that
 * are in range but usually wrong.
 */
#ifndef COLLC_TESTS_OPLIST_H
#define COLLC_TESTS_OPLIST_H

#include "ir/schedule.h"

struct listed_op {
    struct op op;
    uint64_t step;
};

struct oplist {
    struct schedule_header header; /* `machine` is dropped; strings are borrowed */
    struct listed_op *ops;         /* ascending steps; a rank's order within a step */
    size_t n_ops, capacity;
    uint64_t n_steps;
    struct chunk_sets sets; /* of its messages, which header.sets is as soon as it is a schedule */
};

/* Reads all steps of `schedule`, rewinding it first. False if it failed. */
bool oplist_capture(struct schedule *schedule, struct oplist *list);
void oplist_copy(const struct oplist *from, struct oplist *to);
void oplist_free(struct oplist *list);
/* Inserts an operation as the last of its step. */
void oplist_append(struct oplist *list, uint64_t step, struct op op);
void oplist_remove(struct oplist *list, size_t index);
/* The list as a schedule; the list must outlive it and not change meanwhile.
 * Release with its destroy. */
struct schedule *oplist_schedule(const struct oplist *list);
/* The list as a user would hand it in: printed and read again. NULL if the reader refuses it. Its text lives
 * in the arena. Release with its destroy. */
struct schedule *oplist_reread(const struct oplist *list, struct arena *arena);
/* Index of the receive that the send at `send` meets (MPI order), or n_ops. */
size_t oplist_partner(const struct oplist *list, size_t send);

enum mutation {
    MUTATE_DELETE,      /* an operation */
    MUTATE_DUPLICATE,   /* an operation, in its step */
    MUTATE_SWAP,        /* steps of two operations of a rank */
    MUTATE_SWAP_SENDS,  /* the same, two sends to different ranks */
    MUTATE_PEER,        /* of a send or receive */
    MUTATE_CHUNK,       /* first chunk of an operation */
    MUTATE_BUFFER,      /* of an operation, to another of the collective's */
    MUTATE_TARGET,      /* first chunk a copy writes */
    MUTATE_SIZE,        /* number of chunks of an operation */
    MUTATE_SET,         /* one chunk of a message of a set, or the order of two, or a chunk less */
    MUTATE_KIND,        /* recv <-> reduce */
    MUTATE_SHIFT,       /* an operation to the step before or after */
    MUTATE_SEND_TWICE,  /* a message, both ends, in its steps */
    MUTATE_SEND_LATER,  /* a message again, both ends, in a new last step */
    N_MUTATIONS
};
extern const char *const mutation_name[N_MUTATIONS];

/* Applies one mutation chosen by the generator state *random. False, and the
 * list unchanged, if the list has nothing of the kind to change. */
bool oplist_mutate(struct oplist *list, enum mutation mutation, uint64_t *random);
/* The next number below `n` (n > 0) of a fixed sequence. */
uint64_t random_below(uint64_t *random, uint64_t n);

#endif
