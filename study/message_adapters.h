/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The adapters that a schedule says for its messages, on the network where it
 * is.
 */
#ifndef COLLC_STUDY_MESSAGE_ADAPTERS_H
#define COLLC_STUDY_MESSAGE_ADAPTERS_H

#include "ir/schedule.h"

/* Gives messages their ways, if the schedule says adapters and hosts of the
 * network have several. Reports S010 where hosts have no such adapter: such
 * messages go as routes lead. */
void message_adapters_use(const struct schedule *schedule, const struct topology *topology,
                          struct placement *placement, struct diagnostics *diagnostics);

#endif
