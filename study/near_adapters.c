/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures how far adapters are from GPUs and cores. See near_adapters.h. The readers of hwloc's and NCCL's
 * XML make a network of the inside of a host, in which GPUs and cores are machines, and adapters routers of
 * their names. The distance is the number of links of a shortest way over routers: of a GPU, the fewer
 * bridges, PCI switches and processors between, the nearer.
 */
#include "study/near_adapters.h"

#include "base/codes.h"
#include "network/formats/formats.h"

#include <stdlib.h>
#include <string.h>

/* True for a router that is no adapter: a word of hwloc or NCCL, and a number. */
static bool near_is_inner_part(const char *name)
{
    static const char *const words[] = {"machine",  "package", "group",    "die",     "numanode",
                                        "l1cache",  "l2cache", "l3cache",  "l4cache", "l5cache",
                                        "bridge",   "cpu",     "nvswitch", "pci-",    "core",
                                        "memcache", "gpu",     "l1icache", "l2icache", "port-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(name, words[i], length) == 0 &&
            (words[i][length - 1] == '-' || strspn(name + length, "0123456789") == strlen(name + length)))
            return true;
    }
    return false;
}

/* The inside of a host. */
struct inside {
    const struct topology *topology;
    char **names;       /* [node] heap */
    uint32_t *distance; /* [node] from the unit that is measured; UINT32_MAX: there is no way */
};

/* Finds the distances from a machine, by links until none makes one shorter: a host has few. */
static void near_measure_from(const struct inside *inside, uint32_t machine)
{
    const struct topology *topology = inside->topology;
    bool is_changed = true;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        inside->distance[node] = node == machine ? 0 : UINT32_MAX;
    while (is_changed) {
        is_changed = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            if ((from < topology->n_machines && from != machine) || inside->distance[from] == UINT32_MAX ||
                inside->distance[from] + 1 >= inside->distance[to])
                continue;
            inside->distance[to] = inside->distance[from] + 1;
            is_changed = true;
        }
    }
}

static struct inside near_inside_of(const struct topology *topology)
{
    struct inside inside = {topology, mem_alloc(topology->n_nodes, sizeof *inside.names),
                            mem_alloc(topology->n_nodes, sizeof *inside.distance)};
    char name[256];
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        topology_node_name(topology, node, name, sizeof name);
        inside.names[node] = strdup(name);
    }
    return inside;
}

static void near_inside_free(struct inside *inside)
{
    for (uint32_t node = 0; node < inside->topology->n_nodes; node++)
        free(inside->names[node]);
    free(inside->names);
    free(inside->distance);
}

/* A GPU or core. */
struct near_unit {
    const char *name;
    uint32_t machine;
};

static int near_compare_units(const void *a, const void *b)
{
    const char *x = ((const struct near_unit *)a)->name, *y = ((const struct near_unit *)b)->name;
    const size_t length = strlen(x), other = strlen(y);
    return length != other ? (length < other ? -1 : 1) : strcmp(x, y); /* gpu9 before gpu10 */
}

/* Lists the GPUs, or the cores where there is no GPU, by their numbers. */
static uint32_t near_list_units(const struct inside *inside, bool are_gpus, struct near_unit *units)
{
    uint32_t n = 0;
    for (uint32_t machine = 0; machine < inside->topology->n_machines; machine++)
        if ((strstr(inside->names[machine], "gpu") != NULL) == are_gpus)
            units[n++] = (struct near_unit){inside->names[machine], machine};
    if (n)
        qsort(units, n, sizeof *units, near_compare_units);
    return n;
}

static struct near_adapters *near_measure(const struct topology *topology, struct arena *arena)
{
    struct near_adapters *near = arena_alloc(arena, 1, sizeof *near);
    struct inside inside = near_inside_of(topology);
    struct near_unit *units = mem_alloc((size_t)topology->n_machines + 1, sizeof *units);
    uint32_t *adapters = mem_alloc((size_t)topology->n_nodes + 1, sizeof *adapters);
    near->are_gpus = true;
    near->n_units = near_list_units(&inside, true, units);
    if (!near->n_units) {
        near->are_gpus = false;
        near->n_units = near_list_units(&inside, false, units);
    }
    for (uint32_t node = topology->n_machines; node < topology->n_nodes; node++)
        if (!near_is_inner_part(inside.names[node]))
            adapters[near->n_adapters++] = node;
    near->names = arena_alloc(arena, near->n_adapters + 1, sizeof *near->names);
    near->distance = arena_alloc(arena, (size_t)near->n_units * near->n_adapters + 1, sizeof *near->distance);
    for (uint32_t i = 0; i < near->n_adapters; i++)
        near->names[i] = arena_strndup(arena, inside.names[adapters[i]], strlen(inside.names[adapters[i]]));
    for (uint32_t unit = 0; unit < near->n_units; unit++) {
        near_measure_from(&inside, units[unit].machine);
        for (uint32_t i = 0; i < near->n_adapters; i++)
            near->distance[(size_t)unit * near->n_adapters + i] = inside.distance[adapters[i]];
    }
    near_inside_free(&inside);
    free(units);
    free(adapters);
    return near;
}

bool near_adapters_read(struct placement_request *request, struct arena *arena,
                        struct diagnostics *diagnostics)
{
    const char *word = request->adapters;
    if (!word || strncmp(word, NEAR_PREFIX, strlen(NEAR_PREFIX)) != 0)
        return true;
    const char *path = word + strlen(NEAR_PREFIX);
    struct topology *inside = topology_read(path, diagnostics);
    if (!inside)
        return false;
    struct near_adapters *near = topology_is_implicit(inside) ? NULL : near_measure(inside, arena);
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
