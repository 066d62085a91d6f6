/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the table of destinations of several networks (PM/Composite, Sumimoto et al. 2000, section 3.1) as
 * routes of the kernel: a script that gives a machine an address on an interface of its own, and for each
 * other machine a route to that one's address over the fastest network that both are on. Any program then
 * sends by the table. The script has a line for each machine, and finds the routes of its own when it runs.
 */
#include "base/text/hostlist.h"
#include "network/format.h"
#include "network/formats/transport/selection.h"
#include "network/machine_names.h"

#include <stdlib.h>

static const char ip_routes_head[] =
    "#!/bin/sh\n"
    "# Routes to each host by the fastest network that both are on. As root, on every host:\n"
    "#   sh THIS_FILE          sets them up\n"
    "#   sh THIS_FILE --print  prints what it would do\n"
    "#   sh THIS_FILE --undo   takes them away\n"
    "# MPIs then use the interface " ROUTED_INTERFACE
    " and no other (--to openmpi-networks, --to ucx-networks).\n"
    "# COLLC_MACHINE is the name of the machine where its host name is another.\n";

static const char ip_routes_tail[] =
    "'\n"
    "commands() { # MACHINE\n"
    "    echo \"$hosts\" | awk -v machine=\"$1\" -v interfaces=\"$interfaces\" -v undo=\"$undo\" '\n"
    "        function whole(address) { return address (address ~ /:/ ? \"/128\" : \"/32\") }\n"
    "        NF { host[++n] = $0; if ($1 == machine) own = $0 }\n"
    "        END {\n"
    "            if (!own) exit 3\n"
    "            networks = split(interfaces, interface, \" \")\n"
    "            split(own, here, \" \")\n"
    "            if (undo) print \"ip link delete " ROUTED_INTERFACE "\"\n"
    "            else {\n"
    "                print \"ip link show " ROUTED_INTERFACE " >/dev/null 2>&1 ||\"\n"
    "                print \"    ip link add name " ROUTED_INTERFACE " type dummy 2>/dev/null ||\"\n"
    "                print \"    ip link add name " ROUTED_INTERFACE " type bridge\"\n"
    "                print \"ip link set " ROUTED_INTERFACE " up\"\n"
    "                print \"ip address replace \" whole(here[2]) \" dev " ROUTED_INTERFACE "\"\n"
    "            }\n"
    "            for (i = 1; i <= n; i++) {\n"
    "                split(host[i], there, \" \")\n"
    "                if (there[1] == machine) continue\n"
    "                for (k = 1; k <= networks && (here[k + 2] == \"-\" || there[k + 2] == \"-\"); k++) "
    "continue\n"
    "                if (k > networks) print \"# no network to \" there[1]\n"
    "                else if (undo) print \"ip route delete \" whole(there[2])\n"
    "                else print \"ip route replace \" whole(there[2]) \" via \" there[k + 2] \\\n"
    "                    (interface[k] ~ /[/]/ ? \"\" : \" dev \" interface[k]) \" src \" here[2]\n"
    "            }\n"
    "        }'\n"
    "}\n"
    "undo=\n"
    "[ \"${1-}\" != --undo ] || undo=yes\n"
    "machine=${COLLC_MACHINE:-$(uname -n)}\n"
    "if ! text=$(commands \"$machine\") && ! text=$(commands \"${machine%%.*}\"); then\n"
    "    echo \"$0: machine '$machine' is not in the topology\" >&2\n"
    "    exit 1\n"
    "fi\n"
    "if [ \"${1-}\" = --print ]; then\n"
    "    echo \"$text\"\n"
    "else\n"
    "    echo \"$text\" | sh -e\n"
    "fi\n";

/* The addresses of the machines: on each network, and of memory those by which programs know them. */
struct ip_addresses {
    struct hostlist list[NETWORKS_MAX]; /* [network] */
    uint32_t *place[NETWORKS_MAX];      /* [network][machine]: 1 + its number there, 0: not on it */
};

