/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Says which algorithm an MPI takes (study/taken.h).
 */
#ifndef COLLC_REPORTS_TAKEN_H
#define COLLC_REPORTS_TAKEN_H

#include "study/taken.h"

/* "pairwise (algorithm 2), segment 64KiB" */
void taken_choice_text(const struct taken *taken, struct text *out);
/* The algorithm of the library, with its parameters: "bcast/chain, segments=4, fanout=2". Requires one. */
void taken_counterpart_text(const struct taken *taken, struct text *out);
/* One line, without its end: the target, its choice, the algorithm of the library, and why. */
void taken_text(const struct taken *taken, struct text *out);
/* The members of its record. */
struct json;
void taken_write(struct json *json, const struct taken *taken);

#endif
