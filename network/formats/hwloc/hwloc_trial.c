/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts the helper. See hwloc_trial.h. The text goes to it in a file without a name: a pipe
 * would need a process that reads while we write, or a signal if it dies.
 */
#define _GNU_SOURCE /* dladdr, environ */
#include "network/formats/hwloc/hwloc_trial.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* ---- where it is ---- */

static bool is_in(const char *folder, int length, const char *below, char *path)
{
    int n = snprintf(path, PATH_SIZE, "%.*s%s/collc-hwloc", length, folder, below);
    return n > 0 && n < PATH_SIZE && access(path, X_OK) == 0;
}

/* Beside a file, or where it is installed from there. */
static bool is_beside(const char *file, char *path)
{
    const char *slash = strrchr(file, '/');
    int length = slash ? (int)(slash - file) : 0;
    return slash && (is_in(file, length, "", path) || is_in(file, length, "/../libexec/collc", path));
}

static bool find_helper(char *path)
{
    const char *folder = getenv("COLLC_LIBEXEC");
    char executable[PATH_SIZE];
    static const char here;
    Dl_info own;
    if (folder && *folder && is_in(folder, (int)strlen(folder), "", path))
        return true;
    if (dladdr(&here, &own) && own.dli_fname && is_beside(own.dli_fname, path))
        return true;
    ssize_t n = readlink("/proc/self/exe", executable, sizeof executable - 1);
    if (n <= 0)
        return false;
    executable[n] = '\0';
    return is_beside(executable, path);
}

/* ---- the trial ---- */

/* Starts it with the file as its input; false if that fails. No signal is blocked in it or
 * ignored. */
static bool start(const char *path, int input, pid_t *child)
{
    char *arguments[] = {(char[]){"collc-hwloc"}, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    bool is_started = posix_spawn(child, path, &files, &attributes, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return is_started;
}

/* True, too, if the caller ignores the end of children: then nobody knows. */
static bool ends_well(pid_t child)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    return ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

bool hwloc_trial(const char *text, int length)
{
    char path[PATH_SIZE];
    pid_t child;
    bool is_good = true;
    FILE *file = find_helper(path) ? tmpfile() : NULL;
    if (!file)
        return true;
    bool is_written = fwrite(text, 1, (size_t)length, file) == (size_t)length &&
                      fflush(file) == 0 && lseek(fileno(file), 0, SEEK_SET) == 0;
    if (is_written && start(path, fileno(file), &child))
        is_good = ends_well(child);
    fclose(file);
    return is_good;
}
