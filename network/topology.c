/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of network/topology.h: every question goes to the methods of the
 * kind (network/kind.h), which has a file of its own.
 */
#include "network/host_ports.h"
#include "network/kind.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct divider divider_of(uint32_t value)
{
    if (value <= 1)
        return (struct divider){0, 1};
    return (struct divider){UINT64_MAX / value + 1, value};
}

/* ---- making and freeing ---- */

struct topology *topology_allocate(const struct topology_methods *methods, size_t n_bytes,
                                   const struct topology_settings *settings)
{
    struct arena *arena = mem_alloc(1, sizeof *arena);
    struct topology *topology = arena_alloc(arena, 1, sizeof *topology);
    topology->arena = arena;
    topology->methods = methods;
    topology->self = n_bytes ? arena_alloc(arena, 1, n_bytes) : NULL;
    topology->whole = topology;
    topology->n_networks = 1;
    topology->has_machine_ports = true;
    topology->has_exact_hops = true;
    topology->bandwidth = settings->bandwidth ? settings->bandwidth : TOPOLOGY_DEFAULT_BANDWIDTH;
    topology->latency = settings->latency;
    topology->states_rates = settings->bandwidth || (settings->classes && settings->classes[0].bandwidth);
    topology->ports = settings->ports;
    topology->n_classes = 1;
    topology->classes[0] = (struct link_class){topology->bandwidth, topology->latency};
    if (settings->name)
        topology->name = arena_strndup(arena, settings->name, strlen(settings->name));
    return topology;
}

struct topology *topology_allocate_over(const struct topology_methods *methods, size_t n_bytes,
                                        struct topology *base)
{
    const struct topology_settings settings = {.name = base->name,
                                               .bandwidth = base->bandwidth,
                                               .latency = base->latency,
                                               .ports = base->ports};
    struct topology *topology = topology_allocate(methods, n_bytes, &settings);
    topology->base = base;
    topology->whole = base->whole;
    topology->n_networks = base->n_networks;
    topology->has_machine_ports = base->has_machine_ports;
    topology->has_loose_links = base->has_loose_links;
    topology->machines_forward = base->machines_forward;
    topology->has_fat_pipes = base->has_fat_pipes;
    topology->n_link_ids = base->n_link_ids;
    return topology;
}

static bool topology_same_class(struct link_class a, struct link_class b)
{
    return a.bandwidth == b.bandwidth && a.latency == b.latency;
}

void topology_set_classes(struct topology *topology, const struct topology_settings *settings,
                          uint32_t n)
{
    if (!settings->classes)
        return;
    for (uint32_t i = 0; i < n; i++) {
        topology->classes[i] = settings->classes[i];
        if (!topology->classes[i].bandwidth)
            topology->classes[i].bandwidth = topology->bandwidth;
        if (!topology_same_class(topology->classes[i], topology->classes[0]))
            topology->n_classes = n;
    }
    topology->bandwidth = topology->classes[0].bandwidth;
    topology->latency = topology->classes[0].latency;
}

void topology_free(struct topology *topology)
{
    if (!topology)
        return;
    if (topology->methods->release)
        topology->methods->release(topology);
    struct arena *arena = topology->arena;
    arena_free(arena);
    free(arena);
}

/* ---- fingerprint ---- */

