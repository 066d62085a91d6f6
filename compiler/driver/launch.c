/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An MPI tells the processes that it launches how many they are, by the environment. See launch.h.
 */
#include "compiler/driver/launch.h"

#include "base/helper.h"
#include "base/memory.h"
#include "compiler/driver/messages.h"
#include "study/parallel/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *size, *rank, *helper; /* variables, and the executable */
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "collc-mpi-openmpi"},
    {"PMI_SIZE", "PMI_RANK", "collc-mpi-mpich"},
};

static int number_in(const char *variable)
{
    const char *words = getenv(variable);
    return words ? atoi(words) : 0;
}

/* The helper in place of this process; returns if it cannot be started. */
static void become(const char *path, char **arguments)
{
    static char own[HELPER_PATH];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    size_t n = 0;
    while (arguments[n])
        n++;
    char **words = mem_alloc(n + 2, sizeof *words);
    words[0] = arguments[0];
    words[1] = length > 0 ? own : arguments[0];
    for (size_t i = 1; i < n; i++)
        words[i + 1] = arguments[i];
    execv(path, words);
    free(words);
}

bool launch_share(enum command command, char **arguments)
{
    const bool is_shared = command == COMMAND_verify || command == COMMAND_check ||
                           command == COMMAND_route || command == COMMAND_predict ||
                           command == COMMAND_best;
    char path[HELPER_PATH];
    for (size_t i = 0; is_shared && !getenv(POOL_VARIABLE) && i < sizeof launchers / sizeof *launchers; i++) {
        if (number_in(launchers[i].size) < 2)
            continue;
        if (helper_find(launchers[i].helper, path))
            become(path, arguments);
        if (number_in(launchers[i].rank) == 0)
            usage_error_with("launch it without mpirun, or build it where there is a compiler of this MPI",
                             "%d processes were launched, and there is no %s by which they could share the work",
                             number_in(launchers[i].size), launchers[i].helper);
        return false;
    }
    return true;
}
