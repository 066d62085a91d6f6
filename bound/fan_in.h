/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lower bounds for an all-to-all on servers with n_0, n_1, ... ranks, p in all, m on the
 * largest of the S servers. They hold for schedules in which a rank sends at most one
 * message in a step and receives at most one, and the chunk from A to B goes in one message
 * from A to B. Fan-in f means: in a step a server receives from at most f other servers;
 * messages within a server do not count (verify/verify.h, max_fan_in).
 *
 *   (1) steps >= p - 1
 *   (2) fan-in * steps >= (S - 1) * m
 *
 * (1) A rank receives from p - 1 others, one in a step.
 * (2) From server A to server B, A != B, go n_A * n_B messages. A step has at most
 *     min(n_A, n_B) of them, as each has a sender and a receiver of its own; so in at least
 *     n_A * n_B / min(n_A, n_B) = max(n_A, n_B) steps B receives from A. A step counts for
 *     at most f servers A, so f * steps >= R_B = sum over A != B of max(n_A, n_B). No R_B
 *     is above (S - 1) * m, and that of the largest server is equal to it.
 *
 * (3) Three servers with fan-in 1 need more: 2 * steps >= 3x + 2y - 1 for x and y ranks on the
 * larger two. The proof, and the schedules that have no more steps, are in docs/proofs.md.
 *
 * Messages inside of B add nothing to (2) beyond (1): of the n_B * max(n_A, n_B) receptions
 * that the ranks of B have room for while B receives from A, n_B * (max(n_A, n_B) - n_A) are
 * free, and
 *
 *     R_B + max(0, n_B - 1 - sum over A != B of (max(n_A, n_B) - n_A)) = max(R_B, p - 1).
 */
#ifndef COLLC_BOUND_FAN_IN_H
#define COLLC_BOUND_FAN_IN_H

#include "network/placement/placement.h"

/* Returns the least number of steps of an all-to-all in which no server receives from more than `fan_in`
 * others in a step; fan_in > 0. 0 for one rank. */
uint64_t bound_steps(const struct placement *placement, uint32_t fan_in);

#endif
