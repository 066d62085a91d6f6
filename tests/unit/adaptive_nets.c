/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See adaptive_nets.h.
 */
#include "tests/unit/adaptive_nets.h"

#include "network/adaptive.h"
#include "network/formats/formats.h"
#include "network/graph.h"
#include "network/parts.h"
#include "tests/unit/random_network.h"

#include <CUnit/Basic.h>
#include <stdio.h>

static const char *const strings[] = {"star:6",
                                      "full:5",
                                      "mesh:5",
                                      "mesh:3x4",
                                      "mesh:3x3x2",
                                      "torus:4",
                                      "torus:5x4",
                                      "torus:3x3x3",
                                      "torus:4x4mx2",
                                      "torus:2x2x2",
                                      "tofu:1x2x1",
                                      "fattree:2x2",
                                      "fattree:4x4",
                                      "fattree:4x3x2",
                                      "fattree:3x4,up=1x2",
                                      "fattree:2x3x2,up=2x2x3",
                                      "fattree:4x1x3,up=1x3x2",
                                      "fattree:3x3x2,up=1x2x2,cables=2x3x1"};
enum { N_STRINGS = sizeof strings / sizeof *strings, N_DRAGONFLIES = 2, N_RANDOM = 12, N_PARTS = 4 };

static struct topology *of_string(const char *string, uint64_t bandwidth)
{
    struct diagnostics diagnostics = {0};
    char spec[128];
    snprintf(spec, sizeof spec, "%s,bw=%lluB/s,lat=0ns", string, (unsigned long long)bandwidth);
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

static uint32_t add_named(struct graph *graph, bool is_router, uint32_t number)
{
    char name[32];
    const int length = snprintf(name, sizeof name, "%s%u", is_router ? "r" : "m", number);
    return graph_add_node(graph, is_router, name, (size_t)length);
}

/* Groups of `a` routers, all joined, with one host each; router i of a group has a cable to one of each i-th
 * other group. In a dragonfly+ (Shpiner et al. 2017) the group is half leaves, half spines. */
static struct topology *dragonfly(bool is_plus, uint64_t bandwidth)
{
    enum { GROUPS = 5, A = 4 };
    struct graph *graph = graph_new();
    uint32_t routers[GROUPS][A];
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t i = 0; i < A; i++)
            routers[group][i] = add_named(graph, true, group * A + i);
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t i = 0; i < A; i++) {
            const bool has_host = !is_plus || i < A / 2;
            for (uint32_t host = 0; host < (has_host ? is_plus ? 2u : 1u : 0u); host++)
                graph_add_cable(graph, add_named(graph, false, (group * A + i) * 2 + host), routers[group][i],
                                bandwidth, 0);
            for (uint32_t k = i + 1; k < A; k++)
                if (!is_plus || (i < A / 2 && k >= A / 2))
                    graph_add_cable(graph, routers[group][i], routers[group][k], bandwidth, 0);
        }
    for (uint32_t group = 0; group < GROUPS; group++)
        for (uint32_t other = group + 1; other < GROUPS; other++)
            for (uint32_t cable = 0; cable < (is_plus ? A / 2u : 1u); cable++) {
                const uint32_t i = is_plus ? A / 2 + cable : other - group - 1;
                const uint32_t k = is_plus ? A / 2 + cable : GROUPS - 1 - (other - group);
                graph_add_cable(graph, routers[group][i], routers[other][k], bandwidth, 0);
            }
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "dragonfly", .bandwidth = bandwidth},
                              graph);
}

static struct topology *of_random(uint64_t seed, uint64_t bandwidth)
{
    random_network_seed(seed);
    struct graph *graph = seed % 2 ? random_rails() : random_graph();
    for (uint32_t i = 0; i < graph->n_cables; i++) {
        graph->cables[i].bandwidth = bandwidth;
        graph->cables[i].latency = 0;
    }
    return topology_new_graph(&(struct topology_settings){.name = "random", .bandwidth = bandwidth}, graph);
}

/* Some machines, some of these without some links, of a grid, a tree and explicit networks. */
static struct topology *part(uint32_t i, uint64_t bandwidth)
{
    struct topology *whole = i == 0   ? of_string("torus:4x4", bandwidth)
                             : i == 1 ? of_string("fattree:4x4", bandwidth)
                                      : dragonfly(i == 3, bandwidth);
    const uint32_t machines[] = {1, 2, 3, 7, 8, 9, 12};
    if (i >= 2)
        whole = topology_new_faulty(whole, (const uint32_t[]){40, 41, 60, 61}, 4);
    return topology_new_subset(whole, machines, sizeof machines / sizeof *machines);
}

struct topology *adaptive_net(uint32_t i, uint64_t bandwidth)
{
    struct topology *topology = NULL;
    if (i < N_STRINGS)
        topology = of_string(strings[i], bandwidth);
    else if ((i -= N_STRINGS) < N_DRAGONFLIES)
        topology = dragonfly(i == 1, bandwidth);
    else if ((i -= N_DRAGONFLIES) < N_RANDOM)
        topology = of_random(i + 1, bandwidth);
    else if ((i -= N_RANDOM) < N_PARTS)
        topology = part(i, bandwidth);
    else
        return NULL;
    const char *problem = topology_set_adaptive(topology);
    CU_ASSERT_PTR_NULL_FATAL(problem);
    return topology;
}
