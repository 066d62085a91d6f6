/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A trial of hwloc XML in a process of its own: collc-hwloc, which is installed beside the
 * library. Nothing is forked, since a program with threads may hold locks of libhwloc or of the
 * C library at that moment, which no one in the child would ever give back.
 */
#ifndef COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H
#define COLLC_NETWORK_FORMATS_HWLOC_HWLOC_TRIAL_H

#include <stdbool.h>

/* False if libhwloc cannot load the text, or dies of it, or takes more than 20 s. `length` counts
 * the NUL at the end. True without a trial if the helper is not to be found: it is looked for in
 * the folder $COLLC_LIBEXEC, then in that of the library or the executable and in ../libexec/collc
 * from there. */
bool hwloc_trial(const char *text, int length);

#endif
