/* SPDX-License-Identifier: BSD-3-Clause
 *
 * model SPEC: makes the topology and prints
 *   MICROSECONDS BYTES
 * of the library call, both without what a process costs anyway.
 *
 * model --explicit SPEC: writes the same network as an explicit one, its nodes in
 * disorder, and prints
 *   BYTES_PER_LINK_END SECONDS SHAPE
 * memory of the model beside names, and how long the recognition of the shape takes.
 */
#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/recognise.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t allocated(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Nodes take the number i * step mod n, with a step that has no divisor of n. */
static uint32_t disorder(uint32_t i, uint32_t n)
{
    return (uint32_t)((uint64_t)i * 1000003 % n);
}

static struct topology *explicit_copy(const struct topology *shape)
{
    struct topology_settings settings = {.name = "copy", .latency = TOPOLOGY_DEFAULT_LATENCY};
    struct graph *graph = graph_new();
    uint32_t n_machines = shape->n_machines;
    for (uint32_t i = 0; i < shape->n_nodes; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "n%u", i);
        graph_add_node(graph, i >= n_machines, name, (size_t)length);
    }
    for (uint32_t link = 0; link < shape->n_link_ids; link++) {
        uint32_t end[2];
        if (!topology_has_link(shape, link))
            continue;
        topology_link_ends(shape, link, &end[0], &end[1]);
        for (int i = 0; i < 2; i++)
            end[i] = end[i] < n_machines ? disorder(end[i], n_machines) : end[i];
        if (end[0] < end[1])
            graph_add_cable(graph, end[0], end[1], topology_link_bandwidth(shape, link),
                            topology_link_latency(shape, link));
    }
    graph_seal(graph);
    return topology_new_graph(&settings, graph);
}

static int measure_explicit(const struct topology *shape)
{
    struct recognition recognition;
    struct text found = {0};
    size_t before = allocated();
    struct topology *copy = explicit_copy(shape);
    size_t bytes = allocated() - before - topology_as_graph(copy)->names_capacity;
    double start = now();
    bool is_regular = recognise(copy, &recognition);
    double seconds = now() - start;
    if (is_regular)
        topology_shape(recognition.shape, &found);
    printf("%.1f %.4f %s\n", (double)bytes / copy->n_links, seconds, is_regular ? found.data : "-");
    text_free(&found);
    recognition_free(&recognition);
    topology_free(copy);
    return is_regular ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct diagnostics diagnostics = {0};
    if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[1], "--explicit") != 0)) {
        fprintf(stderr, "usage: model [--explicit] SPEC\n");
        return 2;
    }
    size_t before = allocated();
    double start = now();
    struct topology *topology = topology_read(argv[argc - 1], &diagnostics);
    double seconds = now() - start;
    size_t bytes = allocated() - before;
    if (!topology)
        return 2;
    int status = 0;
    if (argc == 3)
        status = measure_explicit(topology);
    else
        printf("%.1f %zu\n", seconds * 1e6, bytes);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return status;
}
