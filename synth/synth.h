/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes schedules for the network at hand. Each method is a record (methods.def, synth/method.h);
 * what it makes is a schedule like any other, and not to be believed before it is verified.
 *
 *   docs/synthesis.md says what each method does, and proves what it promises.
 */
#ifndef COLLC_SYNTH_SYNTH_H
#define COLLC_SYNTH_SYNTH_H

#include "bound/bound.h"
#include "ir/schedule.h"

/* The names of the methods, in the order of methods.def. */
enum {
#define SYNTH_METHOD(name, title) SYNTH_##name,
#include "synth/methods.def"
    N_SYNTH_METHODS
};
extern const char *const synth_method_name[N_SYNTH_METHODS];

/* How far a method is, now and then. */
struct synth_progress {
    const char *method;
    uint64_t n_done, n; /* of its work, roughly */
};

/* Returns false when time is up: the method then ends with the best that it has. */
typedef bool synth_watch(void *data, const struct synth_progress *progress);

struct synth_request {
    struct bound_request what; /* the collective, its root and counts; where */
    enum collective_form form;
    uint64_t bytes;            /* as users mean it (collective_chunk_bytes); 0: not said */
    uint32_t seed;             /* equal requests with equal seeds give equal schedules, unless time
                                  was up */
    unsigned method;           /* which one makes it */
    uint32_t max_link_load;    /* messages on a link in a step; 0: as its bandwidth allows */
    uint32_t steps, chunks;    /* of `exact`: steps, and chunks of a block; 0: as few as can be */
    bool is_exact;             /* `exact` was asked for; else it is left out, as it takes its time */
    struct text *note;         /* gets what the method says of what it made: half a sentence, or nothing */
    synth_watch *watch;        /* or NULL */
    void *watch_data;
};

/* The schedule of the collective, to be released with its `destroy`; NULL after appending to `problem`
 * why the method has none: half a sentence. Its header names topology, placement and counts of the
 * request, which must live as long. */
struct schedule *collc_synth(const struct synth_request *request, struct text *problem);

/* Whether in what the method makes every block goes by the route from its source to its destination, so that
 * bound_routes (bound/routes.h) holds. */
bool collc_synth_is_straight(unsigned method);

#endif
