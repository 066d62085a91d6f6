/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-to-all on servers with unequal numbers of ranks beside the lower bounds of
 * bound/fan_in.h: 50 random shapes, under the sanitizers 6, with 2 to 9 servers of 1 to 5 ranks.
 * It prints what the verifier measures of each, and fails where the 2-level ring, the 2-level
 * tournament or a plan (bound/server_plan.h) has another fan-in or other steps than it should, where
 * the ring has other steps than p or another fan-in than its windows have, or where anything is below
 * its bound.
 */
#include "bound/fan_in.h"
#include "bound/server_plan.h"
#include "compiler/language/language.h"
#include "compiler/passes/expand.h"
#include "base/embedded.h"
#include "study/scene.h"
#include "tests/unit/oplist.h"
#include "tests/unit/suite.h"
#include "verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_SERVERS = 9, MOST_SERVERS = 19, MAX_SLOTS = 5, EFFORT = 20000000 };

struct shape {
    uint32_t n_servers, p, most, n[MOST_SERVERS];
};

static struct shape random_shape(uint64_t *random)
{
    struct shape shape = {.n_servers = 2 + (uint32_t)random_below(random, MAX_SERVERS - 1)};
    for (uint32_t s = 0; s < shape.n_servers; s++) {
        shape.n[s] = 1 + (uint32_t)random_below(random, MAX_SLOTS);
        shape.p += shape.n[s];
        shape.most = shape.n[s] > shape.most ? shape.n[s] : shape.most;
    }
    return shape;
}

static struct placement *place(const struct shape *shape)
{
    uint32_t machine[MOST_SERVERS * MAX_SLOTS], rank = 0;
    for (uint32_t s = 0; s < shape->n_servers; s++)
        for (uint32_t i = 0; i < shape->n[s]; i++)
            machine[rank++] = s;
    return placement_of_machines(machine, rank, "block");
}

/* ---- the bounds, from the sums that they are proved by ---- */

static uint64_t sum_of_largest(const struct shape *shape, uint32_t server)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < shape->n_servers; s++)
        if (s != server)
            sum += shape->n[s] > shape->n[server] ? shape->n[s] : shape->n[server];
    return sum;
}

/* Steps of fan-in 1 that server's receptions need, those from within included. */
static uint64_t steps_of_server(const struct shape *shape, uint32_t server)
{
    const uint64_t outside = sum_of_largest(shape, server);
    uint64_t free_steps = 0, inside = shape->n[server] - 1;
    for (uint32_t s = 0; s < shape->n_servers; s++)
        if (s != server && shape->n[s] < shape->n[server])
            free_steps += shape->n[server] - shape->n[s];
    return outside + (inside > free_steps ? inside - free_steps : 0);
}

/* Steps of fan-in 1 that each of three servers needs beside another one, 2T >= 3x + 2y - 1. */
static uint64_t steps_of_two(const struct shape *shape)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < 9 && shape->n_servers == 3; i++) {
        const uint64_t x = shape->n[i / 3], y = shape->n[i % 3], twice = 3 * x + 2 * y - 1;
        steps = i / 3 != i % 3 && x >= y && (twice + 1) / 2 > steps ? (twice + 1) / 2 : steps;
    }
    return steps;
}

/* Fan-in that an all-to-all of so many steps, p - 1 or more, has at least. */
static uint32_t least_fan_in(const struct placement *placement, uint64_t steps)
{
    uint32_t fan_in = placement->n_servers > 1;
    while (fan_in && bound_steps(placement, fan_in) > steps)
        fan_in++;
    return fan_in;
}

