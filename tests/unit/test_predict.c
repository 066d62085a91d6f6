/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Predicted times against closed forms: the broadcasts of Imamura 2009, LogGP's sequence of
 * messages, the slowdown of Naruse et al. 2010, and against a second calculation that goes
 * message by message.
 */
#include "compiler/language/language.h"
#include "network/placement/placement_make.h"
#include "predict/predict.h"
#include "base/codes.h"
#include "ir/counts.h"
#include "study/scene.h"
#include "tests/unit/oplist.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include "network/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct host_costs free_hosts = {0, 0, 1, 0, 0, 0};

/* ---- Imamura 2009: cost formulas beside figure 1 ---- */

enum { LINK_LATENCY = 700, OVERHEAD = 450 };
#define STAR_BANDWIDTH UINT64_C(3000000000)

static uint32_t log2_floor(uint32_t n)
{
    uint32_t log = 0;
    while (n >> (log + 1))
        log++;
    return log;
}

static uint32_t log2_ceil(uint32_t n)
{
    return log2_floor(n) + ((n & (n - 1)) != 0);
}

/* alpha + beta x, beta x rounded up: two links, a host at each end. */
static uint64_t one_message(uint64_t bytes)
{
    uint64_t transfer = (bytes * 1000000000 + STAR_BANDWIDTH - 1) / STAR_BANDWIDTH;
    return 2 * LINK_LATENCY + 2 * OVERHEAD + transfer;
}

/* Messages one after the other, with `segments` segments. The paper's formulas are those of
 * one segment; the binary tree's counts the last turn to a right child also where the tree
 * has one rank at its last level, a left child. */
static uint64_t n_turns(const char *name, uint32_t p, uint32_t segments)
{
    bool is_single = (p & (p - 1)) == 0;
    if (p == 1)
        return 0;
    if (strcmp(name, "bcast/linear") == 0)
        return p - 1;
    if (strcmp(name, "bcast/chain") == 0)
        return p - 2 + segments;
    if (strcmp(name, "bcast/binomial") == 0)
        return (uint64_t)segments * log2_ceil(p);
    return 2 * (log2_floor(p) + segments - 1) - (is_single ? p == 2 ? segments : 1 : 0);
}

static void check_broadcast(const char *name, uint32_t p, uint32_t root, uint32_t segments)
{
    static const uint64_t sizes[] = {0, 1, 1000, 4096, 1000003, UINT64_C(1) << 32};
    const struct host_costs costs = {OVERHEAD, 200, 1, 0, 0, 0};
    char topology[64];
    snprintf(topology, sizeof topology, "star:%u,bw=3GB/s,lat=%dns", p, LINK_LATENCY);
    struct scene_spec spec = {.algorithm = name, .topology = topology, .root = root};
    spec.parameter = segments > 1 ? "segments" : NULL;
    spec.value = segments;
    struct test_scene scene;
    struct predict_loads loads = {0};
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    CU_ASSERT_FATAL(predict_gather(scene.schedule, scene.topology, scene.placement, &loads,
                                   &scene.diagnostics));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t chunk = collective_chunk_bytes(COLLECTIVE_bcast, segments, sizes[i]);
        const struct prediction time = predict_time(&loads, &costs, chunk);
        uint64_t expected = n_turns(name, p, segments) * one_message(chunk);
        if (time.time != expected)
            printf("\n%s p %u root %u segments %u: %llu, expected %llu\n", name, p, root, segments,
                   (unsigned long long)time.time, (unsigned long long)expected);
        CU_ASSERT_EQUAL(time.time, expected);
        CU_ASSERT_EQUAL(time.hol, 0);
        CU_ASSERT_EQUAL(time.local, 0);
    }
    predict_loads_free(&loads);
    scene_close(&scene);
}

