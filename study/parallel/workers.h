/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Independent pieces of work, done by several processes: copies of this one, so that they share what
 * was read before, and none can harm another. A piece of work gives a text.
 */
#ifndef COLLC_STUDY_PARALLEL_WORKERS_H
#define COLLC_STUDY_PARALLEL_WORKERS_H

#include "base/memory.h"

#include <stddef.h>

struct workers {
    size_t n_items;
    uint32_t n_workers; /* at most; 0: as many as there are processors */
    void *context;
    /* In a process of its own: the text of an item. Prints and exits never. */
    void (*work)(void *context, size_t item, struct text *out);
    /* In this one, in any order: an item is done. NULL: its process ended without a text, and
     * `status` is what waitpid says of it. */
    void (*done)(void *context, size_t item, const char *text, size_t length, int status);
    /* Called now and then, at least once a second; or NULL. */
    void (*tick)(void *context, size_t n_done);
};

void workers_run(const struct workers *workers);

#endif
