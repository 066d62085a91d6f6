/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans with fan-in 1. There are S - 1 rounds of m steps, m ranks on the largest of S servers, in which
 * every two servers meet once; the remaining room is for the messages within servers. Two servers that
 * exchange their messages waste no room: the senders and receivers of each are idle in the same steps.
 * With an even number of servers all meet in pairs. With an odd number three or more go round in each
 * round, A -> B -> C -> A, and there A loses the difference of B and C.
 *
 * Odd numbers: S - 1 = u * h, u odd, h a power of 2. One server, the hub, belongs to each of u clusters
 * of h others. In the rounds of cluster r it meets with itself and the hub; clusters r - k and r + k,
 * modulo u, meet each other. Servers of similar size are in a cluster; or all others are one. Servers of
 * every size are tried as the hub. The proofs are in docs/proofs.md.
 */
#include "bound/fan_in.h"
#include "bound/server_plan.h"

#include <stdlib.h>

static uint32_t server_plan_fan_in_1_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t slots(const struct server_plan *plan, uint32_t server)
{
    return placement_slots(plan->placement, server);
}

/* ---- messages ---- */

/* Plans n messages from `first` on, at most `rate` in a step. Returns the step behind. */
static uint32_t carry(struct server_plan *plan, uint32_t first, uint32_t from, uint32_t to, uint32_t rate,
                      uint32_t n)
{
    for (; n; first++) {
        const uint32_t now = server_plan_fan_in_1_least(rate, n);
        *server_plan_flow(plan, first, from, to) += now;
        n -= now;
    }
    return first;
}

/* Plans all messages from one to the other, as fast as possible. */
static void carry_all(struct server_plan *plan, uint32_t first, uint32_t from, uint32_t to)
{
    const uint32_t a = slots(plan, from), b = slots(plan, to);
    carry(plan, first, from, to, server_plan_fan_in_1_least(a, b), a * b);
}

static void server_plan_fan_in_1_exchange(struct server_plan *plan, uint32_t first, uint32_t one,
                                          uint32_t other)
{
    carry_all(plan, first, one, other);
    carry_all(plan, first, other, one);
}

static void go_round(struct server_plan *plan, uint32_t first, const uint32_t server[3])
{
    for (int i = 0; i < 3; i++)
        carry_all(plan, first, server[i], server[(i + 1) % 3]);
}

/* Plans the messages within servers: in steps in which one rank has room as a sender and another as a
 * receiver, then in steps of their own. */
static void server_plan_fan_in_1_fill(struct server_plan *plan, uint32_t server)
{
    const uint32_t n_servers = plan->placement->n_servers, n = slots(plan, server);
    uint32_t left = n * (n - 1);
    for (uint32_t step = 0; left; step++) {
        uint32_t out = 0, in = 0;
        for (uint32_t other = 0; other < n_servers; other++) {
            out += *server_plan_flow(plan, step, server, other);
            in += *server_plan_flow(plan, step, other, server);
        }
        const uint32_t now = server_plan_fan_in_1_least(left, n - (out > in ? out : in));
        *server_plan_flow(plan, step, server, server) += now;
        left -= now;
    }
}

/* ---- rounds ---- */

/* Plans even numbers: the tournament on a circle, whose last server stays in its middle. */
static void meet_in_pairs(struct server_plan *plan)
{
    const uint32_t turns = plan->placement->n_servers - 1, m = plan->placement->max_slots;
    for (uint32_t turn = 0; turn < turns; turn++) {
        server_plan_fan_in_1_exchange(plan, turn * m, turns, turn);
        for (uint32_t k = 1; 2 * k <= turns; k++)
            server_plan_fan_in_1_exchange(plan, turn * m, (turn + k) % turns, (turn + turns - k) % turns);
    }
}

/* Plans three servers of x >= y >= z ranks: `around` steps one way round and as many the other, with `rate`
 * messages between the larger two and z else; then each pair for the rest of its messages. These are 2x + y
 * - around * rate / y steps, if `around` is not above y. */
static void meet_in_three(struct server_plan *plan, uint32_t first, const uint32_t server[3],
                          uint32_t around, uint32_t rate)
{
    const uint32_t x = slots(plan, server[0]), y = slots(plan, server[1]), z = slots(plan, server[2]);
    uint32_t next = first + 2 * around;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t from = server[i], to = server[(i + 1) % 3], speed = i ? z : rate;
        carry(plan, first, from, to, speed, around * speed);
        carry(plan, first + around, to, from, speed, around * speed);
    }
    carry(plan, next, server[0], server[2], z, (x - around) * z);
    next = carry(plan, next, server[2], server[0], z, (x - around) * z);
    carry(plan, next, server[0], server[1], y, x * y - around * rate);
    next = carry(plan, next, server[1], server[0], y, x * y - around * rate);
    carry(plan, next, server[1], server[2], z, (y - around) * z);
    carry(plan, next, server[2], server[1], z, (y - around) * z);
}

