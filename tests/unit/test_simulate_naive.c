/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The player and the model `asap` against a second calculation of every operation's end, on all
 * algorithms. That one holds the whole schedule, pairs sends and receives by counting, computes
 * what a host or a message is given as soon as its beginning is known, and looks for what is to be
 * served next in a list of all that waits.
 */
#include "simulate/models.h"
#include "simulate/player.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_HOPS = 64 };
#define UNKNOWN UINT64_MAX

struct task { /* an operation */
    struct op op;
    uint64_t step, bytes;
    bool acts_alone;           /* the rank itself copies or combines, or packs: sets end with their step */
    uint32_t partner;          /* of a message: the other operation, by counting */
    uint64_t ready, posted;    /* of a send: its host is done; of a receive: posted; or UNKNOWN */
    uint64_t arrived;          /* of a receive: its message is at the host; or UNKNOWN */
    uint64_t end;              /* or UNKNOWN */
    bool is_requested;
    uint64_t head, tail, number; /* of a send on its way */
    uint32_t n_hops, at;
    struct hop hops[MAX_HOPS];
};

/* Kinds of wishes. The least is served first, in the order of these words. */
enum wish_kind {
    WISH_HOP, WISH_TAKE, WISH_ARRIVE, WISH_CROSSED, WISH_BEGIN, WISH_ENTER, WISH_SERVE, WISH_LOCAL
};
struct wish {
    uint64_t time;
    uint32_t class;            /* kinds of one class are served by what follows */
    uint64_t key, number;
    enum wish_kind kind;
    uint32_t task, rank;
};

struct naive {
    struct test_scene *scene;
    const struct player_settings *settings;
    struct task *tasks;
    uint32_t n;
    size_t capacity;
    uint32_t *first;           /* [3 * step + list] its first task */
    uint64_t n_steps;
    struct wish *wishes;
    size_t n_wishes, wish_capacity;
    uint64_t n_wished, n_entered;
    uint64_t *at_step, *host_free, *local_at; /* [rank] */
    uint64_t *memory, *inside;                /* [server] when they are free */
    uint64_t *port_out, *port_in;             /* [server * n_ports + port] the same */
    uint32_t n_ports;
    uint64_t *rank_out, *rank_in, *link;
    uint64_t time;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t lasts(uint64_t bytes, uint64_t bandwidth)
{
    return (bytes * 1000000000 + bandwidth - 1) / bandwidth;
}

static uint32_t server(const struct naive *naive, uint32_t rank)
{
    return naive->scene->placement->server[rank];
}

/* The rails by which a message leaves and arrives; 0, 0 where ranks have no adapters. */
static uint32_t rail(const struct naive *naive, const struct op *send, bool is_in)
{
    const struct rank_adapters *adapters = naive->scene->placement->adapters;
    if (!adapters)
        return 0;
    if (is_in || adapters->crosses_fabric)
        return adapters->rail[is_in ? send->peer : send->rank];
    /* of lacks-one.xml alone: host c takes its first rail in the place of the third */
    const uint32_t wanted = adapters->rail[send->peer];
    const bool lacks_it = adapters->instead && server(naive, send->rank) == 2 && wanted == 2;
    return lacks_it ? 0 : wanted;
}

static void wish(struct naive *naive, struct wish wish)
{
    naive->wishes = mem_grow(naive->wishes, &naive->wish_capacity, naive->n_wishes + 1,
                             sizeof *naive->wishes);
    naive->wishes[naive->n_wishes++] = wish;
}

/* ---- the schedule ---- */

static void add_list(struct naive *naive, const struct op *ops, size_t n, uint64_t step)
{
    naive->first = mem_resize(naive->first, (size_t)(++naive->n_steps), sizeof *naive->first);
    naive->first[naive->n_steps - 1] = naive->n;
    naive->tasks = mem_grow(naive->tasks, &naive->capacity, naive->n + n + 1, sizeof *naive->tasks);
    for (size_t i = 0; i < n; i++)
        naive->tasks[naive->n++] = (struct task){
            .op = ops[i], .step = step, .partner = UINT32_MAX, .ready = UNKNOWN, .posted = UNKNOWN,
            .bytes = ops[i].n_chunks * naive->settings->chunk_bytes,
            .acts_alone = ops[i].kind >= OP_REDUCE || scene_is_packed(naive->scene, &ops[i]),
            .arrived = UNKNOWN, .end = UNKNOWN};
}

/* The k-th send from a rank to another meets the k-th receive there. */
static void pair_up(struct naive *naive)
{
    for (uint32_t s = 0; s < naive->n; s++) {
        struct task *send = &naive->tasks[s];
        if (send->op.kind != OP_SEND)
            continue;
        for (uint32_t r = 0; r < naive->n && send->partner == UINT32_MAX; r++) {
            struct task *receive = &naive->tasks[r];
            if ((receive->op.kind != OP_RECV && receive->op.kind != OP_REDUCE) ||
                receive->partner != UINT32_MAX || receive->op.rank != send->op.peer ||
                receive->op.peer != send->op.rank)
                continue;
            send->partner = r;
            receive->partner = s;
        }
    }
}

/* The tasks of a list of a step. */
static uint32_t list_begin(const struct naive *naive, uint64_t step, uint32_t list)
{
    return naive->first[3 * step + list];
}

static void load(struct naive *naive)
{
    struct schedule *schedule = naive->scene->schedule;
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        add_list(naive, step.sends, step.n_sends, step.index);
        add_list(naive, step.receives, step.n_receives, step.index);
        add_list(naive, step.copies, step.n_copies, step.index);
    }
    add_list(naive, NULL, 0, 0);
    naive->n_steps = (naive->n_steps - 1) / 3;
    pair_up(naive);
}

