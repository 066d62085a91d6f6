/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a platform for SimGrid whose routes are those of the topology. If SimGrid's own rule gives the
 * same route for every pair, the platform is a cluster; otherwise a zone that states every route, with
 * each directed link as a link that is used one way.
 */
#include "base/text/xml_write.h"
#include "network/formats/simgrid/simgrid.h"
#include "network/grid.h"
#include "network/machine_names.h"
#include "network/tree.h"

#include <stdlib.h>

enum {
    MAX_ELEMENTS = 1000000, /* routes and links on them: some 40 bytes each */
    NAME_SIZE = 1024
};

static void write_numbers(uint64_t bandwidth, uint64_t latency, const char *names[2],
                          struct text *out)
{
    text_printf(out, " %s=\"%lluBps\" %s=\"%lluns\"", names[0], (unsigned long long)bandwidth,
                names[1], (unsigned long long)latency);
}

/* ---- clusters ---- */

static void write_cluster(const struct topology *topology, const char *shape, struct text *out)
{
    const char *names[] = {"bw", "lat"};
    text_printf(out, "  <cluster id=\"cluster\" prefix=\"m\" radical=\"0-%u\" suffix=\"\" "
                     "speed=\"1Gf\"",
                topology->n_machines - 1);
    write_numbers(topology->bandwidth, topology->latency, names, out);
    text_printf(out, " sharing_policy=\"SPLITDUPLEX\" topology=\"%s\"", shape);
}

static void simgrid_write_list(const struct divider *factors, uint32_t n, const char *before,
                               struct text *out)
{
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "%s%u", i ? "," : before, factors[i].value);
}

static bool simgrid_write_is_star(const struct topology *topology)
{
    const struct tree *tree = topology_as_tree(topology);
    return tree && tree->n_levels == 1 && tree->links[0].value == 1;
}

/* True for a torus of odd rings, where the shorter way is unique and neighbours have one cable. */
static bool is_odd_torus(const struct topology *topology)
{
    const struct grid *grid = topology_as_grid(topology);
    for (uint32_t i = 0; grid && i < grid->n_dimensions; i++)
        if (grid->extent[i].value % 2 == 0 || (!grid->wraps[i] && grid->extent[i].value > 1))
            return false;
    return grid != NULL;
}

static void write_fat_tree(const struct topology *topology, struct text *out)
{
    const struct tree *tree = topology_as_tree(topology);
    write_cluster(topology, "FAT_TREE", out);
    text_printf(out, " topo_parameters=\"%u", tree->n_levels);
    simgrid_write_list(tree->down, tree->n_levels, ";", out);
    simgrid_write_list(tree->up, tree->n_levels, ";", out);
    for (uint32_t i = 0; i < tree->n_levels; i++)
        text_printf(out, i ? ",1" : ";1");
    text_printf(out, "\"/>\n");
}

/* False if no cluster has these routes. */
static bool write_as_cluster(const struct topology *topology, struct text *out)
{
    const struct grid *grid = topology_as_grid(topology);
    const struct tree *tree = topology_as_tree(topology);
    const bool is_tree = tree && !tree_has_parallel(tree); /* SimGrid takes another of the cables down */
    if (topology->n_classes > 1 || (!is_tree && !is_odd_torus(topology)))
        return false;
    if (simgrid_write_is_star(topology)) {
        write_cluster(topology, "FLAT", out);
        text_printf(out, "/>\n");
    } else if (is_tree) {
        write_fat_tree(topology, out);
    } else {
        write_cluster(topology, "TORUS", out);
        simgrid_write_list(grid->extent, grid->n_dimensions, " topo_parameters=\"", out);
        text_printf(out, "\"/>\n");
    }
    return true;
}

/* ---- a zone that states every route ---- */

static void write_name(const struct topology *topology, uint32_t machine, struct text *out)
{
    char name[NAME_SIZE];
    topology_node_name(topology, machine, name, sizeof name);
    xml_write_escaped(name, out);
}

static void simgrid_write_links(const struct topology *topology, struct text *out)
{
    const char *names[] = {"bandwidth", "latency"};
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        if (!topology_has_link(topology, link))
            continue;
        text_printf(out, "    <link id=\"l%u\"", link);
        write_numbers(topology_link_bandwidth(topology, link),
                      topology_link_latency(topology, link), names, out);
        text_printf(out, " sharing_policy=\"%s\"/>\n",
                    topology_link_contends(topology, link) ? "SHARED" : "FATPIPE");
    }
}

static void simgrid_write_route(const struct topology *topology, uint32_t source, uint32_t destination,
                                const struct hop *hops, uint32_t n, struct text *out)
{
    text_printf(out, "    <route src=\"");
    write_name(topology, source, out);
    text_printf(out, "\" dst=\"");
    write_name(topology, destination, out);
    text_printf(out, "\" symmetrical=\"NO\">");
    for (uint32_t i = 0; i < n; i++)
        text_printf(out, "<link_ctn id=\"l%u\"/>", hops[i].link);
    text_printf(out, "</route>\n");
}

/* False if there are too many; pairs without a route have none. */
static bool simgrid_write_routes(const struct topology *topology, struct text *out)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint64_t n_elements = topology->n_machines + (uint64_t)topology->n_links;
    for (uint32_t source = 0; source < topology->n_machines; source++)
        for (uint32_t destination = 0; destination < topology->n_machines; destination++) {
            uint32_t n = topology_route(topology, source, destination, hops);
            n_elements += n ? n + 1 : 0;
            if (n_elements > MAX_ELEMENTS)
                break;
            if (n)
                simgrid_write_route(topology, source, destination, hops, n, out);
        }
    free(hops);
    return n_elements <= MAX_ELEMENTS;
}

static bool write_zone(const struct topology *topology, struct text *out)
{
    uint64_t least = (uint64_t)topology->n_machines * (topology->n_machines - 1);
    if (least + topology->n_links > MAX_ELEMENTS)
        return false;
    text_printf(out, "  <zone id=\"network\" routing=\"Full\">\n");
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        text_printf(out, "    <host id=\"");
        write_name(topology, machine, out);
        text_printf(out, "\" speed=\"1Gf\"/>\n");
    }
    simgrid_write_links(topology, out);
    if (!simgrid_write_routes(topology, out))
        return false;
    text_printf(out, "  </zone>\n");
    return true;
}

bool simgrid_write(const struct topology *topology, struct text *out, const char **problem)
{
    if (!topology_is_one_network(topology, "a platform", problem))
        return false;
    text_printf(out, "<?xml version='1.0'?>\n"
                     "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                     "<platform version=\"4.1\">\n");
    if (!write_as_cluster(topology, out) && !write_zone(topology, out)) {
        *problem = "SimGrid has no rule with these routes, and stating them takes more than "
                   "1000000 elements";
        return false;
    }
    text_printf(out, "</platform>\n");
    return true;
}
