/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthesis: the methods of synth/ that serve a request are tried, what they make is verified, and the
 * one with the least predicted time is kept, with what it puts on links beside the bounds.
 */
#ifndef COLLC_STUDY_SYNTHESIS_H
#define COLLC_STUDY_SYNTHESIS_H

#include "lp/lp.h"
#include "predict/predict.h"
#include "study/simulation.h"
#include "synth/synth.h"
#include "verify/verify.h"

struct synthesis_request {
    struct synth_request of;   /* its method is not looked at */
    const char *method;        /* NULL: all, and the best of them */
    struct simulation_request simulation; /* its model compares methods, by its costs and rules */
    bool is_explained;         /* loads and bounds are wanted */
    struct lp_solver solver;   /* for the bound by flows */
};

/* A method, and what came of it. */
struct synthesis_try {
    const char *method;
    bool is_made;
    uint64_t n_steps, time; /* time: for synthesis->bytes, ns, */
    uint64_t busiest_link;  /* and how long the busiest link is busy in all */
    struct text problem;    /* why it made nothing */
    struct text note;       /* what it says of what it made, or nothing */
};

/* In blocks, as bounds are (bound/bound.h), or in bytes with unequal counts; `segments` of them are a
 * block. */
struct synthesis_loads {
    uint32_t segments;
    uint64_t sum_step;       /* sum over steps of the load of the busiest link of the step */
    uint64_t most;           /* load of the busiest link over all steps, */
    uint32_t busiest;        /* and the link */
    uint64_t n_idle;         /* steps in which it carries nothing */
    uint64_t max_step;       /* load of a link in a step, at most */
};

struct synthesis {
    struct schedule *schedule;    /* NULL: nothing was made, or nothing right */
    const char *method;
    struct synthesis_try tries[N_SYNTH_METHODS];
    size_t n_tries;
    uint64_t bytes;               /* for which methods were compared */
    struct verify_report report;  /* of the schedule */
    uint64_t time, local;         /* for `bytes`, by the model; what copies take of that, */
    struct prediction prediction; /* the time by `step`, if that is the model, */
    uint64_t busiest_link;        /* and this */
    struct synthesis_loads loads; /* if is_explained, and the three below */
    const char *kind;             /* of the best bound; NULL: none is known; by cuts if not explained */
    struct fraction bound;        /* of the load */
    uint64_t bound_time;          /* the best for `bytes`, ns; 0: not known */
    struct diagnostics findings;  /* of the verifier, about a schedule that is wrong */
    const char *builtin;          /* the built-in algorithm to compare with, the caller's; or NULL */
    uint64_t builtin_time;        /* its time for `bytes`, by the same model, ns */
};

/* Without --bytes methods are compared for this size. */
#define SYNTHESIS_BYTES (UINT64_C(1) << 20)

struct synthesis synthesis_make(const struct synthesis_request *request);
void synthesis_free(struct synthesis *synthesis);

#endif
