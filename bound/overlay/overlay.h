/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound that no relays can beat on given routes: the best flow of a collective in which each block
 * has one source and one destination, where any rank may pass data on and messages between any two take
 * the route of the network. It is above the bound by flows (bound/flow/flow.h) if routes leave links
 * unused, such as those of machines of others. The proof is a length of each link (distances.h). spread.h
 * looks for lengths here, without a solver; they are then rounded to whole numbers, so the bound may be
 * slightly less than the best flow, by a known difference.
 */
#ifndef COLLC_BOUND_OVERLAY_OVERLAY_H
#define COLLC_BOUND_OVERLAY_OVERLAY_H

#include "bound/flow/flow.h"
#include "bound/overlay/network.h"

struct overlay_proof {
    enum flow_measure measure;
    struct fraction quotient;
    uint64_t *length; /* [link], without a common divisor */
    double reached;   /* load of some flow, in the unit of the quotient */
};

struct overlay {
    struct overlay_network network;
    struct overlay_proof proof[2]; /* for the load, then for the time: the same if all links are equal */
    uint32_t n_proofs;             /* 0: nothing above the known bounds */
    const char *missing;           /* clause: why no bound of the load was looked for; NULL: it was, or
                                      straight ways need no more than the known bound */
};

/* Known bounds of other kinds; none: unknown. The time, blocks over bytes per second, counts if links
 * differ. */
struct overlay_known {
    struct fraction load, time;
    bool is_flow; /* it is the bound by flows on any routes, which nothing exceeds if each link is a route */
};

/* Finds the bound, unless straight ways need no more than the known one. `work` limits the servers and hops
 * visited, approximately; if it is too small for some rounds (spread.h) there is no bound. */
struct overlay overlay_of(const struct bound_request *request, const struct overlay_known *known,
                          uint64_t work);
void overlay_free(struct overlay *overlay);

/* Returns the bounds by flows: bound/flow/flow.h. */
struct overlay_known overlay_known_by(const struct flow *flow);

/* Work of as many rounds as are useful for 128 servers: four seconds; for 64 half a second. */
#define OVERLAY_WORK (UINT64_C(1) << 31)

/* True if ways were found that need no more than the bound, within a thousandth. */
bool overlay_is_best(const struct overlay *overlay);
/* Makes the bound. Returns false if none is known; else the reason is to be freed with text_free. */
bool overlay_bound(const struct overlay *overlay, const struct bound_request *request, struct bound *bound);

#endif
