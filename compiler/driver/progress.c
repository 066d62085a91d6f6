/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See progress.h. Processes that were started, or launched with this one, say nothing.
 */
#include "compiler/driver/progress.h"

#include "compiler/driver/budget.h"
#include "compiler/driver/job.h"
#include "study/parallel/pool.h"
#include "study/estimate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const struct progress *on_screen; /* what the line says, or NULL: there is none */
static bool has_left;
static pid_t owner; /* of the terminal: processes that it starts have copies of all this */

struct progress progress_begin(const struct options *options)
{
    const double now = seconds_now();
    owner = owner ? owner : getpid();
    return (struct progress){.command = command_table[options->command].name,
                             .start = now,
                             .since = now,
                             .is_silent = options->quiet || !isatty(STDERR_FILENO) || pool_number() > 0};
}

double progress_seconds(const struct progress *progress)
{
    return seconds_now() - progress->start;
}

/* True if the line is to be written now. */
static bool is_due(const struct progress *progress)
{
    if (progress->is_silent || has_left)
        return false;
    const double seconds = progress_seconds(progress);
    return seconds >= 1 && seconds >= progress->shown + 0.1 && getpid() == owner;
}

/* about: "about " if the number of all is an estimate. */
static void write_line(struct progress *progress, uint64_t n_done, uint64_t n, const char *about)
{
    const double seconds = seconds_now() - progress->since;
    progress->shown = progress_seconds(progress);
    on_screen = progress;
    fprintf(stderr, "\r\033[Kcollc %s: %" PRIu64, progress->command, n_done);
    if (n > n_done)
        fprintf(stderr, " of %s%" PRIu64, about, n);
    fprintf(stderr, " %s", progress->items);
    if (n_done && n > n_done)
        fprintf(stderr, ", about %.0f s left", seconds / (double)n_done * (double)(n - n_done));
    fflush(stderr);
}

void progress_show(struct progress *progress, const char *items, uint64_t n_done, uint64_t n)
{
    if (progress->items && strcmp(items, progress->items) != 0)
        progress->since = seconds_now();
    progress->items = items;
    if (is_due(progress))
        write_line(progress, n_done, n, "");
}

static void driver_progress_show(void *progress, const char *items, uint64_t n_done, uint64_t n)
{
    progress_show(progress, items, n_done, n);
}

struct observer progress_observer(struct progress *progress)
{
    return (struct observer){driver_progress_show, progress};
}

void progress_make_way(void)
{
    if (on_screen)
        fputs("\r\033[K", stderr);
    on_screen = NULL;
}

void progress_leave(void)
{
    progress_make_way();
    has_left = isatty(STDOUT_FILENO);
}

void progress_end(struct progress *progress)
{
    if (on_screen == progress)
        progress_make_way();
    progress->shown = 0;
}

/* ---- a schedule that is watched ---- */

struct watched {
    struct schedule schedule; /* first: the schedule's functions get a pointer to it */
    struct schedule *inner;
    const struct options *options;
    const struct binding *binding;
    struct progress progress;
    uint64_t n_seen;     /* messages since the first step */
    uint64_t n_passed;   /* operations since the last look at the clock */
    uint64_t n_messages; /* that there are, about; 0: not known */
    bool is_estimated;   /* that was looked for */
};

/* Each of several has as many to look at. Another line, if there is one, is a better one. */
static void show_messages(struct watched *watched)
{
    struct progress *progress = &watched->progress;
    const uint32_t n_sharing = watched->schedule.use.n_sharing;
    if ((on_screen && on_screen != progress) || !is_due(progress))
        return;
    if (!watched->is_estimated && watched->binding) {
        const struct estimate estimate =
            estimate_verification(watched->binding, budget_enough(watched->options));
        watched->n_messages = estimate.is_at_least ? 0 : (uint64_t)estimate.n_messages;
    }
    watched->is_estimated = true;
    write_line(progress, watched->n_seen * (n_sharing ? n_sharing : 1), watched->n_messages, "about ");
}

static bool progress_watched_next(struct schedule *schedule, struct step *step)
{
    enum { LOOK = 1 << 16 }; /* operations: some milliseconds */
    struct watched *watched = (struct watched *)schedule;
    const bool is_given = watched->inner->next(watched->inner, step);
    schedule->failed = watched->inner->failed;
    if (!is_given) {
        progress_end(&watched->progress);
        return false;
    }
    watched->n_seen += step->n_sends;
    watched->n_passed += 1 + step->n_sends + step->n_receives + step->n_copies;
    if (watched->n_passed >= LOOK) {
        watched->n_passed = 0;
        show_messages(watched);
    }
    return true;
}

static void progress_watched_rewind(struct schedule *schedule)
{
    struct watched *watched = (struct watched *)schedule;
    watched->inner->use = schedule->use;
    watched->inner->rewind(watched->inner);
    schedule->failed = watched->inner->failed;
    watched->n_seen = 0;
    progress_end(&watched->progress);
    watched->progress.start = watched->progress.since = seconds_now();
}

static void watched_destroy(struct schedule *schedule)
{
    struct watched *watched = (struct watched *)schedule;
    progress_end(&watched->progress);
    watched->inner->destroy(watched->inner);
    free(watched);
}

struct schedule *progress_watch(struct schedule *schedule, const struct binding *binding,
                                const struct options *options)
{
    struct progress progress = progress_begin(options);
    progress.items = "messages";
    if (progress.is_silent)
        return schedule;
    struct watched *watched = mem_alloc(1, sizeof *watched);
    *watched = (struct watched){.schedule = *schedule,
                                .inner = schedule,
                                .options = options,
                                .binding = binding,
                                .progress = progress};
    watched->schedule.next = progress_watched_next;
    watched->schedule.rewind = progress_watched_rewind;
    watched->schedule.destroy = watched_destroy;
    return &watched->schedule;
}
