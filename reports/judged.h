/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recorded calls and what was found of them.
 */
#ifndef COLLC_REPORTS_JUDGED_H
#define COLLC_REPORTS_JUDGED_H

#include "tuning/judge.h"

/* A line for each call, and one for the ranks for which an algorithm has the messages of the library's. */
void judged_text(const struct judged *calls, size_t n, struct text *out);
/* docs/json.md names the keys. */
void judged_json(const struct mpi *mpi, const struct judged *calls, size_t n, struct text *out);

#endif
