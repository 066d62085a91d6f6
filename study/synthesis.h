/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Synthesis: tries the methods of synth/ that serve a request, verifies their schedules, and keeps the
 * one with the least predicted time, with its loads on links and the bounds.
 */
#ifndef COLLC_STUDY_SYNTHESIS_H
#define COLLC_STUDY_SYNTHESIS_H

#include "lp/lp.h"
#include "predict/predict.h"
#include "study/simulation.h"
#include "synth/synth.h"
#include "verify/verify.h"

struct synthesis_request {
    struct synth_request of;   /* its method is ignored */
    const char *method;        /* NULL: all, and the best of them */
    struct simulation_request simulation; /* its model, with its costs and rules, compares methods */
    bool is_explained;         /* loads and bounds are wanted */
    struct lp_solver solver;   /* for the bound by flows */
};

/* A method, and its result. */
struct synthesis_try {
    const char *method;
    bool is_made;
    uint64_t n_steps, time; /* time: for synthesis->bytes, ns, */
    uint64_t busiest_link;  /* total time of the busiest link */
    struct text problem;    /* reason why it made nothing */
    struct text note;       /* the method's note on its schedule, or nothing */
};

/* Loads in blocks, as for bounds (bound/bound.h), or in bytes with unequal counts; `segments` of them are a
 * block. */
struct synthesis_loads {
    uint32_t segments;
    uint64_t sum_step;       /* sum over steps of the load of the busiest link of the step */
    uint64_t most;           /* load of the busiest link over all steps, */
    uint32_t busiest;        /* and the link */
    uint64_t n_idle;         /* steps in which it carries nothing */
    uint64_t max_step;       /* largest load of a link in a step */
};

struct synthesis {
    struct schedule *schedule;    /* NULL: no method made one, or none was right */
    const char *method;
    struct synthesis_try tries[N_SYNTH_METHODS];
    size_t n_tries;
    uint64_t bytes;               /* size for which methods were compared */
    struct verify_report report;  /* report of the schedule */
    uint64_t time, local;         /* for `bytes`, by the model; `local`: part of it for copies, */
    struct prediction prediction; /* the time by `step`, if that is the model, and the two below */
    uint64_t busiest_link;        /* total time of the busiest link */
    struct synthesis_loads loads; /* if is_explained, like the three below */
    const char *kind;             /* kind of the best bound; NULL: unknown; only by cuts if not explained */
    struct fraction bound;        /* bound of the load */
    uint64_t bound_time;          /* best bound of the time for `bytes`, ns; 0: unknown */
    struct diagnostics findings;  /* findings of the verifier about a wrong schedule */
    const char *builtin;          /* built-in algorithm to compare with, owned by the caller; or NULL */
    uint64_t builtin_time;        /* its time for `bytes`, by the same model, ns */
};

/* Size for which methods are compared without --bytes. */
#define SYNTHESIS_BYTES (UINT64_C(1) << 20)

struct synthesis synthesis_make(const struct synthesis_request *request);
void synthesis_free(struct synthesis *synthesis);

#endif
