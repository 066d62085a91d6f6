/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which servers are one cluster. See clusters.h.
 */
#include "network/placement/clusters.h"

#include "network/networks.h"

struct finder {
    const struct topology *topology;
    const struct placement *placement;
    struct clusters *clusters;
    uint32_t outer;    /* the network between clusters */
    uint32_t *cluster; /* [server] */
    uint32_t *first;   /* [cluster] its lowest server */
};

static uint32_t clusters_network_of(const struct finder *finder, uint32_t a, uint32_t b)
{
    const uint32_t *machine = finder->placement->server_machine;
    return topology_network(finder->topology, machine[a], machine[b]);
}

static bool joins_all(const struct finder *finder, uint32_t network)
{
    for (uint32_t server = 0; server < finder->placement->n_servers; server++)
        if (!topology_is_on_network(finder->topology, finder->placement->server_machine[server],
                                    network))
            return false;
    return true;
}

/* The slowest network that all servers are on; of equally fast ones the last. */
static bool find_outer(struct finder *finder)
{
    uint32_t n = topology_n_networks(finder->topology);
    finder->outer = NETWORK_MEMORY;
    for (uint32_t i = 1; i < n; i++) {
        const struct network *network = topology_network_info(finder->topology, i);
        if (!joins_all(finder, i))
            continue;
        if (finder->outer == NETWORK_MEMORY ||
            network->bandwidth <= topology_network_info(finder->topology, finder->outer)->bandwidth)
            finder->outer = i;
    }
    return finder->outer != NETWORK_MEMORY;
}

/* False if the server is in two clusters. */
static bool find_cluster(struct finder *finder, uint32_t server)
{
    struct clusters *clusters = finder->clusters;
    uint32_t found = clusters->n;
    for (uint32_t c = 0; c < clusters->n; c++) {
        if (clusters_network_of(finder, finder->first[c], server) == finder->outer)
            continue;
        if (found < clusters->n)
            return false;
        found = c;
    }
    if (found == clusters->n)
        finder->first[clusters->n++] = server;
    finder->cluster[server] = found;
    return true;
}

/* Counts servers and ranks, and sorts the ranks: 0 where clusters differ. */
static void clusters_fill(struct finder *finder, struct arena *arena)
{
    struct clusters *clusters = finder->clusters;
    const struct placement *placement = finder->placement;
    uint32_t *servers = arena_alloc(arena, clusters->n, sizeof *servers), at = 0;
    uint32_t *ranks = arena_alloc(arena, clusters->n, sizeof *ranks);
    clusters->ranks = arena_alloc(arena, placement->n_ranks, sizeof *clusters->ranks);
    for (uint32_t c = 0; c < clusters->n; c++)
        for (uint32_t server = finder->first[c]; server < placement->n_servers; server++) {
            if (finder->cluster[server] != c)
                continue;
            servers[c]++;
            ranks[c] += placement->first[server + 1] - placement->first[server];
            for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++)
                clusters->ranks[at++] = placement->ranks[i];
        }
    clusters->servers = servers[0];
    clusters->n_ranks = ranks[0];
    for (uint32_t c = 1; c < clusters->n; c++) {
        clusters->servers = servers[c] == servers[0] ? clusters->servers : 0;
        clusters->n_ranks = ranks[c] == ranks[0] ? clusters->n_ranks : 0;
    }
}

const char *clusters_find(const struct topology *topology, const struct placement *placement,
                          struct clusters *clusters, struct arena *arena)
{
    struct finder finder = {.topology = topology, .placement = placement, .clusters = clusters};
    *clusters = (struct clusters){.n = 0};
    finder.cluster = clusters->of_server = arena_alloc(arena, placement->n_servers, sizeof *finder.cluster);
    finder.first = arena_alloc(arena, placement->n_servers, sizeof *finder.first);
    const bool is_one = !topology || topology_n_networks(topology) < 2;
    clusters->n = is_one;
    if (!is_one && !find_outer(&finder))
        return "no network joins all servers";
    for (uint32_t server = 0; !is_one && server < placement->n_servers; server++)
        if (!find_cluster(&finder, server))
            return "a server is in two of them";
    clusters_fill(&finder, arena);
    return NULL;
}
