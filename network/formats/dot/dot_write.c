/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a topology in the DOT that dot.c reads: a digraph with an edge per link, in the order of their
 * ids. cgraph cannot write it, as it puts the edges of a node together. Routes that differ from the rule
 * for graphs stand in the comments of the edges, if they are few enough and DOT can hold them; else a
 * line at the beginning says so.
 */
#include "network/formats/dot/dot.h"

#include "network/forwarding.h"
#include "network/full.h"
#include "network/machine_names.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_LINK_IDS = 1 << 21, /* limit of the reader */
    MAX_PAIRS = 1 << 22,    /* pairs of machines, and of a router and a machine */
    MAX_DEGREE = SUBNET_MAX_PORT,
    MAX_NAME_BYTES = 255,
    NAME_SIZE = MAX_NAME_BYTES + 2 /* shows that a name is longer */
};

static void write_quoted(const char *name, struct text *out)
{
    text_append(out, "\"", 1);
    for (; *name; name++)
        text_printf(out, *name == '"' ? "\\%c" : "%c", *name);
    text_append(out, "\"", 1);
}

static char *dot_write_node_name(const struct topology *topology, uint32_t node, char *name)
{
    topology_node_name(topology, node, name, NAME_SIZE);
    return name;
}

/* ---- what DOT can hold ---- */

/* True if DOT can hold the name: a backslash escapes only a quote, and cgraph reserves names that begin
 * with %. */
static bool dot_write_is_writable(const char *name)
{
    size_t length = strlen(name);
    return length && length <= MAX_NAME_BYTES && *name != '%' &&
           name[length - 1] != '\\' && !strstr(name, "\\\"") && !strchr(name, '\n');
}

static const char *find_obstacle(const struct topology *topology)
{
    char name[NAME_SIZE];
    if (topology->machines_forward)
        return "in DOT machines forward nothing, those of a grid do";
    if (topology->n_link_ids > MAX_LINK_IDS)
        return "more than 2097152 links";
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        if (!dot_write_is_writable(dot_write_node_name(topology, node, name)))
            return "the name of a node has more than 255 bytes, begins with '%', has a line end, or a "
                   "backslash at its end or before a quote";
    return NULL;
}

/* ---- routes ---- */

struct routes {
    const struct topology *topology;
    uint32_t n_routers;
    uint32_t *next;  /* [router * n_machines + destination]: link, GRAPH_NONE: not needed */
    uint32_t *sends; /* [machine]: the link it sends on */
    uint32_t *first; /* [link + 1]: machines[first[link] .. first[link + 1] - 1] */
    uint32_t *machines; /* are routed over the link */
    const char *problem; /* why the routes are not written */
};

/* True if the routes must be written: not for graphs without tables, which follow the rule for graphs, nor
 * for `full`, which has no choice. */
static bool needs_routes(const struct topology *topology)
{
    const struct graph *graph = topology_as_graph(topology);
    return !topology_is_full(topology) && (!graph || graph->forwarding);
}

static bool is_listable(const char *name)
{
    return !strchr(name, ',') && strcmp(name, "*") != 0 && !strchr(" \t\r", *name) &&
           !strchr(" \t\r", name[strlen(name) - 1]);
}

static void check_degrees(struct routes *routes)
{
    const struct topology *topology = routes->topology;
    uint32_t *degree = mem_alloc(topology->n_nodes, sizeof *degree), from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        if (++degree[from] > MAX_DEGREE)
            routes->problem = "a node has more than 254 cables";
        if (from < topology->n_machines && degree[from] > 1 && !topology_as_graph(topology))
            routes->problem = "machines have several cables";
    }
    free(degree);
}

