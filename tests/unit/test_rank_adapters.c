/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks with adapters of their own, on random networks whose machines have several cables, with and without
 * forwarding tables: what is found by steps beside a tracer that goes from port to port. It knows cables and
 * nothing of routes: it measures distances of switches by itself, and reads the tables by itself.
 */
#include "network/placement/placement_make.h"
#include "base/codes.h"
#include "network/restrict.h"
#include "predict/predict.h"
#include "study/lower_bound.h"
#include "study/near_adapters.h"
#include "study/simulation.h"
#include "tests/unit/agree.h"
#include "tests/unit/oplist.h"
#include "tests/unit/random_network.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEST_RANKS = 24, MAX_TEST_STEPS = 4, MAX_NODES = 64, MAX_LINKS = 512, MAX_TEST_HOPS = 16 };

/* ---- the tracer ---- */

struct tracer {
    const struct graph *graph;
    uint32_t names[MAX_NODES];      /* [machine] mask of the names of its adapters; 0: they have none */
    uint8_t rail[MAX_LINKS];        /* [link that leaves a machine] */
    bool has_tables;
    bool is_failed[MAX_LINKS];      /* cables of machines may have failed */
    uint8_t table[MAX_NODES][1024]; /* [switch][LID] port, 0: none */
    uint16_t lid[MAX_LINKS];        /* [link that leaves a machine] */
};

/* Numbers of names, in their order. */
static const uint32_t name_numbers[] = {0, 1, 2, 9, 10, 11};
enum { N_NAMES = sizeof name_numbers / sizeof *name_numbers };

/* Returns the names that decide the numbers on a machine: its own, or those with more that at least as many
 * machines have, and two, the most frequent. */
static uint32_t trace_reference(const struct tracer *tracer, uint32_t names)
{
    uint32_t n_own = 0, most = 1, best = names;
    for (uint32_t i = 0; i < tracer->graph->n_machines; i++)
        n_own += tracer->names[i] == names;
    for (uint32_t i = 0; i < tracer->graph->n_machines; i++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < tracer->graph->n_machines; k++)
            n += tracer->names[k] == tracer->names[i];
        if ((tracer->names[i] & names) == names && n >= n_own && n > most) {
            most = n;
            best = tracer->names[i];
        }
    }
    return best;
}

/* Names of adapters: none, in the order of links, in any order, or any of more. */
enum naming { UNNAMED, IN_ORDER, PERMUTED, ANY_NAMES, N_NAMINGS };

static void name_some(struct tracer *tracer, struct graph *graph, enum naming naming)
{
    for (uint32_t machine = 0; machine < graph->n_machines && naming != UNNAMED; machine++) {
        const uint32_t first = graph->first[machine], n = graph->first[machine + 1] - first;
        const uint32_t n_names = naming == ANY_NAMES ? N_NAMES : n;
        for (uint32_t i = first; i < first + n; i++) {
            uint32_t name = naming == IN_ORDER ? i - first : random_number_below(n_names);
            char word[16];
            while (tracer->names[machine] >> name & 1)
                name = (name + 1) % n_names;
            const int length = snprintf(word, sizeof word, "mlx5_%u", name_numbers[name]);
            graph_name_adapter(graph, graph->out[i], word, (size_t)length);
            tracer->names[machine] |= 1U << name;
            tracer->rail[graph->out[i]] = (uint8_t)name;
        }
    }
}

/* Numbers the cables of machines: in the order of links, or of names. */
static void trace_numbers(struct tracer *tracer)
{
    const struct graph *graph = tracer->graph;
    for (uint32_t machine = 0; machine < graph->n_machines; machine++) {
        const uint32_t reference = trace_reference(tracer, tracer->names[machine]);
        for (uint32_t i = graph->first[machine]; i < graph->first[machine + 1]; i++) {
            uint8_t *rail = &tracer->rail[graph->out[i]];
            const uint32_t before = reference & ((1U << *rail) - 1);
            *rail = (uint8_t)(reference ? (uint32_t)__builtin_popcount(before) : i - graph->first[machine]);
        }
    }
}

/* Returns the cable number `rail` of a machine. */
static uint32_t trace_cable(const struct tracer *tracer, uint32_t machine, uint32_t rail)
{
    for (uint32_t link = 0; link < 2 * tracer->graph->n_cables; link++)
        if (graph_link_from(tracer->graph, link) == machine && tracer->rail[link] == rail)
            return link;
    return GRAPH_NONE;
}

