/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses the algorithm of a collective with the least predicted time for one size.
 */
#ifndef COLLC_STUDY_FORECAST_CHOOSE_H
#define COLLC_STUDY_FORECAST_CHOOSE_H

#include "study/forecast/forecast.h"

/* The chosen algorithm. Strings live as long as the forecast. */
struct choice {
    const char *name;                   /* "bcast/chain" */
    struct parameter_setting *settings; /* the user's settings that it has, and the number of segments */
    size_t n_settings;
    size_t row, second;                 /* rows of the forecast; n_rows: there is no second */
};

/* Predicts every built-in algorithm for the one size of the forecast's request and takes the best one.
 * Returns false if there is none: `diagnostics` or forecast->problem say why. */
bool choose_algorithm(struct forecast *forecast, struct choice *choice,
                      struct diagnostics *diagnostics);

#endif
