/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the reader of a schedule. See schedules.h.
 */
#include "schedules/schedules.h"

#include "schedules/msccl/msccl.h"

bool schedules_is_file(const struct source *source)
{
    return schedule_is_file(source) || msccl_is_file(source);
}

struct schedule *schedules_read(const struct source *source, struct diagnostics *diagnostics)
{
    return msccl_is_file(source) ? msccl_read(source, diagnostics) : schedule_read(source, diagnostics);
}
