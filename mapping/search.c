/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The search for a map: two starts, the greedy map and the best of the identity and the orders of
 * hosts, improved by changes of places; then changes at random and improvement again, for as long
 * as the work allows. See mapping.h and search.h.
 */
#include "mapping/search.h"

#include "base/integer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LINKS = 1 << 26 };

uint64_t search_work_of(const struct mapping_request *request, uint32_t p)
{
    const uint64_t work = (uint64_t)MAPPING_WORK_PER_RANK * p;
    if (request->work)
        return request->work;
    if (work < MAPPING_LEAST_WORK)
        return MAPPING_LEAST_WORK;
    return work < MAPPING_MOST_WORK ? work : MAPPING_MOST_WORK;
}

static bool search_is_better(const struct mapping_figures *a, const struct mapping_figures *b)
{
    int order = compare_numbers(a->step_load, b->step_load);
    if (!order)
        order = compare_numbers(a->total_load, b->total_load);
    if (!order)
        order = compare_numbers(a->cost, b->cost);
    return order < 0;
}

static struct mapping_result identity_of(uint32_t p)
{
    const struct mapping_result result = {.map = mem_alloc(p, sizeof *result.map)};
    for (uint32_t v = 0; v < p; v++)
        result.map[v] = v;
    return result;
}

/* ---- candidates ---- */

/* State of a search for one schedule. */
struct hunt {
    struct schedule *schedule;
    const struct mapping_request *request;
    struct layout layout;
    uint32_t root;   /* a virtual rank that stays, or NOWHERE */
    bool moves_hosts; /* only whole hosts change places: channels are made anew by their order */
    uint64_t work;   /* left for measuring orders */
    struct mapping_result *result; /* the best so far */
};

static void hunt_open(struct hunt *hunt, struct schedule *schedule,
                      const struct mapping_request *request, const struct pairs *pairs,
                      struct mapping_result *result)
{
    const bool is_rooted = collective_table[schedule->header.collective].rooted;
    *hunt = (struct hunt){.schedule = schedule,
                          .request = request,
                          .root = is_rooted ? schedule->header.root : NOWHERE,
                          .moves_hosts = schedule->header.n_channels,
                          .work = search_work_of(request, pairs->n_ranks),
                          .result = result};
    layout_open(&hunt->layout, request, pairs);
}

static bool search_measure(struct hunt *hunt, const uint32_t *map, uint64_t *work,
                           struct mapping_figures *figures)
{
    *figures = (struct mapping_figures){0};
    layout_set(&hunt->layout, map);
    measure_layout(&hunt->layout, figures);
    return measure_steps(hunt->schedule, &hunt->layout, map, work, figures);
}

/* Measures a map and keeps it if it is better than the best so far. `order`: its name, or NULL. */
static bool consider(struct hunt *hunt, const uint32_t *map, const char *order, uint64_t *work)
{
    struct mapping_result *result = hunt->result;
    struct mapping_figures figures;
    if (!search_measure(hunt, map, work, &figures))
        return false;
    if (search_is_better(&figures, &result->after)) {
        result->after = figures;
        result->order = order;
        memcpy(result->map, map, hunt->layout.pairs->n_ranks * sizeof *map);
    }
    return true;
}

/* True if the map lets each host take the place of one host, slot by slot. */
static bool search_keeps_hosts(const struct placement *placement, const uint32_t *map)
{
    bool keeps = true;
    for (uint32_t v = 0; keeps && v < placement->n_ranks; v++) {
        const uint32_t first = placement->ranks[placement->first[placement->server[v]]];
        keeps = placement->server[map[v]] == placement->server[map[first]] &&
                placement->slot[map[v]] == placement->slot[v];
    }
    return keeps;
}

