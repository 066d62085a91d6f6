/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The player on the model `asap`: times that can be told by hand.
 */
#include "compiler/language/language.h"
#include "simulate/models.h"
#include "simulate/player.h"
#include "simulate/timetable.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct host_costs free_hosts = {0, 0, UINT64_C(1000000000), 0, 0, 0};

/* Settings under which hosts cost nothing and a byte takes 1 ns in memory. */
static struct player_settings settings_of(const struct test_scene *scene, uint64_t chunk_bytes)
{
    return (struct player_settings){.topology = scene->topology,
                                    .placement = scene->placement,
                                    .costs = free_hosts,
                                    .chunk_bytes = chunk_bytes,
                                    .eager_limit = UINT64_MAX,
                                    .order = SEND_QUEUE};
}

static struct played play(struct test_scene *scene, const struct player_settings *settings)
{
    struct played played;
    struct network_model *model = simulate_asap(
        &(struct network_model_settings){.topology = scene->topology,
                                         .placement = scene->placement,
                                         .process_bandwidth = settings->costs.process_bandwidth,
                                         .order = settings->order,
                                         .seed = settings->seed});
    player_run(scene->schedule, model, settings, &played, &scene->diagnostics);
    model->methods->free(model);
    const struct time_parts *parts = &played.parts;
    CU_ASSERT_EQUAL(played.time, parts->latency + parts->bandwidth + parts->waiting + parts->host +
                                     parts->local + parts->memory);
    return played;
}

static void expect(const char *what, uint64_t number, uint64_t time, uint64_t expected)
{
    if (time != expected)
        printf("\n%s %llu: %llu, expected %llu\n", what, (unsigned long long)number,
               (unsigned long long)time, (unsigned long long)expected);
    CU_ASSERT_EQUAL(time, expected);
}

static void open_scene(struct test_scene *scene, const struct scene_spec *spec)
{
    const bool is_open = scene_open(scene, spec);
    if (!is_open)
        printf("\n%s does not open\n", scene_label(scene, spec));
    CU_ASSERT_FATAL(is_open);
}

/* ---- trees of a broadcast, in units of one message ---- */

/* Imamura 2009, figure 1, "Binary": a child is told one message after its parent, or two. */
static uint32_t binary_end(uint32_t rank, uint32_t n_ranks, uint32_t start)
{
    uint32_t end = start;
    for (uint32_t child = 1; child <= 2; child++)
        if (2 * rank + child < n_ranks) {
            const uint32_t below = binary_end(2 * rank + child, n_ranks, start + child);
            end = below > end ? below : end;
        }
    return end;
}

static uint64_t time_of(const char *algorithm, uint32_t n_ranks,
                        const struct player_settings *with)
{
    struct test_scene scene;
    char name[64];
    snprintf(name, sizeof name, "star:%u,bw=1GB/s,lat=0ns", n_ranks);
    open_scene(&scene, &(struct scene_spec){.algorithm = algorithm, .topology = name});
    struct player_settings settings = settings_of(&scene, 1000);
    if (with) {
        settings = *with;
        settings.topology = scene.topology;
        settings.placement = scene.placement;
    }
    struct played played = play(&scene, &settings);
    CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
    const uint64_t time = played.time;
    played_free(&played);
    scene_close(&scene);
    return time;
}

static void test_binary(void)
{
    static const enum synchronisation modes[] = {SYNC_LOCAL, SYNC_NONE};
    for (uint32_t p = 1; p <= 300; p++)
        for (size_t i = 0; i < 2; i++) {
            const struct player_settings settings = {.costs = free_hosts,
                                                     .chunk_bytes = 1000,
                                                     .eager_limit = p % 2 ? 1000 : 0,
                                                     .synchronisation = modes[i],
                                                     .order = i ? SEND_QUEUE : SEND_RANDOM};
            const uint64_t time =
                time_of("bcast/binary", p, &settings);
            expect("binary", p, time, UINT64_C(1000) * binary_end(0, p, 0));
            if (p >= 16 && p <= 32)
                expect("as the issue has it", p, time, p <= 22 ? 6000 : p <= 30 ? 7000 : 8000);
        }
}

