/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tries other orders of hosts, other adapters and other algorithms: as what ran, or as what would be better.
 */
#include "costs/causes_search.h"

#include "compiler/algorithms/builtin.h"
#include "mapping/mapping.h"
#include "network/placement/orders.h"
#include "study/taken.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- orders ---- */

/* Predicts the points in a world with other places, and adds the cause. */
static void try_places(struct search *search, const struct costs_request *costs, struct cause cause)
{
    struct world world = search->world;
    double *times = mem_alloc(search->n, sizeof *times);
    world.costs = *costs;
    if (world_open(&world) && world_times(search, &world, times) &&
        (!cause_is_of_run(cause.kind) || search_error(search, times) < search->error))
        search_add(search, cause, times);
    predictor_free(world.predictor);
    free(times);
}

static void try_order(struct search *search, bool is_better, const uint32_t *order, const char *what)
{
    struct costs_request costs = search->world.costs;
    costs.order = order;
    try_places(search, &costs,
               (struct cause){.kind = is_better ? CAUSE_BETTER_ORDER : CAUSE_ORDER, .what = what});
}

/* A name and the machine that has it. */
struct named_machine {
    char name[256];
    uint32_t machine;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named_machine *)a)->name, ((const struct named_machine *)b)->name);
}

/* By the letters of names: node10 before node2. */
static void try_letters(struct search *search, bool is_better)
{
    const struct topology *topology = search->request->costs.topology;
    const uint32_t n = topology->n_machines;
    struct named_machine *named = mem_alloc(n, sizeof *named);
    uint32_t *order = arena_alloc(search->arena, n, sizeof *order);
    for (uint32_t i = 0; i < n; i++) {
        topology_node_name(topology, i, named[i].name, sizeof named[i].name);
        named[i].machine = i;
    }
    qsort(named, n, sizeof *named, compare_names);
    for (uint32_t i = 0; i < n; i++)
        order[i] = named[i].machine;
    free(named);
    try_order(search, is_better, order, "by the letters of their names, node10 before node2");
}

/* Every k-th host first: as dealt out over groups of n / k. */
static void try_strides(struct search *search, bool is_better)
{
    enum { MOST_STRIDES = 24 };
    const uint32_t n = search->request->costs.topology->n_machines;
    uint32_t n_tried = 0;
    for (uint32_t k = 2; k < n && n_tried < MOST_STRIDES; k++) {
        if (n % k != 0)
            continue;
        uint32_t *order = arena_alloc(search->arena, n, sizeof *order);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i % (n / k) * k + i / (n / k);
        try_order(search, is_better, order,
                  arena_printf(search->arena, "every %u%s host first", k,
                               k == 2   ? "nd"
                               : k == 3 ? "rd"
                                        : "th"));
        n_tried++;
    }
}

static void try_sorted(struct search *search, bool is_better)
{
    static const struct {
        enum machine_order order;
        const char *what;
    } orders[] = {{ORDER_NAME, "sorted by name"}, {ORDER_SWITCH, "sorted by switch"}};
    const struct topology *topology = search->request->costs.topology;
    if (topology_is_implicit(topology))
        return;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint32_t *sorted = machines_in_order(topology, orders[i].order);
        uint32_t *order = arena_alloc(search->arena, topology->n_machines, sizeof *order);
        memcpy(order, sorted, topology->n_machines * sizeof *order);
        free(sorted);
        try_order(search, is_better, order, orders[i].what);
    }
}

/* Other rules than the one that was stated: the file, or block and cyclic with several ranks on a host. */
static void try_rules(struct search *search, bool is_better)
{
    static const char *const rules[] = {"block", "cyclic"};
    const struct placement_request *stated = &search->request->costs.where;
    for (size_t i = 0; i < 2; i++) {
        struct costs_request costs = search->world.costs;
        if (strcmp(stated->rule ? stated->rule : "block", rules[i]) == 0 && !stated->order)
            continue;
        costs.where.rule = rules[i];
        costs.where.order = NULL;
        try_places(
            search, &costs,
            (struct cause){.kind = is_better ? CAUSE_BETTER_ORDER : CAUSE_ORDER,
                           .what = arena_printf(search->arena, "%s, in the topology's order", rules[i])});
    }
}

/* Other adapters than those stated. */
static void try_adapters(struct search *search)
{
    static const char *const rules[] = {"slot", "block", "stripe"};
    const char *stated = search->request->costs.where.adapters;
    if (topology_n_host_ports(search->request->costs.topology) < 2)
        return;
    for (size_t i = 0; i <= sizeof rules / sizeof *rules; i++) {
        struct costs_request costs = search->world.costs;
        costs.where.adapters = i < 3 ? rules[i] : NULL;
        if (i < 3 ? stated && strcmp(stated, rules[i]) == 0 : !stated)
            continue;
        try_places(search, &costs,
                   (struct cause){.kind = CAUSE_ADAPTERS, .what = i < 3 ? rules[i] : "as routes lead"});
    }
}

