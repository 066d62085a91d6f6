/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes regular shapes from a string (synthetic.c) or from elements of the native XML, and writes them
 * back (shape_write.c). shapes.def lists the kinds.
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
    uint32_t least, most;  /* bounds of the count of numbers */
    uint32_t n_classes;    /* classes of links; 0: one for each number */
    bool has_suffixes;
    enum shape_up { UP_NONE, UP_EACH, UP_SPINES } up; /* shapes.def */
    bool has_cables;
    shape_maker *make;
};
/* Returns the kind with that name, or NULL. */
const struct shape_kind *shape_find(struct slice name);
extern const char *const shape_names[];
extern const size_t shape_n_names;

/* An implicit shape as a string or an element describes it. */
struct shape_request {
    const struct shape_kind *kind;
    struct factors down;   /* machines, extents or children */
    struct factors up;     /* only of a kind with `up`; n == 0: not given */
    struct factors cables; /* likewise */
    struct quantities bandwidths, latencies; /* n == 0: the bandwidths and latencies of the settings */
    struct topology_settings settings;
};
_Static_assert((int)UNITS_MAX_VALUES == (int)TOPOLOGY_MAX_DIMENSIONS,
               "a list of values has one for each dimension or level");
/* Returns the number of values that a list of bandwidths or latencies has, one for each dimension or level.
 * A list with a single value holds for all. */
uint32_t shape_n_classes(const struct shape_request *request);
/* Makes the shape. Returns NULL and sets *problem if the numbers are out of range. The lists have
 * shape_n_classes values, one, or none. */
struct topology *shape_make(const struct shape_request *request, const char **problem);

/* Other words that may stand before a colon, in front of a file. */
struct shape_others {
    const char *const *words;
    size_t n;
};
/* Returns the topology of a synthetic string, NULL after reporting. The report on an unknown kind may
 * suggest one of the others. */
struct topology *synthetic_read(const struct source *source, const struct shape_others *others,
                                struct diagnostics *diagnostics);
/* True if `spec` begins with the name of a synthetic kind and a colon. */
bool synthetic_is(const char *spec);
/* Reports T001 for a name of no file if it resembles a kind of network more than a file. */
bool synthetic_report_unknown(const char *spec, struct diagnostics *diagnostics);
/* Returns an example of the kind called `name`, "star:24", or NULL if there is no such kind. */
const char *synthetic_example(const char *name);

#endif
