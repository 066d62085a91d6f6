/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The proof that a network is a shape: the links of both, written in the numbers of the
 * shape, are the same list. Uses nothing of the search, only what the topology itself
 * says of its links.
 */
#include "base/integer.h"
#include "network/graph.h"
#include "network/recognise.h"

#include <stdlib.h>
#include <string.h>

/* A link, in the order of comparison. */
struct edge_key {
    uint64_t ends; /* from in the upper half, to in the lower */
    uint64_t bandwidth, latency;
};

struct edge_list {
    struct edge_key *keys;
    size_t n;
};

static int recognise_check_compare_keys(const void *left, const void *right)
{
    const struct edge_key *a = left, *b = right;
    int ends = compare_numbers(a->ends, b->ends), bandwidth = compare_numbers(a->bandwidth, b->bandwidth);
    return ends ? ends : bandwidth ? bandwidth : compare_numbers(a->latency, b->latency);
}

static void add_key(struct edge_list *list, uint32_t from, uint32_t to, struct link_class numbers,
                    enum likeness likeness)
{
    struct edge_key key = {(uint64_t)from << 32 | to, numbers.bandwidth, numbers.latency};
    if (likeness != LIKE_EXACTLY)
        key.bandwidth = key.latency = 0;
    list->keys[list->n++] = key;
}

static void sort(struct edge_list *list, enum likeness likeness)
{
    size_t n = 0;
    if (list->n)
        qsort(list->keys, list->n, sizeof *list->keys, recognise_check_compare_keys);
    if (likeness != LIKE_IN_PAIRS)
        return;
    for (size_t i = 0; i < list->n; i++)
        if (!n || recognise_check_compare_keys(&list->keys[n - 1], &list->keys[i]) != 0)
            list->keys[n++] = list->keys[i];
    list->n = n;
}

/* Returns the links among the nodes from `begin` on, as the image takes them. */
static struct edge_list links_of_graph(const struct graph *graph, uint32_t begin,
                                       const uint32_t *image, enum likeness likeness)
{
    struct edge_list list = {mem_alloc(2 * (size_t)graph->n_cables, sizeof *list.keys), 0};
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
        uint32_t from = graph_link_from(graph, link), to = graph_link_to(graph, link);
        const struct graph_cable *cable = &graph->cables[link / 2];
        if (from >= begin && to >= begin)
            add_key(&list, image[from], image[to],
                    (struct link_class){cable->bandwidth, cable->latency}, likeness);
    }
    sort(&list, likeness);
    return list;
}

static struct edge_list links_of_shape(const struct topology *shape, enum likeness likeness)
{
    struct edge_list list = {mem_alloc(shape->n_links, sizeof *list.keys), 0};
    for (uint32_t link = 0; link < shape->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(shape, link))
            continue;
        topology_link_ends(shape, link, &from, &to);
        struct link_class numbers = {topology_link_bandwidth(shape, link),
                                     topology_link_latency(shape, link)};
        add_key(&list, from, to, numbers, likeness);
    }
    sort(&list, likeness);
    return list;
}

/* Every node of the shape is the image of exactly one node from `begin` on. */
static bool is_one_to_one(const struct graph *graph, uint32_t begin, const struct topology *shape,
                          const uint32_t *image)
{
    uint32_t n = graph->n_nodes - begin;
    bool *taken = mem_alloc(n, sizeof *taken);
    bool good = n == shape->n_nodes;
    for (uint32_t node = begin; node < graph->n_nodes && good; node++) {
        good = image[node] < n && !taken[image[node]];
        if (good)
            taken[image[node]] = true;
    }
    free(taken);
    return good;
}

bool recognition_check(const struct graph *graph, uint32_t begin, const struct topology *shape,
                       const uint32_t *image, enum likeness likeness)
{
    if (!is_one_to_one(graph, begin, shape, image) || shape->n_links > 2 * graph->n_cables)
        return false;
    struct edge_list a = links_of_graph(graph, begin, image, likeness);
    struct edge_list b = links_of_shape(shape, likeness);
    bool same = a.n == b.n;
    for (size_t i = 0; i < a.n && same; i++)
        same = recognise_check_compare_keys(&a.keys[i], &b.keys[i]) == 0;
    free(a.keys);
    free(b.keys);
    return same;
}
