/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the hwloc XML of a machine: hwloc.c makes a network of it, adapters.c a list of its adapters.
 */
#ifndef COLLC_NETWORK_FORMATS_HWLOC_HWLOC_OPEN_H
#define COLLC_NETWORK_FORMATS_HWLOC_HWLOC_OPEN_H

#include "base/diagnostic.h"

#include <hwloc.h>

/* Returns the machine of an hwloc XML of any version; NULL after reporting T002 or T021. Release with
 * hwloc_topology_destroy. */
hwloc_topology_t machine_open(const struct source *source, struct diagnostics *diagnostics);

#endif
