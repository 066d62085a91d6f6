/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdict for programs. Keys are stable; what was not measured is null.
 */
#include "reports/rank_adapters.h"
#include "reports/record.h"
#include "reports/taken.h"
#include "reports/reproducible.h"
#include "reports/verdict.h"
#include "study/symmetric.h"

#include "ir/counts.h"
#include "mapping/mapping.h"
#include "measure/channel_hops.h"
#include "measure/ranges.h"

#include <stdio.h>

enum { NAME_BYTES = 256 };
#define NAME_BUFFER ((char[NAME_BYTES]){0})

static const char *verdict_json_node_name(const struct topology *topology, uint32_t node, char *name)
{
    topology_node_name(topology, node, name, NAME_BYTES);
    return name;
}

/* Returns NULL if there is no machine, or none with a name. */
static const char *machine_name(const struct topology *topology, int64_t machine, char *name)
{
    if (!topology || machine < 0)
        return NULL;
    verdict_json_node_name(topology, (uint32_t)machine, name);
    return *name ? name : NULL;
}

/* Returns "m7" for machine 7 without a topology. */
static const char *numbered_name(const struct topology *topology, uint32_t machine, char *name)
{
    if (topology)
        return verdict_json_node_name(topology, machine, name);
    snprintf(name, NAME_BYTES, "m%u", machine);
    return name;
}

static struct step_span span_of(const struct step_range *range)
{
    return (struct step_span){range->first, range->end - 1};
}

/* All ranks and steps that a finding speaks of: its own lists, else those of its place. */
struct place_lists {
    const uint32_t *ranks;
    const struct step_span *steps;
    size_t n_ranks, n_steps;
    uint32_t rank[2];
    struct step_span step;
};

static void place_lists_fill(const struct diagnostic *finding, struct place_lists *lists)
{
    const struct place *place = &finding->place;
    lists->ranks = finding->ranks;
    lists->n_ranks = finding->n_ranks;
    lists->steps = finding->steps;
    lists->n_steps = finding->n_steps;
    if (!finding->n_ranks) {
        lists->ranks = lists->rank;
        if (place->rank >= 0)
            lists->rank[lists->n_ranks++] = (uint32_t)place->rank;
        if (place->peer >= 0 && place->peer != place->rank)
            lists->rank[lists->n_ranks++] = (uint32_t)place->peer;
    }
    if (!finding->n_steps && place->step >= 0) {
        lists->step = (struct step_span){(uint64_t)place->step, (uint64_t)place->step};
        lists->steps = &lists->step;
        lists->n_steps = 1;
    }
}

/* Returns the number of shifts of a coordinate that are the symmetry. */
static uint32_t n_shifts(const struct symmetric_verdict *symmetric, uint32_t coordinate)
{
    return symmetric->symmetry.shifts.extent[coordinate] / symmetric->symmetry.period[coordinate];
}

static uint64_t n_findings(const struct diagnostics *list)
{
    uint64_t n = 0;
    for (size_t severity = 0; severity <= SEVERITY_ERROR; severity++)
        n += list->n_of_severity[severity];
    return n;
}

/* Returns the label of the network of a link; NULL: there is one network, or no link. */
static const char *link_network_label(const struct topology *topology, uint32_t link)
{
    if (link == NO_NEXT_LINK || topology_n_networks(topology) == 1)
        return NULL;
    return topology_network_info(topology, topology_link_network(topology, link))->label;
}

#include "reports/finding.def"
#include "reports/verdict.def"

void finding_json(struct json *json, const struct topology *topology, const struct diagnostic *finding)
{
    json_open(json, NULL, '{');
    finding_write(json, topology, finding, false);
    json_close(json, '}');
}

void verdict_json(const struct verdict *verdict, const char *key, struct json *json)
{
    json_open(json, key, '{');
    verdict_write(json, verdict);
    json_close(json, '}');
}
