/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matches the cables of two networks, in joined numbers (fabric_join.h): finds the partner of each in the
 * other network, if it has one.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_CABLES_H
#define COLLC_STUDY_FABRIC_FABRIC_CABLES_H

#include "study/fabric/fabric_join.h"
#include "study/fabric/usual_ports.h"

struct fabric_cable_end {
    uint32_t node, port; /* joined number; port 0: unknown */
    const char *adapter; /* of a machine that has one of that name in both networks; NULL: not compared */
};

struct fabric_cable {
    struct fabric_cable_end end[2]; /* by joined number of the node */
    uint64_t bandwidth;             /* one direction, bytes per second; 0: not stated */
    uint32_t link;                  /* from the first end to the second */
    uint32_t partner;               /* in the other list, or NOT_THERE */
    uint32_t oddness; /* ends whose port mostly leads elsewhere (usual_ports.h); without ports 0 */
    bool is_moved;                  /* only one end is the same in the partner: moved_end */
    uint8_t moved_end, partner_end; /* end that stayed, of this cable and of the partner */
};

struct fabric_cables {
    struct fabric_cable *items; /* by nodes, then by ports */
    uint32_t n;
};

enum fabric_detail {
    DETAIL_OUTLINE, /* cables between a machine and a switch, one of each pair, without ports and rates */
    DETAIL_SHARED,  /* all, with ports if both networks have them */
    DETAIL_OWN      /* everything that this network states */
};
struct fabric_cables fabric_cables_of(const struct fabric_join *join, bool is_new,
                                      enum fabric_detail detail);
/* Sorts like cables of the new network, of which ports are not compared, so that those in odd ports are left
 * over rather than others. O(cables log cables) */
void fabric_cables_mark_odd(struct fabric_cables *cables, const struct usual_ports *usual);
/* Finds the partners in both lists. O(cables log cables). */
void fabric_cables_match(struct fabric_cables *old, struct fabric_cables *new,
                         const struct fabric_join *join);

#endif
