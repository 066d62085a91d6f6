/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Maps an algorithm of an MPI to one of the library (counterparts.def), so that its time can be
 * predicted.
 */
#ifndef COLLC_STUDY_COUNTERPARTS_H
#define COLLC_STUDY_COUNTERPARTS_H

#include "study/scene.h"
#include "tables/rules/plan.h"

/* The data that segments are cut from. */
enum cut_from { CUT_NOTHING, CUT_WHOLE, CUT_HALF, CUT_RANK };

struct counterpart {
    const char *targets, *collective, *theirs, *ours;
    bool is_of_powers; /* it stands for theirs on numbers of ranks that are powers of two */
    enum cut_from cut_from;
    const char *segments; /* the parameter with their number; NULL: none */
    const char *fan_out;  /* the parameter for the target's fan-out; NULL: none */
    const char *requests; /* the same for its requests in flight */
    const char *set;      /* a parameter that always has `value`; NULL: none */
    int64_t value;        /* or the least fan-out */
};

/* Finds that of an algorithm on so many ranks. Returns NULL if the library has none. */
const struct counterpart *counterpart_find(const char *target, const char *collective, const char *theirs,
                                           uint32_t n_ranks);
/* Returns the number of segments of a call's data; 1 if they are not cut. */
uint64_t counterpart_segments(const struct counterpart *counterpart, uint64_t segment_bytes, uint64_t bytes,
                              uint32_t n_ranks);

/* A counterpart as read; to be released with scene_free. */
struct counterpart_program {
    const struct counterpart *of;
    struct scene scene; /* program NULL: it cannot be read, or is of another form */
};
struct counterpart_program counterpart_open(const struct counterpart *counterpart, enum collective_form form);

enum { COUNTERPART_SETTINGS = 4 };
/* Value of a parameter that has no limit: it is above all numbers of ranks. */
enum { NO_LIMIT_ON_REQUESTS = 1 << 16 };
/* Writes the settings for n_segments segments and these parameters; returns their number. */
size_t counterpart_settings(const struct counterpart *counterpart, uint64_t n_segments,
                            const struct table_parameters *parameters,
                            struct parameter_setting settings[COUNTERPART_SETTINGS]);

#endif
