/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The linter of algorithms: checks what a program says and never means (lint_text.c), and expands and
 * verifies it for small numbers of ranks (lint_trials.c). Findings have codes W... (docs/codes). Graph files
 * of NCCL have theirs (lint_graph.c).
 */
#ifndef COLLC_STUDY_LINT_LINT_H
#define COLLC_STUDY_LINT_LINT_H

#include "study/trials.h"

/* Checks the text alone: W001, W009, W010, W003. */
void lint_text(const struct program *program, struct diagnostics *findings);

/* Verifies it with 2, 3, 4 and 5 ranks and reports the errors of the first trial that is wrong, under their
 * own codes and at their own places. Trials that take more than some milliseconds are left out. */
void lint_small(const struct program *program, struct diagnostics *findings);

/* Checks a graph file of NCCL, and, where the topology is given, whether it is for that host: S009, S011. */
void lint_graph(const struct source *source, const struct topology *topology, struct diagnostics *findings);

/* The error that a trial ended in: what and with which setting, in the arena of the trials; and where in the
 * program, line 0: not in it. */
struct problem {
    const char *text, *help;
    struct position position;
};

/* Observations from all trials of a program. */
struct lint_trials {
    struct trial_run run;           /* first; its coverage is of all trials */
    uint64_t *n_sends, *n_to_self;  /* [line] messages */
    uint32_t n_lines;
    uint64_t tmp_used, tmp_declared; /* figures of the trial with the fewest chunks left */
    bool uses_tmp_fully, is_right_somewhere;
    uint64_t tmp_of_trial, declared_of_trial;
    bool begins_idle, ends_idle;    /* the first, the last step of this trial */
    bool has_messages;              /* in this trial */
    uint64_t n_with_messages, n_begin_idle, n_end_idle; /* numbers of trials, right ones only */
    struct problem problem;         /* of the last trial that was wrong or refused */
    bool is_bad[TRIAL_RANKS];       /* of trial_ranks, the first n_tried: it fails */
    size_t n_tried, n_bad;
    size_t n_right_from_first;      /* those of the bad ones that are right with root 0 */
    struct problem first;           /* of the first bad one */
    uint64_t n_wrong;               /* trials */
    struct problem too_large;       /* of a program that cannot be expanded in full (E010) */
    uint32_t cut_at;                /* number of ranks with which the trials ended; 0: all were tried */
    struct problem refused_spread;  /* of the first trial on several servers that was refused, */
    bool is_run_spread;             /* unless another one was not */
    uint32_t n_networks, n_bad_networks, last_bad_network;
    struct text bad_networks;       /* names of the first ones */
    struct arena arena;
};

enum { LINT_RANKS = 16 }; /* limit of ranks that no algorithm has too much work for: 1 .. LINT_RANKS */

/* Checks what the trials have shown: W002 to W006. Requires one that was right. */
void lint_coverage(const struct lint_trials *trials, struct diagnostics *findings);

/* Returns a line `requires ...` that holds for exactly those numbers of ranks tried with which the
 * program is right, in the arena; NULL: it is right with all, no such line is known, or there is too much to
 * try. */
const char *lint_requirement(const struct program *program, struct arena *arena);

/* Compares the cost stated in the head, if it is complete, with that of the expansion: W012. */
void lint_cost(const struct program *program, struct diagnostics *findings);

/* Tests the claim 'absent' of an algorithm that is right where all ranks are there: W008. */
void lint_absent(const struct program *program, struct diagnostics *findings);

/* Runs all checks, and W013 (powers.h); W007, W008 and W011 come from the trials themselves. Returns how
 * many of trial_ranks were tried. */
size_t lint_program(const struct program *program, struct diagnostics *findings);

#endif
