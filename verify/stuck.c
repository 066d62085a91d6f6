/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges the operations that are left when no rank can go on. Per pair of ranks the k-th send left would
 * meet the k-th receive left; what has no counterpart is unmatched, and two that would meet are to be of
 * one size. A posted operation whose counterpart exists but is not posted makes its rank wait for the
 * other: a cycle of such waits is a deadlock. Ranks that only wait behind those are not offered.
 */
#include "base/codes.h"
#include "verify/execution.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rank `from` waits with an operation for rank `to`. */
struct edge {
    uint32_t to;
    uint32_t op; /* index + 1 of the waiting operation */
};

struct wait_graph {
    uint32_t n_ranks;
    size_t *start; /* [rank + 1] into edges */
    struct edge *edges;
    uint32_t *component; /* [rank] strongly connected component */
};

/* ---- partners ---- */

static void push_unposted(struct backlog *backlog, uint32_t rank)
{
    for (uint32_t i = backlog->ranks[rank].unposted; i; i = op_at(backlog, i)->next) {
        const struct op *op = &op_at(backlog, i)->op;
        if (op_is_local(op))
            continue;
        bool is_send = op->kind == OP_SEND;
        struct pair *pair = is_send ? backlog_pair(backlog, op->rank, op->peer)
                                    : backlog_pair(backlog, op->peer, op->rank);
        backlog_push(backlog, is_send ? &pair->sends : &pair->receives, i, true);
    }
}

static void set_partners(struct backlog *backlog)
{
    for (size_t k = 0; k < backlog->pair_capacity; k++) {
        uint32_t send = backlog->pairs[k].sends.first;
        uint32_t receive = backlog->pairs[k].receives.first;
        while (send && receive) {
            struct queued_op *s = op_at(backlog, send), *r = op_at(backlog, receive);
            s->partner = receive;
            r->partner = send;
            send = s->next_in_pair;
            receive = r->next_in_pair;
        }
    }
}

static void find_partners(struct execution *execution)
{
    for (uint32_t rank = 0; rank < execution->verifier->n_ranks; rank++)
        push_unposted(&execution->backlog, rank);
    set_partners(&execution->backlog);
}

/* The operations of a pair that have no partner yet: of one kind, if any. */
static void leave_open(struct backlog *backlog, struct queue *queue)
{
    while (queue->first && op_at(backlog, queue->first)->partner)
        queue->first = op_at(backlog, queue->first)->next_in_pair;
}

void backlog_close(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    find_partners(execution);
    for (size_t k = 0; k < backlog->pair_capacity; k++) {
        leave_open(backlog, &backlog->pairs[k].sends);
        leave_open(backlog, &backlog->pairs[k].receives);
    }
    backlog->is_full = true;
}

/* The first of the queue meets `op` of a later step. From then on its next_in_pair is that step. */
static void meet_later(struct execution *execution, struct queue *queue, const struct op *op,
                       uint64_t step)
{
    struct backlog *backlog = &execution->backlog;
    uint32_t index = queue->first;
    if (!index)
        return;
    struct queued_op *left = op_at(backlog, index);
    queue->first = left->next_in_pair;
    left->partner = PARTNER_LATER;
    left->next_in_pair = step < UINT32_MAX ? (uint32_t)step : UINT32_MAX;
    if (op->kind == OP_SEND)
        events_unequal(execution->verifier, op, step, &left->op, left->step);
    else
        events_unequal(execution->verifier, &left->op, left->step, op, step);
}

void backlog_look_at(struct execution *execution, const struct step *step)
{
    struct backlog *backlog = &execution->backlog;
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *op = &step->sends[i];
        struct pair *pair = backlog_find_pair(backlog, op->rank, op->peer);
        if (pair)
            meet_later(execution, &pair->receives, op, step->index);
    }
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *op = &step->receives[i];
        struct pair *pair = backlog_find_pair(backlog, op->peer, op->rank);
        if (pair)
            meet_later(execution, &pair->sends, op, step->index);
    }
}

static uint64_t partner_step(struct backlog *backlog, const struct queued_op *queued)
{
    return queued->partner == PARTNER_LATER ? queued->next_in_pair
                                            : op_at(backlog, queued->partner)->step;
}

/* Returns the operations of a rank that have not met, messages only: *index is the place of the one before, 0
 * to start; 0 and NULL at the end. */
static const struct queued_op *next_left(struct backlog *backlog, uint32_t rank, uint32_t *index)
{
    *index = *index ? op_at(backlog, *index)->next : backlog->ranks[rank].queue.first;
    while (*index && (op_at(backlog, *index)->is_met || op_is_local(&op_at(backlog, *index)->op)))
        *index = op_at(backlog, *index)->next;
    return *index ? op_at(backlog, *index) : NULL;
}

