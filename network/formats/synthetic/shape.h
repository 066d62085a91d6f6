/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regular shapes: by a string (synthetic.c), by elements of the native XML, and back
 * (shape_write.c). shapes.def lists the kinds.
 */
#ifndef COLLC_NETWORK_FORMATS_SYNTHETIC_SHAPE_H
#define COLLC_NETWORK_FORMATS_SYNTHETIC_SHAPE_H

#include "base/text/units.h"
#include "network/format.h"

struct shape_request;
typedef struct topology *shape_maker(const struct shape_request *request, const char **problem);

/* A line of shapes.def. */
struct shape_kind {
    const char *name, *example;
    uint32_t least, most;  /* numbers */
    uint32_t n_classes;    /* 0: as many as numbers */
    bool has_suffixes, has_up;
    shape_maker *make;
};
/* The kind of that name, or NULL. */
const struct shape_kind *shape_find(struct slice name);
extern const char *const shape_names[];
extern const size_t shape_n_names;

/* An implicit shape as described by a string or an element. */
struct shape_request {
    const struct shape_kind *kind;
    struct factors down;   /* machines, extents or children */
    struct factors up;     /* of a kind that has it; n == 0: not said */
    struct quantities bandwidths, latencies; /* n == 0: those of the settings */
    struct topology_settings settings;
};
_Static_assert((int)UNITS_MAX_VALUES == (int)TOPOLOGY_MAX_DIMENSIONS,
               "a list of values has one for each dimension or level");
/* For how many dimensions or levels a list of bandwidths or latencies has a value; a
 * single value is always for all. */
uint32_t shape_n_classes(const struct shape_request *request);
/* NULL and *problem set if the numbers are out of range. The lists have as many
 * values as shape_n_classes, or one, or none. */
struct topology *shape_make(const struct shape_request *request, const char **problem);

/* Words that may stand before a colon as well, in front of a file. */
struct shape_others {
    const char *const *words;
    size_t n;
};
/* The topology of a synthetic string; NULL after reporting. Where its kind is unknown, one of
 * the others may be meant. */
struct topology *synthetic_read(const struct source *source, const struct shape_others *others,
                                struct diagnostics *diagnostics);
/* True if `spec` begins with the name of a synthetic kind and a colon. */
bool synthetic_is(const char *spec);
/* Reports T001 of a name that is no file, if it looks like a kind of network more than like a file. */
bool synthetic_report_unknown(const char *spec, struct diagnostics *diagnostics);
/* An example of the kind that `name` is, without numbers: "star:24"; NULL: it is none. */
const char *synthetic_example(const char *name);

#endif
