/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Adaptive routing: the links that lead nearer against distances found link by link, and the flit model where
 * messages choose among them against what no choice can change. A cycle is 1 ns: 64 bytes at 64 GB/s.
 */
#include "network/adaptive.h"
#include "network/formats/formats.h"
#include "network/parts.h"
#include "network/placement/placement.h"
#include "simulate/flit.h"
#include "simulate/models.h"
#include "tests/unit/adaptive_nets.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>

#define BANDWIDTH UINT64_C(64000000000)
#define FAR UINT32_MAX

/* ---- the links that lead nearer ---- */

/* Writes the links from each node to a machine, over nodes that forward; FAR where there is no way. */
static void find_distances(const struct topology *topology, uint32_t destination, uint32_t *distance)
{
    bool *forwards = mem_alloc(topology->n_nodes, sizeof *forwards), changes = true;
    topology_find_forwarding(topology, forwards);
    for (uint32_t node = 0; node < topology->n_nodes; node++)
        distance[node] = node == destination ? 0 : FAR;
    while (changes) {
        changes = false;
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            uint32_t from, to;
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &from, &to);
            if (distance[to] == FAR || (to != destination && !forwards[to]) ||
                distance[from] <= distance[to] + 1)
                continue;
            distance[from] = distance[to] + 1;
            changes = true;
        }
    }
    free(forwards);
}

/* True if the choices at a node are all links that lead nearer, to who forwards or to the destination, and no
 * other. */
static bool are_nearer(const struct topology *topology, const uint32_t *distance, const bool *forwards,
                       uint32_t node, const struct hop *choices, uint32_t n)
{
    uint32_t n_nearer = 0;
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        uint32_t from, to, n_found = 0;
        if (!topology_has_link(topology, link))
            continue;
        topology_link_ends(topology, link, &from, &to);
        const bool is_nearer = from == node && distance[node] != FAR && distance[to] + 1 == distance[node] &&
                               (!distance[to] || forwards[to]);
        for (uint32_t i = 0; i < n; i++)
            n_found += choices[i].link == link;
        if (n_found != is_nearer)
            return false;
        n_nearer += is_nearer;
    }
    for (uint32_t i = 2; i < n; i++)
        if (choices[i].link <= choices[i - 1].link || choices[i].lane)
            return false;
    return n_nearer == n;
}

static void test_choices(void)
{
    struct topology *topology;
    uint64_t n_wrong = 0, n_looked_at = 0, n_many = 0;
    for (uint32_t i = 0; (topology = adaptive_net(i, BANDWIDTH)); i++) {
        uint32_t *distance = mem_alloc(topology->n_nodes, sizeof *distance);
        struct hop *choices = mem_alloc(topology_max_choices(topology), sizeof *choices);
        struct hop *route = mem_alloc(topology->max_hops + 1, sizeof *route);
        bool *forwards = mem_alloc(topology->n_nodes, sizeof *forwards);
        topology_find_forwarding(topology, forwards);
        for (uint32_t to = 0; to < topology->n_machines; to++) {
            find_distances(topology, to, distance);
            for (uint32_t node = 0; node < topology->n_nodes; node++) {
                if (node >= topology->n_machines && topology->machines_forward && !forwards[node])
                    continue;
                const uint32_t n = topology_next_choices(topology, node, to, choices);
                n_wrong += !are_nearer(topology, distance, forwards, node, choices, n);
                n_many += n > 1;
                n_looked_at++;
                if (node >= topology->n_machines || node == to)
                    continue;
                const uint32_t n_hops = topology_route(topology, node, to, route);
                n_wrong += n_hops != (distance[node] == FAR ? 0 : distance[node]);
                n_wrong += n_hops && route[0].link != choices[0].link;
            }
        }
        free(forwards);
        free(route);
        free(choices);
        free(distance);
        topology_free(topology);
    }
    printf("\n    %llu nodes and destinations, %llu with several choices; %llu wrong",
           (unsigned long long)n_looked_at, (unsigned long long)n_many, (unsigned long long)n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_many > n_looked_at / 8);
}

