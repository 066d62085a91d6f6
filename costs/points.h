/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measured times that collc can predict, and the files that they are read from:
 *
 *   # comment
 *   time ALGORITHM RANKS BYTES TIME [ranks-per-machine=N] [PARAMETER=N ...]
 *
 *   hosts LIST
 *
 * with an algorithm of the library such as bcast/binomial; and the output of benchmarks. Outputs may
 * follow each other in one file; what follows a line of hosts ran on these, in their order:
 *
 *   OSU micro-benchmarks   osu_latency, osu_bw, and collectives
 *   IMB                    PingPong, and collectives
 *   nccl-tests             collectives, times out of place, on the hosts that it prints
 *
 * A benchmark names a collective, not its algorithm: the caller must supply it.
 */
#ifndef COLLC_COSTS_POINTS_H
#define COLLC_COSTS_POINTS_H

#include "base/diagnostic.h"
#include "ir/collective.h"
#include "ir/program.h"

/* The kind of a measured time. */
enum timed_kind {
    TIMED_ALGORITHM, /* the whole algorithm, to the last rank */
    TIMED_MESSAGE,   /* a message from rank 0 to rank 1 */
    TIMED_STREAM     /* `window` messages at once from rank 0 to rank 1, and an empty one back */
};

struct timed_point {
    enum timed_kind kind;
    const char *algorithm;       /* "bcast/binomial"; NULL for the other kinds */
    const char *runs;            /* the same in the words of the MPI that takes it; NULL: not known */
    struct parameter_setting *settings;
    size_t n_settings;
    uint32_t n_ranks;
    uint32_t ranks_per_machine;  /* 0: the request's number */
    uint32_t window;
    const char *hosts;           /* host list; NULL: those of the request */
    bool are_hosts_of_ranks;     /* one for each rank, as the benchmark prints them */
    uint64_t bytes;              /* for a stream those of each message */
    double time;                 /* ns, above 0 */
    struct position position;
};

/* Rows of a benchmark that are no times. */
struct points_left_out {
    size_t n;
    struct position first;
    const char *names;           /* of their benchmarks, with commas between them; NULL: not asked for */
};

struct timed_points {
    struct timed_point *items;
    size_t n, capacity;
    size_t n_not_named;               /* times of collectives whose algorithm was not named ... */
    bool is_not_named[N_COLLECTIVES]; /* ... namely of these */
    struct points_left_out unknown;   /* of benchmarks that collc does not know */
    struct points_left_out unmeasured; /* with words in place of the time, such as time-out */
    struct points_left_out wrong;     /* whose results the benchmark found to be wrong */
};

struct points_request {
    /* Sets the algorithm and settings of the point of a benchmark's collective. Returns false if they are
     * unknown. */
    bool (*name)(void *context, enum collective collective, struct timed_point *point);
    void *context;
    uint32_t n_ranks;                 /* for files that do not state it; 0: unknown */
    uint32_t ranks_per_machine;       /* the same, on a line of hosts; 0: one */
    bool is_placed;                   /* hosts that a benchmark prints are not taken */
    enum collective unnamed;          /* of outputs that do not name it; N_COLLECTIVES: not known */
};

/* Adds the points of a file. Returns false after reporting Y001 with the line. Strings and settings live in
 * the arena. */
bool points_read(struct timed_points *points, const struct points_request *request,
                 const struct source *source, struct arena *arena, struct diagnostics *diagnostics);
void points_add(struct timed_points *points, const struct timed_point *point);
void points_free(struct timed_points *points);

#endif
