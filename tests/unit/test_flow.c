/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow model: its rates against progressive filling as the textbook has it, whole networks
 * against a simulation in real numbers that knows nothing of streams, agendas and parts that
 * changed, and what can be said in closed form.
 */
#include "network/formats/formats.h"
#include "network/load.h"
#include "simulate/models.h"
#include "simulate/player.h"
#include "simulate/sharing.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGES = 96, MAX_PATH = 40, MAX_LINKS = 4096 };

/* xorshift: the cases are the same in every run. */
static uint32_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

/* --- rates as the textbook has them --- */

/* A message of its own: no streams here. */
struct naive_message {
    uint32_t path[MAX_PATH];
    uint32_t n;
    double limit, rate;
    bool is_there, is_filling;
    double start, bytes, left_at;
    uint64_t latency;
};

/* Returns how much more every message that is filling may have on a link, or by its own limit. */
static double room_of(const struct naive_message *messages, size_t n, const double *capacity,
                      const struct naive_message *message)
{
    double room = message->limit - message->rate;
    for (uint32_t i = 0; i < message->n; i++) {
        double used = 0, filling = 0;
        for (size_t k = 0; k < n; k++)
            for (uint32_t at = 0; at < messages[k].n; at++)
                if (messages[k].is_there && messages[k].path[at] == message->path[i]) {
                    used += messages[k].rate;
                    filling += messages[k].is_filling;
                }
        const double more = (capacity[message->path[i]] - used) / filling;
        room = more < room ? more : room;
    }
    return room;
}

static void naive_rates(struct naive_message *messages, size_t n, const double *capacity)
{
    double room[MAX_MESSAGES];
    size_t n_filling = 0;
    for (size_t i = 0; i < n; i++) {
        messages[i].rate = 0;
        n_filling += messages[i].is_filling = messages[i].is_there;
    }
    while (n_filling) {
        double least = INFINITY;
        for (size_t i = 0; i < n; i++) {
            room[i] = messages[i].is_filling ? room_of(messages, n, capacity, &messages[i]) : INFINITY;
            least = fmin(least, room[i]);
        }
        for (size_t i = 0; i < n; i++)
            if (messages[i].is_filling) {
                messages[i].rate += least;
                if (room[i] <= least + 1e-12) {
                    messages[i].is_filling = false;
                    n_filling--;
                }
            }
    }
}

/* Streams over random links; messages begin and end in them; after each few changes all rates are
 * compared. */
static void rates_of_random_streams(uint64_t *seed)
{
    enum { STREAMS = 20, LINKS = 12, SETTLES = 60 };
    struct sharing sharing = sharing_new(LINKS);
    struct naive_message messages[MAX_MESSAGES] = {0};
    uint32_t stream_of[STREAMS], n_in[STREAMS] = {0}, number[MAX_MESSAGES];
    struct naive_message path_of[STREAMS] = {0};
    double capacity[LINKS];
    double worst = 0;
    for (uint32_t link = 0; link < LINKS; link++)
        sharing.links[link].capacity = capacity[link] = 1 + next_random(seed) % 4;
    for (uint32_t i = 0; i < STREAMS; i++) {
        stream_of[i] = UINT32_MAX;
        path_of[i].n = 1 + next_random(seed) % 4;
        for (uint32_t k = 0; k < path_of[i].n; k++)
            path_of[i].path[k] = next_random(seed) % LINKS; /* one may come twice */
        path_of[i].limit = next_random(seed) % 4 ? INFINITY : (1 + next_random(seed) % 6) / 4.0;
    }
    for (int settles = 0; settles < SETTLES; settles++) {
        const uint32_t begins = next_random(seed) % 4, ends = next_random(seed) % 4;
        for (uint32_t i = 0; i < ends; i++) {
            const uint32_t at = next_random(seed) % 40;
            if (!messages[at].is_there)
                continue;
            messages[at].is_there = false;
            sharing_end(&sharing, stream_of[number[at]]);
            if (--n_in[number[at]] == 0)
                stream_of[number[at]] = UINT32_MAX;
        }
        for (uint32_t i = 0; i < begins; i++) {
            const uint32_t at = next_random(seed) % 40, stream = next_random(seed) % STREAMS;
            if (messages[at].is_there)
                continue;
            messages[at] = path_of[stream];
            messages[at].is_there = true;
            number[at] = stream;
            if (n_in[stream]++)
                sharing_begin(&sharing, stream_of[stream]);
            else
                stream_of[stream] = sharing_open(&sharing, path_of[stream].path, path_of[stream].n,
                                                 path_of[stream].limit);
        }
        sharing_settle(&sharing);
        naive_rates(messages, 40, capacity);
        for (int at = 0; at < 40; at++)
            if (messages[at].is_there)
                worst = fmax(worst, fabs(sharing.streams[stream_of[number[at]]].rate /
                                             messages[at].rate - 1));
    }
    CU_ASSERT(worst < 1e-9);
    sharing_free(&sharing);
}

