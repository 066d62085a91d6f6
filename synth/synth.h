/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes schedules for a given network. Each method is a record (methods.def, synth/method.h). Its
 * schedules are like any others, and must be verified before they are trusted.
 *
 *   docs/synthesis.md describes each method, docs/proofs.md what it promises.
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

/* The progress of a method, reported from time to time. */
struct synth_progress {
    const char *method;
    uint64_t n_done, n; /* approximate parts of its work */
};

/* Returns false when time is up: the method then ends with the best that it has. */
typedef bool synth_watch(void *data, const struct synth_progress *progress);

struct synth_request {
    struct bound_request what; /* collective, root and counts; topology and placement */
    enum collective_form form;
    uint64_t bytes;            /* as users mean it (collective_chunk_bytes); 0: unknown */
    uint32_t seed;             /* equal requests with equal seeds give equal schedules, unless time was up */
    unsigned method;           /* number of the method */
    uint32_t max_link_load;    /* messages on a link in a step; 0: by its bandwidth */
    uint32_t steps, chunks;    /* for `exact`: steps, and chunks of a block; 0: the fewest possible */
    bool is_exact;             /* `exact` was asked for; else it is left out, as it takes its time */
    struct text *note;         /* receives the method's note on its result: half a sentence, or nothing */
    synth_watch *watch;        /* or NULL */
    void *watch_data;
};

/* Returns the schedule of the collective, to be released with its `destroy`; NULL after appending to
 * `problem` why the method has none: half a sentence. The topology, placement and counts of the request,
 * which its header names, must live as long. */
struct schedule *collc_synth(const struct synth_request *request, struct text *problem);

/* True if in the method's schedules every block goes by the route from its source to its destination, so
 * that bound_routes (bound/routes.h) holds. */
bool collc_synth_is_straight(unsigned method);

#endif
