/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the native XML description of a topology. Cables are written in the order of their link ids,
 * equal neighbours as one element with a count, so that reading the file gives them the same numbers.
 */
#include "base/text/xml_write.h"
#include "network/formats/xml/xml_topology.h"

#include "network/full.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/host_costs.h"
#include "network/machine_names.h"
#include "network/networks.h"
#include "network/tree.h"
#include "network/view.h"

#include <stdlib.h>
#include <string.h>

static void xml_write_bandwidth(uint64_t bandwidth, struct text *out)
{
    text_printf(out, " bandwidth=\"");
    topology_print_bandwidth(bandwidth, out);
    text_printf(out, "\"");
}

static void xml_write_latency(uint64_t latency, struct text *out)
{
    text_printf(out, " latency=\"");
    topology_print_latency(latency, out);
    text_printf(out, "\"");
}

static void write_product(const char *name, const struct divider *factors, uint32_t n,
                          struct text *out)
{
    text_printf(out, " %s=\"", name);
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? "x" : "", factors[i].value);
    text_printf(out, "\"");
}

/* Writes the numbers of the classes if links differ by dimension or level. */
static void write_classes(const struct topology *topology, struct text *out)
{
    if (topology->n_classes == 1)
        return;
    text_printf(out, " bandwidth=\"");
    topology_print_bandwidths(topology, out);
    text_printf(out, "\" latency=\"");
    topology_print_latencies(topology, out);
    text_printf(out, "\"");
}

static void write_grid(const struct topology *topology, const struct grid *grid, struct text *out)
{
    if (grid->view) {
        text_printf(out, "  <tofu");
        write_product("extents", grid->extent, grid->view->n_axes, out);
        write_classes(topology, out);
        text_printf(out, "/>\n");
        return;
    }
    text_printf(out, "  <grid");
    write_product("extents", grid->extent, grid->n_dimensions, out);
    text_printf(out, " wraps=\"");
    for (uint32_t i = 0; i < grid->n_dimensions; i++)
        text_printf(out, "%s%s", i ? " " : "", grid->wraps[i] ? "yes" : "no");
    text_printf(out, "\"");
    write_classes(topology, out);
    text_printf(out, "/>\n");
}

static void xml_write_tree(const struct topology *topology, const struct tree *tree, struct text *out)
{
    if (tree->n_levels == 1 && tree->links[0].value == 1) {
        text_printf(out, "  <star machines=\"%u\"/>\n", topology->n_machines);
        return;
    }
    text_printf(out, "  <fattree");
    write_product("down", tree->down, tree->n_levels, out);
    write_product("up", tree->up, tree->n_levels, out);
    if (tree_has_parallel(tree))
        write_product("cables", tree->cables, tree->n_levels, out);
    write_classes(topology, out);
    text_printf(out, "/>\n");
}

/* ---- graphs ---- */

static bool are_same_adapters(const struct graph *graph, uint32_t a, uint32_t b)
{
    const char *of_a = graph_adapter_name(graph, a), *of_b = graph_adapter_name(graph, b);
    return of_a && of_b ? strcmp(of_a, of_b) == 0 : of_a == of_b;
}

static bool same_cable(const struct graph *graph, uint32_t one, uint32_t other)
{
    const struct graph_cable *a = &graph->cables[one], *b = &graph->cables[other];
    return a->end[0] == b->end[0] && a->end[1] == b->end[1] && a->bandwidth == b->bandwidth &&
           a->latency == b->latency && are_same_adapters(graph, 2 * one, 2 * other) &&
           are_same_adapters(graph, 2 * one + 1, 2 * other + 1);
}

/* Numbers of the links that state none. */
struct defaults {
    uint64_t bandwidth, latency;
};

static void xml_write_link(const struct graph *graph, uint32_t cable, uint32_t n_cables,
                           struct defaults defaults, struct text *out)
{
    const struct graph_cable *link = &graph->cables[cable];
    text_printf(out, "    <link");
    xml_write_attribute("a", graph_name(graph, link->end[0]), out);
    xml_write_attribute("b", graph_name(graph, link->end[1]), out);
    for (uint32_t side = 0; side < 2; side++) {
        const char *adapter = graph_adapter_name(graph, 2 * cable + side);
        if (adapter)
            xml_write_attribute(side ? "b-adapter" : "a-adapter", adapter, out);
    }
    if (n_cables > 1)
        text_printf(out, " cables=\"%u\"", n_cables);
    if (link->bandwidth != defaults.bandwidth)
        xml_write_bandwidth(link->bandwidth, out);
    if (link->latency != defaults.latency)
        xml_write_latency(link->latency, out);
    text_printf(out, "/>\n");
}

