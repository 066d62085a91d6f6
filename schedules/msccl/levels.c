/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the steps of events: each in the earliest that the arrows allow, with a send and its receive in
 * the same one. In a step a rank first copies, then posts its sends and receives, and at the end has the
 * received data. So an event that waits for a receive is in a later step. So is an event that touches the
 * same chunk, if the step would reverse the order of the two, or if a receive would overwrite data that
 * is sent or received.
 *
 * A connection holds any number of messages, so a send need not wait until its receiver is ready, and
 * there may be no steps with each send and its receive together: GPU 0 sends, computes, receives, and GPU
 * 1 the same. Then arrows and messages form a cycle that asks for a later step. Such a message is
 * *staged*: it is received into chunks of tmp of its own in the step in which it is sent, and the receive
 * copies it from there, or combines it.
 *
 * Cycles are found as strongly connected components (Tarjan, SIAM J. Comput. 1, 1972); events of one that
 * does not ask for a later step are in one step.
 */
#include "schedules/msccl/internal.h"

#include <stdlib.h>
#include <string.h>

struct components {
    struct successors successors;
    uint32_t *of;     /* [event], no arrow leads to a higher one; NONE: not in the order */
    uint32_t *listed; /* [n_ordered] events by component, ascending */
    uint32_t n, n_listed;
};

/* A depth-first walk in progress. */
struct walk {
    const struct msccl_graph *graph;
    struct components *components;
    uint32_t *found, *low; /* [event] when it was met, from 1; and the earliest that it leads to */
    uint32_t *next;        /* [event] its successors that were followed */
    uint32_t *path, n_path;
    uint32_t *open, n_open; /* events whose component is not known yet */
    uint32_t clock;
};

static bool is_in_step_of_send(const struct event *event)
{
    return event->partner != NONE && !event->is_staged &&
           (event->kind == OP_RECV || event->kind == OP_REDUCE);
}

/* Returns the k-th event behind one: by an arrow, or for a receive its send; NONE if there are no more. */
static uint32_t successor(const struct msccl_graph *graph, const struct successors *successors,
                          uint32_t event, uint32_t k)
{
    const uint32_t n = successors->first[event + 1] - successors->first[event];
    if (k < n)
        return graph->arrows.items[successors->arrows[successors->first[event] + k]].to;
    return k == n && is_in_step_of_send(&graph->events[event]) ? graph->events[event].partner : NONE;
}

static void levels_enter(struct walk *walk, uint32_t event)
{
    walk->found[event] = walk->low[event] = ++walk->clock;
    walk->path[walk->n_path++] = event;
    walk->open[walk->n_open++] = event;
}

/* Leaves an event after all events behind it, and closes its component if it is the first of one. */
static void levels_leave(struct walk *walk, uint32_t event)
{
    struct components *components = walk->components;
    walk->n_path--;
    if (walk->n_path && walk->low[walk->path[walk->n_path - 1]] > walk->low[event])
        walk->low[walk->path[walk->n_path - 1]] = walk->low[event];
    if (walk->low[event] != walk->found[event])
        return;
    uint32_t member;
    do {
        member = walk->open[--walk->n_open];
        components->of[member] = components->n;
        components->listed[components->n_listed++] = member;
    } while (member != event);
    components->n++;
}

static void walk_from(struct walk *walk, uint32_t start)
{
    const struct components *components = walk->components;
    levels_enter(walk, start);
    while (walk->n_path) {
        const uint32_t event = walk->path[walk->n_path - 1];
        const uint32_t next = successor(walk->graph, &components->successors, event, walk->next[event]);
        if (next == NONE) {
            levels_leave(walk, event);
            continue;
        }
        walk->next[event]++;
        if (walk->graph->events[next].level == NONE)
            continue; /* waits forever */
        if (!walk->found[next])
            levels_enter(walk, next);
        else if (components->of[next] == NONE && walk->found[next] < walk->low[event])
            walk->low[event] = walk->found[next];
    }
}

static void levels_find_components(const struct msccl_graph *graph, struct components *components)
{
    const size_t n = graph->n_events;
    struct walk walk = {.graph = graph,
                        .components = components,
                        .found = mem_alloc(n, sizeof *walk.found),
                        .low = mem_alloc(n, sizeof *walk.low),
                        .next = mem_alloc(n, sizeof *walk.next),
                        .path = mem_alloc(n, sizeof *walk.path),
                        .open = mem_alloc(n, sizeof *walk.open)};
    components->n = components->n_listed = 0;
    memset(components->of, 0xff, n * sizeof *components->of);
    for (size_t i = 0; i < graph->n_ordered; i++)
        if (!walk.found[graph->order[i]])
            walk_from(&walk, graph->order[i]);
    free(walk.found);
    free(walk.low);
    free(walk.next);
    free(walk.path);
    free(walk.open);
}

/* ---- steps ---- */

/* Returns the least number of steps from one to the other. */
static uint32_t levels_distance(const struct msccl_graph *graph, const struct arrow *arrow)
{
    const struct event *from = &graph->events[arrow->from], *to = &graph->events[arrow->to];
    if (to->is_staged && to->partner == arrow->from)
        return 1;
    if (arrow->kind == ARROW_WAIT) /* a send is done when it is posted */
        return from->phase == PHASE_RECEIVE && to->phase != PHASE_RECEIVE;
    return arrow->kind == ARROW_OVER || from->phase > to->phase;
}

