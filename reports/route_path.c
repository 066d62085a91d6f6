/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single routes and the pairs over a link, printed.
 */
#include "network/adaptive.h"
#include "network/ports.h"
#include "network/tables.h"
#include "reports/record.h"
#include "reports/route_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void link_end_name(const struct topology *topology, uint32_t link, bool is_far, char *name)
{
    uint32_t ends[2], port = is_far ? topology_port_in(topology, link) : topology_port_out(topology, link);
    topology_link_ends(topology, link, &ends[0], &ends[1]);
    topology_node_name(topology, ends[is_far], name, 256);
    size_t length = strlen(name);
    if (port)
        snprintf(name + length, END_NAME_SIZE - length, "[%u]", port);
}

/* Appends why a pair has no route. */
static void route_path_print_why(const struct topology *topology, struct route_ends ends, struct text *out)
{
    if (ends.source == ends.destination) {
        text_printf(out, "it is the same machine");
    } else if (!tables_are_used(topology)) {
        text_printf(out, "the network does not connect them");
    } else {
        const struct table_end end = tables_end(topology, ends.source, ends.destination);
        tables_print_end(topology, &end, "it", out);
    }
}

/* The routes of a pair: that to the LID in use, and with `all` those to the others. */
struct routes {
    const struct topology *topology;
    struct route_ends ends;
    uint32_t n;         /* LIDs to look at; 1 without tables */
    uint32_t lid;       /* the first; 0 without tables */
    struct hop *hops;
    struct ways ways; /* where routes are adaptive: instead, the links of all ways */
};

static struct routes routes_open(const struct topology *topology, struct route_ends ends, bool all)
{
    struct routes routes = {.topology = topology, .ends = ends, .n = 1};
    uint32_t max_hops = topology->max_hops;
    if (tables_are_used(topology)) {
        const struct table_lids lids = tables_lids(topology, ends.destination);
        routes.lid = lids.first;
        routes.n = all && lids.n ? lids.n : 1;
        max_hops = routes.n > 1 ? tables_max_hops(topology) : max_hops;
    }
    if (topology->is_adaptive)
        routes.ways = ways_new(topology);
    else
        routes.hops = mem_alloc(max_hops, sizeof *routes.hops);
    return routes;
}

static void routes_close(struct routes *routes)
{
    free(routes->hops);
    ways_free(&routes->ways);
}

static uint32_t routes_walk(struct routes *routes, uint32_t index)
{
    if (routes->topology->is_adaptive)
        return ways_find(&routes->ways, routes->ends.source, routes->ends.destination, 0);
    return index ? tables_route(routes->topology, routes->ends.source, routes->ends.destination,
                                routes->lid + index, routes->hops)
                 : topology_route(routes->topology, routes->ends.source, routes->ends.destination,
                                  routes->hops);
}

static void route_path_machine_name(const struct topology *topology, uint32_t machine, char *name)
{
    topology_node_name(topology, machine, name, END_NAME_SIZE);
}

/* Returns link i of a route; with a lane where it has one. */
static struct hop routes_hop(const struct routes *routes, uint32_t i)
{
    return routes->topology->is_adaptive ? (struct hop){routes->ways.items[i].link, 0} : routes->hops[i];
}

/* Returns the place of link i of a route, from 1. */
static uint32_t routes_place(const struct routes *routes, uint32_t i)
{
    return routes->topology->is_adaptive ? routes->ways.items[i].place + 1 : i + 1;
}

static void print_hops(const struct routes *routes, uint32_t n, struct text *out)
{
    char from[END_NAME_SIZE], to[END_NAME_SIZE];
    for (uint32_t i = 0; i < n; i++) {
        const struct hop hop = routes_hop(routes, i);
        link_end_name(routes->topology, hop.link, false, from);
        link_end_name(routes->topology, hop.link, true, to);
        text_printf(out, "  link %-6u ", hop.link);
        if (routes->topology->is_adaptive)
            text_printf(out, "hop %-3u  %s -> %s\n", routes_place(routes, i), from, to);
        else
            text_printf(out, "lane %-2u  %s -> %s\n", hop.lane, from, to);
    }
}

