/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_costs.h.
 */
#include "reports/host_costs.h"

#include "network/topology.h"

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
