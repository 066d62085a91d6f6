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

/* False if an option that is given changes nothing, by itself or beside the others. */
bool combinations_has_effect(const struct options *options, const struct option_info *info);

/* The first option of `list` ("main|function") that is given and not among `allowed`, or NULL. */
const struct option_info *options_given(const struct options *options, const char *list,
                                        const char *allowed);

#endif
