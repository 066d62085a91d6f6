/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule that looks the same from every rank. The ranks are the points of a box of coordinates,
 * each of them cyclic; a *shift* adds a fixed amount to each coordinate, and so takes rank 0 to any
 * rank by exactly one shift, which has that rank's number. The schedule is symmetric if a shift takes
 * the operations of a rank to those of another, chunks included:
 *
 *   buffers that move    their blocks are shifted as ranks are: in[j] of r is in[j + g] of r + g
 *   buffers that stay    chunk c is chunk c everywhere
 *
 * Then the operations of rank 0 say all. Who makes such a schedule has proved it
 * (compiler/passes/symmetry.h); docs/symmetry.md has the argument.
 */
#ifndef COLLC_IR_SYMMETRY_H
#define COLLC_IR_SYMMETRY_H

#include "ir/schedule.h"

enum { SHIFTS_MAX = 26 }; /* digits of SCHEDULE_MAX_RANKS */

struct shifts {
    uint32_t n_ranks;
    uint32_t n;                  /* coordinates */
    uint32_t extent[SHIFTS_MAX]; /* their product is n_ranks */
    uint32_t stride[SHIFTS_MAX]; /* rank = sum of coordinate * stride */
    bool is_xor;                 /* all extents are 2: a shift by g takes r to r xor g */
};

struct symmetry {
    struct shifts shifts;
    bool moves[N_BUFFERS];
    uint32_t block[N_BUFFERS];   /* chunks of a block of a buffer that moves */
    uint32_t witness[3];         /* ranks whose operations the schedule has, rank 0 first ... */
    uint32_t n_witnesses;        /* ... and others, by which the proof is checked once more */
    struct schedule *schedule;   /* owned by whoever made it */
    const struct source *source; /* of the program */
    const char *coordinate[SHIFTS_MAX]; /* their names; of is_xor none */
    uint32_t n_statements;       /* of the program, that were looked at; calls count each time */
};

static inline uint32_t shifts_digit(const struct shifts *shifts, uint32_t i, uint32_t rank)
{
    return shifts->n == 1 ? rank : rank / shifts->stride[i] % shifts->extent[i];
}
/* The rank to which a shift takes a rank. */
static inline uint32_t shifts_add(const struct shifts *shifts, uint32_t rank, uint32_t by)
{
    uint32_t sum = rank + by;
    if (shifts->is_xor)
        return rank ^ by;
    if (shifts->n == 1)
        return sum < shifts->n_ranks ? sum : sum - shifts->n_ranks;
    for (uint32_t i = 0; i < shifts->n; i++)
        if (shifts_digit(shifts, i, rank) + shifts_digit(shifts, i, by) >= shifts->extent[i])
            sum -= shifts->extent[i] * shifts->stride[i];
    return sum;
}
/* The shift that undoes a shift. */
static inline uint32_t shifts_back(const struct shifts *shifts, uint32_t by)
{
    uint32_t back = 0;
    if (shifts->is_xor)
        return by;
    for (uint32_t i = 0; i < shifts->n; i++) {
        const uint32_t digit = shifts_digit(shifts, i, by);
        back += (digit ? shifts->extent[i] - digit : 0) * shifts->stride[i];
    }
    return back;
}

/* The chunk to which a shift takes a chunk of a buffer. */
static inline uint32_t symmetry_chunk(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk,
                                      uint32_t by)
{
    if (!symmetry->moves[buffer])
        return chunk;
    const uint32_t block = symmetry->block[buffer], number = chunk / block;
    return shifts_add(&symmetry->shifts, number, by) * block + chunk % block;
}

#endif
