/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shifts the runs of data (data.h) that a representative holds or sends to those of another rank of its
 * orbit: their numbers, contributions and expressions.
 */
#ifndef COLLC_VERIFY_SYMMETRY_RUN_SHIFTER_H
#define COLLC_VERIFY_SYMMETRY_RUN_SHIFTER_H

#include "ir/symmetry.h"
#include "verify/data.h"

/* A datum is a chunk of `buf`, or a number of ranks and blocks: rank * per_rank + block * per_block +
 * rest. */
struct datum_shape {
    bool is_chunk; /* of buf, and is shifted as that is */
    bool has_rank, has_block;
    bool has_in; /* its rest is a chunk of `in` of the rank, and is shifted as that is */
    uint64_t per_rank, per_block;
};

struct run_shifter {
    const struct symmetry *symmetry;
    struct data *data;         /* of the representatives */
    struct datum_shape shape;
    bool is_lost;              /* contributions could not be shifted: what was appended since is wrong */
};

/* Both are borrowed, and `data` has its header. */
void run_shifter_init(struct run_shifter *shifter, const struct symmetry *symmetry, struct data *data);

/* Appends what a run becomes by a shift, in pieces that are progressions: O(log of its length) of them
 * where the shift goes round an end, else one. */
void run_shifter_append(struct run_shifter *shifter, const struct run *run, uint32_t by,
                        struct run_list *list);

#endif
