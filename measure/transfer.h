/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chunks over a bandwidth, of which the one that takes longest is wanted.
 */
#ifndef COLLC_MEASURE_TRANSFER_H
#define COLLC_MEASURE_TRANSFER_H

#include "network/topology.h"

/* Chunks over a bandwidth: times the bytes of a chunk this is a time. */
struct transfer {
    uint64_t chunks, bandwidth; /* bandwidth 0: nothing */
};

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

#endif
