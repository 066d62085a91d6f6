/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files with a schedule, in the form of this project (docs/schedule-format.md) or of another tool. Which
 * one it is follows from the text.
 */
#ifndef COLLC_SCHEDULES_SCHEDULES_H
#define COLLC_SCHEDULES_SCHEDULES_H

#include "ir/schedule.h"

/* Whether the text begins as a schedule in one of the forms. */
bool schedules_is_file(const struct source *source);
/* Reads one. NULL after reporting. The source has to outlive it. */
struct schedule *schedules_read(const struct source *source, struct diagnostics *diagnostics);

#endif
