/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nwtopo SPEC FLAGS [shrink]: loads a synthetic topology and prints
 *   BYTES PEAK_BYTES SECONDS
 * what the library holds of the heap afterwards, the most it held, and the CPU seconds of load;
 * with `shrink` those of a topology of all its machines that reuses its objects. `nwtopo FILE FLAGS routes`
 * prints the CPU microseconds in which the route from the first machine to another is found. Linked with
 * --wrap, so that the library's own calls are what is counted.
 */
#include "nwtopo/nwtopo.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t held, peak;

static void *count(void *data, size_t released)
{
    held += malloc_usable_size(data) - released;
    peak = held > peak ? held : peak;
    return data;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *data, size_t size);
void __real_free(void *data);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *data, size_t size);
void __wrap_free(void *data);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return count(__real_malloc(size), 0);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return count(__real_calloc(n, size), 0);
}

void *__wrap_realloc(void *data, size_t size)
{
    size_t released = data ? malloc_usable_size(data) : 0;
    return count(__real_realloc(data, size), released);
}

void __wrap_free(void *data)
{
    held -= data ? malloc_usable_size(data) : 0;
    __real_free(data);
}

char *__wrap_strdup(const char *text)
{
    return count(__real_strdup(text), 0);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Shrinks to all machines; false if something fails. */
static bool shrink_to_all(nwtopo_topology_t base)
{
    unsigned n = nwtopo_topology_get_num_machines(base);
    nwtopo_obj_t *machines = malloc(n * sizeof *machines);
    nwtopo_topology_t part;
    bool good = machines != NULL;
    for (unsigned i = 0; i < n && good; i++)
        good = (machines[i] = nwtopo_topology_get_object_by_id(base, i)) != NULL;
    size_t before = held;
    peak = held;
    good = good && !nwtopo_topology_init(&part) &&
           !nwtopo_topology_set_flags(part, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS) &&
           !nwtopo_topology_shrink(part, base, n, machines);
    held -= before;
    peak -= before;
    return good;
}

/* Returns the microseconds of a look-up, to one machine after the other; below 0 if one fails. */
static double look_up(nwtopo_topology_t topology)
{
    enum { LOOK_UPS = 1000000 };
    const nwtopo_obj_t from = nwtopo_topology_get_object_by_id(topology, 0);
    const unsigned n = nwtopo_topology_get_num_machines(topology);
    const double start = now();
    for (unsigned i = 0; i < LOOK_UPS; i++) {
        unsigned long links[8];
        unsigned n_links = 8;
        if (nwtopo_topology_get_route(topology, from, nwtopo_topology_get_object_by_id(topology, i % n),
                                      &n_links, links))
            return -1;
    }
    return (now() - start) / LOOK_UPS * 1e6;
}

int main(int argc, char **argv)
{
    nwtopo_topology_t topology;
    if (argc < 3) {
        fprintf(stderr, "usage: nwtopo SPEC FLAGS [shrink], or nwtopo FILE FLAGS routes\n");
        return 2;
    }
    const bool of_routes = argc > 3 && strcmp(argv[3], "routes") == 0;
    double start = now();
    if (nwtopo_topology_init(&topology) ||
        (of_routes ? nwtopo_topology_set_file : nwtopo_topology_set_synthetic)(topology, argv[1]) ||
        nwtopo_topology_set_flags(topology, strtoul(argv[2], NULL, 0)) ||
        nwtopo_topology_load(topology)) {
        perror("nwtopo");
        return 1;
    }
    double seconds = now() - start;
    if (of_routes) {
        printf("%.3f\n", look_up(topology));
        return 0;
    }
    if (argc > 3 && strcmp(argv[3], "shrink") == 0) {
        start = now();
        if (!shrink_to_all(topology))
            return 1;
        seconds = now() - start;
    }
    printf("%zu %zu %.6f\n", held, peak, seconds);
    return 0;
}
