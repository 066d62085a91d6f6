/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs independent items of work in several processes: copies of this one, so that they share everything
 * that was read before, and none can harm another. Each item gives a text.
 */
#ifndef COLLC_STUDY_PARALLEL_WORKERS_H
#define COLLC_STUDY_PARALLEL_WORKERS_H

#include "base/memory.h"

#include <stddef.h>

struct workers {
    size_t n_items;
    uint32_t n_workers; /* limit; 0: the number of processors */
    void *context;
    /* Writes the text of an item, in a process of its own. Must not print or exit. */
    void (*work)(void *context, size_t item, struct text *out);
    /* Takes the text of an item in the caller's process, in any order. NULL: its process ended without a
     * text, with `status` from waitpid. */
    void (*done)(void *context, size_t item, const char *text, size_t length, int status);
    /* Called regularly, at least once a second; or NULL. */
    void (*tick)(void *context, size_t n_done);
};

void workers_run(const struct workers *workers);

#endif
