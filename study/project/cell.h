/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs one cell of a project: reads a schedule, places it on its network, expands and verifies it.
 */
#ifndef COLLC_STUDY_PROJECT_CELL_H
#define COLLC_STUDY_PROJECT_CELL_H

#include "study/fabric/failures.h"
#include "study/project/jobs.h"
#include "study/lower_bound.h"
#include "study/project/project.h"
#include "study/symmetric.h"

enum cell_outcome {
    CELL_VERIFIED,  /* `report` and `findings` are the result */
    CELL_NOT_FOR,   /* does not apply: a requirement of the algorithm is not met here, the ranks do not fit,
                       or the schedule is for another number of them */
    CELL_BROKEN     /* cannot be read, or expanded */
};

struct cell_result {
    enum cell_outcome outcome;
    const struct schedule_header *header; /* NULL unless verified */
    const struct source *source;          /* source of the program or the schedule file */
    const struct topology *topology;
    const struct placement *placement;
    const struct verify_report *report;
    struct least_load least;
    const struct symmetric_verdict *symmetric; /* symmetry that decided it */
    const struct jobs *jobs;              /* only for a cell of jobs, which has no header and no report; or
                                             NULL */
    const struct failures *failures;      /* NULL: not asked for, or not computed */
    const struct diagnostics *problems;   /* errors of the input */
    const struct diagnostics *findings;
};

/* Opens the topology of a network of a project, with its routes and without the parts that it leaves out.
 * Returns NULL after reporting. */
struct topology *cell_open_network(const struct project_network *network,
                                   struct diagnostics *diagnostics);
/* Opens it without tables, for failures_sweep. */
struct topology *cell_open_rest(const struct project_network *network, struct diagnostics *diagnostics);

/* Limits of the kept measurements above a limit, and of findings per code: see verify_request and
 * diagnostics. */
struct cell_keep {
    uint32_t measured, per_code;
};
/* The place of a cell: its network's topology (NULL: none), the same once more for failures_sweep (NULL: no
 * failures are tried), and the known bounds. */
struct cell_place {
    const struct topology *topology;
    struct topology *rest;
    struct lower_bound_cache *bounds;
    struct topology *const *of_jobs; /* [job of the project] its network, with its machines only */
};
/* Runs a cell and shows the result, which is released afterwards. */
void cell_run(const struct project *project, const struct project_cell *cell, struct cell_place place,
              struct cell_keep keep,
              void (*show)(void *context, const struct cell_result *result), void *context);

#endif
