/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A report of `collc verify` for other commands.
 */
#ifndef COLLC_DRIVER_VERIFY_H
#define COLLC_DRIVER_VERIFY_H

#include "compiler/driver/options.h"

/* Appends the report in JSON of a schedule on a network (NULL: none), with these options; the exit status of
 * the command. What cannot be done is said. */
int verify_into(const struct options *options, const char *schedule, const char *topology,
                struct text *out);

#endif