static void check_bounds(const struct shape *shape, const struct placement *placement)
{
    uint64_t steps = 0, receptions = 0;
    for (uint32_t s = 0; s < shape->n_servers; s++) {
        const uint64_t own = steps_of_server(shape, s), sum = sum_of_largest(shape, s);
        steps = own > steps ? own : steps;
        receptions = sum > receptions ? sum : receptions;
    }
    steps = steps_of_two(shape) > steps ? steps_of_two(shape) : steps;
    CU_ASSERT_EQUAL(bound_steps(placement, 1), steps);
    for (uint64_t n = shape->p - 1; n < 2 * steps + 2; n++) {
        const uint64_t fan_in = least_fan_in(placement, n);
        CU_ASSERT(fan_in * n >= receptions);
        CU_ASSERT((fan_in - 1) * n < receptions || (fan_in == 2 && n < steps));
        CU_ASSERT(bound_steps(placement, (uint32_t)fan_in) <= n);
    }
}

/* ---- what the verifier measures ---- */

struct measured {
    uint64_t steps;
    uint32_t fan_in, fan_out;
};

static struct measured measure_schedule(struct schedule *schedule, const struct placement *placement)
{
    struct diagnostics diagnostics = {0};
    struct verify_report report;
    struct verify_request verify = {.placement = placement};
    CU_ASSERT(verify_schedule(schedule, &verify, &report, &diagnostics));
    CU_ASSERT(report.is_complete && !diagnostics_has_errors(&diagnostics));
    const struct measured measured = {report.n_steps, report.max_fan_in, report.max_fan_out};
    verify_report_free(&report);
    diagnostics_free(&diagnostics);
    return measured;
}

static struct measured measure(const char *path, const struct placement *placement)
{
    struct diagnostics diagnostics = {0};
    struct measured measured = {0};
    for (size_t i = 0; i < n_embedded_files; i++) {
        struct scene scene = {.placement = placement};
        if (!strstr(embedded_files[i].path, path))
            continue;
        CU_ASSERT_FATAL(scene_read_builtin(&scene, &embedded_files[i], FORM_EQUAL, &diagnostics) &&
                        scene_bind(&scene, 0, &diagnostics) && scene_expand(&scene, &diagnostics));
        measured = measure_schedule(scene.schedule, placement);
        scene_free(&scene);
    }
    diagnostics_free(&diagnostics);
    return measured;
}

/* Other servers that a server receives from in a step, at most. */
static uint32_t plan_fan_in(const struct server_plan *plan)
{
    const uint32_t n_servers = plan->placement->n_servers;
    const size_t size = (size_t)n_servers * n_servers;
    uint32_t most = 0;
    for (uint32_t step = 0; step < plan->n_steps; step++)
        for (uint32_t to = 0; to < n_servers; to++) {
            uint32_t n = 0;
            for (uint32_t from = 0; from < n_servers; from++)
                n += from != to && plan->flow[step * size + from * n_servers + to];
            most = n > most ? n : most;
        }
    return most;
}

/* Measures the plan with the fewest steps that has that fan-in. */
static struct measured measure_plan(const struct placement *placement, uint32_t fan_in)
{
    struct server_plan plan = server_plan_find(placement, fan_in, EFFORT);
    const uint32_t steps = plan.n_steps, found = plan_fan_in(&plan);
    struct schedule *schedule = server_plan_schedule(&plan);
    const struct measured measured = measure_schedule(schedule, placement);
    schedule->destroy(schedule);
    CU_ASSERT_EQUAL(measured.steps, steps);
    CU_ASSERT_EQUAL(measured.fan_in, found);
    CU_ASSERT(found <= fan_in && steps >= bound_steps(placement, fan_in));
    server_plan_free(&plan);
    return measured;
}

/* Fan-in of the ring in closed form: a server of n ranks receives from those of a window of n
 * neighbouring ranks, wherever it lies. */
static uint32_t fan_in_of_windows(const struct placement *placement)
{
    const uint32_t p = placement->n_ranks;
    uint32_t most = 0;
    for (uint32_t server = 0; server < placement->n_servers; server++)
        for (uint32_t first = 0; first < p; first++) {
            uint32_t n = 0, last = UINT32_MAX, wanted = placement_slots(placement, server);
            for (uint32_t i = 0; i < wanted; i++) {
                const uint32_t source = placement->server[(first + i) % p];
                n += source != last && source != server;
                last = source;
            }
            most = n > most ? n : most;
        }
    return most;
}

