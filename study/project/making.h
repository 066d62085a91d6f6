/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the schedule of a cell of a project, with its placement.
 */
#ifndef COLLC_STUDY_PROJECT_MAKING_H
#define COLLC_STUDY_PROJECT_MAKING_H

#include "study/project/project.h"
#include "study/scene.h"

/* A cell and its scene. Must start with project, cell and the topology of the scene. */
struct making {
    const struct project *project;
    const struct project_cell *cell;
    struct scene scene;
    struct diagnostics problems;
    bool is_not_for; /* set here, not by a code */
};

/* Makes the schedule. Returns false after reporting to `problems`, or if the schedule is not for this cell:
 * making_is_not_for. */
bool making_make(struct making *making);
void making_free(struct making *making);

/* True if the head of the algorithm declares that it is not for this place, or the place lacks room. */
bool making_is_not_for(const struct making *making);

#endif
