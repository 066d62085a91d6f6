/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recognition of regular shapes: which nodes of the network are the nodes of a shape,
 * the searches in the order of recognise.h, and the proof of what they found.
 */
#include "network/recognise.h"

#include "network/recognise_kinds.h"

#include <stdlib.h>
#include <string.h>

/* ---- neighbours ---- */

/* Appends the neighbours of a node, parallel cables joined; place[node] is where a
 * neighbour stands in the list, which is of use if it is among those of this node. */
static void add_neighbours(struct skeleton *skeleton, uint32_t node, uint32_t *place)
{
    const struct graph *graph = skeleton->graph;
    uint32_t start = skeleton->first[node], end = start;
    for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
        uint32_t to = graph_link_to(graph, graph->out[i]), at = place[to];
        if (to < skeleton->begin)
            continue;
        if (at >= start && at < end && skeleton->list[at].node == to) {
            skeleton->list[at].n_cables++;
            continue;
        }
        place[to] = end;
        skeleton->list[end++] = (struct neighbour){to, 1, graph->out[i] / 2};
    }
    skeleton->first[node + 1] = end;
}

static struct skeleton make_skeleton(const struct graph *graph, uint32_t begin)
{
    struct skeleton skeleton = {.graph = graph, .begin = begin, .n = graph->n_nodes - begin};
    uint32_t *place = mem_alloc(graph->n_nodes, sizeof *place);
    skeleton.first = mem_alloc((size_t)graph->n_nodes + 1, sizeof *skeleton.first);
    skeleton.list = mem_alloc(2 * (size_t)graph->n_cables, sizeof *skeleton.list);
    for (uint32_t node = begin; node < graph->n_nodes; node++)
        add_neighbours(&skeleton, node, place);
    free(place);
    return skeleton;
}

static void recognise_join_cables(struct skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->first[skeleton->graph->n_nodes]; i++)
        skeleton->list[i].n_cables = 1;
}

static void free_skeleton(struct skeleton *skeleton)
{
    free(skeleton->first);
    free(skeleton->list);
}

/* ---- machines at routers ---- */

static bool same_numbers(const struct graph_cable *a, const struct graph_cable *b)
{
    return a->bandwidth == b->bandwidth && a->latency == b->latency;
}

/* Returns the only cable of a machine if that leads to a router and is like that of machine 0, or NULL. */
static const struct graph_cable *host_cable(const struct graph *graph, uint32_t machine)
{
    uint32_t at = graph->first[machine];
    if (graph->first[machine + 1] != at + 1 ||
        graph_link_to(graph, graph->out[at]) < graph->n_machines)
        return NULL;
    const struct graph_cable *cable = &graph->cables[graph->out[at] / 2];
    return same_numbers(cable, &graph->cables[graph->out[graph->first[0]] / 2]) ? cable : NULL;
}

static uint32_t recognise_router_of(const struct graph *graph, uint32_t machine)
{
    return graph_link_to(graph, graph->out[graph->first[machine]]);
}

/* Returns the number of machines of every router, each with one cable and all cables alike; 0 if they
 * differ. */
static uint32_t machines_per_router(const struct graph *graph)
{
    uint32_t n_routers = graph->n_nodes - graph->n_machines;
    uint32_t each = n_routers ? graph->n_machines / n_routers : 0;
    bool good = each > 0 && graph->n_machines % n_routers == 0;
    uint32_t *n = mem_alloc(graph->n_nodes, sizeof *n);
    for (uint32_t machine = 0; machine < graph->n_machines && good; machine++)
        good = host_cable(graph, machine) && ++n[recognise_router_of(graph, machine)] <= each;
    free(n);
    return good ? each : 0;
}

static bool has_wider_links(const struct topology *shape, uint64_t bandwidth)
{
    for (uint32_t i = 0; i < shape->n_classes; i++)
        if (shape->n_links && shape->classes[i].bandwidth > bandwidth)
            return true;
    return false;
}

/* ---- the searches ---- */

struct attempt {
    const struct skeleton *skeleton;
    struct topology_settings settings;
    enum likeness likeness;
    uint32_t *image;
};

static struct topology *try_search(const struct attempt *attempt, shape_search *search)
{
    struct topology *shape = search(attempt->skeleton, &attempt->settings, attempt->image);
    if (shape && recognition_check(attempt->skeleton->graph, attempt->skeleton->begin, shape,
                                   attempt->image, attempt->likeness))
        return shape;
    topology_free(shape);
    return NULL;
}

/* Machines and routers together can only be rails, a tree or a Dragonfly+, nodes of one sort only a full
 * mesh or a grid. */
static struct topology *recognise_try_all(const struct attempt *attempt)
{
    const struct graph *graph = attempt->skeleton->graph;
    bool is_mixed = !attempt->skeleton->begin && graph->n_nodes > graph->n_machines;
    shape_search *const mixed[] = {search_rail, search_tree, search_dragonfly, NULL};
    shape_search *const alike[] = {search_full, search_grid, NULL};
    struct topology *shape = NULL;
    for (shape_search *const *search = is_mixed ? mixed : alike; *search && !shape; search++)
        shape = try_search(attempt, *search);
    return shape;
}

/* ---- what it is nearly ---- */

/* The shape without its numbers. */
static void print_kind(const struct topology *shape, struct text *out)
{
    struct text whole = {0};
    topology_shape(shape, &whole);
    const char *numbers = strstr(whole.data, ",bw="), *latency = strstr(whole.data, ",lat=");
    const char *ports = strstr(whole.data, ",ports=");
    const char *end = numbers ? numbers : latency ? latency : ports;
    text_append(out, whole.data, end ? (size_t)(end - whole.data) : whole.length);
    text_free(&whole);
}

