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

enum { MOST_HOSTS = 1 << 12 }; /* of which orders are tried */

/* Adds what was tried as what it may be: of what ran, if times fit better, and an improvement. */
static void runs_add(struct search *search, int as, struct cause cause, const double *times)
{
    static const enum cause_kind better[] = {[CAUSE_ORDER] = CAUSE_BETTER_ORDER,
                                             [CAUSE_ALGORITHM] = CAUSE_BETTER_ALGORITHM};
    if (as & TRY_RUN && search_error(search, times) < search_most_error(search, cause.kind))
        search_add(search, cause, times);
    cause.kind = better[cause.kind];
    if (as & TRY_BETTER)
        search_add(search, cause, times);
}

/* ---- orders ---- */

/* Predicts the points in a world with other places, and adds the cause. */
static void try_places(struct search *search, int as, const struct costs_request *costs, struct cause cause)
{
    struct world world = search->world;
    double *times = mem_alloc(search->n, sizeof *times);
    world.costs = *costs;
    if (world_open(&world) && world_times(search, &world, times))
        runs_add(search, as, cause, times);
    predictor_free(world.predictor);
    free(times);
}

/* Hosts as they are stated: ranks take them in this order. */
struct stated_hosts {
    uint32_t *machine; /* [position] */
    uint32_t n;
    bool are_listed; /* a file or an output lists them: no others are taken */
    bool are_known;  /* the output says of each rank where it ran */
};

/* Finds the hosts of the point with the most ranks; in the arena. */
static struct stated_hosts orders_stated(const struct search *search)
{
    const struct topology *topology = search->request->costs.topology;
    const struct placement_request *where = &search->request->costs.where;
    const bool is_rule =
        !where->rule || strcmp(where->rule, "block") == 0 || strcmp(where->rule, "cyclic") == 0;
    struct stated_hosts stated = {arena_alloc(search->arena, topology->n_machines, sizeof *stated.machine), 0,
                                  !is_rule || where->order, false};
    bool *is_there = mem_alloc(topology->n_machines, sizeof *is_there);
    size_t most = 0;
    for (size_t i = 1; i < search->n; i++)
        if (search->world.points.items[i].n_ranks > search->world.points.items[most].n_ranks)
            most = i;
    stated.are_known = search->world.points.items[most].are_hosts_of_ranks;
    stated.are_listed |= search->world.points.items[most].hosts != NULL;
    const struct placement *placement = predictor_placement(search->world.predictor, most);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        const uint32_t machine = placement->machine[rank];
        if (!is_there[machine])
            stated.machine[stated.n++] = machine;
        is_there[machine] = true;
    }
    for (uint32_t machine = 0; machine < topology->n_machines && !stated.are_listed; machine++)
        if (!is_there[machine])
            stated.machine[stated.n++] = machine;
    free(is_there);
    return stated;
}

/* Gives the k-th stated host the place of the k-th of `wanted`, of which those not stated are passed over. */
static const uint32_t *orders_of(const struct search *search, const struct stated_hosts *stated,
                                 const uint32_t *wanted, uint32_t n)
{
    const uint32_t n_machines = search->request->costs.topology->n_machines;
    uint32_t *order = arena_alloc(search->arena, n_machines, sizeof *order);
    bool *is_stated = mem_alloc(n_machines, sizeof *is_stated);
    for (uint32_t i = 0; i < n_machines; i++)
        order[i] = i;
    for (uint32_t i = 0; i < stated->n; i++)
        is_stated[stated->machine[i]] = true;
    for (uint32_t i = 0, k = 0; i < n && k < stated->n; i++)
        if (is_stated[wanted[i]])
            order[stated->machine[k++]] = wanted[i];
    free(is_stated);
    return order;
}

