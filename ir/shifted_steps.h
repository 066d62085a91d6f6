/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of a symmetric schedule as those of the representatives alone (symmetry.h), once its witnesses have
 * been heard.
 */
#ifndef COLLC_IR_SHIFTED_STEPS_H
#define COLLC_IR_SHIFTED_STEPS_H

#include "ir/planes.h"
#include "ir/shifted_ops.h"

struct shifted_steps {
    const struct symmetry *symmetry;
    struct planes planes;
    struct rotated_room rotated;
    struct op *ops;                  /* of a step: sends, receives, copies; of each list first those of the */
    size_t capacity;                 /* representatives, orbit by orbit */
    size_t begin[3][ORBITS_MAX + 1]; /* of each list: where those of an orbit begin; the end */
};

void shifted_steps_init(struct shifted_steps *steps, const struct symmetry *symmetry);
void shifted_steps_free(struct shifted_steps *steps);

/* Returns the next step of the witnesses as that of the representatives, in their planes, valid until the
 * next one. NULL: each rank of an orbit does the same, shifted, and no range of chunks is torn by it. Else it
 * is not known, and the phrase says why. O(operations, and chunks that rotated loops copy) */
const char *shifted_steps_take(struct shifted_steps *steps, const struct step *step, struct step *own);

#endif
