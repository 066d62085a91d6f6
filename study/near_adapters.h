/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adapters of ranks by affinity: the inside of a host, as hwloc's or NCCL's XML tells it, says how far each
 * adapter is from each GPU or core. Placement takes the nearest one that the fabric has (struct
 * near_adapters).
 */
#ifndef COLLC_STUDY_NEAR_ADAPTERS_H
#define COLLC_STUDY_NEAR_ADAPTERS_H

#include "network/placement/placement_make.h"

#define NEAR_PREFIX "near:"

/* Reads the file behind "near:" in the request's word about adapters; does nothing without that. Returns
 * the request for placement_use_adapters: with request->near, in the arena. False after reporting what
 * the reader of the file does, or A005: it is another kind of network, or has no adapter. */
bool near_adapters_read(struct placement_request *request, struct arena *arena,
                        struct diagnostics *diagnostics);

#endif
