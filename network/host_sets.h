/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sets of hosts in few words: by the switch that they hang on, and as a host list of their names
 * (base/text/hostlist_write.h).
 */
#ifndef COLLC_NETWORK_HOST_SETS_H
#define COLLC_NETWORK_HOST_SETS_H

#include "network/topology.h"

/* Hosts to describe, and the switch of each. */
struct host_sets {
    const struct topology *topology;
    const uint32_t *hosts; /* ascending machine numbers */
    uint32_t n_hosts;
    uint32_t *switch_of;   /* [machine] node of the whole topology at the end of its first cable, which may
                              have failed; HOST_NO_SWITCH: a host, or nothing */
    uint32_t *n_on;        /* [node of the whole] number of the hosts on it */
};
#define HOST_NO_SWITCH UINT32_MAX

/* Finds the switch of each host; `hosts` outlives it. O(links + nodes); release with host_sets_free. */
struct host_sets host_sets_new(const struct topology *topology, const uint32_t *hosts, uint32_t n_hosts);
void host_sets_free(struct host_sets *sets);

/* Appends a set of n of the hosts: "host node7", "hosts of switch leaf3 (node[017-032])", "3 hosts of switch
 * leaf3 (node[017-019])", "hosts of switches leaf[3-5] (node[017-064])", "24 hosts (node[001-020],
 * gpu[1-4])". Names come in their order. Lists are cut after `most` bytes; 0: they are whole. O(n log n). */
void host_sets_print(const struct host_sets *sets, const uint32_t *set, uint32_t n, uint32_t most,
                     struct text *out);
/* Appends the names alone: a host list, or names with blanks between them where a name has characters that
 * have a meaning in a list. --machines takes both. O(n log n) */
void host_sets_print_names(const struct topology *topology, const uint32_t *nodes, uint32_t n, uint32_t most,
                           struct text *out);

#endif
