/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the ordered pairs of hosts without a route, as groups. In a group every source lacks a
 * route to every destination (other than itself), and the ways end at the same place for the same reason.
 * Each pair is in one group. Text, JSON and the messages of findings say it by the functions below.
 */
#ifndef COLLC_NETWORK_UNROUTED_H
#define COLLC_NETWORK_UNROUTED_H

#include "base/observer.h"
#include "network/host_sets.h"
#include "network/tables.h"

struct unrouted_group {
    struct table_end end;     /* end of their ways; without tables FATE_ARRIVES and TABLE_NOWHERE */
    bool is_mutual;           /* the destinations do not reach the sources either */
    bool is_all;              /* no other host reaches the destinations: the sources are all hosts */
    bool is_among;            /* sources and destinations are the same */
    bool is_to_others;        /* the destinations are all hosts that are no sources */
    uint32_t n_sources, n_destinations;
    const uint32_t *destinations; /* ascending */
    uint64_t n_pairs;         /* both ways, if mutual */
};

struct unrouted {
    struct host_sets hosts;   /* hosts that were asked about */
    uint64_t n_pairs;         /* ordered pairs without a route */
    struct unrouted_group *groups; /* most pairs first */
    size_t n_groups;
    uint32_t *destinations;   /* of all groups */
    uint32_t *all;            /* numbers of all hosts, where no list was given */
};

/* Finds the pairs without a route among the n machines of an ascending list, which outlives the result; NULL:
 * among all. O(machines * nodes + pairs without a route * hops) where the routes to a machine are a tree
 * (topology_next_links of the whole), else O(pairs * hops). Memory O(nodes + links), and for each machine
 * some 16 bytes, or a class of its own, for each place where ways to it end: a switch, or one for all.
 * Release with unrouted_free. */
struct unrouted unrouted_find(const struct topology *topology, const uint32_t *machines, uint32_t n,
                              const struct observer *observer);
void unrouted_free(struct unrouted *unrouted);
/* Returns the seconds of CPU that this takes, a rule of thumb from measurements. O(nodes) */
double unrouted_seconds(const struct topology *topology, uint32_t n);

/* Returns the sources of a group, ascending; to be freed. O(machines * hops) */
uint32_t *unrouted_sources(const struct unrouted *unrouted, const struct unrouted_group *group);
/* Appends a group: "hosts of switch leaf3 (node[017-032]) do not reach hosts of switch leaf4 (node[033-064]),
 * 512 pairs: switch leaf3 has no entry for them". Lists of names are cut if `is_short`. */
void unrouted_print_group(const struct unrouted *unrouted, const struct unrouted_group *group, bool is_short,
                          struct text *out);
/* Appends the largest groups in short, "; " between them, and the number of the others. */
void unrouted_print_short(const struct unrouted *unrouted, struct text *out);

/* Appends `before` and the short form, for messages; nothing where all have routes, or where the search takes
 * more than some seconds. The machines may come in any order, and repeat. */
void unrouted_say(const struct topology *topology, const uint32_t *machines, uint32_t n, const char *before,
                  struct text *out);

#endif
