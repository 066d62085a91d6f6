/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of the steps of a schedule, as they are found one after the other: equal ones in a row are one
 * entry, and what a time depends on is kept once more without repeats, as times add up in any order.
 */
#ifndef COLLC_PREDICT_LOAD_LIST_H
#define COLLC_PREDICT_LOAD_LIST_H

#include "measure/figures.h"
#include "predict/predict.h"

/* Takes over from the figures what the time of a step depends on. */
void load_take_figures(struct step_load *load, const struct step_figures *figures);
/* Appends the next step; leaves out one in which nothing is done. */
void load_list_add(struct predict_loads *loads, const struct step_load *load);
/* Makes `unlike`, after the last step. O(n log n) */
void load_list_merge(struct predict_loads *loads);

#endif