static void test_rates(void)
{
    uint64_t seed = 1;
    for (int i = 0; i < (IS_SHORT ? 20 : 200); i++)
        rates_of_random_streams(&seed);
}

/* --- whole networks --- */

struct run {
    struct topology *topology;
    struct placement *placement;
    struct network_model *model;
    uint64_t process_bandwidth;
    uint32_t n;
    struct transit messages[MAX_MESSAGES];
    uint64_t sent[MAX_MESSAGES], left[MAX_MESSAGES], arrived[MAX_MESSAGES];
    struct transit_event parts[MAX_MESSAGES]; /* the arrivals */
};

/* `per` ranks on each machine. */
static void open_run(struct run *run, const char *spec, uint32_t per, uint64_t process_bandwidth)
{
    struct diagnostics diagnostics = {0};
    *run = (struct run){.topology = topology_read(spec, &diagnostics),
                        .process_bandwidth = process_bandwidth};
    CU_ASSERT_PTR_NOT_NULL_FATAL(run->topology);
    diagnostics_free(&diagnostics);
    const uint32_t n_ranks = run->topology->n_machines * per;
    uint32_t *machine = mem_alloc(n_ranks, sizeof *machine);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        machine[rank] = rank / per;
    run->placement = placement_of_machines(machine, n_ranks, "test");
    free(machine);
    const struct network_model_settings settings = {.topology = run->topology,
                                                    .placement = run->placement,
                                                    .process_bandwidth = process_bandwidth};
    run->model = simulate_flow(&settings);
}

static void close_run(struct run *run)
{
    run->model->methods->free(run->model);
    placement_free(run->placement);
    topology_free(run->topology);
}

static void add(struct run *run, uint32_t from, uint32_t to, uint64_t bytes, uint64_t time)
{
    const uint32_t *machine = run->placement->machine;
    CU_ASSERT_FATAL(run->n < MAX_MESSAGES);
    run->messages[run->n] = (struct transit){.id = run->n,
                                             .from = from,
                                             .to = to,
                                             .source = machine[from],
                                             .destination = machine[to],
                                             .network = NO_NETWORK,
                                             .bytes = bytes};
    run->sent[run->n++] = time;
}

static void take_events(struct run *run, struct transit_events *events)
{
    for (size_t i = 0; i < events->n; i++) {
        const struct transit_event *event = &events->items[i];
        if (event->kind == TRANSIT_LEFT) {
            CU_ASSERT_EQUAL(run->left[event->id], SIMULATE_NEVER);
            run->left[event->id] = event->time;
        } else {
            CU_ASSERT_NOT_EQUAL(run->left[event->id], SIMULATE_NEVER);
            CU_ASSERT_EQUAL(run->arrived[event->id], SIMULATE_NEVER);
            run->arrived[event->id] = event->time;
            run->parts[event->id] = *event;
        }
    }
    events->n = 0;
}

/* Sends everything at its time, which the model is either told of before or not, and plays to the
 * end. Messages are in the order of their times. Returns when the last one arrived. */