/* Plans S = 3 with the fewest steps. */
static void meet_three(struct server_plan *plan, const uint32_t *order)
{
    const uint32_t x = slots(plan, order[0]), y = slots(plan, order[1]), z = slots(plan, order[2]);
    const uint32_t steps = (uint32_t)bound_steps(plan->placement, 1), most = 2 * x + y;
    meet_in_three(plan, 0, order, y, most > steps + z ? most - steps : z);
}

/* Plans the hub and a cluster of 4: the four faces of a tetrahedron. */
static void meet_hub_4(struct server_plan *plan, uint32_t first, uint32_t hub, const uint32_t *cluster)
{
    static const uint8_t faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *const c = cluster;
        const uint32_t face[] = {c[faces[i][0]], c[faces[i][1]], c[faces[i][2]]};
        server_plan_fan_in_1_exchange(plan, first + i * plan->placement->max_slots, hub, c[i]);
        go_round(plan, first + i * plan->placement->max_slots, face);
    }
}

/* Plans the hub and a cluster of 8 on a circle: opposite ones go round with the hub, and the pairs differ
 * by 1, 2 and 3. */
static void meet_hub_8(struct server_plan *plan, uint32_t first, uint32_t hub, const uint32_t *cluster)
{
    static const uint8_t pairs[3][2] = {{1, 3}, {2, 5}, {6, 7}};
    uint32_t circle[8];
    for (uint32_t i = 0; i < 8; i++)
        circle[i % 2 * 4 + i / 2] = cluster[i];
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t step = first + i * plan->placement->max_slots;
        const uint32_t three[] = {hub, circle[i], circle[(i + 4) % 8]};
        go_round(plan, step, three);
        for (int k = 0; k < 3; k++)
            server_plan_fan_in_1_exchange(plan, step, circle[(i + pairs[k][0]) % 8],
                                          circle[(i + pairs[k][1]) % 8]);
    }
}

/* Orders the numbers 0 to n - 1, except one, which it returns, such that neighbours differ by n - 2
 * different numbers modulo n: outside in, from below and from above in turns, and half way from below
 * twice. n is odd; this is an R-sequencing of the cyclic group in Friedlander, Gordon and Miller, "On a
 * group sequencing problem of Ringel", 1978. */
static uint32_t path_of_differences(uint32_t *path, uint32_t n)
{
    const uint32_t half = (n + 1) / 2, skipped = n % 4 == 3;
    uint32_t low = 0, high = n - 1;
    for (uint32_t i = 0; i < n - 1; i++) {
        low += i == half ? skipped : 0;
        path[i] = (i < half ? i : i - half) % 2 ? high-- : low++;
    }
    return skipped ? n / 4 + 1 : low;
}

/* Plans any cluster: the hub meets one after the other, while the rest is a ring. The rings are n = h - 1
 * points of a path and one more, `pole`, rotated n times, and one of those n points. They have every arc
 * once, as the path has each difference modulo n except that of the last ring. */
static void meet_hub_rings(struct server_plan *plan, uint32_t first, uint32_t hub, const uint32_t *cluster,
                           uint32_t h)
{
    const uint32_t n = h - 1, m = plan->placement->max_slots, pole = cluster[n];
    uint32_t *path = mem_alloc(h, sizeof *path), left_out = path_of_differences(path, n);
    for (uint32_t turn = 0; turn < n; turn++) {
        const uint32_t step = first + turn * m;
        server_plan_fan_in_1_exchange(plan, step, hub, cluster[(left_out + turn) % n]);
        carry_all(plan, step, pole, cluster[(path[0] + turn) % n]);
        for (uint32_t i = 1; i < n - 1; i++)
            carry_all(plan, step, cluster[(path[i - 1] + turn) % n], cluster[(path[i] + turn) % n]);
        carry_all(plan, step, cluster[(path[n - 2] + turn) % n], pole);
    }
    server_plan_fan_in_1_exchange(plan, first + n * m, hub, pole);
    for (uint32_t i = 0; i < n; i++)
        carry_all(plan, first + n * m, cluster[i], cluster[(i + n / 2 + (n % 4 == 1)) % n]);
    free(path);
}

/* Plans the hub and two others, which go round no longer than two rounds demand. */
static void meet_hub_2(struct server_plan *plan, uint32_t first, uint32_t hub, const uint32_t *cluster)
{
    uint32_t server[] = {hub, cluster[0], cluster[1]};
    for (int i = 0; i < 2; i++)
        if (slots(plan, server[i]) < slots(plan, server[i + 1])) {
            server[i] = server[i + 1];
            server[i + 1] = hub;
        }
    const uint32_t y = slots(plan, server[1]), m = plan->placement->max_slots;
    const uint32_t need = 2 * slots(plan, server[0]) + y;
    meet_in_three(plan, first, server, need > 2 * m ? server_plan_fan_in_1_least(need - 2 * m, y) : 0, y);
}

