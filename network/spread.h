/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads of links where routes are adaptive: what a set of messages may put on them, as a range. Whatever the
 * switches choose, the busiest link carries
 *
 *   at most   the amounts of all flows that may cross one link: it happens if all choose so
 *   at least  the balanced load: the least that is possible if a flow may be divided over its ways in any
 *             fractions, as packets of a message are. Without division it is no less, and a whole number of
 *             messages at least.
 *
 * By time, an amount counts more on a slower link: as often as that has less bandwidth than the fastest one.
 *
 * The balanced load is the optimum of a linear program (concurrent flow on the shortest ways). Here it is
 * enclosed: a division that is found says that it is no more, and prices of links say that it is no less, as
 * no division is cheaper than the cheapest way of each flow (LP duality). Equal shares at each node and equal
 * prices of the busiest links are best, and proved so, in trees and wherever many flows are alike. Else
 * shares are improved flow by flow towards its cheapest ways, by prices that grow exponentially with load
 * (Shahrokhi and Matula 1990).
 */
#ifndef COLLC_NETWORK_SPREAD_H
#define COLLC_NETWORK_SPREAD_H

#include "network/adaptive.h"

struct spread_flow {
    uint32_t source, destination; /* machines, not the same */
    double amount;                /* above 0 */
    uint8_t by_ports;             /* as of ways_find; 0: by any ports */
};

/* Messages of two sources on a link. */
enum contention {
    CONTENTION_NONE,     /* never, whatever is chosen */
    CONTENTION_POSSIBLE, /* by some choices */
    CONTENTION_CERTAIN   /* by all choices, without division */
};

struct spread_loads {
    double most;            /* the most on one link by the worst choices */
    double balanced, least; /* the most by the best division that was found; no division has less. Equal if
                               the best is known */
    uint32_t most_link;     /* the lowest link with `most`; undefined without flows */
    enum contention contention;
};

/* Room for it; by_time: amounts are of bytes, and the bandwidth of links counts. Requires an adaptive
 * topology. Release with spread_free. Memory O(nodes + links + links on the ways of all flows). */
struct spread *spread_new(const struct topology *topology, bool by_time);
/* Returns the bandwidth in B/s, of the fastest link, on which a load by time takes as long as it does. */
uint64_t spread_bandwidth(const struct spread *spread);
void spread_free(struct spread *spread);

/* Measures flows; those without a route are left out. What is certain is so, and what is possible is so;
 * contention that is called possible may be certain where only undivided messages decide. O(rounds * links on
 * the ways of all flows), with as many rounds as it takes to enclose the balanced load within 0.5 %, at most
 * SPREAD_ROUNDS, and so few that links are looked at SPREAD_WORK times at most, but for the first round. */
enum { SPREAD_ROUNDS = 300, SPREAD_WORK = 1 << 22 };
struct spread_loads spread_measure(struct spread *spread, const struct spread_flow *flows, size_t n);

#endif