static bool acts_in(const struct naive *naive, uint32_t rank, uint64_t step)
{
    for (uint32_t i = list_begin(naive, step, 0); i < list_begin(naive, step + 1, 0); i++)
        if (naive->tasks[i].op.rank == rank)
            return true;
    return false;
}

/* ---- ranks ---- */

static void want_local(struct naive *naive, uint32_t rank, uint64_t time)
{
    wish(naive, (struct wish){time, 4, rank, 0, WISH_LOCAL, 0, rank});
}

static void want_message(struct naive *naive, uint32_t number, uint64_t time)
{
    struct task *send = &naive->tasks[number];
    send->is_requested = true;
    wish(naive, (struct wish){time, 4, send->op.rank, number + 1, WISH_SERVE, number, 0});
}

/* If both ends are there, as far as they must be, the message leaves. */
static void offer(struct naive *naive, uint32_t number)
{
    const struct task *send = &naive->tasks[number], *receive = &naive->tasks[send->partner];
    const bool is_eager = send->bytes <= naive->settings->eager_limit;
    if (send->is_requested || send->ready == UNKNOWN || (!is_eager && receive->posted == UNKNOWN))
        return;
    want_message(naive, number, is_eager ? send->ready : later(send->ready, receive->posted));
}

static void next_turn(struct naive *naive, uint32_t rank, uint64_t time)
{
    uint64_t step = naive->at_step[rank] + 1;
    while (step < naive->n_steps && !acts_in(naive, rank, step))
        step++;
    naive->at_step[rank] = step;
    if (step < naive->n_steps && naive->settings->synchronisation != SYNC_BARRIER)
        wish(naive, (struct wish){time, 2, rank, 0, WISH_BEGIN, 0, rank});
}

/* With barriers: once no rank is in a step before, all that act in the next one begin it. */
static void begin_together(struct naive *naive, uint64_t time)
{
    uint64_t least = UNKNOWN;
    const uint32_t n_ranks = naive->scene->placement->n_ranks;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (naive->local_at[rank] != UNKNOWN)
            return;
        else if (naive->at_step[rank] < least)
            least = naive->at_step[rank];
    for (uint32_t rank = 0; rank < n_ranks && least < naive->n_steps; rank++)
        if (naive->at_step[rank] == least) {
            naive->local_at[rank] = 0;
            wish(naive, (struct wish){time, 2, rank, 0, WISH_BEGIN, 0, rank});
        }
}

/* The rank is in a turn as long as local_at says which local operation is its next. */
static void leave_turn(struct naive *naive, uint32_t rank, uint64_t time)
{
    naive->time = later(naive->time, time);
    naive->local_at[rank] = UNKNOWN;
    next_turn(naive, rank, time);
    if (naive->settings->synchronisation == SYNC_BARRIER)
        begin_together(naive, naive->time);
    else
        naive->local_at[rank] = 0;
}

