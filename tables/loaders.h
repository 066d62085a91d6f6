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

/* Returns what to do instead for the name of a library that is no target, such as "mvapich2"; NULL: it is not
 * known. */
const char *table_loader_help(const char *name);

/* Returns a target whose settings the source has; NULL if they are of none. */
const struct table_loader *table_loader_seen(const struct source *source, struct arena *arena);

/* Reads what the source is to the loader: its own form of file, or the settings in a script or parameter
 * file. Returns NULL after reporting B020 or B038: there is neither. */
struct table *table_read(const struct table_loader *loader, const struct source *source, struct arena *arena,
                         struct diagnostics *diagnostics);
/* Reports all that is wrong with a table, and with its settings. */
void table_lint(const struct table *table, struct diagnostics *findings);

/* Returns the table of what the target decides by itself; NULL: that is not known. */
const struct table *table_without_file(const struct table_loader *loader, struct arena *arena);

#endif
