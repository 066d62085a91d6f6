/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ways by the forwarding tables of a topology or of a part of it, to print them; network/forwarding.h has
 * the tables themselves.
 */
#ifndef COLLC_NETWORK_TABLES_H
#define COLLC_NETWORK_TABLES_H

#include "network/topology.h"

/* Fate of a message between a pair of machines. */
enum forwarding_fate {
    FATE_ARRIVES,
    FATE_NO_LID,    /* source or destination has no LID */
    FATE_NO_TABLE,  /* a router on the way has no table */
    FATE_NO_ENTRY,  /* its table has no entry */
    FATE_NO_CABLE,  /* the entry names a port without a cable, or the router itself */
    FATE_ASTRAY,    /* arrives at another machine or port */
    FATE_LOOPS,
    N_FATES
};

/* True if forwarding tables decide the routes. The functions below that speak of tables require
 * it. */
bool tables_are_used(const struct topology *topology);

/* End of the way of a pair without a route. */
struct table_end {
    enum forwarding_fate fate; /* FATE_ARRIVES: the tables lead there, over a link that has failed */
    uint32_t node; /* node of the whole: the router that sends it no further, the machine to which it strays,
                      the lowest router of its loop; TABLE_NOWHERE: none */
    uint32_t link; /* first failed link on its way; TABLE_NOWHERE: none */
};
#define TABLE_NOWHERE UINT32_MAX
/* Follows the tables from one machine to another that has no route. O(routers) */
struct table_end tables_end(const struct topology *topology, uint32_t source, uint32_t destination);
/* Appends the reason why a way ends there: "switch leaf3 has no entry for it", `whom` being "it" or
 * "them". */
void tables_print_end(const struct topology *topology, const struct table_end *end, const char *whom,
                      struct text *out);
/* Counts the ordered pairs without a route by their fate; FATE_ARRIVES are those whose way has failed since.
 * O(pairs) for a part, else O(1). */
void tables_count_unrouted(const struct topology *topology, uint64_t pairs[N_FATES]);

/* LIDs of a machine: the one in use, and their number from it on. */
struct table_lids {
    uint32_t first, n; /* n == 0: it has none */
};
struct table_lids tables_lids(const struct topology *topology, uint32_t machine);
/* Returns the number of links on a route to any of them, at most. */
uint32_t tables_max_hops(const struct topology *topology);
/* Writes the route to one of the LIDs of the destination, on lane 0; 0 if it does not arrive. */
uint32_t tables_route(const struct topology *topology, uint32_t source, uint32_t destination,
                      uint32_t lid, struct hop *hops);

#endif