/* Finds the earliest steps of a list of events, in whose order no arrow leads back except within a
 * component. */
static void set_levels(struct msccl_graph *graph, const struct components *components, uint32_t *levels,
                       const uint32_t *list, bool is_backwards, const uint32_t *place)
{
    const size_t n = graph->n_ordered;
    for (size_t i = 0; i < n; i++) {
        const uint32_t event = list[is_backwards ? n - 1 - i : i];
        const struct successors *successors = &components->successors;
        for (uint32_t k = successors->first[event]; k < successors->first[event + 1]; k++) {
            const struct arrow *arrow = &graph->arrows.items[successors->arrows[k]];
            const uint32_t level = levels[place[event]] + levels_distance(graph, arrow);
            if (place[arrow->to] != NONE && levels[place[arrow->to]] < level)
                levels[place[arrow->to]] = level;
        }
    }
}

/* Returns [component] true if it asks for a step later than itself. */
static bool *find_growing(const struct msccl_graph *graph, const struct components *components, bool *is_any)
{
    bool *is_growing = mem_alloc(components->n, sizeof *is_growing);
    *is_any = false;
    for (size_t i = 0; i < graph->arrows.n; i++) {
        const struct arrow *arrow = &graph->arrows.items[i];
        const uint32_t component = components->of[arrow->from];
        if (component == NONE || component != components->of[arrow->to] || !levels_distance(graph, arrow))
            continue;
        is_growing[component] = *is_any = true;
    }
    return is_growing;
}

static void stage(struct msccl_graph *graph, struct event *event)
{
    event->is_staged = true;
    event->phase = PHASE_LOCAL;
    event->slot = msccl_new_slot(graph, event->gpu, event->at.n).chunk;
}

/* Stages messages of growing components: the messages that arrive later than they are sent if the two are
 * set apart; in a component without one, and with `all`, every message. */
static void stage_messages(struct msccl_graph *graph, const struct components *components,
                           const bool *is_growing, const uint32_t *apart, bool all)
{
    bool *has_late = mem_alloc(components->n, sizeof *has_late);
    for (int is_second = 0; is_second < 2; is_second++) {
        for (size_t i = 0; i < graph->n_ordered; i++) {
            const uint32_t index = graph->order[i], component = components->of[index];
            struct event *event = &graph->events[index];
            if (!is_growing[component] || !is_in_step_of_send(event) ||
                components->of[event->partner] != component)
                continue;
            const bool is_late = apart[index] > apart[event->partner];
            if (!is_second)
                has_late[component] = has_late[component] || is_late;
            else if (all || is_late || !has_late[component])
                stage(graph, event);
        }
    }
    free(has_late);
}

/* Returns the steps of all events if sends do not wait for receives. */
static uint32_t *levels_apart(struct msccl_graph *graph, const struct components *components)
{
    uint32_t *levels = mem_alloc(graph->n_events, sizeof *levels);
    uint32_t *place = mem_alloc(graph->n_events, sizeof *place);
    for (uint32_t event = 0; event < graph->n_events; event++)
        place[event] = graph->events[event].level == NONE ? NONE : event;
    set_levels(graph, components, levels, graph->order, false, place);
    free(place);
    return levels;
}

/* Stages messages until every component is in one step. */
static void stage_all(struct msccl_graph *graph, struct components *components)
{
    uint32_t *apart = levels_apart(graph, components);
    for (bool all = false;; all = true) {
        bool is_any;
        levels_find_components(graph, components);
        bool *is_growing = find_growing(graph, components, &is_any);
        if (is_any)
            stage_messages(graph, components, is_growing, apart, all);
        free(is_growing);
        if (!is_any)
            break;
    }
    free(apart);
}

/* Leaves out events that wait forever: they and their messages get no level. */
static void leave_out_waiting(struct msccl_graph *graph)
{
    for (uint32_t event = 0; event < graph->n_events; event++)
        graph->events[event].level = NONE;
    for (size_t i = 0; i < graph->n_ordered; i++)
        graph->events[graph->order[i]].level = 0;
    for (uint32_t event = 0; event < graph->n_events; event++) {
        struct event *one = &graph->events[event];
        if (one->partner == NONE || graph->events[one->partner].level != NONE)
            continue;
        graph->events[one->partner].partner = NONE;
        one->partner = NONE;
    }
}

void msccl_set_levels(struct msccl_graph *graph)
{
    struct components components = {.of = mem_alloc(graph->n_events, sizeof *components.of),
                                    .listed = mem_alloc(graph->n_events, sizeof *components.listed)};
    leave_out_waiting(graph);
    components.successors = successors_of(graph);
    stage_all(graph, &components);
    uint32_t *levels = mem_alloc(components.n, sizeof *levels);
    set_levels(graph, &components, levels, components.listed, true, components.of);
    for (size_t i = 0; i < graph->n_ordered; i++)
        graph->events[graph->order[i]].level = levels[components.of[graph->order[i]]];
    free(levels);
    free(components.of);
    free(components.listed);
    successors_free(&components.successors);
}
