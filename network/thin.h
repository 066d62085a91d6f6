/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pairs of switches that are joined by fewer cables than others alike.
 */
#ifndef COLLC_NETWORK_THIN_H
#define COLLC_NETWORK_THIN_H

#include "network/topology.h"

/* Reports T029 for pairs of switches with fewer parallel cables than each of the two has to most others of
 * that level; nothing where more than one pair of eight is so, and of networks other than explicit ones.
 * O(cables * neighbours of a switch) */
void topology_warn_of_thin(const struct topology *topology, struct diagnostics *diagnostics);

#endif
