/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule played by the model `asap`, player and network in one. What player_run (simulate/player.h) works
 * out of each operation is left out, so that a time costs 0.4 to 0.6 as much: this is for whoever compares
 * many.
 *
 * It takes schedules whose messages are sent and received in one step. So messages and receives are
 * brought together as steps are read, and most ends are known before time comes to them:
 *
 *   a send has left      known when its message is taken by its first link
 *   the host is done     known when the message is there: the host does one thing after the other
 *   a turn is over       an event only once all in it is known, and then it is one event
 *
 * Only these remain as events: the links of a route where a message waits or others may come before it,
 * arrivals, and what a rank does next. They happen in the rounds of simulate/player.c, so whoever is
 * served first there is so here.
 */
#ifndef COLLC_SIMULATE_DIRECT_H
#define COLLC_SIMULATE_DIRECT_H

#include "simulate/player.h"

/* Finds what player_run finds by the model `asap`: the time, and the parts of it; where several ways to
 * the end take equally long, these may be the parts of another one. False: not by these settings, of this
 * schedule, or it does not come to its end; player_run has to say.
 * Time O(messages x hops x log(ns between what happens)), memory O(ranks + links + hops of messages between
 * the first rank and the last). */
bool direct_play(struct schedule *schedule, const struct player_settings *settings, uint64_t *time,
                 struct time_parts *parts);

#endif
