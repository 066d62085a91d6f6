/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicted times of every built-in algorithm against a second calculation of the same
 * model: message by message instead of flow by flow, in floating point, with the blocking
 * of a sender from the distribution of its competitors instead of an integral; and what all steps put on
 * links and servers together.
 */
#include "predict/predict.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include "network/full.h"
#include "network/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SERVERS = 64, MAX_RANKS = 128, MAX_LINKS = 4096, MAX_HOPS = 64, MAX_NETWORKS = 5 };

static const struct host_costs costs = {300, 450, UINT64_C(4000000000), 250, 0, UINT64_C(3000000000)};

struct naive {
    const struct test_scene *scene;
    uint32_t n_servers;
    double chunk;                                       /* bytes */
    double link[MAX_LINKS], inside[MAX_SERVERS], local[MAX_SERVERS], unpacked[MAX_SERVERS];
    uint32_t messages[MAX_NETWORKS][MAX_SERVERS][MAX_SERVERS]; /* [][source][destination] */
    uint32_t first_link[MAX_NETWORKS][MAX_SERVERS][MAX_SERVERS];
    uint32_t sent[MAX_RANKS], received[MAX_RANKS];
    double latency;
    bool has_network, has_memory;
};

static void follow(struct naive *naive, const struct op *send)
{
    const struct placement *placement = naive->scene->placement;
    const struct topology *topology = naive->scene->topology;
    uint32_t from = placement->server[send->rank], to = placement->server[send->peer];
    struct hop hops[MAX_HOPS];
    double latency = 0, bytes = send->n_chunks * naive->chunk;
    naive->sent[send->rank]++;
    if (from == to) {
        naive->inside[from] += bytes;
        naive->has_memory = true;
        return;
    }
    uint32_t n = topology_route(topology, placement->machine[send->rank],
                                placement->machine[send->peer], hops);
    for (uint32_t i = 0; i < n; i++) {
        double *load = &naive->link[hops[i].link];
        *load = topology_link_contends(topology, hops[i].link) ? *load + bytes : fmax(*load, bytes);
        latency += (double)topology_link_latency(topology, hops[i].link);
    }
    uint32_t network = topology_network(topology, placement->machine[send->rank],
                                        placement->machine[send->peer]);
    naive->messages[network][from][to]++;
    naive->first_link[network][from][to] = hops[0].link;
    naive->latency = fmax(naive->latency, latency);
    naive->has_network = true;
}

static double link_time(const struct naive *naive, uint32_t link)
{
    return naive->link[link] * 1e9 / (double)topology_link_bandwidth(naive->scene->topology, link);
}

/* A server on a network. */
struct end {
    uint32_t network, server;
};

static uint32_t sum_from(const struct naive *naive, struct end source)
{
    uint32_t sum = 0;
    for (uint32_t to = 0; to < naive->n_servers; to++)
        sum += naive->messages[source.network][source.server][to];
    return sum;
}

static uint32_t sum_to(const struct naive *naive, struct end destination)
{
    uint32_t sum = 0;
    for (uint32_t from = 0; from < naive->n_servers; from++)
        sum += naive->messages[destination.network][from][destination.server];
    return sum;
}

static double share(const struct naive *naive, struct end source, uint32_t destination)
{
    uint32_t n = naive->messages[source.network][source.server][destination];
    return n ? (double)n / sum_from(naive, source) : 0;
}

/* E[K/(K+1)], K the number of competitors at a port. */
static double blocked_at(const struct naive *naive, struct end source, uint32_t destination)
{
    double probability[MAX_SERVERS + 1] = {1}, expected = 0;
    for (uint32_t other = 0, n = 0; other < naive->n_servers; other++) {
        double a = share(naive, (struct end){source.network, other}, destination);
        if (other == source.server || a <= 0)
            continue;
        n++;
        for (uint32_t k = n; k > 0; k--)
            probability[k] = probability[k] * (1 - a) + probability[k - 1] * a;
        probability[0] *= 1 - a;
    }
    for (uint32_t k = 1; k <= MAX_SERVERS; k++)
        expected += probability[k] * k / (k + 1);
    return expected;
}

/* The longest of the links by which the server sends, slowed. No queue forms before a link
 * that does not contend. */
static double sender_time(const struct naive *naive, struct end source)
{
    double blocked = 0, longest = 0;
    for (uint32_t to = 0; to < naive->n_servers; to++) {
        double a = share(naive, source, to);
        uint32_t first = naive->first_link[source.network][source.server][to];
        if (a <= 0)
            continue;
        blocked += a * blocked_at(naive, source, to);
        if (topology_link_contends(naive->scene->topology, first))
            longest = fmax(longest, link_time(naive, first));
    }
    const struct topology *topology = naive->scene->topology;
    bool is_direct = topology_as_grid(topology) || topology_is_full(topology);
    return is_direct ? longest : longest / (1 - blocked); /* a port for every link */
}

