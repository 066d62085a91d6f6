/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader, part by part. See msccl.h and internal.h.
 */
#include "schedules/msccl/msccl.h"

#include "base/text/xml.h"
#include "schedules/msccl/internal.h"

#include <stdlib.h>

bool msccl_is_file(const struct source *source)
{
    return xml_root_is(source, "algo");
}

enum { MAX_FOUND = 1000 }; /* limit of findings of each code */

static void free_graph(struct msccl_graph *graph)
{
    free(graph->events);
    free(graph->first_event);
    free(graph->n_slots);
    free(graph->arrows.items);
    free(graph->order);
}

static struct schedule *msccl_read_file(const struct msccl_file *file, struct diagnostics *diagnostics)
{
    struct msccl_layout layout;
    struct diagnostics found = {.keep_per_code = MAX_FOUND};
    struct msccl_graph graph = {.file = file, .layout = &layout, .found = &found};
    struct schedule *schedule = NULL;
    if (!msccl_lay_out(file, &layout))
        return NULL;
    msccl_check_limits(file);
    msccl_make_events(&graph);
    if (msccl_connect(&graph)) {
        msccl_order(&graph);
        msccl_find_conflicts(&graph);
        msccl_set_levels(&graph);
        schedule = msccl_steps(&graph, diagnostics);
    }
    free_graph(&graph);
    diagnostics_free(&found);
    return schedule;
}

struct schedule *msccl_read(const struct source *source, struct diagnostics *diagnostics)
{
    struct msccl_file file;
    struct schedule *schedule = NULL;
    if (!source_check_utf8(source, diagnostics))
        return NULL;
    if (msccl_parse(source, diagnostics, &file))
        schedule = msccl_read_file(&file, diagnostics);
    arena_free(&file.arena);
    return schedule;
}
