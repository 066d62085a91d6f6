/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-to-alls on trees without contention. With x ranks in the largest branch at the centre, of M in all,
 * the link to it has x (M - x) messages each way, which is the number of steps:
 *
 *   between branches   In each step a branch sends at most one message to others and receives at
 *                      most one: those from branch i to branch j fill an interval of steps (Faraj &
 *                      Yuan 2005, from where the intervals are).
 *   receivers          Who receives in which step is an edge colouring, such that every pair has its
 *                      message, and to each two ranks a and b of a branch there is a step in
 *                      which a is the one that sends out of the branch, and b receives, or nobody.
 *   within a branch    In that step b sends to a: its way up is not on that of a's message, nor its
 *                      way down on that of the message to b.
 *
 * Proofs are in docs/proofs.md. Time O(messages * ranks of a branch) at worst, mostly little more than
 * the messages; memory O(messages).
 */
#include "bound/colouring.h"
#include "synth/branches.h"
#include "synth/method.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

struct phases {
    struct branches branches;
    uint32_t n_ranks, n_steps;
    struct synth_steps *steps;
};

/* State of filling one branch. */
struct inside {
    uint32_t branch, size;
    uint32_t *sender;            /* [step] place of the rank that sends out of the branch; or NOBODY */
    bool *receives;              /* [step] */
    struct coloured_edge *edges; /* receives of the branch: sources, and the ranks that send meanwhile */
    uint32_t *edge_step;
    size_t n_edges;
    bool *is_paired;             /* [a * size + b] there is a step for the message from b to a */
};

/* ---- between branches ---- */

static uint32_t ranks_between(const struct phases *phases, uint32_t first, uint32_t end)
{
    return phases->branches.first[end] - phases->branches.first[first];
}

/* Returns the first step of the messages from branch i to branch j. */
static uint32_t interval_start(const struct phases *phases, uint32_t i, uint32_t j)
{
    if (i < j)
        return branch_size(&phases->branches, i) * ranks_between(phases, i + 1, j);
    return phases->n_steps - branch_size(&phases->branches, j) * ranks_between(phases, j + 1, i + 1);
}

/* Returns the place in branch i that sends message k of an interval. */
static uint32_t sender_of(const struct phases *phases, uint32_t i, uint32_t k)
{
    return k % branch_size(&phases->branches, i);
}

static uint32_t phases_rank_at(const struct phases *phases, uint32_t branch, uint32_t place)
{
    return phases->branches.ranks[phases->branches.first[branch] + place];
}

static void phases_find_senders(const struct phases *phases, struct inside *inside)
{
    memset(inside->sender, 0xff, phases->n_steps * sizeof *inside->sender);
    for (uint32_t j = 0; j < phases->branches.n; j++) {
        if (j == inside->branch)
            continue;
        const uint32_t start = interval_start(phases, inside->branch, j);
        const uint32_t n = inside->size * branch_size(&phases->branches, j);
        for (uint32_t k = 0; k < n; k++)
            inside->sender[start + k] = sender_of(phases, inside->branch, k);
    }
}

/* ---- receivers ---- */

/* Lists an edge for each message that comes in, between its source and the rank that sends out in that
 * step; each of both has as many as the branch has ranks. All other messages go to vertices of their own,
 * as many to each. */
static uint32_t phases_list_edges(const struct phases *phases, struct inside *inside)
{
    const uint32_t size = inside->size;
    uint32_t *n_of = mem_alloc(size, sizeof *n_of), n_others = 0;
    inside->n_edges = 0;
    memset(inside->receives, 0, phases->n_steps * sizeof *inside->receives);
    for (uint32_t i = 0; i < phases->branches.n; i++) {
        if (i == inside->branch)
            continue;
        const uint32_t start = interval_start(phases, i, inside->branch);
        for (uint32_t k = 0; k < branch_size(&phases->branches, i) * size; k++) {
            const uint32_t step = start + k, sender = inside->sender[step];
            uint32_t right;
            if (sender != NOBODY && n_of[sender] < size) {
                right = sender;
                n_of[sender]++;
            } else {
                right = size + n_others++ / size;
            }
            inside->receives[step] = true;
            inside->edges[inside->n_edges] =
                (struct coloured_edge){{phases_rank_at(phases, i, sender_of(phases, i, k)), right}, 0};
            inside->edge_step[inside->n_edges++] = step;
        }
    }
    free(n_of);
    return size + n_others / size + 1;
}

static void phases_send(const struct phases *phases, uint32_t step, uint32_t from, uint32_t to)
{
    synth_steps_send_block(phases->steps, step, from, to, 1);
}

