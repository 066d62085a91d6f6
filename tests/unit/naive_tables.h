/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second opinion of rule tables: looks up a call by going through the file from its start, as
 * docs/tables.md says, and keeps no ranges. Shares nothing with tables/.
 */
#ifndef COLLC_TESTS_UNIT_NAIVE_TABLES_H
#define COLLC_TESTS_UNIT_NAIVE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct naive_call {
    const char *collective;
    int n_ranks, n_nodes;
    uint64_t bytes;
    int level; /* 0 within machines, 1 between them, 2 all ranks: coll/han alone */
};

/* Writes "ALGORITHM PROTOCOL CHANNELS", channels 0 for the library's choice, or "default"; is_rccl: as RCCL
 * reads it. */
void naive_nccl_choose(const char *text, bool is_rccl, const struct naive_call *call, char *choice,
                       size_t size);

/* Writes "COMPONENT" or "COMPONENT @ALGORITHM", with " by tuned" behind where it cannot answer, or "default".
 * is_5: as Open MPI 5.0 reads it. Requires a file that is not refused. */
void naive_han_choose(const char *text, bool is_5, const struct naive_call *call, char *choice, size_t size);

/* Writes the algorithm of tl/ucp, "none", or "default" of a barrier. */
void naive_ucc_choose(const char *text, const struct naive_call *call, char *choice, size_t size);

#endif
