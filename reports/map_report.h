/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map of ranks as the file that --map takes, with the figures before and after in comments.
 */
#ifndef COLLC_REPORTS_MAP_REPORT_H
#define COLLC_REPORTS_MAP_REPORT_H

#include "mapping/mapping.h"

/* Appends the first lines of the file. */
void map_heading(const struct schedule_header *header, const struct topology *topology,
                 const struct mapping_result *result, struct text *out);
/* A line of the table of figures. */
void map_figure(const char *label, uint64_t before, uint64_t after, struct text *out);
/* The numbers. */
void map_ranks(const uint32_t *map, uint32_t n_ranks, struct text *out);

/* The map as a file of hosts. */
struct map_hosts {
    const struct topology *topology;
    const struct placement *placement;
    const uint32_t *map;
};
/* For "slurm", "openmpi" or "mpich". NULL, or why there can be no such file: a sentence, in the arena. Comments
 * are not written, as not all of them take any. */
const char *map_hosts_print(const struct map_hosts *hosts, const char *form, struct text *out,
                            struct arena *arena);

#endif
