/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collc algorithms: an algorithm for programs.
 */
#ifndef COLLC_DRIVER_ALGORITHMS_H
#define COLLC_DRIVER_ALGORITHMS_H

#include "compiler/driver/facts.h"
#include "compiler/driver/json.h"

/* An object with the keys of docs/json.md; `has_size`: the bytes stated have a value. */
void algorithm_json(const struct facts *facts, bool has_size, struct arena *arena,
                    struct json *json);

#endif
