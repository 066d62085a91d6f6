/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured times of what collc can predict, and the files that they are read from:
 *
 *   # comment
 *   time ALGORITHM RANKS BYTES TIME [ranks-per-machine=N] [PARAMETER=N ...]
 *
 * with an algorithm of the library such as bcast/binomial; and what benchmarks print. Outputs may follow each
 * other in one file:
 *
 *   OSU micro-benchmarks   osu_latency, osu_bw, and collectives
 *   IMB                    PingPong, and collectives
 *   nccl-tests             collectives, times out of place
 *
 * A benchmark names a collective, not its algorithm: whoever reads must say which it is.
 */
#ifndef COLLC_COSTS_POINTS_H
#define COLLC_COSTS_POINTS_H

#include "base/diagnostic.h"
#include "ir/collective.h"
#include "ir/program.h"

/* What was timed. */
enum timed_kind {
    TIMED_ALGORITHM, /* the whole of it, to the last rank */
    TIMED_MESSAGE,   /* a message from rank 0 to rank 1 */
    TIMED_STREAM     /* `window` messages at once from rank 0 to rank 1, and an empty one back */
};

struct timed_point {
    enum timed_kind kind;
    const char *algorithm;       /* "bcast/binomial"; of the other kinds NULL */
    struct parameter_setting *settings;
    size_t n_settings;
    uint32_t n_ranks;
    uint32_t ranks_per_machine;  /* 0: as elsewhere */
    uint32_t window;
    uint64_t bytes;              /* of a stream those of each message */
    double time;                 /* ns, above 0 */
    struct position position;
};

struct timed_points {
    struct timed_point *items;
    size_t n, capacity;
    size_t n_not_named;               /* times of collectives whose algorithm was not named ... */
    bool is_not_named[N_COLLECTIVES]; /* ... namely of these */
    size_t n_unknown;                 /* lines of benchmarks that are not known here */
};

struct points_request {
    /* Adds what a collective of a benchmark was, as a point with algorithm and settings, and says whether
     * that is known. */
    bool (*name)(void *context, enum collective collective, struct timed_point *point);
    void *context;
    uint32_t n_ranks;                 /* where the file does not say it; 0: unknown */
};

/* Adds those of a file. False after reporting Y001 with the line. Strings and settings live in the arena. */
bool points_read(struct timed_points *points, const struct points_request *request,
                 const struct source *source, struct arena *arena, struct diagnostics *diagnostics);
void points_add(struct timed_points *points, const struct timed_point *point);
void points_free(struct timed_points *points);

#endif
