/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See loads.h.
 */
#include "study/loads.h"

#include "ir/counts.h"
#include "measure/meter.h"

#include <stdlib.h>
#include <string.h>

uint64_t *loads_of_step(const struct schedule_header *header, const struct topology *topology,
                        const struct placement *placement, const struct step *step)
{
    uint64_t *load = mem_alloc(topology->n_link_ids, sizeof *load);
    struct flows flows = {0};
    struct step_figures figures;
    struct meter meter;
    const unsigned asks = header->counts ? METER_TIMES : METER_MESSAGES;
    flows.header = header;
    meter_init(&meter, topology, placement, header, asks);
    flows_gather(&flows, step, NULL, placement, meter_networks(&meter));
    meter_measure(&meter, &flows, asks, &figures);
    for (uint32_t link = 0; link < topology->n_link_ids; link++)
        load[link] = header->counts ? meter.units.load[link] : (uint32_t)meter.messages.load[link];
    meter_free(&meter);
    flows_free(&flows);
    return load;
}

/* Returns the load that is no fault of the schedule, and in a fabric with switches none of the fabric either:
 * what a machine's own links carry at least. Elsewhere they are the fabric, and it is what the busiest link
 * carries at least. 0: not known. */
static double least_load_of(const struct scene *scene)
{
    const struct schedule_header *header = &scene->schedule->header;
    const struct lower_bound_request request =
        lower_bound_request_of(header, scene->topology, scene->placement);
    struct lower_bound of_machines = {.kind = NULL};
    if (scene->topology->n_routers && scene->topology->has_machine_ports)
        of_machines = lower_bound_of_machines(&request);
    const struct least_load least = of_machines.kind
                                        ? least_load(&of_machines, schedule_block_units(header))
                                        : scene_least(scene, NULL);
    return least.kind ? least.units * placement_stripes(scene->placement) : 0;
}

struct total_loads loads_of_schedule(const struct scene *scene, struct diagnostics *findings)
{
    const struct topology *topology = scene->topology;
    const struct verify_request request = {.topology = topology,
                                           .placement = scene->placement,
                                           .keep_link_load = true,
                                           .keep_link_units = true};
    struct verify_report report = {0};
    struct total_loads loads = {.load = NULL};
    if (verify_schedule(scene->schedule, &request, &report, findings)) {
        loads.load = mem_alloc(topology->n_link_ids + 1, sizeof *loads.load);
        if (topology->n_link_ids)
            memcpy(loads.load, report.link_units, topology->n_link_ids * sizeof *loads.load);
    }
    loads.least = least_load_of(scene);
    loads.n_messages = report.n_messages;
    loads.n_unrouted = report.n_unrouted;
    verify_report_free(&report);
    return loads;
}

static bool chooses_network(const struct step *step, const struct topology *topology,
                            const struct placement *placement, const uint8_t network[256])
{
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        const uint32_t named = network[send->network];
        if (named != NO_NETWORK && named != topology_network(topology, placement->machine[send->rank],
                                                             placement->machine[send->peer]))
            return true;
    }
    return false;
}

bool loads_choose_networks(struct schedule *schedule, const struct topology *topology,
                           const struct placement *placement)
{
    uint8_t network[256];
    struct step step;
    bool is_found = schedule->header.n_networks && !topology;
    if (!schedule->header.n_networks || is_found)
        return is_found;
    if (!schedule_networks(&schedule->header, topology, network))
        return true;
    schedule->rewind(schedule);
    while (!is_found && schedule->next(schedule, &step))
        is_found = chooses_network(&step, topology, placement, network);
    schedule->rewind(schedule);
    return is_found;
}
