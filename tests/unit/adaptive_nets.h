/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Networks for tests of adaptive routing, regular ones, random ones, and parts of these.
 */
#ifndef COLLC_TESTS_UNIT_ADAPTIVE_NETS_H
#define COLLC_TESTS_UNIT_ADAPTIVE_NETS_H

#include "network/topology.h"

/* Returns network number i, whose routes are adaptive; NULL: there are no more. All links have `bandwidth`
 * and no latency. The same number is the same network. */
struct topology *adaptive_net(uint32_t i, uint64_t bandwidth);

#endif