/* Distances of switches from the one at which a message is to leave the fabric, by repeated relaxation. */
static void trace_distances(const struct graph *graph, uint32_t last, uint32_t *distance)
{
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        distance[node] = 1000;
    distance[last] = 0;
    for (uint32_t round = 0; round < graph->n_nodes; round++)
        for (uint32_t link = 0; link < 2 * graph->n_cables; link++) {
            const uint32_t from = graph_link_from(graph, link), to = graph_link_to(graph, link);
            if (from >= graph->n_machines && to >= graph->n_machines && distance[to] + 1 < distance[from])
                distance[from] = distance[to] + 1;
        }
}

/* The cable number `rail` of a machine, or the next one that it has and that has not failed. */
static uint32_t trace_next_rail(const struct tracer *tracer, uint32_t machine, uint32_t rail)
{
    for (uint32_t i = 0; i < 16; i++, rail = (rail + 1) % 16) {
        const uint32_t link = trace_cable(tracer, machine, rail);
        if (link != GRAPH_NONE && !tracer->is_failed[link])
            return rail;
    }
    return GRAPH_NONE;
}

/* Returns, of the n links that lead nearer, number destination mod n. */
static uint32_t trace_nearer(const struct graph *graph, const uint32_t *distance, uint32_t node,
                             uint32_t destination)
{
    uint32_t nearer[MAX_LINKS], n = 0;
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        if (graph_link_from(graph, link) == node && graph_link_to(graph, link) >= graph->n_machines &&
            distance[graph_link_to(graph, link)] + 1 == distance[node])
            nearer[n++] = link;
    return n ? nearer[destination % n] : GRAPH_NONE;
}

static uint32_t trace_by_table(const struct tracer *tracer, uint32_t node, uint32_t lid)
{
    const struct graph *graph = tracer->graph;
    for (uint32_t link = 0; link < 2 * graph->n_cables; link++)
        if (graph_link_from(graph, link) == node && tracer->table[node][lid] &&
            graph->subnet->numbers[link] == tracer->table[node][lid])
            return link;
    return GRAPH_NONE;
}

/* Returns the number of links from a cable of one machine to that of another; 0: it does not arrive. */
static uint32_t trace(const struct tracer *tracer, uint32_t first, uint32_t last, uint32_t *links)
{
    const struct graph *graph = tracer->graph;
    const uint32_t destination = graph_link_from(graph, last), leaf = graph_link_to(graph, last);
    uint32_t distance[MAX_NODES], n = 0, link = first;
    trace_distances(graph, leaf, distance);
    while (link != GRAPH_NONE && n < MAX_TEST_HOPS) {
        const uint32_t node = graph_link_to(graph, link);
        links[n++] = link;
        if (tracer->is_failed[link])
            return 0;
        if (node < graph->n_machines)
            return link == (last ^ 1) ? n : 0;
        if (tracer->has_tables)
            link = trace_by_table(tracer, node, tracer->lid[last]);
        else
            link = node == leaf ? last ^ 1 : trace_nearer(graph, distance, node, destination);
    }
    return 0;
}

/* Messages of a step on cables. */
struct traced {
    uint32_t load[MAX_LINKS], first_source[MAX_LINKS]; /* server + 1 */
    bool is_from[MAX_LINKS][MAX_LINKS];                /* [last link][first link] */
    uint32_t most, fan_in;
    bool is_shared;
};

static void trace_message(struct traced *traced, const uint32_t *links, uint32_t n, uint32_t source)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t load = ++traced->load[links[i]];
        traced->most = load > traced->most ? load : traced->most;
        traced->is_shared |= traced->first_source[links[i]] && traced->first_source[links[i]] != source + 1;
        traced->first_source[links[i]] = source + 1;
    }
    uint32_t fan_in = 0;
    traced->is_from[links[n - 1]][links[0]] = true;
    for (uint32_t link = 0; link < MAX_LINKS; link++)
        fan_in += traced->is_from[links[n - 1]][link];
    traced->fan_in = fan_in > traced->fan_in ? fan_in : traced->fan_in;
}

/* ---- random scenes ---- */

