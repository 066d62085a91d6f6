/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What if one part of a network fails: every cable, switch and machine, one after the other. What a schedule
 * then puts on links is found from what it puts there now: only messages that crossed the part are
 * routed again, and only links that they leave or come to are counted again.
 */
#ifndef COLLC_STUDY_FABRIC_FAILURES_H
#define COLLC_STUDY_FABRIC_FAILURES_H

#include "study/fabric/kept_flows.h"
#include "study/least.h"

enum failed_part { FAILED_CABLE, FAILED_SWITCH, FAILED_MACHINE };

struct failure {
    enum failed_part part;
    uint32_t link, node;    /* of a cable its first link; else the node */
    uint32_t back;          /* of a cable its other link; the first again if there is none */
    bool is_one_of_several; /* of cables between the same two nodes */
    uint64_t n_moved;       /* messages that go another way */
    uint64_t n_lost;        /* that have no way, between machines that work */
    uint64_t n_gone;        /* that a failed machine sent or received */
    uint32_t max_link_load; /* these as in a verify_report, of what is left */
    uint64_t max_total_load, sum_step_load;
    double bound_ratio;     /* as in a verify_report, with the bound of what is left; 0: not known, */
    const char *bound_kind; /* and by which kind of bound; NULL */
};

struct failures {
    struct failure *items;  /* the worst first */
    size_t n;
    uint32_t max_link_load; /* of the network as it is */
    uint64_t max_total_load, sum_step_load, n_messages;
    double bound_ratio;
    const char *bound_kind;
};

/* What no schedule can beat. What bounds the whole network bounds what is left of it, too. */
struct failures_bound {
    struct least_request request; /* of the whole network, without counts; topology NULL: nothing is known */
    struct least_load whole;      /* in chunks */
    uint32_t segments;            /* chunks of a block */
};
/* Cables times links of a network whose bounds are looked for once for each failure; and the rows, at most,
 * of the programs of flows for that, all failures together: a few seconds. */
#define FAILURES_MAX_BOUNDED (UINT64_C(1) << 30)
#define FAILURES_MAX_ROWS (UINT64_C(1) << 18)
uint64_t failures_most_rows(const struct topology *topology); /* of each program */

/* All of them. `rest` is the topology of `kept` once more, of which links may fail (topology_let_fail), and
 * without tables: it decides the ways round what has failed, and is as it was afterwards. `bound` NULL leaves
 * the ratios at 0. Time O(messages * hops^2 * log links), what it takes to find the ways, and with a bound
 * O(links + ranks) for each failure, and what a flow takes on a small network; memory O(messages * hops).
 * Release with failures_free. */
struct failures failures_sweep(const struct kept_flows *kept, struct topology *rest,
                               const struct failures_bound *bound);
void failures_free(struct failures *failures);

/* What is found of them, the worst first: F001 of one that leaves messages without a way, F002 of one after
 * which a link is above a limit that the network keeps as it is. */
struct failures_subject {
    const struct topology *topology;
    const struct placement *placement;
    struct topology *rest; /* as for failures_sweep, of which F001 says who has no route; NULL: it does not */
    const struct verify_limits *limits;
    struct position position; /* of the schedule */
    uint32_t keep;            /* so many of each are listed, the others counted; 0: all */
};
void failures_judge(const struct failures *failures, const struct failures_subject *subject,
                    struct diagnostics *findings);

/* "cable a:b", "switch sw0", as --fail takes it behind the first word; of one of several cables also
 * its link: "cable a:b (link 12)". */
void failure_print(const struct failure *failure, const struct topology *topology, struct text *out);

#endif
