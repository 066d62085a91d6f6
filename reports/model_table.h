/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The choices of a target by the model, a line each.
 */
#ifndef COLLC_REPORTS_MODEL_TABLE_H
#define COLLC_REPORTS_MODEL_TABLE_H

#include "study/forecast/model_table.h"

/* "bcast, 8 ranks, 4096..65535 bytes: binomial, segment 8KiB; 12 us instead of 20 us for 16KiB", with ~ before
 * times by `step` in place of that model. */
void model_row_text(const char *collective, const struct model_row *row, enum simulation_model model,
                    struct text *out);
/* "chain, fan-out 4, segment 8KiB"; of no algorithm "default". */
void table_choice_text(const struct table_choice *choice, struct text *out);

#endif