/* Gives each port a LID of its own, and tables along shortest paths, of equal links any. */
static void make_tables(struct tracer *tracer, struct graph *graph, struct forwarding **forwarding)
{
    uint32_t distance[MAX_NODES];
    memset(tracer->table, 0, sizeof tracer->table);
    for (uint32_t i = 0; i < graph->subnet->n_ports; i++)
        graph->subnet->ports[i].lid = tracer->lid[graph->subnet->ports[i].link] = (uint16_t)(i + 7);
    *forwarding = forwarding_new(graph);
    for (uint32_t i = 0; i < graph->subnet->n_ports; i++) {
        const uint32_t last = graph->subnet->ports[i].link, leaf = graph_link_to(graph, last);
        if (random_number_below(40) == 0)
            continue; /* no entries: messages to it do not arrive */
        trace_distances(graph, leaf, distance);
        for (uint32_t node = graph->n_machines; node < graph->n_nodes; node++) {
            const uint32_t link =
                node == leaf ? last ^ 1 : trace_nearer(graph, distance, node, random_number_below(100));
            if (link == GRAPH_NONE)
                continue;
            tracer->table[node][i + 7] = graph->subnet->numbers[link];
            (*forwarding)->has_table[node - graph->n_machines] = true;
            forwarding_set(*forwarding, node - graph->n_machines, i + 7, graph->subnet->numbers[link]);
        }
    }
}

/* Which adapters ranks use. */
enum rail_rule { BY_SLOT, BY_BLOCK, BY_STRIPE };
static const char *const rule_names[] = {"slot", "block", "stripe"};

/* Returns a random placement; NULL: a host has no cable left. */
static struct placement *random_scene(const struct topology *topology, enum rail_rule rule,
                                      const char *between, struct diagnostics *diagnostics)
{
    uint32_t machine[MAX_TEST_RANKS], rank = 0;
    const uint32_t n_ranks = 2 + random_number_below(MAX_TEST_RANKS - 1);
    const struct placement_request request = {.adapters = rule_names[rule], .between_rails = between};
    while (rank < n_ranks)
        machine[rank++] = random_number_below(topology->n_machines);
    struct placement *placement = placement_of_machines(machine, n_ranks, "random");
    if (placement_use_adapters(placement, topology, &request, diagnostics))
        return placement;
    placement_free(placement);
    return NULL;
}

struct tally {
    uint64_t n_instead, n_wrong, n_messages, n_contended, n_unrouted, n_between, n_refused, n_stripes;
};

/* The rail of a rank by the rule, told anew: slots are numbered by hand. */
static uint32_t expected_rail(const struct tracer *tracer, const struct placement *placement, uint32_t rank,
                              bool is_block)
{
    const uint32_t machine = placement->machine[rank];
    uint32_t slot = 0, slots = 0, n = 16;
    while (trace_cable(tracer, machine, n - 1) == GRAPH_NONE)
        n--;
    for (uint32_t other = 0; other < placement->n_ranks; other++) {
        slot += other < rank && placement->machine[other] == machine;
        slots += placement->machine[other] == machine;
    }
    return trace_next_rail(tracer, machine, is_block ? slot * n / slots : slot % n);
}

/* True if a machine with ranks has a cable of that number. */
static bool has_rail(const struct tracer *tracer, const struct placement *placement, uint32_t rail)
{
    bool is_there = false;
    for (uint32_t rank = 0; rank < placement->n_ranks && !is_there; rank++)
        is_there = trace_next_rail(tracer, placement->machine[rank], rail) == rail;
    return is_there;
}

/* Traces a message of a step by its rails, or each of its stripes by a rail of its own; returns whether all
 * arrive. */
static bool trace_stripes(const struct tracer *tracer, const struct placement *placement, uint32_t from,
                          uint32_t to, enum rail_rule rule, bool by_fabric, struct traced *traced,
                          struct tally *tally)
{
    const uint32_t source = placement->machine[from], destination = placement->machine[to];
    uint32_t links[MAX_TEST_HOPS + 1], n_stripes = 0;
    bool is_there = true;
    for (uint32_t stripe = 0; stripe < (rule == BY_STRIPE ? 16 : 1); stripe++) {
        uint32_t in = trace_next_rail(tracer, destination, stripe), own = stripe;
        if (rule == BY_STRIPE && !has_rail(tracer, placement, stripe))
            continue;
        if (rule != BY_STRIPE) {
            in = expected_rail(tracer, placement, to, rule == BY_BLOCK);
            own = by_fabric ? expected_rail(tracer, placement, from, rule == BY_BLOCK) : in;
        }
        own = trace_next_rail(tracer, source, own);
        n_stripes++;
        tally->n_instead += own != (rule == BY_STRIPE ? stripe : own);
        const uint32_t first = trace_cable(tracer, source, own);
        const uint32_t last = trace_cable(tracer, destination, in);
        const uint32_t n_links = trace(tracer, first, last, links);
        tally->n_between += own != in;
        is_there &= n_links > 0;
        if (n_links)
            trace_message(traced, links, n_links, placement->server[from]);
    }
    tally->n_stripes += n_stripes - 1;
    return is_there;
}

