/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of a search, shared by the parts of mapping/.
 *
 * Cost of a map: the sum over cables of the square of their load, plus the sum over routes
 * of weight * hops^2. A load counts the weights of all routes over the cable, in both
 * directions and in whatever step, times how much slower than the fastest it is. Squares
 * make one cable with two routes worse than two with one, and one long route worse than
 * two short ones, so that the least cost has neither shared cables nor long routes where
 * that is possible. It is a sum over cables and routes, so what changes when two ranks
 * change places is found by walking their own routes.
 */
#ifndef COLLC_MAPPING_SEARCH_H
#define COLLC_MAPPING_SEARCH_H

#include "mapping/mapping.h"

/* An ordered pair of virtual ranks that sends: weight in 1 .. MAX_WEIGHT. */
enum { MAX_WEIGHT = 64 };
struct pair {
    uint32_t from, to, weight;
};

/* The pairs of ranks that communicate in a schedule. Must be zero-initialised; pairs_free when done. */
struct pairs {
    uint32_t n_ranks, n;
    struct pair *list;   /* by sender, then receiver; no pair of a rank with itself */
    uint32_t *first;     /* [n_ranks + 1] by virtual rank, index into `of` */
    uint32_t *of;        /* pairs of a virtual rank, those it sends and those it receives */
    bool is_too_dense;   /* more than MAPPING_MAX_PAIRS pairs; nothing else is filled in */
};
/* Reads the whole schedule; with `by_servers` the pairs are of its servers. Returns false if producing a step
 * failed. */
bool pairs_gather(struct pairs *pairs, struct schedule *schedule, const struct placement *by_servers);
void pairs_free(struct pairs *pairs);

/* Neighbours of each node, and the servers on the machines. O(links) */
#define NOWHERE UINT32_MAX
struct map_network {
    uint32_t n_machines;
    uint32_t *first, *neighbour; /* [node] index into `neighbour`; n_nodes + 1 entries */
    uint32_t *server;            /* [machine] its server in the placement, or NOWHERE */
};
void map_network_open(struct map_network *network, const struct mapping_request *request);
void map_network_close(struct map_network *network);

/* A map under construction, and its cost. */
struct layout {
    const struct topology *topology;
    const struct placement *placement;
    const struct pairs *pairs;
    uint32_t *rank;      /* [virtual rank] the rank that runs it; NOWHERE */
    uint32_t *cable;     /* [link] its cable, which links of opposite directions share */
    uint16_t *slowness;  /* [link] bandwidth of the fastest / that of the link, rounded; 0: any number of
                            messages cross it at full bandwidth */
    bool is_weighed;     /* some link is slower than the fastest */
    uint32_t n_cables;
    uint64_t *load;      /* [cable] */
    struct hop *hops;
    uint64_t cost;
    uint64_t work;       /* links walked so far */
};
/* Starts with no rank placed. O(links log links) */
void layout_open(struct layout *layout, const struct mapping_request *request,
                 const struct pairs *pairs);
void layout_close(struct layout *layout);
/* Add and remove the routes of a virtual rank to and from all placed ranks. */
void layout_add(struct layout *layout, uint32_t v);
void layout_remove(struct layout *layout, uint32_t v);
/* Places all ranks by a map. */
void layout_set(struct layout *layout, const uint32_t *map);
/* Swaps the places of two virtual ranks. */
void layout_swap(struct layout *layout, uint32_t u, uint32_t v);
/* Returns the hops between two ranks, with the route in layout->hops; 0 on one machine. */
uint32_t layout_route(struct layout *layout, uint32_t from, uint32_t to);

/* Returns the limit of work of a request, for so many ranks. */
uint64_t search_work_of(const struct mapping_request *request, uint32_t p);

/* Maps that sort the hosts (orders.c); none is the identity, no two are equal. */
enum { MAX_ORDER_MAPS = 12 };
struct order_map {
    const char *name; /* name of the order: "sorted by name" */
    uint32_t *map;
};
struct order_maps {
    uint32_t n_ranks, n;
    struct order_map items[MAX_ORDER_MAPS];
};
/* Makes the maps. `root`: a virtual rank that must stay, or NOWHERE. O(links + machines log machines +
 * ranks) */
void order_maps_open(struct order_maps *maps, const struct mapping_request *request, uint32_t root);
void order_maps_close(struct order_maps *maps);

/* Makes a map from scratch (greedy.c); requires an empty layout. `root`: a virtual rank that must stay, or
 * NOWHERE. */
void greedy_place(struct layout *layout, const struct map_network *network, uint32_t root);

/* Improves a map (improve.c); layout->rank is the best one found. The layout must be complete. Stops when
 * layout->work reaches `limit`. */
void improve(struct layout *layout, const struct map_network *network, uint32_t root, uint64_t limit);

/* Measures the steps of a schedule under a map: step_load and total_load (measure.c). Subtracts each
 * message, and each link on its way, from `work`. Returns false if producing a step failed, or if the work
 * was not enough. */
bool measure_steps(struct schedule *schedule, struct layout *layout, const uint32_t *map,
                   uint64_t *work, struct mapping_figures *figures);
/* Measures the other figures of the layout. */
void measure_layout(struct layout *layout, struct mapping_figures *figures);
/* Measures chosen_links and chosen_cables of the layout (choose.c). Requires an adaptive topology and
 * the figures of measure_layout. Ends when nothing is shared, after so many rounds, or after the round in
 * which `work` links have been looked at. */
void choose_ways(struct layout *layout, uint64_t work, struct mapping_figures *figures);

#endif
