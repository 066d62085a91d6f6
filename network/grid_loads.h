/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A grid's topology_lay_loads and topology_sum_loads.
 */
#ifndef COLLC_NETWORK_GRID_LOADS_H
#define COLLC_NETWORK_GRID_LOADS_H

#include "network/bulk.h"
#include "network/topology.h"

void grid_lay_loads(const struct topology *topology, const struct topology_pair *pairs, uint32_t n,
                    const uint64_t *amounts, uint64_t *load);
void grid_sum_loads(const struct topology *topology, uint64_t *load);

#endif
