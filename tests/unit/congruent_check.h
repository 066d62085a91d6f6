/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares steps that are said to be like others (compiler/passes/symmetry/congruent.h) with those that every
 * rank carries out.
 */
#ifndef COLLC_TESTS_ALIKE_CHECK_H
#define COLLC_TESTS_ALIKE_CHECK_H

#include "compiler/passes/expand.h"

struct alike_tally {
    unsigned n, known, n_likes, uniform, n_symmetric, n_uniform_symmetric, disagreed;
};

/* Compares the schedule by expand_congruent, if there is one, with the one by expand_program, or NULL if that
 * could not be begun: each step, as what each rank does with whom; with a topology also what a prediction
 * measures, and whether one rank stands for all, both also by symmetry. False, having said why, if something
 * differs. */
bool alike_is_right(const struct binding *binding, struct schedule *schedule, const struct topology *topology,
                    const struct placement *placement, const char *label, struct alike_tally *tally);

#endif