/* Offers all unmatched operations to the rules. True if there are any. */
static bool offer_unmatched_ops(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    bool is_any = false;
    for (uint32_t rank = 0; rank < execution->verifier->n_ranks; rank++) {
        uint32_t index = 0;
        for (const struct queued_op *left; (left = next_left(backlog, rank, &index));) {
            if (left->partner)
                continue;
            is_any = true;
            offer_unmatched(execution->verifier, &(struct fact_unmatched){&left->op, left->step});
        }
    }
    return is_any;
}

static void offer_unequal_ops(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    for (uint32_t rank = 0; rank < execution->verifier->n_ranks; rank++) {
        uint32_t index = 0;
        for (const struct queued_op *left; (left = next_left(backlog, rank, &index));) {
            if (left->op.kind == OP_SEND || !left->partner || left->partner == PARTNER_LATER)
                continue;
            const struct queued_op *send = op_at(backlog, left->partner);
            events_unequal(execution->verifier, &send->op, send->step, &left->op, left->step);
        }
    }
}

/* ---- wait cycles ---- */

static void build_graph(struct execution *execution, struct wait_graph *graph)
{
    struct backlog *backlog = &execution->backlog;
    size_t n = 0, capacity = 0;
    graph->n_ranks = execution->verifier->n_ranks;
    graph->start = mem_alloc(graph->n_ranks + (size_t)1, sizeof *graph->start);
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++) {
        const struct rank_state *state = &backlog->ranks[rank];
        graph->start[rank] = n;
        for (uint32_t i = state->queue.first; i && i != state->unposted; i = op_at(backlog, i)->next) {
            const struct queued_op *queued = op_at(backlog, i);
            if (queued->is_met || !queued->partner)
                continue;
            graph->edges = mem_grow(graph->edges, &capacity, n + 1, sizeof *graph->edges);
            graph->edges[n++] = (struct edge){queued->op.peer, i};
        }
    }
    graph->start[graph->n_ranks] = n;
}

/* Tarjan's strongly connected components, with an explicit stack. */
struct tarjan {
    uint32_t *order, *low; /* [rank], order 0: not visited */
    size_t *next_edge;     /* [rank] */
    uint32_t *path, *stack;
    size_t n_path, n_stack;
    uint32_t n_visited, n_components;
};

static void stuck_enter(struct tarjan *t, const struct wait_graph *graph, uint32_t rank)
{
    t->order[rank] = t->low[rank] = ++t->n_visited;
    t->next_edge[rank] = graph->start[rank];
    t->path[t->n_path++] = rank;
    t->stack[t->n_stack++] = rank;
}

static void stuck_leave(struct tarjan *t, struct wait_graph *graph, uint32_t rank)
{
    t->n_path--;
    if (t->n_path) {
        uint32_t parent = t->path[t->n_path - 1];
        t->low[parent] = t->low[parent] < t->low[rank] ? t->low[parent] : t->low[rank];
    }
    if (t->low[rank] != t->order[rank])
        return;
    uint32_t member;
    t->n_components++;
    do {
        member = t->stack[--t->n_stack];
        graph->component[member] = t->n_components;
    } while (member != rank);
}

static void stuck_visit(struct tarjan *t, struct wait_graph *graph, uint32_t root)
{
    stuck_enter(t, graph, root);
    while (t->n_path) {
        uint32_t rank = t->path[t->n_path - 1];
        if (t->next_edge[rank] == graph->start[rank + 1]) {
            stuck_leave(t, graph, rank);
            continue;
        }
        uint32_t to = graph->edges[t->next_edge[rank]++].to;
        if (!t->order[to])
            stuck_enter(t, graph, to);
        else if (!graph->component[to] && t->order[to] < t->low[rank])
            t->low[rank] = t->order[to];
    }
}

static void stuck_find_components(struct wait_graph *graph)
{
    size_t n = graph->n_ranks;
    struct tarjan t = {.order = mem_alloc(n, sizeof *t.order), .low = mem_alloc(n, sizeof *t.low),
                       .next_edge = mem_alloc(n, sizeof *t.next_edge),
                       .path = mem_alloc(n, sizeof *t.path), .stack = mem_alloc(n, sizeof *t.stack)};
    graph->component = mem_alloc(n, sizeof *graph->component);
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        if (!t.order[rank])
            stuck_visit(&t, graph, rank);
    free(t.order);
    free(t.low);
    free(t.next_edge);
    free(t.path);
    free(t.stack);
}

/* Breadth-first search: via[rank] is the edge (+ 1) by which it was reached, 0
 * for all ranks between searches. */
struct search {
    size_t *via;
    uint32_t *queue;
    size_t n;
};

/* From `root` inside its component; true once `root` itself is reached again. */
static bool search_cycle(const struct wait_graph *graph, uint32_t root, struct search *search)
{
    search->queue[0] = root;
    search->n = 1;
    for (size_t head = 0; head < search->n; head++) {
        uint32_t rank = search->queue[head];
        for (size_t e = graph->start[rank]; e < graph->start[rank + 1]; e++) {
            uint32_t to = graph->edges[e].to;
            if (search->via[to] || graph->component[to] != graph->component[root])
                continue;
            search->via[to] = e + 1;
            if (to == root)
                return true;
            search->queue[search->n++] = to;
        }
    }
    return false;
}