/* The busiest link of all steps, in units of the model `step`, is that of the tracer. */
static bool has_traced_total(struct schedule *schedule, const struct topology *topology,
                             const struct placement *placement, uint32_t most, uint32_t n_stripes)
{
    struct diagnostics diagnostics = {0};
    struct predict_loads loads;
    uint32_t found = 0;
    bool is_right = predict_gather(schedule, topology, placement, &loads, &diagnostics);
    for (size_t i = 0; i < loads.n; i++) {
        const struct transfer *link = &loads.loads[i].link;
        found = link->chunks > found ? (uint32_t)link->chunks : found;
        is_right &= !link->chunks || link->bandwidth == 1000 * (uint64_t)n_stripes;
    }
    predict_loads_free(&loads);
    diagnostics_free(&diagnostics);
    return is_right && found == most;
}

/* Sends random messages and compares. */
static void compare_scene(const struct tracer *tracer, const struct topology *topology, enum rail_rule rule,
                          bool by_fabric, struct tally *tally)
{
    struct diagnostics diagnostics = {0};
    struct placement *placement =
        random_scene(topology, rule, by_fabric ? "fabric" : "host", &diagnostics);
    tally->n_refused += !placement;
    tally->n_wrong += !placement && !diagnostics_has_errors(&diagnostics);
    diagnostics_free(&diagnostics);
    if (!placement)
        return;
    struct oplist list = {.header = {.collective = COLLECTIVE_allgather, .algorithm = "random",
                                     .n_ranks = placement->n_ranks, .segments = 1, .n_tmp = 4}};
    uint32_t most = 0, fan_in = 0, n_contended = 0, n_unrouted = 0;
    for (uint64_t step = 0; step < MAX_TEST_STEPS; step++) {
        struct traced *traced = mem_alloc(1, sizeof *traced);
        for (uint32_t n = random_number_below(2 * placement->n_ranks); n > 0; n--) {
            const uint32_t from = random_number_below(placement->n_ranks);
            const uint32_t to = random_number_below(placement->n_ranks);
            const struct op send = {.rank = from, .peer = to, .n_chunks = 1, .kind = OP_SEND,
                                    .buffer = BUFFER_TMP};
            struct op receive = send;
            receive.rank = to;
            receive.peer = from;
            receive.kind = OP_RECV;
            oplist_append(&list, step, send);
            oplist_append(&list, step, receive);
            if (placement->machine[from] == placement->machine[to])
                continue;
            tally->n_messages++;
            n_unrouted += !trace_stripes(tracer, placement, from, to, rule, by_fabric, traced, tally);
        }
        most = traced->most > most ? traced->most : most;
        fan_in = traced->fan_in > fan_in ? traced->fan_in : fan_in;
        n_contended += traced->is_shared;
        free(traced);
    }
    struct schedule *schedule = oplist_schedule(&list);
    struct reference engine;
    const struct verify_request request = {.topology = topology, .placement = placement};
    CU_ASSERT_FATAL(engine_verify(schedule, &request, &engine));
    tally->n_wrong += engine.report.max_link_load != most || engine.report.max_fan_in != fan_in ||
                      engine.report.contended_steps != n_contended ||
                      engine.report.n_unrouted != n_unrouted;
    if (!n_unrouted)
        tally->n_wrong += !has_traced_total(schedule, topology, placement, most,
                                            placement_stripes(placement));
    tally->n_contended += n_contended;
    tally->n_unrouted += n_unrouted;
    engine_free(&engine);
    schedule->destroy(schedule);
    oplist_free(&list);
    placement_free(placement);
}

/* Lets some cables of machines fail. */
static struct topology *fail_some(struct tracer *tracer, struct topology *topology)
{
    struct diagnostics diagnostics = {0};
    char words[4][16];
    const char *failed[4];
    size_t n = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t link = random_number_below(2 * tracer->graph->n_cables);
        if (graph_link_from(tracer->graph, link) >= tracer->graph->n_machines)
            continue;
        tracer->is_failed[link] = tracer->is_failed[link ^ 1] = true;
        snprintf(words[n], sizeof words[n], "%u", link);
        failed[n] = words[n];
        n++;
    }
    topology = topology_restrict(topology, &(struct topology_restriction){failed, n, NULL}, &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    diagnostics_free(&diagnostics);
    return topology;
}

