/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpirun -n N collc COMMAND: several of collc that an MPI has launched share the work of commands that can
 * be shared (docs/parallel.md).
 */
#ifndef COLLC_DRIVER_LAUNCH_H
#define COLLC_DRIVER_LAUNCH_H

#include "compiler/driver/commands.h"

#include <stdbool.h>

/* Turns this process into the helper of the MPI that launched several processes if the command can be shared;
 * does not return then. False after saying that there is no such helper. */
bool launch_share(enum command command, char **arguments);

#endif