static void print_shape(const struct shape *shape)
{
    char name[2 * MAX_SERVERS + 1] = "";
    for (uint32_t s = 0; s < shape->n_servers; s++)
        snprintf(name + 2 * s, 3, "%u ", shape->n[s]);
    printf("  | %-18s %3u %4u %4u", name, shape->p, shape->n_servers, shape->most);
}

struct met {
    unsigned two, tournament, plan, ring, least;
};

static void check_fan_in_1(const struct shape *shape, const struct measured *two,
                           const struct measured *tournament, uint64_t bound)
{
    const uint64_t most = (uint64_t)shape->n_servers * shape->most;
    CU_ASSERT(two->fan_in == 1 && two->fan_out == 1);
    CU_ASSERT(tournament->fan_in == 1 && tournament->fan_out == 1);
    CU_ASSERT_EQUAL(two->steps, most);
    CU_ASSERT_EQUAL(tournament->steps, shape->n_servers % 2 ? most - 1 : bound);
    CU_ASSERT(two->steps > bound && two->steps <= bound + shape->most);
    CU_ASSERT(tournament->steps >= bound);
}

static void test_shape(const struct shape *shape, struct met *met)
{
    struct placement *placement = place(shape);
    const struct measured two = measure("alltoall/two_level_ring", placement);
    const struct measured tournament = measure("alltoall/two_level_tournament", placement);
    const struct measured ring = measure("alltoall/ring", placement);
    const uint64_t steps = bound_steps(placement, 1);
    const uint64_t fan_in = least_fan_in(placement, shape->p - 1);
    const struct measured plan = measure_plan(placement, 1);
    const struct measured least = measure_plan(placement, (uint32_t)fan_in);
    check_bounds(shape, placement);
    check_fan_in_1(shape, &two, &tournament, steps);
    CU_ASSERT_EQUAL(plan.fan_in, 1);
    CU_ASSERT_EQUAL(ring.steps, shape->p);
    CU_ASSERT_EQUAL(ring.fan_in, fan_in_of_windows(placement));
    CU_ASSERT(ring.fan_in >= least_fan_in(placement, shape->p));
    const bool is_least = least.steps == shape->p - 1 && least.fan_in == fan_in;
    met->two += two.steps == steps;
    met->tournament += tournament.steps == steps;
    met->plan += plan.steps == steps;
    met->ring += ring.fan_in == least_fan_in(placement, shape->p);
    met->least += is_least;
    print_shape(shape);
    printf(" | %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %5" PRIu64 " %4s | %5u | %5" PRIu64 " %6" PRIu64
           " %6u %4s\n", steps, two.steps, tournament.steps, plan.steps,
           plan.steps == steps ? "met" : "", ring.fan_in, least.steps, fan_in, least.fan_in,
           is_least ? "met" : "");
    placement_free(placement);
}

static void test_shapes(void)
{
    const unsigned n_shapes = by_form(6, 12, 100);
    uint64_t random = 2010;
    struct met met = {0};
    printf("\n  | %-31s | %-28s | %-5s | %s\n  | %-18s %3s %4s %4s | %5s %5s %5s %5s %4s | %5s | "
           "%5s %6s %6s\n", "", "steps with fan-in 1", "ring", "steps and fan-in of a plan",
           "ranks of servers", "p", "srv", "max", "bound", "ring2", "tourn", "plan", "", "fan-in",
           "steps", "bound", "fan-in");
    for (unsigned i = 0; i < n_shapes; i++) {
        const struct shape shape = random_shape(&random);
        test_shape(&shape, &met);
    }
    printf("  | bound met by: steps with fan-in 1 of the 2-level ring %u, of the tournament %u, of the "
           "plan %u;\n  | fan-in of the ring's p steps %u, of the plan's p - 1 %u of %u\n    ",
           met.two, met.tournament, met.plan, met.ring, met.least, n_shapes);
    CU_ASSERT_EQUAL(met.plan, n_shapes);
    CU_ASSERT_EQUAL(met.least, n_shapes);
}

