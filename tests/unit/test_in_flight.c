/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what is on the network at once with a second computation. That one looks at all messages anew in
 * every nanosecond in which something changes.
 */
#include "base/codes.h"
#include "measure/in_flight.h"
#include "network/formats/formats.h"
#include "study/simulation.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGES = 400, TIME = 1000 };

struct message {
    struct passage passage;
    uint64_t start, end; /* start < end */
};

static uint64_t random_state = 12345;
static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* ---- the second computation ---- */

struct naive {
    const struct topology *topology;
    struct message *messages;
    size_t n;
};

static bool crosses(const struct naive *naive, const struct message *message, uint32_t link)
{
    struct hop hops[64];
    const uint32_t n = topology_route(naive->topology, message->passage.source,
                                      message->passage.destination, hops);
    for (uint32_t i = 0; i < n; i++)
        if (hops[i].link == link)
            return topology_link_contends(naive->topology, link);
    return false;
}

static bool is_on(const struct message *message, uint64_t time)
{
    return message->start <= time && time < message->end;
}

/* Load of a link at a time, and how many machines have messages on it. */
static uint32_t load_at(const struct naive *naive, uint32_t link, uint64_t time, uint32_t *n_sources)
{
    uint32_t load = 0;
    bool *has = calloc(naive->topology->n_machines, sizeof *has);
    *n_sources = 0;
    for (size_t i = 0; i < naive->n; i++)
        if (is_on(&naive->messages[i], time) && crosses(naive, &naive->messages[i], link)) {
            bool *source = &has[naive->messages[i].passage.source];
            load++;
            *n_sources += !*source;
            *source = true;
        }
    free(has);
    return load;
}

/* Returns how many machines have messages to a machine whose last link is this one. */
static uint32_t fan_in_by(const struct naive *naive, uint32_t machine, uint32_t link, uint64_t time)
{
    uint32_t n = 0;
    bool *has = calloc(naive->topology->n_machines, sizeof *has);
    for (size_t i = 0; i < naive->n; i++)
        if (is_on(&naive->messages[i], time) && naive->messages[i].passage.destination == machine &&
            crosses(naive, &naive->messages[i], link)) {
            bool *source = &has[naive->messages[i].passage.source];
            n += !*source;
            *source = true;
        }
    free(has);
    return n;
}

/* A shape has one port for each machine, whatever its links; else each cable is one. */
static uint32_t fan_in_at(const struct naive *naive, uint32_t machine, uint64_t time)
{
    const bool is_shape = topology_is_implicit(naive->topology);
    uint32_t most = 0, all = 0;
    for (uint32_t link = 0; link < naive->topology->n_link_ids; link++) {
        uint32_t from, to;
        if (!topology_has_link(naive->topology, link))
            continue;
        topology_link_ends(naive->topology, link, &from, &to);
        const uint32_t n = to == machine ? fan_in_by(naive, machine, link, time) : 0;
        most = n > most ? n : most;
        all += n;
    }
    return is_shape ? all : most;
}

static struct in_flight_figures figures_at(const struct naive *naive, uint64_t time)
{
    struct in_flight_figures figures = {0};
    for (size_t i = 0; i < naive->n; i++)
        figures.messages += is_on(&naive->messages[i], time);
    for (uint32_t link = 0; link < naive->topology->n_link_ids; link++) {
        uint32_t n_sources;
        const uint32_t load = load_at(naive, link, time, &n_sources);
        figures.link_load = load > figures.link_load ? load : figures.link_load;
        figures.contended_links += n_sources > 1;
    }
    for (uint32_t machine = 0; machine < naive->topology->n_machines; machine++) {
        const uint32_t fan_in = fan_in_at(naive, machine, time);
        figures.fan_in = fan_in > figures.fan_in ? fan_in : figures.fan_in;
    }
    return figures;
}

/* ---- comparison ---- */

struct turn {
    uint64_t time;
    size_t message;
    bool leaves;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (int)y->leaves - (int)x->leaves;
}

