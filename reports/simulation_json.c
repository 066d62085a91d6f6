/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation for programs (docs/json.md names the keys).
 */
#include "reports/simulation_report.h"

#include "reports/host_costs.h"
#include "reports/rank_adapters.h"
#include "reports/record.h"

#include <stdlib.h>

/* [enum operation kind] */
static const char *const operation_names[] = {"send", "receive", "combine", "copy", "combine"};

#include "reports/simulation.def"

void simulation_json(const struct simulation *simulation, struct text *out)
{
    struct json json = {.out = out};
    json_open(&json, NULL, '{');
    simulation_write(&json, simulation);
    json_close(&json, '}');
}
