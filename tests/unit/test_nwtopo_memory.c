/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library of nwtopo/nwtopo.h where memory ends, and in several threads.
 */
#include "tests/unit/nwtopo_scene.h"

#include <pthread.h>

/* Fails the allocation after so many others; the linker puts these in place of the C
 * library's for all of our own code. */
static long allocations_left = -1;

static bool allocation_fails(void)
{
    if (allocations_left < 0 || allocations_left-- > 0)
        return false;
    allocations_left = -1;
    errno = ENOMEM;
    return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *data, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *data, size_t size);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
    return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return allocation_fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *data, size_t size)
{
    return allocation_fails() ? NULL : __real_realloc(data, size);
}

char *__wrap_strdup(const char *text)
{
    return allocation_fails() ? NULL : __real_strdup(text);
}

/* All that allocates; 0, or the errno of the first failure. */
static int use_all(const char *spec, unsigned long flags)
{
    nwtopo_topology_t base = NULL, part = NULL;
    nwtopo_obj_t list[2];
    unsigned n = 0;
    int error = 0;
    if (nwtopo_topology_init(&base) || nwtopo_topology_init(&part) ||
        nwtopo_topology_set_flags(base, flags) || nwtopo_topology_set_file(base, spec) ||
        nwtopo_topology_set_machines(base, "m0 m1 m2") ||
        nwtopo_topology_set_link_failed(base, 1, true) || nwtopo_topology_load(base) ||
        !(list[0] = nwtopo_topology_get_object_by_id(base, 0)) ||
        !(list[1] = nwtopo_topology_get_object_by_id(base, 2)) ||
        nwtopo_topology_get_route(base, list[1], list[0], &n, NULL) ||
        nwtopo_topology_shrink(part, base, 2, list))
        error = errno;
    nwtopo_topology_destroy(base);
    nwtopo_topology_destroy(part);
    return error;
}

#ifdef __SANITIZE_ADDRESS__
void __lsan_disable(void);
void __lsan_enable(void);
#else
#define __lsan_disable() (void)0
#define __lsan_enable() (void)0
#endif

/* Each allocation in turn fails: never an exit, always ENOMEM. What a reader held is lost. */
static void test_out_of_memory(void)
{
    static const char *const specs[] = {"torus:3x3", "fattree:2x2", "full:4",
                                        "tests/data/nwtopo/ring.xml"};
    __lsan_disable();
    for (int i = 0; i < 8; i++) {
        unsigned long flags = i % 2 ? ON_DEMAND : 0;
        int error = ENOMEM;
        long n = 0;
        for (; error && n < 5000; n++) {
            allocations_left = n;
            error = use_all(specs[i / 2], flags);
            if (error && error != ENOMEM)
                printf("\n  %s, allocation %ld: %s", specs[i / 2], n, strerror(error));
            CU_ASSERT(error == 0 || error == ENOMEM);
        }
        CU_ASSERT(n > 20 && n < 5000);
        allocations_left = -1;
        CU_ASSERT_EQUAL(use_all(specs[i / 2], flags), 0);
    }
    __lsan_enable();
}

static void *work(void *argument)
{
    unsigned long *sum = argument;
    for (int i = 0; i < 20; i++) {
        nwtopo_topology_t topology;
        unsigned n = 0;
        if (nwtopo_topology_init(&topology) || nwtopo_topology_set_file(topology, dragonfly) ||
            nwtopo_topology_load(topology) ||
            nwtopo_topology_get_route(topology, nwtopo_topology_get_object_by_id(topology, 0),
                                      nwtopo_topology_get_object_by_id(topology, 11), &n, NULL))
            return NULL;
        *sum += n;
        nwtopo_topology_destroy(topology);
    }
    return NULL;
}

/* All routes of a topology; its sum of lengths. */
static void *walk(void *argument)
{
    nwtopo_topology_t topology = argument;
    unsigned n = nwtopo_topology_get_num_machines(topology);
    uintptr_t sum = 0;
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = 0, length = 0; b < n; b++, sum += length, length = 0)
            if (nwtopo_topology_get_route(topology, nwtopo_topology_get_object(topology, 0, a),
                                          nwtopo_topology_get_object(topology, 0, b), &length,
                                          NULL))
                return NULL;
    nwtopo_topology_destroy(topology);
    return (void *)sum;
}

/* Topologies shrunk from one share its network, whose routes are found when asked for. */
static void test_threads_on_one_network(void)
{
    static const unsigned numbers[] = {0, 1, 2, 5, 7, 11};
    nwtopo_topology_t base = load(dragonfly, 0);
    pthread_t threads[4];
    void *sums[4];
    for (int i = 0; i < 4; i++) {
        nwtopo_topology_t part = shrink(base, 0, 6, numbers);
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, walk, part), 0);
    }
    nwtopo_topology_destroy(base);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], &sums[i]);
    for (int i = 0; i < 4; i++)
        CU_ASSERT(sums[i] != NULL && sums[i] == sums[0]);
}

static void test_threads(void)
{
    pthread_t threads[4];
    unsigned long sums[4] = {0};
    for (int i = 0; i < 4; i++)
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, work, &sums[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CU_ASSERT_EQUAL(sums[i], sums[0]);
        CU_ASSERT_EQUAL(sums[i], 20 * 4);
    }
}

UNIT_PROGRAM(test_nwtopo_memory)
{
    CU_TestInfo tests[] = {{"out of memory", test_out_of_memory},
                           {"threads", test_threads},
                           {"threads on one network", test_threads_on_one_network},
                           CU_TEST_INFO_NULL};
    return run_suite("nwtopo, memory and threads", tests);
}
