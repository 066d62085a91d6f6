/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See explicit.h.
 */
#include "network/explicit.h"

#include "network/kind.h"

#include <inttypes.h>
#include <stdio.h>

void explicit_classes(const struct topology_settings *settings, uint32_t n, struct link_class *classes)
{
    for (uint32_t i = 0; i < n; i++) {
        classes[i] = settings->classes ? settings->classes[i]
                                       : (struct link_class){settings->bandwidth, settings->latency};
        classes[i].bandwidth = classes[i].bandwidth ? classes[i].bandwidth : TOPOLOGY_DEFAULT_BANDWIDTH;
    }
}

void explicit_add_node(struct graph *graph, const char *word, uint32_t number, uint32_t part)
{
    char name[48];
    int length = snprintf(name, sizeof name, "%s%" PRIu32, word, number);
    if (part != GRAPH_NONE)
        length += snprintf(name + length, sizeof name - (size_t)length, ".%" PRIu32, part);
    graph_add_node(graph, *word != 'm', name, (size_t)length);
}

void explicit_add_cable(struct graph *graph, uint32_t a, uint32_t b, const struct link_class *class)
{
    graph_add_cable(graph, a, b, class->bandwidth, class->latency);
}

/* Appends a value of each class, or of all if they are alike; nothing if it is the default. */
static void explicit_print(const struct link_class *classes, uint32_t n, bool of_latency, struct text *out)
{
    uint64_t value[EXPLICIT_MAX_CLASSES] = {0};
    bool is_alike = true;
    for (uint32_t i = 0; i < n; i++) {
        value[i] = of_latency ? classes[i].latency : classes[i].bandwidth;
        is_alike = is_alike && value[i] == value[0];
    }
    if (is_alike && value[0] == (of_latency ? TOPOLOGY_DEFAULT_LATENCY : TOPOLOGY_DEFAULT_BANDWIDTH))
        return;
    for (uint32_t i = 0; i < (is_alike ? 1 : n); i++) {
        text_printf(out, "%s", i ? ":" : of_latency ? ",lat=" : ",bw=");
        if (of_latency)
            topology_print_latency(value[i], out);
        else
            topology_print_bandwidth(value[i], out);
    }
}

struct topology *explicit_new(const struct topology_settings *settings, const struct link_class *classes,
                              uint32_t n_classes, struct graph *graph, struct text *shape)
{
    struct topology_settings complete = *settings;
    explicit_print(classes, n_classes, false, shape);
    explicit_print(classes, n_classes, true, shape);
    if (settings->ports)
        text_printf(shape, ",ports=%" PRIu32, settings->ports);
    graph_seal(graph);
    complete.classes = NULL;
    complete.bandwidth = classes[0].bandwidth;
    complete.latency = classes[0].latency;
    if (!complete.name)
        complete.name = shape->data;
    struct topology *topology = topology_new_graph(&complete, graph);
    topology->shape = arena_strndup(topology->arena, shape->data, shape->length);
    text_free(shape);
    return topology;
}
