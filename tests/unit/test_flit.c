/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flit model against closed forms, against what must not be lost, and against a second
 * model that looks at every flit in every cycle. A cycle is 1 ns here: 64 bytes at 64 GB/s.
 */
#include "network/formats/formats.h"
#include "network/placement/placement.h"
#include "simulate/models.h"
#include "tests/unit/flit_naive.h"
#include "tests/unit/suite.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 4096 };

/* A network, and what is sent over it. */
struct play {
    struct topology *topology;
    struct placement placement;
    struct network_model_settings network;
    struct flit_settings settings;
    struct naive_message messages[MANY];
    uint32_t n;
    uint64_t end, moves; /* filled in by `run` */
    uint64_t lone;       /* the last to arrive alone */
    uint32_t n_stuck;
    char *why;
};

/* Rank r on machine r / ranks_per_machine; links without latency. */
static struct play *play_new(const char *topology, uint32_t ranks_per_machine)
{
    struct diagnostics diagnostics = {0};
    char spec[128];
    struct play *play = mem_alloc(1, sizeof *play);
    snprintf(spec, sizeof spec, "%s,bw=64GB/s,lat=0ns", topology);
    play->topology = topology_read(spec, &diagnostics);
    CU_ASSERT_PTR_NOT_NULL_FATAL(play->topology);
    diagnostics_free(&diagnostics);
    play->placement.n_ranks = play->topology->n_machines * ranks_per_machine;
    play->network = (struct network_model_settings){.topology = play->topology,
                                                    .placement = &play->placement,
                                                    .order = SEND_QUEUE};
    play->settings = flit_defaults();
    play->network.flit = &play->settings;
    play->settings.packet_flits = 16;
    return play;
}

static void play_free(struct play *play)
{
    free(play->why);
    topology_free(play->topology);
    free(play);
}

static void add(struct play *play, uint32_t from, uint32_t to, uint64_t flits, uint64_t time)
{
    const uint32_t per_machine = play->placement.n_ranks / play->topology->n_machines;
    CU_ASSERT_FATAL(play->n < MANY);
    play->messages[play->n++] = (struct naive_message){
        from, to, from / per_machine, to / per_machine, time, flits, SIMULATE_NEVER,
        SIMULATE_NEVER};
}

/* Notes events; false if one comes twice, too early, or out of order. */
static bool take_events(struct play *play, const struct transit_events *events, uint64_t *time)
{
    for (size_t i = 0; i < events->n; i++) {
        const struct transit_event *event = &events->items[i];
        struct naive_message *message = &play->messages[event->id];
        uint64_t *at = event->kind == TRANSIT_LEFT ? &message->left : &message->arrived;
        if (*at != SIMULATE_NEVER || event->time < *time || event->time < message->time ||
            event->latency + event->bandwidth > event->time - message->time ||
            (event->kind == TRANSIT_ARRIVED && message->left > event->time))
            return false;
        *at = *time = event->time;
        play->lone = event->latency + event->bandwidth;
    }
    return true;
}

/* Plays the messages, which are in the order of their times. */
static void run(struct play *play)
{
    struct network_model *model = simulate_flit(&play->network);
    struct transit_events events = {0};
    uint64_t time = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < play->n; i++)
        play->messages[i].left = play->messages[i].arrived = SIMULATE_NEVER;
    for (uint32_t i = 0; i <= play->n; i++) {
        const uint64_t until = i < play->n ? play->messages[i].time : SIMULATE_NEVER - 1;
        for (uint64_t next; (next = model->methods->next(model)) <= until;) {
            events.n = 0;
            model->methods->advance(model, next, &events);
            is_good = is_good && take_events(play, &events, &time);
        }
        if (i == play->n)
            break;
        const struct naive_message *message = &play->messages[i];
        const struct transit transit = {i, message->from, message->to, message->source,
                                        message->destination, NO_NETWORK,
                                        message->flits * play->settings.flit_bytes};
        CU_ASSERT(model->methods->send(model, &transit, until));
    }
    CU_ASSERT(is_good);
    free(play->why);
    play->n_stuck = model->methods->stuck(model, &play->why);
    play->moves = flit_moves(model);
    play->end = time;
    free(events.items);
    model->methods->free(model);
}

