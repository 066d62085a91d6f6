/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a command with its arguments and reads what it says, a line at a time, for so long. Whatever
 * happens, nothing that it started is left: it is in a group of its own, is asked to end, and then
 * made to. So it is if we are asked to end ourselves (SIGINT, SIGTERM, SIGHUP) between
 * launch_catch_signals and launch_release_signals: what runs is ended, and nothing more is started.
 */
#ifndef COLLC_TUNING_LAUNCH_H
#define COLLC_TUNING_LAUNCH_H

#include "base/memory.h"

enum launch_end {
    LAUNCH_WELL,        /* exit status 0 */
    LAUNCH_BADLY,       /* another one, or a signal */
    LAUNCH_TOO_LATE,
    LAUNCH_NOT_STARTED, /* no such command */
    LAUNCH_INTERRUPTED  /* we are to end */
};

struct launch {
    const char *const *words;   /* the command and its arguments, up to NULL */
    double seconds;
    void (*line)(void *context, char *line); /* of its standard output, without the end */
    void *context;
    struct text said;           /* its error output, the first 64 KiB; to be freed by the caller */
    int status;                 /* as waitpid says */
};

void launch_catch_signals(void);
void launch_release_signals(void);

enum launch_end launch_run(struct launch *launch);
/* Why it did not end well, "it ended with status 3", with the end of what it said; appended. */
void launch_explain(const struct launch *launch, enum launch_end end, struct text *out);

#endif
