/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of this folder share. Each returns NULL after reporting.
 */
#ifndef COLLC_COMPILER_TOPO_READERS_H
#define COLLC_COMPILER_TOPO_READERS_H

#include "compiler/topo/topo.h"
#include "compiler/topo/units.h"
#include "ir/forwarding.h"

struct topology *read_synthetic(const struct source *source, struct diagnostics *diagnostics);
struct topology *read_xml(const struct source *source, struct diagnostics *diagnostics);
struct topology *read_ibnetdiscover(const struct source *source, struct diagnostics *diagnostics);

/* True if the text has a line as ibnetdiscover writes them, in either layout. */
bool looks_like_ibnetdiscover(const struct source *source);
/* True if `spec` begins with the name of a synthetic kind and a colon. */
bool looks_like_synthetic(const char *spec);

/* An implicit shape as described by a string or an element. */
struct shape_request {
    const char *kind;      /* star, full, mesh, torus, fattree */
    struct factors down;   /* machines, extents or children */
    struct factors up;     /* fattree; n == 0: full bisection */
    struct topology_settings settings;
};
/* NULL and *problem set if the numbers are out of range. */
struct topology *shape_make(const struct shape_request *request, const char **problem);

/* Makes the topology of an unsealed graph, which is freed on failure: T004
 * without machines, T005 if two machines have no route. */
struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics);

/* The position of a slice of the source: O(offset), for errors only. */
struct position slice_position(const struct source *source, struct slice slice);

#endif
