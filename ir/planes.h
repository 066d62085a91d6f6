/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In which plane of scratch an operation of a representative works (symmetry.h).
 */
#ifndef COLLC_IR_PLANES_H
#define COLLC_IR_PLANES_H

#include "ir/symmetry.h"

struct planes {
    const struct symmetry *symmetry;
    uint8_t *of_line;          /* [line * ZONES_MAX + area] 1 + the plane of its label; 0: it has none */
    uint32_t n_lines;
    /* [orbit * ZONES_MAX + area] planes: `named`, written last by the operations that have been named;
     * `used`, 1 more than that of a loop or step, 0: none yet */
    uint8_t *named, *used;
};

void planes_init(struct planes *planes, const struct symmetry *symmetry);
void planes_free(struct planes *planes);

/* Gives the chunks of tmp of a step their numbers in their planes: first call it for the copies, then for the
 * sends and receives together; begin[orbit] is where the operations of an orbit begin. False: a rotated loop,
 * or the messages of a step, would use an area in two planes. Planes do not overlap, but the chunks that they
 * stand for do. */
bool planes_name_copies(struct planes *planes, struct op *copies, const size_t *begin);
bool planes_name_messages(struct planes *planes, struct op *sends, const size_t *sends_begin,
                          struct op *receives, const size_t *receives_begin);

#endif
