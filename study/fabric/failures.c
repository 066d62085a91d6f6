/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See failures.h. The largest load of a step is that of a link that the failure does not touch, the first
 * of these in the order of loads, or that of a touched link, of which there are few.
 */
#include "study/fabric/failures.h"

#include "base/integer.h"
#include "network/restrict.h"
#include "study/fabric/cable_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Links with changed loads. */
struct changes {
    int64_t *delta;    /* [link] */
    bool *is_touched;  /* [link] */
    uint32_t *touched;
    uint32_t n;
};

/* A list for each of some numbers: that of i is item[first[i]] .. item[first[i + 1] - 1]. */
struct lists {
    size_t *first;
    uint32_t *item;
};

struct sweep {
    const struct traffic_matrix *matrix;
    const struct failures_bound *bound; /* NULL: nothing is compared with bounds */
    struct topology *rest;
    struct lists flows_on;   /* [link] */
    struct lists links_of;   /* [node] */
    uint32_t *order;         /* [load of kept] loads of each step, the largest first */
    uint32_t *step_order;    /* steps, the largest load first */
    uint32_t *total_order;   /* links, the largest total first */
    uint32_t *affected;      /* flows that crossed what has failed */
    size_t n_affected;
    bool *is_affected;       /* [flow] */
    bool *is_step_affected;  /* [step] */
    struct changes step, total;
    struct hop *hops;
    size_t hops_capacity;
    uint64_t sum_chunks;     /* as sum_step_load, of what the messages carry */
    struct failures failures;
    size_t capacity;
};

static struct changes changes_new(const struct topology *topology)
{
    const size_t n = (size_t)topology->n_link_ids + 1;
    return (struct changes){mem_alloc(n, sizeof(int64_t)), mem_alloc(n, sizeof(bool)),
                            mem_alloc(n, sizeof(uint32_t)), 0};
}

static void changes_free(struct changes *changes)
{
    free(changes->delta);
    free(changes->is_touched);
    free(changes->touched);
}

static void change(struct changes *changes, uint32_t link, int64_t amount)
{
    if (!changes->is_touched[link])
        changes->touched[changes->n++] = link;
    changes->is_touched[link] = true;
    changes->delta[link] += amount;
}

static void changes_clear(struct changes *changes)
{
    for (uint32_t i = 0; i < changes->n; i++) {
        changes->delta[changes->touched[i]] = 0;
        changes->is_touched[changes->touched[i]] = false;
    }
    changes->n = 0;
}

/* ---- lists and orders ---- */

static void lists_free(struct lists *lists)
{
    free(lists->first);
    free(lists->item);
}

/* Converts counts in first[i + 1] to starts. */
static void make_starts(struct lists *lists, size_t n)
{
    for (size_t i = 0; i < n; i++)
        lists->first[i + 1] += lists->first[i];
    lists->item = mem_alloc(lists->first[n] + 1, sizeof *lists->item);
}

static struct lists list_flows(struct sweep *sweep)
{
    const struct traffic_matrix *matrix = sweep->matrix;
    const size_t n_links = matrix->topology->n_link_ids;
    struct lists lists = {mem_alloc(n_links + 2, sizeof(size_t)), NULL};
    size_t *at = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < matrix->n_flows; i++) {
            uint32_t n;
            (void)matrix_flow_route(matrix->topology, &matrix->flows[i], sweep->hops, &n);
            for (uint32_t hop = 0; hop < n; hop++) {
                const uint32_t link = sweep->hops[hop].link;
                if (pass == 0)
                    lists.first[link + 1]++;
                else
                    lists.item[at[link]++] = (uint32_t)i;
            }
        }
        if (pass == 1)
            break;
        make_starts(&lists, n_links);
        at = mem_alloc(n_links + 1, sizeof *at);
        memcpy(at, lists.first, n_links * sizeof *at);
    }
    free(at);
    return lists;
}

