/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far a command is: a line on a terminal that is written over and over, from the second second on.
 *
 * Of a command that counts what it does, such as the sizes that it plays, the line says that, once there is
 * something to say. Until then, and of all others, it says how many messages of the schedule have been looked
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
    const char *items;        /* that were shown last; NULL: none yet */
    double start;             /* seconds, of all */
    double since;             /* and of these items */
    double shown;             /* seconds after the start; 0: not yet */
    bool is_silent;           /* no terminal, or nothing is wanted */
};

struct progress progress_begin(const struct options *options);
/* n_done of n items are done: ten times a second at most; with n_done above 0 also how long the rest takes.
 * n 0: it is not known how many there are. */
void progress_show(struct progress *progress, const char *items, uint64_t n_done, uint64_t n);
/* The same for who has an observer. */
struct observer progress_observer(struct progress *progress);
double progress_seconds(const struct progress *progress);
/* Takes the line away. */
void progress_end(struct progress *progress);

/* The same steps, whose messages are counted as they pass; the schedule itself where nobody looks at a
 * terminal. It belongs to what is returned. binding: what it is the expansion of, which outlives it and tells
 * about how many messages there are; NULL: that is not known. */
struct schedule *progress_watch(struct schedule *schedule, const struct binding *binding,
                                const struct options *options);

/* Takes the line away, of whatever it is: something is to be said. */
void progress_make_way(void);
/* Standard output is written from now on: on a terminal there is no such line any more. */
void progress_leave(void);

#endif
