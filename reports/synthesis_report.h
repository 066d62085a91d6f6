/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule that was made, beside what no schedule can beat, printed.
 */
#ifndef COLLC_REPORTS_SYNTHESIS_REPORT_H
#define COLLC_REPORTS_SYNTHESIS_REPORT_H

#include "study/synthesis.h"

/* Prints its costs, the bounds, and where it is above them. The synthesis is explained, and has made a
 * schedule. */
void synthesis_text(const struct synthesis_request *request, const struct synthesis *synthesis,
                    struct text *out);
void synthesis_json(const struct synthesis_request *request, const struct synthesis *synthesis,
                    struct text *out);

#endif
