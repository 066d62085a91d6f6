/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forecast, printed. Of one schedule there are the parts of its times, and, if `per_step`, those
 * of every step; of the algorithms of a collective the times, and which is the best.
 */
#ifndef COLLC_REPORTS_FORECAST_REPORT_H
#define COLLC_REPORTS_FORECAST_REPORT_H

#include "study/forecast/choose.h"

void forecast_text(struct forecast *forecast, bool per_step, struct text *out);
/* docs/json.md names the keys. */
void forecast_json(struct forecast *forecast, bool per_step, struct text *out);
/* A line per row and size. */
void forecast_csv(struct forecast *forecast, struct text *out);
/* A chart of times against sizes. */
void forecast_svg(struct forecast *forecast, struct text *out);
/* A page (reports/page.h) with the chart and the text; made_by: its last line. */
void forecast_html(struct forecast *forecast, bool per_step, const char *made_by, struct text *out);

/* Appends what `--param` has to say for a variant of the row, if it is not the default: the i-th setting,
 * from 0, as "segments=4". Returns false behind the last. variant NULL: without what was varied. */
bool forecast_row_setting(const struct row *row, const struct variant *variant, size_t i, struct text *out);
/* The name of the row with those settings, as a shell takes them. */
void forecast_row_print(const struct row *row, const struct variant *variant, struct text *out);

/* Return a model's words for the time spent on waiting for others, and for when ranks go on. */
const char *forecast_waiting_name(enum simulation_model model);
const char *forecast_synchronisation(const struct forecast *forecast, enum simulation_model model);

/* Returns alltoall_bandwidth (reports/simulation_report.h) of a time. */
uint64_t forecast_alltoall_bandwidth(const struct forecast *forecast, const struct forecast_cell *cell,
                                     uint64_t bytes);

/* "bcast/chain, 1.2 ms; next bcast/ring, 1.3 ms (bandwidth 0.1 ms more)" */
void choice_text(const struct forecast *forecast, const struct choice *choice, struct text *out);
/* The algorithms that were no candidates because of the user's settings, and why the first was
 * not: nothing if there are none. */
void choice_left_out(const struct forecast *forecast, struct text *out);

#endif
