/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads adapters of machines. See adapters.h. hwloc keeps the system's data of an adapter as named infos:
 * NodeGUID, and for port N PortNState, PortNLID and PortNGID0, the last being subnet prefix and port
 * GUID.
 */
#include "network/formats/infiniband/adapters.h"

#include "base/text/file_list.h"
#include "base/text/units.h"
#include "network/formats/infiniband/subnet_index.h"
#include "network/formats/hwloc/hwloc_open.h"

#include <stdlib.h>

enum { MAX_PORTS = 8 };
#define FILE_LIMIT ((size_t)64 << 20)

void adapters_free(struct adapter_list *list)
{
    free(list->ports);
    arena_free(&list->arena);
}

/* Takes four groups, "0011:7500:006f:74e8:...", from *at on. Returns false if they are none. */
static bool adapters_take_guid(const char **at, uint64_t *guid)
{
    *guid = 0;
    for (int group = 0; group < 4; group++) {
        for (int i = 0; i < 4; i++, ++*at) {
            int digit = hexadecimal_digit(**at);
            if (digit < 0)
                return false;
            *guid = *guid << 4 | (uint64_t)digit;
        }
        if (group < 3 && *(*at)++ != ':')
            return false;
    }
    return true;
}

static const char *info_of_port(hwloc_obj_t device, uint32_t port, const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "Port%u%s", port, what);
    return hwloc_obj_get_info_by_name(device, name);
}

static uint32_t number_or_0(const char *text)
{
    unsigned long number = text ? strtoul(text, NULL, 0) : 0;
    return number < SUBNET_LIDS ? (uint32_t)number : 0;
}

static void read_gid(const char *gid, struct adapter_port *port)
{
    uint64_t prefix, guid;
    if (!gid || !adapters_take_guid(&gid, &prefix) || *gid++ != ':' || !adapters_take_guid(&gid, &guid))
        return;
    port->subnet_prefix = prefix;
    port->port_guid = guid;
}

static void adapters_add_device(struct adapter_list *list, const char *machine, hwloc_obj_t device)
{
    const char *guid = hwloc_obj_get_info_by_name(device, "NodeGUID");
    uint64_t node_guid = 0;
    if (!guid || !adapters_take_guid(&guid, &node_guid))
        return; /* no InfiniBand */
    const char *name = device->name ? device->name : "";
    const char *adapter = arena_strndup(&list->arena, name, strlen(name));
    for (uint32_t number = 1; number <= MAX_PORTS; number++) {
        const char *state = info_of_port(device, number, "State");
        if (!state)
            continue;
        list->ports = mem_grow(list->ports, &list->capacity, (size_t)list->n_ports + 1,
                               sizeof *list->ports);
        struct adapter_port *port = &list->ports[list->n_ports++];
        *port = (struct adapter_port){.machine = machine,
                                      .adapter = adapter,
                                      .number = number,
                                      .state = number_or_0(state),
                                      .lid = number_or_0(info_of_port(device, number, "LID")),
                                      .node_guid = node_guid,
                                      .link = GRAPH_NONE};
        read_gid(info_of_port(device, number, "GID0"), port);
    }
}

/* Returns the machine's own name, else the name of its file without folders and extension. */
static const char *adapters_machine_name(hwloc_topology_t machine, const char *path, struct arena *arena)
{
    const char *name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(machine), "HostName");
    if (name && *name)
        return arena_strndup(arena, name, strcspn(name, "."));
    const char *slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    return arena_strndup(arena, path, strcspn(path, "."));
}

static bool adapters_read_file(const char *path, struct adapter_list *list, struct diagnostics *diagnostics)
{
    const struct source *source = source_read(path, FILE_LIMIT, &diagnostics->arena, diagnostics);
    if (!source || !source_check_utf8(source, diagnostics))
        return false;
    hwloc_topology_t machine = machine_open(source, diagnostics);
    if (!machine)
        return false;
    const char *name = adapters_machine_name(machine, path, &list->arena);
    uint32_t before = list->n_ports;
    for (hwloc_obj_t device = NULL; (device = hwloc_get_next_osdev(machine, device)) != NULL;)
        adapters_add_device(list, name, device);
    hwloc_topology_destroy(machine);
    list->n_machines++;
    list->n_without += list->n_ports == before;
    return true;
}

/* ---- on the network ---- */

static void find_on_network(const struct graph *graph, const struct subnet_index *index,
                            struct adapter_port *port)
{
    uint32_t found = port->port_guid ? subnet_find_port(index, port->port_guid) : GRAPH_NONE;
    if (found == GRAPH_NONE)
        found = subnet_find_port(index, port->node_guid);
    if (found != GRAPH_NONE)
        port->link = graph->subnet->ports[found].link;
}

static bool find_all(const struct topology *network, struct adapter_list *list,
                     struct diagnostics *diagnostics)
{
    struct subnet_index index;
    const struct graph *graph = topology_as_graph(network);
    if (!graph || !graph->subnet)
        return true;
    bool is_made = subnet_index_make(&index, graph, (struct position){0}, diagnostics);
    for (uint32_t i = 0; is_made && i < list->n_ports; i++)
        find_on_network(graph, &index, &list->ports[i]);
    subnet_index_free(&index);
    return is_made;
}

bool adapters_read(const char *name, const struct topology *network, struct adapter_list *list,
                   struct diagnostics *diagnostics)
{
    struct file_list files = {0};
    bool is_read = file_list_add(&files, name, diagnostics);
    *list = (struct adapter_list){0};
    for (size_t i = 0; is_read && i < files.n; i++)
        is_read = adapters_read_file(files.paths[i], list, diagnostics);
    file_list_free(&files);
    return is_read && find_all(network, list, diagnostics);
}
