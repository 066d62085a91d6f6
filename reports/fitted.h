/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fitted costs: what was found, what is not known, and how far times are off.
 */
#ifndef COLLC_REPORTS_FITTED_H
#define COLLC_REPORTS_FITTED_H

#include "costs/costs.h"

void fitted_text(const struct costs_request *request, const struct fitted *fitted, bool is_verbose,
                 struct text *out);
/* With every time. */
void fitted_json(const struct costs_request *request, const struct fitted *fitted, struct text *out);

#endif
