/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc emit --to library.
 */
#ifndef COLLC_DRIVER_EMIT_LIBRARY_H
#define COLLC_DRIVER_EMIT_LIBRARY_H

#include "compiler/driver/messages.h"
#include "compiler/driver/targets.h"

/* Writes the library of the table that is the argument. Returns a status. */
int emit_library_job(const struct options *options);

#endif
