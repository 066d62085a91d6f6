/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside synth/: the record of a method.
 */
#ifndef COLLC_SYNTH_METHOD_H
#define COLLC_SYNTH_METHOD_H

#include "synth/steps.h"
#include "synth/synth.h"

struct synth_method {
    const char *name;
    /* Makes the steps of a schedule for the request. Returns false after adding to `problem` why the method
     * has none: a sentence without full stop. The header is filled from the request; the method may set
     * segments and n_tmp. */
    bool (*make)(const struct synth_request *request, struct synth_steps *steps,
                 struct schedule_header *header, struct text *problem);
    bool is_straight; /* every block goes by the one route from its source to its destination */
};

#define SYNTH_METHOD(name, title) extern const struct synth_method name##_method;
#include "synth/methods.def"

/* Limit of ranks of an all-to-all whose pairs are listed. */
enum { SYNTH_MAX_PAIRED_RANKS = BOUND_MAX_PAIRED_RANKS };
/* True if the request is an all-to-all of few enough ranks for a method to list; reports to `problem`
 * otherwise. */
bool synth_is_alltoall(const struct synth_request *request, struct text *problem);

/* Reports to the watch. Returns false when time is up. */
bool synth_goes_on(const struct synth_request *request, const struct synth_progress *progress);

#endif
