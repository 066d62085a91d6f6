/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Help, manual page, reference page and completion, all from the tables of
 * commands and options.
 */
#ifndef COLLC_DRIVER_HELP_H
#define COLLC_DRIVER_HELP_H

#include "compiler/driver/options.h"

#include <stdio.h>

/* Prints two lines for a user who gave no command. */
void help_usage(FILE *file);
/* Prints the help of a command to stdout; returns STATUS_CLEAN. */
int help_of_command(enum command command);
/* Prints what fits on a screen: usage, examples and the names of its options; returns STATUS_CLEAN. */
int help_usage_of_command(enum command command);
/* Says on stderr that there is no such command, and which was probably meant; returns STATUS_FAILED. */
int help_unknown_command(const char *name);

#endif
