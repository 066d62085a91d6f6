/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads hwloc XML of version 1 or 2 into libhwloc with all objects. The reader and its helper share this
 * file, so it includes nothing else of the project.
 */
#ifndef COLLC_NETWORK_FORMATS_HWLOC_HWLOC_LOAD_H
#define COLLC_NETWORK_FORMATS_HWLOC_HWLOC_LOAD_H

#include <hwloc.h>

/* Loads the text, whose `length` counts the NUL at the end. Returns NULL if libhwloc does not understand it
 * or has no memory. */
static inline hwloc_topology_t hwloc_load(const char *text, int length)
{
    hwloc_topology_t machine;
    if (hwloc_topology_init(&machine) != 0)
        return NULL;
    /* a confined process saw only its own cores; include the others */
    hwloc_topology_set_flags(machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_set_xmlbuffer(machine, text, length) == 0 &&
        hwloc_topology_load(machine) == 0)
        return machine;
    hwloc_topology_destroy(machine);
    return NULL;
}

#endif