/* With barriers the steps of the tree go by levels, as predict/ sums them. */
static void test_barrier(void)
{
    const struct player_settings settings = {.costs = free_hosts, .chunk_bytes = 1000,
                                             .synchronisation = SYNC_BARRIER};
    expect("barrier", 19, time_of("bcast/binary", 19, &settings), 8000);
    expect("barrier", 8, time_of("bcast/binary", 8, &settings), 5000);
    expect("barrier", 32, time_of("bcast/binary", 32, &settings), 9000);
}

/* ---- small programs ---- */

struct program_case {
    const char *name, *text, *topology;
    uint32_t ranks_per_machine;
    uint64_t chunk_bytes, time; /* that it takes */
    struct player_settings settings;
    struct time_parts parts;    /* checked where there are some */
};

static void open_text(struct test_scene *scene, const struct program_case *at)
{
    open_scene(scene, &(struct scene_spec){.algorithm = "bcast/linear",
                                           .topology = at->topology,
                                           .ranks_per_machine = at->ranks_per_machine});
    scene->schedule->destroy(scene->schedule);
    scene->schedule = schedule_read(
        source_of_text("test.sched", at->text, strlen(at->text), &scene->arena),
        &scene->diagnostics);
    if (!scene->schedule) {
        struct text text = {0};
        diagnostics_print(&scene->diagnostics, &text, false);
        printf("\n%s\n", text.data);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(scene->schedule);
}

#define HEAD(ranks) "collc-schedule 1\ncollective alltoall\nalgorithm test\nranks " ranks "\n"
#define STAR "star:4,bw=1GB/s,lat=100ns"

/* The second message of rank 0 waits for rank 2, which waits for rank 3. */
static const char late[] = HEAD("4")
    "step 0\n0 send in[1] to 1\n1 recv out[0] from 0\n0 recv out[2] from 2\n"
    "2 recv out[3] from 3\n3 send in[2] to 2\n"
    "step 1\n0 send in[1] to 1\n1 recv out[0] from 0\n2 send out[3] to 0\nend\n";
/* Rank 1 takes the message of rank 0 last. */
static const char taken_last[] = HEAD("4")
    "step 0\n0 send in[1] to 1\n2 recv out[3] from 3\n3 send in[2] to 2\n"
    "step 1\n1 recv out[2] from 2\n2 send out[3] to 1\nstep 2\n1 recv out[0] from 0\nend\n";
static const char two_sends[] = HEAD("4")
    "step 0\n0 send in[1] to 1\n0 send in[2] to 2\n1 recv out[0] from 0\n2 recv out[0] from 0\nend\n";
static const char into_one[] = HEAD("4")
    "step 0\n1 send in[0] to 0\n2 send in[0] to 0\n0 recv out[1] from 1\n0 recv out[2] from 2\nend\n";
static const char exchange[] = HEAD("4")
    "step 0\n0 send in[1] to 1\n0 recv out[1] from 1\n1 send in[0] to 0\n1 recv out[0] from 0\nend\n";
static const char both_send_first[] = HEAD("4")
    "step 0\n0 send in[1] to 1\n1 send in[0] to 0\n"
    "step 1\n0 recv out[1] from 1\n1 recv out[0] from 0\nend\n";
static const char both_receive_first[] = HEAD("4")
    "step 0\n0 recv out[1] from 1\n1 recv out[0] from 0\n"
    "step 1\n0 send in[1] to 1\n1 send in[0] to 0\nend\n";
static const char two_out[] = HEAD("4")
    "step 0\n0 send in[2] to 2\n1 send in[3] to 3\n2 recv out[0] from 0\n3 recv out[1] from 1\nend\n";

#define HOSTS(o, g) .settings = {.costs = {o, g, 1000000000, 30, 0, 0}, .eager_limit = UINT64_MAX}
#define MODE(mode, k) \
    .settings = {.costs = {0, 0, 1000000000, 0, 0, 0}, .eager_limit = UINT64_MAX, \
                 .synchronisation = mode, .window = k}

static const struct program_case cases[] = {
    {"a message", HEAD("4") "step 0\n0 send in[1] to 1\n1 recv out[0] from 0\nend\n", STAR, 1, 1000,
     1200, HOSTS(0, 0), {.latency = 200, .bandwidth = 1000}},
    {"a message to itself", HEAD("4") "step 0\n0 send in[0] to 0\n0 recv out[0] from 0\nend\n", STAR,
     1, 1000, 1130, HOSTS(50, 0), {.host = 100, .memory = 1030}},
    {"with o", HEAD("4") "step 0\n0 send in[1] to 1\n1 recv out[0] from 0\nend\n", STAR, 1, 1000,
     1300, HOSTS(50, 70), {.latency = 200, .bandwidth = 1000, .host = 100}},
    {"without data", HEAD("4") "step 0\n0 send to 1\n1 recv from 0\nend\n", STAR, 1, 1000, 300,
     HOSTS(50, 0), {.latency = 200, .host = 100}},
    {"two messages of a rank", two_sends, STAR, 1, 1000, 2300, HOSTS(50, 0),
     {.latency = 200, .bandwidth = 1000, .waiting = 950, .host = 150}},
    {"two messages, g", two_sends, STAR, 1, 1000, 3300, HOSTS(50, 2000),
     {.latency = 200, .bandwidth = 1000, .host = 2100}},
    {"two messages to a rank", into_one, STAR, 1, 1000, 2200, HOSTS(0, 0),
     {.latency = 200, .bandwidth = 1000, .waiting = 1000}},
    {"two messages to a rank, g", into_one, STAR, 1, 1000, 4200, HOSTS(0, 3000),
     {.latency = 200, .bandwidth = 1000, .waiting = 1000, .host = 2000}},
    {"two messages in memory", exchange, "star:2,bw=1GB/s,lat=100ns", 2, 1000, 2030, HOSTS(0, 500),
     {.waiting = 1000, .memory = 1030}},
    {"eager", taken_last, STAR, 1, 1000, 2400, HOSTS(0, 0), {.latency = 400, .bandwidth = 2000}},
    {"rendezvous", taken_last, STAR, 1, 1000, 3600,
     .settings = {.costs = {0, 0, 1000000000, 0, 0, 0}, .eager_limit = 999},
     .parts = {.latency = 600, .bandwidth = 3000}},
    {"as long as eager goes", taken_last, STAR, 1, 1000, 2400,
     .settings = {.costs = {0, 0, 1000000000, 0, 0, 0}, .eager_limit = 1000}},
    {"copies, then a send", HEAD("4") "step 0\n0 copy in[0] to out[0]\n0 copy in[1] to out[1]\n"
     "0 send out[1] to 1\n1 recv out[0] from 0\nend\n", STAR, 1, 1000, 3200, HOSTS(0, 0),
     {.latency = 200, .bandwidth = 1000, .local = 2000}},
    {"copies of two ranks", HEAD("4") "step 0\n0 copy in[0] to out[0]\n1 copy in[1] to out[1]\nend\n",
     "star:2", 2, 1000, 2000, HOSTS(0, 0), {.waiting = 1000, .local = 1000}},
    {"a slow process", HEAD("4") "step 0\n0 send in[1] to 1\n1 recv out[0] from 0\nend\n", STAR, 1,
     1000, 2200, .settings = {.costs = {0, 0, 1000000000, 0, 500000000, 0}},
     .parts = {.latency = 200, .bandwidth = 2000}},
    {"two processes fill the cable", two_out, STAR, 2, 1000, 3200,
     .settings = {.costs = {0, 0, 1000000000, 0, 500000000, 0}, .order = SEND_QUEUE},
     .parts = {.latency = 200, .bandwidth = 2000, .waiting = 1000}},
    {"each waits for its step", late, STAR, 1, 1000, 3600, MODE(SYNC_LOCAL, 0), {0}},
    {"sends go ahead", late, STAR, 1, 1000, 2400, MODE(SYNC_NONE, 0), {0}},
    {"a window of one", late, STAR, 1, 1000, 3600, MODE(SYNC_LOCAL, 1), {0}},
    {"one send at once", late, STAR, 1, 1000, 2400, MODE(SYNC_NONE, 1), {0}},
    {"a window of two", late, STAR, 1, 1000, 2400, MODE(SYNC_LOCAL, 2), {0}},
    {"both send first", both_send_first, STAR, 1, 1000, 1200, HOSTS(0, 0), {0}},
};

static void check_case(const struct program_case *at)
{
    struct test_scene scene;
    open_text(&scene, at);
    struct player_settings settings = at->settings;
    settings.topology = scene.topology;
    settings.placement = scene.placement;
    settings.chunk_bytes = at->chunk_bytes;
    struct played played = play(&scene, &settings);
    CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
    expect(at->name, 0, played.time, at->time);
    const struct time_parts none = {0};
    const bool is_equal = memcmp(&played.parts, &at->parts, sizeof none) == 0;
    if (memcmp(&at->parts, &none, sizeof none) != 0) {
        if (!is_equal)
            printf("\n%s: latency %llu bandwidth %llu waiting %llu host %llu local %llu memory %llu\n",
                   at->name, (unsigned long long)played.parts.latency,
                   (unsigned long long)played.parts.bandwidth,
                   (unsigned long long)played.parts.waiting, (unsigned long long)played.parts.host,
                   (unsigned long long)played.parts.local, (unsigned long long)played.parts.memory);
        CU_ASSERT(is_equal);
    }
    played_free(&played);
    scene_close(&scene);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i]);
}

