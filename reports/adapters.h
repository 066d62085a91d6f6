/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The adapters of machines beside a network, for `collc topo --hwloc`.
 */
#ifndef COLLC_REPORTS_ADAPTERS_H
#define COLLC_REPORTS_ADAPTERS_H

#include "reports/json.h"
#include "network/formats/infiniband/adapters.h"

/* A table: a line for each port, and how many machines are on the network. */
void adapters_text(const struct topology *network, const struct adapter_list *list,
                   struct text *out);
/* The members of a port (adapters.def). */
void adapter_port_write(struct json *json, const struct topology *network, const struct adapter_port *port);

#endif
