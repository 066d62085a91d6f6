/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: hwloc_threads MACHINE.xml NONSENSE.xml
 * Loads both with libcollc, again and again, while other threads are inside libhwloc: the first is
 * always loaded, the second never. A helper that hangs is ended, and loads nothing.
 */
#define _POSIX_C_SOURCE 200809L
#include <hwloc.h>
#include <nwtopo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { N_THREADS = 2, N_LOADS = 40 };

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
    for (int i = 0; i < N_LOADS && !n_failed; i++) {
        n_failed += load(argv[1]) != 0;
        n_read += load(argv[2]) == 0;
    }
    is_over = true;
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    if (n_failed || n_read)
        printf("%d failed, %d of nonsense\n", n_failed, n_read);
    return n_failed || n_read;
}
