/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --map: the map of a job's ranks (mapping/mapping.h), read before its program is bound,
 * searched for once there is a schedule.
 */
#ifndef COLLC_DRIVER_MAP_H
#define COLLC_DRIVER_MAP_H

#include "compiler/driver/pipeline.h"

/* Reads job->map if --map names a file. Requires job_locate. Returns a status. */
int job_read_map(struct job *job);
/* The virtual rank that `root` runs. */
uint32_t job_virtual_root(const struct job *job, uint32_t root);
/* Searches job->map if --map names a method, and renumbers job->schedule. Requires the
 * schedule. Returns a status. */
int job_apply_map(struct job *job);

#endif
