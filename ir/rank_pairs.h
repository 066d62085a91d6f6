/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The traffic of a schedule by ordered pair of ranks, over all of its steps: which ranks exchange how much.
 */
#ifndef COLLC_IR_RANK_PAIRS_H
#define COLLC_IR_RANK_PAIRS_H

#include "ir/counts.h"

struct rank_pair {
    uint32_t from, to;
    uint64_t units; /* chunks, or bytes of a schedule with counts; saturates */
};

/* Zero-initialise; rank_pairs_free when done. */
struct rank_pairs {
    struct rank_pair *items; /* by sender, then receiver, once rank_pairs_gather has returned */
    size_t n, capacity;
    size_t n_joined;  /* of these are sorted, each pair once */
    bool is_too_many; /* more than were asked for; items are not complete */
};

/* Adds up the sends of a schedule. A message of a rank to itself is one of a pair, a message without data
 * counts as `empty` units. Stops with is_too_many once there are more than `most` pairs. Returns false if
 * producing a step failed. O(messages), a few times; memory O(pairs) */
bool rank_pairs_gather(struct rank_pairs *pairs, struct schedule *schedule, uint64_t empty, size_t most);
void rank_pairs_free(struct rank_pairs *pairs);
/* Returns them as the counts of an alltoallv of n_ranks, which has their memory from now on. */
struct counts *rank_pairs_counts(struct rank_pairs *pairs, uint32_t n_ranks);

#endif