static void write_graph(const struct graph *graph, struct defaults defaults, struct text *out)
{
    enum { MAX_RUN = 4096 }; /* limit of the reader */
    text_printf(out, "  <graph%s>\n", graph->may_be_apart ? " apart=\"true\"" : "");
    if (graph->forwarding)
        text_printf(out, "    <!-- without its forwarding tables: read from here, it has the routes of "
                         "a graph -->\n");
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        text_printf(out, "    <%s", node < graph->n_machines ? "machine" : "router");
        xml_write_attribute("name", graph_name(graph, node), out);
        text_printf(out, "/>\n");
    }
    for (uint32_t i = 0, run; i < graph->n_cables; i += run) {
        for (run = 1; run < MAX_RUN && i + run < graph->n_cables &&
                      same_cable(graph, i, i + run);)
            run++;
        xml_write_link(graph, i, run, defaults, out);
    }
    text_printf(out, "  </graph>\n");
}

/* Writes the element of one network that is whole. Returns false if its kind has no element. */
static bool xml_write_shape(const struct topology *topology, struct defaults defaults, struct text *out,
                            const char **problem)
{
    const struct grid *grid = topology_as_grid(topology);
    const struct tree *tree = topology_as_tree(topology);
    const struct graph *graph = topology_as_graph(topology);
    const char *obstacle = NULL;
    if (grid)
        write_grid(topology, grid, out);
    else if (tree)
        xml_write_tree(topology, tree, out);
    else if (graph)
        write_graph(graph, defaults, out);
    else if (topology_is_full(topology))
        text_printf(out, "  <full machines=\"%u\"/>\n", topology->n_machines);
    else
        *problem = obstacle = topology_n_networks(topology) > 1
                                  ? "it holds several networks"
                                  : "this form has no element for networks of its kind";
    return !obstacle;
}

/* ---- several networks ---- */

/* Writes lines as part of an element: four blanks deeper. */
static void write_deeper(const struct text *lines, struct text *out)
{
    for (const char *line = lines->data; line && *line;) {
        size_t length = strcspn(line, "\n") + 1;
        text_append(out, "    ", 4);
        text_append(out, line, length);
        line += length;
    }
}

/* Writes the attribute `machines`, unless the machines have the same names without it. */
static bool xml_write_machines(const struct topology *topology, const uint32_t *machines, uint32_t n,
                               struct text *out)
{
    text_printf(out, " machines=\"");
    bool done = topology_write_names(topology, machines, n, ' ', true, out);
    text_append(out, "\"", 1);
    return done;
}

static bool has_own_names(const struct topology *topology, uint32_t network)
{
    const struct topology *member = topology_network_member(topology, network);
    char name[256], own[256];
    for (uint32_t machine = 0; machine < member->n_machines; machine++) {
        uint32_t here = topology_network_machine(topology, network, machine);
        topology_node_name(topology, here, name, sizeof name);
        topology_node_name(member, machine, own, sizeof own);
        if (strcmp(name, own) != 0)
            return false;
    }
    return true;
}

static bool write_members(const struct topology *topology, uint32_t network, struct text *out)
{
    uint32_t n = topology_network_member(topology, network)->n_machines;
    uint32_t *machines = mem_alloc(n, sizeof *machines);
    for (uint32_t machine = 0; machine < n; machine++)
        machines[machine] = topology_network_machine(topology, network, machine);
    bool done = xml_write_machines(topology, machines, n, out);
    free(machines);
    return done;
}

static void write_network_attributes(const struct network *network, struct text *out)
{
    xml_write_attribute("name", network->name, out);
    xml_write_attribute("label", network->label, out);
    if (network->bandwidth)
        xml_write_bandwidth(network->bandwidth, out);
    xml_write_latency(network->latency, out);
    if (network->interface)
        xml_write_attribute("interface", network->interface, out);
    if (network->device)
        xml_write_attribute("device", network->device, out);
    if (network->transport)
        xml_write_attribute("transport", network->transport, out);
}

static void xml_write_addresses(const struct network *network, struct text *out)
{
    if (network->addresses)
        xml_write_attribute("addresses", network->addresses, out);
}

