/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The costs of hosts, as every report of times states them.
 */
#ifndef COLLC_REPORTS_HOST_COSTS_H
#define COLLC_REPORTS_HOST_COSTS_H

#include "base/memory.h"
#include "network/host_costs.h"
#include "reports/json.h"

/* "overhead 500ns, gap 200ns, memory 10GB/s and 300ns", and the rate of a process if it has one,
 * appended. */
void host_costs_text(const struct host_costs *costs, struct text *out);

/* Appends a line about defaults, of memory or of messages at hosts, that take a large share of a time; `at`:
 * of which, or "". */
void host_costs_default_text(const struct host_costs *costs, bool of_memory, double share, const char *at,
                             struct text *out);

/* The same as keys, but for the rate of a process, which not every model knows. */
void host_costs_write(struct json *json, const struct host_costs *costs);

/* Prints the costs that a topology states, one after the other as a line or as keys. */
void host_costs_said_text(const struct host_costs *costs, struct text *out);
void said_host_costs_write(struct json *json, const struct host_costs *costs);

#endif
