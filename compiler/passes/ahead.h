/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several iterations of a loop of steps at once. Where few ranks are looked at, a step is a handful of lanes,
 * and most of its time goes to its text. So the lanes of a block are these ranks in one iteration, then in
 * the next one, and so on; what is posted is given out step by step.
 */
#ifndef COLLC_COMPILER_PASSES_AHEAD_H
#define COLLC_COMPILER_PASSES_AHEAD_H

#include "compiler/passes/arithmetic.h"
#include "ir/program.h"
#include "ir/schedule.h"

#include <stddef.h>

struct expansion;

/* Operations that are posted. */
struct op_list {
    struct op *ops;
    size_t n, capacity;
    uint16_t *lane; /* [operation] lane that posted it, if there are several iterations */
    size_t lane_capacity;
};

/* Steps that were made from the lists of the expansion. */
struct ahead {
    bool is_posting;                                 /* lanes are of several iterations */
    uint32_t next, n;                                /* the step to give next, and how many there are */
    size_t begin[3][BLOCK_LANES + 1];                /* of sends, receives, copies: [step] where it begins */
    struct op_list sorted;                           /* room */
};

/* True if iterations of a loop may be carried out at once: its body is a step without loops in it, perhaps
 * after values that the step reads. O(its text) */
bool ahead_is_for(const struct expansion *expansion, const struct statement *loop);
/* Carries out iterations of the innermost loop, from the one that begins on, and advances its frame to the
 * last of them. False, with nothing done: each is to be carried out by itself. */
bool ahead_post(struct expansion *expansion);
/* Takes the next step, without its number. False: there is none. */
bool ahead_take(struct expansion *expansion, struct step *step);
void ahead_free(struct ahead *ahead);

#endif