/* The local operation number `at` of the turn: its copies, sends, then receives. */
static struct task *local_task(struct naive *naive, uint32_t rank, uint64_t at)
{
    const uint64_t step = naive->at_step[rank];
    for (uint32_t pass = 0; pass < 3; pass++) {
        const uint32_t list = (pass + 2) % 3, end = list_begin(naive, step + (list == 2), (list + 1) % 3);
        for (uint32_t i = list_begin(naive, step, list); i < end; i++) {
            struct task *task = &naive->tasks[i];
            if (task->op.rank == rank && task->acts_alone && at-- == 0)
                return task;
        }
    }
    return NULL;
}

/* True if the ends of all messages of the turn are known: *end is the last. */
static bool is_exchanged(const struct naive *naive, uint32_t rank, uint64_t *end)
{
    const uint64_t step = naive->at_step[rank];
    for (uint32_t i = list_begin(naive, step, 0); i < list_begin(naive, step, 2); i++) {
        if (naive->tasks[i].op.rank == rank && naive->tasks[i].end == UNKNOWN)
            return false;
        if (naive->tasks[i].op.rank == rank)
            *end = later(*end, naive->tasks[i].end);
    }
    return true;
}

static void check_turn(struct naive *naive, uint32_t rank, uint64_t begin)
{
    uint64_t end = begin;
    if (!is_exchanged(naive, rank, &end))
        return;
    if (local_task(naive, rank, naive->local_at[rank]))
        want_local(naive, rank, end);
    else
        leave_turn(naive, rank, end);
}

static void host_receives(struct naive *naive, struct task *receive, uint64_t time)
{
    uint64_t *host = &naive->host_free[receive->op.rank];
    *host = later(*host, time) + naive->settings->costs.overhead;
    receive->end = *host;
}

static void post(struct naive *naive, uint32_t rank, uint64_t time)
{
    const uint64_t step = naive->at_step[rank];
    for (uint32_t i = list_begin(naive, step, 1); i < list_begin(naive, step, 2); i++) {
        struct task *receive = &naive->tasks[i];
        if (receive->op.rank != rank)
            continue;
        receive->posted = time;
        if (receive->arrived != UNKNOWN)
            host_receives(naive, receive, time);
        else
            offer(naive, receive->partner);
    }
    for (uint32_t i = list_begin(naive, step, 0); i < list_begin(naive, step, 1); i++) {
        struct task *send = &naive->tasks[i];
        if (send->op.rank != rank)
            continue;
        uint64_t *host = &naive->host_free[rank];
        *host = later(*host, time) + naive->settings->costs.overhead;
        send->ready = *host;
        offer(naive, i);
    }
    check_turn(naive, rank, time);
}

/* True if it is done before messages are posted. */
static bool is_copy(const struct task *task)
{
    return task && (task->op.kind == OP_SEND || task->op.kind >= OP_COPY);
}

static void begin(struct naive *naive, uint32_t rank, uint64_t time)
{
    if (is_copy(local_task(naive, rank, 0)))
        want_local(naive, rank, time);
    else
        post(naive, rank, time);
}

static void serve_local(struct naive *naive, uint32_t rank, uint64_t time)
{
    struct task *task = local_task(naive, rank, naive->local_at[rank]);
    uint64_t *memory = &naive->memory[server(naive, rank)];
    *memory = later(*memory, time) + lasts(task->bytes, naive->settings->costs.memory_bandwidth);
    if (task->op.kind != OP_SEND)
        task->end = *memory;
    const bool is_last_copy = is_copy(task) &&
                              !is_copy(local_task(naive, rank, naive->local_at[rank] + 1));
    naive->local_at[rank]++;
    if (is_last_copy) /* then messages are posted */
        wish(naive, (struct wish){*memory, 3, rank, 0, WISH_BEGIN, 1, rank});
    else if (local_task(naive, rank, naive->local_at[rank]))
        want_local(naive, rank, *memory);
    else
        leave_turn(naive, rank, *memory);
}

/* ---- messages ---- */

static void finish_send(struct naive *naive, struct task *send, uint64_t time)
{
    send->end = time;
    check_turn(naive, send->op.rank, time);
}

static void arrive(struct naive *naive, struct task *send, uint64_t time)
{
    struct task *receive = &naive->tasks[send->partner];
    receive->arrived = time;
    if (receive->posted == UNKNOWN)
        return;
    host_receives(naive, receive, time);
    check_turn(naive, receive->op.rank, time);
}

