/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In which plane of scratch an operation of a representative works (ir/symmetry.h), and when what the
 * other planes held is lost.
 */
#ifndef COLLC_VERIFY_SCRATCH_H
#define COLLC_VERIFY_SCRATCH_H

#include "ir/symmetry.h"
#include "verify/data.h"

struct scratch {
    const struct symmetry *symmetry;
    uint8_t *of_line;          /* [line * ZONES_MAX + area] 1 + the plane of its label; 0: it has none */
    uint32_t n_lines;
    /* [orbit * ZONES_MAX + area] planes: in what is written last, of the operations that have been named; of
     * those that have been carried out; and that of a loop or step, 1 more, 0: none yet */
    uint8_t *named, *held, *used;
    bool is_turned;            /* something was lost */
};

void scratch_init(struct scratch *scratch, const struct symmetry *symmetry);
void scratch_free(struct scratch *scratch);

/* Gives the chunks of tmp of a step the numbers that they have in their planes: first the copies, then the
 * sends and receives together; begin[orbit] is where the operations of an orbit begin. False: a loop
 * whose rounds are turned, or the messages of a step, would use an area in two planes. Planes do not
 * overlap, but what they stand for does. */
bool scratch_name_copies(struct scratch *scratch, struct op *copies, const size_t *begin);
bool scratch_name_messages(struct scratch *scratch, struct op *sends, const size_t *sends_begin,
                           struct op *receives, const size_t *receives_begin);

/* Before a representative writes n chunks: makes it forget what other planes of their areas hold. */
void scratch_forget(struct scratch *scratch, struct data *data, uint32_t rank, uint8_t buffer,
                    uint32_t chunk);

#endif
