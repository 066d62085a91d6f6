/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The request of commands about predicted times (predict.c).
 */
#ifndef COLLC_DRIVER_PREDICT_H
#define COLLC_DRIVER_PREDICT_H

#include "compiler/driver/job.h"
#include "study/forecast/forecast.h"

/* Makes the request that the options mean: of a collective, at the sizes of --sizes or the usual ones. False
 * after a diagnostic. */
bool predict_make_request(struct job *job, enum collective collective, enum collective_form form,
                          struct forecast_request *request);

#endif
