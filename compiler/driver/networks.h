/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several networks of a topology (network/networks.h), printed.
 */
#ifndef COLLC_DRIVER_NETWORKS_H
#define COLLC_DRIVER_NETWORKS_H

#include "compiler/driver/json.h"
#include "compiler/driver/pipeline.h"

/* collc route --networks: which network each rank uses towards every other, as table 1
 * of Sumimoto et al. 2000. Returns a status, STATUS_FINDINGS if a pair has none. */
int show_networks(struct job *job, struct text *out);

/* The networks for collc topo: a line each; an array. Nothing, or an empty array, where
 * there is one network only. */
void networks_text(const struct topology *topology, struct text *out);
void networks_json(struct json *json, const char *key, const struct topology *topology);

#endif