static void test_imamura(void)
{
    static const uint32_t segments[] = {1, 2, 3, 7, 16};
    static const char *const names[] = {"bcast/chain", "bcast/binary", "bcast/binomial"};
    for (uint32_t p = 1; p <= 64; p++) {
        check_broadcast("bcast/linear", p, p / 2, 1);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            for (size_t s = 0; s < sizeof segments / sizeof *segments; s++)
                check_broadcast(names[i], p, p / 3, segments[s]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_broadcast(names[i], 97, 96, 5);
        check_broadcast(names[i], 1000, 1, 2);
    }
}

/* The formula as printed: 2(ceil(log2(P+1)) - 1) turns, one less for P = 2^k. */
static void test_binary_as_printed(void)
{
    for (uint32_t p = 2; p <= 4096; p++) {
        uint64_t printed = 2 * (log2_ceil(p + 1) - 1);
        CU_ASSERT_EQUAL(n_turns("bcast/binary", p, 1), printed - ((p & (p - 1)) == 0));
    }
}

/* ---- programs of a test ---- */

struct run {
    struct diagnostics diagnostics;
    struct scene scene;
    struct predict_loads loads;
};

static void run_text(struct run *run, const char *text, const char *topology,
                     uint32_t ranks_per_machine)
{
    const struct placement_request where = {.ranks_per_machine = ranks_per_machine};
    struct scene *scene = &run->scene;
    *run = (struct run){.loads = {0}};
    scene->source = source_of_text("test.coll", text, strlen(text), &scene->arena);
    scene->topology = scene->owned.topology = topology_read(topology, &run->diagnostics);
    CU_ASSERT_FATAL(scene->topology && scene_read_source(scene, &run->diagnostics) &&
                    scene_place(scene, &where, &run->diagnostics) &&
                    scene_bind(scene, 0, &run->diagnostics) && scene_expand(scene, &run->diagnostics) &&
                    predict_gather(scene->schedule, scene->topology, scene->placement, &run->loads,
                                   &run->diagnostics));
}

static void run_close(struct run *run)
{
    predict_loads_free(&run->loads);
    scene_free(&run->scene);
    diagnostics_free(&run->diagnostics);
}

static const char scatter_text[] = "bcast flat\nranks r: p from root\nstep\n  if r == 0\n"
                                   "    for d in 1 .. p-1\n      send buf to d\n"
                                   "  else  recv buf from 0\n";

/* LogGP: k messages of x bytes from one rank take o + (k-1) max(o, g) + L + k G x + o. */
static void test_loggp(void)
{
    for (uint32_t p = 2; p <= 32; p++)
        for (uint64_t overhead = 0; overhead <= 600; overhead += 200)
            for (uint64_t gap = 0; gap <= 600; gap += 200) {
                char topology[64];
                struct run run;
                snprintf(topology, sizeof topology, "star:%u,bw=1GB/s,lat=300ns", p);
                run_text(&run, scatter_text, topology, 1);
                const struct host_costs costs = {overhead, gap, 1, 0, 0, 0};
                uint64_t longer = overhead > gap ? overhead : gap, k = p - 1;
                uint64_t expected = overhead + (k - 1) * longer + 600 + k * 5000 + overhead;
                CU_ASSERT_EQUAL(predict_time(&run.loads, &costs, 5000).time, expected);
                run_close(&run);
            }
}

/* Into one server: its link carries all, and no waiting is counted twice. */
static void test_incast(void)
{
    static const char text[] = "reduce flat\nranks r: p from root\nstep\n  if r == 0\n"
                               "    for d in 1 .. p-1\n      reduce buf from d\n"
                               "  else  send buf to 0\n";
    for (uint32_t p = 2; p <= 40; p++) {
        char topology[64];
        struct run run;
        snprintf(topology, sizeof topology, "star:%u,bw=1GB/s,lat=0ns", p);
        run_text(&run, text, topology, 1);
        const struct host_costs costs = {0, 0, 2000000000, 0, 0, 0};
        const struct prediction time = predict_time(&run.loads, &costs, 1000);
        CU_ASSERT_EQUAL(time.bandwidth, (p - 1) * 1000);
        CU_ASSERT_EQUAL(time.hol, 0);
        CU_ASSERT_EQUAL(time.local, (p - 1) * 500); /* each is combined at 2 GB/s */
        CU_ASSERT_EQUAL(time.time, (p - 1) * 1500);
        run_close(&run);
        snprintf(topology, sizeof topology, "star:%u,bw=3GB/s,lat=0ns", p);
        run_text(&run, text, topology, 1);
        const struct prediction uneven = predict_time(&run.loads, &costs, 1001);
        CU_ASSERT_EQUAL(uneven.bandwidth, ((p - 1) * 1001 + 2) / 3);
        CU_ASSERT_EQUAL(uneven.hol, 0);
        run_close(&run);
    }
}

/* Within a server there are the memory's latency and bandwidth, its ranks together; the own
 * message counts as well. Copies come before. */
static void test_memory(void)
{
    static const char text[] = "alltoall own\nranks r: p\ntmp 1\nstep\n  copy in[r] to tmp[0]\n"
                               "  send in[r] to r\n  recv out[r] from r\n";
    struct run run;
    run_text(&run, text, "star:3,lat=5us", 4);
    const struct host_costs costs = {0, 0, 1000000000, 70, 0, 0};
    const struct prediction time = predict_time(&run.loads, &costs, 1000);
    CU_ASSERT_EQUAL(time.latency, 70);
    CU_ASSERT_EQUAL(time.bandwidth, 4 * 1000);
    CU_ASSERT_EQUAL(time.local, 4 * 1000);
    CU_ASSERT_EQUAL(time.time, 70 + 8000);
    run_close(&run);
}

/* Idle steps cost nothing and are not kept; equal neighbours are one. */
static void test_equal_steps(void)
{
    static const char text[] = "bcast idle\nranks r: p\nfor i in 1 .. 9\n  step\n"
                               "    if r == 0 and i != 5  send buf to 1\n"
                               "    if r == 1 and i != 5  recv buf from 0\n";
    struct run run;
    run_text(&run, text, "star:2,bw=1GB/s,lat=100ns", 1);
    CU_ASSERT_EQUAL(run.loads.n_steps, 9);
    CU_ASSERT_EQUAL_FATAL(run.loads.n, 2);
    CU_ASSERT_EQUAL(run.loads.loads[0].n_steps, 4);
    CU_ASSERT_EQUAL(run.loads.loads[1].first, 5);
    CU_ASSERT_EQUAL(predict_time(&run.loads, &free_hosts, 1).time, 8 * 201);
    CU_ASSERT_EQUAL(predict_time(&run.loads, &free_hosts, UINT64_MAX).time, UINT64_MAX);
    run_close(&run);
}

/* More than 2^64 bytes on a link are counted as they are; only the time ends there. */
static void test_many_bytes(void)
{
    static const char text[] = "bcast big(segments = 4)\nranks r: p\nstep\n"
                               "  if r == 0  send buf to 1\n  if r == 1  recv buf from 0\n";
    struct run run;
    run_text(&run, text, "star:2,bw=1000GB/s,lat=0ns", 1);
    const uint64_t ns = UINT64_C(36893488147419104); /* 2^65 / 1000, rounded up */
    CU_ASSERT_EQUAL(predict_time(&run.loads, &free_hosts, UINT64_C(1) << 63).time, ns);
    run_close(&run);
}

/* Bandwidth and latency of each level: within a group 10, across it 1 GB/s. */
static void test_link_classes(void)
{
    static const char text[] = "bcast pair\nranks r: p\nfor d in 1 .. p-1\n  step\n"
                               "    if r == 0  send buf to d\n    if r == d  recv buf from 0\n";
    struct run run;
    run_text(&run, text, "fattree:2x2,bw=10GB/s:1GB/s,lat=10ns:500ns", 1);
    CU_ASSERT_EQUAL_FATAL(run.loads.n, 2);
    CU_ASSERT_EQUAL(predict_step(&run.loads.loads[0], &free_hosts, 1000).time, 20 + 100);
    CU_ASSERT_EQUAL(predict_step(&run.loads.loads[1], &free_hosts, 1000).time, 1020 + 1000);
    run_close(&run);
}

/* ---- Naruse et al. 2010, section 3.6: 8 servers with 8 ranks ---- */

static void test_naruse(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "star:8,bw=2GB/s,lat=0ns",
                              .ranks_per_machine = 8};
    struct test_scene scene;
    struct predict_loads loads = {0};
    const struct host_costs costs = {0, 0, UINT64_C(1000000000000), 0, 0, 0};
    const uint64_t transfer = 4000000; /* 8 messages of 1 MB at 2 GB/s */
    uint32_t n = 0;
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    CU_ASSERT_FATAL(predict_gather(scene.schedule, scene.topology, scene.placement, &loads,
                                   &scene.diagnostics));
    for (size_t i = 0; i < loads.n; i++) {
        const struct step_load *load = &loads.loads[i];
        for (uint64_t step = load->first; step < load->first + load->n_steps; step++) {
            if (step < 8 || step > 56)
                continue;
            double a = (double)(step % 8) / 8, model = (double)transfer / (1 - a * (1 - a));
            const struct prediction time = predict_step(load, &costs, 1000000);
            CU_ASSERT_EQUAL(time.bandwidth, transfer);
            CU_ASSERT_DOUBLE_EQUAL((double)time.time, model, 4 + 1e-6 * model);
            n++;
        }
    }
    CU_ASSERT_EQUAL(n, 49);
    predict_loads_free(&loads);
    scene_close(&scene);
}

