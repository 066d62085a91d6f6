/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the reader of a schedule. See schedules.h.
 */
#include "schedules/schedules.h"

#include "base/codes.h"
#include "schedules/msccl/msccl.h"
#include "schedules/nccl/log.h"
#include "schedules/nccl/nccl.h"
#include "schedules/traffic/traffic.h"

bool schedules_is_file(const struct source *source)
{
    return schedule_is_file(source) || msccl_is_file(source) || nccl_schedule_is_file(source) ||
           traffic_is_file(source);
}

struct schedule *schedules_read(const struct source *source, const char *part,
                                struct diagnostics *diagnostics)
{
    const bool is_nccl = !schedule_is_file(source) && nccl_schedule_is_file(source);
    if (part && !is_nccl) {
        report(diagnostics, CODE_S009, (struct position){.source = source},
               "':%s' takes no part of this file", part)
            ->help = "FILE:PART is for logs and graph files of NCCL: leave it out";
        return NULL;
    }
    if (is_nccl && (part || !nccl_log_has_sends(source)))
        return nccl_schedule_read(source, part, diagnostics);
    if (msccl_is_file(source))
        return msccl_read(source, diagnostics);
    return schedule_is_file(source) ? schedule_read(source, diagnostics) : traffic_read(source, diagnostics);
}
