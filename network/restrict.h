/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Restricts a network by words of the user: links that have failed, and the machines of a job.
 */
#ifndef COLLC_NETWORK_RESTRICT_H
#define COLLC_NETWORK_RESTRICT_H

#include "base/text/slice.h"
#include "network/topology.h"

/* Parts of a network to keep or to fail; 0 or NULL where nothing was said. */
struct topology_restriction {
    const char *const *failed; /* "A:B" every cable between two nodes, "A" every cable of a */
    size_t n_failed;           /* node, or the number of a link: its cable */
    const char *machines;      /* a file or a list: host lists, boxes "(0-3,0-3,2)" of a grid */
};
/* Returns the topology without what has failed and with only those machines (topology_new_faulty,
 * topology_new_subset); owns `topology` from now on. NULL after reporting T024, I001. */
struct topology *topology_restrict(struct topology *topology,
                                   const struct topology_restriction *restriction,
                                   struct diagnostics *diagnostics);

/* Returns the topology, which the result owns from now on, so that links of it may fail for a while. */
struct topology *topology_let_fail(struct topology *topology);
/* Fails these links of such a topology besides those that it was made with; replaces the links of an earlier
 * call. Only routes, links and max_hops follow; the name, the rule and the fingerprint stay. */
void topology_fail_besides(struct topology *topology, const uint32_t *links, uint32_t n_links);

/* Returns the names that a host list without blanks stands for, "node[001-016],gpu3", in its order, a line
 * end after each; in the arena. NULL and *problem, a sentence without full stop that is never freed, if it is
 * none. */
char *machine_list_expand(const char *expression, struct arena *arena, const char **problem);

/* Returns the node whose name is nearest to the words, one of the machines only or of all, as in
 * base/suggest.h; NULL: none is near. In the arena. O(nodes). */
const char *topology_nearest_node(const struct topology *topology, struct slice words, bool is_machine,
                                  struct arena *arena);

/* Returns help for a message that no machine has this name: the nearest name, or how machines are named. In
 * the arena. O(machines). */
const char *topology_help_with_machine(const struct topology *topology, struct slice name,
                                       struct arena *arena);

/* Kind of a failed part. */
enum failed_sort {
    FAILED_ANY,   /* as in --fail: any of the others; a number is that of a link */
    FAILED_LINK,  /* A:B, every cable between two nodes */
    FAILED_NODE,  /* every cable of a node */
    FAILED_NUMBER /* the cable of that link */
};
struct failed_word {
    enum failed_sort sort;
    const char *text;
    const struct source *source; /* source of the word; NULL: in no source */
    struct slice place;
};
/* Returns the topology, which the result owns from now on, without what has failed (topology_new_faulty).
 * NULL after reporting T024. O(links + words log words). */
struct topology *restrict_links(struct topology *topology, const struct failed_word *words,
                                size_t n, struct diagnostics *diagnostics);

/* List of machines, NUL-terminated, and its place in a source: byte for byte if they are equally long. */
struct machine_words {
    const char *text;
    const struct source *source;
    struct slice place;
};
/* Returns the topology, which the result owns from now on, with only those machines (topology_new_subset).
 * NULL after reporting T024. */
struct topology *restrict_machines(struct topology *topology, const struct machine_words *words,
                                   struct diagnostics *diagnostics);

/* Marks the machines that the words name: host lists ("node[001-016],gpu3"), and on a grid
 * boxes of coordinates, "(0-3,0-3,0)", in the dimensions of the grid or of its view. False
 * after reporting T024. */
bool mark_machines(const struct topology *topology, const struct machine_words *words, bool *is_in,
                   struct diagnostics *diagnostics);

#endif
