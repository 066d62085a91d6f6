/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Explains findings by the text: of messages without a counterpart a target goes round beyond the last rank,
 * or an `if` around a `run` keeps ranks out of it; what overlaps in a step is posted together by a `window`.
 */
#ifndef COLLC_STUDY_LINT_GUARDS_H
#define COLLC_STUDY_LINT_GUARDS_H

#include "study/trials.h"

/* Gives findings M001, M002 and R005 of the program, in the trial `own`, a help that names what they come
 * from, if that is known. `settings` has the parameters, or is NULL. Changes are tried for up to 64 ranks. */
void guards_explain(const struct program *program, const struct trial *own, const struct trial_run *settings,
                    struct diagnostics *diagnostics);

#endif