static uint64_t play(struct run *run, bool is_ahead)
{
    const struct network_model_methods *methods = run->model->methods;
    struct transit_events events = {0};
    uint64_t last = 0, next;
    char *why = NULL;
    memset(run->left, 0xff, sizeof run->left);
    memset(run->arrived, 0xff, sizeof run->arrived);
    for (uint32_t i = 0; i < run->n; i++) {
        while (!is_ahead && run->sent[i] > last) {
            next = methods->next(run->model);
            last = next < run->sent[i] ? next : run->sent[i];
            methods->advance(run->model, last, &events);
            take_events(run, &events);
        }
        CU_ASSERT(methods->send(run->model, &run->messages[i], run->sent[i]));
    }
    while ((next = methods->next(run->model)) != SIMULATE_NEVER) {
        CU_ASSERT(next >= last);
        methods->advance(run->model, last = next, &events);
        take_events(run, &events);
    }
    CU_ASSERT_EQUAL(methods->stuck(run->model, &why), 0);
    CU_ASSERT_PTR_NULL(why);
    free(events.items);
    for (uint32_t i = 0; i < run->n; i++)
        CU_ASSERT_NOT_EQUAL(run->arrived[i], SIMULATE_NEVER);
    return last;
}

/* The same in real numbers. Ports of ranks are links behind those of the topology. */
static void play_naively(const struct run *run, struct naive_message *messages)
{
    const struct topology *topology = run->topology;
    static double capacity[MAX_LINKS];
    struct hop *hops = mem_alloc(topology->max_hops, sizeof *hops);
    const uint32_t ports = topology->n_link_ids;
    double now = 0;
    CU_ASSERT_FATAL(ports + 2 * run->placement->n_ranks < MAX_LINKS);
    for (uint32_t i = 0; i < 2 * run->placement->n_ranks; i++)
        capacity[ports + i] = (double)run->process_bandwidth / 1e9;
    for (uint32_t i = 0; i < run->n; i++) {
        const struct transit *transit = &run->messages[i];
        const uint32_t n = topology_route(topology, transit->source, transit->destination, hops);
        messages[i] = (struct naive_message){.limit = INFINITY, .start = (double)run->sent[i],
                                             .bytes = (double)transit->bytes, .left_at = -1};
        for (uint32_t k = 0; k < n; k++) {
            const double rate = (double)topology_link_bandwidth(topology, hops[k].link) / 1e9;
            messages[i].latency += topology_link_latency(topology, hops[k].link);
            capacity[hops[k].link] = rate;
            if (topology_link_contends(topology, hops[k].link))
                messages[i].path[messages[i].n++] = hops[k].link;
            else
                messages[i].limit = fmin(messages[i].limit, rate);
        }
        if (run->process_bandwidth) {
            messages[i].path[messages[i].n++] = ports + transit->from;
            messages[i].path[messages[i].n++] = ports + run->placement->n_ranks + transit->to;
        }
    }
    for (uint32_t n_left = 0; n_left < run->n;) {
        double next = INFINITY;
        for (uint32_t i = 0; i < run->n; i++)
            messages[i].is_there = messages[i].left_at < 0 && messages[i].start <= now;
        naive_rates(messages, run->n, capacity);
        for (uint32_t i = 0; i < run->n; i++) {
            if (messages[i].is_there)
                next = fmin(next, now + messages[i].bytes / messages[i].rate);
            else if (messages[i].start > now)
                next = fmin(next, messages[i].start);
        }
        for (uint32_t i = 0; i < run->n; i++) {
            if (!messages[i].is_there)
                continue;
            messages[i].bytes -= messages[i].rate * (next - now);
            if (messages[i].bytes <= 1e-6) {
                messages[i].left_at = next;
                n_left++;
            }
        }
        now = next;
    }
    free(hops);
}

static const char *const networks[] = {
    "star:9",
    "fattree:3x3,up=1x2,bw=1GB/s:2GB/s,lat=100ns:300ns",
    "fattree:4x4,up=1x1",
    "torus:5x4",
    "torus:3x3x2,lat=0ns",
    "mesh:4x3,bw=100MB/s",
    "mesh:9",
    "full:6",
    "examples/clusters/plafrim1.txt",
    "tests/simgrid/platforms/zones.xml",
    "tests/simgrid/platforms/dragonfly-limiter.xml",
    "tests/simgrid/platforms/fattree-2-levels-limiter.xml",
    "tests/simgrid/platforms/flat-backbone.xml",
};

