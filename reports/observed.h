/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which algorithms ran, beside what was picked.
 */
#ifndef COLLC_REPORTS_OBSERVED_H
#define COLLC_REPORTS_OBSERVED_H

#include "tuning/observe.h"

void observed_text(const struct table *table, const struct observation *seen, struct text *out);
/* docs/json.md names the keys. */
void observed_json(const struct table *table, const struct observation *seen, struct text *out);

#endif
