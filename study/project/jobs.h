/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several jobs on one network at the same time: what each puts on links, what that is together, and
 * who disturbs whom. Jobs are not synchronised, so that any step of one may meet any step of another.
 */
#ifndef COLLC_STUDY_PROJECT_JOBS_H
#define COLLC_STUDY_PROJECT_JOBS_H

#include "study/fabric/kept_flows.h"
#include "study/project/making.h"

struct job_run {
    const struct project_job *job;
    struct project_network network; /* as it sees it */
    struct project_cell cell;
    struct making making;
    struct kept_flows kept;
    struct verify_report report;
    uint32_t *peak;                 /* [link] its messages on it in the step in which these are most */
};

/* What others do to a job: how many times as long its steps take, by the largest load of each step. */
struct disturbance {
    uint32_t n_links; /* that both use */
    double worst;     /* whenever it uses a link, the others put their most on it */
    double mean;      /* they put there as much as they do on average over their steps */
};

/* A link that several jobs use. */
struct shared_link {
    uint32_t link, n_jobs;
    uint64_t peak;  /* messages, the most of each job together */
    uint64_t total; /* of all steps */
};

struct jobs {
    struct job_run *runs;
    size_t n;
    const struct topology *topology; /* the whole network */
    struct disturbance *by;          /* [job * n + other] */
    struct disturbance *by_all;      /* [job] */
    struct shared_link *links;       /* the worst first: by peak */
    size_t n_links;
};

/* Makes and verifies the jobs of a cell of jobs. topologies[job of the project] are theirs, with the link
 * ids of `whole`. False if one cannot be made: the problems of its making say why. Findings of each go to
 * `findings`. Release with jobs_free in either case. Time O(messages * hops * jobs). */
bool jobs_run(struct jobs *jobs, const struct project *project, const struct project_cell *cell,
              const struct topology *whole, struct topology *const *topologies, uint32_t keep_measured,
              struct diagnostics *findings);
/* F003: a link is above max-link-load by several jobs, and by none of them alone. */
void jobs_judge(const struct jobs *jobs, const struct verify_limits *limits, uint32_t keep,
                struct diagnostics *findings);
void jobs_free(struct jobs *jobs);

#endif
