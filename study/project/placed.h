/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the ranks of a schedule file are that says so itself.
 */
#ifndef COLLC_STUDY_PROJECT_PLACED_H
#define COLLC_STUDY_PROJECT_PLACED_H

#include "base/diagnostic.h"
#include "ir/schedule.h"

/* As the file's header says, which has to have a placement; topology NULL: on any machines. NULL after
 * reporting S004, if the topology has not so many machines. Release with placement_free. */
struct placement *placed_by_header(const struct schedule *schedule, const struct topology *topology,
                                   struct diagnostics *diagnostics);

#endif
