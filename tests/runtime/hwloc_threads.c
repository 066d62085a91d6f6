/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: hwloc_threads MACHINE.xml NONSENSE.xml
 * Loads both with libcollc, again and again, while other threads are inside libhwloc: the first is
 * always loaded, the second never, and neither hangs.
 */
#define _POSIX_C_SOURCE 200809L
#include <hwloc.h>
#include <nwtopo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

/* An executable that hangs is ended after so long (network/formats/hwloc/helper). */
enum { N_THREADS = 2, N_LOADS = 40, MAX_SECONDS = 20 };

static atomic_bool is_over;

static void *use_hwloc(void *unused)
{
    (void)unused;
    while (!is_over) {
        hwloc_topology_t machine;
        hwloc_topology_init(&machine);
        hwloc_topology_set_synthetic(machine, "pack:2 core:4 pu:2");
        hwloc_topology_load(machine);
        hwloc_topology_destroy(machine);
    }
    return NULL;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int load(const char *file)
{
    nwtopo_topology_t topology;
    nwtopo_topology_init(&topology);
    nwtopo_topology_set_file(topology, file);
    int result = nwtopo_topology_load(topology);
    nwtopo_topology_destroy(topology);
    return result;
}

int main(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    int n_failed = 0, n_read = 0;
    if (argc != 3)
        return 2;
    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, use_hwloc, NULL);
    double start = seconds(), longest = 0;
    for (int i = 0; i < N_LOADS && !n_failed; i++, start = seconds()) {
        n_failed += load(argv[1]) != 0;
        n_read += load(argv[2]) == 0;
        longest = seconds() - start > longest ? seconds() - start : longest;
    }
    is_over = true;
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    if (n_failed || n_read || longest > MAX_SECONDS)
        printf("%d failed, %d of nonsense, longest %.1f s\n", n_failed, n_read, longest);
    return n_failed || n_read || longest > MAX_SECONDS;
}
