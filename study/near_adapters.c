/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures how far adapters are from GPUs and cores. See near_adapters.h. The readers of hwloc's and NCCL's XML make
 * a network of the inside of a host, in which GPUs and cores are machines, and adapters routers of their names. The
 * distance is the number of links of a shortest way over routers: of a GPU, the fewer bridges, PCI switches and
 * processors between, the nearer.
 */
#include "study/near_adapters.h"

#include "base/codes.h"
#include "network/formats/formats.h"
#include "network/graph.h"

#include <stdlib.h>
#include <string.h>

/* Returns true for a router that is no adapter: hwloc's and NCCL's own words, and objects of hwloc. */
static bool is_inner_part(const char *name)
{
    static const char *const words[] = {"machine", "package", "group", "die",      "numanode", "l1cache", "l2cache",
                                        "l3cache", "l4cache", "l5cache", "bridge", "nvswitch", "cpu",     "pci-",
                                        "core",    "memcache", "l1icache", "l2icache", "port-", "gpu"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0 &&
            (words[i][length - 1] == '-' || strspn(name + length, "0123456789") == strlen(name + length)))
            return true;
    }
    return false;
}

/* Fills distance[node] from a machine; UINT32_MAX: there is no way. */
static void measure_from(const struct graph *graph, uint32_t machine, uint32_t *distance, uint32_t *queue)
{
    uint32_t first = 0, end = 1;
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        distance[node] = UINT32_MAX;
    distance[machine] = 0;
    queue[0] = machine;
    while (first < end) {
        const uint32_t node = queue[first++];
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            const uint32_t to = graph_link_to(graph, graph->out[i]);
            if (to < graph->n_machines || distance[to] != UINT32_MAX)
                continue;
            distance[to] = distance[node] + 1;
            queue[end++] = to;
        }
    }
}

static int compare_units(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    const size_t longer = strlen(*x), other = strlen(*y);
    return longer != other ? (longer < other ? -1 : 1) : strcmp(*x, *y); /* gpu9 before gpu10 */
}

/* Lists the GPUs, or the cores where there is no GPU, by their numbers. */
static uint32_t list_units(const struct graph *graph, bool are_gpus, const char **names)
{
    uint32_t n = 0;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        if ((strstr(graph_name(graph, machine), "gpu") != NULL) == are_gpus)
            names[n++] = graph_name(graph, machine);
    if (n)
        qsort(names, n, sizeof *names, compare_units);
    return n;
}

static struct near_adapters *measure_all(const struct graph *graph, struct arena *arena)
{
    struct near_adapters *near = arena_alloc(arena, 1, sizeof *near);
    const char **units = mem_alloc((size_t)graph->n_machines + 1, sizeof *units);
    uint32_t *adapters = mem_alloc((size_t)graph->n_nodes + 1, sizeof *adapters);
    uint32_t *distance = mem_alloc((size_t)graph->n_nodes + 1, sizeof *distance);
    uint32_t *queue = mem_alloc((size_t)graph->n_nodes + 1, sizeof *queue);
    near->are_gpus = true;
    near->n_units = list_units(graph, true, units);
    if (!near->n_units) {
        near->are_gpus = false;
        near->n_units = list_units(graph, false, units);
    }
    for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++)
        if (!is_inner_part(graph_name(graph, node)))
            adapters[near->n_adapters++] = node;
    near->names = arena_alloc(arena, near->n_adapters + 1, sizeof *near->names);
    near->distance = arena_alloc(arena, (size_t)near->n_units * near->n_adapters + 1, sizeof *near->distance);
    for (uint32_t i = 0; i < near->n_adapters; i++)
        near->names[i] = arena_strndup(arena, graph_name(graph, adapters[i]), strlen(graph_name(graph, adapters[i])));
    for (uint32_t unit = 0; unit < near->n_units; unit++) {
        measure_from(graph, graph_find(graph, units[unit], strlen(units[unit])), distance, queue);
        for (uint32_t i = 0; i < near->n_adapters; i++)
            near->distance[(size_t)unit * near->n_adapters + i] = distance[adapters[i]];
    }
    free(units);
    free(adapters);
    free(distance);
    free(queue);
    return near;
}

bool near_adapters_read(struct placement_request *request, struct arena *arena, struct diagnostics *diagnostics)
{
    const char *word = request->adapters;
    if (!word || strncmp(word, NEAR_PREFIX, strlen(NEAR_PREFIX)) != 0)
        return true;
    const char *path = word + strlen(NEAR_PREFIX);
    struct topology *inside = topology_read(path, diagnostics);
    if (!inside)
        return false;
    const struct graph *graph = topology_as_graph(inside);
    struct near_adapters *near = graph ? measure_all(graph, arena) : NULL;
    const bool is_known = near && near->n_adapters && near->n_units;
    if (is_known) {
        near->path = arena_strndup(arena, path, strlen(path));
        request->near = near;
    } else {
        report(diagnostics, CODE_A005, (struct position){.source = NULL},
               "'%s' tells no adapters of a host, so none is the nearest to a rank", path)
            ->help = "give what 'lstopo --of xml' or NCCL_TOPO_DUMP_FILE=FILE writes on a host";
    }
    topology_free(inside);
    return is_known;
}