static void meet_hub(struct server_plan *plan, uint32_t first, uint32_t hub, const uint32_t *cluster,
                     uint32_t h)
{
    switch (h) {
    case 2: meet_hub_2(plan, first, hub, cluster); break;
    case 4: meet_hub_4(plan, first, hub, cluster); break;
    case 8: meet_hub_8(plan, first, hub, cluster); break;
    default: meet_hub_rings(plan, first, hub, cluster, h); break;
    }
}

static void meet_clusters(struct server_plan *plan, uint32_t first, const uint32_t *one,
                          const uint32_t *other, uint32_t h)
{
    for (uint32_t turn = 0; turn < h; turn++)
        for (uint32_t i = 0; i < h; i++)
            server_plan_fan_in_1_exchange(plan, first + turn * plan->placement->max_slots, one[i],
                                          other[(i + turn) % h]);
}

/* Plans clusters. `order`: the servers but the hub, largest first; u clusters of h. */
static void meet_in_clusters(struct server_plan *plan, uint32_t hub, const uint32_t *order, uint32_t u,
                             uint32_t h)
{
    const uint32_t m = plan->placement->max_slots;
    for (uint32_t r = 0; r < u; r++) {
        meet_hub(plan, r * h * m, hub, order + (size_t)r * h, h);
        for (uint32_t k = 1; 2 * k < u; k++)
            meet_clusters(plan, r * h * m, order + (size_t)((r + u - k) % u) * h,
                          order + (size_t)((r + k) % u) * h, h);
    }
}

/* ---- the best ---- */

static uint32_t *servers_by_size(const struct placement *placement)
{
    uint32_t *order = mem_alloc(placement->n_servers, sizeof *order);
    for (uint32_t server = 0; server < placement->n_servers; server++) {
        uint32_t i = server;
        for (; i > 0 && placement_slots(placement, order[i - 1]) < placement_slots(placement, server); i--)
            order[i] = order[i - 1];
        order[i] = server;
    }
    return order;
}

static void fill_all(struct server_plan *plan)
{
    for (uint32_t server = 0; server < plan->placement->n_servers; server++)
        server_plan_fan_in_1_fill(plan, server);
}

/* Returns the plan with a given hub. If `is_whole` the other servers are one cluster, without loss if they
 * are equal. */
static struct server_plan plan_of_hub(const struct placement *placement, const uint32_t *order, uint32_t hub,
                                      bool is_whole)
{
    struct server_plan plan = {.placement = placement};
    uint32_t *others = mem_alloc(placement->n_servers, sizeof *others), n = 0;
    for (uint32_t i = 0; i < placement->n_servers; i++)
        if (i != hub)
            others[n++] = order[i];
    if (is_whole)
        meet_hub_rings(&plan, 0, order[hub], others, n);
    else
        meet_in_clusters(&plan, order[hub], others, n / (n & -n), n & -n);
    fill_all(&plan);
    free(others);
    return plan;
}

/* Keeps the plan with fewer steps in `best`, and frees the other one. */
static void server_plan_fan_in_1_keep_better(struct server_plan *best, struct server_plan plan)
{
    struct server_plan worse = plan;
    if (plan.n_steps < best->n_steps) {
        worse = *best;
        *best = plan;
    }
    server_plan_free(&worse);
}

static struct server_plan plan_of_best_hub(const struct placement *placement, const uint32_t *order)
{
    const uint64_t fewest = bound_steps(placement, 1);
    struct server_plan best = plan_of_hub(placement, order, 0, false);
    for (uint32_t hub = 0; hub < placement->n_servers && best.n_steps > fewest; hub++) {
        if (hub && placement_slots(placement, order[hub]) == placement_slots(placement, order[hub - 1]))
            continue; /* no other than that one */
        server_plan_fan_in_1_keep_better(&best, plan_of_hub(placement, order, hub, true));
        if (hub && best.n_steps > fewest)
            server_plan_fan_in_1_keep_better(&best, plan_of_hub(placement, order, hub, false));
    }
    return best;
}

struct server_plan server_plan_fan_in_1(const struct placement *placement)
{
    struct server_plan plan = {.placement = placement};
    uint32_t *order = servers_by_size(placement);
    if (placement->n_servers > 3 && placement->n_servers % 2)
        plan = plan_of_best_hub(placement, order);
    else {
        if (placement->n_servers == 3)
            meet_three(&plan, order);
        else if (placement->n_servers > 1)
            meet_in_pairs(&plan);
        fill_all(&plan);
    }
    free(order);
    return plan;
}
