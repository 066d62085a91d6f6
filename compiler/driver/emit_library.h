/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc emit --to library, and the library that collc prove and collc tune run.
 */
#ifndef COLLC_DRIVER_EMIT_LIBRARY_H
#define COLLC_DRIVER_EMIT_LIBRARY_H

#include "compiler/driver/messages.h"
#include "compiler/driver/targets.h"
#include "tables/rules/table.h"

/* Writes the library of the table that is the argument. Returns a status. */
int emit_library_job(const struct options *options);

/* Appends the library of a table. Returns false after saying what is wrong with it. */
bool emit_library_text(const struct options *options, const struct table *table, struct text *out);

#endif
