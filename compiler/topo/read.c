/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells the formats apart by their content, and finishes what readers of
 * explicit networks have in common.
 */
#include "compiler/topo/readers.h"

#include <string.h>
#include <unistd.h>

/* A cluster of 10^5 machines needs about 100 MB of ibnetdiscover text. */
#define FILE_LIMIT ((size_t)256 << 20)

#define FORMATS_HELP                                                                               \
    "known formats: topology XML (docs/topology.md), the output of ibnetdiscover and of "          \
    "ibnetdiscover -p, and strings such as star:24, full:8, mesh:9x9, torus:8x8x8, "               \
    "fattree:16x16x16"

static const char *skip_space_and_bom(const struct source *source)
{
    const char *text = source->text;
    if (source->length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    return text + strspn(text, " \t\r\n");
}

static struct topology *read_file(const struct source *source, struct diagnostics *diagnostics)
{
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    const char *start = skip_space_and_bom(source);
    if (*start == '<')
        return read_xml(source, diagnostics);
    if (looks_like_ibnetdiscover(source))
        return read_ibnetdiscover(source, diagnostics);
    struct position position = source_position(source, 0, 1);
    report(diagnostics, CODE_T007, position,
           *start ? "'%s' has none of the topology formats" : "'%s' is empty", source->path)
        ->help = FORMATS_HELP;
    return NULL;
}

/* "tor:8x8" is a slip in a kind, unless there is a file of that name. */
static bool is_meant_as_synthetic(const char *spec)
{
    size_t letters = strspn(spec, "abcdefghijklmnopqrstuvwxyz");
    return looks_like_synthetic(spec) ||
           (letters && spec[letters] == ':' && access(spec, F_OK) != 0);
}

struct topology *topology_read(const char *spec, struct diagnostics *diagnostics)
{
    struct arena *arena = &diagnostics->arena;
    if (is_meant_as_synthetic(spec)) {
        const struct source *source = source_of_text("<topology>", spec, strlen(spec), arena);
        return source_check_utf8(source, diagnostics) ? read_synthetic(source, diagnostics) : NULL;
    }
    const struct source *source = source_read(spec, FILE_LIMIT, arena, diagnostics);
    return source ? read_file(source, diagnostics) : NULL;
}

/* ---- explicit networks ---- */

static void report_gap(const struct topology *topology, const struct graph_gap *gap,
                       struct position position, struct diagnostics *diagnostics)
{
    const struct graph *graph = topology->graph;
    struct diagnostic *diagnostic =
        report(diagnostics, CODE_T005, position,
               "no route between machines '%s' and '%s': the first reaches %u of %u machines",
               graph_name(graph, gap->from), graph_name(graph, gap->to), gap->n_reached,
               graph->n_machines);
    diagnostic->help = "machines forward nothing: every one must reach every other over routers; "
                       "give each of several networks a file of its own";
}

struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics)
{
    struct graph_gap gap;
    if (!graph->n_machines) {
        report(diagnostics, CODE_T004, position, "the network has no machines");
        graph_free(graph);
        return NULL;
    }
    graph_seal(graph);
    struct topology *topology = topology_new_graph(settings, graph);
    if (!graph_find_gap(graph, &gap))
        return topology;
    report_gap(topology, &gap, position, diagnostics);
    topology_free(topology);
    return NULL;
}