static struct lists failures_list_links(const struct topology *topology)
{
    struct lists lists = {mem_alloc((size_t)topology->n_nodes + 2, sizeof(size_t)), NULL};
    size_t *at = mem_alloc((size_t)topology->n_nodes + 1, sizeof *at);
    uint32_t end[2];
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t link = 0; link < topology->n_link_ids; link++) {
            if (!topology_has_link(topology, link))
                continue;
            topology_link_ends(topology, link, &end[0], &end[1]);
            for (int i = 0; i < 2; i++)
                if (pass == 0)
                    lists.first[end[i] + 1]++;
                else
                    lists.item[at[end[i]]++] = link;
        }
        if (pass == 0) {
            make_starts(&lists, topology->n_nodes);
            memcpy(at, lists.first, topology->n_nodes * sizeof *at);
        }
    }
    free(at);
    return lists;
}

/* A number and its key, sorted by the largest key, equal ones by the least number. */
struct ranked {
    uint64_t value;
    uint32_t number;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void sort_ranked(struct ranked *ranked, size_t n, uint32_t *order)
{
    if (n)
        qsort(ranked, n, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < n; i++)
        order[i] = ranked[i].number;
}

static uint32_t largest_of_step(const struct sweep *sweep, uint32_t step)
{
    const struct traffic_matrix *matrix = sweep->matrix;
    const size_t first = matrix->first_load[step];
    return first < matrix->first_load[step + 1] ? matrix->loads[sweep->order[first]].messages : 0;
}

static void sort_all(struct sweep *sweep)
{
    const struct traffic_matrix *matrix = sweep->matrix;
    const uint32_t n_links = matrix->topology->n_link_ids;
    const size_t most = matrix->n_loads + matrix->n_steps + n_links + 1;
    struct ranked *ranked = mem_alloc(most, sizeof *ranked);
    sweep->order = mem_alloc(matrix->n_loads + 1, sizeof *sweep->order);
    sweep->step_order = mem_alloc((size_t)matrix->n_steps + 1, sizeof *sweep->step_order);
    sweep->total_order = mem_alloc((size_t)n_links + 1, sizeof *sweep->total_order);
    for (uint32_t step = 0; step < matrix->n_steps; step++) {
        const size_t first = matrix->first_load[step], n = matrix->first_load[step + 1] - first;
        for (size_t i = 0; i < n; i++)
            ranked[i] = (struct ranked){matrix->loads[first + i].messages, (uint32_t)(first + i)};
        sort_ranked(ranked, n, sweep->order + first);
    }
    for (uint32_t step = 0; step < matrix->n_steps; step++)
        ranked[step] = (struct ranked){largest_of_step(sweep, step), step};
    sort_ranked(ranked, matrix->n_steps, sweep->step_order);
    for (uint32_t link = 0; link < n_links; link++)
        ranked[link] = (struct ranked){matrix->total[link], link};
    sort_ranked(ranked, n_links, sweep->total_order);
    free(ranked);
}

/* ---- one failure ---- */

static void find_affected(struct sweep *sweep, const uint32_t *links, uint32_t n_links)
{
    const struct lists *flows_on = &sweep->flows_on;
    sweep->n_affected = 0;
    for (uint32_t i = 0; i < n_links; i++)
        for (size_t k = flows_on->first[links[i]]; k < flows_on->first[links[i] + 1]; k++) {
            const uint32_t flow = flows_on->item[k];
            if (!sweep->is_affected[flow])
                sweep->affected[sweep->n_affected++] = flow;
            sweep->is_affected[flow] = true;
        }
}

static void move_flow(struct sweep *sweep, const struct matrix_flow *flow, struct failure *failure)
{
    const int64_t messages = flow->n_messages;
    uint32_t n;
    (void)matrix_flow_route(sweep->matrix->topology, flow, sweep->hops, &n);
    for (uint32_t hop = 0; hop < n; hop++)
        change(&sweep->step, sweep->hops[hop].link, -messages);
    if (failure->part == FAILED_MACHINE &&
        (flow->source == failure->node || flow->destination == failure->node)) {
        failure->n_gone += flow->n_messages;
        return;
    }
    if (!matrix_flow_route(sweep->rest, flow, sweep->hops, &n)) {
        failure->n_lost += flow->n_messages;
        return;
    }
    failure->n_moved += flow->n_messages;
    for (uint32_t hop = 0; hop < n; hop++)
        change(&sweep->step, sweep->hops[hop].link, messages);
}

/* Returns the largest load of a step after the failure. */
static uint32_t new_largest(const struct sweep *sweep, uint32_t step)
{
    const struct traffic_matrix *matrix = sweep->matrix;
    int64_t most = 0;
    for (uint32_t i = 0; i < sweep->step.n; i++) {
        const uint32_t link = sweep->step.touched[i];
        const int64_t load = traffic_matrix_load(matrix, step, link) + sweep->step.delta[link];
        most = load > most ? load : most;
    }
    for (size_t i = matrix->first_load[step]; i < matrix->first_load[step + 1]; i++) {
        const struct matrix_load *load = &matrix->loads[sweep->order[i]];
        if (!sweep->step.is_touched[load->link])
            return load->messages > most ? load->messages : (uint32_t)most;
    }
    return (uint32_t)most;
}

static uint64_t new_largest_total(const struct sweep *sweep)
{
    const struct traffic_matrix *matrix = sweep->matrix;
    uint64_t most = 0;
    for (uint32_t i = 0; i < sweep->total.n; i++) {
        const uint32_t link = sweep->total.touched[i];
        const uint64_t load = matrix->total[link] + (uint64_t)sweep->total.delta[link];
        most = load > most ? load : most;
    }
    for (uint32_t i = 0; i < matrix->topology->n_link_ids; i++) {
        const uint32_t link = sweep->total_order[i];
        if (!sweep->total.is_touched[link])
            return matrix->total[link] > most ? matrix->total[link] : most;
    }
    return most;
}

/* Changes the affected flows of one step, from `first` on, and returns their end. */
static size_t change_step(struct sweep *sweep, size_t first, struct failure *failure)
{
    const struct matrix_flow *flows = sweep->matrix->flows;
    const uint32_t step = flows[sweep->affected[first]].step;
    size_t end = first;
    for (; end < sweep->n_affected && flows[sweep->affected[end]].step == step; end++)
        move_flow(sweep, &flows[sweep->affected[end]], failure);
    const uint32_t largest = new_largest(sweep, step);
    failure->sum_step_load += largest;
    failure->sum_step_load -= largest_of_step(sweep, step);
    sweep->sum_chunks += largest * sweep->matrix->chunks[step];
    sweep->sum_chunks -= largest_of_step(sweep, step) * sweep->matrix->chunks[step];
    failure->max_link_load = largest > failure->max_link_load ? largest : failure->max_link_load;
    for (uint32_t i = 0; i < sweep->step.n; i++)
        change(&sweep->total, sweep->step.touched[i], sweep->step.delta[sweep->step.touched[i]]);
    changes_clear(&sweep->step);
    sweep->is_step_affected[step] = true;
    return end;
}

/* Returns the largest load of the unaffected steps. */
static uint32_t largest_elsewhere(const struct sweep *sweep)
{
    for (uint32_t i = 0; i < sweep->matrix->n_steps; i++)
        if (!sweep->is_step_affected[sweep->step_order[i]])
            return largest_of_step(sweep, sweep->step_order[i]);
    return 0;
}

static void failures_forget(struct sweep *sweep)
{
    for (size_t i = 0; i < sweep->n_affected; i++) {
        sweep->is_affected[sweep->affected[i]] = false;
        sweep->is_step_affected[sweep->matrix->flows[sweep->affected[i]].step] = false;
    }
    changes_clear(&sweep->total);
}

uint64_t failures_most_rows(const struct topology *topology)
{
    const uint64_t n_cables = topology->n_link_ids / 2;
    return FAILURES_MAX_ROWS / (n_cables ? n_cables : 1);
}

/* Sets the ratio to the bound of the rest. There is none if a machine failed, which removes a part of the
 * collective, or if messages are lost, which take no time. */
static void compare_with_bound(const struct sweep *sweep, struct failure *failure)
{
    struct lower_bound_request request = sweep->bound->request;
    if (failure->part == FAILED_MACHINE || failure->n_lost)
        return;
    request.topology = sweep->rest;
    const struct lower_bound least =
        lower_bound_by_flows(&request, failures_most_rows(sweep->matrix->topology));
    const struct least_load left = least_load(&least, sweep->bound->segments), whole = sweep->bound->whole;
    const struct least_load most = left.units > whole.units ? left : whole;
    failure->bound_ratio = (double)sweep->sum_chunks / most.units;
    failure->bound_kind = most.kind;
}

static void failures_fail(struct sweep *sweep, struct failure failure, const uint32_t *links,
                          uint32_t n_links)
{
    const uint64_t sum_chunks = sweep->sum_chunks;
    struct failures *failures = &sweep->failures;
    find_affected(sweep, links, n_links);
    failure.sum_step_load = failures->sum_step_load;
    if (sweep->n_affected || sweep->bound)
        topology_fail_besides(sweep->rest, links, n_links);
    if (sweep->n_affected) {
        qsort(sweep->affected, sweep->n_affected, sizeof *sweep->affected, compare_uint32);
        sweep->hops = mem_grow(sweep->hops, &sweep->hops_capacity,
                               (size_t)sweep->matrix->topology->max_hops + sweep->rest->max_hops + 1,
                               sizeof *sweep->hops);
    }
    for (size_t first = 0; first < sweep->n_affected;)
        first = change_step(sweep, first, &failure);
    const uint32_t elsewhere = largest_elsewhere(sweep);
    failure.max_link_load = elsewhere > failure.max_link_load ? elsewhere : failure.max_link_load;
    failure.max_total_load = new_largest_total(sweep);
    if (sweep->bound)
        compare_with_bound(sweep, &failure);
    sweep->sum_chunks = sum_chunks;
    failures_forget(sweep);
    failures->items = mem_grow(failures->items, &sweep->capacity, failures->n + 1, sizeof *failures->items);
    failures->items[failures->n++] = failure;
}

/* ---- all of them ---- */

static void fail_cables(struct sweep *sweep)
{
    size_t n;
    struct cable *cables = cables_of(sweep->matrix->topology, &n);
    for (size_t i = 0; i < n; i++) {
        const uint32_t links[2] = {cables[i].link, cables[i].back};
        failures_fail(sweep,
                      (struct failure){.part = FAILED_CABLE,
                                       .link = links[0],
                                       .back = links[1],
                                       .is_one_of_several = cables[i].is_one_of_several},
                      links, links[0] == links[1] ? 1 : 2);
    }
    free(cables);
}

static void fail_nodes(struct sweep *sweep)
{
    const struct topology *topology = sweep->matrix->topology;
    for (uint32_t node = 0; node < topology->n_nodes; node++) {
        const size_t first = sweep->links_of.first[node], n = sweep->links_of.first[node + 1] - first;
        const bool is_machine = node < topology->n_machines;
        if (n)
            failures_fail(sweep,
                          (struct failure){.part = is_machine ? FAILED_MACHINE : FAILED_SWITCH, .node = node},
                          sweep->links_of.item + first, (uint32_t)n);
    }
}

/* Orders failures that lose messages first, then those with the longest time. */
static int compare_failures(const void *a, const void *b)
{
    const struct failure *x = a, *y = b;
    const uint64_t keys[][2] = {{y->n_lost, x->n_lost},
                                {y->sum_step_load, x->sum_step_load},
                                {y->max_total_load, x->max_total_load},
                                {y->max_link_load, x->max_link_load},
                                {y->n_moved, x->n_moved},
                                {x->part, y->part},
                                {x->node, y->node},
                                {x->link, y->link}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

static void measure_whole(struct sweep *sweep)
{
    struct failures *failures = &sweep->failures;
    const struct traffic_matrix *matrix = sweep->matrix;
    bool are_alike = true; /* the messages of every step */
    for (uint32_t step = 0; step < matrix->n_steps; step++) {
        failures->sum_step_load += largest_of_step(sweep, step);
        sweep->sum_chunks += largest_of_step(sweep, step) * matrix->chunks[step];
        are_alike = are_alike && matrix->chunks[step];
    }
    const uint64_t n_links = matrix->topology->n_link_ids;
    if (!sweep->bound || !are_alike || !sweep->bound->request.topology || !(sweep->bound->whole.units > 0) ||
        n_links * n_links / 2 > FAILURES_MAX_BOUNDED)
        sweep->bound = NULL;
    if (sweep->bound) {
        failures->bound_ratio = (double)sweep->sum_chunks / sweep->bound->whole.units;
        failures->bound_kind = sweep->bound->whole.kind;
    }
    failures->max_link_load = matrix->n_steps ? largest_of_step(sweep, sweep->step_order[0]) : 0;
    failures->max_total_load = new_largest_total(sweep);
    for (size_t i = 0; i < matrix->n_flows; i++)
        failures->n_messages += matrix->flows[i].n_messages;
}

struct failures failures_sweep(const struct traffic_matrix *matrix, struct topology *rest,
                               const struct failures_bound *bound)
{
    struct sweep sweep = {.matrix = matrix,
                          .bound = bound,
                          .rest = rest,
                          .affected = mem_alloc(matrix->n_flows + 1, sizeof(uint32_t)),
                          .is_affected = mem_alloc(matrix->n_flows + 1, sizeof(bool)),
                          .is_step_affected = mem_alloc((size_t)matrix->n_steps + 1, sizeof(bool)),
                          .step = changes_new(matrix->topology),
                          .total = changes_new(matrix->topology)};
    sweep.hops =
        mem_grow(NULL, &sweep.hops_capacity, (size_t)matrix->topology->max_hops + 1, sizeof *sweep.hops);
    sweep.flows_on = list_flows(&sweep);
    sweep.links_of = failures_list_links(matrix->topology);
    sort_all(&sweep);
    measure_whole(&sweep);
    fail_cables(&sweep);
    fail_nodes(&sweep);
    topology_fail_besides(rest, NULL, 0);
    if (sweep.failures.n)
        qsort(sweep.failures.items, sweep.failures.n, sizeof *sweep.failures.items, compare_failures);
    lists_free(&sweep.flows_on);
    lists_free(&sweep.links_of);
    changes_free(&sweep.step);
    changes_free(&sweep.total);
    free(sweep.order);
    free(sweep.step_order);
    free(sweep.total_order);
    free(sweep.affected);
    free(sweep.is_affected);
    free(sweep.is_step_affected);
    free(sweep.hops);
    return sweep.failures;
}

struct failures failures_of_scene(const struct scene *scene, const struct traffic_matrix *matrix,
                                  struct topology *rest, struct least_load least)
{
    const struct schedule_header *header = &scene->schedule->header;
    const struct failures_bound bound = {lower_bound_request_of(header, scene->topology, scene->placement),
                                         least, header->segments};
    return failures_sweep(matrix, rest, header->counts ? NULL : &bound);
}

void failures_free(struct failures *failures)
{
    free(failures->items);
    *failures = (struct failures){0};
}

void failure_print(const struct failure *failure, const struct topology *topology, struct text *out)
{
    char name[256];
    uint32_t end[2] = {failure->node, failure->node};
    static const char *const words[] = {"cable", "switch", "machine"};
    if (failure->part == FAILED_CABLE)
        topology_link_ends(topology, failure->link, &end[0], &end[1]);
    topology_node_name(topology, end[0], name, sizeof name);
    text_printf(out, "%s ", words[failure->part]);
    text_append_safe(out, name);
    if (failure->part != FAILED_CABLE)
        return;
    topology_node_name(topology, end[1], name, sizeof name);
    text_append(out, ":", 1);
    text_append_safe(out, name);
    if (failure->is_one_of_several)
        text_printf(out, " (link %" PRIu32 ")", failure->link);
}
