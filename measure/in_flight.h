/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on the network at once: they enter and leave it in the order of time, and this counts how many
 * of them share a link, how many machines send to one, and on how many links messages of several machines
 * meet; and the most of each in every one of a few equal intervals. It is what the verifier says of a step
 * (docs/rules.md), of a time.
 *
 *   messages          that are in flight, between machines
 *   link load         messages in flight whose routes cross the link; links that do not contend are left out
 *   contended link    one that messages of several machines cross
 *   fan-in            of a port of a machine (network/host_ports.h): other machines that have messages in
 *                     flight to it
 *
 * Time O(hops) for each message, and O(links * largest load). Memory O(links + hops of what is in flight).
 */
#ifndef COLLC_MEASURE_IN_FLIGHT_H
#define COLLC_MEASURE_IN_FLIGHT_H

#include "network/networks.h"

/* Message between two machines; `network` as in struct flow, or NO_NETWORK. */
struct passage {
    uint32_t source, destination;
    uint8_t network;
};

/* Largest figures at any time of an interval. */
struct in_flight_figures {
    uint64_t messages;
    uint32_t link_load, contended_links, fan_in;
};

enum { UNDER_WAY_MAX_INTERVALS = 128 };

/* Figures of the whole time, once it is over. */
struct over_time {
    uint64_t time;                    /* end of the last interval that has a message */
    uint64_t width;                   /* of an interval */
    uint32_t n_intervals;             /* those before `time` */
    struct in_flight_figures intervals[UNDER_WAY_MAX_INTERVALS];
    struct in_flight_figures most;
    uint32_t link, machine;           /* the first with the largest load, and fan-in; where those are above
                                         0 */
    uint64_t contended, several;      /* ns with a contended link; with a fan-in above 1 */
};

struct in_flight;
/* Begins with at most so many intervals, an even number, so long that `end` is in the last one; with 0 they
 * become longer as time goes on. With `has_heat` the load of each link in each interval is kept, too. */
struct in_flight *in_flight_new(const struct topology *topology, uint32_t n_intervals, uint64_t end,
                                bool has_heat);
void in_flight_free(struct in_flight *in_flight);

/* Adds a message that enters the network; times never decrease. False if no route joins the machines: the
 * message is left out. */
bool in_flight_enter(struct in_flight *in_flight, const struct passage *passage, uint64_t time);
void in_flight_leave(struct in_flight *in_flight, const struct passage *passage, uint64_t time);
/* Returns the figures of the whole time, once nothing is in flight any more, or if it stays so until
 * `time`. */
struct over_time in_flight_end(struct in_flight *in_flight, uint64_t time);

/* Returns the mean load of a link in an interval, after the end. Requires has_heat. */
double in_flight_heat(const struct in_flight *in_flight, uint32_t link, uint32_t interval);

#endif
