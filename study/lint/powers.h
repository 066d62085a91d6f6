/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds '^' used for exclusive or, as in C: here it is the power, and parses.
 */
#ifndef COLLC_STUDY_LINT_POWERS_H
#define COLLC_STUDY_LINT_POWERS_H

#include "study/trials.h"

/* Reports W013 if the program is wrong in some trial, and right there with 'xor' in place of '^' in each
 * power that depends on the rank: with the trial `own`, unless that is NULL or has more than 64 ranks, or
 * with 8, 4 or 16 ranks. `settings` has the parameters, or is NULL. Returns true if so. For a program
 * without such a power it only reads the text. */
bool powers_check(const struct program *program, const struct trial *own,
                  const struct trial_run *settings, struct diagnostics *diagnostics);

#endif