/* Finds the shortest cycle through `root`; its length, 0 if there is none. */
static size_t shortest_cycle(struct execution *execution, const struct wait_graph *graph,
                             uint32_t root, struct search *search, struct wait *cycle)
{
    struct backlog *backlog = &execution->backlog;
    size_t n = 0;
    if (search_cycle(graph, root, search)) {
        uint32_t rank = root;
        do { /* backwards from root to root */
            size_t edge = search->via[rank] - 1;
            const struct queued_op *queued = op_at(backlog, graph->edges[edge].op);
            cycle[n++] =
                (struct wait){&queued->op, queued->step, partner_step(backlog, queued)};
            rank = queued->op.rank;
        } while (rank != root);
        for (size_t i = 0; i < n / 2; i++) {
            struct wait swap = cycle[i];
            cycle[i] = cycle[n - 1 - i];
            cycle[n - 1 - i] = swap;
        }
    }
    for (size_t i = 0; i < search->n; i++)
        search->via[search->queue[i]] = 0;
    return n;
}

/* The ranks of components that have waits inside. */
static bool find_cyclic(const struct wait_graph *graph, bool *is_in_cycle)
{
    bool *is_cyclic = mem_alloc(graph->n_ranks + (size_t)1, sizeof *is_cyclic), is_any = false;
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        for (size_t e = graph->start[rank]; e < graph->start[rank + 1]; e++)
            if (graph->component[graph->edges[e].to] == graph->component[rank])
                is_cyclic[graph->component[rank]] = is_any = true;
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++)
        is_in_cycle[rank] = is_cyclic[graph->component[rank]];
    free(is_cyclic);
    return is_any;
}

/* Offers one cycle of each component, from its lowest rank on. */
static void offer_cycles(struct execution *execution, const struct wait_graph *graph,
                         const bool *is_in_cycle)
{
    bool *is_done = mem_alloc(graph->n_ranks + (size_t)1, sizeof *is_done);
    struct wait *cycle = mem_alloc(graph->n_ranks, sizeof *cycle);
    struct search search = {.via = mem_alloc(graph->n_ranks, sizeof *search.via),
                            .queue = mem_alloc(graph->n_ranks, sizeof *search.queue)};
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++) {
        if (is_done[graph->component[rank]] || !is_in_cycle[rank])
            continue;
        is_done[graph->component[rank]] = true;
        size_t n = shortest_cycle(execution, graph, rank, &search, cycle);
        assert(n && "a rank of the component waits in a cycle");
        offer_cycle(execution->verifier, &(struct fact_cycle){cycle, n});
    }
    free(is_done);
    free(cycle);
    free(search.via);
    free(search.queue);
}

/* Returns the operation that waits in the earliest step, of the lowest rank. */
static const struct queued_op *first_waiting(struct execution *execution)
{
    struct backlog *backlog = &execution->backlog;
    const struct queued_op *first = NULL;
    for (uint32_t rank = 0; rank < execution->verifier->n_ranks; rank++) {
        uint32_t index = 0;
        const struct queued_op *op = next_left(backlog, rank, &index);
        if (op && (!first || op->step < first->step))
            first = op;
    }
    return first;
}

/* The schedule stands still because of what was not queued. */
static void offer_standstill(struct execution *execution)
{
    const struct queued_op *first = first_waiting(execution);
    assert(first && "a rank is behind because something waits");
    const struct fact_unjudged fact = {&first->op, first->step, execution->backlog.n_queued,
                                       backlog_limit(execution->verifier)};
    offer_unjudged(execution->verifier, &fact);
}

void backlog_judge(struct execution *execution)
{
    const bool is_full = execution->backlog.is_full;
    struct wait_graph graph = {0};
    bool *is_in_cycle = mem_alloc(execution->verifier->n_ranks, sizeof *is_in_cycle);
    if (!is_full)
        find_partners(execution);
    const bool is_unmatched = offer_unmatched_ops(execution);
    offer_unequal_ops(execution);
    build_graph(execution, &graph);
    stuck_find_components(&graph);
    const bool is_cyclic = find_cyclic(&graph, is_in_cycle);
    assert((is_unmatched || is_cyclic || is_full) && "a rank is behind for one of these");
    const bool is_receive_unmatched = execution->verifier->diagnostics->n_of_code[CODE_M002] > 0;
    if (!is_full && !is_receive_unmatched && (is_cyclic || is_unmatched))
        backlog_measure_buffers(execution, is_in_cycle, is_unmatched);
    offer_cycles(execution, &graph, is_in_cycle);
    if (is_full && !is_unmatched && !is_cyclic)
        offer_standstill(execution);
    free(is_in_cycle);
    free(graph.start);
    free(graph.edges);
    free(graph.component);
}
