/* SPDX-License-Identifier: BSD-3-Clause
 *
 * JSON schemas of the YAML files that collc reads, from the tables by which it reads them.
 */
#ifndef COLLC_REPORTS_SCHEMA_H
#define COLLC_REPORTS_SCHEMA_H

#include "base/memory.h"
#include "study/project/keys.h"

/* Appends the schema (draft 07, which editors know) of a file with these keys. */
void schema_write(const struct key_table *table, const char *title, struct text *out);

#endif
