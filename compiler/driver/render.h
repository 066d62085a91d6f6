/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs Graphviz's program `dot`: a process of its own, so that its licence and
 * its memory stay there.
 */
#ifndef COLLC_DRIVER_RENDER_H
#define COLLC_DRIVER_RENDER_H

#include "base/memory.h"

/* Appends the picture that `dot -TFORM` makes of a DOT text: "svg", "png", "pdf". False, after saying why on
 * stderr, if `dot` is not there or fails. */
bool render(const struct text *dot, const char *form, struct text *picture);

#endif
