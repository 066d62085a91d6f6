/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints what an MPI takes size by size, and what changes from one to another (study/forecast/taken_table.h).
 */
#ifndef COLLC_REPORTS_TAKEN_TABLE_H
#define COLLC_REPORTS_TAKEN_TABLE_H

#include "study/forecast/taken_table.h"

/* A line for each range. */
void taken_table_text(const struct taken_table *table, const struct taken_place *place, struct text *out);
/* One record; docs/json.md names the keys. */
void taken_table_json(const struct taken_table *table, const struct taken_place *place, struct text *out);

/* The two tables that were compared. */
struct taken_comparison {
    const struct table *from, *to;
    const struct table_query *query; /* of `from` */
    const struct taken_changes *changes;
    const struct taken_place *place; /* NULL: nothing was predicted */
};
/* A line for each range that changes, or one that says that nothing does. */
void taken_changes_text(const struct taken_comparison *comparison, struct text *out);
void taken_changes_json(const struct taken_comparison *comparison, struct text *out);

#endif
