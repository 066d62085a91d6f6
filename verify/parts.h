/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A verification by several processes. One looks at everything but the network: who waits for whom, and what
 * moves where. The others measure what steps put on the network, each other ones of them, and hand it that in
 * bytes. So nothing is shared, nothing locked, and each takes O(ranks + links) memory.
 *
 * They measure each message in the step in which it is sent, and judge nothing. Where it moves later, or
 * there is something to be said about the network, the parts are *lost*, and one process has to do all of it.
 */
#ifndef COLLC_VERIFY_PARTS_H
#define COLLC_VERIFY_PARTS_H

#include "verify/verify.h"

/* Parts 1 .. n-1 of n. The steps of a drift window belong together: then there are two parts. */
uint32_t verify_n_parts(const struct verify_request *request, uint32_t n);

/* Which steps are taken, in memory that all parts have in common, zero before: who comes to a step first
 * measures it, but the first part does so only where it is ahead of all others. */
enum { CLAIMED_STEPS = 1 << 23, CLAIM_BITS = 64 };
struct verify_claims {
    _Atomic uint64_t front; /* steps that others than the first part have come to */
    _Atomic uint64_t taken[CLAIMED_STEPS / CLAIM_BITS];
    _Atomic uint64_t spent; /* CPU microseconds of all parts */
};

/* What part `part` of n finds, appended to `out`; nothing, if the parts are lost. Reads the steps of the
 * schedule, and reports nothing. claims NULL: the parts have no memory in common, and part k measures each
 * step s where s mod (n - 1) is k - 1. Time O(steps + messages * hops / n) of a program, of a file
 * O(operations) besides. */
void verify_measure_part(struct schedule *schedule, const struct verify_request *request,
                         struct verify_claims *claims, uint32_t part, uint32_t n, struct text *out);

/* Part 0. Whoever has the other parts: */
struct verify_others {
    uint32_t n; /* parts, this one among them */
    struct verify_claims *claims;
    void *context;
    /* Asked now and then: whether a part is lost already. */
    bool (*are_lost)(void *context);
    /* The bytes of part 1 .. n-1 when they are there, until the next call; NULL: lost. */
    const char *(*bytes)(void *context, uint32_t part, size_t *length);
};
/* As verify_schedule. *is_lost: this, the findings and the report mean nothing, and are to be thrown away;
 * verify_schedule is to be called. The network must not be watched, nor the loads of links kept. */
bool verify_with_others(struct schedule *schedule, const struct verify_request *request,
                        const struct verify_others *others, struct verify_report *report,
                        struct diagnostics *diagnostics, bool *is_lost);

#endif
