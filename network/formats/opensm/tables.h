/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads forwarding tables and service levels from files, for a topology that is a subnet.
 */
#ifndef COLLC_NETWORK_FORMATS_OPENSM_TABLES_H
#define COLLC_NETWORK_FORMATS_OPENSM_TABLES_H

#include "base/diagnostic.h"
#include "network/topology.h"

/* Forwarding tables: files, and folders of files. */
struct route_files {
    const char *const *names;
    size_t n_names;
    bool keep_lids; /* ignore the port GUIDs beside entries */
};
/* Routes a topology that was read from a subnet's dump by the forwarding tables in the named files and
 * folders (output of dump_lfts, ibroute or opensm) instead of by shortest paths. An entry with the GUID of
 * its port is for the LID that the port has in the topology. Returns true if the tables decide from now on;
 * reports holes in them as T011, entries for unknown LIDs as T013, for other LIDs than written as T015, a
 * loop as T012. Returns false after reporting I001, I002, I003, T009 or T010. */
bool topology_read_routes(struct topology *topology, const struct route_files *request,
                          struct diagnostics *diagnostics);
/* Adds lanes to table routes: `levels` is a file of lines "0xSOURCE_GUID DLID SL", `maps` an
 * opensm-sl2vl.dump; either may be NULL. Returns false after reporting I001, I002, I003, T010 or T014;
 * reports missing entries as T011. */
bool topology_read_lanes(struct topology *topology, const char *levels, const char *maps,
                         struct diagnostics *diagnostics);

#endif
