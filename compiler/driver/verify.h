/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A report of `collc verify` for other commands.
 */
#ifndef COLLC_DRIVER_VERIFY_H
#define COLLC_DRIVER_VERIFY_H

#include "compiler/driver/options.h"

/* Appends the report in JSON of a schedule on a network (NULL: none), with these options; returns the exit
 * status of the command. Says what cannot be done. */
int verify_into(const struct options *options, const char *schedule, const char *topology,
                struct text *out);

#endif
