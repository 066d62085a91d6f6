/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedules of MSCCL and its relatives in XML: MSCCL, msccl-tools, Azure's msccl-scheduler and
 * msccl-executor, RCCL, SCCL, TACCL and TE-CCL write and read them (docs/msccl.md).
 *
 * What such a file says is a partial order: the instructions of a thread block run one after the
 * other, messages of a connection come in the order in which they are sent, and an instruction may wait
 * for one of another thread block of its GPU. The schedule that is made of it carries each operation
 * out in the earliest step that this order allows. What the order gets wrong does not show in steps:
 * it is in schedule->found.
 */
#ifndef COLLC_SCHEDULES_MSCCL_MSCCL_H
#define COLLC_SCHEDULES_MSCCL_MSCCL_H

#include "ir/schedule.h"

/* Whether the text is XML whose first element is <algo>. */
bool msccl_is_file(const struct source *source);
/* The schedule of the file, whose source has to outlive it. NULL after reporting what is not understood. */
struct schedule *msccl_read(const struct source *source, struct diagnostics *diagnostics);

#endif