/* The hosts in an order that a map has, where it keeps the ranks of a host together. */
static const uint32_t *order_of_map(const struct placement *placement, const uint32_t *map,
                                    uint32_t n_machines, struct arena *arena)
{
    uint32_t *order = arena_alloc(arena, n_machines, sizeof *order);
    bool *is_set = mem_alloc(n_machines, sizeof *is_set);
    bool is_order = true;
    for (uint32_t i = 0; i < n_machines; i++)
        order[i] = i;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t of = placement->machine[rank], to = placement->machine[map[rank]];
        is_order = is_order && (!is_set[of] || order[of] == to);
        order[of] = to;
        is_set[of] = true;
    }
    free(is_set);
    return is_order ? order : NULL;
}

/* An order that is searched for the point that takes longest. */
static void try_mapped(struct search *search)
{
    const struct topology *topology = search->request->costs.topology;
    size_t longest = search->n;
    for (size_t i = 0; i < search->n; i++)
        if (search->world.points.items[i].kind == TIMED_ALGORITHM && !search->world.points.items[i].hosts &&
            (longest == search->n || search->base[i] > search->base[longest]))
            longest = i;
    struct predictor *predictor = search->world.predictor;
    struct schedule *schedule = longest < search->n ? predictor_expand(predictor, longest) : NULL;
    if (!schedule)
        return;
    const struct mapping_request request = {.topology = topology,
                                            .placement = predictor_placement(predictor, longest)};
    struct mapping_result result = {0};
    if (!mapping_search_problem(&schedule->header, &request) && mapping_search(schedule, &request, &result)) {
        const uint32_t *order =
            order_of_map(request.placement, result.map, topology->n_machines, search->arena);
        if (order && !mapping_is_identity(result.map, request.placement->n_ranks))
            try_order(search, true, order, result.order ? result.order : "the one that 'collc map' finds");
    }
    free(result.map);
    predictor_close(predictor, longest);
}

void search_orders(struct search *search, bool is_better)
{
    const bool is_explicit = search->request->costs.topology->n_machines > 1 << 12;
    if (is_explicit)
        return;
    try_strides(search, is_better);
    try_letters(search, is_better);
    try_sorted(search, is_better);
    try_rules(search, is_better);
    if (is_better)
        try_mapped(search);
    else
        try_adapters(search);
}

/* ---- algorithms ---- */

/* An algorithm that may run in the place of another. */
struct alternative {
    const char *name; /* in the words of the MPI, or of the library */
    const char *ours;
    uint64_t segment_bytes;               /* 0: it does not cut */
    const struct table_algorithm *theirs; /* NULL: of the library */
};

/* Sets a point's algorithm. Returns false if it does not run there. */
static bool alternative_take(const struct search *search, const struct alternative *alternative,
                             uint32_t collective, struct timed_point *point)
{
    const struct table *table = search->request->table;
    point->algorithm = alternative->ours;
    point->settings = NULL;
    point->n_settings = 0;
    if (!alternative->theirs)
        return true;
    const struct table_loader *loader = table->loader;
    const struct table_choice choice = {alternative->theirs->name,
                                        {.segment_bytes = alternative->segment_bytes}};
    const struct table_query query = {
        .collective = collective, .n_ranks = point->n_ranks, .type_bytes = table_type_bytes(point->bytes)};
    const struct table_range range = loader->writer->outcome(loader, &query, &choice, point->bytes);
    const struct counterpart *counterpart = counterpart_find(loader->target, loader->collectives[collective],
                                                             alternative->theirs->name, point->n_ranks);
    if (range.runs_as || range.fails || range.wrong || !counterpart)
        return false;
    const uint64_t n =
        counterpart_segments(counterpart, alternative->segment_bytes, point->bytes, point->n_ranks);
    point->algorithm = counterpart->ours;
    point->settings = arena_alloc(search->arena, COUNTERPART_SETTINGS, sizeof *point->settings);
    point->n_settings = counterpart_settings(counterpart, n, &choice.parameters, point->settings);
    return n <= 1024 && (alternative->segment_bytes == 0 || n > 1);
}

/* Predicts one point with an alternative; NAN: it does not run there. */
static double alternative_time(struct search *search, const struct alternative *alternative, uint32_t theirs,
                               size_t point)
{
    struct timed_point item = search->world.points.items[point];
    struct timed_points one = {.items = &item, .n = 1};
    struct world world = search->world;
    double time = NAN;
    if (!alternative_take(search, alternative, theirs, &item))
        return NAN;
    world.costs.points = &one;
    if (world_open(&world))
        time = world_time(search, &world, 0);
    predictor_free(world.predictor);
    return time;
}