static void check_size(struct routes *routes)
{
    const struct topology *topology = routes->topology;
    char name[NAME_SIZE];
    uint64_t n = topology->n_machines;
    if (n * n > MAX_PAIRS || n * routes->n_routers > MAX_PAIRS)
        routes->problem = "there are too many";
    for (uint32_t machine = 0; machine < n && !routes->problem; machine++)
        if (!is_listable(dot_write_node_name(topology, machine, name)))
            routes->problem = "the name of a machine cannot stand in a list";
    if (!routes->problem)
        check_degrees(routes);
}

static void dot_write_note(struct routes *routes, uint32_t *entry, uint32_t link, const char *problem)
{
    if (*entry != GRAPH_NONE && *entry != link)
        routes->problem = problem;
    *entry = link;
}

static void note_route(struct routes *routes, uint32_t destination, const struct hop *hops,
                       uint32_t n_hops)
{
    const struct topology *topology = routes->topology;
    uint32_t from, to;
    for (uint32_t i = 0; i < n_hops; i++) {
        topology_link_ends(topology, hops[i].link, &from, &to);
        if (from < topology->n_machines)
            dot_write_note(routes, &routes->sends[from], hops[i].link, "a machine sends by several cables");
        else
            dot_write_note(
                routes,
                &routes->next[(size_t)(from - topology->n_machines) * topology->n_machines + destination],
                hops[i].link, "they do not depend on the destination alone");
    }
}

static void dot_write_collect(struct routes *routes)
{
    const struct topology *topology = routes->topology;
    uint32_t n = topology->n_machines;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < n && !routes->problem; source++)
        for (uint32_t destination = 0; destination < n; destination++)
            note_route(routes, destination, hops,
                       topology_route(topology, source, destination, hops));
    free(hops);
}

/* Sorts the entries by their link (counting sort). */
static void list_by_link(struct routes *routes)
{
    uint32_t n_machines = routes->topology->n_machines, n_links = routes->topology->n_link_ids;
    size_t n_entries = (size_t)routes->n_routers * n_machines;
    routes->first = mem_alloc((size_t)n_links + 2, sizeof *routes->first);
    routes->machines = mem_alloc(n_entries, sizeof *routes->machines);
    uint32_t *at = routes->first + 1; /* shifted by one: ends up as the starts */
    for (size_t i = 0; i < n_entries; i++)
        if (routes->next[i] != GRAPH_NONE)
            at[routes->next[i] + 1]++;
    for (uint32_t link = 0; link < n_links; link++)
        at[link + 1] += at[link];
    for (size_t i = 0; i < n_entries; i++)
        if (routes->next[i] != GRAPH_NONE)
            routes->machines[at[routes->next[i]]++] = (uint32_t)(i % n_machines);
}

static uint32_t *new_entries(size_t n)
{
    uint32_t *entries = mem_alloc(n, sizeof *entries);
    memset(entries, 0xff, n * sizeof *entries);
    return entries;
}

/* Sets the port by which each machine sends, one in the tables even if nothing arrives. */
static void preset_sends(struct routes *routes)
{
    const struct topology *topology = routes->topology;
    const struct graph *graph = topology_as_graph(topology);
    for (uint32_t machine = 0; graph && machine < topology->n_machines; machine++)
        routes->sends[machine] = graph->forwarding->machines[machine].link;
}

static struct routes dot_write_find_routes(const struct topology *topology)
{
    struct routes routes = {.topology = topology,
                            .n_routers = topology->n_nodes - topology->n_machines};
    if (!needs_routes(topology))
        return routes;
    check_size(&routes);
    if (routes.problem)
        return routes;
    routes.next = new_entries((size_t)routes.n_routers * topology->n_machines);
    routes.sends = new_entries(topology->n_machines);
    preset_sends(&routes);
    dot_write_collect(&routes);
    if (!routes.problem)
        list_by_link(&routes);
    return routes;
}

static void routes_free(struct routes *routes)
{
    free(routes->next);
    free(routes->sends);
    free(routes->first);
    free(routes->machines);
}

/* ---- writing ---- */

static void dot_write_bandwidth(uint64_t bandwidth, struct text *out)
{
    text_printf(out, "bandwidth=\"");
    topology_print_bandwidth(bandwidth, out);
    text_printf(out, "\"");
}

