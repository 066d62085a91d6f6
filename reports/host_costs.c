/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_costs.h.
 */
#include "reports/host_costs.h"

#include "network/topology.h"

/* Of each cost its name, as an option and in files, and its key. */
static const struct cost {
    const char *name, *key;
    size_t offset;
    void (*print)(uint64_t value, struct text *out);
} cost_table[] = {
    {"overhead", "overhead_ns", offsetof(struct host_costs, overhead), topology_print_latency},
    {"gap", "gap_ns", offsetof(struct host_costs, gap), topology_print_latency},
    {"memory-bandwidth", "memory_bandwidth", offsetof(struct host_costs, memory_bandwidth),
     topology_print_bandwidth},
    {"memory-latency", "memory_latency_ns", offsetof(struct host_costs, memory_latency),
     topology_print_latency},
    {"process-bandwidth", "process_bandwidth", offsetof(struct host_costs, process_bandwidth),
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

void host_costs_said_json(const struct host_costs *costs, struct json *json)
{
    if (!costs) {
        json_put_null(json, "hosts");
        return;
    }
    json_open(json, "hosts", '{');
    for (size_t i = 0; i < N_COSTS; i++) {
        const uint64_t value = host_costs_cost_of(costs, &cost_table[i]);
        if (value == HOST_COST_UNKNOWN)
            json_put_null(json, cost_table[i].key);
        else
            json_put_unsigned(json, cost_table[i].key, value);
    }
    json_close(json, '}');
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
    if (costs->process_bandwidth) {
        text_printf(out, ", a process ");
        topology_print_bandwidth(costs->process_bandwidth, out);
    }
}

void host_costs_json(const struct host_costs *costs, struct json *json)
{
    json_put_unsigned(json, "overhead_ns", costs->overhead);
    json_put_unsigned(json, "gap_ns", costs->gap);
    json_put_unsigned(json, "memory_bandwidth", costs->memory_bandwidth);
    json_put_unsigned(json, "memory_latency_ns", costs->memory_latency);
}