static double network_time(const struct naive *naive)
{
    double busiest = 0;
    for (uint32_t link = 0; link < naive->scene->topology->n_link_ids; link++)
        if (naive->link[link] > 0)
            busiest = fmax(busiest, link_time(naive, link));
    for (uint32_t network = 0; network < MAX_NETWORKS; network++)
        for (uint32_t server = 0; server < naive->n_servers; server++)
            busiest = fmax(busiest, sender_time(naive, (struct end){network, server}));
    return naive->has_network ? naive->latency + busiest : 0;
}

static double host_time(const struct naive *naive)
{
    double of_rank = 0, of_server = 0;
    for (uint32_t rank = 0; rank < naive->scene->placement->n_ranks; rank++)
        of_rank = fmax(of_rank, fmax(naive->sent[rank], naive->received[rank]));
    for (uint32_t network = 0; network < MAX_NETWORKS; network++)
        for (uint32_t server = 0; server < naive->n_servers; server++) {
            struct end end = {network, server};
            of_server = fmax(of_server, fmax(sum_to(naive, end), sum_from(naive, end)));
        }
    if (of_rank <= 0)
        return 0;
    return 2.0 * (double)costs.overhead + fmax((of_rank - 1) * (double)costs.overhead,
                                               fmax(of_server - 1, 0) * (double)costs.gap);
}

static double naive_step(struct naive *naive, const struct step *step)
{
    const struct placement *placement = naive->scene->placement;
    double memory = 0, local = 0, unpacked = 0;
    for (size_t i = 0; i < step->n_sends; i++) {
        follow(naive, &step->sends[i]);
        if (scene_is_packed(naive->scene, &step->sends[i]))
            naive->local[placement->server[step->sends[i].rank]] += step->sends[i].n_chunks * naive->chunk;
    }
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        naive->received[op->rank]++;
        if (op->kind == OP_REDUCE)
            naive->local[placement->server[op->rank]] += op->n_chunks * naive->chunk;
        if (scene_is_packed(naive->scene, op))
            naive->unpacked[placement->server[op->rank]] += op->n_chunks * naive->chunk;
    }
    for (size_t i = 0; i < step->n_copies; i++)
        naive->local[placement->server[step->copies[i].rank]] +=
            step->copies[i].n_chunks * naive->chunk;
    for (uint32_t server = 0; server < naive->n_servers; server++) {
        memory = fmax(memory, naive->inside[server] * 1e9 / (double)costs.inside_bandwidth);
        local = fmax(local, naive->local[server] * 1e9 / (double)costs.memory_bandwidth);
        unpacked = fmax(unpacked, naive->unpacked[server] * 1e9 / (double)costs.memory_bandwidth);
    }
    if (naive->has_memory)
        memory += (double)costs.memory_latency;
    return local + unpacked + host_time(naive) + fmax(network_time(naive), memory);
}

/* *n_steps: those that count, so without those of copies only. */
static double naive_time(const struct test_scene *scene, uint64_t chunk, uint64_t *n_steps)
{
    struct naive *naive = mem_alloc(1, sizeof *naive);
    struct step step;
    double sum = 0;
    *n_steps = 0;
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step)) {
        *naive = (struct naive){.scene = scene, .n_servers = scene->placement->n_servers,
                                .chunk = (double)chunk};
        sum += naive_step(naive, &step);
        *n_steps += step.n_copies == 0 || step.n_sends + step.n_receives > 0;
    }
    free(naive);
    return sum;
}

/* Sums over all steps, in chunks. */
struct totals {
    uint64_t link[MAX_LINKS], inside[MAX_SERVERS], local[MAX_SERVERS];
    uint64_t n_messages, n_crossings;
};

static void add_send(struct totals *totals, const struct test_scene *scene, const struct op *send)
{
    const struct placement *placement = scene->placement;
    struct hop hops[MAX_HOPS];
    totals->n_messages++;
    if (scene_is_packed(scene, send))
        totals->local[placement->server[send->rank]] += send->n_chunks;
    if (placement->server[send->rank] == placement->server[send->peer]) {
        totals->inside[placement->server[send->rank]] += send->n_chunks;
        return;
    }
    const uint32_t n = topology_route(scene->topology, placement->machine[send->rank],
                                      placement->machine[send->peer], hops);
    totals->n_crossings += n;
    for (uint32_t i = 0; i < n; i++)
        totals->link[hops[i].link] +=
            topology_link_contends(scene->topology, hops[i].link) ? send->n_chunks : 0;
}

static void find_totals(const struct test_scene *scene, struct totals *totals)
{
    const uint32_t *server = scene->placement->server;
    struct step step;
    memset(totals, 0, sizeof *totals);
    scene->schedule->rewind(scene->schedule);
    while (scene->schedule->next(scene->schedule, &step)) {
        for (size_t i = 0; i < step.n_sends; i++)
            add_send(totals, scene, &step.sends[i]);
        for (size_t i = 0; i < step.n_receives; i++)
            if (step.receives[i].kind == OP_REDUCE || scene_is_packed(scene, &step.receives[i]))
                totals->local[server[step.receives[i].rank]] += step.receives[i].n_chunks;
        for (size_t i = 0; i < step.n_copies; i++)
            totals->local[server[step.copies[i].rank]] += step.copies[i].n_chunks;
    }
}

