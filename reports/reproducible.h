/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lines of `collc verify --reproducible` in their two forms.
 */
#ifndef COLLC_REPORTS_REPRODUCIBLE_H
#define COLLC_REPORTS_REPRODUCIBLE_H

#include "base/memory.h"
#include "study/reproducible.h"

/* Appends a line for each question, with two expressions that differ where there are some. */
void reproducibility_text(const struct reproducibility *reproducibility, struct text *out);
/* Writes its members (reproducible.def). */
struct json;
void reproducible_write(struct json *json, const struct reproducibility *reproducibility);

#endif
