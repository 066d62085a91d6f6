/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which adapters ranks use, as every report of their messages states it.
 */
#ifndef COLLC_REPORTS_RANK_ADAPTERS_H
#define COLLC_REPORTS_RANK_ADAPTERS_H

#include "network/placement/placement.h"
#include "reports/json.h"

/* Prints the line "  adapters    slot; between rails within the host (PXN)", or how messages are striped, or
 * that routes decide; nothing where hosts have one adapter each, or none that is told. */
void rank_adapters_text(const struct topology *topology, const struct placement *placement, struct text *out);

/* Writes the same as keys. Requires adapters. */
void rank_adapters_write(struct json *json, const struct placement *placement);

#endif
