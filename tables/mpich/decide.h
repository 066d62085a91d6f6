/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of a call on the way through a tree, and a tree without the questions that this
 * answers: those that never hold are left out, behind one that always holds nothing is asked.
 */
#ifndef COLLC_TABLES_MPICH_DECIDE_H
#define COLLC_TABLES_MPICH_DECIDE_H

#include "tables/mpich/mpich.h"

enum { CAN_BE_SO = 1, CAN_BE_OTHERWISE = 2, CAN_BE_BOTH = 3 };

struct mpich_known {
    struct {
        int64_t first, last;
    } numbers[MPICH_N_NUMBERS];
    unsigned can_be[TEST_LEAF];  /* of the questions that yes and no answer: CAN_BE_... */
    unsigned hierarchies;        /* that are possible: a bit each, 1 << HIERARCHY_... */
};

struct mpich_known mpich_known_nothing(void);
/* After the condition was asked and held, or did not. */
struct mpich_known mpich_known_with(const struct mpich_known *known, const struct mpich_node *node,
                                   bool is_so);
/* Appends what is left of the conditions beside each other, from the first on: an object, `depth` deep. */
void mpich_put_decided(const struct mpich_node *first, const struct mpich_known *known, unsigned depth,
                       struct text *out);

#endif