static void play(const struct naive *naive, struct in_flight *in_flight)
{
    struct turn turns[2 * MAX_MESSAGES];
    for (size_t i = 0; i < naive->n; i++) {
        turns[2 * i] = (struct turn){naive->messages[i].start, i, false};
        turns[2 * i + 1] = (struct turn){naive->messages[i].end, i, true};
    }
    qsort(turns, 2 * naive->n, sizeof *turns, compare_turns);
    for (size_t i = 0; i < 2 * naive->n; i++) {
        const struct passage *passage = &naive->messages[turns[i].message].passage;
        if (turns[i].leaves)
            in_flight_leave(in_flight, passage, turns[i].time);
        else
            CU_ASSERT(in_flight_enter(in_flight, passage, turns[i].time));
    }
}

static bool are_same(const struct in_flight_figures *a, const struct in_flight_figures *b)
{
    return a->messages == b->messages && a->link_load == b->link_load &&
           a->contended_links == b->contended_links && a->fan_in == b->fan_in;
}

static void raise(struct in_flight_figures *most, const struct in_flight_figures *by)
{
    most->messages = by->messages > most->messages ? by->messages : most->messages;
    most->link_load = by->link_load > most->link_load ? by->link_load : most->link_load;
    most->fan_in = by->fan_in > most->fan_in ? by->fan_in : most->fan_in;
    if (by->contended_links > most->contended_links)
        most->contended_links = by->contended_links;
}

/* The intervals, the times and the places, all of them computed anew. */
static void compare(const struct naive *naive, const struct over_time *all)
{
    struct in_flight_figures most = {0}, of_interval[UNDER_WAY_MAX_INTERVALS] = {{0}};
    uint64_t contended = 0, several = 0;
    uint32_t n_sources, at_link = 0, at_machine = 0;
    for (uint64_t time = 0; time < all->time; time++) {
        const struct in_flight_figures figures = figures_at(naive, time);
        raise(&most, &figures);
        raise(&of_interval[time / all->width], &figures);
        contended += figures.contended_links > 0;
        several += figures.fan_in > 1;
        const uint32_t load = load_at(naive, all->link, time, &n_sources);
        at_link = load > at_link ? load : at_link;
        const uint32_t fan_in = fan_in_at(naive, all->machine, time);
        at_machine = fan_in > at_machine ? fan_in : at_machine;
    }
    CU_ASSERT(are_same(&most, &all->most));
    CU_ASSERT_EQUAL(contended, all->contended);
    CU_ASSERT_EQUAL(several, all->several);
    CU_ASSERT_EQUAL(at_link, most.link_load);
    CU_ASSERT_EQUAL(at_machine, most.fan_in);
    CU_ASSERT_EQUAL(all->n_intervals, (all->time + all->width - 1) / all->width);
    for (uint32_t i = 0; i < all->n_intervals; i++)
        CU_ASSERT(are_same(&of_interval[i], &all->intervals[i]));
}

static void compare_heat(const struct naive *naive, const struct over_time *all,
                         const struct in_flight *in_flight)
{
    for (uint32_t link = 0; link < naive->topology->n_link_ids; link++)
        for (uint32_t i = 0; i < all->n_intervals; i++) {
            const uint64_t begin = i * all->width;
            const uint64_t end = begin + all->width < all->time ? begin + all->width : all->time;
            uint64_t sum = 0;
            uint32_t n_sources;
            for (uint64_t time = begin; time < end; time++)
                sum += load_at(naive, link, time, &n_sources);
            CU_ASSERT(fabs(in_flight_heat(in_flight, link, i) - (double)sum / (double)(end - begin)) < 1e-9);
        }
}

static void compare_on(const char *shape, size_t n, uint32_t n_intervals, bool is_end_known)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read(shape, &diagnostics);
    struct message messages[MAX_MESSAGES];
    struct naive naive = {topology, messages, n};
    CU_ASSERT_FATAL(topology != NULL);
    const uint64_t time = is_end_known ? TIME / 4 : TIME / 10;
    for (size_t i = 0; i < n; i++) {
        struct message *message = &messages[i];
        message->passage.network = NO_NETWORK;
        message->passage.source = draw(topology->n_machines);
        message->passage.destination = (message->passage.source + 1 + draw(topology->n_machines - 1)) %
                                       topology->n_machines;
        message->start = draw((uint32_t)time - 1);
        message->end = message->start + 1 + draw((uint32_t)(time - message->start - 1) + 1);
        message->end = message->end > time ? time : message->end;
    }
    struct in_flight *in_flight =
        in_flight_new(topology, n_intervals, is_end_known ? time : 0, true);
    play(&naive, in_flight);
    const struct over_time all = in_flight_end(in_flight, time);
    compare(&naive, &all);
    compare_heat(&naive, &all, in_flight);
    in_flight_free(in_flight);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