static uint64_t most_of(const uint64_t *amount, uint32_t n)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = amount[i] > most ? amount[i] : most;
    return most;
}

static void compare_totals(const struct test_scene *scene, const struct predict_loads *loads)
{
    struct totals *totals = mem_alloc(1, sizeof *totals);
    double busiest = 0;
    find_totals(scene, totals);
    for (uint32_t link = 0; link < scene->topology->n_link_ids; link++)
        if (totals->link[link])
            busiest = fmax(busiest, (double)totals->link[link] /
                                        (double)topology_link_bandwidth(scene->topology, link));
    const struct transfer found = loads->link_total;
    CU_ASSERT(fabs((found.chunks ? (double)found.chunks / (double)found.bandwidth : 0) - busiest) <=
              1e-12 * busiest);
    CU_ASSERT_EQUAL(loads->memory_total, most_of(totals->inside, MAX_SERVERS));
    CU_ASSERT_EQUAL(loads->local_total, most_of(totals->local, MAX_SERVERS));
    CU_ASSERT_EQUAL(loads->n_messages, totals->n_messages);
    CU_ASSERT_EQUAL(loads->n_crossings, totals->n_crossings);
    free(totals);
}

/* Each step is rounded up in at most four places, the slowdown to millionths. */
static void compare(struct test_scene *scene, const char *label)
{
    static const uint64_t chunks[] = {0, 1, 4097, 1000000};
    struct predict_loads loads = {0};
    CU_ASSERT_FATAL(predict_gather(scene->schedule, scene->topology, scene->placement, &loads,
                                   &scene->diagnostics));
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        uint64_t n_steps;
        double expected = naive_time(scene, chunks[i], &n_steps);
        const struct prediction time = predict_time(&loads, &costs, chunks[i]);
        double difference = (double)time.time - expected;
        bool is_close = fabs(difference) <= 4.0 * (double)(n_steps + 1) + 2e-6 * expected;
        if (!is_close)
            printf("\n%s, %llu bytes: %.1f, expected %.1f\n", label, (unsigned long long)chunks[i],
                   (double)time.time, expected);
        CU_ASSERT(is_close);
        CU_ASSERT_EQUAL(time.time, time.latency + time.bandwidth + time.hol + time.host + time.local);
        CU_ASSERT_EQUAL(loads.n_steps, n_steps);
    }
    compare_totals(scene, &loads);
    predict_loads_free(&loads);
}

static const struct scene_spec places[] = {
    {.topology = "star:6,bw=1GB/s", .ranks_per_machine = 4},
    {.topology = "star:8,bw=2GB/s", .ranks_per_machine = 2, .placement = "cyclic"},
    {.topology = "star:12,bw=2GB/s", .n_ranks = 16, .placement = "unequal"},
    {.topology = "fattree:4x4,up=1x2,bw=2GB/s:5GB/s,lat=100ns:700ns", .ranks_per_machine = 2},
    {.topology = "full:9,bw=1GB/s"},
    {.topology = "torus:5x5,bw=1GB/s:3GB/s,lat=100ns:50ns"},
    {.topology = "mesh:5x5"},
    {.topology = "torus:3x3x3,bw=1GB/s"},
    {.topology = "examples/clusters/ft2_4s8l64h.txt", .n_ranks = 32},
    {.topology = "examples/sumimoto2000/fig1.xml", .ranks_per_machine = 2},
    {.topology = "tests/simgrid/platforms/flat-backbone.xml", .ranks_per_machine = 2},
    {.topology = "tests/simgrid/platforms/full.xml"},
    {.topology = "tests/simgrid/platforms/dragonfly.xml", .n_ranks = 24},
};

static void test_all(void)
{
    uint32_t n_compared = 0;
    for (size_t file = 0; file < scene_n_files(); file++) {
        char name[SCENE_NAME];
        const size_t by = is_least() ? 4 : 1, n_places = sizeof places / sizeof *places;
        for (size_t i = file % by; scene_algorithm(file, name) && i < n_places; i += by) {
            struct scene_spec spec = places[i];
            struct test_scene scene;
            spec.algorithm = name;
            if (scene_open(&scene, &spec)) {
                compare(&scene, scene_label(&scene, &spec));
                n_compared++;
            }
            scene_close(&scene);
        }
    }
    CU_ASSERT(n_compared > enough(100));
}

UNIT_PROGRAM(test_predict_naive)
{
    CU_TestInfo tests[] = {
        {"every algorithm, message by message", test_all},
        CU_TEST_INFO_NULL,
    };
    return run_suite("predict_naive", tests);
}
