/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the rank that sends each message of a plan, and the one that receives it. Both are colourings of
 * a bipartite graph whose edges are messages (docs/proofs.md). See server_plan.h.
 */
#include "bound/colouring.h"
#include "bound/server_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct planned_message {
    uint32_t step, to_server;
    uint32_t from, to; /* ranks, once they are found */
};

struct planned_schedule {
    struct schedule base; /* first: the schedule handed out is this object */
    uint32_t n_steps, step;
    size_t *first;        /* [step] of sends and receives */
    struct op *sends, *receives, *copies;
};

/* The messages of a plan by their servers. In one more step every rank sends to itself. */
struct messages {
    const struct server_plan *plan;
    struct planned_message *all; /* by server of the sender, then step */
    size_t n, *of_server;        /* [server] where its messages begin, n_servers + 1 */
    struct coloured_edge *edges;
    size_t *edge_message;        /* [edge] */
};

/* ---- senders ---- */

static uint32_t server_plan_schedule_flow_of(const struct server_plan *plan, uint32_t step, uint32_t from,
                                             uint32_t to)
{
    const size_t n_servers = plan->placement->n_servers;
    if (step == plan->n_steps)
        return from == to ? placement_slots(plan->placement, from) : 0;
    return plan->flow[(step * n_servers + from) * n_servers + to];
}

static void server_plan_schedule_list_messages(struct messages *messages)
{
    const struct server_plan *plan = messages->plan;
    const uint32_t n_servers = plan->placement->n_servers;
    for (uint32_t from = 0; from < n_servers; from++) {
        for (uint32_t step = 0; step <= plan->n_steps; step++)
            for (uint32_t to = 0; to < n_servers; to++)
                for (uint32_t i = server_plan_schedule_flow_of(plan, step, from, to); i > 0; i--)
                    messages->all[messages->n++] = (struct planned_message){step, to, 0, 0};
        messages->of_server[from + 1] = messages->n;
    }
}

/* Finds senders. Edges join steps and, for each rank of another server, a vertex with as many of the
 * messages to that server as ours has ranks. So each rank of ours gets one of each vertex. */
static void server_plan_schedule_find_senders(struct messages *messages, uint32_t server)
{
    const struct placement *placement = messages->plan->placement;
    const size_t first = messages->of_server[server], n = messages->of_server[server + 1] - first;
    const size_t n_vertices[] = {(size_t)messages->plan->n_steps + 1, placement->n_ranks};
    const uint32_t slots = placement_slots(placement, server);
    uint32_t *n_to = mem_alloc(placement->n_servers, sizeof *n_to);
    for (size_t i = 0; i < n; i++) {
        const struct planned_message *message = &messages->all[first + i];
        messages->edges[i].end[0] = message->step;
        messages->edges[i].end[1] = placement->first[message->to_server] + n_to[message->to_server]++ / slots;
    }
    colour_edges(messages->edges, n, n_vertices, slots);
    for (size_t i = 0; i < n; i++)
        messages->all[first + i].from =
            placement->ranks[placement->first[server] + messages->edges[i].colour];
    free(n_to);
}

/* ---- receivers ---- */

/* Finds receivers. Edges join steps and senders. In the last step each sender sends to itself, which tells
 * the rank of each colour. */
static void find_receivers(struct messages *messages, uint32_t server)
{
    const struct server_plan *plan = messages->plan;
    const struct placement *placement = plan->placement;
    const size_t n_vertices[] = {(size_t)plan->n_steps + 1, placement->n_ranks};
    const uint32_t slots = placement_slots(placement, server);
    uint32_t *rank = mem_alloc(slots, sizeof *rank);
    size_t n = 0;
    for (size_t i = 0; i < messages->n; i++)
        if (messages->all[i].to_server == server) {
            const struct planned_message *message = &messages->all[i];
            messages->edges[n] = (struct coloured_edge){{message->step, message->from}, 0};
            messages->edge_message[n++] = i;
        }
    colour_edges(messages->edges, n, n_vertices, slots);
    for (size_t i = 0; i < n; i++)
        if (messages->edges[i].end[0] == plan->n_steps)
            rank[messages->edges[i].colour] = messages->edges[i].end[1];
    for (size_t i = 0; i < n; i++)
        messages->all[messages->edge_message[i]].to = rank[messages->edges[i].colour];
    free(rank);
}

/* ---- the schedule ---- */