/* Over something that is free at *free_at, or never busy. */
static uint64_t cross(struct task *send, uint64_t *free_at, uint64_t bandwidth, uint64_t latency)
{
    const uint64_t time = lasts(send->bytes, bandwidth);
    const uint64_t start = free_at ? later(*free_at, send->head) : send->head;
    if (free_at)
        *free_at = start + time;
    send->head = start + latency;
    send->tail = later(send->tail, start + time) + latency;
    return start;
}

static void come_to_end(struct naive *naive, uint32_t number)
{
    struct task *send = &naive->tasks[number];
    const uint64_t rate = naive->settings->costs.process_bandwidth;
    if (rate)
        cross(send, &naive->rank_in[send->op.peer], rate, 0);
    wish(naive, (struct wish){send->tail, 0, send->number * 3 + 2, 0, WISH_TAKE, number, 0});
}

static void hop(struct naive *naive, uint32_t number)
{
    struct task *send = &naive->tasks[number];
    const struct topology *topology = naive->scene->topology;
    if (send->at == send->n_hops) {
        come_to_end(naive, number);
        return;
    }
    const uint32_t link = send->hops[send->at++].link;
    const uint64_t latency = topology_link_latency(topology, link);
    cross(send, topology_link_contends(topology, link) ? &naive->link[link] : NULL,
          topology_link_bandwidth(topology, link), latency);
    const uint64_t left = send->tail - latency;
    if (send->at < send->n_hops || naive->settings->costs.process_bandwidth)
        wish(naive, (struct wish){send->head, 0, send->number * 3, 0, WISH_HOP, number, 0});
    else
        come_to_end(naive, number);
    if (send->at == 1)
        finish_send(naive, send, left);
}

static void enter(struct naive *naive, uint32_t number, uint64_t time)
{
    struct task *send = &naive->tasks[number];
    const uint32_t *machine = naive->scene->placement->machine;
    const uint64_t rate = naive->settings->costs.process_bandwidth;
    if (naive->scene->placement->adapters)
        send->n_hops = topology_route_way(
            naive->scene->topology,
            (uint8_t)(1 + rail(naive, &send->op, false) * 16 + rail(naive, &send->op, true)),
            machine[send->op.rank], machine[send->op.peer], send->hops);
    else
        send->n_hops = topology_route(naive->scene->topology, machine[send->op.rank],
                                      machine[send->op.peer], send->hops);
    send->head = send->tail = time;
    send->number = naive->n_entered++;
    if (rate)
        send->head = cross(send, &naive->rank_out[send->op.rank], rate, 0);
    if (send->head > time)
        wish(naive, (struct wish){send->head, 0, send->number * 3, 0, WISH_HOP, number, 0});
    else
        hop(naive, number);
}

/* When a message has gone its way inside of its machine, without the latency of that. */
static uint64_t go_inside(struct naive *naive, const struct task *send, uint64_t time)
{
    const struct host_costs *costs = &naive->settings->costs;
    const uint32_t from = server(naive, send->op.rank);
    const bool has_way = costs->inside_bandwidth > 0;
    uint64_t *way = has_way ? &naive->inside[from] : &naive->memory[from];
    const uint64_t rate = has_way ? costs->inside_bandwidth : costs->memory_bandwidth;
    *way = later(*way, time) + lasts(send->bytes, rate);
    return *way;
}

static void come_to_port(struct naive *naive, uint32_t number, uint64_t time)
{
    struct task *send = &naive->tasks[number];
    uint64_t *port =
        &naive->port_out[server(naive, send->op.rank) * naive->n_ports + rail(naive, &send->op, false)];
    const uint64_t start = later(*port, time);
    *port = start + naive->settings->costs.gap;
    if (start > time)
        wish(naive, (struct wish){start, 3, 0, naive->n_wished++, WISH_ENTER, number, 0});
    else
        enter(naive, number, time);
}

