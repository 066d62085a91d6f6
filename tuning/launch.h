/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a command with a time limit and reads its output, a line at a time. Whatever happens, none of its
 * processes are left: it is in a process group of its own, is asked to end, and then killed. The same
 * happens if we are asked to end ourselves (SIGINT, SIGTERM, SIGHUP) between launch_catch_signals and
 * launch_release_signals; then nothing more is started.
 */
#ifndef COLLC_TUNING_LAUNCH_H
#define COLLC_TUNING_LAUNCH_H

#include "base/memory.h"

enum launch_end {
    LAUNCH_WELL,        /* exit status 0 */
    LAUNCH_BADLY,       /* another exit status, or a signal */
    LAUNCH_TOO_LATE,
    LAUNCH_NOT_STARTED, /* no such command */
    LAUNCH_INTERRUPTED  /* we are asked to end */
};

struct launch {
    const char *const *words;   /* the command and its arguments, up to NULL */
    double seconds;
    void (*line)(void *context, char *line); /* receives a line of its standard output, without the end */
    void *context;
    struct text said;           /* first 64 KiB of its error output; to be freed by the caller */
    int status;                 /* as from waitpid */
};

void launch_catch_signals(void);
void launch_release_signals(void);

enum launch_end launch_run(struct launch *launch);
/* Appends why it did not end well, "it ended with status 3", with the end of its error output. */
void launch_explain(const struct launch *launch, enum launch_end end, struct text *out);

#endif
