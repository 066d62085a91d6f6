/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The targets of collc emit and collc draw: emitters/targets.def as the command line sees it.
 */
#ifndef COLLC_DRIVER_TARGETS_H
#define COLLC_DRIVER_TARGETS_H

#include "compiler/driver/options.h"
#include "emitters/emit.h"

/* Inputs that a target needs, as bits. */
enum { TAKES_PROGRAM = 1, TAKES_SCHEDULE = 2, TAKES_TOPOLOGY = 4, TAKES_STEP = 8, TAKES_TIMES = 16,
       TAKES_PATH = 32, TAKES_TABLE = 64 };

struct emit_target {
    enum command command;
    const char *name;
    unsigned takes;      /* TAKES_... */
    const char *options; /* "main|function" */
    emit_function *write;
};

/* Returns the target that --to of emit, or --what of draw, names, or the first one. */
const struct emit_target *emit_target_of(const struct options *options);
/* Returns the target of a command with that name; NULL: there is none. */
const struct emit_target *emit_target_named(enum command command, const char *name);
/* False after saying that an option given is not one of the target's. */
bool emit_target_check(const struct options *options);

#endif
