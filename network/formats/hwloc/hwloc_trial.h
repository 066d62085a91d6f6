/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A trial of hwloc XML in a process of its own: collc-hwloc (base/helper.h).
 */
#ifndef COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H
#define COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H

#include <stdbool.h>

/* False if libhwloc cannot load the text, or dies of it, or takes more than 20 s. `length` counts
 * the NUL at the end. True without a trial if the helper is not to be found. */
bool hwloc_trial(const char *text, int length);

#endif
