/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See launch.h.
 */
#define _GNU_SOURCE /* environ, pipe2 */
#include "tuning/launch.h"

#include "base/diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_BYTES = 1 << 16, POLL_MS = 100 };
static const double seconds_to_end = 5; /* from being asked to being made to */

/* ---- signals to us ---- */

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    is_interrupted = number;
}

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction before[N_SIGNALS];
static bool is_caught;

void launch_catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    if (is_caught)
        return;
    is_caught = true;
    is_interrupted = 0;
    for (int i = 0; i < N_SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void launch_release_signals(void)
{
    for (int i = 0; i < N_SIGNALS && is_caught; i++)
        sigaction(signals[i], &before[i], NULL);
    is_caught = false;
}

/* ---- the child ---- */

struct child {
    pid_t process;
    int out, error;          /* -1: closed */
    struct text line;        /* the part of the next line that has arrived */
};

static double launch_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool launch_start(const struct launch *launch, struct child *child)
{
    int out[2], error[2];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
        fatal("cannot make a pipe:");
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, error[1], STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char *const *words = (char *const *)(uintptr_t)launch->words;
    const bool is_started = posix_spawnp(&child->process, words[0], &files, &attributes, words, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(out[1]);
    close(error[1]);
    child->out = out[0];
    child->error = error[0];
    return is_started;
}

/* ---- what it says ---- */

static void take_lines(const struct launch *launch, struct child *child)
{
    char *at = child->line.data, *end;
    while (at && (end = memchr(at, '\n', child->line.length - (size_t)(at - child->line.data)))) {
        *end = '\0';
        launch->line(launch->context, at);
        at = end + 1;
    }
    if (!at || at == child->line.data)
        return;
    child->line.length -= (size_t)(at - child->line.data);
    memmove(child->line.data, at, child->line.length + 1);
}

/* Reads once; closes at the end. */
static void launch_take(struct launch *launch, struct child *child, int *descriptor)
{
    char bytes[4096];
    const ssize_t n = read(*descriptor, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        close(*descriptor);
        *descriptor = -1;
        return;
    }
    if (descriptor == &child->out) {
        text_append(&child->line, bytes, (size_t)n);
        take_lines(launch, child);
    } else if (launch->said.length < KEPT_BYTES) {
        text_append(&launch->said, bytes, (size_t)n);
    }
}

/* False if nothing came in that time. */
static bool listen(struct launch *launch, struct child *child, int milliseconds)
{
    struct pollfd files[2];
    int *descriptors[2];
    nfds_t n = 0;
    if (child->out >= 0) {
        descriptors[n] = &child->out;
        files[n++] = (struct pollfd){child->out, POLLIN, 0};
    }
    if (child->error >= 0) {
        descriptors[n] = &child->error;
        files[n++] = (struct pollfd){child->error, POLLIN, 0};
    }
    const int n_ready = poll(files, n, milliseconds);
    for (nfds_t i = 0; i < n && n_ready > 0; i++)
        if (files[i].revents)
            launch_take(launch, child, descriptors[i]);
    return n_ready > 0;
}

/* ---- its end ---- */

static bool launch_has_ended(const struct child *child, int *status)
{
    return waitpid(child->process, status, WNOHANG) != 0;
}

static void end_it(struct launch *launch, struct child *child)
{
    const double deadline = launch_now() + seconds_to_end;
    kill(-child->process, SIGTERM);
    while (!launch_has_ended(child, &launch->status)) {
        if (launch_now() < deadline) {
            listen(launch, child, POLL_MS);
            continue;
        }
        kill(-child->process, SIGKILL);
        waitpid(child->process, &launch->status, 0);
        break;
    }
}

static enum launch_end launch_wait_for(struct launch *launch, struct child *child)
{
    const double deadline = launch_now() + launch->seconds;
    for (;;) {
        listen(launch, child, POLL_MS);
        if (launch_has_ended(child, &launch->status))
            return WIFEXITED(launch->status) && WEXITSTATUS(launch->status) == 0 ? LAUNCH_WELL : LAUNCH_BADLY;
        if (is_interrupted || launch_now() > deadline) {
            const enum launch_end why = is_interrupted ? LAUNCH_INTERRUPTED : LAUNCH_TOO_LATE;
            end_it(launch, child);
            return why;
        }
    }
}

enum launch_end launch_run(struct launch *launch)
{
    struct child child = {.process = -1};
    enum launch_end end = LAUNCH_NOT_STARTED;
    if (is_interrupted)
        return LAUNCH_INTERRUPTED;
    if (launch_start(launch, &child)) {
        end = launch_wait_for(launch, &child);
        kill(-child.process, SIGKILL); /* processes that it may have left */
        while ((child.out >= 0 || child.error >= 0) && listen(launch, &child, 0))
            continue;
    }
    if (child.out >= 0)
        close(child.out);
    if (child.error >= 0)
        close(child.error);
    text_free(&child.line);
    return end;
}

static void append_lines(const char *said, struct text *out)
{
    char line[1024];
    while (*said) {
        const size_t length = strcspn(said, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, said);
        if (length) {
            text_printf(out, "\n  ");
            text_append_safe(out, line);
        }
        said += length + (said[length] == '\n');
    }
}

void launch_explain(const struct launch *launch, enum launch_end end, struct text *out)
{
    enum { MAX_SAID = 1500 };
    switch (end) {
    case LAUNCH_WELL: break;
    case LAUNCH_BADLY:
        if (WIFSIGNALED(launch->status))
            text_printf(out, "'%s' was ended by signal %d", launch->words[0], WTERMSIG(launch->status));
        else
            text_printf(out, "'%s' ended with status %d", launch->words[0], WEXITSTATUS(launch->status));
        break;
    case LAUNCH_TOO_LATE:
        text_printf(out, "'%s' took longer than %.0f s and was ended", launch->words[0], launch->seconds);
        break;
    case LAUNCH_NOT_STARTED: text_printf(out, "there is no command '%s'", launch->words[0]); break;
    case LAUNCH_INTERRUPTED: text_printf(out, "interrupted"); break;
    }
    if (end != LAUNCH_BADLY && end != LAUNCH_TOO_LATE)
        return;
    const size_t length = launch->said.length;
    if (length) {
        text_printf(out, "; it said:");
        append_lines(launch->said.data + (length > MAX_SAID ? length - MAX_SAID : 0), out);
    }
}