/* ---- schedules as text ---- */

/* One of the parts of a time of 0 bytes a chunk, or all of it. */
static struct prediction time_of_text(const char *text, uint64_t *n_steps)
{
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct topology *topology = topology_read("star:3,bw=1GB/s,lat=100ns", &diagnostics);
    struct schedule *schedule =
        schedule_read(source_of_text("test.sched", text, strlen(text), &arena), &diagnostics);
    struct predict_loads loads;
    CU_ASSERT_FATAL(topology && schedule);
    CU_ASSERT_FATAL(predict_gather(schedule, topology, NULL, &loads, &diagnostics));
    const struct host_costs costs = {500, 200, 1000000000, 70, 0, 0};
    const struct prediction time = predict_time(&loads, &costs, schedule_unit_bytes(&schedule->header));
    *n_steps = loads.n_steps;
    predict_loads_free(&loads);
    schedule->destroy(schedule);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
    return time;
}

#define GATHERV                                                                        \
    "collc-schedule 1\ncollective gatherv\nalgorithm test\nranks 3\nroot 2\n"          \
    "counts %s\nstep 0\n2 copy in[0] to out[2]\n0 send in[0] to 2\n2 recv out[0] from 0\n%send\n"

/* With counts a message of no bytes is not sent: it costs nothing, not even at the hosts. */
static void test_empty_messages(void)
{
    static const char second[] = "1 send in[0] to 2\n2 recv out[1] from 1\n";
    char text[512];
    uint64_t n_steps;
    snprintf(text, sizeof text, GATHERV, "1000 0 8", second);
    const struct prediction with = time_of_text(text, &n_steps);
    snprintf(text, sizeof text, GATHERV, "1000 0 8", "");
    const struct prediction without = time_of_text(text, &n_steps);
    snprintf(text, sizeof text, GATHERV, "1000 1 8", second);
    const struct prediction full = time_of_text(text, &n_steps);
    CU_ASSERT_EQUAL(without.time, 200 + 1000 + 2 * 500 + 8);
    CU_ASSERT_EQUAL(with.time, without.time);
    CU_ASSERT_EQUAL(with.host, without.host);
    CU_ASSERT(full.time > without.time && full.host > without.host);
}

