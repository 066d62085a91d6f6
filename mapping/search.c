/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The search for a map: two starts, the identity and the greedy one, improved by changes of
 * places; then changes at random and improvement again, for as long as the work allows. See
 * mapping.h and search.h.
 */
#include "mapping/search.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINKS = 1 << 26 };

static uint64_t work_of(const struct mapping_request *request, uint32_t p)
{
    const uint64_t work = (uint64_t)MAPPING_WORK_PER_RANK * p;
    if (request->work)
        return request->work;
    if (work < MAPPING_LEAST_WORK)
        return MAPPING_LEAST_WORK;
    return work < MAPPING_MOST_WORK ? work : MAPPING_MOST_WORK;
}

/* Both starts, improved; `map` becomes the better one. */
static void run(struct layout *layout, const struct mapping_request *request, uint32_t root,
                uint32_t *map)
{
    const uint32_t p = layout->pairs->n_ranks;
    const uint64_t work = work_of(request, p);
    uint32_t *greedy = mem_alloc(p, sizeof *greedy);
    struct map_network network;
    map_network_open(&network, request);
    greedy_place(layout, &network, root);
    layout->work = 0;
    improve(layout, &network, root, work / 2);
    memcpy(greedy, layout->rank, p * sizeof *greedy);
    const uint64_t greedy_cost = layout->cost;
    layout_set(layout, map);
    layout->work = work / 2;
    improve(layout, &network, root, work);
    memcpy(map, greedy_cost < layout->cost ? greedy : layout->rank, p * sizeof *map);
    map_network_close(&network);
    free(greedy);
}

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static bool is_better(const struct mapping_figures *a, const struct mapping_figures *b)
{
    int order = compare(a->step_load, b->step_load);
    if (!order)
        order = compare(a->total_load, b->total_load);
    if (!order)
        order = compare(a->cost, b->cost);
    return order < 0;
}

static bool measure(struct schedule *schedule, struct layout *layout, const uint32_t *map,
                    struct mapping_figures *figures)
{
    *figures = (struct mapping_figures){0};
    layout_set(layout, map);
    measure_layout(layout, figures);
    return measure_steps(schedule, layout, map, figures);
}

static bool search_sparse(struct schedule *schedule, const struct mapping_request *request,
                          const struct pairs *pairs, struct mapping_result *result)
{
    const uint32_t p = pairs->n_ranks;
    struct layout layout;
    layout_open(&layout, request, pairs);
    uint32_t *found = mem_alloc(p, sizeof *found);
    const uint32_t root = collective_table[schedule->header.collective].rooted
                              ? schedule->header.root
                              : NOWHERE;
    memcpy(found, result->map, p * sizeof *found);
    run(&layout, request, root, found);
    bool is_measured = measure(schedule, &layout, result->map, &result->before) &&
                       measure(schedule, &layout, found, &result->after);
    result->least_cost = result->after.cost;
    if (is_better(&result->after, &result->before))
        memcpy(result->map, found, p * sizeof *found);
    else
        result->after = result->before;
    free(found);
    layout_close(&layout);
    return is_measured;
}

const char *mapping_search_problem(const struct schedule_header *header,
                                   const struct mapping_request *request)
{
    if (!request->topology)
        return "no topology is given";
    if (request->topology->n_link_ids > MAX_LINKS)
        return "the topology has more than 67108864 links";
    return mapping_problem(header->collective, header->form);
}

bool mapping_search(struct schedule *schedule, const struct mapping_request *request,
                    struct mapping_result *result)
{
    struct pairs pairs = {0};
    const uint32_t p = schedule->header.n_ranks;
    *result = (struct mapping_result){.map = mem_alloc(p, sizeof *result->map)};
    for (uint32_t v = 0; v < p; v++)
        result->map[v] = v;
    bool is_done = pairs_gather(&pairs, schedule);
    result->is_too_dense = pairs.is_too_dense;
    if (is_done && !pairs.is_too_dense)
        is_done = search_sparse(schedule, request, &pairs, result);
    pairs_free(&pairs);
    schedule->rewind(schedule);
    return is_done;
}
