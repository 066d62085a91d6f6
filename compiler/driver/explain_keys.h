/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of reports that are keys of their JSON, by what the tables of the records say of them.
 */
#ifndef COLLC_DRIVER_EXPLAIN_KEYS_H
#define COLLC_DRIVER_EXPLAIN_KEYS_H

#include "base/memory.h"

/* Appends the meanings of the keys of that name, each once, with "; " between; '_', '-' and a blank are alike.
 * Returns false, and appends nothing, if there is none. */
bool explain_keys(const char *word, struct text *out);

#endif