static void serve_message(struct naive *naive, uint32_t number, uint64_t time)
{
    struct task *send = &naive->tasks[number];
    const uint64_t latency = naive->settings->costs.memory_latency;
    const struct rank_adapters *adapters = naive->scene->placement->adapters;
    if (server(naive, send->op.rank) == server(naive, send->op.peer)) {
        const uint64_t end = go_inside(naive, send, time);
        wish(naive, (struct wish){end + latency, 1, 0, naive->n_wished++, WISH_ARRIVE, number, 0});
        finish_send(naive, send, end);
    } else if (adapters && adapters->rail[send->op.rank] != rail(naive, &send->op, false)) {
        const uint64_t end = go_inside(naive, send, time) + latency;
        const uint32_t class = end > time ? 1 : 5; /* at once: after who is served at this time */
        wish(naive, (struct wish){end, class, 0, naive->n_wished++, WISH_CROSSED, number, 0});
    } else {
        come_to_port(naive, number, time);
    }
}

static void grant(struct naive *naive, const struct wish *at)
{
    struct task *task = &naive->tasks[at->task];
    switch (at->kind) {
    case WISH_HOP: hop(naive, at->task); break;
    case WISH_TAKE: {
        uint64_t *port =
            &naive->port_in[server(naive, task->op.peer) * naive->n_ports + rail(naive, &task->op, true)];
        const uint64_t start = later(*port, at->time);
        *port = start + naive->settings->costs.gap;
        if (start > at->time)
            wish(naive, (struct wish){start, 1, 0, naive->n_wished++, WISH_ARRIVE, at->task, 0});
        else
            arrive(naive, task, start);
        break;
    }
    case WISH_ARRIVE: arrive(naive, task, at->time); break;
    case WISH_CROSSED: come_to_port(naive, at->task, at->time); break;
    case WISH_BEGIN:
        if (at->task)
            post(naive, at->rank, at->time);
        else
            begin(naive, at->rank, at->time);
        break;
    case WISH_ENTER: enter(naive, at->task, at->time); break;
    case WISH_SERVE: serve_message(naive, at->task, at->time); break;
    case WISH_LOCAL: serve_local(naive, at->rank, at->time); break;
    }
}

static bool is_before(const struct wish *a, const struct wish *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->class != b->class)
        return a->class < b->class;
    return a->key != b->key ? a->key < b->key : a->number < b->number;
}

static void run(struct naive *naive)
{
    const uint32_t n_ranks = naive->scene->placement->n_ranks;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        naive->at_step[rank] = UINT64_MAX;
        naive->local_at[rank] = UNKNOWN;
    }
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        next_turn(naive, rank, 0);
        if (naive->settings->synchronisation != SYNC_BARRIER)
            naive->local_at[rank] = 0;
    }
    if (naive->settings->synchronisation == SYNC_BARRIER)
        begin_together(naive, 0);
    while (naive->n_wishes) {
        size_t least = 0;
        for (size_t i = 1; i < naive->n_wishes; i++)
            if (is_before(&naive->wishes[i], &naive->wishes[least]))
                least = i;
        const struct wish first = naive->wishes[least];
        naive->wishes[least] = naive->wishes[--naive->n_wishes];
        grant(naive, &first);
    }
}

/* ---- both ---- */

struct comparison {
    struct naive *naive;
    uint64_t n, n_unequal;
};

static void compare_op(void *context, const struct played_op *op)
{
    struct comparison *comparison = context;
    const uint32_t list = op->kind == OP_SEND ? 0 : op->kind >= OP_COPY ? 2 : 1;
    const uint32_t task = list_begin(comparison->naive, op->step, list) + op->number;
    comparison->n++;
    comparison->n_unequal += comparison->naive->tasks[task].end != op->end ||
                             comparison->naive->tasks[task].op.rank != op->rank;
}