static void forget(struct play *play)
{
    play->n = 0;
}

/* ---- closed forms ---- */

static void test_lone_latency(void)
{
    static const struct { const char *topology; uint32_t to, hops; } cases[] = {
        {"mesh:8", 7, 7}, {"torus:7x5", 3, 3}, {"torus:7x5", 8, 2}, {"star:4", 3, 2},
        {"fattree:4x4", 15, 4}, {"full:5", 4, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t variant = 0; variant < 8; variant++) {
            struct play *play = play_new(cases[i].topology, 1);
            const uint32_t router = 1 + variant % 4, host = variant / 2, flits = 1 + 4 * variant;
            play->settings.router_cycles = router;
            play->settings.host_cycles = host;
            play->settings.packet_flits = 40;
            play->settings.switching = variant % 2 ? FLIT_CUT_THROUGH : FLIT_WORMHOLE;
            add(play, 0, cases[i].to, flits, 1000 * variant);
            run(play);
            CU_ASSERT_EQUAL(play->messages[0].arrived - play->messages[0].time,
                            cases[i].hops * router + router + 2 * host + flits - 1);
            CU_ASSERT_EQUAL(play->messages[0].left - play->messages[0].time, flits);
            CU_ASSERT_EQUAL(play->lone, play->end - play->messages[0].time);
            CU_ASSERT_EQUAL(play->moves, (uint64_t)flits * (cases[i].hops + 1));
            play_free(play);
        }
}

/* A buffer of B flits lets B flits through in each credit round trip R, so flit k of a lone
 * packet leaves in cycle k / B * R + k % B; from B = R on in cycle k. */
static void test_buffer_and_round_trip(void)
{
    for (uint32_t router = 1; router <= 3; router++)
        for (uint32_t credit = 1; credit <= 3; credit++)
            for (uint32_t buffer = 1; buffer <= 8; buffer++)
                for (uint32_t hops = 1; hops <= 4; hops++) {
                    struct play *play = play_new("mesh:5", 1);
                    const uint64_t round = router + credit, last = 99;
                    play->settings.router_cycles = router;
                    play->settings.credit_cycles = credit;
                    play->settings.buffer_flits = buffer;
                    play->settings.packet_flits = 100;
                    add(play, 0, hops, 100, 0);
                    run(play);
                    CU_ASSERT_EQUAL(play->messages[0].left,
                                    (buffer < round ? last / buffer * round + last % buffer
                                                    : last) + 1);
                    play_free(play);
                }
}

static void test_slow_links_and_processes(void)
{
    struct diagnostics diagnostics = {0};
    struct play *play = play_new("star:4", 1);
    topology_free(play->topology);
    play->network.topology = play->topology =
        topology_read("fattree:2x2,bw=64GB/s:16GB/s,lat=0ns:20ns", &diagnostics);
    add(play, 0, 3, 100, 0); /* over links of a quarter of the rate */
    run(play);
    CU_ASSERT_EQUAL(play->end, 99 * 4 + 4 * 1 + 2 * 20 + 1 + 2);
    forget(play);
    play->network.process_bandwidth = UINT64_C(32000000000);
    add(play, 0, 1, 160, 0); /* ten packets of 16, a new one every 32 cycles */
    run(play);
    CU_ASSERT_EQUAL(play->messages[0].left, 9 * 32 + 16);
    CU_ASSERT_EQUAL(play->end, 2 + 320 + 1 + 2);
    forget(play);
    add(play, 0, 2, 0, 0); /* a message without data is a flit */
    play->messages[0].flits = 0;
    run(play);
    CU_ASSERT_EQUAL(play->messages[0].left, 1);
    diagnostics_free(&diagnostics);
    play_free(play);
}

/* n senders, one receiver: its port is never idle. */
static void test_incast(void)
{
    for (uint32_t n = 1; n <= 20; n += 3)
        for (int arbitration = 0; arbitration <= FLIT_AGE; arbitration++) {
            struct play *play = play_new("star:21", 1);
            play->settings.arbitration = (enum flit_arbitration)arbitration;
            for (uint32_t i = 1; i <= n; i++)
                add(play, i, 0, 64, 0);
            run(play);
            CU_ASSERT_EQUAL(play->end, n * 64 - 1 + 2 + 1 + 2);
            CU_ASSERT_EQUAL(play->moves, (uint64_t)n * 64 * 3);
            play_free(play);
        }
}

/* ---- fairness ---- */

/* The times of the first and of the last arrival when machines 1 .. n-1 of a row send to 0. */
static double spread(enum flit_arbitration arbitration, bool per_destination)
{
    struct play *play = play_new("mesh:9", 1);
    play->settings.arbitration = arbitration;
    play->settings.per_destination = per_destination;
    play->settings.buffer_flits = 4;
    for (uint32_t i = 1; i < 9; i++)
        add(play, i, 0, 1600, 0);
    run(play);
    uint64_t first = SIMULATE_NEVER;
    for (uint32_t i = 0; i < play->n; i++)
        first = play->messages[i].arrived < first ? play->messages[i].arrived : first;
    const double result = (double)play->end / (double)first;
    CU_ASSERT_EQUAL(play->end, 8 * 1600 - 1 + 1 + 1 + 2);
    play_free(play);
    return result;
}

static void test_fairness(void)
{
    /* flits of several senders to one receiver share links evenly at each router, so the
     * nearer gets half, the next a quarter: it is through in less than an eighth of the time */
    CU_ASSERT(spread(FLIT_PACKET, false) > 3);
    CU_ASSERT(spread(FLIT_ROUND_ROBIN, true) > 3);
    /* who share one switch are through together, to a packet each */
    struct play *play = play_new("star:9", 1);
    play->settings.arbitration = FLIT_ROUND_ROBIN;
    for (uint32_t i = 1; i < 9; i++)
        add(play, i, 0, 1600, 0);
    run(play);
    for (uint32_t i = 0; i < play->n; i++)
        CU_ASSERT(play->messages[i].arrived + 8 * 16 >= play->end);
    play_free(play);
}

/* With a channel for each destination, messages that cross a link together share it evenly
 * wherever they come from. */
static void test_fair_channels(void)
{
    struct play *play = play_new("mesh:9", 1);
    play->settings.arbitration = FLIT_ROUND_ROBIN;
    play->settings.per_destination = 1;
    play->settings.buffer_flits = 2;
    for (uint32_t i = 0; i < 4; i++) /* all cross the link from 3 to 4 */
        add(play, i, 4 + i, 1600, 0);
    run(play);
    for (uint32_t i = 0; i < play->n; i++)
        CU_ASSERT(play->messages[i].arrived + 16 + 8 >= play->end);
    play_free(play);
}

/* Seven others on its way to the same machine: the oldest message still goes at nearly the rate
 * of the link, as no packet of theirs is served before one of its own that is there. By turns it
 * gets what the farthest gets. */
static void test_age(void)
{
    uint64_t arrived[FLIT_AGE + 1];
    for (int arbitration = 0; arbitration <= FLIT_AGE; arbitration++) {
        struct play *play = play_new("mesh:9", 1);
        play->settings.arbitration = (enum flit_arbitration)arbitration;
        play->settings.per_destination = arbitration == FLIT_AGE ? 0 : 1;
        play->settings.buffer_flits = 4;
        play->settings.packet_flits = 4;
        play->settings.channels = 4;
        add(play, 8, 0, 400, 0);
        for (uint32_t i = 1; i < 8; i++)
            add(play, i, 0, 400, 1);
        run(play);
        arrived[arbitration] = play->messages[0].arrived;
        play_free(play);
    }
    printf("\n    by turns %" PRIu64 ", packets held %" PRIu64 ", by age %" PRIu64, arrived[0],
           arrived[1], arrived[2]);
    CU_ASSERT(arrived[FLIT_AGE] < 800);
    CU_ASSERT(arrived[FLIT_ROUND_ROBIN] > 2400 && arrived[FLIT_PACKET] > 2400);
}

/* ---- head-of-line blocking (Naruse et al. 2010, section 3.6) ---- */

/* The time of step i of the ring: rank r of 8 x 8 sends to r + i. */
static uint64_t ring_step(enum send_order order, uint32_t i, uint64_t seed)
{
    struct play *play = play_new("star:8", 8);
    play->network.order = order;
    play->network.seed = seed;
    for (uint32_t rank = 0; rank < 64; rank++)
        add(play, rank, (rank + i) % 64, 3200, 0);
    run(play);
    const uint64_t end = play->end;
    play_free(play);
    return end;
}

static void test_blocking(void)
{
    const double free_of_it = (double)ring_step(SEND_RANDOM, 16, 0);
    for (uint32_t i = 17; i < 24; i++) {
        const double alpha = i % 8 / 8.0, expected = 1 / (1 - alpha * (1 - alpha));
        double ratio = 0;
        for (uint64_t seed = 0; seed < 3; seed++)
            ratio += (double)ring_step(SEND_RANDOM, i, seed) / free_of_it / 3;
        printf("\n    alpha %.3f: %.4f, formula %.4f, in lock step %.4f", alpha, ratio, expected,
               (double)ring_step(SEND_LOCKSTEP, i, 0) / free_of_it);
        CU_ASSERT(fabs(ratio / expected - 1) < 0.03);
        CU_ASSERT((double)ring_step(SEND_LOCKSTEP, i, 0) / free_of_it < 1.01);
    }
}

/* ---- chance ---- */

static void test_seeds(void)
{
    const uint64_t time = ring_step(SEND_RANDOM, 12, 7);
    CU_ASSERT_EQUAL(ring_step(SEND_RANDOM, 12, 7), time);
    CU_ASSERT_NOT_EQUAL(ring_step(SEND_RANDOM, 12, 8), time);
    CU_ASSERT_EQUAL(ring_step(SEND_QUEUE, 12, 7), ring_step(SEND_QUEUE, 12, 8));
    struct play *play = play_new("star:8", 1);
    uint64_t late = 0;
    play->settings.jitter_cycles = 100;
    for (uint32_t i = 0; i < 8; i++)
        add(play, i, (i + 1) % 8, 10, 0);
    run(play);
    for (uint32_t i = 0; i < 8; i++) {
        const uint64_t start = play->messages[i].left - 10;
        CU_ASSERT(start <= 100);
        late = start > late ? start : late;
    }
    CU_ASSERT(late > 50);
    play_free(play);
}

/* ---- deadlock ---- */

static void test_deadlock(void)
{
    struct play *play = play_new("torus:5", 1);
    play->settings.buffer_flits = 4;
    play->settings.packet_flits = 100;
    for (uint32_t channels = 0; channels <= 4; channels++) {
        forget(play);
        for (uint32_t i = 0; i < 5; i++)
            add(play, i, (i + 2) % 5, 100, 0);
        play->settings.channels = channels;
        run(play);
        if (channels != 1) {
            CU_ASSERT_EQUAL(play->n_stuck, 0);
            CU_ASSERT_PTR_NULL(play->why);
            continue;
        }
        CU_ASSERT_EQUAL(play->n_stuck, 5);
        CU_ASSERT_PTR_NOT_NULL_FATAL(play->why);
        for (uint32_t i = 0; i < 5; i++) {
            char link[32];
            snprintf(link, sizeof link, "(%u) -> (%u), channel 0", i, (i + 1) % 5);
            CU_ASSERT_PTR_NOT_NULL(strstr(play->why, link));
        }
        printf("\n    %s", play->why);
    }
    play_free(play);
}

/* ---- the second model ---- */

static uint64_t chance = 1;

static uint32_t draw(uint32_t n)
{
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(chance >> 33) % n;
}

static void draw_settings(struct play *play)
{
    struct flit_settings *settings = &play->settings;
    settings->packet_flits = 1 + draw(12);
    settings->channels = draw(5);
    settings->per_destination = draw(4) == 0;
    settings->router_cycles = 1 + draw(3);
    settings->credit_cycles = 1 + draw(3);
    settings->host_cycles = draw(3);
    settings->ports = 1 + draw(3);
    settings->arbitration = (enum flit_arbitration)draw(3);
    settings->switching = (enum flit_switching)draw(2);
    settings->buffer_flits = draw(6);
    if (flit_check(settings))
        settings->buffer_flits += settings->packet_flits;
    play->network.order = draw(2) ? SEND_QUEUE : SEND_LOCKSTEP;
}

static void test_second_model(void)
{
    static const char *const topologies[] = {"torus:4x3", "mesh:3x3", "torus:5", "star:5",
                                             "fattree:2x3,up=1x2", "full:4", "torus:2x2x2",
                                             "torus:7"};
    const uint32_t n_cases = by_form(100, 400, 800);
    uint32_t n_stuck = 0, n_wrong = 0;
    for (uint32_t i = 0; i < n_cases; i++) {
        struct play *play = play_new(topologies[draw(8)], 1 + draw(3));
        struct naive_message second[NAIVE_MESSAGES];
        uint64_t time = 0;
        draw_settings(play);
        const uint32_t n = 1 + draw(NAIVE_MESSAGES), ranks = play->placement.n_ranks;
        const uint32_t gap = draw(20), per_machine = ranks / play->topology->n_machines;
        while (play->n < n) {
            const uint32_t from = draw(ranks), to = draw(ranks);
            if (from / per_machine == to / per_machine)
                continue;
            add(play, from, to, 1 + draw(30), time);
            time += gap && draw(3) ? draw(gap) : 0;
        }
        memcpy(second, play->messages, n * sizeof *second);
        run(play);
        naive_flits(&play->network, &play->settings, second, n);
        for (uint32_t j = 0; j < n; j++) {
            const bool is_equal = second[j].left == play->messages[j].left &&
                                  second[j].arrived == play->messages[j].arrived;
            if (!is_equal && !n_wrong++)
                printf("\n    case %u, %s: message %u left %" PRIu64 ", %" PRIu64
                       ", arrived %" PRIu64 ", %" PRIu64, i, play->topology->name, j,
                       play->messages[j].left, second[j].left, play->messages[j].arrived,
                       second[j].arrived);
        }
        n_stuck += play->n_stuck > 0;
        CU_ASSERT_EQUAL(play->n_stuck > 0, play->why != NULL);
        play_free(play);
    }
    printf("\n    %u cases, %u of them deadlocks; %u messages wrong", n_cases, n_stuck, n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT((n_stuck > 0 || IS_SHORT) && n_stuck < n_cases / 2); /* a few in the 800 */
}

UNIT_PROGRAM(test_flit)
{
    CU_TestInfo tests[] = {
        {"the latency of a lone message", test_lone_latency},
        {"the rate of a lone packet by buffer and credit round trip", test_buffer_and_round_trip},
        {"slow links, slow processes, no data", test_slow_links_and_processes},
        {"incast", test_incast},
        {"fairness at a router, and along a row", test_fairness},
        {"a channel for each destination is fair along a row", test_fair_channels},
        {"the oldest first", test_age},
        {"head-of-line blocking by the formula, none in lock step", test_blocking},
        {"seeds", test_seeds},
        {"a deadlock of credits and its cycle", test_deadlock},
        {"every flit in every cycle gives the same times", test_second_model},
        CU_TEST_INFO_NULL,
    };
    return run_suite("flit", tests);
}
