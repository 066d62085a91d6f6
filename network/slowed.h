/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A topology whose links may be slower for a while: to see what times would be.
 */
#ifndef COLLC_NETWORK_SLOWED_H
#define COLLC_NETWORK_SLOWED_H

#include "network/topology.h"

/* Links that take `factor` times as long for a byte, at most 2^40. */
struct slow_cable {
    uint32_t link, back; /* back: the other direction, or `link` again */
    double factor;
};

/* Returns the topology with all its links as they are; `of` stays the caller's and must outlive it. Released
 * with topology_free. */
struct topology *topology_new_slowed(struct topology *of);
/* Slows all links by a factor, and some cables besides, which are copied; in place of what an earlier call
 * said. */
enum { SLOWED_MOST = 8 };
void topology_slow(struct topology *slowed, double all, const struct slow_cable *cables, uint32_t n);

#endif
