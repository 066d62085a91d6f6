/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Simulates the failure of each single part of a network: every cable, switch and machine, one after the
 * other. The load of a schedule is then computed from its present load: only messages that crossed the
 * part are routed again, and only links that they leave or join are counted again.
 */
#ifndef COLLC_STUDY_FABRIC_FAILURES_H
#define COLLC_STUDY_FABRIC_FAILURES_H

#include "study/fabric/traffic_matrix.h"
#include "study/lower_bound.h"
#include "study/scene.h"

enum failed_part { FAILED_CABLE, FAILED_SWITCH, FAILED_MACHINE };

struct failure {
    enum failed_part part;
    uint32_t link, node;    /* first link of a cable; else the node */
    uint32_t back;          /* other link of a cable; the first again if there is none */
    bool is_one_of_several; /* one of several cables between the same two nodes */
    uint64_t n_moved;       /* messages that take another route */
    uint64_t n_lost;        /* messages without a route, between machines that work */
    uint64_t n_gone;        /* messages that a failed machine sent or received */
    uint32_t max_link_load; /* these as in a verify_report, for the rest */
    uint64_t max_total_load, sum_step_load;
    double bound_ratio;     /* as in a verify_report, with the bound of the rest; 0: unknown, */
    const char *bound_kind; /* and kind of that bound; NULL */
};

struct failures {
    struct failure *items;  /* the worst first */
    size_t n;
    uint32_t max_link_load; /* figures of the intact network */
    uint64_t max_total_load, sum_step_load, n_messages;
    double bound_ratio;
    const char *bound_kind;
};

/* The lower bound. A bound for the whole network also holds for the rest of it. */
struct failures_bound {
    struct lower_bound_request request; /* for the whole network, without counts; topology NULL: no bound is
                                     known */
    struct least_load whole;      /* in chunks */
    uint32_t segments;            /* chunks of a block */
};
/* Limits: cables times links of a network whose bounds are computed for each failure; and rows of the
 * programs of flows for that, all failures together: a few seconds. */
#define FAILURES_MAX_BOUNDED (UINT64_C(1) << 30)
#define FAILURES_MAX_ROWS (UINT64_C(1) << 18)
uint64_t failures_most_rows(const struct topology *topology); /* rows of each program */

/* Tries all failures. `rest` is the topology of `kept` once more, with links that may fail
 * (topology_let_fail) and without tables: it decides the routes round the failed part, and is restored
 * afterwards. `bound` NULL leaves the ratios at 0. Time O(messages * hops^2 * log links), plus the time to
 * find the routes, and with a bound O(links + ranks) for each failure, plus a flow on a small network;
 * memory O(messages * hops). Release with failures_free. */
struct failures failures_sweep(const struct traffic_matrix *matrix, struct topology *rest,
                               const struct failures_bound *bound);
/* Tries all failures for the schedule of a scene, whose lower bound this is (units 0: none). */
struct failures failures_of_scene(const struct scene *scene, const struct traffic_matrix *matrix,
                                  struct topology *rest, struct least_load least);
void failures_free(struct failures *failures);

/* Context of the findings, the worst first, and last cables that cut off their machine alone: F001 for a
 * failure that leaves messages without a route, F002 for one after which a link is above a limit that the
 * intact network meets. */
struct failures_subject {
    const struct topology *topology;
    const struct placement *placement;
    struct topology *rest; /* as for failures_sweep; F001 names a pair without route in it; NULL: no names */
    const struct verify_limits *limits;
    struct position position; /* position of the schedule */
    uint32_t keep;            /* number of findings of each kind that are listed, the others counted; 0:
                                 all */
};
void failures_judge(const struct failures *failures, const struct failures_subject *subject,
                    struct diagnostics *findings);

/* Prints "cable a:b", "switch sw0", in the form of --fail after its first word; with its link for one of
 * several cables: "cable a:b (link 12)". */
void failure_print(const struct failure *failure, const struct topology *topology, struct text *out);

#endif
