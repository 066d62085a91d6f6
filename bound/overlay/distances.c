/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See distances.h.
 */
#include "bound/overlay/distances.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct overlay_ways overlay_ways_new(const struct overlay_network *network)
{
    const uint32_t n = network->n_servers;
    return (struct overlay_ways){network, mem_alloc(network->first_arc[n], sizeof(double)),
                                 mem_alloc(n, sizeof(double)), mem_alloc(n, sizeof(uint32_t)),
                                 mem_alloc(n, sizeof(bool))};
}

void overlay_ways_free(struct overlay_ways *ways)
{
    free(ways->arc);
    free(ways->distance);
    free(ways->before);
    free(ways->is_done);
}

static void distances_reach_from(struct overlay_ways *ways, uint32_t from)
{
    const struct overlay_network *network = ways->network;
    for (size_t i = network->first_arc[from]; i < network->first_arc[from + 1]; i++) {
        const uint32_t to = network->arcs[i];
        const double distance = ways->distance[from] + ways->arc[i];
        if (distance < ways->distance[to]) {
            ways->distance[to] = distance;
            ways->before[to] = from;
        }
    }
}

void overlay_ways_measure(struct overlay_ways *ways, const double *length)
{
    const struct overlay_network *network = ways->network;
    for (uint32_t from = 0; from < network->n_servers; from++)
        for (size_t i = network->first_arc[from]; i < network->first_arc[from + 1]; i++) {
            const size_t pair = (size_t)from * network->n_servers + network->arcs[i];
            ways->arc[i] = 0;
            for (size_t hop = network->first[pair]; hop < network->first[pair + 1]; hop++)
                ways->arc[i] += length[network->route[hop]];
        }
}

/* Finds the ways by Dijkstra 1959 in its first form, as most overlays are dense. */
void overlay_ways_find(struct overlay_ways *ways, uint32_t source)
{
    const uint32_t n = ways->network->n_servers;
    for (uint32_t server = 0; server < n; server++)
        ways->distance[server] = INFINITY;
    memset(ways->is_done, 0, n * sizeof *ways->is_done);
    ways->distance[source] = 0;
    ways->before[source] = source;
    for (uint32_t nearest = source; nearest < n;) {
        ways->is_done[nearest] = true;
        distances_reach_from(ways, nearest);
        nearest = n;
        for (uint32_t server = 0; server < n; server++)
            if (!ways->is_done[server] && ways->distance[server] < INFINITY &&
                (nearest == n || ways->distance[server] < ways->distance[nearest]))
                nearest = server;
    }
}

struct fraction overlay_quotient(const struct overlay_network *network, enum flow_measure measure,
                                 const double *length)
{
    const uint32_t n = network->n_servers;
    wide top = 0, bottom = 0;
    for (uint32_t i = 0; i < network->n_links; i++) {
        assert(length[i] >= 0 && length[i] <= (double)(1 << OVERLAY_LENGTH_BITS) &&
               trunc(length[i]) >= length[i]);
        bottom += (wide)overlay_capacity(&network->links[i], measure) * (uint64_t)length[i];
    }
    if (bottom == 0)
        return (struct fraction){0, 0};
    struct overlay_ways ways = overlay_ways_new(network);
    overlay_ways_measure(&ways, length);
    for (uint32_t from = 0; from < n; from++) {
        overlay_ways_find(&ways, from);
        for (uint32_t to = 0; to < n; to++)
            if (network->demand[(size_t)from * n + to])
                top += (wide)network->demand[(size_t)from * n + to] * (uint64_t)ways.distance[to];
    }
    overlay_ways_free(&ways);
    return fraction_of(top, bottom);
}
