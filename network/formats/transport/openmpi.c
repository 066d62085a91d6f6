/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes several networks for Open MPI 4 and 5: a file of MCA parameters, the same on all machines.
 * Networks that are kernel interfaces only go over its own TCP (pml ob1, btl tcp), which takes bandwidth
 * and latency per interface; as soon as one of them is an RDMA adapter everything goes over UCX, which
 * gets devices and transports in its environment. docs/networks.md describes the limits of this.
 */
#include "network/formats/transport/selection.h"
#include "network/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the latency from the network's first machine to the machine farthest from it, over all links:
 * Open MPI's latency is from end to end. O(machines x hops). */
static uint64_t latency_of_way(const struct topology *topology, uint32_t network)
{
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    uint32_t first = 0;
    uint64_t longest = 0;
    while (first < topology->n_machines && !topology_is_on_network(topology, first, network))
        first++;
    for (uint32_t machine = first + 1; machine < topology->n_machines; machine++) {
        uint64_t latency = 0;
        uint32_t n = topology_route_over(topology, network, first, machine, hops);
        for (uint32_t i = 0; i < n; i++)
            latency += topology_link_latency(topology, hops[i].link);
        longest = latency > longest ? latency : longest;
    }
    free(hops);
    return longest;
}

/* Writes Mb/s and us, the units of btl_tcp_bandwidth and btl_tcp_latency, where 0 would mean "find out". */
static void write_interface(const struct topology *topology, uint32_t number, struct text *out)
{
    const struct network *network = topology_network_info(topology, number);
    uint64_t megabits = network->bandwidth / 125000;
    uint64_t microseconds = (latency_of_way(topology, number) + 500) / 1000;
    if (strchr(network->interface, '/'))
        return; /* a subnet: its interfaces have other names on every machine */
    text_printf(out, "btl_tcp_bandwidth_%s = %" PRIu64 "\n", network->interface,
                megabits ? megabits : 1);
    text_printf(out, "btl_tcp_latency_%s = %" PRIu64 "\n", network->interface,
                microseconds ? microseconds : 1);
}

static void write_tcp(const struct topology *topology, const struct network_order *order,
                      struct text *out)
{
    text_printf(out, "pml = ob1\nbtl = self,vader,tcp\nbtl_tcp_if_include = ");
    if (selection_is_routed(topology)) {
        text_printf(out, ROUTED_INTERFACE "\n");
        return;
    }
    selection_write_devices(topology, order, out);
    text_append(out, "\n", 1);
    for (uint32_t i = 0; i < order->n; i++)
        write_interface(topology, order->network[i], out);
}

static void openmpi_write_ucx(const struct topology *topology, const struct network_order *order,
                              struct text *out)
{
    text_printf(out, "pml = ucx\npml_ucx_tls = any\npml_ucx_devices = any\n"
                     "mca_base_env_list = UCX_TLS=");
    selection_write_transports(topology, order, out);
    text_printf(out, ";UCX_NET_DEVICES=");
    selection_write_devices(topology, order, out);
    text_printf(out, ";UCX_MAX_EAGER_RAILS=1;UCX_MAX_RNDV_RAILS=1\n");
}

static bool write_openmpi(const struct topology *topology, struct text *out, const char **problem)
{
    struct network_order order;
    *problem = selection_obstacle(topology, selection_has_adapter(topology));
    if (*problem)
        return false;
    selection_by_speed(topology, NULL, &order);
    text_printf(out, "# Open MPI, the fastest network that two machines share:\n"
                     "#   mpirun --mca mca_base_param_files THIS_FILE ...\n");
    if (selection_is_routed(topology))
        text_printf(out, "# by the routes of: collc topo T --to ip-routes\n");
    selection_write_comment(topology, &order, out);
    if (selection_has_adapter(topology))
        openmpi_write_ucx(topology, &order, out);
    else
        write_tcp(topology, &order, out);
    return true;
}

const struct topology_format openmpi_networks_format = {.write = write_openmpi};