/* The ways of a pair are the links that some shortest path crosses: the distances of their ends add up. */
static void test_ways(void)
{
    struct topology *topology;
    for (uint32_t i = 0; (topology = adaptive_net(i, BANDWIDTH)); i++) {
        struct ways ways = ways_new(topology);
        uint32_t *distance = mem_alloc(topology->n_nodes, sizeof *distance);
        const uint32_t to = topology->n_machines - 1;
        find_distances(topology, to, distance);
        for (uint32_t from = 0; from < to; from++) {
            const uint32_t n = ways_find(&ways, from, to, 0);
            CU_ASSERT_EQUAL(n == 0, distance[from] == FAR);
            for (uint32_t k = 0; k < n; k++) {
                const struct way *way = &ways.items[k];
                uint32_t ends[2];
                topology_link_ends(topology, way->link, &ends[0], &ends[1]);
                CU_ASSERT_EQUAL(ways.nodes[way->from], ends[0]);
                CU_ASSERT_EQUAL(ways.nodes[way->to], ends[1]);
                CU_ASSERT_EQUAL(way->place + distance[ends[0]], distance[from]);
                CU_ASSERT(k == 0 || way->from >= way[-1].from);
            }
            CU_ASSERT(n == 0 || (ways.nodes[ways.n_nodes - 1] == to && ways.nodes[0] == from));
        }
        free(distance);
        ways_free(&ways);
        topology_free(topology);
    }
}

/* A topology that cannot be adaptive says why, and stays as it is. */
static void test_refused(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *torus = topology_read("torus:4x4", &diagnostics);
    torus = topology_new_faulty(torus, (const uint32_t[]){0, 9}, 2);
    CU_ASSERT_PTR_NOT_NULL(topology_set_adaptive(torus));
    CU_ASSERT_FALSE(torus->is_adaptive);
    topology_free(torus);
    diagnostics_free(&diagnostics);
}

/* ---- the flit model ---- */

struct sent {
    uint32_t from, to;
    uint64_t flits, time, arrived;
};

/* Plays messages, one rank a machine, in the order of their times. Returns how many did not arrive. */
static uint32_t play(const struct topology *topology, const struct flit_settings *settings, struct sent *sent,
                     uint32_t n, uint64_t *end)
{
    const struct placement placement = {.n_ranks = topology->n_machines};
    const struct network_model_settings network = {
        .topology = topology, .placement = &placement, .order = SEND_QUEUE, .flit = settings};
    struct network_model *model = simulate_flit(&network);
    struct transit_events events = {0};
    char *why = NULL;
    *end = 0;
    for (uint32_t i = 0; i <= n; i++) {
        const uint64_t until = i < n ? sent[i].time : SIMULATE_NEVER - 1;
        for (uint64_t next; (next = model->methods->next(model)) <= until;) {
            events.n = 0;
            model->methods->advance(model, next, &events);
            for (size_t k = 0; k < events.n; k++)
                if (events.items[k].kind == TRANSIT_ARRIVED)
                    sent[events.items[k].id].arrived = *end = events.items[k].time;
        }
        if (i < n)
            CU_ASSERT(model->methods->send(model,
                                           &(struct transit){i, sent[i].from, sent[i].to, sent[i].from,
                                                             sent[i].to, NO_NETWORK, sent[i].flits * 64},
                                           until));
    }
    const uint32_t n_stuck = model->methods->stuck(model, &why);
    free(why);
    free(events.items);
    model->methods->free(model);
    return n_stuck;
}