static void test_traced(void)
{
    const int n_networks = (int)by_form(is_least() ? 40 : 200, 400, 4000);
    struct tally tally = {0};
    struct tracer *tracer = mem_alloc(1, sizeof *tracer);
    random_network_seed(41);
    for (int i = 0; i < n_networks; i++) {
        struct graph *graph = random_rails();
        number_ports(graph);
        *tracer = (struct tracer){.graph = graph};
        name_some(tracer, graph, (enum naming)(i / 4 % N_NAMINGS));
        trace_numbers(tracer);
        struct topology *topology = topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
        struct forwarding *forwarding;
        if (i % 4 == 1)
            topology = fail_some(tracer, topology);
        for (int mode = 0; mode < 5; mode++)
            compare_scene(tracer, topology, (enum rail_rule)(mode / 2), mode & 1, &tally);
        if (i % 4 != 1) {
            make_tables(tracer, graph, &forwarding);
            topology_set_forwarding(topology, forwarding);
            tracer->has_tables = true;
            if (i % 4 == 2)
                topology = fail_some(tracer, topology);
            for (int mode = 0; mode < 5; mode++)
                compare_scene(tracer, topology, (enum rail_rule)(mode / 2), mode & 1, &tally);
        }
        topology_free(topology);
    }
    free(tracer);
    printf("\n  | adapters of ranks: %llu messages, %llu stripes more, %llu between rails, %llu without route, "
           "%llu steps contended, %llu stripes on the next rail, %llu scenes refused, %llu wrong\n",
           (unsigned long long)tally.n_messages, (unsigned long long)tally.n_stripes,
           (unsigned long long)tally.n_between,
           (unsigned long long)tally.n_unrouted, (unsigned long long)tally.n_contended,
           (unsigned long long)tally.n_instead, (unsigned long long)tally.n_refused,
           (unsigned long long)tally.n_wrong);
    CU_ASSERT_EQUAL(tally.n_wrong, 0);
    CU_ASSERT(tally.n_messages > enough(10000) && tally.n_between > enough(1000) &&
              tally.n_unrouted > enough(50) && tally.n_contended > enough(500) &&
              tally.n_stripes > enough(2000) && tally.n_instead > enough(500));
}

/* ---- rails that are alike ---- */

/* Returns a network of hosts that have a cable to one switch for each rail. */
static struct topology *alike_rails(uint32_t n_hosts, uint32_t n_rails)
{
    struct graph *graph = graph_new();
    char name[32];
    for (uint32_t node = 0; node < n_hosts + n_rails; node++) {
        snprintf(name, sizeof name, "n%u", node);
        graph_add_node(graph, node >= n_hosts, name, strlen(name));
    }
    for (uint32_t cable = 0; cable < n_hosts * n_rails; cable++)
        graph_add_cable(graph, cable / n_rails, n_hosts + cable % n_rails, UINT64_C(3000000000), 130);
    graph_seal(graph);
    return topology_new_graph(&(struct topology_settings){.name = "rails"}, graph);
}

