/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers the cables of each machine. See host_ports.h.
 */
#include "network/host_ports.h"

#include "network/adapter_numbers.h"
#include "network/forwarding.h"
#include "network/graph.h"
#include "network/kind.h"

#include <stdlib.h>
#include <string.h>

/* Cables of machines that were met so far. */
struct cable_counts {
    uint32_t *leaving, *arriving; /* [machine] */
};

static uint8_t host_ports_number(uint32_t n_before)
{
    return (uint8_t)(n_before < HOST_PORTS_MAX ? n_before : HOST_PORTS_MAX - 1);
}

/* Counts the link at its ends; `ports`, unless NULL, gets its numbers there. */
static void count_link(const struct topology *topology, uint32_t link, struct cable_counts *counts,
                       struct host_ports *ports)
{
    uint32_t from, to;
    if (!topology_has_link(topology, link))
        return;
    topology_link_ends(topology, link, &from, &to);
    if (from < topology->n_machines) {
        const uint32_t n_before = counts->leaving[from]++;
        if (ports)
            ports->out[link] = host_ports_number(n_before);
    }
    if (to < topology->n_machines) {
        const uint32_t n_before = counts->arriving[to]++;
        if (ports)
            ports->in[link] = host_ports_number(n_before);
    }
}

/* Returns the most cables of a machine. */
static uint32_t most_cables(const struct topology *topology, struct cable_counts *counts)
{
    uint32_t most = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        count_link(topology, link, counts, NULL);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        const uint32_t out = counts->leaving[machine], in = counts->arriving[machine];
        most = out > most ? out : most;
        most = in > most ? in : most;
        counts->leaving[machine] = counts->arriving[machine] = 0;
    }
    return most < HOST_PORTS_MAX ? most : HOST_PORTS_MAX;
}

/* Raises the numbers of ports that the machines at the ends of a link have. */
static void raise_numbers(const struct topology *topology, uint32_t link, const struct host_ports *ports,
                          const struct cable_counts *counts)
{
    uint32_t from, to;
    if (!topology_has_link(topology, link))
        return;
    topology_link_ends(topology, link, &from, &to);
    if (from < topology->n_machines && ports->out[link] >= counts->leaving[from])
        counts->leaving[from] = ports->out[link] + 1U;
    if (to < topology->n_machines && ports->in[link] >= counts->arriving[to])
        counts->arriving[to] = ports->in[link] + 1U;
}

/* Lists the ports of machines by their numbers. `counts` has room for the highest ones. */
static void list_ports(const struct topology *topology, const struct cable_counts *counts,
                       struct host_ports *ports)
{
    const uint32_t n_machines = topology->n_machines;
    ports->first = arena_alloc(topology->arena, (size_t)n_machines + 1, sizeof *ports->first);
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        raise_numbers(topology, link, ports, counts);
    for (uint32_t machine = 0; machine < n_machines; machine++) {
        const uint32_t out = counts->leaving[machine], in = counts->arriving[machine];
        ports->first[machine + 1] = ports->first[machine] + (out > in ? out : in);
        if (ports->first[machine + 1] - ports->first[machine] > ports->n)
            ports->n = ports->first[machine + 1] - ports->first[machine];
    }
    const uint32_t n = ports->first[n_machines];
    ports->leaves = arena_alloc(topology->arena, 2 * (size_t)n + 1, sizeof *ports->leaves);
    ports->arrives = ports->leaves + n;
    memset(ports->leaves, 0xff, 2 * (size_t)n * sizeof *ports->leaves);
    for (uint32_t link = topology->n_link_ids; link-- > 0;) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (from < n_machines)
            ports->leaves[ports->first[from] + ports->out[link]] = link;
        if (to < n_machines)
            ports->arrives[ports->first[to] + ports->in[link]] = link;
    }
}

const struct host_ports *host_ports_new(const struct topology *topology)
{
    if (topology->base)
        return topology->base->host_ports;
    if (topology_is_implicit(topology->whole) || !topology->has_machine_ports || topology->has_loose_links)
        return NULL;
    struct cable_counts counts = {mem_alloc(topology->n_machines, sizeof(uint32_t)),
                                  mem_alloc(topology->n_machines, sizeof(uint32_t))};
    struct host_ports *ports = NULL;
    const uint32_t n = most_cables(topology, &counts);
    if (n > 1 || topology->n_networks > 1) {
        ports = arena_alloc(topology->arena, 1, sizeof *ports);
        ports->n = n;
        ports->out = arena_alloc(topology->arena, topology->n_link_ids, 1);
        ports->in = arena_alloc(topology->arena, topology->n_link_ids, 1);
        for (uint32_t link = 0; link < topology->n_link_ids; link++)
            count_link(topology, link, &counts, ports);
        memset(counts.leaving, 0, topology->n_machines * sizeof *counts.leaving);
        memset(counts.arriving, 0, topology->n_machines * sizeof *counts.arriving);
        if (topology_as_graph(topology))
            adapter_numbers_find(topology_as_graph(topology), ports);
        list_ports(topology, &counts, ports);
    }
    free(counts.leaving);
    free(counts.arriving);
    return ports;
}