/* Says that it is a Dragonfly+ but for the ends of cables between groups. */
static bool find_dragonfly(const struct attempt *attempt, struct text *nearly)
{
    struct topology *shape = attempt->skeleton->begin
                                 ? NULL
                                 : search_dragonfly(attempt->skeleton, &attempt->settings, attempt->image);
    if (!shape)
        return false;
    print_kind(shape, nearly);
    text_printf(nearly, " but for the spines at which cables between groups end");
    topology_free(shape);
    return true;
}

/* Says what the network is if cables count less and less. */
static void find_nearly(struct attempt *attempt, struct skeleton *skeleton, uint32_t n_hosts,
                        struct text *nearly)
{
    static const char *const but[] = {
        [LIKE_EXACTLY] = "",
        [LIKE_IN_CABLES] = " but for the bandwidth or latency of some cables",
        [LIKE_IN_PAIRS] = " but for parallel cables",
    };
    for (int likeness = LIKE_EXACTLY; likeness <= LIKE_IN_PAIRS; likeness++) {
        attempt->likeness = (enum likeness)likeness;
        if (likeness == LIKE_IN_PAIRS && find_dragonfly(attempt, nearly))
            return;
        if (likeness == LIKE_IN_PAIRS)
            recognise_join_cables(skeleton);
        struct topology *shape = recognise_try_all(attempt);
        if (!shape)
            continue;
        print_kind(shape, nearly);
        if (skeleton->begin && n_hosts != 1)
            text_printf(nearly, " of switches with %u machines each", n_hosts);
        text_printf(nearly, "%s", but[likeness]);
        topology_free(shape);
        return;
    }
}

/* ---- the answer ---- */

/* In a shape a machine sends over each link at that link's bandwidth: it is not that shape
 * if the cable between machine and router, which it has no counterpart for, is in the way. */
static void check_host_cables(const struct graph *graph, struct recognition *recognition)
{
    uint64_t bandwidth = graph->cables[graph->out[graph->first[0]] / 2].bandwidth;
    if (!has_wider_links(recognition->shape, bandwidth))
        return;
    print_kind(recognition->shape, &recognition->nearly);
    text_printf(&recognition->nearly, " but the machines' cables are narrower");
    topology_free(recognition->shape);
    recognition->shape = NULL;
}

/* Searches among the nodes from `begin` on, routers having n_hosts machines each. */
static void recognise_look(const struct topology *topology, uint32_t begin, uint32_t n_hosts,
                           struct recognition *recognition)
{
    struct skeleton skeleton = make_skeleton(topology_as_graph(topology), begin);
    skeleton.ports = topology->host_ports;
    struct attempt attempt = {.skeleton = &skeleton,
                              .settings = {.latency = TOPOLOGY_DEFAULT_LATENCY,
                                           .ports = topology->ports},
                              .likeness = LIKE_EXACTLY,
                              .image = recognition->image};
    if (n_hosts == 1)
        recognition->shape = recognise_try_all(&attempt);
    if (!recognition->shape)
        find_nearly(&attempt, &skeleton, n_hosts, &recognition->nearly);
    else if (begin)
        check_host_cables(topology_as_graph(topology), recognition);
    free_skeleton(&skeleton);
}

bool recognise(const struct topology *topology, struct recognition *recognition)
{
    const struct graph *graph = topology_as_graph(topology);
    *recognition = (struct recognition){0};
    text_append(&recognition->nearly, "", 0);
    if (!graph || !graph->n_machines)
        return false;
    recognition->image = mem_alloc(graph->n_nodes, sizeof *recognition->image);
    recognise_look(topology, 0, 1, recognition);
    uint32_t n_hosts = machines_per_router(graph);
    if (!recognition->shape && !recognition->nearly.length && n_hosts) {
        recognise_look(topology, graph->n_machines, n_hosts, recognition);
        for (uint32_t machine = 0; machine < graph->n_machines; machine++)
            recognition->image[machine] = recognition->image[recognise_router_of(graph, machine)];
    }
    if (!recognition->shape) {
        free(recognition->image);
        recognition->image = NULL;
    }
    return recognition->shape != NULL;
}

/* A graph of which links fail has no way to them any more, but its cables still. */
static struct topology *recognise_copy_whole(const struct topology *topology, const struct graph *graph)
{
    struct graph *copy = graph_new();
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        graph_add_node(copy, graph->nodes[node].is_router, graph_name(graph, node),
                       graph->nodes[node].name_length);
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        const struct graph_cable *cable = &graph->cables[i];
        graph_add_cable(copy, cable->end[0], cable->end[1], cable->bandwidth, cable->latency);
    }
    graph_seal(copy);
    const struct topology_settings settings = {.latency = TOPOLOGY_DEFAULT_LATENCY, .ports = topology->ports};
    return topology_new_graph(&settings, copy);
}

bool recognise_whole(const struct topology *part, struct recognition *recognition)
{
    const struct graph *graph = topology_as_graph(topology_whole(part));
    if (!graph)
        return recognise(part, recognition);
    struct topology *whole = recognise_copy_whole(part, graph);
    const bool is_recognised = recognise(whole, recognition);
    topology_free(whole);
    return is_recognised;
}

void recognition_free(struct recognition *recognition)
{
    topology_free(recognition->shape);
    free(recognition->image);
    text_free(&recognition->nearly);
}
