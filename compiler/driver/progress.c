/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See progress.h.
 */
#include "compiler/driver/progress.h"

#include "compiler/driver/job.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

struct progress progress_begin(const char *what, const char *items, bool is_quiet)
{
    return (struct progress){.what = what,
                             .items = items,
                             .start = seconds_now(),
                             .is_silent = is_quiet || !isatty(STDERR_FILENO)};
}

double progress_seconds(const struct progress *progress)
{
    return seconds_now() - progress->start;
}

void progress_show(struct progress *progress, uint64_t n_done, uint64_t n)
{
    const double seconds = progress->is_silent ? 0 : progress_seconds(progress);
    if (seconds < 1 || seconds < progress->shown + 0.1)
        return;
    progress->shown = seconds;
    fprintf(stderr, "\r\033[Kcollc %s: %" PRIu64, progress->what, n_done);
    if (n > n_done)
        fprintf(stderr, " of %" PRIu64, n);
    fprintf(stderr, " %s", progress->items);
    if (n_done && n > n_done)
        fprintf(stderr, ", about %.0f s left", seconds / (double)n_done * (double)(n - n_done));
    fflush(stderr);
}

void progress_count(void *counted)
{
    struct progress *progress = counted;
    progress_show(progress, ++progress->n_counted, 0);
}

void progress_end(struct progress *progress)
{
    if (progress->shown > 0)
        fputs("\r\033[K", stderr);
    progress->shown = 0;
}