/* Steps in which ranks only copy take time, but are no steps of communication. */
static void test_local_steps(void)
{
    static const char text[] =
        "collc-schedule 1\ncollective allgather\nalgorithm test\nranks 2\ntmp 1\nchunk-bytes 8\n"
        "step 0\n0 copy in[0] to out[0]\n1 copy in[0] to out[1]\nstep 1\n0 send in[0] to 1\n"
        "1 recv out[0] from 0\nstep 2\n0 copy in[0] to tmp[0]\nstep 3\n1 send in[0] to 0\n"
        "0 recv out[1] from 1\nstep 4\n1 copy in[0] to tmp[0]\nend\n";
    uint64_t n_steps;
    const struct prediction time = time_of_text(text, &n_steps);
    CU_ASSERT_EQUAL(n_steps, 2);
    CU_ASSERT_EQUAL(time.local, 3 * 8);
}

/* ---- no route ---- */

static void test_no_route(void)
{
    struct scene_spec spec = {.algorithm = "alltoall/ring", .topology = "mesh:4"};
    struct test_scene scene;
    struct predict_loads loads = {0};
    CU_ASSERT_FATAL(scene_open(&scene, &spec));
    uint32_t link = 0;
    while (!topology_has_link(scene.topology, link))
        link++;
    scene.topology = topology_new_faulty(scene.topology, &link, 1);
    CU_ASSERT_FALSE(predict_gather(scene.schedule, scene.topology, scene.placement, &loads,
                                   &scene.diagnostics));
    CU_ASSERT_EQUAL(scene.diagnostics.n_of_code[CODE_L002], 1);
    predict_loads_free(&loads);
    scene_close(&scene);
}