/* ---- what does not end ---- */

static void check_end(const struct program_case *at, enum played_outcome outcome,
                      const char *problem, void (*change)(struct player_settings *settings))
{
    struct test_scene scene;
    open_text(&scene, at);
    struct player_settings settings = settings_of(&scene, 1000);
    settings.eager_limit = at->settings.eager_limit;
    if (change)
        change(&settings);
    struct played played = play(&scene, &settings);
    CU_ASSERT_EQUAL(played.outcome, outcome);
    const bool is_said = played.problem && strcmp(played.problem, problem) == 0;
    if (!is_said)
        printf("\n%s: '%s'\n", at->name, played.problem ? played.problem : "");
    CU_ASSERT(is_said);
    played_free(&played);
    scene_close(&scene);
}

static void shorten(struct player_settings *settings)
{
    settings->max_time = 1200;
}

static void allow_none_ahead(struct player_settings *settings)
{
    settings->max_ahead = 4;
}

static void wait_for_all(struct player_settings *settings)
{
    settings->synchronisation = SYNC_BARRIER;
}

static void test_ends(void)
{
    const struct player_settings eager = {.eager_limit = UINT64_MAX}, meet = {.eager_limit = 10};
    check_end(&(struct program_case){"a deadlock", both_receive_first, STAR, 1, .settings = eager},
              PLAYED_STUCK,
              "ranks wait for each other: rank 0 in step 0 waits to receive from rank 1; rank 1 in "
              "step 0 waits to receive from rank 0", NULL);
    check_end(&(struct program_case){"rendezvous", both_send_first, STAR, 1, .settings = meet},
              PLAYED_STUCK,
              "ranks wait for each other: rank 0 in step 0 waits to send to rank 1; rank 1 in step 0 "
              "waits to send to rank 0", NULL);
    check_end(&(struct program_case){"nobody sends",
                                     HEAD("4") "step 0\n2 recv out[0] from 3\n0 recv out[2] from 2\n"
                                               "step 1\n2 send in[0] to 0\nend\n",
                                     STAR, 1, .settings = eager},
              PLAYED_STUCK,
              "rank 0 in step 0 waits to receive from rank 2; rank 2 in step 0 waits to receive from "
              "rank 3, which has ended", NULL);
    check_end(&(struct program_case){"a barrier", late, STAR, 1, .settings = eager}, PLAYED_STUCK,
              "rank 0 in step 0 waits to receive from rank 2, which waits for all to end the step",
              wait_for_all);
    check_end(&(struct program_case){"too long", exchange, STAR, 1, .settings = eager},
              PLAYED_BROKEN, "it takes longer than the limit of time", shorten);
    check_end(&(struct program_case){"too far ahead", late, STAR, 1, .settings = eager},
              PLAYED_BROKEN,
              "some ranks are far ahead of others: more than 4 operations wait to be simulated; take "
              "fewer ranks or smaller steps", allow_none_ahead);
}