/* Random messages, some of a time, some of one pair of machines, some without data. */
static void random_messages(struct run *run, uint64_t *seed)
{
    const uint32_t n_ranks = run->placement->n_ranks < 40 ? run->placement->n_ranks : 40;
    const uint64_t sizes[] = {0, 1000000, 1000000, 250000, 3000000};
    uint64_t time = 0;
    for (int i = 0; i < 60; i++) {
        const uint32_t from = next_random(seed) % n_ranks, to = next_random(seed) % n_ranks;
        const uint32_t *machine = run->placement->machine;
        time += next_random(seed) % 3 ? 0 : next_random(seed) % 100000;
        if (machine[from] != machine[to])
            add(run, from, to, sizes[next_random(seed) % 5], time);
    }
}

static void compare_runs(struct run *run, struct run *ahead)
{
    static struct naive_message naive[MAX_MESSAGES];
    play(run, false);
    play(ahead, true);
    play_naively(run, naive);
    for (uint32_t i = 0; i < run->n; i++) {
        /* A ns for each message that left, at most. */
        CU_ASSERT(fabs((double)run->left[i] - naive[i].left_at) < run->n);
        CU_ASSERT_EQUAL(run->arrived[i], run->left[i] + naive[i].latency);
        CU_ASSERT_EQUAL(run->parts[i].latency, naive[i].latency);
        CU_ASSERT(run->parts[i].latency + run->parts[i].bandwidth <=
                  run->arrived[i] - run->sent[i]);
        CU_ASSERT_EQUAL(ahead->left[i], run->left[i]);
        CU_ASSERT_EQUAL(ahead->arrived[i], run->arrived[i]);
    }
}

static void test_networks(void)
{
    uint64_t seed = 12;
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t turn = 0; turn < (IS_SHORT ? 2 : 6); turn++) {
            const uint32_t per = 1 + turn % 3;
            const uint64_t process_bandwidth = turn % 2 ? UINT64_C(600000000) : 0;
            struct run run, ahead;
            open_run(&run, networks[i], per, process_bandwidth);
            open_run(&ahead, networks[i], per, process_bandwidth);
            random_messages(&run, &seed);
            memcpy(ahead.messages, run.messages, sizeof run.messages);
            memcpy(ahead.sent, run.sent, sizeof run.sent);
            ahead.n = run.n;
            compare_runs(&run, &ahead);
            close_run(&run);
            close_run(&ahead);
        }
}

/* --- closed forms --- */

/* On a ring of 9 a shift by i, 1 to 4, puts i messages on each link. */
static void test_shift(void)
{
    for (uint32_t i = 1; i <= 4; i++) {
        struct run run;
        open_run(&run, "torus:9,bw=1GB/s,lat=70ns", 1, 0);
        for (uint32_t rank = 0; rank < 9; rank++)
            add(&run, rank, (rank + i) % 9, 1000000, 0);
        CU_ASSERT_EQUAL(play(&run, false), i * (1000000 + 70));
        CU_ASSERT_EQUAL(run.parts[0].latency, 70 * i);
        CU_ASSERT_EQUAL(run.parts[0].bandwidth, 1000000);
        close_run(&run);
    }
}

/* All send to one: the port of the receiver is shared. The first to end speed the others up. */
static void test_incast(void)
{
    struct run run;
    open_run(&run, "star:8,bw=1GB/s,lat=10ns", 1, 0);
    for (uint32_t rank = 1; rank < 8; rank++)
        add(&run, rank, 0, rank * 1000, 0);
    play(&run, false);
    for (uint32_t rank = 1, time = 0; rank < 8; rank++) {
        time += (8 - rank) * 1000; /* 8 - rank are left to share it */
        CU_ASSERT_EQUAL(run.left[rank - 1], time);
        CU_ASSERT_EQUAL(run.arrived[rank - 1], time + 20);
    }
    close_run(&run);
}

