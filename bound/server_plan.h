/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans of all-to-alls on servers with unequal numbers of ranks: the number of messages from server to
 * server in each step, not the ranks that send or receive them. That suffices: whenever
 *
 *   - from A to B, A != B, go n_A * n_B messages in all steps together, within A
 *     n_A * (n_A - 1);
 *   - in no step more than n_A messages leave ranks of A, or go to ranks of A,
 *
 * ranks can be found for them such that each rank sends at most one in a step and receives at most one,
 * and every rank reaches every other exactly once (server_plan_schedule does it; the proof is in
 * docs/proofs.md, "From servers to ranks"). So any number of steps and fan-in that is possible for
 * servers is possible for ranks.
 */
#ifndef COLLC_BOUND_SERVER_PLAN_H
#define COLLC_BOUND_SERVER_PLAN_H

#include "ir/schedule.h"

struct server_plan {
    const struct placement *placement; /* borrowed */
    uint32_t n_steps;
    uint32_t *flow; /* [(step * n_servers + from) * n_servers + to] messages; owned */
    size_t capacity;
};

/* Returns the messages of that step from one server to another, or within it; adds the step if it is new.
 * Valid until the next step is added. */
uint32_t *server_plan_flow(struct server_plan *plan, uint32_t step, uint32_t from, uint32_t to);
void server_plan_free(struct server_plan *plan);

/* Returns a plan with fan-in 1, to be freed with server_plan_free. It has bound_steps(placement, 1) steps
 * (bound/fan_in.h) if the number of servers is even or 3, or all but one have the same number of ranks;
 * else it takes the best of several arrangements of the servers, which often has as many, and at most
 * max_slots - 1 more than (S - 1) * max_slots. Time O(S^2 * steps) for each size of a server, memory O(S^2
 * * steps). */
struct server_plan server_plan_fan_in_1(const struct placement *placement);

/* Returns a plan with a fan-in of at most `fan_in` and as few steps as it finds: the plan above if it has
 * bound_steps(placement, fan_in), else that of a search that makes at most `effort` changes for each of
 * several numbers of steps from there on. */
struct server_plan server_plan_find(const struct placement *placement, uint32_t fan_in, uint64_t effort);

/* Returns an all-to-all of the plan with ranks, to be released with its `destroy`. The plan may be freed
 * before. */
struct schedule *server_plan_schedule(const struct server_plan *plan);

#endif
