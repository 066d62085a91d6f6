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

/* Verifies the one schedule of the options on their network, and shows the verdict instead of printing it;
 * job and verdict live until `show` returns. Returns the exit status of the command; says what cannot be
 * done. */
struct job;
struct verdict;
typedef void verify_shower(void *context, struct job *job, const struct verdict *verdict);
int verify_and_show(const struct options *options, verify_shower *show, void *context);

#endif
