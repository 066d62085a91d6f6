/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which steps of a verification by several processes (parts.h) are whose. In memory that they have in common
 * they claim them as they come to them; without, each knows its own.
 */
#ifndef COLLC_VERIFY_CLAIMS_H
#define COLLC_VERIFY_CLAIMS_H

#include "base/memory.h"

#include <stdatomic.h>

/* Memory shared by all parts, initially zero. */
enum { CLAIMED_STEPS = 1 << 23, CLAIM_BITS = 64 };
struct verify_claims {
    _Atomic uint64_t front; /* steps that are taken, in batches; else the step that the other parts have
                               reached */
    _Atomic uint64_t taken[CLAIMED_STEPS / CLAIM_BITS]; /* where steps are taken one by one */
    _Atomic uint64_t spent; /* CPU microseconds of all parts */
};

/* Share of the steps that a part does. */
struct verify_share {
    uint32_t number, n;           /* number of this part, of n */
    uint64_t n_independent;       /* number, about, of the steps, which are all independent (parts.h) and
                                     taken in batches; 0: the first part has the data of all steps, and the
                                     network of each is taken by itself */
    struct verify_claims *claims; /* NULL: the parts share no memory */
};

/* State of a part, initially zero. */
struct claimed {
    uint64_t n_asked;    /* steps before this one were asked for */
    bool is_own;         /* the last of them is the part's own */
    uint64_t begin, end; /* batch that was taken last */
};

/* True if the part does the step. Steps ascend; the last one may be asked for again. */
bool claims_take(const struct verify_share *share, struct claimed *claimed, uint64_t step);

#endif
