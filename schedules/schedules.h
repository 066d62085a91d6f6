/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads files with a schedule, in the form of this project (docs/schedule-format.md) or of another tool.
 * The text decides the form.
 */
#ifndef COLLC_SCHEDULES_SCHEDULES_H
#define COLLC_SCHEDULES_SCHEDULES_H

#include "ir/schedule.h"

/* True if the text begins as a schedule in one of the forms. */
bool schedules_is_file(const struct source *source);
/* Reads a schedule. `part`: what to take of a file that tells several (schedules/nccl/nccl.h), or NULL.
 * Returns NULL after reporting. The source must outlive it. */
struct schedule *schedules_read(const struct source *source, const char *part,
                                struct diagnostics *diagnostics);

#endif