/* ---- steps that repeat ---- */

enum { N_RANKS = 12, N_OPS = 3 * N_RANKS, N_ALIKE = 40 };

/* Operations of a step: all ranks send, receive and copy. */
struct list_of_ops {
    struct op ops[N_OPS + 1];
    size_t n;
};

static struct list_of_ops plain_step(void)
{
    struct list_of_ops list = {.n = N_OPS};
    for (uint32_t r = 0; r < N_RANKS; r++) {
        struct op *op = &list.ops[3 * r];
        op[0] = (struct op){.rank = r, .peer = (r + 1) % N_RANKS, .n_chunks = 2, .kind = OP_SEND,
                            .network = NO_NETWORK};
        op[1] = (struct op){.rank = r, .peer = (r + N_RANKS - 1) % N_RANKS, .n_chunks = 2, .kind = OP_RECV};
        op[2] = (struct op){.rank = r, .to_chunk = 5, .n_chunks = 2, .kind = OP_COPY};
    }
    return list;
}

/* Another step in one thing: perhaps one that costs the same. */
static void change_one(struct list_of_ops *list, uint64_t *random)
{
    struct op *op = &list->ops[random_below(random, list->n)];
    const uint32_t rank = (uint32_t)random_below(random, N_RANKS);
    switch (random_below(random, 6)) {
    case 0: op->rank = op_is_local(op) || rank != op->peer ? rank : op->rank; break;
    case 1: op->peer = op_is_local(op) || rank != op->rank ? rank : op->peer; break;
    case 2: op->n_chunks = 3; break;
    case 3: op->kind = op->kind == OP_RECV ? OP_REDUCE : op->kind == OP_COPY ? OP_COMBINE : op->kind; break;
    case 4: op->network = op->kind == OP_SEND ? 0 : op->network; break;
    default: *op = list->ops[--list->n]; break;
    }
}

static void append_step(struct oplist *list, const struct list_of_ops *step)
{
    const uint64_t index = list->n_steps;
    for (size_t i = 0; i < step->n; i++)
        oplist_append(list, index, step->ops[i]);
}

