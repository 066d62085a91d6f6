/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fits costs of hosts and links to measured times: those with which a model of collc predicts the times
 * best.
 *
 * A predicted time combines costs by sums and maxima: with all costs doubled it doubles. So near given
 * costs it is a sum of multiples of costs, which derivatives give. The costs with the least sum of
 * relative errors are then the solution of a linear program (lp/lp.h). The next derivatives are taken
 * there, within a trust region, until nothing is gained (sequential linear programming). Errors are
 * absolute, not squared, so a few disturbed times do not move the others.
 *
 * Two more programs for each cost find its uncertainty: its least and largest value with which the times
 * are predicted about as well.
 */
#ifndef COLLC_COSTS_COSTS_H
#define COLLC_COSTS_COSTS_H

#include "costs/points.h"
#include "lp/lp.h"
#include "network/host_costs.h"
#include "network/placement/placement_make.h"
#include "study/simulation.h"

/* Costs that are fitted, in ns; the inverse of a bandwidth in ns per byte. */
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
/* True if it is the inverse of a bandwidth. */
bool cost_is_rate(enum model_cost cost);

struct model_costs {
    double value[N_MODEL_COSTS];
};

struct costs_request {
    const struct timed_points *points;
    struct topology *topology;       /* its links get the fitted costs */
    struct placement_request where;  /* of all ranks; its numbers of ranks are for points without their own */
    const uint32_t *order;           /* [machine] the machine that takes its place; NULL: each its own */
    enum simulation_model model;
    uint64_t eager_limit;
    bool is_held[N_MODEL_COSTS];           /* true: it stays as in `start` */
    struct model_costs start;
    uint64_t inside_bandwidth; /* that of messages within a host, not fitted; 0: they take the memory */
    struct lp_solver solver;
};

enum cost_state {
    COST_HELD,
    COST_UNUSED,      /* no time depends on it */
    COST_LOOSE,       /* different values fit as well: `least` and `most` differ by more than a factor of
                         two */
    COST_KNOWN
};

struct fitted_cost {
    enum cost_state state;
    bool is_several; /* held: links have different ones, and the value is none of them */
    double value, least, most;
};

/* Two loose costs whose value[first] + factor * value[second] is known. */
struct known_sum {
    enum model_cost first, second;
    double factor, value, least, most;
};

struct fitted {
    struct fitted_cost costs[N_MODEL_COSTS];
    struct known_sum sums[N_MODEL_COSTS];
    size_t n_sums;
    struct host_costs hosts;         /* the costs that are used, rounded; else HOST_COST_UNKNOWN */
    double *predicted;               /* [point] ns, with the rounded costs; in the arena */
    double mean_error, median_error; /* figures of |predicted - measured| / measured */
    size_t worst;                    /* index of the point */
    const char *problem;             /* reason for no result, or NULL */
};

/* Sets the costs of the topology's links to the fitted ones. Returns false with fitted->problem, or after
 * reporting Y001 at a point that cannot be predicted. Time: iterations x costs x points, each with the time
 * of its model. */
bool costs_fit(const struct costs_request *request, struct fitted *fitted, struct arena *arena,
               struct diagnostics *diagnostics);

/* True if the costs of its links can be set: all links are equal. */
bool costs_has_links(const struct topology *topology);

#endif
