/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asks a kind for its shifts. See shifts.h.
 */
#include "network/kind.h"
#include "network/shifts.h"

bool topology_has_shifts(const struct topology *topology, const struct machine_shifts *shifts, bool *is_free)
{
    *is_free = false;
    return topology->methods->shifts && !topology->is_adaptive &&
           shifts->has_ways == (topology->methods->shifts->way_hops != NULL) &&
           topology->methods->shifts->has_shifts(topology, shifts, is_free);
}

uint32_t topology_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t offset, uint8_t way, struct class_hops *hops)
{
    const struct shift_methods *methods = topology->methods->shifts;
    if (!offset)
        return 0;
    return shifts->has_ways ? methods->way_hops(topology, shifts, offset, way, hops)
                            : methods->class_hops(topology, shifts, offset, hops);
}

uint32_t topology_link_class(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t link, uint32_t *position)
{
    return topology->methods->shifts->link_class(topology, shifts, link, position);
}

uint64_t topology_offset_latency(const struct topology *topology, const struct machine_shifts *shifts,
                                 uint32_t offset, uint8_t way)
{
    if (!offset)
        return 0;
    if (shifts->has_ways)
        return topology->methods->shifts->way_latency(topology, shifts, offset, way);
    return topology->methods->shifts->offset_latency
               ? topology->methods->shifts->offset_latency(topology, shifts, offset)
               : topology->latency;
}

uint32_t topology_links_at(const struct topology *topology, const struct machine_shifts *shifts,
                           uint32_t class)
{
    return topology->methods->shifts->links_at(topology, shifts, class);
}

struct link_class topology_links_of(const struct topology *topology, uint32_t class)
{
    if (topology->methods->shifts->links_of)
        return topology->methods->shifts->links_of(topology, class);
    return topology->n_classes > 1 ? topology->classes[class / 2]
                                   : (struct link_class){topology->bandwidth, topology->latency};
}

uint32_t topology_max_class_hops(const struct topology *topology)
{
    return topology->methods->shifts->max_class_hops ? topology->methods->shifts->max_class_hops(topology)
                                                     : 4 * TOPOLOGY_MAX_DIMENSIONS;
}

uint32_t topology_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                              uint32_t class)
{
    return topology->methods->shifts->n_positions
               ? topology->methods->shifts->n_positions(topology, shifts, class)
               : 1;
}

uint32_t topology_n_classes(const struct topology *topology)
{
    return topology->methods->shifts->n_classes(topology);
}