/* A message alone takes as long as by the rule, to any machine. */
static void test_alone(void)
{
    struct topology *topology;
    for (uint32_t i = 0; (topology = adaptive_net(i, BANDWIDTH)); i++) {
        struct hop *route = mem_alloc(topology->max_hops + 1, sizeof *route);
        for (uint32_t to = 1; to < topology->n_machines; to++) {
            struct sent sent = {0, to, 1 + to * 7 % 90, 0, 0};
            const struct flit_settings settings = flit_defaults();
            uint64_t end[2];
            if (!topology_route(topology, 0, to, route))
                continue;
            for (int is_adaptive = 0; is_adaptive < 2; is_adaptive++) {
                topology->is_adaptive = is_adaptive;
                CU_ASSERT_EQUAL(play(topology, &settings, &sent, 1, &end[is_adaptive]), 0);
            }
            CU_ASSERT_EQUAL(end[0], end[1]);
        }
        free(route);
        topology_free(topology);
    }
}

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* On grids and trees nothing is ever stuck, by either switching, however small the buffers and whoever sends.
 */
static void test_no_deadlock(void)
{
    enum { MESSAGES = 400, NETS = 17 };
    static struct sent sent[MESSAGES];
    uint64_t state = 1;
    uint32_t n_plays = 0;
    for (uint32_t i = 0; i < NETS; i++)
        for (uint32_t variant = 0; variant < by_form(2, 6, 30); variant++) {
            struct topology *topology = adaptive_net(i, BANDWIDTH);
            struct flit_settings settings = flit_defaults();
            uint64_t end;
            settings.packet_flits = 1 + (uint32_t)(draw(&state) % 20);
            settings.switching = variant % 2 ? FLIT_CUT_THROUGH : FLIT_WORMHOLE;
            settings.buffer_flits = settings.switching == FLIT_CUT_THROUGH
                                        ? settings.packet_flits + (uint32_t)(draw(&state) % 4)
                                        : 1 + (uint32_t)(draw(&state) % 30);
            settings.arbitration = (enum flit_arbitration)(draw(&state) % 3);
            settings.channels = variant % 3 ? 3 + (uint32_t)(draw(&state) % 2) : 0;
            settings.per_destination = variant % 5 == 4;
            for (uint32_t k = 0; k < MESSAGES; k++) {
                sent[k] = (struct sent){(uint32_t)(draw(&state) % topology->n_machines), 0,
                                        1 + draw(&state) % 60, 0, 0};
                sent[k].to = (uint32_t)((sent[k].from + 1 + draw(&state) % (topology->n_machines - 1)) %
                                        topology->n_machines);
            }
            CU_ASSERT_EQUAL(play(topology, &settings, sent, MESSAGES, &end), 0);
            for (uint32_t k = 0; k < MESSAGES; k++)
                CU_ASSERT(sent[k].arrived > 0);
            topology_free(topology);
            n_plays++;
        }
    printf("\n    %u plays", n_plays);
}

/* Four messages from one leaf to others whose numbers are equal modulo the spines: the rule sends all by one
 * spine, one after the other, and who chooses is as quick as over a crossbar. */
static void test_spines(void)
{
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("fattree:4x8,bw=64GB/s,lat=0ns", &diagnostics);
    const struct flit_settings settings = flit_defaults();
    struct sent sent[4];
    uint64_t end[2];
    for (uint32_t i = 0; i < 4; i++)
        sent[i] = (struct sent){i, 4 * (i + 1), 320, 0, 0};
    play(topology, &settings, sent, 4, &end[0]);
    CU_ASSERT_PTR_NULL(topology_set_adaptive(topology));
    play(topology, &settings, sent, 4, &end[1]);
    CU_ASSERT(end[0] > 4 * 320 && end[1] < 320 + 32);
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_adaptive)
{
    CU_TestInfo tests[] = {
        {"all links that lead nearer, and the rule's first", test_choices},
        {"the links of all shortest ways", test_ways},
        {"what cannot be adaptive", test_refused},
        {"a message alone takes as long as by the rule", test_alone},
        {"grids and trees are free of deadlock", test_no_deadlock},
        {"four messages over four spines", test_spines},
        CU_TEST_INFO_NULL,
    };
    return run_suite("adaptive", tests);
}
