/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asks a kind for routes and loads of many pairs. See bulk.h.
 */
#include "network/bulk.h"
#include "network/kind.h"

bool topology_route_pairs(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                          uint32_t *links, uint32_t *n_links)
{
    const struct bulk_methods *bulk = topology->methods->bulk;
    if (!bulk || topology->is_adaptive || !bulk->route_pairs)
        return false;
    bulk->route_pairs(topology, pairs, n, links, n_links);
    return true;
}

bool topology_route_ways(const struct topology *topology, const struct topology_pair *pairs,
                         const uint8_t *ways, uint32_t n, uint32_t *links, uint32_t *n_links)
{
    const struct bulk_methods *bulk = topology->methods->bulk;
    return bulk && bulk->route_ways && bulk->route_ways(topology, pairs, ways, n, links, n_links);
}

bool topology_add_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                        uint64_t *load, uint64_t *most)
{
    const struct bulk_methods *bulk = topology->methods->bulk;
    if (!bulk || topology->is_adaptive || !bulk->add_loads)
        return false;
    bulk->add_loads(topology, pairs, n, load, most);
    return true;
}

bool topology_lay_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                        const uint64_t *amounts, uint64_t *load)
{
    const struct bulk_methods *bulk = topology->methods->bulk;
    if (!bulk || topology->is_adaptive || !bulk->lay_loads)
        return false;
    bulk->lay_loads(topology, pairs, n, amounts, load);
    return true;
}

void topology_sum_loads(const struct topology *topology, uint64_t *load)
{
    topology->methods->bulk->sum_loads(topology, load);
}
