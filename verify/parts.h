/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A verification by several processes. Each hands the first what it found, in bytes. So nothing is locked,
 * and each takes O(ranks + links) memory. The work is shared in one of two ways.
 *
 * A step is *independent* if all that it moves comes from `in`, which never changes, and goes into `out`: it
 * asks nothing of those before it. So where all steps are, each is done by one part as a whole: what meets
 * what, the data, the network. A part sees that what it put into `out` is what is required there; and all
 * together have filled each chunk once. Then it does not matter whether a step was independent: a chunk of
 * `out` that it read was filled before it, by the same part, and by nobody else.
 *
 * Otherwise one part looks at everything but the network: which ranks wait for which, and which data move
 * where. The others measure the loads on the network, each of its own steps.
 *
 * A part judges nothing. Where a message moves in a later step than that in which it is sent, or there is
 * something to be said, or steps turn out not to be independent, the parts are *lost*, and one process has to
 * do all of it.
 */
#ifndef COLLC_VERIFY_PARTS_H
#define COLLC_VERIFY_PARTS_H

#include "verify/claims.h"
#include "verify/verify.h"

/* Returns the number of parts, at most n. The steps of a drift window belong together: then there are two
 * parts. */
uint32_t verify_n_parts(const struct verify_request *request, uint32_t n);
/* True if the steps of the schedule can be independent: `out` alone holds data, and no rule has to see all
 * steps. */
bool verify_may_be_independent(struct schedule *schedule, const struct verify_request *request);

/* Appends the result of a part to `out`, which is empty; nothing, if the parts are lost. Reads the steps of
 * the schedule, and reports nothing. Time O(steps + messages * hops / n) of a program, of a file
 * O(operations) besides. */
void verify_measure_part(struct schedule *schedule, const struct verify_request *request,
                         const struct verify_share *share, struct text *out);

/* Part 0, and its access to the other parts: */
struct verify_others {
    struct verify_share share; /* of part 0 */
    void *context;
    /* True if a part is lost already; called now and then. */
    bool (*are_lost)(void *context);
    /* Returns the bytes of part 1 .. n-1 when they are there, which stay; NULL: lost. */
    const char *(*bytes)(void *context, uint32_t part, size_t *length);
};
/* Same as verify_schedule, shared. *is_lost: this result, the findings and the report mean nothing, and are
 * to be thrown away. The network must not be watched, nor the loads of links kept. */
bool verify_with_others(struct schedule *schedule, const struct verify_request *request,
                        const struct verify_others *others, struct verify_report *report,
                        struct diagnostics *diagnostics, bool *is_lost);

#endif
