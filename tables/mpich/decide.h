/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tracks what is known of a call on the way through a tree, and writes a tree without the conditions that
 * this answers: those that never hold are left out, and nothing is asked behind one that always holds.
 */
#ifndef COLLC_TABLES_MPICH_DECIDE_H
#define COLLC_TABLES_MPICH_DECIDE_H

#include "tables/mpich/mpich.h"

enum { CAN_BE_SO = 1, CAN_BE_OTHERWISE = 2, CAN_BE_BOTH = 3 };

struct mpich_known {
    struct {
        int64_t first, last;
    } numbers[MPICH_N_NUMBERS];
    unsigned can_be[TEST_LEAF];  /* possible answers to yes-or-no conditions: CAN_BE_... */
    unsigned hierarchies;        /* possible hierarchies: a bit each, 1 << HIERARCHY_... */
};

struct mpich_known mpich_known_nothing(void);
/* Returns the knowledge after the condition held, or did not. */
struct mpich_known mpich_known_with(const struct mpich_known *known, const struct mpich_node *node,
                                   bool is_so);
/* Appends the remaining conditions beside each other, from the first on: an object, `depth` deep. */
void mpich_put_decided(const struct mpich_node *first, const struct mpich_known *known, unsigned depth,
                       struct text *out);

#endif
