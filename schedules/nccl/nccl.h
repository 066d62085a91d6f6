/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rings and trees that NCCL and RCCL print, their channels, as schedules:
 * logs (NCCL_DEBUG=INFO) and graph files (NCCL_GRAPH_DUMP_FILE,
 * NCCL_GRAPH_FILE). See docs/nccl.md.
 *
 * A part says what is asked of the file: 'allgather', 'allreduce/tree',
 * 'bcast,root=3,comm=1' ... NULL: an allreduce on the rings of its largest
 * communicator.
 */
#ifndef COLLC_SCHEDULES_NCCL_NCCL_H
#define COLLC_SCHEDULES_NCCL_NCCL_H

#include "ir/schedule.h"

/* True if the text is a log or a graph file. O(first lines) */
bool nccl_schedule_is_file(const struct source *source);
/* Reads a schedule. NULL after reporting S009; what is left out is S010. The
 * source must outlive it. */
struct schedule *nccl_schedule_read(const struct source *source, const char *part,
                                    struct diagnostics *diagnostics);

#endif
