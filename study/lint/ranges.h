/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds ranges of `for` that run against their direction: `for i in p-2 .. 0` parses, and runs no time.
 */
#ifndef COLLC_STUDY_LINT_RANGES_H
#define COLLC_STUDY_LINT_RANGES_H

#include "ir/program.h"

/* Reports W003 for each range that is the further from being run the larger its numbers are, or of two
 * numbers that are never in order. It only reads the text. */
void ranges_check(const struct program *program, struct diagnostics *diagnostics);

#endif