/* Plays an algorithm by a model, with messages striped where there are several rails. */
static uint64_t time_on_rails(const char *algorithm, enum simulation_model model, uint32_t n_hosts,
                              uint32_t n_rails, uint64_t bytes, double *bound_ratio)
{
    const struct placement_request wish = {.adapters = n_rails > 1 ? "stripe" : NULL};
    struct diagnostics diagnostics = {0};
    struct topology *topology = alike_rails(n_hosts, n_rails);
    struct scene_spec spec = {.algorithm = algorithm, .topology = "star:24", .n_ranks = n_hosts};
    struct test_scene scene;
    uint64_t time = 0;
    if (scene_open(&scene, &spec)) {
        uint32_t machine[32];
        for (uint32_t rank = 0; rank < n_hosts; rank++)
            machine[rank] = rank;
        struct placement *placement = placement_of_machines(machine, n_hosts, "one each");
        CU_ASSERT_FATAL(placement_use_adapters(placement, topology, &wish, &diagnostics));
        const struct simulation_request request = {
            .model = model,
            .settings = {.topology = topology,
                         .placement = placement,
                         .costs = {.overhead = 300,
                                   .gap = 70,
                                   .memory_bandwidth = UINT64_C(1000000000) * n_rails},
                         .chunk_bytes = bytes,
                         .eager_limit = UINT64_MAX}};
        struct simulation simulation;
        simulation_run(&request, scene.schedule, &simulation, &diagnostics);
        CU_ASSERT_EQUAL(simulation.played.outcome, PLAYED_WHOLE);
        time = simulation.played.time;
        simulation_free(&simulation);
        const struct lower_bound_request of_bound =
            lower_bound_request_of(&scene.schedule->header, topology, placement);
        const struct lower_bound least = lower_bound_of(&of_bound);
        struct verify_report report;
        scene.request = (struct verify_request){
            .topology = topology,
            .placement = placement,
            .least = least_load(&least, schedule_block_units(&scene.schedule->header))};
        CU_ASSERT(verify_schedule(scene.schedule, &scene.request, &report, &scene.diagnostics));
        *bound_ratio = report.bound_ratio;
        verify_report_free(&report);
        placement_free(placement);
    }
    scene_close(&scene);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    return time;
}

/* A message that is cut into a stripe for each of k rails alike takes as long as its k-th part on one
 * rail, by every model, and loads are as far above the bound. */
static void test_alike_rails(void)
{
    static const enum simulation_model models[] = {SIMULATION_step, SIMULATION_asap, SIMULATION_flow};
    char name[SCENE_NAME];
    unsigned n = 0, n_wrong = 0;
    for (size_t i = 0; i < scene_n_files(); i += IS_SHORT ? 3 : 1)
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            const uint32_t n_hosts = 3 + (uint32_t)(i + k) % 6, n_rails = 2 + (uint32_t)i % 3;
            const uint64_t bytes = i % 4 ? 1200 : 1200000; /* divided by 2, 3 and 4 */
            double of_one = 0, of_all = 0;
            const char *algorithm = scene_algorithm(i, name);
            const uint64_t one =
                algorithm ? time_on_rails(algorithm, models[k], n_hosts, 1, bytes / n_rails, &of_one) : 0;
            if (!one)
                continue;
            const uint64_t all = time_on_rails(algorithm, models[k], n_hosts, n_rails, bytes, &of_all);
            const bool is_bound = of_all > 1 - 1e-9 || of_one <= 0;
            const bool is_like = all == one;
            n++;
            n_wrong += !is_like || !is_bound;
            if (!is_like || !is_bound)
                printf("\n%s, model %d, %u hosts, %u rails: %llu, not %llu ns; x bound %g, not %g", algorithm,
                       (int)models[k], n_hosts, n_rails, (unsigned long long)all, (unsigned long long)one,
                       of_all, of_one);
        }
    printf("\n  | stripes over rails alike: %u times, %u wrong\n", n, n_wrong);
    CU_ASSERT_EQUAL(n_wrong, 0);
    CU_ASSERT(n > enough(100));
}

/* ---- the nearest adapter ---- */

/* Four GPUs of which each is near one or two of four adapters, in no order. */
static void test_near(void)
{
    static const uint8_t expected[] = {1, 0, 2, 3};
    struct diagnostics diagnostics = {0};
    struct arena arena = {0};
    struct placement_request wish = {.ranks_per_machine = 4, .adapters = "near:tests/data/rails/gpus.xml"};
    struct topology *topology = topology_read("tests/data/rails/four-rails.txt", &diagnostics);
    CU_ASSERT_FATAL(topology != NULL);
    struct placement *placement = placement_make(topology, &wish, &diagnostics);
    CU_ASSERT_FATAL(placement && near_adapters_read(&wish, &arena, &diagnostics));
    CU_ASSERT_FATAL(placement_use_adapters(placement, topology, &wish, &diagnostics));
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        CU_ASSERT_EQUAL(placement->adapters->rail[rank], expected[rank % 4]);
    placement_free(placement);
    topology_free(topology);
    diagnostics_free(&diagnostics);
    arena_free(&arena);
}

UNIT_PROGRAM(test_rank_adapters)
{
    CU_TestInfo tests[] = {{"adapters of ranks against a tracer", test_traced},
                           {"stripes over rails that are alike", test_alike_rails},
                           {"the adapter nearest to a GPU", test_near},
                           CU_TEST_INFO_NULL};
    return run_suite("rank_adapters", tests);
}
