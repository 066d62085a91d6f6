/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which parameters the bits of a reduction depend on. Its floats are the same if its
 * contributions are combined in the same brackets (verify/brackets.h). It tries an algorithm with few
 * ranks and compares its results element by element: an element lies in chunk k of S if its place in the
 * block, 0 to 1, is in k/S .. (k+1)/S.
 */
#ifndef COLLC_STUDY_REPRODUCIBLE_H
#define COLLC_STUDY_REPRODUCIBLE_H

#include "study/trials.h"

enum { REPRODUCIBLE_RANKS = 16 }; /* numbers of ranks that are tried: 2 up to this */

/* The answer to one question: do the bits depend on it? */
struct dependence {
    enum { DEPENDENCE_UNKNOWN, DEPENDENCE_NONE, DEPENDENCE_FOUND } known;
    char *witness; /* two expressions of one element, in words; NULL unless DEPENDENCE_FOUND */
};

struct reproducibility {
    bool combines;               /* false: nothing is combined, and the rest is meaningless */
    struct dependence ranks;     /* on the number of ranks: the brackets of the first q of p ranks differ from
                                    those of q ranks, so more ranks change bits even if they add 0 */
    struct dependence segments;  /* on the place of the element, or on the number of segments */
    struct dependence placement; /* on hosts, and the ranks on each */
    uint32_t fewest, most;       /* least and largest number of ranks with which it could be tried; 0: none */
};

/* Tries the algorithm with the settings: 2 to REPRODUCIBLE_RANKS ranks on the placements of
 * trials_of_ranks, root 0. If `segments` is a parameter, its setting is ignored, and 1 to 3 are tried too.
 * Release with reproducibility_free. */
struct reproducibility reproducibility_of_program(const struct program *program,
                                                  const struct parameter_setting *settings,
                                                  size_t n_settings);
/* Compares the chunks of a schedule with each other, which takes one more verification. The other questions
 * stay open. */
struct reproducibility reproducibility_of_schedule(struct schedule *schedule,
                                                   const struct placement *placement);
void reproducibility_free(struct reproducibility *reproducibility);

#endif
