/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trials of an algorithm: bound, expanded and verified where a few ranks run. `collc lint`
 * and `collc emit` try an algorithm, which is for any number of ranks, in this way.
 */
#ifndef COLLC_STUDY_TRIALS_H
#define COLLC_STUDY_TRIALS_H

#include "compiler/passes/expand.h"

struct agreement; /* verify/agreement.h */
struct data;      /* verify/data.h */

/* Where an algorithm is tried. */
struct trial {
    const struct topology *topology; /* NULL: none */
    const struct placement *placement;
    uint32_t root;
};

/* What is tried, and how much of it. */
struct trial_run {
    const struct program *program;
    const struct parameter_setting *settings; /* the other parameters have their defaults */
    size_t n_settings;
    bool has_unequal_counts; /* of a form with counts; else they are all equal */
    uint64_t *coverage;      /* as in struct binding; or NULL */
    void (*watch)(struct trial_run *run, const struct schedule *schedule, const struct step *step);
                             /* sees each step before the verifier does; or NULL */
    void (*see_brackets)(void *context, const struct agreement *agreement, const struct data *data);
    void *brackets_context;  /* both as in struct verify_request */
    uint64_t work, most_work; /* operations, and ranks by steps: so far, and at most */
    bool is_cut;             /* a trial was: those that follow are, at once */
};

enum outcome {
    TRIAL_RIGHT,
    TRIAL_REFUSED, /* a requirement is not met, or nothing has a value for a name */
    TRIAL_CUT,     /* too much work, or too large a program; as far as it was tried, right */
    TRIAL_WRONG    /* E007, E008, or the verifier finds an error */
};

/* Binds, expands and verifies the program once, without limits of the network; what is found
 * goes to `diagnostics`, which is empty before. */
enum outcome trial_run(struct trial_run *run, const struct trial *trial,
                       struct diagnostics *diagnostics);
/* Verifies a schedule that is there. */
enum outcome trial_run_schedule(struct trial_run *run, struct schedule *schedule,
                                const struct placement *placement,
                                struct diagnostics *diagnostics);

/* Goes through the trials with p ranks: on servers of one, two, three or four, on grids
 * or in clusters if the program asks for them by name; of unequal servers if it is for those; with the
 * first root, one amid and the last. */
void trials_of_ranks(const struct program *program, uint32_t p,
                     void (*visit)(void *context, const struct trial *trial), void *context);
/* Whether it uses a name that has a value on some placements only: it asks for those by it. */
bool trials_need_placement(const struct program *program);
/* Appends "2 ranks on 1 server", the network if there is one, and the root if the collective has one. */
void trial_name(const struct trial *trial, enum collective collective, struct text *text);

#endif
