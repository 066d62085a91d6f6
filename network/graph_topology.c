/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs that a topology can be made of. See graph_topology.h.
 */
#include "network/graph_topology.h"

#include "base/codes.h"
#include "network/unrouted.h"

static void report_gap(const struct topology *topology, const struct graph_gap *gap,
                       struct position position, struct diagnostics *diagnostics)
{
    const struct graph *graph = topology_as_graph(topology);
    struct text who = {0};
    unrouted_say(topology, NULL, 0, "; ", &who);
    struct diagnostic *diagnostic =
        report(diagnostics, CODE_T005, position,
               "no route between hosts '%s' and '%s': the first reaches %u of %u hosts%s",
               graph_name(graph, gap->from), graph_name(graph, gap->to), gap->n_reached,
               graph->n_machines, who.data ? who.data : "");
    text_free(&who);
    diagnostic->help = "machines forward nothing: every one must reach every other over routers; "
                       "give each of several networks a file of its own; collc topo --against "
                       "compares one that has come apart";
}

struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics)
{
    struct graph_gap gap;
    if (!graph->n_machines) {
        report(diagnostics, CODE_T004, position, "the network has no machines")->help =
            "nothing was read, or only what is between machines: is it the whole file, and in this format?";
        graph_free(graph);
        return NULL;
    }
    graph_seal(graph);
    struct topology *topology = topology_new_graph(settings, graph);
    if (graph->may_be_apart || diagnostics_ignores(diagnostics, CODE_T005) || !graph_find_gap(graph, &gap))
        return topology;
    report_gap(topology, &gap, position, diagnostics);
    topology_free(topology);
    return NULL;
}
