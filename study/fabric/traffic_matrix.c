/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See traffic_matrix.h.
 */
#include "study/fabric/traffic_matrix.h"

#include "base/search.h"
#include "measure/flows.h"
#include "network/load.h"

#include <stdlib.h>

struct traffic_matrix traffic_matrix_start(const struct topology *topology, const struct placement *placement)
{
    struct traffic_matrix matrix = {.topology = topology, .placement = placement};
    matrix.total = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *matrix.total);
    matrix.scratch = mem_alloc(1, sizeof *matrix.scratch);
    *matrix.scratch = link_loads_new(topology, false);
    matrix.hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *matrix.hops);
    matrix.first_load = mem_grow(NULL, &matrix.first_capacity, 1, sizeof *matrix.first_load);
    matrix.first_load[0] = 0;
    return matrix;
}

void traffic_matrix_free(struct traffic_matrix *matrix)
{
    free(matrix->flows);
    free(matrix->first_load);
    free(matrix->chunks);
    free(matrix->loads);
    free(matrix->total);
    free(matrix->hops);
    if (matrix->scratch)
        link_loads_free(matrix->scratch);
    free(matrix->scratch);
    *matrix = (struct traffic_matrix){0};
}

bool matrix_flow_route(const struct topology *topology, const struct matrix_flow *flow, struct hop *hops,
                     uint32_t *n)
{
    const uint32_t n_hops =
        topology_route_over(topology, flow->network, flow->source, flow->destination, hops);
    *n = link_loads_drop_fat_pipes(topology, hops, n_hops);
    return n_hops > 0;
}

static void traffic_matrix_add_flow(struct traffic_matrix *matrix, const struct flow *flow)
{
    const uint32_t *machine = matrix->placement ? matrix->placement->server_machine : NULL;
    const struct matrix_flow added = {machine ? machine[flow->source] : flow->source,
                                    machine ? machine[flow->destination] : flow->destination,
                                    flow->n_messages, matrix->n_steps, flow->network};
    matrix->flows =
        mem_grow(matrix->flows, &matrix->flows_capacity, matrix->n_flows + 1, sizeof *matrix->flows);
    matrix->flows[matrix->n_flows++] = added;
    uint32_t n;
    (void)matrix_flow_route(matrix->topology, &added, matrix->hops, &n);
    link_loads_add(matrix->scratch, matrix->hops, n, flow->n_messages);
    matrix->n_crossings += n;
}

static int traffic_matrix_compare_loads(const void *a, const void *b)
{
    const struct matrix_load *x = a, *y = b;
    return x->link < y->link ? -1 : x->link > y->link;
}

static void keep_loads(struct traffic_matrix *matrix)
{
    const size_t first = matrix->n_loads;
    uint64_t at = 0;
    uint32_t link;
    while (link_loads_next(matrix->scratch, &at, &link)) {
        const uint64_t messages = matrix->scratch->load[link];
        matrix->loads =
            mem_grow(matrix->loads, &matrix->loads_capacity, matrix->n_loads + 1, sizeof *matrix->loads);
        matrix->loads[matrix->n_loads++] = (struct matrix_load){link, (uint32_t)messages};
        matrix->total[link] += messages;
    }
    link_loads_clear(matrix->scratch);
    if (matrix->n_loads > first)
        qsort(matrix->loads + first, matrix->n_loads - first, sizeof *matrix->loads,
              traffic_matrix_compare_loads);
}

/* Returns the chunks of a message, if all messages of the step have the same. */
static uint64_t traffic_matrix_chunks_of(const struct flows *flows)
{
    const struct flow *first = &flows->flows[0];
    const uint64_t chunks = first->n_chunks / first->n_messages;
    for (size_t i = 0; i < flows->n; i++)
        if (flows->flows[i].n_chunks != chunks * flows->flows[i].n_messages)
            return 0;
    return chunks;
}

void traffic_matrix_watch(void *context, uint64_t step, const struct flows *flows)
{
    struct traffic_matrix *matrix = context;
    (void)step;
    if (!flows->n || matrix->is_too_large)
        return;
    for (size_t i = 0; i < flows->n; i++)
        traffic_matrix_add_flow(matrix, &flows->flows[i]);
    keep_loads(matrix);
    matrix->chunks = mem_grow(matrix->chunks, &matrix->chunks_capacity, (size_t)matrix->n_steps + 1,
                              sizeof *matrix->chunks);
    matrix->chunks[matrix->n_steps++] = traffic_matrix_chunks_of(flows);
    matrix->first_load = mem_grow(matrix->first_load, &matrix->first_capacity, (size_t)matrix->n_steps + 1,
                                sizeof *matrix->first_load);
    matrix->first_load[matrix->n_steps] = matrix->n_loads;
    matrix->is_too_large = matrix->n_crossings > MATRIX_MAX_CROSSINGS;
}

uint32_t traffic_matrix_load(const struct traffic_matrix *matrix, uint32_t step, uint32_t link)
{
    const size_t first = matrix->first_load[step], end = matrix->first_load[step + 1];
    if (first == end)
        return 0;
    const size_t at = search_key(&matrix->loads->link, sizeof *matrix->loads, first, end, link);
    return at == SEARCH_NONE ? 0 : matrix->loads[at].messages;
}
