/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the reader of a schedule. See schedules.h.
 */
#include "schedules/schedules.h"

#include "schedules/msccl/msccl.h"
#include "schedules/traffic/traffic.h"

bool schedules_is_file(const struct source *source)
{
    return schedule_is_file(source) || msccl_is_file(source) || traffic_is_file(source);
}

struct schedule *schedules_read(const struct source *source, struct diagnostics *diagnostics)
{
    if (msccl_is_file(source))
        return msccl_read(source, diagnostics);
    return schedule_is_file(source) ? schedule_read(source, diagnostics) : traffic_read(source, diagnostics);
}
