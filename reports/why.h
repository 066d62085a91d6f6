/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes what explains measured times: verdict, causes, the next measurement, and every time beside the
 * predicted one and the least.
 */
#ifndef COLLC_REPORTS_WHY_H
#define COLLC_REPORTS_WHY_H

#include "costs/causes.h"

void why_text(const struct causes_request *request, const struct causes *causes, struct text *out);
void why_json(const struct causes_request *request, const struct causes *causes, struct text *out);

#endif