/* The last of equal messages on equal links leaves after the largest load of a link times the bytes:
 * every message always has a part of its links as equal as on the fullest one. */
static void test_load(void)
{
    static const char *const specs[] = {"torus:6x5,bw=1GB/s,lat=0ns", "mesh:4x4x2,bw=1GB/s,lat=0ns",
                                        "fattree:4x4x2,up=1x2x1,bw=1GB/s,lat=0ns"};
    for (size_t s = 0; s < 3; s++) {
        struct run shape;
        open_run(&shape, specs[s], 1, 0);
        const uint32_t n = shape.topology->n_machines;
        struct link_loads loads = link_loads_new(shape.topology, false);
        struct hop *hops = mem_alloc(shape.topology->max_hops, sizeof *hops);
        for (uint32_t i = 1; i < n; i++) {
            struct run run;
            uint64_t most = 0;
            open_run(&run, specs[s], 1, 0);
            for (uint32_t rank = 0; rank < n; rank++) {
                const uint32_t n_hops = topology_route(run.topology, rank, (rank + i) % n, hops);
                const uint64_t load = link_loads_add(&loads, hops, n_hops, 1);
                add(&run, rank, (rank + i) % n, 100000, 0);
                most = load > most ? load : most;
            }
            CU_ASSERT_EQUAL(play(&run, false), most * 100000);
            link_loads_clear(&loads);
            close_run(&run);
        }
        link_loads_free(&loads);
        free(hops);
        close_run(&shape);
    }
}

/* Two ranks of a machine at 0.6 of its cable each: alone a message has the rate of its rank, both
 * together the cable. */
static void test_process(void)
{
    struct run run;
    open_run(&run, "star:4,bw=1GB/s,lat=0ns", 2, 600000000);
    add(&run, 0, 2, 600000, 0);
    add(&run, 1, 4, 600000, 2000000);
    add(&run, 0, 6, 600000, 2000000);
    play(&run, false);
    CU_ASSERT_EQUAL(run.left[0], 1000000);
    CU_ASSERT_EQUAL(run.left[1], 2000000 + 1200000);
    CU_ASSERT_EQUAL(run.left[2], 2000000 + 1200000);
    CU_ASSERT_EQUAL(run.parts[1].bandwidth, 1000000);
    close_run(&run);
}

/* A message that names its network takes it; one that has no route is not taken. */
static void test_networks_named(void)
{
    struct run run;
    open_run(&run, "examples/sumimoto2000/fig1.xml", 1, 0);
    const uint32_t n_networks = topology_n_networks(run.topology);
    uint32_t n_taken = 0;
    CU_ASSERT_FATAL(n_networks > 2);
    for (uint8_t network = 0; network < n_networks; network++) {
        struct transit message = {.id = n_taken, .to = 1, .destination = 1, .network = network,
                                  .bytes = 1000000};
        const bool is_joined = topology_is_joined(run.topology, network, 0, 1);
        CU_ASSERT_EQUAL(run.model->methods->send(run.model, &message, 0), is_joined);
        run.left[n_taken] = run.arrived[n_taken] = SIMULATE_NEVER;
        n_taken += is_joined;
    }
    CU_ASSERT_FATAL(n_taken > 1);
    struct transit_events events = {0};
    char *why;
    CU_ASSERT_EQUAL(run.model->methods->stuck(run.model, &why), n_taken);
    for (uint64_t next; (next = run.model->methods->next(run.model)) != SIMULATE_NEVER;)
        run.model->methods->advance(run.model, next, &events);
    take_events(&run, &events);
    for (uint32_t network = 1, id = 0; network < n_networks; network++) {
        if (!topology_is_joined(run.topology, network, 0, 1))
            continue;
        struct hop hops[MAX_PATH];
        topology_route_over(run.topology, network, 0, 1, hops);
        const double rate = (double)topology_link_bandwidth(run.topology, hops[0].link) / 1e9;
        CU_ASSERT_EQUAL(run.left[id], (uint64_t)ceil(1000000 / rate - 1e-3));
        id++;
    }
    free(events.items);
    close_run(&run);
}

/* --- schedules --- */

