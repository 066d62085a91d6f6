/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints adapters. See adapters.h.
 */
#include "reports/adapters.h"

#include "reports/record.h"
#include "reports/route_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *state_word(uint32_t state)
{
    static const char *const words[] = {"unknown", "down", "init", "armed", "active"};
    return state < sizeof words / sizeof *words ? words[state] : "unknown";
}

/* "fe80:0000:0000:0000" */
static void print_prefix(uint64_t prefix, char *out, size_t size)
{
    snprintf(out, size, "%04x:%04x:%04x:%04x", (unsigned)(prefix >> 48),
             (unsigned)(prefix >> 32 & 0xffff), (unsigned)(prefix >> 16 & 0xffff),
             (unsigned)(prefix & 0xffff));
}

/* The machine of the network whose port this is; "" if it is not on it. */
static void machine_on_network(const struct topology *network, const struct adapter_port *port,
                               char *name, size_t size)
{
    uint32_t from, to;
    *name = '\0';
    if (port->link == GRAPH_NONE)
        return;
    topology_link_ends(network, port->link, &from, &to);
    topology_node_name(network, from, name, size);
}

static void print_place(const struct topology *network, const struct adapter_port *port,
                        struct text *out)
{
    char end[END_NAME_SIZE], name[256];
    if (port->link == GRAPH_NONE) {
        text_printf(out, "not on this network\n");
        return;
    }
    link_end_name(network, port->link, true, end);
    machine_on_network(network, port, name, sizeof name);
    text_append_safe(out, end);
    if (strcmp(name, port->machine) != 0) {
        text_printf(out, ", as machine '");
        text_append_safe(out, name);
        text_printf(out, "'");
    }
    text_printf(out, "\n");
}

static void adapters_print_port(const struct topology *network, const struct adapter_port *port,
                                struct text *out)
{
    char prefix[24] = "-";
    if (port->port_guid)
        print_prefix(port->subnet_prefix, prefix, sizeof prefix);
    struct text name = {0};
    text_append_safe(&name, port->machine);
    text_printf(out, "  %-15s ", name.data);
    name.length = 0;
    text_append_safe(&name, port->adapter);
    text_printf(out, "%-9s %-4u %-7s %-5u %-20s ", name.data, port->number,
                state_word(port->state), port->lid, prefix);
    print_place(network, port, out);
    text_free(&name);
}

/* Ports of one machine stand together. */
static uint32_t count_on_network(const struct adapter_list *list)
{
    uint32_t n = 0;
    const char *last = NULL;
    for (uint32_t i = 0; i < list->n_ports; i++)
        if (list->ports[i].link != GRAPH_NONE && list->ports[i].machine != last) {
            last = list->ports[i].machine;
            n++;
        }
    return n;
}

void adapters_text(const struct topology *network, const struct adapter_list *list,
                   struct text *out)
{
    if (list->n_ports)
        text_printf(out, "  %-15s %-9s %-4s %-7s %-5s %-20s %s\n", "machine", "adapter", "port",
                    "state", "LID", "subnet prefix", "cabled to");
    for (uint32_t i = 0; i < list->n_ports; i++)
        adapters_print_port(network, &list->ports[i], out);
    text_printf(out, "  %u machine%s described: %u on this network, %u without InfiniBand adapter\n",
                list->n_machines, plural(list->n_machines), count_on_network(list),
                list->n_without);
}

#include "reports/adapters.def"
