/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the routes of a topology, independent of any schedule: the figures by which routings are
 * compared. verify/ judges a schedule on given routes; this judges the routes.
 */
#ifndef COLLC_ROUTES_METRICS_H
#define COLLC_ROUTES_METRICS_H

#include "base/observer.h"
#include "network/topology.h"

/* Links that do not contend (topology_link_contends) have no load and are no channels.
 * All figures are of every ordered pair of machines: time O(pairs * hops); where the routes to a
 * machine are a tree (topology_next_links), O(machines * (nodes + links)), unless neighbouring machines
 * have different routers. */
enum { METRICS_MAX_MACHINES = 1 << 20, METRICS_MAX_LINKS = 1 << 26 };

struct metrics_request {
    uint64_t seed;       /* seed of the random matchings and orders; equal seeds give equal figures */
    uint32_t n_matchings; /* 0: as many as have METRICS_ROUTES routes, at least METRICS_MATCHINGS */
    struct observer observer; /* observes the destinations or shifts that are done */
};
enum { METRICS_MATCHINGS = 1000, METRICS_ROUTES = 1 << 18 };

/* A cycle of channels that wait for each other: hop i+1 follows hop i on some
 * route, hop 0 the last. */
struct channel_cycle {
    struct hop *channels;
    uint32_t n; /* 0: there is no cycle */
};

struct metrics {
    uint64_t pairs, pairs_unrouted;  /* ordered pairs of machines */
    uint32_t hops_max;               /* switches on the longest route */
    uint64_t n_channels;             /* directed links that contend, between switches or machines that
                                        forward: all of a grid; in a simulator's platform those that some
                                        route uses */
    uint64_t n_unused;               /* number of these without any route */
    uint64_t efi_max, efi_min;       /* edge forwarding index, routes over a channel for all pairs: most, and
                                        least of the channels in use */
    double efi_mean;                 /* mean over the channels in use */
    double effective_bisection;      /* half of the machines, at random, send to the other half: mean over
                                        matchings and their pairs of 1 / load of the busiest link on the
                                        route; 0 for a pair without route (Hoefler, Schneider and Lumsdaine
                                        2008) */
    uint32_t worst_shift_load;       /* load of the busiest link of the worst shift i -> i + k in
                                        the order of machines */
    double mean_shift_load;          /* mean over k of the load of the busiest link */
    bool has_lanes;                  /* routes can use other lanes than 0 */
    uint32_t n_lanes;                /* different lanes on channels */
    struct channel_cycle cycle;      /* without regard to lanes (Dally and Seitz 1987) */
    struct channel_cycle cycle_lanes; /* with lanes; only if has_lanes */
};

/* Returns NULL, or why the topology is too large: a sentence without full stop. */
const char *metrics_obstacle(const struct topology *topology);
/* Returns the seconds of CPU that they take, a rule of thumb from measurements. O(nodes) */
double metrics_seconds(const struct topology *topology);
/* Measures everything. Release with metrics_free. Requires that there is no obstacle. */
struct metrics metrics_measure(const struct topology *topology,
                               const struct metrics_request *request);
void metrics_free(struct metrics *metrics);
/* Measure in two independent parts: everything but effective_bisection, and that. */
struct metrics metrics_of_pairs(const struct topology *topology, const struct metrics_request *request);
double metrics_bisection(const struct topology *topology, const struct metrics_request *request);

#endif