typedef struct network_model *make_model(const struct network_model_settings *settings);

static uint64_t time_of(make_model *make, const struct scene_spec *spec,
                        enum synchronisation synchronisation, uint64_t eager_limit)
{
    struct test_scene scene;
    struct played played;
    CU_ASSERT_FATAL(scene_open(&scene, spec));
    const struct player_settings settings = {.topology = scene.topology,
                                             .placement = scene.placement,
                                             .costs = {.memory_bandwidth = UINT64_MAX},
                                             .chunk_bytes = 100000,
                                             .eager_limit = eager_limit,
                                             .synchronisation = synchronisation,
                                             .order = SEND_QUEUE};
    const struct network_model_settings of_model = {
        .topology = scene.topology, .placement = scene.placement, .order = SEND_QUEUE};
    struct network_model *model = make(&of_model);
    player_run(scene.schedule, model, &settings, &played, &scene.diagnostics);
    CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
    const struct time_parts *parts = &played.parts;
    CU_ASSERT_EQUAL(played.time, parts->latency + parts->bandwidth + parts->waiting + parts->host +
                                     parts->local + parts->memory);
    const uint64_t time = played.time;
    played_free(&played);
    model->methods->free(model);
    scene_close(&scene);
    return time;
}

/* Takaue et al. 2010, section 3.1: on a square of odd side N both take N (N^2 - 1) / 3 messages'
 * times with one controller, if the steps are kept apart: by barriers, or by waiting for receivers. */
static void test_theory(void)
{
    static const char *const algorithms[] = {"alltoall/a2at", "alltoall/a2and"};
    for (uint64_t n = 3; n <= 7; n += 2)
        for (int kind = 0; kind < 4; kind++) {
            char topology[64];
            snprintf(topology, sizeof topology, "%s:%ux%u,bw=1GB/s,lat=0ns",
                     kind & 1 ? "torus" : "mesh", (unsigned)n, (unsigned)n);
            const struct scene_spec spec = {.algorithm = algorithms[kind / 2],
                                            .topology = topology};
            const uint64_t expected = 100000 * (n * (n * n - 1) / 3) + 1; /* its own: a ns in memory */
            CU_ASSERT_EQUAL(time_of(simulate_flow, &spec, SYNC_BARRIER, UINT64_MAX), expected);
            CU_ASSERT_EQUAL(time_of(simulate_flow, &spec, SYNC_LOCAL, 0), expected);
        }
}

/* If no link has two messages at a time, there is nothing to share: `asap` says the same. */
static void test_nothing_to_share(void)
{
    static const struct scene_spec specs[] = {
        {.algorithm = "alltoall/ring", .topology = "star:9,lat=70ns"},
        {.algorithm = "alltoall/ring", .topology = "star:9,lat=70ns,bw=3GB/s"},
        {.algorithm = "bcast/binomial", .topology = "star:13,lat=0ns"},
        {.algorithm = "allgather/ring", .topology = "torus:9,lat=10ns"},
        {.algorithm = "alltoall/pairwise", .topology = "star:8,lat=0ns"},
    };
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int barrier = 0; barrier < 2; barrier++) {
            const enum synchronisation synchronisation = barrier ? SYNC_BARRIER : SYNC_LOCAL;
            CU_ASSERT_EQUAL(time_of(simulate_flow, &specs[i], synchronisation, 0),
                            time_of(simulate_asap, &specs[i], synchronisation, 0));
        }
}

UNIT_PROGRAM(test_flow)
{
    CU_TestInfo tests[] = {
        {"rates of random streams are those of progressive filling", test_rates},
        {"random messages on networks against a simulation in real numbers", test_networks},
        {"a shift by i on a ring takes i times one link's time", test_shift},
        {"all send to one", test_incast},
        {"equal messages take the largest load of a link", test_load},
        {"a process has a rate of its own", test_process},
        {"several networks at once", test_networks_named},
        {"A2AT and A2AND take what theory says", test_theory},
        {"where nothing is shared, the same as asap", test_nothing_to_share},
        CU_TEST_INFO_NULL,
    };
    return run_suite("flow", tests);
}