/* ---- all algorithms ---- */

/* Whatever ranks wait for, parts sum to the time, nothing is left, and equal seeds give equal times. */
static void check_algorithm(const char *name, const char *topology, uint32_t per_machine)
{
    static const struct host_costs costs = {130, 70, UINT64_C(3000000000), 40, UINT64_C(1500000000), 0};
    static const enum synchronisation modes[] = {SYNC_LOCAL, SYNC_BARRIER, SYNC_NONE};
    struct test_scene scene;
    if (scene_open(&scene, &(struct scene_spec){.algorithm = name, .topology = topology,
                                                .ranks_per_machine = per_machine}))
        for (uint32_t i = 0; i < 12; i++) {
            struct player_settings settings = settings_of(&scene, 700);
            settings.costs = costs;
            settings.eager_limit = i % 2 ? 699 : 700;
            settings.synchronisation = modes[i % 3];
            settings.order = i % 4 == 0 ? SEND_QUEUE : SEND_RANDOM;
            settings.window = i >= 6 ? i - 5 : 0;
            settings.seed = i;
            struct played played = play(&scene, &settings), again = play(&scene, &settings);
            if (played.outcome != PLAYED_WHOLE)
                printf("\n%s on %s: %s\n", name, topology, played.problem);
            CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
            CU_ASSERT_EQUAL(played.time, again.time);
            CU_ASSERT(played.longest.time <= played.time);
            played_free(&played);
            played_free(&again);
        }
    scene_close(&scene);
}

