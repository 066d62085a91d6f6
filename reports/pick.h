/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the answer of `collc pick`, in its two forms.
 */
#ifndef COLLC_REPORTS_PICK_H
#define COLLC_REPORTS_PICK_H

#include "tables/rules/table.h"

struct picked {
    const struct table *table;
    const struct table_query *query;
    const struct table_ranges *ranges;
    const struct table_ranges *elsewhere; /* than at the root, where that differs; else NULL */
};

/* A line for each range. */
void pick_text(const struct picked *picked, struct text *out);
/* One record; docs/json.md names the keys. */
void pick_json(const struct picked *picked, struct text *out);

#endif
