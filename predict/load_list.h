/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of the steps of a schedule, as they are found one after the other: equal ones in a row are one
 * entry, and what a time depends on is kept once more without repeats, as times add up in any order.
 */
#ifndef COLLC_PREDICT_LOAD_LIST_H
#define COLLC_PREDICT_LOAD_LIST_H

#include "predict/predict.h"

/* Appends the next step; leaves out one in which nothing is done. */
void load_list_add(struct predict_loads *loads, const struct step_load *load);
/* Takes the longer of two transfers, whatever the bytes of a chunk; of equal ones that over the lower
 * bandwidth. */
static inline void transfer_raise(struct transfer *longer, struct transfer other)
{
    if (longer->bandwidth == other.bandwidth) { /* as mostly: without a product */
        longer->chunks = other.chunks > longer->chunks ? other.chunks : longer->chunks;
        return;
    }
    const divider_product own = (divider_product)longer->chunks * other.bandwidth;
    const divider_product another = (divider_product)other.chunks * longer->bandwidth;
    if (!longer->bandwidth || another > own || (another == own && other.bandwidth < longer->bandwidth))
        *longer = other;
}
/* Makes `unlike`, after the last step. O(n log n) */
void load_list_merge(struct predict_loads *loads);

#endif