static void test_algorithms(void)
{
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        if (scene_algorithm(i, name)) {
            check_algorithm(name, "star:4,bw=2GB/s,lat=300ns", 3);
            check_algorithm(name, "torus:3x3,bw=1GB/s,lat=100ns", 1);
            check_algorithm(name, "mesh:5,lat=0ns", 1);
            check_algorithm(name, "fattree:2x4,bw=1GB/s:2GB/s", 2);
        }
}

/* ---- the timetable ---- */

enum { MAX_MOMENTS = 4000 };

/* The timetable gives the least of its entries, by time and then by number. A list that is searched
 * each time knows which one that is. `spread`: how far apart times are. */
static void check_timetable(uint64_t spread, uint64_t start)
{
    struct timetable table = {0};
    struct moment there[MAX_MOMENTS];
    size_t n = 0, n_wrong = 0;
    uint64_t now = start, number = 0, drawn = spread;
    for (int round = 0; round < MAX_MOMENTS; round++) {
        drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (uint64_t k = drawn >> 62; k && number < MAX_MOMENTS; k--, number++) {
            const struct moment moment = {now + (drawn >> 20) % spread * (k - 1), number * 7919 % 4001, 0,
                                          (uint32_t)number};
            timetable_add(&table, moment);
            there[n++] = moment;
        }
        size_t least = 0;
        for (size_t i = 1; i < n; i++)
            if (there[i].time != there[least].time ? there[i].time < there[least].time
                                                   : there[i].number < there[least].number)
                least = i;
        n_wrong += timetable_next(&table) != (n ? there[least].time : UINT64_MAX);
        if (!n || (drawn >> 40) % 3 == 0) /* the next time is asked for, and more is added before it */
            continue;
        const struct moment taken = timetable_take(&table);
        n_wrong += taken.what != there[least].what || taken.time != there[least].time;
        now = taken.time;
        there[least] = there[--n];
    }
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(number > 1000);
    timetable_free(&table);
}

static void test_timetable(void)
{
    static const uint64_t spreads[] = {1, 2, 3, 10, 1000, 1000003, UINT64_C(1) << 43};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
        check_timetable(spreads[i], 0);
        check_timetable(spreads[i], UINT64_C(1) << 61);
    }
}

UNIT_PROGRAM(test_simulate)
{
    CU_TestInfo tests[] = {{"moments come in order", test_timetable},
                           {"binary tree, by hand", test_binary},
                           {"the same with barriers", test_barrier},
                           {"small schedules, by hand", test_cases},
                           {"deadlocks and limits", test_ends},
                           {"every algorithm ends", test_algorithms},
                           CU_TEST_INFO_NULL};
    return run_suite("simulate", tests);
}
