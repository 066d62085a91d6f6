/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See bound_scenes.h.
 */
#include "tests/unit/bound_scenes.h"

#include "bound/check/check.h"
#include "network/formats/formats.h"
#include "network/graph.h"
#include "tests/unit/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t bound_random(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % n);
}

/* ---- where and what ---- */

static struct topology *read(const char *spec)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    diagnostics_free(&diagnostics);
    return topology;
}

static uint32_t add_node(struct graph *graph, bool is_router, uint32_t number)
{
    char name[32];
    const int n = snprintf(name, sizeof name, "%s%u", is_router ? "r" : "h", number);
    return graph_add_node(graph, is_router, name, (size_t)n);
}

/* A tree of routers and some cables more; machines on one router or two. */
static struct topology *random_graph(uint64_t *seed)
{
    struct graph *graph = graph_new();
    const uint32_t n_routers = 2 + bound_random(seed, 5), n_machines = 3 + bound_random(seed, 5);
    const bool is_even = bound_random(seed, 2);
    uint32_t router[8];
    for (uint32_t i = 0; i < n_routers; i++) {
        router[i] = add_node(graph, true, i);
        if (i)
            graph_add_cable(graph, router[i], router[bound_random(seed, i)],
                            is_even ? 1000000000 : 1000000000u * (1 + bound_random(seed, 3)), 0);
    }
    for (uint32_t i = bound_random(seed, 2 * n_routers); i-- > 0;) {
        const uint32_t a = bound_random(seed, n_routers), b = bound_random(seed, n_routers);
        if (a != b)
            graph_add_cable(graph, router[a], router[b],
                            is_even ? 1000000000 : 1000000000u * (1 + bound_random(seed, 3)), 0);
    }
    for (uint32_t i = 0; i < n_machines; i++) {
        const uint32_t machine = add_node(graph, false, i);
        for (uint32_t cables = 1 + !bound_random(seed, 3); cables-- > 0;)
            graph_add_cable(graph, machine, router[bound_random(seed, n_routers)], 1000000000, 0);
    }
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "random"}, graph);
}

/* Ranks here and there; for some seeds one on every machine. */
static struct placement *random_placement(const struct topology *topology, uint64_t *seed)
{
    uint32_t machine[64], n = 2 + bound_random(seed, topology->n_machines + 3);
    const bool is_full = !bound_random(seed, 3);
    if (is_full)
        n = topology->n_machines;
    for (uint32_t rank = 0; rank < n; rank++)
        machine[rank] = is_full ? rank : bound_random(seed, topology->n_machines);
    return placement_of_machines(machine, n, "random");
}

struct counts_runs *bound_random_counts(uint64_t n, uint64_t *seed)
{
    struct counts_runs *counts = counts_new();
    for (uint64_t i = 0; i < n; i++)
        counts_add(counts, bound_random(seed, 3) ? bound_random(seed, 10) : 0, 1);
    return counts;
}

static struct bound_scene scene_of(struct topology *topology, struct placement *placement,
                             enum collective collective, struct counts_runs *counts)
{
    struct bound_scene scene = {topology, placement, counts, {0}};
    scene.request = (struct bound_request){collective, 0, topology, placement,
                                           counts ? &counts->counts : NULL, false};
    return scene;
}

struct bound_scene bound_scene_plain(const char *spec)
{
    struct topology *topology = read(spec);
    struct placement *placement = placement_by_slots(topology->n_machines, 1, false);
    return scene_of(topology, placement, COLLECTIVE_alltoall, NULL);
}

struct bound_scene bound_scene_random(uint64_t *seed)
{
    static const char *const grids[] = {"mesh:2x3", "torus:3x3", "torus:4", "mesh:3x2x2", "torus:3x4",
                                        "full:4", "star:5", "fattree:2x3", "mesh:4,bw=1GB/s",
                                        "torus:3x3,bw=1GB/s:3GB/s"};
    static const enum collective all[] = {COLLECTIVE_alltoall, COLLECTIVE_alltoall,
                                          COLLECTIVE_gather, COLLECTIVE_scatter};
    const uint32_t which = bound_random(seed, 2 * sizeof grids / sizeof *grids);
    struct topology *topology = which < sizeof grids / sizeof *grids ? read(grids[which])
                                                                      : random_graph(seed);
    struct placement *placement = random_placement(topology, seed);
    const enum collective collective = all[bound_random(seed, 4)];
    const uint64_t n = counts_needed(collective, placement->n_ranks);
    return scene_of(topology, placement, collective,
                    bound_random(seed, 2) ? bound_random_counts(n, seed) : NULL);
}

