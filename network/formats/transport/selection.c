/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes names of networks for MPI runtimes. See selection.h.
 */
#include "network/formats/transport/selection.h"

#include <string.h>

/* True if some machine is not on all of the networks. */
static bool selection_hosts_differ(const struct topology *topology)
{
    for (uint32_t machine = 0; machine < topology->n_machines; machine++)
        for (uint32_t i = 1; i < topology_n_networks(topology); i++)
            if (!topology_is_on_network(topology, machine, i))
                return true;
    return false;
}

bool selection_is_routed(const struct topology *topology)
{
    for (uint32_t i = 1; i < topology_n_networks(topology); i++) {
        const struct network *network = topology_network_info(topology, i);
        if (network->device || !network->interface || !network->addresses)
            return false;
    }
    return topology_n_networks(topology) > 1 && topology_network_info(topology, NETWORK_MEMORY)->addresses;
}

const char *selection_obstacle(const struct topology *topology, bool is_ucx)
{
    uint32_t n = topology_n_networks(topology);
    if (n == 1)
        return "it has one network only: there is nothing to choose";
    if (selection_is_routed(topology))
        return NULL;
    for (uint32_t i = 1; i < n; i++) {
        const struct network *network = topology_network_info(topology, i);
        if (!network->interface && !network->device)
            return "a network has neither 'interface' nor 'device': runtimes have to know it by "
                   "name";
        if (is_ucx && !network->device && strchr(network->interface, '/'))
            return "an interface is given by its subnet, and UCX takes names only";
    }
    if (!selection_has_adapter(topology) && selection_hosts_differ(topology))
        return "hosts are on different networks, and MPIs take an interface that the other host cannot reach, or end "
               "where one is missing; give all hosts 'addresses' and routes (--to ip-routes, docs/networks.md)";
    return NULL;
}

void selection_by_speed(const struct topology *topology, const uint32_t *machine,
                        struct network_order *order)
{
    order->n = 0;
    for (uint32_t i = 1; i < topology_n_networks(topology); i++) {
        if (machine && !topology_is_on_network(topology, *machine, i))
            continue;
        uint64_t bandwidth = topology_network_info(topology, i)->bandwidth;
        uint32_t at = order->n++;
        for (; at && topology_network_info(topology, order->network[at - 1])->bandwidth < bandwidth;
             at--)
            order->network[at] = order->network[at - 1];
        order->network[at] = i;
    }
}

bool selection_has_adapter(const struct topology *topology)
{
    for (uint32_t i = 1; i < topology_n_networks(topology); i++)
        if (topology_network_info(topology, i)->device)
            return true;
    return false;
}

static const char *device_of(const struct topology *topology, uint32_t network)
{
    const struct network *info = topology_network_info(topology, network);
    return info->device ? info->device : info->interface;
}

static const char *transport_of(const struct topology *topology, uint32_t network)
{
    const struct network *info = topology_network_info(topology, network);
    return info->transport ? info->transport : info->device ? "ib" : "tcp";
}

/* Appends what `of` says of each network, what was said already left out. */
static void write_each(const struct topology *topology, const struct network_order *order,
                       const char *(*of)(const struct topology *topology, uint32_t network),
                       const char *separator, struct text *out)
{
    for (uint32_t i = 0; i < order->n; i++) {
        const char *word = of(topology, order->network[i]);
        uint32_t before = 0;
        while (strcmp(of(topology, order->network[before]), word) != 0)
            before++;
        if (before < i)
            continue;
        text_printf(out, "%s%s", separator, word);
        separator = ",";
    }
}

void selection_write_devices(const struct topology *topology, const struct network_order *order,
                             struct text *out)
{
    write_each(topology, order, device_of, "", out);
}

void selection_write_transports(const struct topology *topology, const struct network_order *order,
                                struct text *out)
{
    text_printf(out, "self,sm");
    write_each(topology, order, transport_of, ",", out);
}

void selection_write_comment(const struct topology *topology, const struct network_order *order,
                             struct text *out)
{
    for (uint32_t i = 0; i < order->n; i++) {
        const struct network *network = topology_network_info(topology, order->network[i]);
        text_printf(out, "# %s ", network->label);
        text_append_safe(out, network->name);
        text_printf(out, ": %s, ", device_of(topology, order->network[i]));
        topology_print_bandwidth(network->bandwidth, out);
        text_printf(out, ", %u machine%s\n", network->n_machines, plural(network->n_machines));
    }
}