static void ip_routes_find_addresses(const struct topology *topology, struct ip_addresses *addresses)
{
    for (uint32_t i = 0; i < topology_n_networks(topology); i++) {
        const struct network *network = topology_network_info(topology, i);
        addresses->place[i] = mem_alloc(topology->n_machines, sizeof *addresses->place[i]);
        (void)hostlist_expand(slice_of(network->addresses), HOSTLIST_MAX_NAMES, &addresses->list[i]);
        for (uint32_t j = 0; j < network->n_machines; j++)
            addresses->place[i][i == NETWORK_MEMORY ? j : topology_network_machine(topology, i, j)] = j + 1;
    }
}

static void ip_routes_free_addresses(const struct topology *topology, struct ip_addresses *addresses)
{
    for (uint32_t i = 0; i < topology_n_networks(topology); i++) {
        hostlist_free(&addresses->list[i]);
        free(addresses->place[i]);
    }
}

static void ip_routes_write_address(const struct ip_addresses *addresses, uint32_t network, uint32_t machine,
                                    struct text *out)
{
    const uint32_t place = addresses->place[network][machine];
    const struct slice address = place ? hostlist_get(&addresses->list[network], place - 1) : slice_of("-");
    text_append(out, " ", 1);
    text_append(out, address.text, address.length);
}

/* Returns false if a shell would not take the name of a machine as it is. */
static bool ip_routes_write_hosts(const struct topology *topology, const struct network_order *order,
                                  struct text *out)
{
    struct ip_addresses addresses = {0};
    bool done = true;
    ip_routes_find_addresses(topology, &addresses);
    for (uint32_t machine = 0; machine < topology->n_machines && done; machine++) {
        done = topology_write_names(topology, &machine, 1, ' ', false, out);
        ip_routes_write_address(&addresses, NETWORK_MEMORY, machine, out);
        for (uint32_t i = 0; i < order->n; i++)
            ip_routes_write_address(&addresses, order->network[i], machine, out);
        text_append(out, "\n", 1);
    }
    ip_routes_free_addresses(topology, &addresses);
    return done;
}

/* Returns why there are no such routes, naming the network at fault; NULL: nothing is in the way. */
static const char *ip_routes_obstacle(const struct topology *whole)
{
    if (topology_n_networks(whole) == 1)
        return "it has one network only: there is nothing to choose";
    if (!topology_network_info(whole, NETWORK_MEMORY)->addresses)
        return "'networks' has no attribute 'addresses': the IP addresses by which programs are to know the hosts, "
               "one for each";
    for (uint32_t i = 1; i < topology_n_networks(whole); i++) {
        const struct network *network = topology_network_info(whole, i);
        const char *lacks = network->device        ? "is an RDMA adapter, and routes of IP do not choose it"
                            : !network->interface  ? "has no 'interface'"
                            : !network->addresses ? "has no 'addresses', one IP address for each of its hosts"
                                                   : NULL;
        if (lacks)
            return arena_printf(whole->arena, "network '%s' %s", network->label, lacks);
    }
    return NULL;
}

static bool ip_routes_write(const struct topology *topology, struct text *out, const char **problem)
{
    const struct topology *whole = topology_whole(topology);
    struct network_order order;
    *problem = ip_routes_obstacle(whole);
    if (*problem)
        return false;
    selection_by_speed(whole, NULL, &order);
    text_append(out, ip_routes_head, sizeof ip_routes_head - 1);
    selection_write_comment(whole, &order, out);
    text_printf(out, "interfaces='");
    for (uint32_t i = 0; i < order.n; i++)
        text_printf(out, "%s%s", i ? " " : "", topology_network_info(whole, order.network[i])->interface);
    text_printf(out, "'\n# name, address for programs, address on each network, the fastest first; -: not on "
                     "it\nhosts='\n");
    if (!ip_routes_write_hosts(whole, &order, out)) {
        *problem = "the name of a machine has a character that means something to a shell";
        return false;
    }
    text_append(out, ip_routes_tail, sizeof ip_routes_tail - 1);
    return true;
}

const struct topology_format ip_routes_format = {.write = ip_routes_write};
