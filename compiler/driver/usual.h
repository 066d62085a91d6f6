/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values of options that the command line does not give: those of the environment, COLLC_TOPOLOGY, and below
 * these those of the user's or the system's config.yaml (docs/topology.md).
 */
#ifndef COLLC_DRIVER_USUAL_H
#define COLLC_DRIVER_USUAL_H

#include "compiler/driver/options_internal.h"
#include "study/project/keys.h"

/* The keys of config.yaml, which are names of options. */
extern const struct key_table usual_keys;

/* Takes what is not given. `given` has an element for each option of the table; `has_network`: an argument is
 * the network. Says on standard error what a file gave. False after saying what is wrong. */
bool usual_take(struct options *options, const bool *given, bool has_network);
/* Leaves out the network that was not given, and what the config says of it: a schedule file names another.
 */
void usual_leave_network(struct options *options, const char *other);

#endif
