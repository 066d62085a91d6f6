/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fabric_ports.h. Plans and switches may call one port otherwise ("Port 1" and "Ethernet0"): ports are
 * compared if at least half of those of the old network are in the new one.
 */
#include "study/fabric/fabric_ports.h"
#include "base/integer.h"
#include "network/ports.h"
#include "study/fabric/fabric_join.h"

#include <stdlib.h>
#include <string.h>

static int fabric_ports_compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void fabric_ports_take_names(struct fabric_ports *ports, const struct topology *topology,
                                    size_t *capacity)
{
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const char *name = topology_has_link(topology, link) ? topology_port_name(topology, link) : NULL;
        if (!name)
            continue;
        ports->names = mem_grow(ports->names, capacity, (size_t)ports->n + 1, sizeof *ports->names);
        ports->names[ports->n++] = name;
    }
}

uint32_t fabric_port_at(const struct fabric_ports *ports, const struct topology *topology, uint32_t link,
                        bool is_own)
{
    uint32_t from, to;
    if (link == NO_NEXT_LINK)
        return 0;
    topology_link_ends(topology, link, &from, &to);
    if (!is_own && !ports->is_compared[from < topology->n_machines])
        return 0;
    const char *name = ports->n ? topology_port_name(topology, link) : NULL;
    const char **found = name ? bsearch(&name, ports->names, ports->n, sizeof *ports->names,
                                        fabric_ports_compare_names)
                              : NULL;
    return found ? FABRIC_NAMED_PORT + (uint32_t)(found - ports->names) : topology_port_out(topology, link);
}

/* The ports of one kind of node that is in both networks: node << 32 | port, ascending. */
struct port_places {
    uint64_t *items;
    uint32_t n;
};

static struct port_places fabric_ports_places(const struct fabric_ports *ports,
                                              const struct fabric_join *join, bool is_new, bool of_hosts)
{
    const struct topology *topology = is_new ? join->new : join->old;
    struct port_places places = {mem_alloc((size_t)topology->n_link_ids + 1, sizeof *places.items), 0};
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const uint32_t node = is_new ? join->of_new[from] : from;
        const uint32_t port = fabric_port_at(ports, topology, link, true);
        if (port && (from < topology->n_machines) == of_hosts && join->old_of[node] != NOT_THERE &&
            join->new_of[node] != NOT_THERE)
            places.items[places.n++] = (uint64_t)node << 32 | port;
    }
    if (places.n)
        qsort(places.items, places.n, sizeof *places.items, compare_uint64);
    return places;
}

static bool fabric_ports_are_alike(const struct fabric_ports *ports, const struct fabric_join *join,
                                   bool of_hosts)
{
    const struct port_places old = fabric_ports_places(ports, join, false, of_hosts);
    const struct port_places new = fabric_ports_places(ports, join, true, of_hosts);
    uint32_t n_common = 0;
    for (uint32_t i = 0, j = 0; i < old.n && j < new.n;) {
        const int order = compare_numbers(old.items[i], new.items[j]);
        n_common += !order;
        i += order <= 0;
        j += order >= 0;
    }
    const uint32_t n = old.n < new.n ? old.n : new.n;
    free(old.items);
    free(new.items);
    return n && 2 * (uint64_t)n_common >= n;
}

struct fabric_ports fabric_ports_of(const struct fabric_join *join)
{
    struct fabric_ports ports = {
        .is_known = topology_has_ports(join->old) && topology_has_ports(join->new)};
    const bool are_subnets = topology_is_subnet(join->old) && topology_is_subnet(join->new);
    size_t capacity = 0;
    if (!ports.is_known)
        return ports;
    fabric_ports_take_names(&ports, join->old, &capacity);
    fabric_ports_take_names(&ports, join->new, &capacity);
    if (ports.n)
        qsort(ports.names, ports.n, sizeof *ports.names, fabric_ports_compare_names);
    const uint32_t n_all = ports.n;
    for (uint32_t i = ports.n = 0; i < n_all; i++)
        if (!ports.n || strcmp(ports.names[ports.n - 1], ports.names[i]) != 0)
            ports.names[ports.n++] = ports.names[i];
    for (int of_hosts = 0; of_hosts < 2; of_hosts++)
        ports.is_compared[of_hosts] = are_subnets || fabric_ports_are_alike(&ports, join, of_hosts);
    return ports;
}

void fabric_ports_free(struct fabric_ports *ports)
{
    free(ports->names);
}
