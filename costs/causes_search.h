/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the search for causes (causes.h).
 */
#ifndef COLLC_COSTS_CAUSES_SEARCH_H
#define COLLC_COSTS_CAUSES_SEARCH_H

#include "costs/causes.h"
#include "costs/predictor.h"
#include "network/slowed.h"

/* A scene that may have been measured. */
struct world {
    struct costs_request costs;
    struct timed_points points; /* those of the request, perhaps of other algorithms; in the arena */
    struct predictor *predictor;
    double all;      /* factor of all links */
    double overhead; /* ns of a host */
    struct slow_cable slow[SLOWED_MOST];
    uint32_t n_slow;
    struct cable failed;
    bool has_failed;
    bool is_without_tables; /* routes are those of the rest */
};

struct causes_list {
    struct cause *items;
    size_t n, capacity;
};

/* An order or an algorithm may be the one that ran, and an improvement. */
enum { TRY_RUN = 1, TRY_BETTER = 2 };

struct search {
    const struct causes_request *request;
    struct arena *arena;
    size_t n;                       /* points */
    size_t *cheap_first;            /* them by what it takes to predict them */
    struct topology *slowed, *rest; /* of the topology, and of request->rest; or NULL */
    struct world world;             /* with the causes found */
    double *times, error;           /* [point] of it */
    double *base;                   /* [point] without causes */
    struct causes_list found;       /* candidates of a round */
    struct causes_list better;      /* improvements of the stated scene */
    bool is_stated;                 /* nothing is found yet: what is tried may be an improvement, too */
    size_t n_untried;
};

/* Sets times[point] of a world. Returns false if a point has none. */
bool world_times(const struct search *search, struct world *world, double *times);
/* Sets the time of one point, in ns; NAN: it has none. */
double world_time(const struct search *search, struct world *world, size_t point);
/* Gives the world a predictor for its costs and points. Returns false if there is none. */
bool world_open(struct world *world);
double search_error(const struct search *search, const double *times);
/* Adds a candidate with these times, which are copied. */
void search_add(struct search *search, struct cause cause, const double *times);
/* Returns the error from which on a candidate of the kind is neither taken nor listed. */
double search_most_error(const struct search *search, enum cause_kind kind);

/* Add candidates: cables and links (causes_cables.c), orders and algorithms (causes_runs.c). */
void search_links(struct search *search);
void search_cables(struct search *search);
/* `as`: TRY_RUN, TRY_BETTER or both, which costs no more than one. */
void search_orders(struct search *search, int as);
void search_algorithms(struct search *search, int as);
/* Adds an order of hosts that is searched. */
void search_mapped(struct search *search);

/* Returns the measurement that tells the causes apart, or confirms the first, in words (causes_next.c). */
const char *search_next(const struct search *search, const struct cause *first, const struct cause *rivals,
                        size_t n_rivals);

#endif
