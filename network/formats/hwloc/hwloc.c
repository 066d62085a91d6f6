/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The network inside a machine. Its machines are the places where a rank can run, cores and GPUs. Its
 * routers are the objects that join them, from shared caches to PCI switches, and network adapters.
 * Objects with one neighbour below join nothing and are left out. hwloc knows the bandwidth of PCI links
 * and of NVLink; the other links get the default.
 */
#include "network/formats/hwloc/hwloc_open.h"
#include "base/text/xml.h"
#include "network/format.h"
#include "network/graph_topology.h"

#include <stdlib.h>
#include <string.h>

struct builder {
    hwloc_topology_t machine;
    struct graph *graph;
    uint32_t n_gpus, n_nvswitches;
};

/* Adds a node and keeps it with its object, for the matrix of NVLink. */
static uint32_t hwloc_add_node(struct builder *builder, hwloc_obj_t object, bool is_router, const char *name)
{
    uint32_t node = graph_add_node(builder->graph, is_router, name, strlen(name));
    for (uint32_t i = 1; node == GRAPH_NONE; i++) { /* names of devices may repeat */
        struct text other = {0};
        text_printf(&other, "%s#%u", name, i);
        node = graph_add_node(builder->graph, is_router, other.data, other.length);
        text_free(&other);
    }
    object->userdata = (void *)(uintptr_t)(node + 1);
    return node;
}

/* Adds "package0", "l3cache2": type and logical number. */
static uint32_t add_object(struct builder *builder, bool is_router, hwloc_obj_t object)
{
    char type[64], name[96];
    snprintf(type, sizeof type, "%s", hwloc_obj_type_string(object->type));
    for (char *c = type; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    bool is_machine = object->type == HWLOC_OBJ_MACHINE;
    snprintf(name, sizeof name, is_machine ? "%s" : "%s%u", type, object->logical_index);
    return hwloc_add_node(builder, object, is_router, name);
}

/* Converts GB/s as hwloc counts, 10^9 bytes; 0 is not known. */
static uint64_t bandwidth_of(double gigabytes)
{
    bool is_known = gigabytes >= 1e-6 && gigabytes < 1e6;
    return is_known ? (uint64_t)(gigabytes * 1e9 + 0.5) : TOPOLOGY_DEFAULT_BANDWIDTH;
}

static void hwloc_add_cable(struct builder *builder, uint32_t above, uint32_t below, uint64_t bandwidth)
{
    if (above != GRAPH_NONE)
        graph_add_cable(builder->graph, below, above, bandwidth, TOPOLOGY_DEFAULT_LATENCY);
}

/* ---- devices ---- */

enum { CLASS_DISPLAY = 0x03 };

static bool hwloc_is_gpu(hwloc_obj_t device)
{
    for (hwloc_obj_t os = device->io_first_child; os; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE && (os->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC ||
                                                os->attr->osdev.type == HWLOC_OBJ_OSDEV_GPU))
            return device->attr->pcidev.class_id >> 8 == CLASS_DISPLAY ||
                   os->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC;
    return false;
}

static bool is_nvswitch(hwloc_obj_t device)
{
    return device->subtype && strcmp(device->subtype, "NVSwitch") == 0;
}

/* Returns the adapter's name for a user: OpenFabrics' before the system's. */
static const char *adapter_name(hwloc_obj_t device)
{
    const char *name = NULL;
    for (hwloc_obj_t os = device->io_first_child; os; os = os->next_sibling) {
        if (os->type != HWLOC_OBJ_OS_DEVICE)
            continue;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS)
            return os->name;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && !name)
            name = os->name;
    }
    return name;
}

static void hwloc_add_device(struct builder *builder, hwloc_obj_t device, uint32_t above)
{
    char name[32];
    const char *adapter = adapter_name(device);
    uint32_t node;
    if (hwloc_is_gpu(device)) {
        snprintf(name, sizeof name, "gpu%u", builder->n_gpus++);
        node = hwloc_add_node(builder, device, false, name);
    } else if (adapter) {
        node = hwloc_add_node(builder, device, true, adapter);
    } else if (is_nvswitch(device)) {
        snprintf(name, sizeof name, "nvswitch%u", builder->n_nvswitches++);
        node = hwloc_add_node(builder, device, true, name);
    } else {
        return; /* disks and the like: no messages */
    }
    hwloc_add_cable(builder, above, node, bandwidth_of((double)device->attr->pcidev.linkspeed));
}