/* Tries the orders of hosts, as long as there is work. True if all were. */
static bool try_orders(struct hunt *hunt)
{
    struct order_maps maps;
    bool is_measured = true;
    order_maps_open(&maps, hunt->request, hunt->root);
    for (uint32_t i = 0; i < maps.n && is_measured; i++)
        if (!hunt->moves_hosts || search_keeps_hosts(hunt->request->placement, maps.items[i].map))
            is_measured = consider(hunt, maps.items[i].map, maps.items[i].name, &hunt->work);
    order_maps_close(&maps);
    return is_measured;
}

/* Measures the ranks as they are, which are the best so far. */
static bool begin_with_identity(struct hunt *hunt, uint64_t *work)
{
    const bool is_measured = search_measure(hunt, hunt->result->map, work, &hunt->result->before);
    hunt->result->after = hunt->result->before;
    return is_measured;
}

/* ---- the search ---- */

/* Returns the greedy map, improved. Requires an empty layout. */
static uint32_t *improve_greedy(struct hunt *hunt, const struct map_network *network, uint64_t limit)
{
    struct layout *layout = &hunt->layout;
    uint32_t *map = mem_alloc(layout->pairs->n_ranks, sizeof *map);
    greedy_place(layout, network, hunt->root);
    layout->work = 0;
    improve(layout, network, hunt->root, limit);
    memcpy(map, layout->rank, layout->pairs->n_ranks * sizeof *map);
    hunt->result->least_cost = layout->cost;
    return map;
}

/* Returns the best map so far, improved. */
static uint32_t *improve_best(struct hunt *hunt, const struct map_network *network, uint64_t limit)
{
    struct layout *layout = &hunt->layout;
    uint32_t *map = mem_alloc(layout->pairs->n_ranks, sizeof *map);
    layout_set(layout, hunt->result->map);
    layout->work = 0;
    improve(layout, network, hunt->root, limit);
    memcpy(map, layout->rank, layout->pairs->n_ranks * sizeof *map);
    if (layout->cost < hunt->result->least_cost)
        hunt->result->least_cost = layout->cost;
    return map;
}

static bool search_sparse(struct hunt *hunt)
{
    const uint64_t half = search_work_of(hunt->request, hunt->layout.pairs->n_ranks) / 2;
    uint64_t unlimited = UINT64_MAX;
    struct map_network network;
    map_network_open(&network, hunt->request);
    uint32_t *greedy = improve_greedy(hunt, &network, half), *best = NULL;
    bool is_done = begin_with_identity(hunt, &unlimited);
    if (is_done) {
        try_orders(hunt);
        best = improve_best(hunt, &network, half);
        is_done = consider(hunt, greedy, NULL, &unlimited) && consider(hunt, best, NULL, &unlimited);
    }
    map_network_close(&network);
    free(greedy);
    free(best);
    return is_done;
}

/* Returns the map of the ranks whose hosts are mapped so, on the heap. Requires equal hosts. */
static uint32_t *search_map_of_hosts(const struct placement *placement, const uint32_t *hosts)
{
    uint32_t *map = mem_alloc(placement->n_ranks, sizeof *map);
    for (uint32_t v = 0; v < placement->n_ranks; v++)
        map[v] = placement->ranks[placement->first[hosts[placement->server[v]]] + placement->slot[v]];
    return map;
}

/* Searches a map of the hosts, each of which takes its ranks along. `hosts` are a rank on each. */
static bool search_hosts(struct hunt *hunt, const struct placement *hosts, const struct pairs *pairs)
{
    const struct placement *placement = hunt->request->placement;
    const struct mapping_request request = {
        .topology = hunt->request->topology, .placement = hosts, .work = hunt->request->work};
    const uint64_t half = search_work_of(&request, pairs->n_ranks) / 2;
    const uint32_t root = hunt->root == NOWHERE ? NOWHERE : placement->server[hunt->root];
    uint64_t unlimited = UINT64_MAX;
    struct map_network network;
    struct layout layout;
    bool is_done = begin_with_identity(hunt, &unlimited);
    try_orders(hunt);
    map_network_open(&network, &request);
    for (int start = 0; is_done && start < 2; start++) {
        struct mapping_result identity = identity_of(pairs->n_ranks);
        layout_open(&layout, &request, pairs);
        if (start)
            layout_set(&layout, identity.map);
        else
            greedy_place(&layout, &network, root);
        layout.work = 0;
        improve(&layout, &network, root, half);
        uint32_t *map = search_map_of_hosts(placement, layout.rank);
        is_done = consider(hunt, map, NULL, &unlimited);
        free(map);
        free(identity.map);
        layout_close(&layout);
    }
    hunt->result->least_cost = hunt->result->after.cost;
    map_network_close(&network);
    return is_done;
}

