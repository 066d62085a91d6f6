/* SPDX-License-Identifier: BSD-3-Clause
 *
 * '^' written for exclusive or, as in C: it is the power, and parses.
 */
#ifndef COLLC_STUDY_LINT_POWERS_H
#define COLLC_STUDY_LINT_POWERS_H

#include "study/trials.h"

/* Reports W013 if the program is wrong in some trial, and right there with 'xor' in place of '^'
 * wherever a power depends on the rank: with the trial `own`, unless that is NULL or has more than
 * 64 ranks, or with 8, 4 or 16 ranks. `settings` has the parameters, or is NULL. True if so. A
 * program without such a power costs a look at its text. */
bool powers_check(const struct program *program, const struct trial *own,
                  const struct trial_run *settings, struct diagnostics *diagnostics);

#endif
