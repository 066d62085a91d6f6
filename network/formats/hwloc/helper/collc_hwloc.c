/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: collc-hwloc <FILE.xml Exits with 0 if libhwloc can load this description of a machine. libhwloc
 * crashes on some malformed texts: here it may, as this process has nothing to lose
 * (network/formats/hwloc/hwloc_trial.c starts it). The text has a NUL at its end.
 */
#include "network/formats/hwloc/hwloc_load.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    enum { MAX_SECONDS = 20 };
    struct stat status;
    if (fstat(STDIN_FILENO, &status) != 0 || status.st_size <= 0 || status.st_size > INT_MAX)
        return 1;
    const size_t length = (size_t)status.st_size;
    char *text = malloc(length);
    size_t n = 0;
    for (ssize_t more = 1; text && n < length && more > 0; n += more > 0 ? (size_t)more : 0)
        more = read(STDIN_FILENO, text + n, length - n);
    alarm(MAX_SECONDS);
    hwloc_topology_t machine = text && n == length ? hwloc_load(text, (int)length) : NULL;
    if (machine)
        hwloc_topology_destroy(machine);
    free(text);
    return machine ? 0 : 1;
}
