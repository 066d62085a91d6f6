/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See random_network.h.
 */
#include "tests/unit/random_network.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

void random_network_seed(uint64_t seed)
{
    state = seed;
}

uint32_t random_number_below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

static void add_nodes(struct graph *graph, uint32_t n, bool is_router)
{
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        const int length = snprintf(name, sizeof name, "%c%u", is_router ? 's' : 'm', i);
        graph_add_node(graph, is_router, name, (size_t)length);
    }
}

struct graph *random_graph(void)
{
    const uint32_t n_machines = 2 + random_number_below(30), n_routers = 1 + random_number_below(12);
    const bool is_ordered = random_number_below(2), is_odd = random_number_below(3) == 0;
    struct graph *graph = graph_new();
    add_nodes(graph, n_machines, false);
    add_nodes(graph, n_routers, true);
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        const uint32_t router =
            is_ordered ? machine * n_routers / n_machines : random_number_below(n_routers);
        if (is_odd && random_number_below(8) == 0 && machine)
            graph_add_cable(graph, machine, random_number_below(machine), 1000, 0);
        else
            graph_add_cable(graph, machine, n_machines + router, 1000, 0);
        if (is_odd && random_number_below(6) == 0)
            graph_add_cable(graph, machine, n_machines + random_number_below(n_routers), 1000, 0);
    }
    for (uint32_t router = 1; router < n_routers; router++)
        if (!is_odd || random_number_below(10))
            graph_add_cable(graph, n_machines + router, n_machines + random_number_below(router), 1000, 0);
    for (uint32_t i = random_number_below(2 * n_routers); i > 0; i--) {
        const uint32_t a = random_number_below(n_routers), b = random_number_below(n_routers);
        if (a != b)
            graph_add_cable(graph, n_machines + a, n_machines + b, 1000, 0);
    }
    graph_seal(graph);
    return graph;
}

/* Returns the switch of the cable of a machine on a rail. */
static uint32_t switch_of_rail(uint32_t machine, uint32_t rail, uint32_t n_leaves, uint32_t kind)
{
    const uint32_t of_kind[] = {rail % n_leaves, machine % n_leaves, random_number_below(n_leaves)};
    return of_kind[kind];
}

struct graph *random_rails(void)
{
    const uint32_t n_machines = 2 + random_number_below(10), n_leaves = 1 + random_number_below(5);
    const uint32_t n_spines = 1 + random_number_below(3), most_rails = 1 + random_number_below(4);
    const uint32_t kind = random_number_below(3);
    struct graph *graph = graph_new();
    add_nodes(graph, n_machines, false);
    add_nodes(graph, n_leaves + n_spines, true);
    for (uint32_t machine = 0; machine < n_machines; machine++)
        for (uint32_t rail = 0; rail < most_rails; rail++)
            if (rail == 0 || random_number_below(8))
                graph_add_cable(graph, machine, n_machines + switch_of_rail(machine, rail, n_leaves, kind),
                                1000, 0);
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
        for (uint32_t spine = 0; spine < n_spines; spine++)
            graph_add_cable(graph, n_machines + leaf, n_machines + n_leaves + spine, 1000, 0);
    graph_seal(graph);
    return graph;
}

void number_ports(struct graph *graph)
{
    uint32_t n_ports = 0;
    uint8_t *used = mem_alloc(graph->n_nodes, 1);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++)
        n_ports += graph->first[machine + 1] - graph->first[machine];
    graph->subnet = subnet_new(n_ports, graph->n_nodes - graph->n_machines, graph->n_cables);
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        graph->subnet->numbers[link] = ++used[graph_link_from(graph, link)];
    for (uint32_t machine = 0, at = 0; machine < graph->n_machines; machine++)
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++, at++)
            graph->subnet->ports[at] = (struct subnet_port){
                .link = graph->out[i],
                .lid = (uint16_t)(i == graph->first[machine] ? machine + 1 : 0)};
    free(used);
}

struct forwarding *random_tables(struct graph *graph, uint32_t wrong)
{
    uint32_t *next = mem_alloc(graph->n_nodes, sizeof *next);
    struct forwarding *forwarding = forwarding_new(graph);
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        graph_next_links(graph, machine, next);
        for (uint32_t router = 0; router < forwarding->n_routers; router++) {
            const uint32_t link = next[graph->n_machines + router];
            uint8_t port = link == NO_NEXT_LINK ? FORWARDING_NONE : graph->subnet->numbers[link];
            if (random_number_below(wrong) == 0)
                port = (uint8_t)random_number_below(forwarding->stride + 2);
            forwarding->has_table[router] = true;
            forwarding_set(forwarding, router, machine + 1, port);
        }
    }
    free(next);
    return forwarding;
}