/* Tries an order, unless it changes nothing. */
static void try_order(struct search *search, int as, const uint32_t *order, const char *what)
{
    struct costs_request costs = search->world.costs;
    bool is_other = false;
    for (uint32_t i = 0; i < costs.topology->n_machines; i++)
        is_other |= order[i] != i;
    costs.order = order;
    if (is_other && as)
        try_places(search, as, &costs, (struct cause){.kind = CAUSE_ORDER, .what = what});
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
static void try_letters(struct search *search, int as, const struct stated_hosts *stated)
{
    const struct topology *topology = search->request->costs.topology;
    const uint32_t n = topology->n_machines;
    struct named_machine *named = mem_alloc(n, sizeof *named);
    uint32_t *wanted = mem_alloc(n, sizeof *wanted);
    for (uint32_t i = 0; i < n; i++) {
        topology_node_name(topology, i, named[i].name, sizeof named[i].name);
        named[i].machine = i;
    }
    qsort(named, n, sizeof *named, compare_names);
    for (uint32_t i = 0; i < n; i++)
        wanted[i] = named[i].machine;
    try_order(search, as, orders_of(search, stated, wanted, n),
              "by the letters of their names, node10 before node2");
    free(named);
    free(wanted);
}

/* Every k-th host first: as dealt out over groups of n / k. */
static void try_strides(struct search *search, int as, const struct stated_hosts *stated)
{
    enum { MOST_STRIDES = 24 };
    const uint32_t n = stated->n;
    uint32_t n_tried = 0, *wanted = mem_alloc(n, sizeof *wanted);
    for (uint32_t k = 2; k < n && n_tried < MOST_STRIDES; k++) {
        if (n % k != 0)
            continue;
        for (uint32_t i = 0; i < n; i++)
            wanted[i] = stated->machine[i % (n / k) * k + i / (n / k)];
        try_order(search, as, orders_of(search, stated, wanted, n),
                  arena_printf(search->arena, "every %u%s%s host first", k,
                               k % 10 == 2 && k != 12   ? "nd"
                               : k % 10 == 3 && k != 13 ? "rd"
                               : k % 10 == 1 && k != 11 ? "st"
                                                        : "th",
                               stated->are_listed ? " stated" : ""));
        n_tried++;
    }
    free(wanted);
}

static void try_sorted(struct search *search, int as, const struct stated_hosts *stated)
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
        try_order(search, as, orders_of(search, stated, sorted, topology->n_machines), orders[i].what);
        free(sorted);
    }
}

