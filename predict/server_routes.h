/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads that the flows of all servers put on the links of any network, where all servers send alike: route
 * by route.
 */
#ifndef COLLC_PREDICT_SERVER_ROUTES_H
#define COLLC_PREDICT_SERVER_ROUTES_H

#include "measure/server_flows.h"
#include "network/load.h"
#include "predict/predict.h"

struct server_routes {
    const struct topology *topology;
    const struct placement *placement; /* NULL: one rank on each machine */
    const struct shifts *servers;      /* shifts of the servers */
    struct hop *hops;
    bool is_uniform;                   /* every link has the latency of the topology */
    struct link_loads links;           /* chunks of the flows that were laid last, */
    uint64_t n_times;                  /* number of times they came; and the total of those before */
};

void server_routes_init(struct server_routes *routes, const struct topology *topology,
                        const struct placement *placement, const struct shifts *servers);
void server_routes_free(struct server_routes *routes);

/* Lays the flows in place of those before. Sets load->latency, ->link and ->sender, the first link of the
 * server whose first link is the busiest, and the number of links that they cross. False: a flow has no
 * route, or those of a server several first links. O(servers * flows * hops) */
bool server_routes_lay(struct server_routes *routes, const struct server_flows *flows, struct step_load *load,
                       uint64_t *n_crossings);
/* Counts the same flows once more. O(1) */
void server_routes_repeat(struct server_routes *routes);
/* Returns the busiest link of all. O(links) */
struct transfer server_routes_total(struct server_routes *routes);

#endif