static struct messages find_ranks(const struct server_plan *plan)
{
    const uint32_t n_servers = plan->placement->n_servers;
    const size_t p = plan->placement->n_ranks;
    struct messages messages = {.plan = plan};
    messages.all = mem_alloc(p * p, sizeof *messages.all);
    messages.of_server = mem_alloc((size_t)n_servers + 1, sizeof *messages.of_server);
    messages.edges = mem_alloc(p * p, sizeof *messages.edges);
    messages.edge_message = mem_alloc(p * p, sizeof *messages.edge_message);
    server_plan_schedule_list_messages(&messages);
    assert(messages.n == p * p && "a plan has a message for each two ranks");
    for (uint32_t server = 0; server < n_servers; server++)
        server_plan_schedule_find_senders(&messages, server);
    for (uint32_t server = 0; server < n_servers; server++)
        find_receivers(&messages, server);
    free(messages.edges);
    free(messages.edge_message);
    free(messages.of_server);
    return messages;
}

static bool planned_next(struct schedule *schedule, struct step *step)
{
    struct planned_schedule *self = (struct planned_schedule *)schedule;
    if (self->step == (self->n_steps ? self->n_steps : 1))
        return false;
    const size_t first = self->first[self->step];
    const size_t n = self->n_steps ? self->first[self->step + 1] - first : 0;
    *step = (struct step){.index = self->step,
                          .sends = self->sends + first,
                          .receives = self->receives + first,
                          .copies = self->copies,
                          .n_sends = n,
                          .n_receives = n,
                          .n_copies = self->step ? 0 : schedule->header.n_ranks};
    self->step++;
    return true;
}

static void planned_rewind(struct schedule *schedule)
{
    ((struct planned_schedule *)schedule)->step = 0;
}

static void planned_destroy(struct schedule *schedule)
{
    struct planned_schedule *self = (struct planned_schedule *)schedule;
    free(self->first);
    free(self->sends);
    free(self->receives);
    free(self->copies);
    free(self);
}

/* Sorts messages by steps; a rank's message to itself is a copy. */
static void server_plan_schedule_sort_messages(struct planned_schedule *self, const struct messages *messages)
{
    size_t *next = mem_alloc((size_t)self->n_steps + 2, sizeof *next);
    for (size_t i = 0; i < messages->n; i++)
        next[messages->all[i].step + 1]++;
    for (uint32_t step = 0; step <= self->n_steps; step++)
        next[step + 1] += next[step];
    memcpy(self->first, next, ((size_t)self->n_steps + 2) * sizeof *next);
    for (size_t i = 0; i < messages->n; i++) {
        const struct planned_message *message = &messages->all[i];
        const size_t place = next[message->step]++;
        self->sends[place] = (struct op){.rank = message->from, .peer = message->to,
                                         .chunk = message->to, .n_chunks = 1, .kind = OP_SEND,
                                         .buffer = BUFFER_IN};
        self->receives[place] = (struct op){.rank = message->to, .peer = message->from,
                                            .chunk = message->from, .n_chunks = 1, .kind = OP_RECV,
                                            .buffer = BUFFER_OUT};
    }
    free(next);
}

struct schedule *server_plan_schedule(const struct server_plan *plan)
{
    const uint32_t p = plan->placement->n_ranks;
    struct messages messages = find_ranks(plan);
    struct planned_schedule *self = mem_alloc(1, sizeof *self);
    self->base = (struct schedule){
        .header = {.collective = COLLECTIVE_alltoall, .form = FORM_EQUAL, .algorithm = "planned",
                   .n_ranks = p, .segments = 1},
        .next = planned_next, .rewind = planned_rewind, .destroy = planned_destroy};
    self->n_steps = plan->n_steps;
    self->first = mem_alloc((size_t)plan->n_steps + 2, sizeof *self->first);
    self->sends = mem_alloc(messages.n, sizeof *self->sends);
    self->receives = mem_alloc(messages.n, sizeof *self->receives);
    self->copies = mem_alloc(p, sizeof *self->copies);
    for (uint32_t rank = 0; rank < p; rank++)
        self->copies[rank] = (struct op){.rank = rank, .to_chunk = rank, .chunk = rank, .n_chunks = 1,
                                         .kind = OP_COPY, .buffer = BUFFER_IN,
                                         .to_buffer = BUFFER_OUT};
    server_plan_schedule_sort_messages(self, &messages);
    free(messages.all);
    return &self->base;
}
