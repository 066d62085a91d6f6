/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Things that many parts stand on, against arrays that are searched from one end to the other:
 *
 *   hash map     random keys, texts and numbers, also such that all fall into few slots: each key
 *                has one item, in the order in which they came
 *   link loads   random routes put on links and taken off; what is listed, and the totals
 *   key order    random keys, such that many are equal or differ in some bytes only
 *   heap         random keys put in and taken out by turns: the one taken is the least of those in it
 */
#include "base/heap.h"
#include "base/key_order.h"
#include "base/map.h"
#include "network/formats/formats.h"
#include "network/load.h"
#include "tests/unit/oplist.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- hash map ---- */

enum { N_KEYS = 700, N_ASKED = 6000, KEY_LENGTH = 24 };

/* Items are the keys in the order in which they came. */
struct items {
    char key[N_KEYS][KEY_LENGTH];
    uint32_t n;
    uint32_t mask; /* of the hashes: few bits make keys meet */
};

static uint32_t hash_of_key(const struct items *items, const char *key)
{
    return map_hash_text(0, key, strlen(key)) & items->mask;
}

static uint32_t hash_of_item(const void *all, uint32_t item)
{
    const struct items *items = all;
    return hash_of_key(items, items->key[item]);
}

static bool is_item(const void *all, uint32_t item, const void *key)
{
    const struct items *items = all;
    return strcmp(items->key[item], key) == 0;
}

static uint32_t search(const struct items *items, const char *key)
{
    for (uint32_t i = 0; i < items->n; i++)
        if (strcmp(items->key[i], key) == 0)
            return i;
    return MAP_NONE;
}

/* Asks for a key and, if it is new, puts it in. */
static bool ask(struct hash_map *map, struct items *items, const char *key)
{
    const uint32_t hash = hash_of_key(items, key), expected = search(items, key);
    if (map_find(map, hash, is_item, items, key) != expected)
        return false;
    map_reserve(map, hash_of_item, items);
    uint32_t *slot = map_slot(map, hash, is_item, items, key);
    if (*slot != expected)
        return false;
    if (expected != MAP_NONE)
        return true;
    snprintf(items->key[items->n], KEY_LENGTH, "%s", key);
    return map_fill(map, slot) == items->n++ && map->n == items->n;
}

static bool has_all(const struct hash_map *map, const struct items *items)
{
    for (uint32_t i = 0; i < items->n; i++)
        if (map_find(map, hash_of_item(items, i), is_item, items, items->key[i]) != i)
            return false;
    return true;
}

static void test_map_of_texts(void)
{
    static const uint32_t masks[] = {UINT32_MAX, 7, 0, UINT32_MAX << 28};
    for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
        struct items *items = mem_alloc(1, sizeof *items);
        struct hash_map map = {0};
        uint64_t random = 5 + k;
        bool is_right = true;
        items->mask = masks[k];
        for (int i = 0; is_right && i < N_ASKED; i++) {
            char key[KEY_LENGTH];
            snprintf(key, sizeof key, "node%u", (unsigned)random_below(&random, N_KEYS));
            is_right = ask(&map, items, key);
        }
        CU_ASSERT(is_right);
        CU_ASSERT(has_all(&map, items));
        CU_ASSERT(items->n > N_KEYS / 2 && map.n_slots >= 2 * map.n);
        CU_ASSERT((map.n_slots & (map.n_slots - 1)) == 0);
        map_rebuild(&map, hash_of_item, items, false); /* other hashes, the same room */
        CU_ASSERT(has_all(&map, items));
        map_free(&map);
        CU_ASSERT(map_find(&map, 0, is_item, items, "node1") == MAP_NONE);
        free(items);
    }
}

static uint32_t hash_of_number(const void *numbers, uint32_t item)
{
    return map_hash_number(((const uint64_t *)numbers)[item]);
}

static bool is_number(const void *numbers, uint32_t item, const void *key)
{
    return ((const uint64_t *)numbers)[item] == *(const uint64_t *)key;
}