/* Other rules than the one that was stated: the file, or block and cyclic with several ranks on a host. */
static void try_rules(struct search *search, int as)
{
    static const char *const rules[] = {"block", "cyclic"};
    const struct placement_request *stated = &search->request->costs.where;
    for (size_t i = 0; i < 2; i++) {
        struct costs_request costs = search->world.costs;
        if (!as || (strcmp(stated->rule ? stated->rule : "block", rules[i]) == 0 && !stated->order))
            continue;
        costs.where.rule = rules[i];
        costs.where.order = NULL;
        try_places(search, as, &costs,
                   (struct cause){.kind = CAUSE_ORDER,
                                  .what = arena_printf(search->arena, "%s, in the topology's order",
                                                       rules[i])});
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
        try_places(search, TRY_RUN, &costs,
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

void search_mapped(struct search *search)
{
    const struct topology *topology = search->request->costs.topology;
    size_t longest = search->n;
    for (size_t i = 0; i < search->n; i++)
        if (search->world.points.items[i].kind == TIMED_ALGORITHM &&
            (!search->world.points.items[i].hosts || search->world.points.items[i].are_hosts_of_ranks) &&
            (longest == search->n || search->base[i] > search->base[longest]))
            longest = i;
    struct predictor *predictor = search->world.predictor;
    struct schedule *schedule =
        longest < search->n && topology->n_machines <= MOST_HOSTS ? predictor_expand(predictor, longest)
                                                                   : NULL;
    if (!schedule)
        return;
    const struct mapping_request request = {.topology = topology,
                                            .placement = predictor_placement(predictor, longest)};
    struct mapping_result result = {0};
    if (!mapping_search_problem(&schedule->header, &request) && mapping_search(schedule, &request, &result)) {
        const uint32_t *order =
            order_of_map(request.placement, result.map, topology->n_machines, search->arena);
        if (order && !mapping_is_identity(result.map, request.placement->n_ranks))
            try_order(search, TRY_BETTER, order, result.order ? result.order : "the one that 'collc map' finds");
    }
    free(result.map);
    predictor_close(predictor, longest);
}

void search_orders(struct search *search, int as)
{
    if (search->request->costs.topology->n_machines > MOST_HOSTS)
        return;
    const struct stated_hosts stated = orders_stated(search);
    const bool tries_adapters = as & TRY_RUN;
    as = stated.are_known ? as & TRY_BETTER : as;
    try_strides(search, as, &stated);
    try_letters(search, as, &stated);
    try_sorted(search, as, &stated);
    try_rules(search, as);
    if (tries_adapters)
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
            const bool is_narrower =
                sum == most && most > 0 && points[j].bytes == *last && points[i].bytes > *first;
            if (points[j].bytes < points[i].bytes || !(sum > most || is_narrower))
                continue;
            most = sum;
            *first = points[i].bytes;
            *last = points[j].bytes;
        }
    return most;
}

/* Appends to "linear or pairwise", unless it is there or is what runs instead. */
static void runs_append_instead(struct cause *cause, const struct timed_point *point, struct arena *arena)
{
    const char *name = point->runs ? point->runs : point->algorithm;
    const char *at = cause->instead ? strstr(cause->instead, name) : NULL;
    const bool is_there = at && strcspn(at, " ") == strlen(name);
    if (!is_there && strcmp(name, cause->what) != 0)
        cause->instead = cause->instead ? arena_printf(arena, "%s or %s", cause->instead, name) : name;
}

/* Adds the alternative in the sizes in which it does best as a cause, with these times of its own. */
static void alternative_add(struct search *search, int as, struct cause cause, const double *own)
{
    const struct timed_point *points = search->world.points.items;
    const double *now = search->times;
    double *times = mem_alloc(search->n, sizeof *times), *off = mem_alloc(search->n, sizeof *off);
    for (size_t i = 0; i < search->n; i++)
        off[i] = isnan(own[i]) ? -INFINITY
                 : as == TRY_BETTER
                     ? (now[i] - own[i]) / points[i].time
                     : fabs(log(points[i].time / now[i])) - fabs(log(points[i].time / own[i]));
    if (best_range(search, cause.collective, off, &cause.first, &cause.last) > 0) {
        for (size_t i = 0; i < search->n; i++) {
            const bool is_in = collective_of_point(&points[i]) == cause.collective &&
                               points[i].bytes >= cause.first && points[i].bytes <= cause.last;
            times[i] = is_in ? own[i] : now[i];
            if (is_in)
                runs_append_instead(&cause, &points[i], search->arena);
        }
        if (!cause.instead)
            cause.instead = cause.what;
        runs_add(search, as, cause, times);
    }
    free(times);
    free(off);
}

static void try_alternative(struct search *search, int as, const struct alternative *alternative,
                            enum collective collective, uint32_t theirs)
{
    const struct timed_point *points = search->world.points.items;
    const struct cause cause = {
        .kind = CAUSE_ALGORITHM, .what = alternative->name, .collective = collective};
    double *own = mem_alloc(search->n, sizeof *own);
    for (size_t i = 0; i < search->n; i++)
        own[i] = collective_of_point(&points[i]) == collective
                     ? alternative_time(search, alternative, theirs, i)
                     : NAN;
    for (int one = TRY_RUN; one <= TRY_BETTER; one <<= 1)
        if (as & one)
            alternative_add(search, one, cause, own);
    free(own);
}

/* ---- which there are ---- */

static void try_theirs(struct search *search, int as, enum collective collective)
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
            const int may = plan_is_safe(loader, theirs, &choice, 0) ? as : as & TRY_RUN;
            if (!may)
                continue;
            if (segments[k])
                alternative.name = arena_printf(search->arena, "%s with segments of %lluKiB", algorithm.name,
                                                (unsigned long long)(segments[k] >> 10));
            try_alternative(search, may, &alternative, collective, theirs);
        }
}

static void try_ours(struct search *search, enum collective collective)
{
    for (size_t i = 0; i < n_embedded_files; i++) {
        const char *name =
            builtin_algorithm(&embedded_files[i], collective_name(collective, FORM_EQUAL), search->arena);
        if (name)
            try_alternative(search, TRY_BETTER, &(struct alternative){.name = name, .ours = name}, collective,
                            0);
    }
}

void search_algorithms(struct search *search, int as)
{
    bool is_tried[N_COLLECTIVES] = {false};
    for (size_t i = 0; i < search->n; i++) {
        const enum collective collective = collective_of_point(&search->world.points.items[i]);
        if (collective == N_COLLECTIVES || is_tried[collective])
            continue;
        is_tried[collective] = true;
        if (search->request->table && search->request->table->loader->writer)
            try_theirs(search, as, collective);
        else if (as & TRY_BETTER) /* the user says what ran */
            try_ours(search, collective);
    }
}
