/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loaders of rule tables, by the name of their target (loaders.def).
 */
#ifndef COLLC_TABLES_LOADERS_H
#define COLLC_TABLES_LOADERS_H

#include "tables/rules/table.h"

extern const struct table_loader *const table_loaders[];
extern const size_t n_table_loaders;

/* Returns NULL if there is no such target. */
const struct table_loader *table_loader_find(const char *target);

#endif
