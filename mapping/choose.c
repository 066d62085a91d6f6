/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Chooses a shortest way for each route of a map, so that few links are shared: negotiated congestion
 * (McMurchie and Ebeling 1995). Routes are laid one after another, each by the way that costs least. A link
 * costs what others have on it, and the more the more often it was shared after a round. The best round
 * counts, or the routes of the rule if none is better. No shared link is the least; of any other number it is
 * not known. See search.h.
 */
#include "mapping/search.h"
#include "network/adaptive.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 40, CHOOSE_LINK_COST = 1 << 16 };

/* The route of each pair, and what all of them have on links and cables. */
struct choice {
    struct layout *layout;
    struct ways ways;
    size_t *first;     /* [pair + 1] index into `links` of its route */
    uint32_t *links;
    uint32_t *on_link, *on_cable;
    uint64_t *history; /* [link] rounds after which it was shared */
    uint64_t *distance; /* [node number of a pair] cost of the cheapest way there */
    uint32_t *by;       /* [node number] last item of that way */
    size_t distance_capacity, by_capacity;
};

/* Gives each pair room for its route: all shortest ways are equally long. */
static void choose_make_room(struct choice *choice)
{
    const struct pairs *pairs = choice->layout->pairs;
    for (uint32_t i = 0; i < pairs->n; i++) {
        const uint32_t *rank = choice->layout->rank;
        choice->first[i + 1] = choice->first[i] + layout_route(choice->layout, rank[pairs->list[i].from],
                                                               rank[pairs->list[i].to]);
    }
    choice->links = mem_alloc(choice->first[pairs->n] + 1, sizeof *choice->links);
}

static void choice_open(struct choice *choice, struct layout *layout)
{
    const uint32_t n_link_ids = layout->topology->n_link_ids;
    *choice = (struct choice){.layout = layout,
                              .ways = ways_new(layout->topology),
                              .first = mem_alloc((size_t)layout->pairs->n + 1, sizeof(size_t)),
                              .on_link = mem_alloc(n_link_ids, sizeof(uint32_t)),
                              .on_cable = mem_alloc(layout->n_cables, sizeof(uint32_t)),
                              .history = mem_alloc(n_link_ids, sizeof(uint64_t))};
    choose_make_room(choice);
}

static void choice_close(struct choice *choice)
{
    ways_free(&choice->ways);
    free(choice->first);
    free(choice->links);
    free(choice->on_link);
    free(choice->on_cable);
    free(choice->history);
    free(choice->distance);
    free(choice->by);
}

/* Adds the route of a pair to the loads, or takes it away. */
static void choose_put(struct choice *choice, uint32_t pair, bool is_added)
{
    const uint32_t change = is_added ? 1 : UINT32_MAX; /* modulo 2^32 */
    for (size_t i = choice->first[pair]; i < choice->first[pair + 1]; i++) {
        const uint32_t link = choice->links[i];
        if (choice->layout->slowness[link]) {
            choice->on_link[link] += change;
            choice->on_cable[choice->layout->cable[link]] += change;
        }
    }
}

/* Returns the cost of a link for one route more: that of the direction above that of the cable. */
static uint64_t choose_cost(const struct choice *choice, uint32_t link)
{
    const uint64_t price = 1 + choice->history[link];
    return price * choice->on_link[link] * CHOOSE_LINK_COST + choice->on_cable[choice->layout->cable[link]];
}

/* Lays the cheapest way of a pair. Returns the links looked at. */
static uint32_t choose_lay(struct choice *choice, uint32_t pair)
{
    const struct layout *layout = choice->layout;
    const uint32_t *rank = layout->rank, *machine = layout->placement->machine;
    struct ways *ways = &choice->ways;
    const uint32_t n = ways_find(ways, machine[rank[layout->pairs->list[pair].from]],
                                 machine[rank[layout->pairs->list[pair].to]], 0);
    assert(n); /* the rule has a route */
    choice->distance =
        mem_grow(choice->distance, &choice->distance_capacity, ways->n_nodes, sizeof *choice->distance);
    choice->by = mem_grow(choice->by, &choice->by_capacity, ways->n_nodes, sizeof *choice->by);
    for (uint32_t node = 0; node < ways->n_nodes; node++)
        choice->distance[node] = node ? UINT64_MAX : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct way *way = &ways->items[i];
        const uint64_t distance = choice->distance[way->from] + choose_cost(choice, way->link);
        if (distance < choice->distance[way->to]) {
            choice->distance[way->to] = distance;
            choice->by[way->to] = i;
        }
    }
    uint32_t node = ways->n_nodes - 1; /* the destination */
    for (size_t end = choice->first[pair + 1]; end > choice->first[pair]; end--) {
        const struct way *way = &ways->items[choice->by[node]];
        choice->links[end - 1] = way->link;
        node = way->from;
    }
    return n;
}

/* Lays all routes anew, one by one. Returns the links looked at. */
static uint64_t choose_round(struct choice *choice, bool is_first)
{
    uint64_t done = 0;
    for (uint32_t pair = 0; pair < choice->layout->pairs->n; pair++) {
        if (choice->first[pair] == choice->first[pair + 1])
            continue;
        if (!is_first)
            choose_put(choice, pair, false);
        done += choose_lay(choice, pair);
        choose_put(choice, pair, true);
    }
    return done;
}

/* Counts what is shared, and makes shared links dearer for the next round. */
static void choose_count(struct choice *choice, uint32_t *n_links, uint32_t *n_cables)
{
    const struct layout *layout = choice->layout;
    *n_links = *n_cables = 0;
    for (uint32_t link = 0; link < layout->topology->n_link_ids; link++) {
        const bool is_shared = choice->on_link[link] > 1;
        choice->history[link] += is_shared;
        *n_links += is_shared;
    }
    for (uint32_t cable = 0; cable < layout->n_cables; cable++)
        *n_cables += choice->on_cable[cable] > 1;
}

void choose_ways(struct layout *layout, uint64_t work, struct mapping_figures *figures)
{
    struct choice choice;
    uint64_t done = 0;
    choice_open(&choice, layout);
    figures->chosen_links = figures->shared_links;
    figures->chosen_cables = figures->shared_cables;
    for (uint32_t round = 0; round < MOST_ROUNDS && figures->chosen_links && done < work; round++) {
        uint32_t n_links, n_cables;
        done += choose_round(&choice, !round);
        choose_count(&choice, &n_links, &n_cables);
        if (n_links < figures->chosen_links ||
            (n_links == figures->chosen_links && n_cables < figures->chosen_cables)) {
            figures->chosen_links = n_links;
            figures->chosen_cables = n_cables;
        }
    }
    choice_close(&choice);
}
