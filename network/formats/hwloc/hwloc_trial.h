/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tries hwloc XML in a process of its own: collc-hwloc (base/helper.h).
 */
#ifndef COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H
#define COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H

#include <stdbool.h>

/* Returns false if libhwloc cannot load the text, crashes, or takes more than 20 s. `length` counts the NUL
 * at the end. Returns true without a trial if the helper is missing. */
bool hwloc_trial(const char *text, int length);

#endif
