/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Head-of-line blocking by the model of Naruse et al. 2010 ("A proposal and evaluation
 * of all-to-all algorithm for multi-core PC cluster systems"), section 3.6.
 */
#ifndef COLLC_MEASURE_HOL_H
#define COLLC_MEASURE_HOL_H

#include "measure/flows.h"

struct hol;

/* Makes it for servers with so many ports each (topology_n_host_ports). */
struct hol *hol_new(uint32_t n_servers, uint32_t n_ports);
/* Returns how many times longer the packets of the slowest sender take than without blocking, at least 1, for
 * the flows of one step. Where all servers send alike, the flows of one of them to itself do. max_fan_in: the
 * most flows into one port. `slowdown`, unless NULL, gets that of the source of each flow. Time O(flows +
 * runs of unlike shares at a port * log^2 max_fan_in). */
double hol_slowdown(struct hol *hol, const struct flows *flows, uint32_t max_fan_in,
                    double *slowdown);
void hol_free(struct hol *hol);

#endif
