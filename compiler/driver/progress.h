/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far a command is: a line on a terminal that is written over and over, from the second second on.
 */
#ifndef COLLC_DRIVER_PROGRESS_H
#define COLLC_DRIVER_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what, *items; /* "synth" and "pieces": "collc synth: 3 of 7 pieces" */
    double start, shown;      /* seconds; `shown` 0: not yet */
    uint64_t n_counted;       /* by progress_count */
    bool is_silent;           /* no terminal, or nothing is wanted */
};

struct progress progress_begin(const char *what, const char *items, bool is_quiet);
/* Ten times a second at most; with n_done above 0 also how long the rest takes. n 0: it is not known. */
void progress_show(struct progress *progress, uint64_t n_done, uint64_t n);
/* One more is done, of an unknown number: what takes a callback is given this with its `struct progress`. */
void progress_count(void *progress);
double progress_seconds(const struct progress *progress);
/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
