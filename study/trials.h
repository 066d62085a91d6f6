/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trials of an algorithm: bound, expanded and verified in a place with few ranks. In this way `collc
 * lint` and `collc emit` try an algorithm that is for any number of ranks.
 */
#ifndef COLLC_STUDY_TRIALS_H
#define COLLC_STUDY_TRIALS_H

#include "compiler/passes/expand.h"

struct agreement; /* verify/agreement.h */
struct data;      /* verify/data.h */

/* The place of a trial. */
struct trial {
    const struct topology *topology; /* NULL: none */
    const struct placement *placement;
    const struct neighborhood *neighbors; /* of a neighbourhood collective; NULL: as the program is bound */
    const char *neighbors_name;           /* of the same, for people */
    uint32_t root;
};

/* The program of trials, and the limits of their work. */
struct trial_run {
    const struct program *program;
    const struct parameter_setting *settings; /* the other parameters have their defaults */
    size_t n_settings;
    bool has_unequal_counts; /* in a form with counts; else they are all equal */
    uint64_t *coverage;      /* as in struct binding; or NULL */
    /* sees each step before the verifier does; or NULL */
    void (*watch)(struct trial_run *run, const struct schedule *schedule, const struct step *step);
    /* both as in struct verify_request */
    void (*see_brackets)(void *context, const struct agreement *agreement, const struct data *data);
    void *brackets_context;
    uint64_t work, most_work; /* operations, and ranks times steps: so far, and limit */
    bool is_cut;             /* a trial was cut: later ones are cut at once */
};

enum outcome {
    TRIAL_RIGHT,
    TRIAL_REFUSED, /* a requirement is not met, or a name has no value */
    TRIAL_CUT,     /* too much work, or too large a program; right as far as it was tried */
    TRIAL_WRONG    /* E007, E008, or an error of the verifier */
};

/* Binds, expands and verifies the program once, without limits of the network. Findings go to
 * `diagnostics`, which must be empty. */
enum outcome trial_run(struct trial_run *run, const struct trial *trial,
                       struct diagnostics *diagnostics);
/* Verifies an existing schedule. */
enum outcome trial_run_schedule(struct trial_run *run, struct schedule *schedule,
                                const struct placement *placement,
                                struct diagnostics *diagnostics);

/* Visits the trials with p ranks: on servers of one, two, three or four, on grids or in clusters if the
 * program names them; on unequal servers if it is for those; with the first root, a middle one and the
 * last. */
void trials_of_ranks(const struct program *program, uint32_t p,
                     void (*visit)(void *context, const struct trial *trial), void *context);
/* Numbers of ranks to try, ascending: all small ones, then powers of two and their neighbours, a square and a
 * prime. */
enum { TRIAL_RANKS = 41 };
extern const uint32_t trial_ranks[TRIAL_RANKS];
/* Appends those of the first n that are marked (NULL: all) as ranges: "1 .. 16, 24". */
void trial_list_ranks(const bool *is_in, size_t n, struct text *text);
/* True if it uses a name that has a value on some placements only, and so asks for these. */
bool trials_need_placement(const struct program *program);
/* Appends "2 ranks on 1 server", the network if there is one, and the root if the collective has one. */
void trial_name(const struct trial *trial, enum collective collective, struct text *text);

#endif
