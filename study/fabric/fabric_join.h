/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joins the nodes of two networks in one numbering, for fabric_changes.h.
 */
#ifndef COLLC_STUDY_FABRIC_FABRIC_JOIN_H
#define COLLC_STUDY_FABRIC_FABRIC_JOIN_H

#include "study/fabric/fabric_ports.h"

#define NOT_THERE UINT32_MAX

/* Joined numbers: the nodes of the old network, then the nodes that only the new one has. */
struct fabric_join {
    const struct topology *old, *new;
    uint32_t n;          /* joined numbers */
    uint32_t *old_of;    /* [joined] node of the old network, or NOT_THERE */
    uint32_t *new_of;    /* [joined] node of the new network, or NOT_THERE */
    uint32_t *of_new;    /* [node of the new network] joined */
    const struct fabric_ports *ports; /* NULL: not compared */
    bool is_by_structure; /* names and ports of the two have nothing to do with each other */
};

/* Joins nodes with the same name, GUID or neighbours. Release with fabric_join_free. */
struct fabric_join fabric_join_make(const struct topology *old, const struct topology *new);
/* Joins nodes that stand in the same place (fabric_align.h), whatever their names. Of the hosts of a switch
 * that has one too many, the one is left over whose name fits the others least. */
struct fabric_join fabric_join_by_structure(const struct topology *old, const struct topology *new);
/* Joins each node of the old network with partner[node]; NOT_THERE: with none. */
struct fabric_join fabric_join_of_partners(const struct topology *old, const struct topology *new,
                                           const uint32_t *partner);
void fabric_join_free(struct fabric_join *join);
/* Returns the name of a node, in the arena. */
const char *fabric_node_name(const struct topology *topology, uint32_t node, struct arena *arena);

#endif
