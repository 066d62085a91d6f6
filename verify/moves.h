/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps in which messages move. A send waits for its receive, so a message is on the network in the step
 * in which the later of the two is posted, by the numbers of the steps. A send in step 0 that
 * is received in step 1 puts nothing on the network in step 0.
 */
#ifndef COLLC_VERIFY_MOVES_H
#define COLLC_VERIFY_MOVES_H

#include "ir/schedule.h"

struct moves;

/* Makes an empty list. `limit`: sends and receives that may wait; more are taken to move when they are
 * posted. */
struct moves *moves_new(size_t limit);
/* Lists in *sends the sends whose messages move in this step; returns their number. Valid until the next
 * call. Once per step, in order; steps in which every message is sent and received may be left out as long as
 * nothing waits. O(operations). */
size_t moves_step(struct moves *moves, const struct step *step, const struct op **sends);
void moves_free(struct moves *moves);

#endif