uint64_t fingerprint_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++, number >>= 8)
        hash = (hash ^ (number & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t fingerprint_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return fingerprint_number(hash, length);
}

uint64_t fingerprint_values(const struct topology *topology, uint64_t hash)
{
    hash = fingerprint_number(hash, topology->n_machines);
    hash = fingerprint_number(hash, topology->bandwidth);
    return fingerprint_number(hash, topology->latency);
}

uint64_t fingerprint_classes(const struct topology *topology, uint64_t hash)
{
    for (uint32_t i = 0; i < topology->n_classes && topology->n_classes > 1; i++) {
        hash = fingerprint_number(hash, topology->classes[i].bandwidth);
        hash = fingerprint_number(hash, topology->classes[i].latency);
    }
    return hash;
}

struct topology *topology_finish(struct topology *topology)
{
    uint64_t hash = fingerprint_number(FINGERPRINT_START, topology->methods->number);
    if (!topology->n_nodes)
        topology->n_nodes = topology->n_machines + topology->n_routers;
    hash = fingerprint_number(hash, topology->ports);
    topology->fingerprint = topology->methods->fingerprint(topology, hash);
    topology->host_ports = host_ports_new(topology);
    if (!topology->name) {
        struct text shape = {0};
        topology_shape(topology, &shape);
        topology->name = arena_strndup(topology->arena, shape.data ? shape.data : "", shape.length);
        text_free(&shape);
    }
    return topology;
}

uint32_t topology_base_node(const struct topology *topology, uint32_t node)
{
    return topology->methods->base_node ? topology->methods->base_node(topology, node) : node;
}

uint32_t topology_whole_node(const struct topology *topology, uint32_t node)
{
    for (; topology->base; topology = topology->base)
        node = topology_base_node(topology, node);
    return node;
}

struct topology *topology_take_base(struct topology *topology)
{
    struct topology *base = topology->base;
    topology->base = NULL;
    topology_free(topology);
    return base;
}

/* ---- routes and links ---- */

uint32_t topology_route(const struct topology *topology, uint32_t source, uint32_t destination,
                        struct hop *hops)
{
    return source == destination ? 0
                                 : topology->methods->route(topology, source, destination, hops);
}

bool topology_next_links(const struct topology *topology, uint32_t destination, uint32_t *next)
{
    return topology->methods->next_links &&
           topology->methods->next_links(topology, destination, next);
}

bool topology_routes_are_trees(const struct topology *topology)
{
    uint32_t *next = mem_alloc(topology->n_nodes, sizeof *next);
    const bool are_trees = topology->n_machines && topology_next_links(topology, 0, next);
    free(next);
    return are_trees;
}

uint32_t topology_longest_route(const struct topology *topology, bool *is_exact)
{
    uint32_t n = topology->n_machines, longest = 0;
    *is_exact = true;
    if (topology->has_exact_hops)
        return topology->max_hops;
    *is_exact = (uint64_t)n * n <= TOPOLOGY_MAX_WALKED;
    if (!*is_exact)
        return topology->max_hops;
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    for (uint32_t source = 0; source < n; source++)
        for (uint32_t destination = 0; destination < n; destination++) {
            uint32_t length = topology_route(topology, source, destination, hops);
            longest = length > longest ? length : longest;
        }
    free(hops);
    return longest;
}

bool topology_has_link(const struct topology *topology, uint32_t link)
{
    const struct topology_methods *methods = topology->methods;
    return link < topology->n_link_ids && (!methods->has_link || methods->has_link(topology, link));
}

bool topology_link_contends(const struct topology *topology, uint32_t link)
{
    while (!topology->methods->link_contends && topology->base)
        topology = topology->base;
    const struct topology_methods *methods = topology->methods;
    return !methods->link_contends || methods->link_contends(topology, link);
}

void topology_link_ends(const struct topology *topology, uint32_t link, uint32_t *from,
                        uint32_t *to)
{
    topology->methods->link_ends(topology, link, from, to);
}

void topology_set_links(struct topology *topology, struct link_class links)
{
    assert(topology_is_implicit(topology) && topology->n_classes <= 1);
    topology->bandwidth = links.bandwidth;
    topology->latency = links.latency;
    topology->classes[0] = links;
}

uint64_t topology_link_bandwidth(const struct topology *topology, uint32_t link)
{
    while (!topology->methods->link_bandwidth && topology->base)
        topology = topology->base;
    const struct topology_methods *methods = topology->methods;
    return methods->link_bandwidth ? methods->link_bandwidth(topology, link) : topology->bandwidth;
}

uint64_t topology_link_latency(const struct topology *topology, uint32_t link)
{
    while (!topology->methods->link_latency && topology->base)
        topology = topology->base;
    const struct topology_methods *methods = topology->methods;
    return methods->link_latency ? methods->link_latency(topology, link) : topology->latency;
}

/* ---- names ---- */

void topology_numbered_name(const struct topology *topology, uint32_t node, struct text *out)
{
    if (node < topology->n_machines)
        text_printf(out, "m%u", node);
    else
        text_printf(out, "sw%u", node - topology->n_machines);
}

void topology_node_name(const struct topology *topology, uint32_t node, char *name, size_t size)
{
    struct text text = {0};
    if (!size)
        return;
    topology->methods->node_name(topology, node, &text);
    size_t n = text.length < size - 1 ? text.length : size - 1;
    if (n)
        memcpy(name, text.data, n);
    name[n] = '\0';
    text_free(&text);
}

bool topology_scan_number(const char **cursor, const char *end, uint32_t *value)
{
    const char *start = *cursor;
    uint64_t number = 0;
    for (; *cursor != end && **cursor >= '0' && **cursor <= '9'; ++*cursor) {
        number = number * 10 + (uint64_t)(**cursor - '0');
        if (number > UINT32_MAX)
            return false;
    }
    *value = (uint32_t)number;
    return *cursor != start;
}

uint32_t topology_find_numbered(const struct topology *topology, const char *name, size_t length)
{
    const char *cursor = name + 1, *end = name + length;
    uint32_t machine;
    if (length < 2 || name[0] != 'm' || !topology_scan_number(&cursor, end, &machine) ||
        cursor != end || machine > topology->n_machines)
        return topology->n_machines;
    return machine;
}

uint32_t topology_find_machine(const struct topology *topology, const char *name, size_t length)
{
    return topology->methods->find_machine(topology, name, length);
}

uint32_t topology_find_host(const struct topology *topology, const char *name, size_t length)
{
    const uint32_t machine = topology_find_machine(topology, name, length);
    const char *dot = length ? memchr(name, '.', length) : NULL;
    return machine == topology->n_machines && dot && dot > name
               ? topology_find_machine(topology, name, (size_t)(dot - name))
               : machine;
}

uint32_t topology_find_node(const struct topology *topology, const char *name, size_t length)
{
    uint32_t node = topology_find_machine(topology, name, length);
    if (node < topology->n_machines)
        return node;
    struct text text = {0};
    for (; node < topology->n_nodes; node++) {
        text.length = 0;
        topology->methods->node_name(topology, node, &text);
        if (text.length == length && length && memcmp(text.data, name, length) == 0)
            break;
    }
    text_free(&text);
    return node;
}

/* ---- for people ---- */

bool topology_is_implicit(const struct topology *topology)
{
    return topology->methods->shape != NULL;
}

void topology_find_forwarding(const struct topology *topology, bool *forwards)
{
    const struct topology_methods *methods = topology->whole->methods;
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        forwards[node] = node >= topology->n_machines || topology->machines_forward;
    if (methods->find_forwarding)
        methods->find_forwarding(topology, forwards);
}

bool topology_find_cut(const struct topology *topology, uint32_t i, struct topology_cut *cut)
{
    const struct topology_methods *methods = topology->methods;
    return methods->cut && methods->cut(topology, i, cut);
}

bool topology_has_lanes(const struct topology *topology)
{
    const struct topology_methods *methods = topology->methods;
    return methods->has_lanes && methods->has_lanes(topology);
}

bool topology_assumes_routes(const struct topology *topology)
{
    const struct topology_methods *methods = topology->methods;
    if (methods->assumes_routes)
        return methods->assumes_routes(topology);
    return topology->base && topology_assumes_routes(topology->base);
}

const char *topology_routing_rule(const struct topology *topology)
{
    if (topology->is_adaptive)
        return "adaptive: at every node any of the links that lead one hop nearer";
    return topology->methods->routing_rule(topology);
}

/* The largest unit that leaves a whole number. */
static void topology_print_unit(uint64_t value, const char *const *units, uint32_t n_units, struct text *out)
{
    uint32_t unit = 0;
    for (; unit + 1 < n_units && value && value % 1000 == 0; unit++)
        value /= 1000;
    text_printf(out, "%llu%s", (unsigned long long)value, units[unit]);
}

void topology_print_bandwidth(uint64_t bandwidth, struct text *out)
{
    static const char *const units[] = {"B/s", "KB/s", "MB/s", "GB/s"};
    topology_print_unit(bandwidth, units, 4, out);
}

void topology_print_latency(uint64_t latency, struct text *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    topology_print_unit(latency, units, 4, out);
}

/* True if a value is the same in all classes. */
static bool classes_agree(const struct topology *topology, bool of_bandwidth)
{
    const struct link_class *class = topology->classes;
    for (uint32_t i = 1; i < topology->n_classes; i++)
        if (of_bandwidth ? class[i].bandwidth != class[0].bandwidth
                         : class[i].latency != class[0].latency)
            return false;
    return true;
}

void topology_print_bandwidths(const struct topology *topology, struct text *out)
{
    uint32_t n = classes_agree(topology, true) ? 1 : topology->n_classes;
    for (uint32_t i = 0; i < n; i++) {
        text_append(out, ":", i > 0);
        topology_print_bandwidth(topology->classes[i].bandwidth, out);
    }
}

void topology_print_latencies(const struct topology *topology, struct text *out)
{
    uint32_t n = classes_agree(topology, false) ? 1 : topology->n_classes;
    for (uint32_t i = 0; i < n; i++) {
        text_append(out, ":", i > 0);
        topology_print_latency(topology->classes[i].latency, out);
    }
}

void topology_print_values(const struct topology *topology, struct text *out)
{
    if (!classes_agree(topology, true) || topology->bandwidth != TOPOLOGY_DEFAULT_BANDWIDTH) {
        text_printf(out, ",bw=");
        topology_print_bandwidths(topology, out);
    }
    if (!classes_agree(topology, false) || topology->latency != TOPOLOGY_DEFAULT_LATENCY) {
        text_printf(out, ",lat=");
        topology_print_latencies(topology, out);
    }
    if (topology->ports)
        text_printf(out, ",ports=%u", topology->ports);
}

void topology_shape(const struct topology *topology, struct text *out)
{
    if (topology->methods->shape)
        topology->methods->shape(topology, out);
    else
        text_printf(out, "%s", topology->shape ? topology->shape : "");
}
