/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mapping: renumbering the ranks of a schedule so that its messages fit the network (Kawashima et al.
 * 2013, section 3.2). Rank map[v] executes the algorithm's rank v, its *virtual* rank. The meaning of the
 * collective does not change: senders, receivers, and chunks that are named by a rank are all renamed. A
 * map is applied to a finished schedule and does not depend on coordinates, so any algorithm and any
 * schedule file can have one.
 */
#ifndef COLLC_MAPPING_MAPPING_H
#define COLLC_MAPPING_MAPPING_H

#include "ir/schedule.h"

/* Returns why a schedule of this collective cannot be renumbered, or NULL: in a scan the numbers of the
 * ranks are part of the result. */
const char *mapping_problem(enum collective collective, enum collective_form form);

/* Reads a map from a file: n_ranks numbers of ranks, each once, separated by blanks or line breaks; `#`
 * starts a comment; the v-th is map[v]. In the arena. Returns NULL after reporting A004, I003. */
uint32_t *mapping_read(const struct source *source, uint32_t n_ranks, struct arena *arena,
                       struct diagnostics *diagnostics);

/* Returns the virtual rank that `rank` runs. Requires rank < n_ranks. O(n_ranks) */
uint32_t mapping_find(const uint32_t *map, uint32_t n_ranks, uint32_t rank);
bool mapping_is_identity(const uint32_t *map, uint32_t n_ranks);

/* The schedule with its ranks renumbered; owns `schedule` from now on, reads `map` until it
 * is destroyed. The root becomes map[root]. Requires that there is no mapping_problem, unless
 * the map is the identity: then it is the schedule itself. Otherwise
 *   ordered       the claim is dropped: contributions are no longer in rank order
 *   ranges        consecutive chunks named by ranks need not stay consecutive: copies of
 *                 several become one for each; so do all messages if any has several
 *   networks      with `topology`, each message takes the one of its new machines
 * NULL, and the schedule destroyed, if producing a step failed. A step that becomes too large
 * is reported as E010 while stepping. */
struct schedule *mapping_rename(struct schedule *schedule, const uint32_t *map,
                                const struct topology *topology, struct diagnostics *diagnostics);

/* ---- search ---- */

struct mapping_request {
    const struct topology *topology;
    const struct placement *placement; /* placement of the ranks of the schedule */
    uint64_t work;                     /* limit of links walked while improving, and while measuring orders,
                                          approximately; 0: default */
    bool chooses_ways;                 /* fills in chosen_links and chosen_cables */
};
/* Default limit of work: for each rank, within these bounds. */
enum {
    MAPPING_WORK_PER_RANK = 1 << 17,
    MAPPING_LEAST_WORK = 1 << 23,
    MAPPING_MOST_WORK = 1 << 28
};

/* Figures of the pairs that send, and of the routes between them. A cable is the links of both directions. */
struct mapping_figures {
    uint32_t n_pairs;       /* ordered pairs of ranks on different machines that send */
    uint32_t max_hops;      /* links on the longest route */
    uint64_t sum_hops;
    uint32_t shared_links;  /* links that the routes of several pairs use */
    uint32_t shared_cables; /* the same for cables, in either direction */
    uint32_t chosen_links;  /* if asked for, on an adaptive topology: links that are shared if each route
                               takes the shortest way that meets others least, as far as a search finds; at
                               most shared_links; else 0 */
    uint32_t chosen_cables; /* cables that are shared on the same ways: they may be more than shared_cables */
    bool is_weighed;        /* some link is slower than the fastest: loads are not only chunks */
    uint64_t step_load;     /* sum over steps of the chunks on the busiest link, weighted by slowness relative
                               to the fastest link */
    uint64_t total_load;    /* the same for the busiest link over all steps */
    uint64_t cost;          /* figure that the search minimises: see search.h */
};

/* Returns NULL if a search is possible, else why not, without full stop. */
const char *mapping_search_problem(const struct schedule_header *header,
                                   const struct mapping_request *request);

/* Searches a map for the schedule. There are two starts: a greedy map, breadth first from the root over
 * communicating ranks, and the best of the identity and the orders of hosts. From each, pairs of virtual
 * ranks swap places while that helps, repeatedly after a few random changes, until `work` is spent. The
 * result is the same on every machine. map[root] = root if there is a root. The map is never worse than the
 * identity or an order by (step_load, total_load, cost), in that order. If more than MAPPING_MAX_PAIRS
 * pairs communicate, only orders are tried. Fills in `before` and `after`. Returns false if producing a
 * step failed. Requires that there is no mapping_search_problem. Time O(messages * hops + work), memory
 * O(ranks + links + pairs). */
enum { MAPPING_MAX_PAIRS = 1 << 18 };
struct mapping_result {
    uint32_t *map; /* on the heap */
    bool is_too_dense;  /* only orders were tried, and only loads of steps are filled in ... */
    bool is_unmeasured; /* ... or nothing, and the map is the identity: `work` was not enough */
    const char *order;  /* order of hosts in the map, "sorted by name", or NULL */
    struct mapping_figures before, after;
    uint64_t least_cost;                   /* least cost found: the map's, unless loads of steps made another
                                              map better */
};
bool mapping_search(struct schedule *schedule, const struct mapping_request *request,
                    struct mapping_result *result);

/* True if hosts are not in the order of the topology, by their lowest ranks. */
bool mapping_is_scattered(const struct placement *placement);
/* Finds the best order of hosts. Returns true if all could be measured with `work` and the best one's
 * step_load is less than that of the ranks as they are; then fills in `order` and the loads of steps. Sets
 * `map` in any case. Requires that there is no mapping_search_problem. Time O(work), memory O(ranks +
 * links). */
bool mapping_order_hosts(struct schedule *schedule, const struct mapping_request *request,
                         struct mapping_result *result);

#endif
