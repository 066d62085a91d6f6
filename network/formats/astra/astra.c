/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the network file of ASTRA-sim's analytical back end: dimensions, the fastest first,
 *
 *   topology: [ Ring, FullyConnected, Switch ]
 *   npus_count: [ 2, 8, 4 ]
 *   bandwidth: [ 200.0, 100.0, 50.0 ]   # GB/s of each link
 *   latency: [ 50.0, 500.0, 2000.0 ]    # ns of each link
 *
 * Rings alone are a torus, one dimension is a torus, a full mesh or a star. Else each NPU has a router of
 * its own, which has the links of all dimensions and a cable to the NPU that holds none of them up.
 */
#include "base/codes.h"
#include "base/text/yaml_tree.h"
#include "network/format.h"
#include "network/full.h"
#include "network/graph_topology.h"
#include "network/grid.h"
#include "network/tree.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CABLES = 1 << 20 };
enum astra_kind { ASTRA_RING, ASTRA_FULL, ASTRA_SWITCH, N_ASTRA_KINDS };
static const char *const astra_kinds[N_ASTRA_KINDS] = {"Ring", "FullyConnected", "Switch"};

struct astra_reader {
    const struct source *source;
    struct diagnostics *diagnostics;
    uint32_t n; /* dimensions */
    enum astra_kind kind[TOPOLOGY_MAX_DIMENSIONS];
    uint32_t extent[TOPOLOGY_MAX_DIMENSIONS];
    struct link_class links[TOPOLOGY_MAX_DIMENSIONS];
    struct graph *graph;
    uint32_t n_npus;
};

static bool astra_fail(const struct astra_reader *reader, const struct yaml_node *node, uint32_t code,
                       const char *message)
{
    report(reader->diagnostics, code, yaml_position(reader->source, node), "%s", message)->help =
        "the lists topology, npus_count, bandwidth (GB/s) and latency (ns) have a value for each dimension";
    return false;
}

/* ---- the file ---- */

static bool is_astra(const struct source *source)
{
    const char *text = source_start(source);
    const char *first = strstr(text, "topology:"), *count = strstr(text, "npus_count:");
    return first && count && (first == text || first[-1] == '\n') && (count == text || count[-1] == '\n');
}

/* Finds the list under a key, with as many values as there are dimensions. */
static bool astra_find_list(struct astra_reader *reader, const struct yaml_node *file, const char *key,
                            const struct yaml_node **list)
{
    uint32_t n = 0;
    *list = yaml_find(file, key);
    if (!*list || (*list)->kind != YAML_SEQUENCE) {
        report(reader->diagnostics, CODE_T026, yaml_position(reader->source, *list ? *list : file),
               "the file has no list '%s'", key)
            ->help = "it is the network file of the analytical back end: topology, npus_count, bandwidth, latency";
        return false;
    }
    for (const struct yaml_node *value = (*list)->first; value; value = value->next, n++)
        if (value->kind != YAML_SCALAR)
            return astra_fail(reader, value, CODE_T026, "expected a word or a number");
    if (!reader->n)
        reader->n = n;
    if (n != reader->n)
        return astra_fail(reader, *list, CODE_T026, "not as many values as 'topology' has dimensions");
    return (n && n <= TOPOLOGY_MAX_DIMENSIONS) ||
           astra_fail(reader, *list, CODE_T026, "expected 1 to 8 dimensions");
}

static bool astra_read_kinds(struct astra_reader *reader, const struct yaml_node *list)
{
    uint32_t n = 0;
    for (const struct yaml_node *value = list->first; value; value = value->next, n++) {
        reader->kind[n] = N_ASTRA_KINDS;
        for (int kind = 0; kind < N_ASTRA_KINDS; kind++)
            if (slice_is(value->text, astra_kinds[kind]))
                reader->kind[n] = (enum astra_kind)kind;
        if (reader->kind[n] == N_ASTRA_KINDS)
            return astra_fail(reader, value, CODE_T026, "expected Ring, FullyConnected or Switch");
    }
    return true;
}

