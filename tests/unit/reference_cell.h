/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The contents of a chunk, for the reference verifier, and the contents that MPI asks for before and
 * after each collective (MPI 4.0, chapter 6).
 */
#ifndef COLLC_TESTS_REFERENCE_CELL_H
#define COLLC_TESTS_REFERENCE_CELL_H

#include "tests/unit/reference.h"

enum { CELL_WORDS = REFERENCE_MAX_RANKS / 64 };

/* The contents of a chunk. POISON: something that an earlier finding explains. */
enum state { EMPTY, VALUE, POISON };

struct cell {
    enum state state;
    uint64_t datum;
    uint64_t set[CELL_WORDS]; /* ranks whose contribution it holds */
    uint64_t expression;      /* a hash of the expression that combined them: of a + b that of b + a */
    double sum;               /* of these contributions, as floats (reference_sum) */
};

/* Returns what a chunk holds before the collective, by MPI. */
struct cell cell_initial(const struct schedule_header *header, uint32_t rank, uint32_t buffer,
                         uint64_t chunk);
/* Returns what a chunk must hold after the collective; EMPTY: anything. */
struct cell cell_final(const struct schedule_header *header, uint32_t rank, uint32_t buffer,
                       uint64_t chunk);
/* True if a chunk that holds the value has its size: with unequal counts, and in `buf`, every
 * datum has a size of its own. */
bool cell_fits(const struct schedule_header *header, uint32_t rank, uint32_t buffer, uint64_t chunk,
               const struct cell *value);
bool cell_is_equal(const struct cell *a, const struct cell *b);
/* True if a contribution that is required is not there. */
bool cell_lacks(const struct cell *cell, const struct cell *required);
void cell_unite(struct cell *cell, const struct cell *value);
/* The same, with the expression cell + value. */
void cell_combine(struct cell *cell, const struct cell *value);
/* True if the contributions are of ranks in a row: *first .. *end - 1. */
bool cell_is_row(const struct cell *cell, uint32_t n_ranks, uint32_t *first, uint32_t *end);

#endif