/* Numbers a power of two apart, as pairs of ranks are: each is found, and none that is not in. */
static void test_map_of_numbers(void)
{
    for (unsigned shift = 0; shift < 54; shift += 9) {
        uint64_t numbers[N_KEYS];
        struct hash_map map = {0};
        bool is_right = true;
        for (uint32_t i = 0; i < N_KEYS; i++) {
            numbers[i] = (uint64_t)i << shift;
            map_reserve(&map, hash_of_number, numbers);
            uint32_t *slot =
                map_slot(&map, map_hash_number(numbers[i]), is_number, numbers, &numbers[i]);
            is_right = is_right && *slot == MAP_NONE && map_fill(&map, slot) == i;
        }
        for (uint32_t i = 0; i < N_KEYS; i++) {
            const uint64_t absent = numbers[i] + (shift ? 1 : N_KEYS);
            is_right = is_right &&
                       map_find(&map, hash_of_number(numbers, i), is_number, numbers, &numbers[i]) == i &&
                       map_find(&map, map_hash_number(absent), is_number, numbers, &absent) == MAP_NONE;
        }
        CU_ASSERT(is_right);
        map_free(&map);
    }
}

/* ---- link loads ---- */

/* The load of every link now, and the sum of its loads, as arrays of words. */
struct naive_loads {
    uint64_t *load, *total;
    uint32_t n;
};

static void check_listed(const struct link_loads *loads, const struct naive_loads *naive)
{
    uint64_t at = 0;
    uint32_t link, n_listed = 0, n_loaded = 0;
    bool is_right = true;
    while (link_loads_next(loads, &at, &link)) {
        is_right = is_right && link < naive->n && naive->load[link] == loads->load[link];
        n_listed++;
    }
    for (uint32_t i = 0; i < naive->n; i++)
        n_loaded += naive->load[i] != 0;
    CU_ASSERT(is_right);
    CU_ASSERT_EQUAL(n_listed, n_loaded); /* each once, as equal loads of as many links say */
}

/* A route between two machines; false: it is none of links. */
static bool add_route(const struct topology *topology, struct link_loads *loads,
                      struct naive_loads *naive, uint64_t *random)
{
    struct hop *hops = mem_alloc(topology->max_hops + 1, sizeof *hops);
    const uint32_t from = (uint32_t)random_below(random, topology->n_machines);
    const uint32_t to = (uint32_t)random_below(random, topology->n_machines);
    const uint64_t amount = 1 + random_below(random, 3) + (random_below(random, 4) << 32);
    const uint32_t n = topology_route(topology, from, to, hops);
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t load = naive->load[hops[i].link] += amount;
        most = load > most ? load : most;
    }
    const bool is_right = link_loads_add(loads, hops, n, amount) == most;
    free(hops);
    return is_right;
}

