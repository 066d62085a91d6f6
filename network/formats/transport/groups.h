/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups machines by the networks they are on.
 */
#ifndef COLLC_NETWORK_FORMATS_TRANSPORT_GROUPS_H
#define COLLC_NETWORK_FORMATS_TRANSPORT_GROUPS_H

#include "network/networks.h"

/* Machines on the same set of networks. */
struct network_group {
    uint32_t n_machines;
    uint32_t *machines; /* ascending */
};
/* All groups, by their first machine. */
struct network_groups {
    struct network_group *items;
    uint32_t n;
    uint32_t *machines; /* machines of all groups */
};
/* Groups the machines. O(machines x networks + machines log machines). Release with network_groups_free. */
struct network_groups network_groups(const struct topology *topology);
void network_groups_free(struct network_groups *groups);

#endif
