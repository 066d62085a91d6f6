/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions about forwarding tables, put to a topology. See tables.h. A part of a network has the
 * link ids of its whole and other numbers of machines.
 */
#include "network/tables.h"

#include "network/forwarding.h"

#include <stdlib.h>

static const struct graph *tables_graph_of(const struct topology *topology)
{
    return topology_as_graph(topology_whole(topology));
}

bool tables_are_used(const struct topology *topology)
{
    const struct graph *graph = tables_graph_of(topology);
    return graph && graph->forwarding;
}

/* Returns the first link on the way of a pair that has failed. */
static uint32_t first_failed_link(const struct topology *topology, uint32_t source, uint32_t destination)
{
    const struct graph *graph = tables_graph_of(topology);
    struct hop *hops = mem_alloc(graph->forwarding->max_hops, sizeof *hops);
    const uint32_t n = forwarding_route(graph, source, destination, hops);
    uint32_t failed = TABLE_NOWHERE;
    for (uint32_t i = n; i-- > 0;)
        if (!topology_has_link(topology, hops[i].link))
            failed = hops[i].link;
    free(hops);
    return failed;
}

struct table_end tables_end(const struct topology *topology, uint32_t source, uint32_t destination)
{
    const uint32_t from = topology_whole_node(topology, source);
    const uint32_t to = topology_whole_node(topology, destination);
    struct table_end end = forwarding_end(tables_graph_of(topology), from, to);
    if (end.fate == FATE_ARRIVES)
        end.link = first_failed_link(topology, from, to);
    return end;
}

static void tables_print_node(const struct topology *whole, uint32_t node, const char *before,
                              const char *behind, struct text *out)
{
    char name[256];
    topology_node_name(whole, node, name, sizeof name);
    text_printf(out, "%s", before);
    text_append_safe(out, name);
    text_printf(out, "%s", behind);
}

void tables_print_end(const struct topology *topology, const struct table_end *end, const char *whom,
                      struct text *out)
{
    static const struct {
        const char *before, *behind; /* the name of the node */
    } words[N_FATES] = {[FATE_NO_TABLE] = {"switch ", " has no table"},
                        [FATE_NO_ENTRY] = {"switch ", " has no entry for "},
                        [FATE_NO_CABLE] = {"switch ", " uses a port without a cable for "},
                        [FATE_ASTRAY] = {"the tables lead to host ", ""},
                        [FATE_LOOPS] = {"the tables lead back to switch ", ""}};
    const struct topology *whole = topology_whole(topology);
    const bool names_whom = end->fate == FATE_NO_ENTRY || end->fate == FATE_NO_CABLE;
    uint32_t from, to;
    if (end->node != TABLE_NOWHERE) {
        tables_print_node(whole, end->node, words[end->fate].before, words[end->fate].behind, out);
        text_printf(out, "%s", names_whom ? whom : "");
    } else if (end->link != TABLE_NOWHERE) {
        topology_link_ends(whole, end->link, &from, &to);
        tables_print_node(whole, from, "link ", " -> ", out);
        tables_print_node(whole, to, "", " has failed", out);
    } else {
        text_printf(out, "%s", end->fate == FATE_ARRIVES ? "a link on the way has failed" : "one of them has no LID");
    }
}

void tables_count_unrouted(const struct topology *topology, uint64_t pairs[N_FATES])
{
    const struct graph *graph = tables_graph_of(topology);
    for (int fate = 0; fate < N_FATES; fate++)
        pairs[fate] = topology->base || !fate ? 0 : graph->forwarding->pairs[fate];
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t a = 0; a < topology->n_machines && topology->base; a++)
        for (uint32_t b = 0; b < topology->n_machines; b++)
            if (a != b && !topology_route(topology, a, b, hops))
                pairs[tables_end(topology, a, b).fate]++;
    free(hops);
}

struct table_lids tables_lids(const struct topology *topology, uint32_t machine)
{
    const struct graph *graph = tables_graph_of(topology);
    const uint32_t node = topology_whole_node(topology, machine);
    return (struct table_lids){graph->forwarding->machines[node].lid,
                               forwarding_n_lids(graph, node)};
}

uint32_t tables_max_hops(const struct topology *topology)
{
    return topology_whole(topology)->n_routers + 2;
}

uint32_t tables_route(const struct topology *topology, uint32_t source, uint32_t destination,
                      uint32_t lid, struct hop *hops)
{
    uint32_t n = forwarding_route_to_lid(tables_graph_of(topology), topology_whole_node(topology, source),
                                         topology_whole_node(topology, destination), lid,
                                         tables_max_hops(topology), hops);
    for (uint32_t i = 0; i < n; i++)
        if (!topology_has_link(topology, hops[i].link))
            return 0; /* it has failed */
    return n;
}