static void check_loads_of(const char *name)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(name, &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    struct link_loads loads = link_loads_new(topology, true);
    struct naive_loads naive = {mem_alloc(topology->n_link_ids, sizeof(uint64_t)),
                                mem_alloc(topology->n_link_ids, sizeof(uint64_t)),
                                topology->n_link_ids};
    uint64_t random = topology->n_link_ids;
    bool is_right = true;
    for (int round = 0; round < 40; round++) {
        const uint64_t n_routes = random_below(&random, 12);
        for (uint64_t i = 0; i < n_routes; i++)
            is_right = add_route(topology, &loads, &naive, &random) && is_right;
        check_listed(&loads, &naive);
        const uint64_t what = random_below(&random, 4);
        if (what == 0)
            continue;
        if (what == 1)
            link_loads_touch_all(&loads);
        check_listed(&loads, &naive);
        if (what == 2)
            link_loads_clear(&loads);
        else
            link_loads_count(&loads, UINT32_MAX);
        for (uint32_t i = 0; what != 2 && i < naive.n; i++)
            naive.total[i] += naive.load[i] & UINT32_MAX;
        memset(naive.load, 0, naive.n * sizeof *naive.load);
        check_listed(&loads, &naive);
    }
    CU_ASSERT(is_right);
    CU_ASSERT(memcmp(loads.total, naive.total, naive.n * sizeof *naive.total) == 0);
    free(naive.load);
    free(naive.total);
    link_loads_free(&loads);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_link_loads(void)
{
    static const char *const names[] = {"star:3", "star:70", "torus:5x3", "torus:8x8x8", "full:6",
                                        "fattree:4x4,up=1x2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_loads_of(names[i]);
}

/* ---- key order ---- */

/* Keys rise, and each item is as it was; of equal keys the first ones come first, so indices rise. */
static void check_order(const struct key_order *order, const uint64_t *keys, size_t n)
{
    bool is_right = true;
    uint64_t indices = 0;
    for (size_t i = 0; i < n; i++) {
        const struct keyed *item = &order->items[i];
        indices += item->index;
        is_right = is_right && item->index < n && keys[item->index] == item->key;
        if (i)
            is_right = is_right && (item[-1].key < item->key ||
                                    (item[-1].key == item->key && item[-1].index < item->index));
    }
    CU_ASSERT(is_right && indices == n * (n - (n > 0)) / 2);
}

static void test_key_order(void)
{
    static const uint64_t masks[] = {UINT64_MAX, 0, 7, 0xff00, UINT64_C(0xff000000000000ff), 0xfffff};
    static const size_t sizes[] = {0, 1, 2, 33, 64, 65, 300, 5000, 100};
    struct key_order order = {0};
    uint64_t random = 1, keys[5000];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            struct keyed *items = key_order_items(&order, sizes[s]);
            for (size_t i = 0; i < sizes[s]; i++) {
                keys[i] = (random_below(&random, UINT64_C(1) << 32) << 32 |
                           random_below(&random, UINT64_C(1) << 32)) & masks[m];
                items[i] = (struct keyed){keys[i], (uint32_t)i};
            }
            key_order_sort(&order, sizes[s]);
            check_order(&order, keys, sizes[s]);
        }
    key_order_free(&order);
}

/* ---- heap ---- */

static bool is_keyed_before(const void *a, const void *b)
{
    const struct keyed *left = a, *right = b;
    return left->key < right->key;
}

/* Takes the first item out: none of is_in[] has a lesser key. */
static void check_first(struct heap *heap, const uint64_t *keys, bool *is_in, uint32_t n)
{
    const struct keyed first = *(const struct keyed *)heap->items;
    bool is_least = first.index < n && is_in[first.index] && first.key == keys[first.index];
    for (uint32_t i = 0; i < n; i++)
        is_least = is_least && (!is_in[i] || keys[i] >= first.key);
    CU_ASSERT_FATAL(is_least);
    is_in[first.index] = false;
    heap_drop(heap, sizeof first, is_keyed_before);
}

static void test_heap(void)
{
    enum { MOST = 600 };
    struct heap heap = {0};
    bool is_in[MOST] = {false};
    uint64_t random = 1, keys[MOST];
    uint32_t n = 0;
    while (n < MOST || heap.n)
        if (n < MOST && random_below(&random, 3)) {
            keys[n] = random_below(&random, 200);
            is_in[n] = true;
            heap_push(&heap, &(struct keyed){keys[n], n}, sizeof(struct keyed), is_keyed_before);
            n++;
        } else if (heap.n) {
            check_first(&heap, keys, is_in, n);
        }
    free(heap.items);
}

UNIT_PROGRAM(test_base)
{
    CU_TestInfo tests[] = {{"hash map of texts", test_map_of_texts},
                           {"hash map of numbers", test_map_of_numbers},
                           {"link loads", test_link_loads},
                           {"key order", test_key_order},
                           {"heap", test_heap},
                           CU_TEST_INFO_NULL};
    return run_suite("base", tests);
}
