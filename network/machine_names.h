/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that writers of topologies share.
 */
#ifndef COLLC_NETWORK_MACHINE_NAMES_H
#define COLLC_NETWORK_MACHINE_NAMES_H

#include "network/topology.h"

/* True if it is one network; else *problem is a sentence in the topology's arena. `what`, such as "a subnet",
 * is what can hold only one. */
bool topology_is_one_network(const struct topology *topology, const char *what,
                             const char **problem);

/* Appends the names of machines, `separator` between them. With ranges, n0 n1 n2 becomes n[0-2]. False, with
 * useless text appended, if a name has a character with a meaning there: brackets, commas, stars, quotes,
 * blanks. */
bool topology_write_names(const struct topology *topology, const uint32_t *machines, uint32_t n,
                          char separator, bool has_ranges, struct text *out);

#endif
