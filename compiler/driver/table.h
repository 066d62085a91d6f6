/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rule table from the command line: its target and its file.
 */
#ifndef COLLC_DRIVER_TABLE_H
#define COLLC_DRIVER_TABLE_H

#include "compiler/driver/messages.h"
#include "tables/rules/table.h"

/* Returns the loader of --target; NULL after saying that none is named. */
const struct table_loader *wanted_loader(const struct options *options);
/* Reads a table. NULL after a diagnostic: the file cannot be read, is no text, or its form is not known here.
 * A table that the loader refuses is a table all the same. */
const struct table *read_table(const struct table_loader *loader, const char *path, struct arena *arena,
                               struct diagnostics *diagnostics);
/* Refuses a collective that is not known of the target: names the one that was meant, or all that are.
 * Returns STATUS_FAILED. */
int refuse_collective(const struct options *options, const struct table_loader *loader, const char *name,
                      struct arena *arena);
/* False after saying that nobody knows here what the target takes without a table; with_file: a command that
 * names one. */
bool is_known_without_file(const struct table_loader *loader, const char *with_file);
/* Returns the calls, CALL_..., that programs under a written table are said not to make. */
unsigned unmade_calls(const struct options *options);
/* Prints how to make a program use the rules just written there. */
void say_launch(const struct options *options, const struct table_loader *loader);

/* Runs collc best --to TARGET (best_table.c); returns the exit status. */
int write_best_table(const struct options *options, const struct table_loader *loader);
/* Runs collc best --to library (best_library.c). */
int write_best_library(const struct options *options);

#endif
