/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pool of worker processes ("pool") for a piece of work. Worker 0 is the caller; every other worker
 * sends it one byte string, a text. Workers are copies of the caller, forked for the piece, which share
 * everything that was read before. Or an MPI launched several processes (docs/parallel.md): all do the
 * same, share the pieces, and number 0 alone reports.
 */
#ifndef COLLC_STUDY_PARALLEL_POOL_H
#define COLLC_STUDY_PARALLEL_POOL_H

#include "base/memory.h"

/* Return the number of processes that were launched together, 1 without a launcher, and the number of this
 * one. POOL_VARIABLE in the environment holds them, "NUMBER PROCESSES DESCRIPTOR": number 0 reads from the
 * descriptor, the others write to it. */
#define POOL_VARIABLE "COLLC_POOL"
uint32_t pool_n_launched(void);
uint32_t pool_number(void);
/* Returns the number of processors of this machine. */
uint32_t pool_n_processors(void);

/* The header of a text, which follows it. Pieces of work are numbered. */
struct pool_frame {
    uint32_t part, piece;
    uint64_t length;
};

/* Does part `part` of n and writes its text; leaves `out` empty if it cannot. Must not print or exit. */
typedef void pool_work(void *context, uint32_t part, uint32_t n, struct text *out);

struct pool;
/* Starts parts 1 .. n-1: on launched processes, at most as many as there are, or on n-1 copies. Returns
 * NULL in a launched process other than number 0, after it has done its part. Release with pool_end. */
struct pool *pool_begin(uint32_t n, pool_work *work, void *context);
/* True if a part is known to have failed. Does not wait. */
bool pool_has_failed(struct pool *pool);
/* Waits for the text of a part, which stays until pool_end, and returns it; NULL if the part failed. */
const char *pool_text(struct pool *pool, uint32_t part, size_t *length);
/* Ends the workers that still run, if they are copies. */
void pool_end(struct pool *pool);

#endif
