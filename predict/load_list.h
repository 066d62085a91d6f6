/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loads of the steps of a schedule, as they are found one after the other: equal ones in a row are one
 * entry, and what a time depends on is kept once more without repeats, as times add up in any order.
 */
#ifndef COLLC_PREDICT_LOAD_LIST_H
#define COLLC_PREDICT_LOAD_LIST_H

#include "predict/predict.h"

/* The next step; one in which nothing is done is left out. */
void load_list_add(struct predict_loads *loads, const struct step_load *load);
/* The longer of two transfers, whatever the bytes of a chunk; of two as long, that over the lower bandwidth.
 */
void transfer_raise(struct transfer *longer, struct transfer other);
/* After the last one: makes `unlike`. O(n log n) */
void load_list_merge(struct predict_loads *loads);

#endif