static void dot_write_latency(uint64_t latency, struct text *out)
{
    text_printf(out, "latency=\"");
    topology_print_latency(latency, out);
    text_printf(out, "\"");
}

static void dot_write_head(const struct topology *topology, const struct routes *routes, struct text *out)
{
    if (routes->problem)
        text_printf(out, "// without its routes: %s\n", routes->problem);
    text_printf(out, "digraph ");
    if (dot_write_is_writable(topology->name))
        write_quoted(topology->name, out);
    text_printf(out, " {\n  ");
    dot_write_bandwidth(topology->bandwidth, out);
    text_printf(out, "\n  ");
    dot_write_latency(topology->latency, out);
    if (topology->ports)
        text_printf(out, "\n  ports=%u", topology->ports);
    text_printf(out, "\n");
}

static void dot_write_nodes(const struct topology *topology, struct text *out)
{
    char name[NAME_SIZE];
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        text_printf(out, "  ");
        write_quoted(dot_write_node_name(topology, node, name), out);
        text_printf(out, " [type=%s]\n", node < topology->n_machines ? "host" : "switch");
    }
}

static void write_comment(const struct routes *routes, uint32_t link, uint32_t from,
                          struct text *out)
{
    char name[NAME_SIZE];
    struct text list = {0};
    bool is_sent = from < routes->topology->n_machines && routes->sends[from] == link;
    if (is_sent)
        text_printf(&list, "*");
    for (uint32_t i = routes->first[link]; i < routes->first[link + 1]; i++)
        text_printf(&list, "%s%s", list.length ? "," : "",
                    dot_write_node_name(routes->topology, routes->machines[i], name));
    if (list.length) {
        text_printf(out, " comment=");
        write_quoted(list.data, out);
    }
    text_free(&list);
}

static uint32_t port_number(const struct topology *topology, uint32_t link)
{
    const struct graph *graph = topology_as_graph(topology);
    return graph && graph->subnet ? graph->subnet->numbers[link] : 0;
}

static void write_attributes(const struct routes *routes, uint32_t link, uint32_t from,
                             struct text *out)
{
    const struct topology *topology = routes->topology;
    uint64_t bandwidth = topology_link_bandwidth(topology, link);
    uint64_t latency = topology_link_latency(topology, link);
    if (port_number(topology, link))
        text_printf(out, " key=%u", port_number(topology, link));
    if (bandwidth != topology->bandwidth) {
        text_printf(out, " ");
        dot_write_bandwidth(bandwidth, out);
    }
    if (latency != topology->latency) {
        text_printf(out, " ");
        dot_write_latency(latency, out);
    }
    if (routes->first)
        write_comment(routes, link, from, out);
}

static void dot_write_links(const struct routes *routes, struct text *out)
{
    const struct topology *topology = routes->topology;
    struct text attributes = {0};
    char name[NAME_SIZE];
    uint32_t from, to;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        text_printf(out, "  ");
        write_quoted(dot_write_node_name(topology, from, name), out);
        text_printf(out, " -> ");
        write_quoted(dot_write_node_name(topology, to, name), out);
        attributes.length = 0;
        write_attributes(routes, link, from, &attributes);
        if (attributes.length)
            text_printf(out, " [%s]", attributes.data + 1);
        text_printf(out, "\n");
    }
    text_free(&attributes);
}

bool dot_write(const struct topology *topology, struct text *out, const char **problem)
{
    if (!topology_is_one_network(topology, "a graph in DOT", problem))
        return false;
    *problem = find_obstacle(topology);
    if (*problem)
        return false;
    struct routes routes = dot_write_find_routes(topology);
    dot_write_head(topology, &routes, out);
    dot_write_nodes(topology, out);
    dot_write_links(&routes, out);
    text_printf(out, "}\n");
    routes_free(&routes);
    return true;
}
