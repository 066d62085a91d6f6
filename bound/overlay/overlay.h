/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What no relays can beat on given routes: the best flow of a collective in which each block has one source
 * and one destination, where ranks pass on what they like and messages between any two take the route of
 * the network. It is above the bound by flows (bound/flow/flow.h) where routes leave links unused, such as
 * those of machines that belong to others. The proof is a length of each link (distances.h); lengths are
 * looked for by spread.h, here and by no solver, and then rounded to whole numbers, so the bound may be a
 * little less than the best flow: how much it can be is known.
 */
#ifndef COLLC_BOUND_OVERLAY_OVERLAY_H
#define COLLC_BOUND_OVERLAY_OVERLAY_H

#include "bound/flow/flow.h"
#include "bound/overlay/network.h"

struct overlay_proof {
    enum flow_measure measure;
    struct fraction quotient;
    uint64_t *length; /* [link], without a common divisor */
    double reached;   /* what some flow needs, in the unit of the quotient */
};

struct overlay {
    struct overlay_network network;
    struct overlay_proof proof[2]; /* of the load, then of the time: the same if all links are alike */
    uint32_t n_proofs;             /* 0: nothing is known that is above what else is known */
    const char *missing;           /* clause: why that of the load was not looked for; NULL: it was, or
                                      straight ways need no more than what is known */
};

/* What other bounds prove; none: nothing. The time, blocks over bytes per second, counts if links differ. */
struct overlay_known {
    struct fraction load, time;
    bool is_flow; /* it is of flows by any routes: nothing is above it where each link is a route */
};

/* Nothing is looked for where straight ways need no more than what is known. `work` is how many servers and
 * hops may be looked at, about; too few for some rounds (spread.h) are none. */
struct overlay overlay_of(const struct bound_request *request, const struct overlay_known *known,
                          uint64_t work);
void overlay_free(struct overlay *overlay);

/* By flows: bound/flow/flow.h. */
struct overlay_known overlay_known_by(const struct flow *flow);

/* As many rounds as are of use for 128 servers: four seconds; of 64 half a second. */
#define OVERLAY_WORK (UINT64_C(1) << 31)

/* Whether ways were found that need no more than is proved, but for a thousandth. */
bool overlay_is_best(const struct overlay *overlay);
/* False if nothing is known; else the reason is to be freed with text_free. */
bool overlay_bound(const struct overlay *overlay, const struct bound_request *request, struct bound *bound);

#endif
