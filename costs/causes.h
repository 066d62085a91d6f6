/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains measured times: finds what may be otherwise than assumed, with which the times are predicted, and
 * what would make them shorter.
 *
 * A cause is a change of the scene: a cable that is slower, or does not work; links or hosts that are slower
 * than stated; ranks in another order, or on other adapters; another algorithm. Each is predicted, and the
 * one with which the times are predicted best is taken. The next one is looked for with it in place, as long
 * as predictions become much better. An improvement is a change with which the times as predicted are
 * shorter.
 */
#ifndef COLLC_COSTS_CAUSES_H
#define COLLC_COSTS_CAUSES_H

#include "costs/costs.h"
#include "study/fabric/cable_list.h"
#include "tables/rules/table.h"

enum cause_kind {
    CAUSE_CABLE,     /* one is slower than stated */
    CAUSE_FAILED,    /* one does not work, and routes lead round it */
    CAUSE_LINKS,     /* all are slower than stated */
    CAUSE_OVERHEAD,  /* hosts take longer for a message */
    CAUSE_ORDER,     /* ranks are on hosts in another order than stated */
    CAUSE_ADAPTERS,  /* ranks use other adapters */
    CAUSE_ALGORITHM, /* another one ran: a rule, a variable */
    CAUSE_BETTER_ORDER,
    CAUSE_BETTER_ROUTES, /* than those of the forwarding tables */
    CAUSE_BETTER_ALGORITHM
};
/* True if it explains times that were measured; else it would make them shorter. */
static inline bool cause_is_of_run(enum cause_kind kind)
{
    return kind < CAUSE_BETTER_ORDER;
}

struct cause {
    enum cause_kind kind;
    const struct cable *cables; /* one of these; of CAUSE_CABLE and CAUSE_FAILED */
    size_t n_cables;
    double factor;              /* by which links are slower; ns of an overhead; by which times are shorter
                                   with other routes, at most */
    const char *what;           /* the order, the adapters, or the algorithm, in words */
    const char *instead;        /* the algorithm that was assumed */
    enum collective collective; /* of algorithms, with their sizes */
    uint64_t first, last;
    double error;  /* mean |ln(measured / predicted)| with it, and with those taken before it */
    double gain;   /* share of the measured times that mending it takes off, in the mean */
    double *times; /* [point] ns with it */
};

struct causes_request {
    struct costs_request costs; /* points, topology, places and model; `start` is not read */
    struct host_costs hosts;
    struct topology *rest;     /* the topology once more, with links that may fail; NULL: there is none */
    const struct table *table; /* that the MPI decides by, or NULL */
    bool assumes_memory;       /* nobody has said its rate */
};

struct causes {
    struct cause *items; /* the most gain first; where predictions were far off, those of the run first */
    size_t n;
    struct cause *rivals; /* others that explain the times about as well as the first of the run */
    size_t n_rivals, n_more_rivals; /* more: of the same kinds, which are not listed */
    double *predicted, *explained, *least; /* [point] ns; least 0: no bound is known */
    double error, error_left;              /* as of causes; without any, and with all */
    double furthest_error;                 /* of the time that is off most, with all */
    size_t furthest;                       /* the point of that time */
    size_t n_untried;                      /* cables that were not tried, as there are too many */
    double memory_share;                   /* of the longest time, if the memory's rate is a default */
    bool are_too_few;                      /* the times are too few to tell a further cause */
    const char *next;                      /* the measurement to take next, in words */
    const char *problem; /* reason why there is no result, unless a diagnostic says it; or NULL */
};

/* Errors up to which times count as predicted, and with causes as explained, and gains from which on a cause
 * is named. */
#define CAUSES_TOLERANCE 0.08
#define CAUSES_EXPLAINED 0.2
#define CAUSES_LEAST_GAIN 0.05

/* True if the times are as predicted, each of them. */
static inline bool causes_are_none(const struct causes *causes)
{
    return !causes->n && causes->error <= CAUSES_TOLERANCE && causes->furthest_error <= CAUSES_EXPLAINED;
}

/* Explains the points of request->costs. Everything is in the arena. Returns false after reporting, or with
 * causes->problem. Time: for each class of cables alike, each order and each algorithm the points, each with
 * the time of its model. */
bool causes_find(const struct causes_request *request, struct causes *causes, struct arena *arena,
                 struct diagnostics *diagnostics);

/* Appends "cable A:B", in the form of --fail. */
void cause_print_cable(const struct topology *topology, const struct cable *cable, struct text *out);
/* Appends the cause in a clause: "the cable A:B is 4.0 times slower than stated". */
void cause_print(const struct causes_request *request, const struct cause *cause, struct text *out);

#endif
