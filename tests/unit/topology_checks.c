/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See topology_checks.h.
 */
#include "tests/unit/topology_checks.h"

#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/grid.h"
#include "network/tree.h"

#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_equal(uint64_t actual, uint64_t expected, const char *what, const char *context,
                 int line)
{
    if (actual != expected)
        printf("\n  line %d, %s: %s is %llu, expected %llu", line, context, what,
               (unsigned long long)actual, (unsigned long long)expected);
    CU_ASSERT(actual == expected);
}

struct topology *must_read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    struct text text = {0};
    diagnostics_print(&diagnostics, &text, false);
    if (!topology) {
        printf("\n%s", text.data ? text.data : "no topology and no message");
        CU_FAIL_FATAL("cannot read a topology");
    }
    text_free(&text);
    diagnostics_free(&diagnostics);
    return topology;
}

uint32_t n_nodes_of(const struct topology *topology)
{
    return topology->n_machines + (topology_as_grid(topology) ? 0 : topology->n_routers);
}

/* ---- distances by search over the links ---- */

/* distance[node] from `start` by relaxing all links until nothing changes.
 * Machines of a tree or graph forward nothing. */
void find_distances(const struct topology *topology, uint32_t start, uint32_t *distance)
{
    memset(distance, 0xff, n_nodes_of(topology) * sizeof *distance);
    distance[start] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            bool forwards = from == start || topology_as_grid(topology) ||
                            from >= topology->n_machines;
            if (forwards && distance[from] != UINT32_MAX && distance[from] + 1 < distance[to]) {
                distance[to] = distance[from] + 1;
                changed = true;
            }
        }
    }
}

void check_path(const struct topology *topology, const struct hop *hops, uint32_t n,
                uint32_t source, uint32_t destination)
{
    uint32_t at = source, from, to;
    for (uint32_t i = 0; i < n; i++) {
        CU_ASSERT_FATAL(hops[i].link < topology->n_link_ids);
        CU_ASSERT(topology_has_link(topology, hops[i].link));
        topology_link_ends(topology, hops[i].link, &from, &to);
        EQUAL(from, at, topology->name);
        at = to;
    }
    EQUAL(at, destination, topology->name);
}

/* The + or - link of every hop, coordinates and lanes, by the words of the rule. */
static void check_grid_rule(const struct topology *topology, const struct hop *hops, uint32_t n)
{
    uint32_t dimension = 0, lane = 0, sign = 2;
    uint32_t links_per_node = 2 * topology_as_grid(topology)->n_dimensions;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t port = hops[i].link % links_per_node, from, to;
        if (port / 2 != dimension || !i) {
            CU_ASSERT(port / 2 >= dimension); /* lowest dimension first */
            dimension = port / 2;
            lane = 0;
            sign = port % 2;
        }
        EQUAL(port % 2, sign, topology->name); /* one way round only */
        topology_link_ends(topology, hops[i].link, &from, &to);
        if ((sign == 0 && to < from) || (sign == 1 && to > from))
            lane = 1; /* the wrap link */
        EQUAL(hops[i].lane, lane, topology->name);
    }
}

static uint32_t steps_in(const struct hop *hops, uint32_t n, uint32_t links_per_node,
                         uint32_t dimension, uint32_t sign)
{
    uint32_t steps = 0;
    for (uint32_t i = 0; i < n; i++)
        steps += hops[i].link % links_per_node == 2 * dimension + sign;
    return steps;
}

/* On an even ring, half way round goes +. */
static void check_ties(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    const struct grid *grid = topology_as_grid(topology);
    for (uint32_t i = 0, stride = 1; i < grid->n_dimensions; i++) {
        uint32_t extent = grid->extent[i].value;
        uint32_t from = source / stride % extent, to = destination / stride % extent;
        if (grid->wraps[i] && (from + extent - to) % extent * 2 == extent)
            EQUAL(steps_in(hops, n, 2 * grid->n_dimensions, i, 0), extent / 2, topology->name);
        stride *= extent;
    }
}

