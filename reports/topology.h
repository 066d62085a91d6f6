/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints a topology: its size, links, routes and shape, and, unless `adapters` is NULL, the adapters
 * of its machines.
 */
#ifndef COLLC_REPORTS_TOPOLOGY_H
#define COLLC_REPORTS_TOPOLOGY_H

#include "reports/adapters.h"

void topology_text(const struct topology *topology, const struct adapter_list *adapters,
                   struct text *out);
void topology_json(const struct topology *topology, const struct adapter_list *adapters,
                   struct text *out);
/* Appends the least and most bandwidth of links, "6GB/s to 132GB/s"; false: all have the same. */
bool topology_print_unlike_rates(const struct topology *topology, struct text *out);

#endif
