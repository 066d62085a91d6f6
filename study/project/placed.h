/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places the ranks of a schedule file that states their machines.
 */
#ifndef COLLC_STUDY_PROJECT_PLACED_H
#define COLLC_STUDY_PROJECT_PLACED_H

#include "base/diagnostic.h"
#include "ir/schedule.h"

/* Makes the placement in the file's header, which must have one; topology NULL: on any machines. Returns
 * NULL after reporting S004, if the topology has too few machines. Release with placement_free. */
struct placement *placed_by_header(const struct schedule *schedule, const struct topology *topology,
                                   struct diagnostics *diagnostics);

#endif
