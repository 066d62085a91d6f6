/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree's topology_add_loads.
 */
#ifndef COLLC_NETWORK_TREE_LOADS_H
#define COLLC_NETWORK_TREE_LOADS_H

#include "network/bulk.h"
#include "network/topology.h"

void tree_add_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                    uint64_t *load, uint64_t *most);

#endif