void bound_scene_free(struct bound_scene *scene)
{
    if (scene->counts)
        scene->counts->counts.destroy(&scene->counts->counts);
    placement_free(scene->placement);
    topology_free(scene->topology);
}

/* Returns the data that the ranks of a machine have for those of another. */
double bound_scene_demand(const struct bound_scene *scene, uint32_t from, uint32_t to)
{
    const struct placement *placement = scene->placement;
    const uint32_t p = placement->n_ranks, root = scene->request.root;
    struct counts *counts = scene->request.counts;
    double sum = 0;
    for (uint32_t i = 0; i < p; i++)
        for (uint32_t j = 0; j < p; j++) {
            if (placement->machine[i] != from || placement->machine[j] != to || from == to)
                continue;
            if (scene->request.collective == COLLECTIVE_alltoall)
                sum += counts ? (double)counts->bytes(counts, (uint64_t)i * p + j) : 1;
            else if (scene->request.collective == COLLECTIVE_gather && j == root)
                sum += counts ? (double)counts->bytes(counts, i) : 1;
            else if (scene->request.collective == COLLECTIVE_scatter && i == root)
                sum += counts ? (double)counts->bytes(counts, j) : 1;
        }
    return sum;
}

/* ---- certificates ---- */

bool certificate_passes(const struct text *text, const struct check_subject *subject)
{
    struct text verdict = {0};
    const bool is_good = proof_file_check(text->data, text->length, subject, &verdict);
    CU_ASSERT(verdict.length > 10 && (strncmp(verdict.data, "proved: ", 8) == 0) == is_good);
    text_free(&verdict);
    return is_good;
}

const char *bound_scene_name(const struct bound_scene *scene)
{
    const bool has_counts = scene->counts != NULL;
    switch ((int)scene->request.collective) {
    case COLLECTIVE_gather: return has_counts ? "gatherv" : "gather";
    case COLLECTIVE_scatter: return has_counts ? "scatterv" : "scatter";
    default: return has_counts ? "alltoallv" : "alltoall";
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Changes one place of the text: a digit, a whole number, a character, or a line. */
struct text certificate_mutant(const struct text *text, uint64_t *seed)
{
    struct text mutant = {0};
    size_t at = bound_random(seed, (uint32_t)text->length), end;
    const uint32_t how = bound_random(seed, 6);
    while (how < 3 && !is_digit(text->data[at]))
        at = (at + 1) % text->length;
    end = at + 1;
    if (how == 1)
        while (at && is_digit(text->data[at - 1]))
            at--;
    while (how == 1 && is_digit(text->data[end]))
        end++;
    if (how > 3) {
        while (at && text->data[at - 1] != '\n')
            at--;
        while (end < text->length && text->data[end - 1] != '\n')
            end++;
    }
    text_append(&mutant, text->data, how == 5 ? end : at);
    if (how < 2)
        text_printf(&mutant, "%u", bound_random(seed, how ? 40 : 10));
    else if (how == 3)
        text_printf(&mutant, "%c", 32 + (int)bound_random(seed, 95));
    else if (how == 5)
        text_append(&mutant, text->data + at, end - at);
    text_append(&mutant, text->data + end, text->length - end);
    return mutant;
}

bool is_same_certificate(const struct text *a, const struct text *b)
{
    json_t *x = json_loadb(a->data, a->length, 0, NULL), *y = json_loadb(b->data, b->length, 0, NULL);
    const bool is_equal = y && json_equal(x, y);
    json_decref(x);
    json_decref(y);
    return is_equal;
}