/* ---- the ports of a machine ---- */

uint32_t host_ports_link(const struct topology *topology, uint32_t machine, uint32_t port, bool is_in)
{
    const struct host_ports *ports = topology->host_ports;
    if (!ports)
        return NO_NEXT_LINK;
    const uint32_t link = host_ports_at(ports, is_in ? ports->arrives : ports->leaves,
                                        topology_whole_node(topology, machine), port);
    return link != NO_NEXT_LINK && topology_has_link(topology, link) ? link : NO_NEXT_LINK;
}

uint32_t host_ports_list(const struct topology *topology, uint32_t machine, uint8_t *ports)
{
    uint32_t n = 0;
    for (uint32_t port = 0; port < WAYS_MAX_PORTS; port++)
        if (host_ports_link(topology, machine, port, false) != NO_NEXT_LINK)
            ports[n++] = (uint8_t)port;
    return n;
}

uint32_t adapter_take_port(const char *name, size_t *length)
{
    size_t digits = 0;
    uint32_t port = 0;
    while (digits < *length && name[*length - digits - 1] >= '0' && name[*length - digits - 1] <= '9')
        digits++;
    if (!digits || digits > 3 || digits + 1 >= *length || name[*length - digits - 1] != ':')
        return 0;
    for (size_t i = *length - digits; i < *length; i++)
        port = port * 10 + (uint32_t)(name[i] - '0');
    *length -= port ? digits + 1 : 0;
    return port;
}

/* True if a word, "mlx5_0:1", names the adapter at a link, by which it leaves its host. */
static bool host_ports_is_named(const struct graph *graph, uint32_t link, const char *word, size_t length)
{
    const char *adapter = graph_adapter_name(graph, link);
    size_t n = adapter ? strlen(adapter) : 0;
    if (adapter && n == length && memcmp(adapter, word, n) == 0)
        return true;
    const uint32_t wanted = adapter_take_port(word, &length), own = adapter_take_port(adapter, &n);
    const uint32_t port = own || !graph->subnet ? own : graph->subnet->numbers[link];
    return n && n == length && memcmp(adapter, word, n) == 0 && (!wanted || !port || wanted == port);
}

uint32_t host_ports_find(const struct topology *topology, uint32_t machine, const char *name, size_t length)
{
    const struct graph *graph = topology_as_graph(topology->whole);
    const uint32_t node = topology_whole_node(topology, machine);
    for (uint32_t port = 0; port < topology->host_ports->n; port++) {
        const uint32_t link = host_ports_at(topology->host_ports, topology->host_ports->leaves, node, port);
        if (link != NO_NEXT_LINK && host_ports_is_named(graph, link, name, length))
            return port;
    }
    return NO_NEXT_LINK;
}

/* ---- ways ---- */

bool topology_has_ways(const struct topology *topology)
{
    const struct host_ports *ports = topology->host_ports;
    return ports && ports->n <= WAYS_MAX_PORTS && topology->methods->route_by &&
           topology->whole->methods->route_by;
}

uint8_t host_ports_own_way(const struct topology *topology, uint32_t source, uint32_t destination)
{
    const struct host_ports *ports = topology->host_ports;
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    const uint32_t n = source == destination ? 0 : topology_route(topology, source, destination, hops);
    const uint8_t way = n ? host_ports_way(ports->out[hops[0].link], ports->in[hops[n - 1].link]) : 1;
    free(hops);
    return way;
}

bool topology_way_links(const struct topology *topology, uint8_t way, uint32_t source, uint32_t destination,
                        uint32_t *first, uint32_t *last)
{
    const struct host_ports *ports = topology->host_ports;
    if (topology->base) {
        source = topology_whole_node(topology, source);
        destination = topology_whole_node(topology, destination);
    }
    *first = host_ports_at(ports, ports->leaves, source, host_ports_way_out(way));
    *last = host_ports_at(ports, ports->arrives, destination, host_ports_way_in(way));
    return *first != NO_NEXT_LINK && *last != NO_NEXT_LINK;
}

uint32_t topology_route_way(const struct topology *topology, uint8_t way, uint32_t source,
                            uint32_t destination, struct hop *hops)
{
    uint32_t first, last;
    if (source == destination || !topology_way_links(topology, way, source, destination, &first, &last))
        return 0;
    return topology->methods->route_by(topology, first, last, hops);
}
