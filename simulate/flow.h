/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow model: messages are streams of bytes that share links by max-min fairness
 * (simulate/sharing.h) from the time at which they are sent, whatever the lengths of their routes.
 * A message has left when its last byte went, and is there when that byte crossed the route: its
 * latencies later. Links that do not contend bound the rate of each message and nothing else. With
 * a rate of one process, each rank has a port that sends and one that receives at that rate.
 *
 * A message leaves at a whole ns, the nearest to what its rates say.
 */
#ifndef COLLC_SIMULATE_FLOW_H
#define COLLC_SIMULATE_FLOW_H

#include "simulate/network_model.h"

struct network_model *flow_model_new(const struct network_model_settings *settings);

#endif