static bool astra_read_counts(struct astra_reader *reader, const struct yaml_node *list)
{
    uint32_t n = 0;
    uint64_t product = 1;
    for (const struct yaml_node *value = list->first; value; value = value->next, n++) {
        if (parse_count(value->text, &reader->extent[n]) != VALUE_OK || !reader->extent[n])
            return astra_fail(reader, value, CODE_T026, "expected a number of NPUs, at least 1");
        product *= reader->extent[n];
        if (product > TOPOLOGY_MAX_MACHINES)
            return astra_fail(reader, value, CODE_T006, "together more than 2^30 NPUs");
    }
    reader->n_npus = (uint32_t)product;
    return true;
}

/* Reads numbers of at most so much. */
static bool astra_read_numbers(struct astra_reader *reader, const struct yaml_node *list, double most,
                               double *numbers)
{
    uint32_t n = 0;
    for (const struct yaml_node *value = list->first; value; value = value->next, n++) {
        char *end;
        numbers[n] = strtod(value->text.text, &end);
        if (*end || end == value->text.text || !(numbers[n] >= 0))
            return astra_fail(reader, value, CODE_T026, "expected a number such as 50.0");
        if (numbers[n] > most)
            return astra_fail(reader, value, CODE_T006, "rates go up to 1000 TB/s, times to 1000 s");
    }
    return true;
}

static bool astra_read_file(struct astra_reader *reader, const struct yaml_node *file)
{
    double rates[TOPOLOGY_MAX_DIMENSIONS], times[TOPOLOGY_MAX_DIMENSIONS];
    const struct yaml_node *list;
    if (!astra_find_list(reader, file, "topology", &list) || !astra_read_kinds(reader, list) ||
        !astra_find_list(reader, file, "npus_count", &list) || !astra_read_counts(reader, list) ||
        !astra_find_list(reader, file, "bandwidth", &list) || !astra_read_numbers(reader, list, 1e6, rates))
        return false;
    for (uint32_t i = 0; i < reader->n; i++)
        if (!(rates[i] * 1e9 >= 1))
            return astra_fail(reader, list, CODE_T006, "a rate is below 1 B/s");
    if (!astra_find_list(reader, file, "latency", &list) || !astra_read_numbers(reader, list, 1e12, times))
        return false;
    for (uint32_t i = 0; i < reader->n; i++)
        reader->links[i] =
            (struct link_class){(uint64_t)llround(rates[i] * 1e9), (uint64_t)llround(times[i])};
    return true;
}

/* ---- regular shapes ---- */

static bool astra_is_torus(const struct astra_reader *reader)
{
    for (uint32_t i = 0; i < reader->n; i++)
        if (reader->kind[i] != ASTRA_RING)
            return false;
    return true;
}

/* Returns the network of rings, or of one dimension; *problem if a number is out of range. */
static struct topology *astra_make_shape(const struct astra_reader *reader, const char **problem)
{
    const uint32_t up[1] = {1};
    bool wraps[TOPOLOGY_MAX_DIMENSIONS];
    const struct topology_settings settings = {.name = reader->source->path,
                                               .bandwidth = reader->links[0].bandwidth,
                                               .latency = reader->links[0].latency,
                                               .classes = reader->n > 1 ? reader->links : NULL};
    for (uint32_t i = 0; i < reader->n; i++)
        wraps[i] = reader->extent[i] > 2; /* a ring of two has one cable */
    if (reader->kind[0] == ASTRA_RING)
        return topology_new_grid(&settings, reader->n, reader->extent, wraps, problem);
    if (reader->kind[0] == ASTRA_FULL)
        return topology_new_full(&settings, reader->extent[0], problem);
    return topology_new_tree(&settings, 1, reader->extent, up, NULL, problem);
}

/* ---- networks of several kinds ---- */

/* Returns the number of cables at most. */
static double astra_count_cables(const struct astra_reader *reader)
{
    double n = reader->n_npus;
    for (uint32_t i = 0; i < reader->n; i++)
        n += (double)reader->n_npus * (reader->kind[i] == ASTRA_FULL ? reader->extent[i] : 1);
    return n;
}

/* Adds a node "npu3", "router3" or "switch1.3". */
static uint32_t astra_add_node(struct astra_reader *reader, const char *word, uint32_t number, uint32_t part)
{
    char name[48];
    int length = snprintf(name, sizeof name, "%s%" PRIu32, word, number);
    if (part != GRAPH_NONE)
        length += snprintf(name + length, sizeof name - (size_t)length, ".%" PRIu32, part);
    return graph_add_node(reader->graph, *word != 'n', name, (size_t)length);
}