static enum collective collective_of_point(const struct timed_point *point)
{
    enum collective_form form;
    return point->kind == TIMED_ALGORITHM
               ? collective_find_form(point->algorithm, strcspn(point->algorithm, "/"), &form)
               : N_COLLECTIVES;
}

/* Finds the range of sizes in which the alternative does best: with the largest sum of what it takes off.
 * `off`: [point] that; -INFINITY: it does not run. */
static double best_range(const struct search *search, enum collective collective, const double *off,
                         uint64_t *first, uint64_t *last)
{
    const struct timed_point *points = search->world.points.items;
    double most = 0;
    for (size_t i = 0; i < search->n; i++)
        for (size_t j = 0; j < search->n && collective_of_point(&points[i]) == collective; j++) {
            double sum = 0;
            for (size_t k = 0; k < search->n; k++)
                if (collective_of_point(&points[k]) == collective && points[k].bytes >= points[i].bytes &&
                    points[k].bytes <= points[j].bytes)
                    sum += off[k];
            if (points[j].bytes < points[i].bytes || !(sum > most))
                continue;
            most = sum;
            *first = points[i].bytes;
            *last = points[j].bytes;
        }
    return most;
}

static void try_alternative(struct search *search, const struct alternative *alternative,
                            enum collective collective, uint32_t theirs, bool is_better)
{
    const struct timed_point *points = search->world.points.items;
    double *times = mem_alloc(search->n, sizeof *times), *off = mem_alloc(search->n, sizeof *off);
    struct cause cause = {.kind = is_better ? CAUSE_BETTER_ALGORITHM : CAUSE_ALGORITHM,
                          .what = alternative->name,
                          .collective = collective};
    for (size_t i = 0; i < search->n; i++) {
        const double now = is_better ? search->base[i] : search->times[i], measured = points[i].time;
        if (collective_of_point(&points[i]) != collective)
            continue;
        times[i] = alternative_time(search, alternative, theirs, i);
        off[i] = isnan(times[i]) ? -INFINITY
                 : is_better     ? (now - times[i]) / measured
                                 : fabs(log(measured / now)) - fabs(log(measured / times[i]));
    }
    if (best_range(search, collective, off, &cause.first, &cause.last) > 0) {
        for (size_t i = 0; i < search->n; i++) {
            const bool is_in = collective_of_point(&points[i]) == collective &&
                               points[i].bytes >= cause.first && points[i].bytes <= cause.last;
            if (!is_in)
                times[i] = is_better ? search->base[i] : search->times[i];
            else if (!cause.instead || points[i].bytes == cause.last)
                cause.instead = points[i].runs ? points[i].runs : points[i].algorithm;
        }
        search_add(search, cause, times);
    }
    free(times);
    free(off);
}

/* ---- which there are ---- */

static void try_theirs(struct search *search, enum collective collective, bool is_better)
{
    static const uint64_t segments[] = {0, 4 << 10, 64 << 10};
    const struct table_loader *loader = search->request->table->loader;
    const uint32_t theirs = table_collective(loader, collective_name(collective, FORM_EQUAL));
    struct table_algorithm algorithm;
    for (size_t i = 0;
         theirs < loader->n_collectives && loader->writer->algorithm(loader, theirs, i, &algorithm); i++)
        for (size_t k = 0; k < (algorithm.has_segment ? 3 : 1); k++) {
            const struct table_choice choice = {algorithm.name, {.segment_bytes = segments[k]}};
            struct alternative alternative = {algorithm.name, NULL, segments[k], &algorithm};
            if (is_better && !plan_is_safe(loader, theirs, &choice, 0))
                continue;
            if (segments[k])
                alternative.name = arena_printf(search->arena, "%s with segments of %lluKiB", algorithm.name,
                                                (unsigned long long)(segments[k] >> 10));
            try_alternative(search, &alternative, collective, theirs, is_better);
        }
}

static void try_ours(struct search *search, enum collective collective)
{
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name =
            builtin_algorithm(&embedded_files[i], collective_name(collective, FORM_EQUAL), search->arena);
        if (name)
            try_alternative(search, &(struct alternative){.name = name, .ours = name}, collective, 0, true);
    }
}

void search_algorithms(struct search *search, bool is_better)
{
    bool is_tried[N_COLLECTIVES] = {false};
    for (size_t i = 0; i < search->n; i++) {
        const enum collective collective = collective_of_point(&search->world.points.items[i]);
        if (collective == N_COLLECTIVES || is_tried[collective])
            continue;
        is_tried[collective] = true;
        if (search->request->table && search->request->table->loader->writer)
            try_theirs(search, collective, is_better);
        else if (is_better) /* the user says what ran */
            try_ours(search, collective);
    }
}