static void route_path_print_title(const struct routes *routes, uint32_t index, uint32_t n, struct text *out)
{
    char from[END_NAME_SIZE], to[END_NAME_SIZE];
    route_path_machine_name(routes->topology, routes->ends.source, from);
    route_path_machine_name(routes->topology, routes->ends.destination, to);
    text_printf(out, "%s -> %s", from, to);
    if (routes->lid)
        text_printf(out, ", LID %u", routes->lid + index);
    if (n && routes->topology->is_adaptive) {
        const uint32_t length = routes_place(routes, n - 1);
        text_printf(out, ": %u hop%s, over any of %u links\n", length, length > 1 ? "s" : "", n);
        return;
    }
    if (n) {
        text_printf(out, ": %u link%s\n", n, n > 1 ? "s" : "");
        return;
    }
    text_printf(out, ": no route, ");
    if (index)
        text_printf(out, "the tables do not lead to this LID");
    else
        route_path_print_why(routes->topology, routes->ends, out);
    text_append(out, "\n", 1);
}

bool route_text(const struct topology *topology, struct route_ends ends, bool all,
                struct text *out)
{
    struct routes routes = routes_open(topology, ends, all);
    bool is_routed = ends.source == ends.destination;
    for (uint32_t i = 0; i < routes.n; i++) {
        uint32_t n = routes_walk(&routes, i);
        is_routed = is_routed || (i == 0 && n);
        route_path_print_title(&routes, i, n, out);
        print_hops(&routes, n, out);
    }
    text_printf(out, "  routing  %s\n", topology_routing_rule(topology));
    routes_close(&routes);
    return is_routed;
}

/* ---- the pairs over a link ---- */

static void pairs_text(const struct topology *topology, const struct route_ends *pairs, size_t n,
                       struct text *out)
{
    char from[END_NAME_SIZE], to[END_NAME_SIZE];
    for (size_t i = 0; i < n; i++) {
        route_path_machine_name(topology, pairs[i].source, from);
        route_path_machine_name(topology, pairs[i].destination, to);
        text_printf(out, "  %s -> %s\n", from, to);
    }
}

void links_text(const struct topology *topology, const uint32_t *links, uint32_t n,
                const struct observer *observer, struct text *out)
{
    char from[END_NAME_SIZE], to[END_NAME_SIZE];
    for (uint32_t i = 0; i < n; i++) {
        size_t n_pairs;
        struct route_ends *pairs = routes_over(topology, links[i], observer, &n_pairs);
        link_end_name(topology, links[i], false, from);
        link_end_name(topology, links[i], true, to);
        text_printf(out, "link %u, %s -> %s: %zu pairs\n", links[i], from, to, n_pairs);
        pairs_text(topology, pairs, n_pairs, out);
        free(pairs);
    }
}

/* ---- JSON ---- */

#define END_NAME ((char[END_NAME_SIZE]){0})

static const char *route_path_name(const struct topology *topology, uint32_t node, char *name)
{
    route_path_machine_name(topology, node, name);
    return name;
}

static const char *route_path_end(const struct topology *topology, uint32_t link, bool is_far, char *name)
{
    link_end_name(topology, link, is_far, name);
    return name;
}

#include "reports/route.def"

bool route_json(const struct topology *topology, struct route_ends ends, bool all,
                struct text *out)
{
    struct routes routes = routes_open(topology, ends, all);
    struct json json = {.out = out};
    bool is_routed = ends.source == ends.destination;
    json_open(&json, NULL, '{');
    routes_of_pair_write(&json, &routes, &is_routed);
    json_close(&json, '}');
    routes_close(&routes);
    return is_routed;
}

void links_json(const struct topology *topology, const uint32_t *links, uint32_t n,
                const struct observer *observer, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    links_write(&json, topology, links, n, observer);
    json_close(&json, '}');
}
