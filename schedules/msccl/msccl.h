/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules of MSCCL and its relatives in XML: MSCCL, msccl-tools, Azure's msccl-scheduler and
 * msccl-executor, RCCL, SCCL, TACCL and TE-CCL write and read them (docs/msccl.md).
 *
 * Such a file states a partial order: the instructions of a thread block run one after the other, the
 * messages of a connection arrive in the order of their sends, and an instruction may wait for one of
 * another thread block of its GPU. The schedule made of it executes each operation in the earliest step
 * that this order allows. Steps do not show errors of the order: schedule->found holds them.
 */
#ifndef COLLC_SCHEDULES_MSCCL_MSCCL_H
#define COLLC_SCHEDULES_MSCCL_MSCCL_H

#include "ir/schedule.h"

/* True if the text is XML whose first element is <algo>. */
bool msccl_is_file(const struct source *source);
/* Returns the schedule of the file, whose source must outlive it. NULL after reporting what is not
 * understood. */
struct schedule *msccl_read(const struct source *source, struct diagnostics *diagnostics);

#endif
