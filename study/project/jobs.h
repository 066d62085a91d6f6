/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several jobs on one network at the same time: the load of each on links, their sum, and their mutual
 * disturbance. Jobs are not synchronised, so any step of one may meet any step of another.
 */
#ifndef COLLC_STUDY_PROJECT_JOBS_H
#define COLLC_STUDY_PROJECT_JOBS_H

#include "study/fabric/traffic_matrix.h"
#include "study/project/making.h"

struct job_run {
    const struct project_job *job;
    struct project_network network; /* the network as the job sees it */
    struct project_cell cell;
    struct making making;
    struct traffic_matrix matrix;
    struct verify_report report;
    uint32_t *peak;                 /* [link] its messages on the link in the step with the most */
};

/* The effect of others on a job: the factor of time of its steps, by the largest load of each step. */
struct disturbance {
    uint32_t n_links; /* links that both use */
    double worst;     /* whenever the job uses a link, the others put their maximum on it */
    double mean;      /* they put their average over their steps on it */
};

/* A link that several jobs use. */
struct shared_link {
    uint32_t link, n_jobs;
    uint64_t peak;  /* messages, sum of the maxima of all jobs */
    uint64_t total; /* messages of all steps */
};

struct jobs {
    struct job_run *runs;
    size_t n;
    const struct topology *topology; /* the whole network */
    struct disturbance *by;          /* [job * n + other] effect of the other */
    struct disturbance *by_all;      /* [job] effect of all others */
    struct shared_link *links;       /* the worst first: by peak */
    size_t n_links;
};

/* Makes and verifies the jobs of a cell of jobs. topologies[job of the project] are theirs, with the link
 * ids of `whole`. Returns false if one cannot be made: the problems of its making say why. Adds the
 * findings of each to `findings`. Release with jobs_free in either case. Time O(messages * hops * jobs). */
bool jobs_run(struct jobs *jobs, const struct project *project, const struct project_cell *cell,
              const struct topology *whole, struct topology *const *topologies, uint32_t keep_measured,
              struct diagnostics *findings);
/* Reports F003: a link is above max-link-load by several jobs, and by none of them alone. */
void jobs_judge(const struct jobs *jobs, const struct verify_limits *limits, uint32_t keep,
                struct diagnostics *findings);
void jobs_free(struct jobs *jobs);

#endif
