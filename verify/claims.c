/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See claims.h.
 */
#include "verify/claims.h"

/* Without memory in common each other part than the first has every (n - 1)-th step. */
static bool claims_is_of(const struct verify_share *share, uint64_t step)
{
    return share->number && step % (share->n - 1) == share->number - 1;
}

/* A part has come to a step. */
static void move_front(struct verify_claims *claims, uint64_t step)
{
    uint64_t front = atomic_load_explicit(&claims->front, memory_order_relaxed);
    while (front <= step && !atomic_compare_exchange_weak(&claims->front, &front, step + 1))
        continue;
}

/* Takes a step for the part that comes first; the first part takes it only where it is ahead of all
 * others. */
static bool claims_take_step(const struct verify_share *share, uint64_t step)
{
    struct verify_claims *claims = share->claims;
    const uint64_t bit = UINT64_C(1) << step % CLAIM_BITS;
    if (!claims || step >= CLAIMED_STEPS)
        return claims_is_of(share, step);
    if (share->number)
        move_front(claims, step);
    else if (step < atomic_load_explicit(&claims->front, memory_order_relaxed))
        return false;
    return !(atomic_fetch_or(&claims->taken[step / CLAIM_BITS], bit) & bit);
}

/* Returns the size of the next batch: each part has a large batch, nine tenths of all steps together; of the
 * rest fast parts have more, in batches of an eighth. So a part has few batches, and its data few runs. */
static uint64_t batch_size(const struct verify_share *share, uint64_t begin)
{
    enum { LEAST = 16 };
    const uint64_t large = share->n_independent / 10 * 9 / share->n;
    const uint64_t size = begin < large * share->n ? large : large / 8;
    return size < LEAST ? LEAST : size;
}

static void take_batch(const struct verify_share *share, struct claimed *claimed)
{
    struct verify_claims *claims = share->claims;
    const uint64_t each = share->n_independent / share->n + 1;
    if (!claims) { /* one batch; the last part has what there is more than was expected */
        const bool is_last = claimed->end || share->number + 1 == share->n;
        claimed->begin = claimed->end ? UINT64_MAX : each * share->number;
        claimed->end = is_last ? UINT64_MAX : claimed->begin + each;
        return;
    }
    uint64_t begin = atomic_load_explicit(&claims->front, memory_order_relaxed);
    do
        claimed->end = begin + batch_size(share, begin);
    while (!atomic_compare_exchange_weak(&claims->front, &begin, claimed->end));
    claimed->begin = begin;
}

static bool take_in_batches(const struct verify_share *share, struct claimed *claimed, uint64_t step)
{
    while (step >= claimed->end)
        take_batch(share, claimed);
    return step >= claimed->begin;
}

bool claims_take(const struct verify_share *share, struct claimed *claimed, uint64_t step)
{
    if (step >= claimed->n_asked) {
        claimed->is_own =
            share->n_independent ? take_in_batches(share, claimed, step) : claims_take_step(share, step);
        claimed->n_asked = step + 1;
    }
    return claimed->is_own;
}
