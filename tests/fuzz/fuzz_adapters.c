/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of adapters: any list is either refused with a diagnostic or leaves a network of some of the cables;
 * any file of the adapters of ranks is refused, or gives each rank one that its host has.
 */
#include "network/adapters.h"
#include "network/graph.h"
#include "network/placement/placement_files.h"

#include <stdlib.h>
#include <string.h>

/* Two hosts on two rails. */
static struct topology *two_rails(void)
{
    struct graph *graph = graph_new();
    graph_add_node(graph, false, "a", 1);
    graph_add_node(graph, false, "b", 1);
    graph_add_node(graph, true, "s", 1);
    graph_add_node(graph, true, "t", 1);
    for (uint32_t host = 0; host < 2; host++)
        for (uint32_t rail = 0; rail < 2; rail++)
            graph_add_cable(graph, host, 2 + rail, 1000, 0);
    for (uint32_t cable = 0; cable < 4; cable++)
        graph_name_adapter(graph, 2 * cable, cable % 2 ? "mlx5_1" : "mlx5_0", 6);
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "two"}, graph);
}

static void try_ranks(const uint8_t *data, size_t size)
{
    static const uint32_t machine[] = {0, 0, 1};
    uint8_t rail[3] = {9, 9, 9};
    struct rank_adapters adapters = {.n_ports = 2, .name = "input", .rail = rail};
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct topology *topology = two_rails();
    struct placement *placement = placement_of_machines(machine, 3, "fuzz");
    const struct source *source = source_of_text("input", (const char *)data, size, &arena);
    placement->adapters = &adapters;
    const bool is_read = placement_read_adapters(placement, topology, source, &diagnostics);
    if (is_read == diagnostics_has_errors(&diagnostics))
        abort();
    for (int rank = 0; is_read && rank < 3; rank++)
        if (rail[rank] > 1)
            abort();
    placement_free(placement);
    topology_free(topology);
    arena_free(&arena);
    diagnostics_free(&diagnostics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics diagnostics = {0};
    char *list = calloc(1, size + 1);
    if (size)
        memcpy(list, data, size);
    struct topology *topology = topology_choose_adapters(two_rails(), list, &diagnostics);
    if ((topology == NULL) != diagnostics_has_errors(&diagnostics))
        abort();
    if (topology && (topology->n_machines != 2 || topology->n_links > 8))
        abort();
    try_ranks(data, size);
    topology_free(topology);
    free(list);
    diagnostics_free(&diagnostics);
    return 0;
}
