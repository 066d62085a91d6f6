/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A simulation, printed: its time with the parts, what it assumes, and who waits.
 */
#ifndef COLLC_REPORTS_SIMULATION_REPORT_H
#define COLLC_REPORTS_SIMULATION_REPORT_H

#include "study/simulation.h"

void simulation_text(const struct simulation *simulation, struct text *out);
/* docs/json.md names the keys. */
void simulation_json(const struct simulation *simulation, struct text *out);

#endif