static void test_figures(void)
{
    static const char *const shapes[] = {"star:6", "torus:3x3", "mesh:4x2", "fattree:2x3,up=1x2", "full:4",
                                         "tests/golden/topology/iblinkinfo/blocks.txt"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t n = 0; n <= (IS_SHORT ? 20 : 60); n += 20) {
            compare_on(shapes[i], n, 32, false);
            compare_on(shapes[i], n, 10, false);
            compare_on(shapes[i], n, 128, true);
        }
}

/* ---- as a schedule is played ---- */

static struct over_time play_schedule(const char *algorithm, enum simulation_model model,
                                      enum synchronisation synchronisation)
{
    const struct scene_spec spec = {.algorithm = algorithm, .topology = "star:8,bw=1GB/s,lat=100ns",
                                    .ranks_per_machine = 4};
    struct test_scene scene;
    struct simulation simulation;
    const bool is_open = scene_open(&scene, &spec);
    CU_ASSERT_FATAL(is_open);
    const struct simulation_request request = {
        .model = model,
        .settings = {.topology = scene.topology, .placement = scene.placement,
                     .costs = {0, 0, UINT64_C(40000000000), 0, 0, 0}, .chunk_bytes = 100000,
                     .eager_limit = PLAYER_EAGER_LIMIT, .synchronisation = synchronisation},
        .flit = flit_defaults(), .has_over_time = true};
    simulation_run(&request, scene.schedule, &simulation, &scene.diagnostics);
    CU_ASSERT_EQUAL(simulation.played.outcome, PLAYED_WHOLE);
    const struct over_time over_time = simulation.over_time;
    CU_ASSERT_EQUAL(over_time.time, simulation.played.time);
    CU_ASSERT_EQUAL(over_time.intervals[over_time.n_intervals - 1].messages > 0, true);
    simulation_free(&simulation);
    scene_close(&scene);
    return over_time;
}

/* In lock step a time is a step: the verifier says 4 messages on a link, and a fan-in of 2 of the ring and
 * 1 of the 2-level ring. Ranks that drift apart bring the 2-level ring a fan-in of 2 for part of the time. */
static void test_drift(void)
{
    static const enum simulation_model models[] = {SIMULATION_asap, SIMULATION_flow, SIMULATION_flit};
    for (int i = 0; i < 3; i++) {
        const struct over_time ring = play_schedule("alltoall/ring", models[i], SYNC_BARRIER);
        const struct over_time two = play_schedule("alltoall/two_level_ring", models[i], SYNC_BARRIER);
        CU_ASSERT_EQUAL(ring.most.link_load, 4);
        CU_ASSERT_EQUAL(ring.most.fan_in, 2);
        CU_ASSERT(ring.contended > ring.time / 2);
        CU_ASSERT_EQUAL(two.most.link_load, 4);
        CU_ASSERT_EQUAL(two.most.fan_in, 1);
        CU_ASSERT_EQUAL(two.contended, 0);
        const struct over_time drifting = play_schedule("alltoall/two_level_ring", models[i], SYNC_LOCAL);
        CU_ASSERT(drifting.contended < ring.contended / 2);
        if (models[i] == SIMULATION_asap) {
            CU_ASSERT_EQUAL(drifting.most.fan_in, 2);
            CU_ASSERT(drifting.several > 0);
        }
    }
}

UNIT_PROGRAM(test_in_flight)
{
    CU_TestInfo tests[] = {
        {"figures, intervals and heat, beside a second computation", test_figures},
        {"a schedule in lock step and with drift", test_drift},
        CU_TEST_INFO_NULL,
    };
    return run_suite("in_flight", tests);
}
