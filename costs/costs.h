/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs of hosts and links from measured times: those with which a model of collc predicts the times best.
 *
 * A predicted time is made of costs by sums and maxima: with all costs twice as high it is twice as long. So
 * near given costs it is a sum of costs, each so many times, as derivatives tell. Costs that make the sum of
 * relative errors least under that are the solution of a linear program (lp/lp.h); they are where the next
 * derivatives are taken, within a trust region, until nothing is gained (sequential linear programming).
 * Least absolute errors, not squares: a few times that were disturbed do not move the others.
 *
 * What times do not determine is found by two more programs for each cost, its least and its largest value
 * with which the times are predicted about as well.
 */
#ifndef COLLC_COSTS_COSTS_H
#define COLLC_COSTS_COSTS_H

#include "costs/points.h"
#include "lp/lp.h"
#include "network/host_costs.h"
#include "study/simulation.h"

/* What is looked for, in ns; of bandwidths ns for a byte. */
enum model_cost {
    COST_LINK_LATENCY,
    COST_LINK_BYTE,
    COST_OVERHEAD,
    COST_GAP,
    COST_MEMORY_LATENCY,
    COST_MEMORY_BYTE,
    COST_PROCESS_BYTE,
    N_MODEL_COSTS
};
extern const char *const model_cost_name[N_MODEL_COSTS];
/* Whether it is the inverse of a bandwidth. */
bool cost_is_rate(enum model_cost cost);

struct model_costs {
    double value[N_MODEL_COSTS];
};

struct costs_request {
    const struct timed_points *points;
    struct topology *topology;       /* its links get the costs that are fitted */
    uint32_t ranks_per_machine;      /* of points that do not say it; 0: one */
    enum simulation_model model;
    uint64_t eager_limit;
    bool is_held[N_MODEL_COSTS];           /* stays as in `start` */
    struct model_costs start;
    struct lp_solver solver;
};

enum cost_state {
    COST_HELD,
    COST_UNUSED,      /* no time depends on it */
    COST_LOOSE,       /* unlike values do as well: `least` and `most` are more than twice apart */
    COST_KNOWN
};

struct fitted_cost {
    enum cost_state state;
    double value, least, most;
};

/* Two that are loose, but of which value[first] + factor * value[second] is known. */
struct known_sum {
    enum model_cost first, second;
    double factor, value, least, most;
};

struct fitted {
    struct fitted_cost costs[N_MODEL_COSTS];
    struct known_sum sums[N_MODEL_COSTS];
    size_t n_sums;
    struct host_costs hosts;         /* what of them is used, rounded; else HOST_COST_UNKNOWN */
    double *predicted;               /* [point] ns, with the rounded costs; in the arena */
    double mean_error, median_error; /* of |predicted - measured| / measured */
    size_t worst;                    /* the point */
    const char *problem;             /* why there is nothing, or NULL */
};

/* Sets the costs of the topology's links to what was found. False: fitted->problem, or Y001 at a point that
 * cannot be predicted. Cost: iterations x costs x points, each what its model costs. */
bool costs_fit(const struct costs_request *request, struct fitted *fitted, struct arena *arena,
               struct diagnostics *diagnostics);

/* Whether the costs of its links can be set: they are all alike. */
bool costs_has_links(const struct topology *topology);

#endif
