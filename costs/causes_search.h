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
};

struct search {
    const struct causes_request *request;
    struct arena *arena;
    size_t n;                       /* points */
    struct topology *slowed, *rest; /* of the topology, and of request->rest; or NULL */
    struct world world;             /* with the causes found */
    double *times, error;           /* [point] of it */
    double *base;                   /* [point] without causes */
    struct cause *found;            /* candidates of a round */
    size_t n_found, capacity;
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

/* Add candidates: cables and links (causes_cables.c), orders and algorithms (causes_runs.c). */
void search_links(struct search *search);
void search_cables(struct search *search);
void search_orders(struct search *search, bool is_better);
void search_algorithms(struct search *search, bool is_better);

/* Returns the measurement that tells the causes apart, or confirms the first, in words (causes_next.c). */
const char *search_next(const struct search *search, const struct cause *first, const struct cause *rivals,
                        size_t n_rivals);

#endif
