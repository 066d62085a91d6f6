/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communicators of a log.
 */
#ifndef COLLC_SCHEDULES_NCCL_COMMS_H
#define COLLC_SCHEDULES_NCCL_COMMS_H

#include "schedules/nccl/log.h"

struct nccl_comm {
    uint32_t n_ranks, line; /* line of its first member */
    bool has_id;            /* its members know that they are in one */
};
struct nccl_comms {
    struct nccl_comm *items; /* in the order of the log */
    uint32_t n;
    size_t capacity;
    uint32_t *of_member; /* [member] communicator, or NCCL_NONE */
    uint32_t *rank;      /* [member] rank in it, or NCCL_NONE */
    uint32_t n_lost;     /* members of which nobody can tell */
};
/* Finds them. O(members * communicators) */
void nccl_comms_find(struct nccl_comms *comms, const struct nccl_log *log);
void nccl_comms_free(struct nccl_comms *comms);

/* Reads the ranks of a ring, up to the end or a word that is none; keeps at
 * most n. Returns how many there are. */
uint32_t nccl_read_ring(struct slice text, uint32_t *ranks, uint32_t n);
/* Returns the rank whose places in trees these are, NCCL_NONE if that cannot be
 * read. */
uint32_t nccl_rank_of_trees(struct slice text);

#endif
