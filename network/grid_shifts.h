/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shifts of the machines of a grid, as network/topology.h has them. The class of the links of dimension d and
 * sign s is 2d + s.
 */
#ifndef COLLC_NETWORK_GRID_SHIFTS_H
#define COLLC_NETWORK_GRID_SHIFTS_H

#include "network/shifts.h"
#include "network/topology.h"

bool grid_has_shifts(const struct topology *topology, const struct machine_shifts *shifts, bool *is_free);
uint32_t grid_class_hops(const struct topology *topology, const struct machine_shifts *shifts,
                         uint32_t offset, struct class_hops *hops);
uint64_t grid_offset_latency(const struct topology *topology, const struct machine_shifts *shifts,
                             uint32_t offset);
uint32_t grid_links_at(const struct topology *topology, const struct machine_shifts *shifts, uint32_t class);
uint32_t grid_max_class_hops(const struct topology *topology);
uint32_t grid_n_classes(const struct topology *topology);
uint32_t grid_n_positions(const struct topology *topology, const struct machine_shifts *shifts,
                          uint32_t class);
uint32_t grid_link_class(const struct topology *topology, const struct machine_shifts *shifts, uint32_t link,
                         uint32_t *position);

#endif