/* Adds the links of one dimension among the NPUs first, first + stride ... */
static void astra_add_line(struct astra_reader *reader, uint32_t dimension, uint32_t line, uint32_t first,
                           uint32_t stride)
{
    const uint32_t extent = reader->extent[dimension], routers = reader->n_npus;
    const struct link_class *link = &reader->links[dimension];
    const uint32_t hub =
        reader->kind[dimension] == ASTRA_SWITCH ? astra_add_node(reader, "switch", dimension, line) : GRAPH_NONE;
    for (uint32_t i = 0; i < extent; i++) {
        const uint32_t own = routers + first + i * stride, next = routers + first + (i + 1) % extent * stride;
        if (hub != GRAPH_NONE)
            graph_add_cable(reader->graph, own, hub, link->bandwidth, link->latency);
        else if (reader->kind[dimension] == ASTRA_RING && (i + 1 < extent || extent > 2))
            graph_add_cable(reader->graph, own, next, link->bandwidth, link->latency);
        for (uint32_t k = i + 1; reader->kind[dimension] == ASTRA_FULL && k < extent; k++)
            graph_add_cable(reader->graph, own, routers + first + k * stride, link->bandwidth, link->latency);
    }
}

/* Returns B/s of the cable of an NPU: those of all its links. */
static uint64_t astra_host_rate(const struct astra_reader *reader)
{
    double rate = 0;
    for (uint32_t i = 0; i < reader->n; i++) {
        const uint32_t extent = reader->extent[i];
        const double n_links = reader->kind[i] == ASTRA_FULL ? extent - 1.0
                               : reader->kind[i] == ASTRA_RING && extent > 2 ? 2 : 1;
        rate += n_links * (double)reader->links[i].bandwidth;
    }
    return rate < 1e15 ? (uint64_t)rate : UINT64_C(1000000000000000);
}

static struct topology *astra_make_graph(struct astra_reader *reader)
{
    const struct topology_settings settings = {.name = reader->source->path,
                                               .bandwidth = reader->links[0].bandwidth,
                                               .latency = reader->links[0].latency};
    const uint64_t rate = astra_host_rate(reader);
    uint32_t stride = 1;
    reader->graph = graph_new();
    for (uint32_t npu = 0; npu < reader->n_npus; npu++)
        astra_add_node(reader, "npu", npu, GRAPH_NONE);
    for (uint32_t npu = 0; npu < reader->n_npus; npu++)
        astra_add_node(reader, "router", npu, GRAPH_NONE);
    for (uint32_t npu = 0; npu < reader->n_npus; npu++)
        graph_add_cable(reader->graph, npu, reader->n_npus + npu, rate, 0);
    for (uint32_t i = 0; i < reader->n; stride *= reader->extent[i++])
        for (uint32_t npu = 0, line = 0; npu < reader->n_npus; npu++)
            if (npu / stride % reader->extent[i] == 0 && reader->extent[i] > 1)
                astra_add_line(reader, i, line++, npu, stride);
    return graph_topology(&settings, reader->graph, (struct position){reader->source, 1, 1, 1},
                          reader->diagnostics);
}

static struct topology *read_astra(const struct source *source, struct diagnostics *diagnostics)
{
    struct astra_reader reader = {.source = source, .diagnostics = diagnostics};
    struct arena arena = {0};
    struct topology *topology = NULL;
    const char *problem = NULL;
    const struct yaml_node *file = yaml_read(source, CODE_T026, &arena, diagnostics);
    if (file && file->kind != YAML_MAPPING)
        astra_fail(&reader, file, CODE_T026, "expected lists with names");
    else if (file && astra_read_file(&reader, file)) {
        if (reader.n == 1 || astra_is_torus(&reader))
            topology = astra_make_shape(&reader, &problem);
        else if (astra_count_cables(&reader) > MAX_CABLES)
            problem = "it has more than 2^20 cables";
        else
            topology = astra_make_graph(&reader);
        if (problem)
            report(diagnostics, CODE_T006, yaml_position(source, file), "%s", problem)->help =
                "make the dimensions smaller; a torus or a single dimension may be larger";
    }
    arena_free(&arena);
    return topology;
}

const struct topology_format astra_format = {.is = is_astra, .read = read_astra};
