/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts executables and waits for them. See helper.h.
 */
#define _GNU_SOURCE /* dladdr, environ */
#include "base/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- where it is ---- */

static bool helper_is_in(const char *folder, int length, const char *below, const char *name, char *path)
{
    int n = snprintf(path, HELPER_PATH, "%.*s%s/%s", length, folder, below, name);
    return n > 0 && n < HELPER_PATH && access(path, X_OK) == 0;
}

static bool helper_own_path(char executable[HELPER_PATH])
{
    const ssize_t n = readlink("/proc/self/exe", executable, HELPER_PATH - 1);
    if (n > 0)
        executable[n] = '\0';
    return n > 0;
}

/* Beside a file, or where it is installed from there: from bin/ or lib/, or from lib/ARCHITECTURE/. */
static bool is_beside(const char *file, const char *name, char *path)
{
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file) : 0;
    return slash && (helper_is_in(file, length, "", name, path) ||
                     helper_is_in(file, length, "/../libexec/collc", name, path) ||
                     helper_is_in(file, length, "/../../libexec/collc", name, path));
}

bool helper_find(const char *name, char path[HELPER_PATH])
{
    const char *folder = getenv("COLLC_LIBEXEC");
    char executable[HELPER_PATH];
    static const char here;
    Dl_info own;
    if (folder && *folder && helper_is_in(folder, (int)strlen(folder), "", name, path))
        return true;
    if (dladdr(&here, &own) && own.dli_fname && is_beside(own.dli_fname, name, path))
        return true;
    return helper_own_path(executable) && is_beside(executable, name, path);
}

bool helper_find_page(const char *page, char path[HELPER_PATH])
{
    static const char *const folders[] = {"..", "../share/doc/collc", "../.."};
    char executable[HELPER_PATH], found[HELPER_PATH];
    char *slash = helper_own_path(executable) ? strrchr(executable, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof folders / sizeof *folders; i++) {
        const int n = snprintf(found, sizeof found, "%.*s/%s/docs/%s", (int)(slash - executable), executable,
                               folders[i], page);
        if (n > 0 && n < HELPER_PATH && realpath(found, path))
            return true;
    }
    return false;
}

/* ---- the run ---- */

static void redirect(posix_spawn_file_actions_t *files, FILE *file, int descriptor)
{
    if (file)
        posix_spawn_file_actions_adddup2(files, fileno(file), descriptor);
    else
        posix_spawn_file_actions_addopen(files, descriptor, "/dev/null", O_RDWR, 0);
}

/* False if that fails. No signal is blocked in it or ignored. One with a limit is in a group of its
 * own, which can be ended as a whole. */
static bool helper_start(const char *path, char *const arguments[], FILE *input, FILE *output,
                         bool is_limited, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    redirect(&files, input, STDIN_FILENO);
    redirect(&files, output, STDOUT_FILENO);
    redirect(&files, NULL, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                     (is_limited ? POSIX_SPAWN_SETPGROUP : 0)));
    bool is_started = posix_spawn(child, path, &files, &attributes, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return is_started;
}

static double helper_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits until the child has ended, or for so long; false: it still runs. */
static bool helper_has_ended(pid_t child, double seconds, pid_t *ended, int *status)
{
    const double end = helper_seconds_now() + seconds;
    for (long pause = 200000;; pause = pause < 10000000 ? pause * 2 : pause) {
        while ((*ended = waitpid(child, status, seconds > 0 ? WNOHANG : 0)) < 0 && errno == EINTR)
            continue;
        if (*ended != 0 || helper_seconds_now() >= end)
            return *ended != 0;
        nanosleep(&(struct timespec){0, pause}, NULL);
    }
}

static enum helper_end helper_wait_for(pid_t child, double seconds)
{
    int status = 0;
    pid_t ended;
    const bool is_late = !helper_has_ended(child, seconds, &ended, &status);
    if (is_late) {
        kill(-child, SIGKILL);
        helper_has_ended(child, 0, &ended, &status);
        return HELPER_TOO_LATE;
    }
    if (ended < 0)
        return HELPER_UNKNOWN;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? HELPER_WELL : HELPER_BADLY;
}

enum helper_end helper_run(const char *path, char *const arguments[], FILE *input, FILE *output,
                           double seconds)
{
    pid_t child;
    if (!helper_start(path, arguments, input, output, seconds > 0, &child))
        return HELPER_NOT_STARTED;
    return helper_wait_for(child, seconds);
}
