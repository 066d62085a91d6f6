/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Topologies for somebody else: one file per target, topology_NAME.c.
 */
#ifndef COLLC_NETWORK_FORMATS_WRITE_H
#define COLLC_NETWORK_FORMATS_WRITE_H

#include "network/topology.h"

/* Appends the topology in that form. False if the form cannot express it; *problem is then
 * one sentence without full stop that lives as long as the topology, and what was appended
 * is of no use. */
typedef bool topology_writer(const struct topology *topology, struct text *out,
                             const char **problem);
#define TARGET(name, spelling, title) topology_writer write_topology_##name;
#include "network/formats/targets.def"

struct topology_target {
    const char *name, *title;
    topology_writer *write;
};
/* The target of that name, or NULL. */
const struct topology_target *topology_target_find(const char *name);

#endif
