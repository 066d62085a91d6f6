/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Full meshes: every pair of machines has a link of its own in each direction.
 */
#ifndef COLLC_NETWORK_FULL_H
#define COLLC_NETWORK_FULL_H

#include "network/topology.h"

bool topology_is_full(const struct topology *topology);

/* Returns NULL if a number is out of range; *problem is a sentence without full stop then. */
struct topology *topology_new_full(const struct topology_settings *settings, uint32_t n_machines,
                                   const char **problem);

#endif
