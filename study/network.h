/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens a network as an option or a project file asks for it: reads the topology, lets those adapters count,
 * reads its forwarding tables, and leaves out what has failed and the hosts that are not used.
 */
#ifndef COLLC_STUDY_NETWORK_H
#define COLLC_STUDY_NETWORK_H

#include "network/formats/opensm/tables.h"
#include "network/restrict.h"

struct network_request {
    const char *spec;                 /* argument of topology_read */
    const char *adapters;             /* as of topology_take_adapters */
    struct route_files routes;        /* no names: the routes of the topology */
    const struct position *routes_at; /* place where a single name of them is written; NULL: none */
    struct topology_restriction restriction;
};

/* Returns the topology, to be released with topology_free. NULL after reporting what one of these steps
 * does. */
struct topology *network_open(const struct network_request *request, struct diagnostics *diagnostics);

#endif