/* True if anything below sends messages. */
static bool has_devices(hwloc_obj_t bridge)
{
    for (hwloc_obj_t child = bridge->io_first_child; child; child = child->next_sibling) {
        bool is_one = child->type == HWLOC_OBJ_BRIDGE
                          ? has_devices(child)
                          : child->type == HWLOC_OBJ_PCI_DEVICE &&
                                (hwloc_is_gpu(child) || adapter_name(child) || is_nvswitch(child));
        if (is_one)
            return true;
    }
    return false;
}

static void hwloc_add_devices(struct builder *builder, hwloc_obj_t object, uint32_t above)
{
    for (hwloc_obj_t child = object->io_first_child; child; child = child->next_sibling) {
        if (child->type == HWLOC_OBJ_PCI_DEVICE) {
            hwloc_add_device(builder, child, above);
        } else if (child->type == HWLOC_OBJ_BRIDGE && has_devices(child)) {
            bool is_switch = child->io_arity > 1;
            uint32_t node = above;
            double speed =
                child->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI
                    ? (double)child->attr->bridge.upstream.pci.linkspeed
                    : 0;
            if (is_switch) {
                node = add_object(builder, true, child);
                hwloc_add_cable(builder, above, node, bandwidth_of(speed));
            }
            hwloc_add_devices(builder, child, node);
        }
    }
}

/* ---- cores ---- */

static void hwloc_add_tree(struct builder *builder, hwloc_obj_t object, uint32_t above)
{
    bool has_cores = hwloc_get_nbobjs_by_type(builder->machine, HWLOC_OBJ_CORE) > 0;
    if (object->type == (has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU)) {
        hwloc_add_cable(builder, above, add_object(builder, false, object), TOPOLOGY_DEFAULT_BANDWIDTH);
        return;
    }
    uint32_t node = above;
    if (object->arity + object->io_arity > 1 || above == GRAPH_NONE) {
        node = add_object(builder, true, object);
        hwloc_add_cable(builder, above, node, TOPOLOGY_DEFAULT_BANDWIDTH);
    }
    for (unsigned i = 0; i < object->arity; i++)
        hwloc_add_tree(builder, object->children[i], node);
    hwloc_add_devices(builder, object, node);
}

/* ---- NVLink ---- */

static uint32_t hwloc_node_of(hwloc_obj_t object)
{
    while (object && !object->userdata)
        object = object->parent;
    return object ? (uint32_t)((uintptr_t)object->userdata - 1) : GRAPH_NONE;
}

/* Adds the cables of a matrix in MB/s, each value of a pair in one direction with all its links. */
static void add_matrix(struct builder *builder, const struct hwloc_distances_s *matrix)
{
    for (unsigned i = 0; i < matrix->nbobjs; i++)
        for (unsigned j = i + 1; j < matrix->nbobjs; j++) {
            uint32_t a = hwloc_node_of(matrix->objs[i]), b = hwloc_node_of(matrix->objs[j]);
            hwloc_uint64_t speed = matrix->values[(size_t)i * matrix->nbobjs + j];
            if (a != GRAPH_NONE && b != GRAPH_NONE && a != b && speed)
                graph_add_cable(builder->graph, a, b, bandwidth_of((double)speed / 1000),
                                TOPOLOGY_DEFAULT_LATENCY);
        }
}

static void add_links_of_gpus(struct builder *builder)
{
    static const char *const names[] = {"NVLinkBandwidth", "XGMIBandwidth"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct hwloc_distances_s *matrix = NULL;
        unsigned n = 1;
        if (hwloc_distances_get_by_name(builder->machine, names[i], &n, &matrix, 0) != 0 || !n)
            continue;
        add_matrix(builder, matrix);
        hwloc_distances_release(builder->machine, matrix);
    }
}

static bool is_hwloc(const struct source *source)
{
    const char *object = strstr(source->text, "<object ");
    return object && xml_root_is(source, "topology") && strstr(object, "type=\"Machine\"");
}

static struct topology *read_hwloc(const struct source *source, struct diagnostics *diagnostics)
{
    struct builder builder = {.machine = machine_open(source, diagnostics)};
    if (!builder.machine)
        return NULL;
    builder.graph = graph_new();
    hwloc_add_tree(&builder, hwloc_get_root_obj(builder.machine), GRAPH_NONE);
    add_links_of_gpus(&builder);
    hwloc_topology_destroy(builder.machine);
    struct topology_settings settings = {.name = source->path,
                                         .latency = TOPOLOGY_DEFAULT_LATENCY};
    return graph_topology(&settings, builder.graph, source_position(source, 0, 1), diagnostics);
}

const struct topology_format hwloc_format = {.is = is_hwloc, .read = read_hwloc};
