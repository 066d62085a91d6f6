/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What restrict*.c share: the links that have failed and the machines of a job,
 * as words of the user.
 */
#ifndef COLLC_NETWORK_RESTRICT_H
#define COLLC_NETWORK_RESTRICT_H

#include "network/formats/readers.h"

/* What has failed, in one word. */
enum failed_sort {
    FAILED_ANY,   /* as --fail says it: any of the others, a number being that of a link */
    FAILED_LINK,  /* A:B, every cable between two nodes */
    FAILED_NODE,  /* every cable of a node */
    FAILED_NUMBER /* the cable of that link */
};
struct failed_word {
    enum failed_sort sort;
    const char *text;
    const struct source *source; /* where it stands; NULL: in no source */
    struct slice place;
};
/* The topology, which it owns from now on, without what has failed (topology_new_faulty).
 * NULL after reporting T024. O(links + words log words). */
struct topology *restrict_links(struct topology *topology, const struct failed_word *words,
                                size_t n, struct diagnostics *diagnostics);

/* A list of machines, NUL-terminated, and the place in a source where it stands: byte for
 * byte if they are equally long. */
struct machine_words {
    const char *text;
    const struct source *source;
    struct slice place;
};
/* The topology, which it owns from now on, with only those machines (topology_new_subset).
 * NULL after reporting T024. */
struct topology *restrict_machines(struct topology *topology, const struct machine_words *words,
                                   struct diagnostics *diagnostics);

/* Marks the machines that the words name: host lists ("node[001-016],gpu3"), and on a grid
 * boxes of coordinates, "(0-3,0-3,0)", in the dimensions of the grid or of its view. False
 * after reporting T024. */
bool mark_machines(const struct topology *topology, const struct machine_words *words, bool *is_in,
                   struct diagnostics *diagnostics);

#endif
