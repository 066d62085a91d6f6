/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Flows of a step against a search among all before, and head-of-line blocking on them against the sum over
 * all numbers of servers that compete.
 */
#include "base/integer.h"
#include "measure/flows.h"
#include "measure/hol.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SERVERS = 60, MAX_SENDS = 400, N_NETWORKS = 2, N_PORTS = 3 };

static uint64_t random_state = 1;

static uint32_t draw(uint32_t n)
{
    return (uint32_t)(next_random(&random_state) % n);
}

/* Sends of ranks, of which some are on one server. */
struct test_scene {
    uint32_t n_ranks, n_servers;
    uint32_t server[2 * MAX_SERVERS];
    struct placement placement;
    struct op sends[MAX_SENDS];
    uint32_t times[MAX_SENDS];
    struct step step;
    bool has_placement, has_times, has_networks;
};

static int by_rank(const void *a, const void *b)
{
    const struct op *left = a, *right = b;
    return (left->rank > right->rank) - (left->rank < right->rank);
}

/* Ranks ascend in two of three, to few ranks or to many; in every second all chunks are as large. */
static void draw_scene(struct test_scene *scene)
{
    scene->n_servers = 2 + draw(MAX_SERVERS - 2);
    scene->has_placement = draw(2);
    scene->n_ranks = scene->has_placement ? scene->n_servers * 2 : scene->n_servers;
    for (uint32_t rank = 0; rank < scene->n_ranks; rank++)
        scene->server[rank] = rank * scene->n_servers / scene->n_ranks;
    scene->placement = (struct placement){.server = scene->server, .machine = scene->server};
    const uint32_t n = draw(4) ? draw(MAX_SENDS) : draw(scene->n_ranks);
    const uint32_t n_peers = 1 + draw(scene->n_ranks), n_chunks = draw(2) ? 1 : 4;
    for (uint32_t i = 0; i < n; i++) {
        scene->sends[i] = (struct op){.kind = OP_SEND, .rank = draw(scene->n_ranks), .peer = draw(n_peers),
                                      .n_chunks = draw(n_chunks) + 1, .network = (uint8_t)draw(N_NETWORKS)};
        scene->times[i] = 1 + draw(3);
    }
    scene->has_times = draw(2);
    scene->has_networks = draw(3) == 0;
    if (draw(3))
        qsort(scene->sends, n, sizeof *scene->sends, by_rank);
    scene->step = (struct step){.sends = scene->sends, .n_sends = n};
}

/* The flows of the scene, in order of their first message; of how many. */
static size_t search_flows(const struct test_scene *scene, struct flow *flows)
{
    size_t n = 0;
    for (size_t i = 0; i < scene->step.n_sends; i++) {
        const struct op *send = &scene->sends[i];
        const uint32_t source = scene->has_placement ? scene->server[send->rank] : send->rank;
        const uint32_t destination = scene->has_placement ? scene->server[send->peer] : send->peer;
        const uint32_t times = scene->has_times ? scene->times[i] : 1;
        const uint8_t network = scene->has_networks ? send->network : 0;
        size_t at = 0;
        while (at < n && (flows[at].source != source || flows[at].destination != destination ||
                          flows[at].network != network))
            at++;
        if (source == destination)
            continue;
        if (at == n)
            flows[n++] = (struct flow){.source = source, .destination = destination, .network = network};
        flows[at].n_messages += times;
        flows[at].n_chunks += (uint64_t)times * send->n_chunks;
    }
    return n;
}

static bool are_equal(const struct flow *a, const struct flow *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i].source != b[i].source || a[i].destination != b[i].destination ||
            a[i].network != b[i].network || a[i].n_messages != b[i].n_messages ||
            a[i].n_chunks != b[i].n_chunks)
            return false;
    return true;
}

static void gather(struct flows *flows, const struct test_scene *scene)
{
    const struct flow_networks networks = {.of_label = {0, 1}};
    flows_gather(flows, &scene->step, scene->has_times ? scene->times : NULL,
                 scene->has_placement ? &scene->placement : NULL, scene->has_networks ? &networks : NULL);
}

/* The chance that so many of n senders are there, by each sender in turn. */
static double naive_goes(const double *shares, uint32_t n)
{
    double chance[MAX_SENDS + 1] = {1}, goes = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k-- > 0;) {
            chance[k + 1] += chance[k] * shares[i];
            chance[k] *= 1 - shares[i];
        }
    for (uint32_t k = 0; k <= n; k++)
        goes += chance[k] / (k + 1);
    return goes;
}

