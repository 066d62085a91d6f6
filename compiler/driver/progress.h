/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Progress of a command: a line on a terminal that is written over and over, after the first second.
 *
 * If a command counts its items, such as the sizes that it simulates, the line shows these, once there are
 * some. Until then, and for all other commands, it shows how many messages of the schedule have been looked
 * at (progress_watch).
 */
#ifndef COLLC_DRIVER_PROGRESS_H
#define COLLC_DRIVER_PROGRESS_H

#include "base/observer.h"
#include "compiler/driver/options.h"
#include "ir/schedule.h"

struct binding; /* compiler/passes/binding.h */

struct progress {
    const char *command;
    const char *items;        /* items that were shown last; NULL: none yet */
    double start;             /* seconds: start of all, */
    double since;             /* and of these items */
    double shown;             /* seconds after the start; 0: not yet */
    bool is_silent;           /* no terminal, or no progress wanted */
};

struct progress progress_begin(const struct options *options);
/* Shows that n_done of n items are done, at most ten times a second; with n_done above 0 also how long the
 * rest takes. n 0: not known. */
void progress_show(struct progress *progress, const char *items, uint64_t n_done, uint64_t n);
/* Returns an observer that does the same. */
struct observer progress_observer(struct progress *progress);
double progress_seconds(const struct progress *progress);
/* Removes the line. */
void progress_end(struct progress *progress);

/* Returns a schedule with the same steps that counts messages as they pass, and owns the given one; the
 * schedule itself where nobody looks at a terminal. binding: of which it is the expansion, which outlives it
 * and tells about how many messages there are; NULL: not known. */
struct schedule *progress_watch(struct schedule *schedule, const struct binding *binding,
                                const struct options *options);

/* Removes the line, of whatever it is, before a message. */
void progress_make_way(void);
/* Ends the line for good: standard output, on a terminal, is written from now on. */
void progress_leave(void);

#endif