static void compare(struct test_scene *scene, const struct scene_spec *spec,
                    struct player_settings *settings)
{
    const uint32_t n_ranks = scene->placement->n_ranks;
    struct naive naive = {.scene = scene, .settings = settings};
    const struct rank_adapters *adapters = scene->placement->adapters;
    struct comparison comparison = {.naive = &naive};
    struct played played;
    load(&naive);
    naive.n_ports = adapters ? adapters->n_ports : 1;
    const size_t length = (size_t)n_ranks * naive.n_ports; /* enough for each array */
    uint64_t *numbers = mem_alloc(length * 9 + scene->topology->n_link_ids + 1, sizeof *numbers);
    uint64_t **arrays[] = {&naive.at_step,  &naive.host_free, &naive.local_at, &naive.memory,
                           &naive.port_out, &naive.port_in,   &naive.rank_out, &naive.rank_in,
                           &naive.inside};
    for (size_t i = 0; i < 9; i++)
        *arrays[i] = numbers + i * length;
    naive.link = numbers + 9 * length;
    run(&naive);
    settings->observe = compare_op;
    settings->context = &comparison;
    struct network_model *model = simulate_asap(&(struct network_model_settings){
        .topology = scene->topology,
        .placement = scene->placement,
        .process_bandwidth = settings->costs.process_bandwidth,
        .order = SEND_QUEUE});
    player_run(scene->schedule, model, settings, &played, &scene->diagnostics);
    model->methods->free(model);
    if (played.time != naive.time || comparison.n_unequal)
        printf("\n%s, mode %d: %llu, naive %llu; %llu of %llu ends differ\n",
               scene_label(scene, spec), settings->synchronisation,
               (unsigned long long)played.time, (unsigned long long)naive.time,
               (unsigned long long)comparison.n_unequal, (unsigned long long)comparison.n);
    CU_ASSERT_EQUAL(played.outcome, PLAYED_WHOLE);
    CU_ASSERT_EQUAL(played.time, naive.time);
    CU_ASSERT_EQUAL(comparison.n_unequal, 0);
    CU_ASSERT_EQUAL(comparison.n, naive.n);
    played_free(&played);
    free(numbers);
    free(naive.tasks);
    free(naive.first);
    free(naive.wishes);
}

static void check(const struct scene_spec *spec)
{
    static const struct host_costs costs[] = {
        {0, 0, UINT64_C(7000000000), 0, 0, 0},
        {130, 0, UINT64_C(3000000000), 40, 0, UINT64_C(5000000000)},
        {97, 211, UINT64_C(3000000000), 77, 0, 0},
        {0, 0, UINT64_C(1000000000), 77, 1300000000, 0},
        {35, 170, UINT64_C(1000000000), 0, 700000000, 300000000}};
    struct test_scene scene;
    if (scene_open(&scene, spec))
        for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
            for (int mode = 0; mode < 2; mode++) {
                struct player_settings settings = {
                    .topology = scene.topology,
                    .placement = scene.placement,
                    .costs = costs[i],
                    .chunk_bytes = 811,
                    .eager_limit = (i + (size_t)mode) % 2 ? 1000 : 0,
                    .order = SEND_QUEUE,
                    .synchronisation = mode ? SYNC_BARRIER : SYNC_LOCAL};
                compare(&scene, spec, &settings);
            }
    scene_close(&scene);
}

static void test_all(void)
{
    static const struct scene_spec places[] = {
        {.topology = "star:6,bw=2GB/s,lat=300ns"},
        {.topology = "star:4,bw=2GB/s,lat=170ns", .ranks_per_machine = 2},
        {.topology = "torus:3x3,bw=1GB/s,lat=100ns", .root = 4},
        {.topology = "mesh:2x3,bw=3GB/s:1GB/s,lat=70ns"},
        {.topology = "fattree:2x3,bw=1GB/s:2GB/s,lat=90ns", .ranks_per_machine = 1},
        {.topology = "full:5,bw=1GB/s,lat=30ns", .root = 2},
        {.topology = "star:8,bw=1500MB/s,lat=0ns", .n_ranks = 8},
        {.topology = "star:6,lat=11ns", .n_ranks = 11, .placement = "unequal", .root = 3},
        {.topology = "tests/data/rails/four-rails.txt", .n_ranks = 10, .ranks_per_machine = 3,
         .adapters = "slot"},
        {.topology = "tests/data/rails/four-rails.txt", .ranks_per_machine = 2, .adapters = "block",
         .between_rails = "fabric"},
        {.topology = "tests/data/rails/lacks-one.xml", .ranks_per_machine = 3, .adapters = "slot"}};
    char name[SCENE_NAME];
    for (size_t i = 0; i < scene_n_files(); i++)
        for (size_t k = IS_SHORT ? i % 5 : 0; k < sizeof places / sizeof *places;
             k += IS_SHORT ? 5 : 1) {
            struct scene_spec spec = places[k];
            spec.algorithm = scene_algorithm(i, name);
            if (spec.algorithm)
                check(&spec);
        }
}

UNIT_PROGRAM(test_simulate_naive)
{
    CU_TestInfo tests[] = {{"all algorithms, a second calculation", test_all}, CU_TEST_INFO_NULL};
    return run_suite("simulate_naive", tests);
}