static bool write_network(const struct topology *topology, uint32_t index, struct text *out,
                          const char **problem)
{
    const struct network *network = topology_network_info(topology, index);
    const struct topology *part = topology_network_member(topology, index);
    const struct topology *member = topology_whole(part);
    struct text shape = {0};
    bool is_uniform = topology_is_implicit(member) && member->n_classes == 1;
    if (is_uniform && (member->classes[0].bandwidth != network->bandwidth ||
                       member->classes[0].latency != network->latency)) {
        *problem = "the bandwidth or latency of a network is not that of its links";
        return false;
    }
    text_printf(out, "    <network");
    write_network_attributes(network, out);
    xml_write_addresses(network, out);
    if (!has_own_names(topology, index) && !write_members(topology, index, out)) {
        *problem = "the name of a machine has a character that means something in a list of names";
        return false;
    }
    text_printf(out, ">\n");
    const struct defaults defaults = {network->bandwidth, network->latency};
    bool done = xml_write_shape(member, defaults, &shape, problem) && xml_write_part(part, &shape, problem);
    write_deeper(&shape, out);
    text_free(&shape);
    text_printf(out, "    </network>\n");
    return done;
}

/* True if the machines are numbered in the order in which the networks mention them. */
static bool xml_write_is_in_order(const struct topology *topology)
{
    uint32_t n_seen = 0;
    for (uint32_t i = 1; i < topology_n_networks(topology); i++)
        for (uint32_t machine = 0; machine < topology_network_info(topology, i)->n_machines;
             machine++) {
            uint32_t here = topology_network_machine(topology, i, machine);
            if (here > n_seen)
                return false;
            n_seen += here == n_seen;
        }
    return true;
}

static bool write_all_machines(const struct topology *topology, struct text *out)
{
    uint32_t *machines = mem_alloc(topology->n_machines, sizeof *machines);
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        machines[machine] = machine;
    bool done = xml_write_machines(topology, machines, topology->n_machines, out);
    free(machines);
    return done;
}

static bool xml_write_networks(const struct topology *topology, struct text *out, const char **problem)
{
    text_printf(out, "  <networks");
    if (!xml_write_is_in_order(topology) && !write_all_machines(topology, out)) {
        *problem = "the name of a machine has a character that means something in a list of names";
        return false;
    }
    xml_write_addresses(topology_network_info(topology, NETWORK_MEMORY), out);
    text_printf(out, ">\n    <memory");
    write_network_attributes(topology_network_info(topology, NETWORK_MEMORY), out);
    text_printf(out, "/>\n");
    bool done = true;
    for (uint32_t i = 1; i < topology_n_networks(topology) && done; i++)
        done = write_network(topology, i, out, problem);
    text_printf(out, "  </networks>\n");
    return done;
}

static void xml_write_hosts(const struct host_costs *costs, struct text *out)
{
    const struct {
        const char *name;
        uint64_t value;
        void (*print)(uint64_t value, struct text *out);
    } attributes[] = {{"overhead", costs->overhead, topology_print_latency},
                      {"gap", costs->gap, topology_print_latency},
                      {"memory-bandwidth", costs->memory_bandwidth, topology_print_bandwidth},
                      {"memory-latency", costs->memory_latency, topology_print_latency},
                      {"process-bandwidth", costs->process_bandwidth, topology_print_bandwidth},
                      {"inside-bandwidth", costs->inside_bandwidth, topology_print_bandwidth}};
    text_printf(out, "  <hosts");
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].value == HOST_COST_UNKNOWN)
            continue;
        text_printf(out, " %s=\"", attributes[i].name);
        attributes[i].print(attributes[i].value, out);
        text_printf(out, "\"");
    }
    text_printf(out, "/>\n");
}

bool xml_write(const struct topology *topology, struct text *out, const char **problem)
{
    text_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"1\"");
    xml_write_attribute("name", topology->name, out);
    xml_write_bandwidth(topology->bandwidth, out);
    xml_write_latency(topology->latency, out);
    if (topology->ports)
        text_printf(out, " ports=\"%u\"", topology->ports);
    text_printf(out, ">\n");
    const struct topology *whole = topology_whole(topology);
    if (whole->hosts)
        xml_write_hosts(whole->hosts, out);
    const struct defaults defaults = {topology->bandwidth, topology->latency};
    bool done = topology_n_networks(whole) > 1 ? xml_write_networks(whole, out, problem)
                                               : xml_write_shape(whole, defaults, out, problem);
    done = done && xml_write_part(topology, out, problem);
    text_printf(out, "</topology>\n");
    return done;
}
