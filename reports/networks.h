/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several networks of a topology (network/networks.h), printed.
 */
#ifndef COLLC_REPORTS_NETWORKS_H
#define COLLC_REPORTS_NETWORKS_H

#include "reports/json.h"
#include "network/networks.h"
#include "network/placement/placement.h"

/* Which network each of the ranks first .. end-1 uses towards every other, as table 1
 * of Sumimoto et al. 2000. False if a pair has none. */
struct rank_networks {
    const struct topology *topology;
    const struct placement *placement;
    uint32_t first, end;
};
bool rank_networks_text(const struct rank_networks *ranks, struct text *out);
bool rank_networks_json(const struct rank_networks *ranks, struct text *out);

/* The networks for collc topo, a line each; nothing where there is one network only. */
void networks_text(const struct topology *topology, struct text *out);

/* Returns the number of networks that a record lists: 0 where there is one only. */
uint32_t networks_n_listed(const struct topology *topology);
void network_write(struct json *json, const struct network *network);

#endif
