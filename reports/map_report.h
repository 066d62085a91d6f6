/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A map of ranks as the file that --map takes, with the figures before and after in comments.
 */
#ifndef COLLC_REPORTS_MAP_REPORT_H
#define COLLC_REPORTS_MAP_REPORT_H

#include "mapping/mapping.h"

/* What the file begins with. */
void map_heading(const struct schedule_header *header, const struct topology *topology,
                 const struct mapping_result *result, struct text *out);
/* A line of the table of figures. */
void map_figure(const char *label, uint64_t before, uint64_t after, struct text *out);
/* The numbers. */
void map_ranks(const uint32_t *map, uint32_t n_ranks, struct text *out);

#endif
