/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shifts of the machines of a rail-optimised fabric (network/rail.h), given as a string or found in a file.
 * They are those of messages with ways: without, the route of a pair decides by which adapter a message
 * leaves, and that is no shift.
 */
#ifndef COLLC_NETWORK_RAIL_SHIFTS_H
#define COLLC_NETWORK_RAIL_SHIFTS_H

#include "network/kind.h"

/* An explicit network as such a fabric. */
struct rail_fabric;
void rail_fabric_free(struct rail_fabric *fabric);

/* Shifts of explicit networks: there are some if machines are numbered group by group. */
extern const struct shift_methods rail_shifts;

#endif
