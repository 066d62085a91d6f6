/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_costs.h.
 */
#include "reports/host_costs.h"

#include "network/topology.h"
#include "reports/record.h"

/* The name of each cost, as an option and in files. */
static const struct cost {
    const char *name;
    size_t offset;
    void (*print)(uint64_t value, struct text *out);
} cost_table[] = {
    {"overhead", offsetof(struct host_costs, overhead), topology_print_latency},
    {"gap", offsetof(struct host_costs, gap), topology_print_latency},
    {"memory-bandwidth", offsetof(struct host_costs, memory_bandwidth),
     topology_print_bandwidth},
    {"memory-latency", offsetof(struct host_costs, memory_latency),
     topology_print_latency},
    {"process-bandwidth", offsetof(struct host_costs, process_bandwidth),
     topology_print_bandwidth},
    {"inside-bandwidth", offsetof(struct host_costs, inside_bandwidth),
     topology_print_bandwidth},
};
enum { N_COSTS = sizeof cost_table / sizeof *cost_table };

static uint64_t host_costs_cost_of(const struct host_costs *costs, const struct cost *cost)
{
    return *(const uint64_t *)(const void *)((const char *)costs + cost->offset);
}

void host_costs_said_text(const struct host_costs *costs, struct text *out)
{
    const char *separator = "";
    for (size_t i = 0; i < N_COSTS; i++) {
        const uint64_t value = host_costs_cost_of(costs, &cost_table[i]);
        if (value == HOST_COST_UNKNOWN)
            continue;
        text_printf(out, "%s%s ", separator, cost_table[i].name);
        cost_table[i].print(value, out);
        separator = ", ";
    }
}

void host_costs_text(const struct host_costs *costs, struct text *out)
{
    text_printf(out, "overhead ");
    topology_print_latency(costs->overhead, out);
    text_printf(out, ", gap ");
    topology_print_latency(costs->gap, out);
    text_printf(out, ", memory ");
    topology_print_bandwidth(costs->memory_bandwidth, out);
    text_printf(out, " and ");
    topology_print_latency(costs->memory_latency, out);
    if (costs->inside_bandwidth) {
        text_printf(out, ", inside ");
        topology_print_bandwidth(costs->inside_bandwidth, out);
    }
    if (costs->process_bandwidth) {
        text_printf(out, ", a process ");
        topology_print_bandwidth(costs->process_bandwidth, out);
    }
}

void host_costs_default_text(const struct host_costs *costs, bool of_memory, double share, const char *at,
                             struct text *out)
{
    if (share >= (of_memory ? 0.25 : 0.5))
        text_printf(out, "  default     %s take %.0f %% of the time%s: say yours, %s\n",
                    of_memory ? "the memory's 10GB/s" : "500ns and 200ns for a message",
                    100 * share, at,
                    !of_memory                ? "--overhead, --gap"
                    : costs->inside_bandwidth ? "--memory-bandwidth"
                                              : "--memory-bandwidth, --inside-bandwidth");
}

#include "reports/host_costs.def"
