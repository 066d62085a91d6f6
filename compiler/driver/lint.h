/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of algorithms: what a program says and never means (lint_text.c), and what
 * comes out when it is expanded and verified for small numbers of ranks (lint_trials.c).
 * Findings have codes W... (docs/codes).
 */
#ifndef COLLC_DRIVER_LINT_H
#define COLLC_DRIVER_LINT_H

#include "compiler/passes/expand.h"

/* W001, W009, W010: from the text alone. */
void lint_text(const struct program *program, struct diagnostics *findings);

/* Where an algorithm is tried: ranks, one or two to a server, alone or one on each machine
 * of a grid. */
struct trial {
    const struct topology *topology; /* NULL: none */
    const struct placement *placement;
    uint32_t root;
    struct parameter_setting setting; /* name NULL: all parameters have their defaults */
};

enum outcome {
    TRIAL_RIGHT,
    TRIAL_REFUSED, /* a requirement is not met, nothing has a value for a name, or not tried */
    TRIAL_WRONG    /* E007, E008, or the verifier finds an error */
};

/* What all trials of a program show. */
struct lint_trials {
    const struct program *program;
    uint64_t *coverage;             /* [statement] ranks that carried it out */
    uint64_t *n_sends, *n_to_self;  /* [line] messages */
    uint32_t n_lines;
    uint64_t tmp_used, tmp_declared; /* of the trial in which the fewest chunks are left */
    bool uses_tmp_fully, is_right_somewhere;
    bool is_cut;                    /* the work was too much: nothing more is tried */
    uint64_t work;                  /* operations, and ranks by steps, so far */
    const char *problem;            /* of the last trial that was wrong or refused, in the arena */
    struct arena arena;
};

enum { LINT_RANKS = 16 }; /* W008 speaks of 1 .. LINT_RANKS */

/* Binds, expands and verifies the program once. */
enum outcome lint_try(struct lint_trials *trials, const struct trial *trial);
/* W002 to W006: from what the trials have shown. Requires one that was right. */
void lint_coverage(const struct lint_trials *trials, struct diagnostics *findings);

/* W012: the cost stated in the head, if all of it is, against that of the expansion. */
void lint_cost(const struct program *program, struct diagnostics *findings);

/* All of them; W007, W008 and W011 are from the trials themselves. */
void lint_program(const struct program *program, struct diagnostics *findings);

#endif