/* Searches a map of the hosts where they have equally many ranks, else only tries orders. */
static bool search_whole_hosts(struct hunt *hunt)
{
    const struct placement *placement = hunt->request->placement;
    struct placement *hosts =
        placement_of_machines(placement->server_machine, placement->n_servers, "hosts");
    struct pairs pairs = {0};
    uint64_t unlimited = UINT64_MAX;
    bool is_done = pairs_gather(&pairs, hunt->schedule, placement);
    if (is_done && placement->slots)
        is_done = search_hosts(hunt, hosts, &pairs);
    else if (is_done && (is_done = begin_with_identity(hunt, &unlimited)))
        try_orders(hunt);
    pairs_free(&pairs);
    placement_free(hosts);
    return is_done;
}

/* Searches a schedule whose pairs are not kept: tries only orders, all on steps. */
static void search_dense(struct hunt *hunt)
{
    if (begin_with_identity(hunt, &hunt->work))
        try_orders(hunt);
    else
        hunt->result->is_unmeasured = true;
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

/* Chooses ways for the ranks as they are, and for the map that was found. */
static void search_choose(struct hunt *hunt)
{
    struct mapping_result *result = hunt->result, identity = identity_of(hunt->layout.pairs->n_ranks);
    const uint64_t work = search_work_of(hunt->request, hunt->layout.pairs->n_ranks);
    layout_set(&hunt->layout, identity.map);
    choose_ways(&hunt->layout, work, &result->before);
    layout_set(&hunt->layout, result->map);
    choose_ways(&hunt->layout, work, &result->after);
    free(identity.map);
}

bool mapping_search(struct schedule *schedule, const struct mapping_request *request,
                    struct mapping_result *result)
{
    struct pairs pairs = {0};
    struct hunt hunt;
    *result = identity_of(schedule->header.n_ranks);
    bool is_done = pairs_gather(&pairs, schedule, NULL);
    result->is_too_dense = pairs.is_too_dense;
    if (is_done) {
        hunt_open(&hunt, schedule, request, &pairs, result);
        if (pairs.is_too_dense)
            search_dense(&hunt);
        else
            is_done = hunt.moves_hosts ? search_whole_hosts(&hunt) : search_sparse(&hunt);
        if (is_done && !pairs.is_too_dense && request->chooses_ways && request->topology->is_adaptive)
            search_choose(&hunt);
        layout_close(&hunt.layout);
    }
    pairs_free(&pairs);
    schedule->rewind(schedule);
    return is_done && !schedule->failed;
}

bool mapping_is_scattered(const struct placement *placement)
{
    for (uint32_t server = 1; server < placement->n_servers; server++)
        if (placement->server_machine[server] < placement->server_machine[server - 1])
            return true;
    return false;
}

bool mapping_order_hosts(struct schedule *schedule, const struct mapping_request *request,
                         struct mapping_result *result)
{
    const struct pairs none = {.n_ranks = schedule->header.n_ranks};
    struct hunt hunt;
    *result = identity_of(none.n_ranks);
    hunt_open(&hunt, schedule, request, &none, result);
    const bool is_measured = begin_with_identity(&hunt, &hunt.work) && try_orders(&hunt);
    layout_close(&hunt.layout);
    schedule->rewind(schedule);
    return is_measured && result->after.step_load < result->before.step_load;
}
