/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule whose ranks all do the same, on a network that treats them alike: in each step every
 * rank makes the same copies, sends as many messages of the same sizes, and what message number i of
 * one rank meets on its way, message number i of every other meets, too, on a link of its own. Then all
 * ranks are always equally far, by the model `asap` and with one rank on each machine, and to play one
 * of them is to play all.
 *
 * The links that the messages number i of a step cross as their hop number k are a class; each
 * class has as many links as there are ranks, and each of these links serves the same messages at the same
 * times. So a class is as good as one link.
 *
 * The data found of a schedule is small, O(steps + messages of one rank x hops), and gives the time for
 * any size of its chunks: the schedule is expanded, its messages matched and routed once for all sizes.
 */
#ifndef COLLC_SIMULATE_UNIFORM_H
#define COLLC_SIMULATE_UNIFORM_H

#include "ir/symmetry.h"
#include "simulate/player.h"

struct uniform;

/* NULL: its ranks do not all do the same, or a step could not be produced. To be freed.
 * O(messages x hops), of a schedule that is not so up to the first step that shows it; memory O(ranks +
 * links + operations of a step). */
struct uniform *uniform_find(struct schedule *schedule, const struct topology *topology,
                             const struct placement *placement);
/* The same of a symmetric schedule, whose witnesses symmetry->schedule has, from what rank 0 does. NULL: it
 * is not so, or not known that way. O(operations of witnesses + hops of the messages of rank 0); memory
 * O(steps + these hops, up to 2^25) */
struct uniform *uniform_find_shifted(const struct symmetry *symmetry, const struct topology *topology,
                                     const struct placement *placement);
void uniform_free(struct uniform *uniform);
/* Cost of one play: operations and hops of one rank. */
uint64_t uniform_work(const struct uniform *uniform);

/* Finds what player_run finds by the model `asap`: the time, and the parts of it; where several ways to
 * the end take equally long, these may be the parts of another one. False: not by these settings, or the
 * order in which a link serves messages of several ranks is open, and it has to be played. */
bool uniform_play(const struct uniform *uniform, const struct player_settings *settings,
                  uint64_t *time, struct time_parts *parts);

#endif
