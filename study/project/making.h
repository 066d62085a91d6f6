/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the schedule of a cell of a project, with its placement.
 */
#ifndef COLLC_STUDY_PROJECT_MAKING_H
#define COLLC_STUDY_PROJECT_MAKING_H

#include "compiler/passes/expand.h"
#include "study/lower_bound.h"
#include "study/project/project.h"

/* The parts of a cell made so far. Must start with project, cell, topology and FORM_EQUAL. */
struct making {
    const struct project *project;
    const struct project_cell *cell;
    const struct topology *topology;
    struct diagnostics problems;
    struct arena arena;
    const struct source *source;
    enum collective_form form;
    bool is_not_for; /* set here, not by a code */
    struct program *program;
    struct placement *placement;
    struct binding *binding;
    struct schedule *schedule;
};

/* Makes the schedule. Returns false after reporting to `problems`, or if the schedule is not for this cell:
 * making_is_not_for. */
bool making_make(struct making *making);
void making_free(struct making *making);

/* True if the head of the algorithm declares that it is not for this place, or the place lacks room. */
bool making_is_not_for(const struct making *making);
/* Returns the limits of the cell; its default for ports are those of the topology. */
struct verify_limits making_limits(const struct making *making);
/* Returns the lower bound there. */
struct least_load making_least(const struct making *making, struct lower_bound_cache *cache);

#endif
