/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which options go together. An option that would change nothing is refused, so that nobody
 * takes a result for that of a command line it is not of.
 */
#ifndef COLLC_DRIVER_COMBINATIONS_H
#define COLLC_DRIVER_COMBINATIONS_H

#include "compiler/driver/options.h"

/* False after saying on stderr which option has no effect, and why. */
bool combinations_check(const struct options *options);

#endif