/* Returns the slowdown of the source of flow i on its network. */
static double naive_slowdown(const struct flow *flows, size_t n, size_t i)
{
    double sent[N_PORTS][MAX_SERVERS] = {{0}}, shares[MAX_SENDS], blocked = 0;
    const uint8_t port = flows[i].out;
    for (size_t k = 0; k < n; k++)
        sent[flows[k].out][flows[k].source] += flows[k].n_messages;
    for (size_t own = 0; own < n; own++) {
        uint32_t n_others = 0;
        if (flows[own].source != flows[i].source || flows[own].out != port)
            continue;
        for (size_t k = 0; k < n; k++)
            if (k != own && flows[k].destination == flows[own].destination && flows[k].in == flows[own].in)
                shares[n_others++] = flows[k].n_messages / sent[flows[k].out][flows[k].source];
        blocked += flows[own].n_messages / sent[port][flows[own].source] * (1 - naive_goes(shares, n_others));
    }
    return 1 / (1 - blocked);
}

static uint32_t max_fan_in(const struct flow *flows, size_t n)
{
    uint32_t n_into[MAX_SERVERS] = {0}, most = 0;
    for (size_t i = 0; i < n; i++)
        n_into[flows[i].destination]++;
    for (uint32_t i = 0; i < MAX_SERVERS; i++)
        most = n_into[i] > most ? n_into[i] : most;
    return most;
}

/* One set of flows for all steps, as their users have it: what a step leaves is no flow of the next. */
static void test_gathered(void)
{
    enum { N_SCENES = 20000 };
    static struct test_scene scene;
    static struct flow expected[MAX_SENDS];
    struct flows flows = {0};
    uint64_t n_plain = 0, n_merged = 0, n_wrong = 0;
    for (int i = 0; i < N_SCENES; i++) {
        draw_scene(&scene);
        const size_t n = search_flows(&scene, expected);
        gather(&flows, &scene);
        n_wrong += flows.n != n || !are_equal(flows.flows, expected, n);
        n_plain += flows.is_plain;
        n_merged += n < scene.step.n_sends;
    }
    printf("\n  | flows: %d steps, %llu plain, %llu with flows of several messages, %llu wrong\n", N_SCENES,
           (unsigned long long)n_plain, (unsigned long long)n_merged, (unsigned long long)n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_plain > 100 && n_merged > N_SCENES / 2);
    flows_free(&flows);
}

static void test_slowdown(void)
{
    enum { N_SCENES = 2000 };
    static struct test_scene scene;
    static double slowdown[MAX_SENDS];
    struct flows flows = {0};
    struct hol *hol = hol_new(MAX_SERVERS, N_PORTS);
    uint64_t n_wrong = 0, n_many = 0;
    for (int i = 0; i < N_SCENES; i++) {
        double slowest = 1;
        draw_scene(&scene);
        gather(&flows, &scene);
        for (size_t k = 0; k < flows.n; k++) {
            flows.flows[k].out = (uint8_t)draw(N_PORTS);
            flows.flows[k].in = (uint8_t)draw(N_PORTS);
        }
        const uint32_t fan_in = max_fan_in(flows.flows, flows.n);
        const double found = hol_slowdown(hol, &flows, fan_in, slowdown);
        for (size_t k = 0; k < flows.n; k++) {
            const double expected = naive_slowdown(flows.flows, flows.n, k);
            slowest = expected > slowest ? expected : slowest;
            n_wrong += fabs(slowdown[k] - expected) > 1e-9 * expected;
        }
        n_wrong += fabs(found - slowest) > 1e-9 * slowest;
        n_many += fan_in > 32;
    }
    printf("\n  | head-of-line blocking: %d steps, %llu with more than 32 senders, %llu wrong\n", N_SCENES,
           (unsigned long long)n_many, (unsigned long long)n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n_many > 20);
    hol_free(hol);
    flows_free(&flows);
}

UNIT_PROGRAM(test_flows)
{
    CU_TestInfo tests[] = {
        {"flows of a step against a search", test_gathered},
        {"head-of-line blocking against all numbers of competitors", test_slowdown},
        CU_TEST_INFO_NULL,
    };
    return run_suite("flows", tests);
}
