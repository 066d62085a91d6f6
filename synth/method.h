/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inside synth/: what a method is.
 */
#ifndef COLLC_SYNTH_METHOD_H
#define COLLC_SYNTH_METHOD_H

#include "synth/steps.h"
#include "synth/synth.h"

struct synth_method {
    const char *name;
    /* The steps of a schedule of the request, or false after adding to `problem` why the method has
     * none: a sentence without full stop. The header has what the request says; the method may
     * set segments and n_tmp. */
    bool (*make)(const struct synth_request *request, struct synth_steps *steps,
                 struct schedule_header *header, struct text *problem);
    bool is_straight; /* every block goes by the one route from its source to its destination */
};

#define SYNTH_METHOD(name, title) extern const struct synth_method name##_method;
#include "synth/methods.def"

/* An all-to-all of so many ranks lists each pair. */
enum { SYNTH_MAX_PAIRED_RANKS = BOUND_MAX_PAIRED_RANKS };
/* Whether the request is an all-to-all of as many ranks as a method can list; else says so. */
bool synth_is_alltoall(const struct synth_request *request, struct text *problem);

/* Tells the watch; false: time is up. */
bool synth_goes_on(const struct synth_request *request, const struct synth_progress *progress);

#endif