/* The port up from level i-1 must be (d / W_{i-1}) mod (w_i * p_i): of parent port mod w_i cable port / w_i.
 * The upper node of a link is (a, b) with b = lower b + W_{i-1} * parent; its links to one node have ids W_i
 * apart. */
static void check_tree_rule(const struct topology *topology, const struct hop *hops, uint32_t n,
                            uint32_t destination)
{
    const struct tree *tree = topology_as_tree(topology);
    uint32_t below = 1; /* W_{i-1} */
    for (uint32_t i = 0; i < n / 2; i++) {
        uint32_t from, to, width = below * tree->up[i].value;
        topology_link_ends(topology, hops[i].link, &from, &to);
        uint32_t place = to - topology->n_machines - tree->router_base[i];
        const uint32_t port = destination / below % (tree->up[i].value * tree->cables[i].value);
        EQUAL(place % width / below, port % tree->up[i].value, topology->name);
        uint32_t cable = 0, first, last;
        for (uint32_t before = hops[i].link; before >= width + tree->up_base[i]; cable++) {
            before -= width;
            topology_link_ends(topology, before, &first, &last);
            if (first != from || last != to)
                break;
        }
        EQUAL(cable, port / tree->up[i].value, topology->name);
        below = width;
    }
}

static void check_rule(const struct topology *topology, const struct hop *hops, uint32_t n,
                       uint32_t source, uint32_t destination)
{
    if (topology_as_grid(topology)) {
        check_grid_rule(topology, hops, n);
        check_ties(topology, hops, n, source, destination);
    } else if (topology_as_tree(topology)) {
        check_tree_rule(topology, hops, n, destination);
    }
}

void check_routes(const struct topology *topology)
{
    uint32_t *distance = mem_alloc(n_nodes_of(topology), sizeof *distance), longest = 0;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < topology->n_machines; source++) {
        find_distances(topology, source, distance);
        for (uint32_t to = 0; to < topology->n_machines; to++) {
            uint32_t n = topology_route(topology, source, to, hops);
            CU_ASSERT_FATAL(n <= topology->max_hops);
            EQUAL(n, distance[to], topology->name);
            check_path(topology, hops, n, source, to);
            check_rule(topology, hops, n, source, to);
            longest = n > longest ? n : longest;
        }
    }
    if (!topology_as_graph(topology))
        EQUAL(longest, topology->max_hops, topology->name);
    free(hops);
    free(distance);
}

/* Ids are dense, ends are nodes, every link has its reverse, and no two links
 * of an implicit shape other than a ring of two join the same nodes. */
void check_links(const struct topology *topology)
{
    uint32_t n_nodes = n_nodes_of(topology), n_links = 0;
    int32_t *balance = mem_alloc((size_t)n_nodes * n_nodes, sizeof *balance);
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        topology_link_ends(topology, link, &from, &to);
        CU_ASSERT_FATAL(from < n_nodes && to < n_nodes);
        if (!topology_has_link(topology, link))
            continue;
        CU_ASSERT(from != to);
        n_links++;
        balance[from * n_nodes + to]++;
    }
    for (uint32_t a = 0; a < n_nodes; a++)
        for (uint32_t b = 0; b < a; b++)
            EQUAL(balance[a * n_nodes + b], balance[b * n_nodes + a], topology->name);
    EQUAL(n_links, topology->n_links, topology->name);
    CU_ASSERT(!topology_has_link(topology, topology->n_link_ids));
    free(balance);
}

void check_names(const struct topology *topology)
{
    char name[300];
    for (uint32_t machine = 0; machine < topology->n_machines; machine++) {
        topology_node_name(topology, machine, name, sizeof name);
        EQUAL(topology_find_machine(topology, name, strlen(name)), machine, name);
    }
    EQUAL(topology_find_machine(topology, "m", 1), topology->n_machines, "m");
    EQUAL(topology_find_machine(topology, "(0", 2), topology->n_machines, "(0");
    EQUAL(topology_find_machine(topology, "", 0), topology->n_machines, "no name");
}
