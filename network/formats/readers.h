/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the readers of this folder share. Each returns NULL after reporting.
 */
#ifndef COLLC_NETWORK_FORMATS_READERS_H
#define COLLC_NETWORK_FORMATS_READERS_H

#include "base/text/units.h"
#include "network/formats/formats.h"
#include "network/forwarding.h"

/* The files of a network, in the order of their names; at least one. */
struct source_list {
    const struct source **items;
    size_t n;
};

#define FORMAT(name, title)                                                                        \
    bool is_##name(const struct source *source);                                                   \
    struct topology *read_##name(const struct source *source, struct diagnostics *diagnostics);
#define FOLDER_FORMAT(name, title)                                                                 \
    bool is_##name(const struct source *source);                                                   \
    struct topology *read_##name(const struct source_list *files, struct diagnostics *diagnostics);
#include "network/formats/formats.def"

struct topology *read_synthetic(const struct source *source, struct diagnostics *diagnostics);

/* A topology that the file `whole` names: as topology_read, but a path is relative to the
 * folder of `whole`, and the sources say by whom they are named. */
struct topology *topology_read_part(const char *spec, const struct source *whole,
                                    struct diagnostics *diagnostics);
/* That path, on the heap. */
char *beside(const struct source *whole, const char *path);

/* True if the first element of the text is called that: for formats in XML. O(prolog). */
bool xml_root_is(const struct source *source, const char *name);
/* The text behind a byte order mark and blanks. */
const char *source_start(const struct source *source);

/* True if `spec` begins with the name of a synthetic kind and a colon. */
bool looks_like_synthetic(const char *spec);
/* An example of the kind that `name` is, without numbers: "star:24"; NULL: it is none. */
const char *synthetic_example(const char *name);

/* An implicit shape as described by a string or an element. */
struct shape_request {
    const char *kind;      /* star, full, mesh, torus, fattree, tofu */
    struct factors down;   /* machines, extents or children */
    struct factors up;     /* fattree; n == 0: full bisection */
    struct quantities bandwidths, latencies; /* n == 0: those of the settings */
    struct topology_settings settings;
};
/* For how many dimensions or levels a list of bandwidths or latencies has a value; a
 * single value is always for all. */
uint32_t shape_n_classes(const struct shape_request *request);
/* NULL and *problem set if the numbers are out of range. The lists have as many
 * values as shape_n_classes, or one, or none. */
struct topology *shape_make(const struct shape_request *request, const char **problem);

/* Makes the topology of an unsealed graph, which is freed on failure: T004
 * without machines, T005 if two machines have no route. */
struct topology *graph_topology(const struct topology_settings *settings, struct graph *graph,
                                struct position position, struct diagnostics *diagnostics);

/* The position of a slice of the source: O(offset), for errors only. */
struct position slice_position(const struct source *source, struct slice slice);

#endif