/* Servers with m ranks and some with one less, where there is least room, and those with m and
 * one with a single rank. The bound is met if the number of servers is even, or 3. */
static void test_nearly_equal(void)
{
    uint64_t random = 2002;
    unsigned met = 0, n = 0;
    uint64_t worst = 0;
    for (uint32_t n_servers = 2; n_servers <= (IS_SHORT ? 4 : MAX_SERVERS); n_servers++)
        for (uint32_t most = 1; most <= MAX_SLOTS; most++)
            for (uint32_t i = 0; i < 6; i++, n++) {
                struct shape shape = {.n_servers = n_servers, .most = most};
                for (uint32_t s = 0; s < n_servers; s++) {
                    shape.n[s] = s && most > 1 ? most - (uint32_t)random_below(&random, 2) : most;
                    shape.n[s] = i == 5 && s == n_servers - 1 ? 1 : shape.n[s];
                    shape.p += shape.n[s];
                }
                struct placement *placement = place(&shape);
                const uint64_t bound = bound_steps(placement, 1);
                const uint64_t above = measure_plan(placement, 1).steps - bound;
                CU_ASSERT(above < most);
                CU_ASSERT(above == 0 || (n_servers > 3 && n_servers % 2));
                met += above == 0;
                worst = above > worst ? above : worst;
                placement_free(placement);
            }
    printf("\n  | bound met in %u of %u shapes; at most %" PRIu64 " above it\n    ", met, n, worst);
}

/* Equal servers, where the bound is p - 1. */
static void test_equal(void)
{
    for (uint32_t n_servers = 2; n_servers <= MAX_SERVERS; n_servers++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots++) {
            struct shape shape = {.n_servers = n_servers, .p = n_servers * slots, .most = slots};
            for (uint32_t s = 0; s < n_servers; s++)
                shape.n[s] = slots;
            struct placement *placement = place(&shape);
            const struct measured two = measure("alltoall/two_level_ring", placement);
            const struct measured tournament = measure("alltoall/two_level_tournament", placement);
            CU_ASSERT_EQUAL(bound_steps(placement, 1), shape.p - 1);
            CU_ASSERT_EQUAL(two.steps, shape.p);
            CU_ASSERT_EQUAL(measure_plan(placement, 1).steps, shape.p - 1);
            check_fan_in_1(&shape, &two, &tournament, shape.p - 1);
            placement_free(placement);
        }
}

/* All servers but one have equally many ranks: the bound is met. */
static void test_all_but_one(void)
{
    for (uint32_t n_servers = 3; n_servers <= by_form(7, 11, MOST_SERVERS); n_servers += 2)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots++)
            for (uint32_t other = 1; other <= MAX_SLOTS; other++) {
                struct shape shape = {.n_servers = n_servers};
                for (uint32_t s = 0; s < n_servers; s++) {
                    shape.n[s] = s == n_servers / 2 ? other : slots;
                    shape.p += shape.n[s];
                }
                struct placement *placement = place(&shape);
                CU_ASSERT_EQUAL(measure_plan(placement, 1).steps, bound_steps(placement, 1));
                placement_free(placement);
            }
}

UNIT_PROGRAM(test_fan_in)
{
    CU_TestInfo tests[] = {{"unequal servers: steps and fan-in beside their bounds", test_shapes},
                           {"nearly equal servers: steps of plans beside their bound", test_nearly_equal},
                           {"all servers but one equal: the bound is met", test_all_but_one},
                           {"equal servers", test_equal},
                           CU_TEST_INFO_NULL};
    return run_suite("fan_in", tests);
}
