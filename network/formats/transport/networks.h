/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What writers of several networks (network/networks.h) share.
 */
#ifndef COLLC_NETWORK_FORMATS_TRANSPORT_NETWORKS_H
#define COLLC_NETWORK_FORMATS_TRANSPORT_NETWORKS_H

#include "network/networks.h"

/* False, with a sentence in the topology's arena, if it is several networks; `what`, such as
 * "a subnet", is what can hold only one. */
bool is_one_network(const struct topology *topology, const char *what, const char **problem);

/* Appends the names of machines, `separator` between them. With ranges, n0 n1 n2 becomes
 * n[0-2]. False, with nothing useful appended, if a name has a character that means
 * something there: brackets, commas, stars, quotes, blanks. */
bool write_names(const struct topology *topology, const uint32_t *machines, uint32_t n,
                 char separator, bool has_ranges, struct text *out);

/* Machines that are on the same networks. */
struct network_group {
    uint32_t n_machines;
    uint32_t *machines; /* ascending */
};
/* All groups, in the order of their first machine. */
struct network_groups {
    struct network_group *items;
    uint32_t n;
    uint32_t *machines; /* of all of them */
};
/* O(machines x networks + machines log machines). Release with network_groups_free. */
struct network_groups network_groups(const struct topology *topology);
void network_groups_free(struct network_groups *groups);

#endif
