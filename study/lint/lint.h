/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of algorithms: what a program says and never means (lint_text.c), and what
 * comes out when it is expanded and verified for small numbers of ranks (lint_trials.c).
 * Findings have codes W... (docs/codes).
 */
#ifndef COLLC_STUDY_LINT_LINT_H
#define COLLC_STUDY_LINT_LINT_H

#include "study/trials.h"

/* W001, W009, W010: from the text alone. */
void lint_text(const struct program *program, struct diagnostics *findings);

/* What all trials of a program show. */
struct lint_trials {
    struct trial_run run;           /* first; its coverage is of all trials */
    uint64_t *n_sends, *n_to_self;  /* [line] messages */
    uint32_t n_lines;
    uint64_t tmp_used, tmp_declared; /* of the trial in which the fewest chunks are left */
    bool uses_tmp_fully, is_right_somewhere;
    uint64_t tmp_of_trial, declared_of_trial;
    bool begins_idle, ends_idle;    /* the first, the last step of this trial */
    bool has_messages;              /* this trial */
    uint64_t n_with_messages, n_begin_idle, n_end_idle; /* of these trials, right ones only */
    const char *problem;            /* of the last trial that was wrong or refused: where, and what;
                                       in the arena */
    struct arena arena;
};

enum { LINT_RANKS = 16 }; /* W008 speaks of 1 .. LINT_RANKS */

/* W002 to W006: from what the trials have shown. Requires one that was right. */
void lint_coverage(const struct lint_trials *trials, struct diagnostics *findings);

/* W012: the cost stated in the head, if all of it is, against that of the expansion. */
void lint_cost(const struct program *program, struct diagnostics *findings);

/* All of them, and W013 (powers.h); W007, W008 and W011 are from the trials themselves. */
void lint_program(const struct program *program, struct diagnostics *findings);

#endif
