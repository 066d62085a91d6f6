/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured traffic: who sends how many bytes to whom, as a matrix or as a list of messages (docs/traffic.md).
 * The forms are in forms.def. Such a file becomes a pattern: one step, or a step for each phase, in
 * which each pair of ranks with traffic exchanges one message.
 */
#ifndef COLLC_SCHEDULES_TRAFFIC_TRAFFIC_H
#define COLLC_SCHEDULES_TRAFFIC_TRAFFIC_H

#include "ir/schedule.h"

/* True if the text begins as traffic in one of the forms. O(first lines). */
bool traffic_is_file(const struct source *source);
/* Returns the schedule of the file, whose source must outlive it. NULL after reporting S007. What a form has
 * beside traffic is left out, with S008. O(text) */
struct schedule *traffic_read(const struct source *source, struct diagnostics *diagnostics);

#endif
