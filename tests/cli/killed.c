/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded: a collc that works for another one, as a copy of it or launched beside it, is killed as by
 * kill -9 when it begins to write for the KILL_AT-th time, and a line goes to the file KILLED. With
 * FIRST=others in the environment a copy has done all that it can before the process goes on of which it is
 * one: then all steps are its.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_other, n_writes;

static void in_copy(void)
{
    is_other = 1;
}

static void after_copy(void)
{
    const char *first = getenv("FIRST");
    siginfo_t end;
    if (!is_other && first && strcmp(first, "others") == 0)
        waitid(P_ALL, 0, &end, WEXITED | WNOWAIT);
}

__attribute__((constructor)) static void start(void)
{
    const char *pool = getenv("COLLC_POOL");
    if (strcmp(program_invocation_short_name, "collc") != 0)
        return;
    is_other = pool && *pool != '0';
    pthread_atfork(NULL, after_copy, in_copy);
}

static ssize_t real_write(int descriptor, const void *data, size_t length)
{
    ssize_t (*real)(int, const void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    return real(descriptor, data, length);
}

ssize_t write(int descriptor, const void *data, size_t length)
{
    const char *at = getenv("KILL_AT"), *killed = getenv("KILLED");
    if (is_other && at && ++n_writes == atoi(at)) {
        const int file = open(killed, O_WRONLY | O_CREAT | O_APPEND, 0644);
        if (file < 0 || real_write(file, "killed\n", 7) != 7)
            abort();
        kill(getpid(), SIGKILL);
    }
    return real_write(descriptor, data, length);
}
