/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation, printed: its time with the parts, what it assumes, and who waits.
 */
#ifndef COLLC_REPORTS_SIMULATION_REPORT_H
#define COLLC_REPORTS_SIMULATION_REPORT_H

#include "reports/json.h"
#include "study/simulation.h"

void simulation_text(const struct simulation *simulation, struct text *out);
/* docs/json.md names the keys. */
void simulation_json(const struct simulation *simulation, struct text *out);
/* Parts of these: "per_step"; by which rules messages and ranks go, as keys and as lines. */
void simulation_steps_write(struct json *json, const struct simulation *simulation);
void simulation_rules_write(struct json *json, const struct player_settings *settings);
void simulation_steps_text(const struct simulation *simulation, struct text *out);
void simulation_rules_text(const struct player_settings *settings, struct text *out);
/* Returns the bytes per second that leave a host, a mean over hosts, in an all-to-all of `bytes` to a pair
 * that takes `ns` (Naruse et al. 2010, figure 2); 0: it is no such collective, or has one host. */
uint64_t alltoall_bandwidth(enum collective collective, const struct placement *placement, uint64_t bytes,
                            uint64_t ns);
/* A line if the routes of the network are not known. */
void assumed_routes_text(const struct topology *topology, struct text *out);

#endif
