/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the native XML description of a topology. Cables are written in the
 * order of their link ids, equal neighbours as one element with a count, so
 * reading the file numbers them the same.
 */
#include "emitters/topology.h"

#include "ir/graph.h"

/* What XML cannot hold is written as '?'. Blanks other than the space are
 * references, because attribute values are normalised. */
static void write_escaped(const char *text, struct text *out)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            text_printf(out, "&amp;");
        else if (c == '<')
            text_printf(out, "&lt;");
        else if (c == '"')
            text_printf(out, "&quot;");
        else if (c == '\t' || c == '\n' || c == '\r')
            text_printf(out, "&#%u;", c);
        else
            text_append(out, c < ' ' ? "?" : text, 1);
    }
}

static void write_attribute(const char *name, const char *value, struct text *out)
{
    text_printf(out, " %s=\"", name);
    write_escaped(value, out);
    text_printf(out, "\"");
}

static void write_bandwidth(uint64_t bandwidth, struct text *out)
{
    text_printf(out, " bandwidth=\"");
    topology_print_bandwidth(bandwidth, out);
    text_printf(out, "\"");
}

static void write_latency(uint64_t latency, struct text *out)
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

static void write_grid(const struct topology *topology, struct text *out)
{
    text_printf(out, "  <grid");
    write_product("extents", topology->extent, topology->n_dimensions, out);
    text_printf(out, " wraps=\"");
    for (uint32_t i = 0; i < topology->n_dimensions; i++)
        text_printf(out, "%s%s", i ? " " : "", topology->wraps[i] ? "yes" : "no");
    text_printf(out, "\"/>\n");
}

static void write_tree(const struct topology *topology, struct text *out)
{
    if (topology->n_levels == 1 && topology->up[0].value == 1) {
        text_printf(out, "  <star machines=\"%u\"/>\n", topology->n_machines);
        return;
    }
    text_printf(out, "  <fattree");
    write_product("down", topology->down, topology->n_levels, out);
    write_product("up", topology->up, topology->n_levels, out);
    text_printf(out, "/>\n");
}

/* ---- graphs ---- */

static bool same_cable(const struct graph_cable *a, const struct graph_cable *b)
{
    return a->end[0] == b->end[0] && a->end[1] == b->end[1] && a->bandwidth == b->bandwidth &&
           a->latency == b->latency;
}

static void write_link(const struct topology *topology, uint32_t cable, uint32_t n_cables,
                       struct text *out)
{
    const struct graph *graph = topology->graph;
    const struct graph_cable *link = &graph->cables[cable];
    text_printf(out, "    <link");
    write_attribute("a", graph_name(graph, link->end[0]), out);
    write_attribute("b", graph_name(graph, link->end[1]), out);
    if (n_cables > 1)
        text_printf(out, " cables=\"%u\"", n_cables);
    if (link->bandwidth != topology->bandwidth)
        write_bandwidth(link->bandwidth, out);
    if (link->latency != topology->latency)
        write_latency(link->latency, out);
    text_printf(out, "/>\n");
}

static void write_graph(const struct topology *topology, struct text *out)
{
    const struct graph *graph = topology->graph;
    enum { MAX_RUN = 4096 }; /* what the reader takes */
    text_printf(out, "  <graph>\n");
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        text_printf(out, "    <%s", node < graph->n_machines ? "machine" : "router");
        write_attribute("name", graph_name(graph, node), out);
        text_printf(out, "/>\n");
    }
    for (uint32_t i = 0, run; i < graph->n_cables; i += run) {
        for (run = 1; run < MAX_RUN && i + run < graph->n_cables &&
                      same_cable(&graph->cables[i], &graph->cables[i + run]);)
            run++;
        write_link(topology, i, run, out);
    }
    text_printf(out, "  </graph>\n");
}

bool write_topology_xml(const struct topology *topology, struct text *out, const char **problem)
{
    (void)problem;
    text_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"1\"");
    write_attribute("name", topology->name, out);
    write_bandwidth(topology->bandwidth, out);
    write_latency(topology->latency, out);
    if (topology->ports)
        text_printf(out, " ports=\"%u\"", topology->ports);
    text_printf(out, ">\n");
    switch (topology->kind) {
    case TOPOLOGY_GRID: write_grid(topology, out); break;
    case TOPOLOGY_TREE: write_tree(topology, out); break;
    case TOPOLOGY_FULL:
        text_printf(out, "  <full machines=\"%u\"/>\n", topology->n_machines);
        break;
    case TOPOLOGY_GRAPH: write_graph(topology, out); break;
    }
    text_printf(out, "</topology>\n");
    return true;
}
