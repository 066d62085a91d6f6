/* SPDX-License-Identifier: BSD-3-Clause
 *
 * groups_before(s, k): whole groups of k ranks on the servers 0 .. s-1, each server's ranks
 * counted by themselves. With k = 1 it is the number of ranks before server s, so that server
 * s has groups_before(s+1, 1) - groups_before(s, 1). `from root`, servers count from the root's.
 */
#ifndef COLLC_COMPILER_PASSES_SERVERS_H
#define COLLC_COMPILER_PASSES_SERVERS_H

#include "network/placement/placement.h"

struct binding;

/* Servers, with the sums for the last k. Initially zero but for the placement. */
struct servers {
    const struct placement *placement;
    uint32_t origin;  /* the server with number 0 */
    int64_t k;        /* of `before`, 0: none yet */
    uint32_t *before; /* [server], n_servers + 1; owned */
};

/* Prepares servers as the binding's program counts them; its placement and root are known. */
void servers_begin(struct servers *servers, const struct binding *binding);
/* Computes groups_before. False if there is no such value: s must be 0 .. number of servers, k positive. */
bool servers_groups_before(struct servers *servers, int64_t s, int64_t k, int64_t *result);
void servers_free(struct servers *servers);

#endif