static struct predict_loads loads_of(const struct oplist *list, const struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    struct schedule *schedule = oplist_schedule(list);
    struct predict_loads loads;
    CU_ASSERT_FATAL(predict_gather(schedule, topology, NULL, &loads, &diagnostics));
    schedule->destroy(schedule);
    diagnostics_free(&diagnostics);
    return loads;
}

/* Steps in a row, many of them the one before again or nearly so, take the time of each alone. */
static void test_alike_steps(void)
{
    static const char *const labels[] = {"FE"}; /* which joins all machines; others are faster */
    static const struct host_costs costs = {500, 200, 1000000000, 70, 0, 0};
    const struct schedule_header header = {.collective = COLLECTIVE_alltoall, .algorithm = "test",
                                           .n_ranks = N_RANKS, .segments = 1, .networks = labels,
                                           .n_networks = 1};
    struct diagnostics diagnostics = {0};
    struct topology *topology = topology_read("examples/sumimoto2000/fig1.xml", &diagnostics);
    uint64_t random = 1;
    CU_ASSERT_FATAL(topology != NULL);
    for (uint32_t round = 0; round < 300; round++) {
        struct oplist all = {.header = header};
        struct list_of_ops step = plain_step();
        struct prediction sum = {0};
        uint64_t n_crossings = 0, n_operations = 0;
        for (uint32_t i = 0; i < N_ALIKE; i++) {
            struct oplist alone = {.header = header};
            if (random_below(&random, 3) == 0)
                change_one(&step, &random);
            append_step(&all, &step);
            append_step(&alone, &step);
            struct predict_loads loads = loads_of(&alone, topology);
            const struct prediction time = predict_time(&loads, &costs, 1000);
            sum.time += time.time;
            sum.latency += time.latency;
            sum.bandwidth += time.bandwidth;
            n_crossings += loads.n_crossings;
            n_operations += loads.n_operations;
            predict_loads_free(&loads);
            oplist_free(&alone);
        }
        struct predict_loads loads = loads_of(&all, topology);
        const struct prediction time = predict_time(&loads, &costs, 1000);
        CU_ASSERT_EQUAL(time.time, sum.time);
        CU_ASSERT_EQUAL(time.latency, sum.latency);
        CU_ASSERT_EQUAL(time.bandwidth, sum.bandwidth);
        CU_ASSERT_EQUAL(loads.n_crossings, n_crossings);
        CU_ASSERT_EQUAL(loads.n_operations, n_operations);
        CU_ASSERT_EQUAL(loads.n_steps, N_ALIKE);
        predict_loads_free(&loads);
        oplist_free(&all);
    }
    topology_free(topology);
    diagnostics_free(&diagnostics);
}

UNIT_PROGRAM(test_predict)
{
    CU_TestInfo tests[] = {
        {"broadcasts take the cost formulas of Imamura 2009", test_imamura},
        {"the binary tree's formula as printed", test_binary_as_printed},
        {"several messages of one rank take LogGP's time", test_loggp},
        {"many servers to one take the time of the link to it", test_incast},
        {"messages within a server and copies take the memory's time", test_memory},
        {"equal steps are one, idle ones none, sums end at the limit", test_equal_steps},
        {"more than 2^64 bytes on a link are counted", test_many_bytes},
        {"links have the bandwidth and latency of their level", test_link_classes},
        {"steps of the ring are slowed as in Naruse et al. 2010", test_naruse},
        {"messages of no bytes cost nothing", test_empty_messages},
        {"steps that only copy are not counted", test_local_steps},
        {"steps in a row that are alike, or nearly so, take the time of each alone", test_alike_steps},
        {"machines without a route are reported", test_no_route},
        CU_TEST_INFO_NULL,
    };
    return run_suite("predict", tests);
}
