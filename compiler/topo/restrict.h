/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What restrict*.c share: the links that have failed and the machines of a job,
 * as words of the user.
 */
#ifndef COLLC_COMPILER_TOPO_RESTRICT_H
#define COLLC_COMPILER_TOPO_RESTRICT_H

#include "compiler/topo/readers.h"

/* Marks the machines that `text` names: host lists ("node[001-016],gpu3"), and on a grid
 * boxes of coordinates, "(0-3,0-3,0)", in the dimensions of the grid or of its view. False
 * after reporting T024. */
bool mark_machines(const struct topology *topology, const struct source *source, bool *is_in,
                   struct diagnostics *diagnostics);

#endif