/* Sends within a branch, from place b to place a. */
static void send_inside(const struct phases *phases, struct inside *inside, uint32_t step, uint32_t b,
                        uint32_t a)
{
    inside->is_paired[(size_t)a * inside->size + b] = true;
    phases_send(phases, step, phases_rank_at(phases, inside->branch, b),
                phases_rank_at(phases, inside->branch, a));
}

static void receive_all(const struct phases *phases, struct inside *inside)
{
    const size_t n_vertices[] = {phases->n_ranks, phases_list_edges(phases, inside)};
    colour_edges(inside->edges, inside->n_edges, n_vertices, inside->size);
    for (size_t i = 0; i < inside->n_edges; i++) {
        const struct coloured_edge *edge = &inside->edges[i];
        const uint32_t step = inside->edge_step[i], a = edge->end[1], b = edge->colour;
        phases_send(phases, step, edge->end[0], phases_rank_at(phases, inside->branch, b));
        if (a < inside->size && a != b)
            send_inside(phases, inside, step, b, a);
    }
}

/* Gives pairs without a step one in which a sends out and nothing comes in. */
static void pair_the_rest(const struct phases *phases, struct inside *inside)
{
    const uint32_t size = inside->size;
    uint32_t *next = mem_alloc(size, sizeof *next);
    for (uint32_t step = 0; step < phases->n_steps; step++) {
        const uint32_t a = inside->sender[step];
        if (a == NOBODY || inside->receives[step])
            continue;
        while (next[a] < size && (next[a] == a || inside->is_paired[(size_t)a * size + next[a]]))
            next[a]++;
        if (next[a] < size)
            send_inside(phases, inside, step, next[a], a);
    }
    for (size_t i = 0; i < (size_t)size * size; i++)
        assert((inside->is_paired[i] || i / size == i % size) && "each pair has a step");
    free(next);
}

/* Sends everything for the ranks of a branch. */
static void fill_branch(const struct phases *phases, struct inside *inside, uint32_t branch)
{
    inside->branch = branch;
    inside->size = branch_size(&phases->branches, branch);
    inside->is_paired = mem_alloc((size_t)inside->size * inside->size, sizeof *inside->is_paired);
    phases_find_senders(phases, inside);
    receive_all(phases, inside);
    pair_the_rest(phases, inside);
    free(inside->is_paired);
}

/* Fills a branch of one rank, which needs no colours. */
static void fill_single(const struct phases *phases, uint32_t branch)
{
    for (uint32_t i = 0; i < phases->branches.n; i++) {
        const uint32_t start = i == branch ? 0 : interval_start(phases, i, branch);
        for (uint32_t k = 0; i != branch && k < branch_size(&phases->branches, i); k++)
            phases_send(phases, start + k, phases_rank_at(phases, i, sender_of(phases, i, k)),
                        phases_rank_at(phases, branch, 0));
    }
}

static void phases_fill(struct phases *phases)
{
    const uint32_t largest = branch_size(&phases->branches, 0);
    const size_t most = (size_t)largest * (phases->n_ranks - largest) + 1;
    struct inside inside = {.branch = 0};
    phases->n_steps = largest * (phases->n_ranks - largest);
    inside.sender = mem_alloc(phases->n_steps, sizeof *inside.sender);
    inside.receives = mem_alloc(phases->n_steps, sizeof *inside.receives);
    inside.edges = mem_alloc(most, sizeof *inside.edges);
    inside.edge_step = mem_alloc(most, sizeof *inside.edge_step);
    for (uint32_t branch = 0; branch < phases->branches.n; branch++)
        if (branch_size(&phases->branches, branch) > 1)
            fill_branch(phases, &inside, branch);
        else
            fill_single(phases, branch);
    for (uint32_t rank = 0; rank < phases->n_ranks; rank++)
        phases_send(phases, 0, rank, rank);
    free(inside.sender);
    free(inside.receives);
    free(inside.edges);
    free(inside.edge_step);
}

static bool phases_make(const struct synth_request *request, struct synth_steps *steps,
                        struct schedule_header *header, struct text *problem)
{
    struct phases phases = {.n_ranks = request->what.placement->n_ranks, .steps = steps};
    if (!synth_is_alltoall(request, problem))
        return false;
    if (request->form != FORM_EQUAL) {
        text_printf(problem, "counts are unequal");
        return false;
    }
    if (!branches_find(&request->what, &phases.branches, problem))
        return false;
    header->segments = 1;
    phases_fill(&phases);
    branches_free(&phases.branches);
    return true;
}

const struct synth_method phases_method = {"phases", phases_make, true};
