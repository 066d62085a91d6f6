/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small cases: the problem of the method `exact` (exact.h), its lower bound, and all-to-alls made of its
 * best solution. Collectives in which all ranks need the same become trees (trees.c).
 */
#include "synth/exact.h"

#include "base/integer.h"
#include "synth/arcs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VARIABLES = 1 << 20 };

static void exact_free(struct exact *exact)
{
    free(exact->arcs);
    free(exact->links);
    free(exact->capacity);
    free(exact->distance);
    free(exact->source);
    free(exact->target);
    free(exact->sends);
    *exact = (struct exact){0};
}

/* ---- arcs ---- */

/* Returns the bandwidth that passes a chunk in a round: that of the slowest cable between two machines, or
 * of the slowest link if there is none. */
static uint64_t round_bandwidth(const struct topology *topology, const struct arcs *arcs)
{
    uint64_t slowest[2] = {UINT64_MAX, UINT64_MAX};
    for (size_t arc = 0; arc < arcs->n; arc++) {
        const size_t first = arcs->all[arc].links, end = arcs->all[arc + 1].links;
        for (size_t i = first; i < end; i++) {
            const uint64_t bandwidth = topology_link_bandwidth(topology, arcs->links[i]);
            const bool is_cable = end == first + 1;
            slowest[is_cable] = bandwidth < slowest[is_cable] ? bandwidth : slowest[is_cable];
        }
    }
    return slowest[slowest[1] < UINT64_MAX];
}

/* Takes the arcs with room for a chunk in a round, in the direction of the problem. */
static void take_arcs(struct exact *exact, const struct arcs *arcs, const uint64_t *capacity,
                      bool is_backwards)
{
    exact->arcs = mem_alloc(arcs->n + 1, sizeof *exact->arcs);
    exact->links = mem_alloc(arcs->n_links + 1, sizeof *exact->links);
    for (uint32_t from = 0; from < exact->n_nodes; from++)
        for (size_t arc = arcs->first[from]; arc < arcs->first[from + 1]; arc++) {
            const size_t first = arcs->all[arc].links, end = arcs->all[arc + 1].links;
            const uint32_t to = arcs->all[arc].to;
            bool has_room = true;
            for (size_t i = first; i < end; i++) {
                exact->links[i] = arcs->links[i];
                has_room = has_room && capacity[arcs->links[i]] > 0;
            }
            if (has_room)
                exact->arcs[exact->n_arcs++] = is_backwards ? (struct exact_arc){to, from, first, end}
                                                            : (struct exact_arc){from, to, first, end};
        }
}

/* Numbers the links of arcs from 0; other links are ignored. */
static void exact_number_links(struct exact *exact, const uint64_t *capacity, uint32_t n_links)
{
    uint32_t *number = mem_alloc(n_links, sizeof *number); /* and 1; 0: none */
    exact->capacity = mem_alloc(n_links, sizeof *exact->capacity);
    for (uint32_t arc = 0; arc < exact->n_arcs; arc++)
        for (size_t i = exact->arcs[arc].first; i < exact->arcs[arc].end; i++) {
            const uint32_t link = exact->links[i];
            if (!number[link]) {
                exact->capacity[exact->n_links] = capacity[link] < UINT16_MAX ? (uint32_t)capacity[link]
                                                                              : UINT16_MAX;
                number[link] = ++exact->n_links;
            }
            exact->links[i] = number[link] - 1;
        }
    free(number);
}

static void find_arcs(struct exact *exact, bool is_backwards)
{
    const struct topology *topology = exact->request->what.topology;
    struct arcs arcs = arcs_of(topology, exact->request->what.placement);
    const uint64_t round = round_bandwidth(topology, &arcs);
    uint64_t *capacity = mem_alloc(topology->n_link_ids, sizeof *capacity);
    for (size_t i = 0; i < arcs.n_links; i++)
        capacity[arcs.links[i]] = topology_link_bandwidth(topology, arcs.links[i]) / round;
    take_arcs(exact, &arcs, capacity, is_backwards);
    exact_number_links(exact, capacity, topology->n_link_ids);
    free(capacity);
    arcs_free(&arcs);
}

static void exact_find_distances(struct exact *exact)
{
    const uint32_t n = exact->n_nodes;
    exact->distance = mem_alloc((size_t)n * n, sizeof *exact->distance);
    for (uint32_t pair = 0; pair < n * n; pair++)
        exact->distance[pair] = pair / n == pair % n ? 0 : EXACT_ALL;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t round = 1; round < n; round++)
            for (uint32_t arc = 0; arc < exact->n_arcs; arc++) {
                const uint32_t before = exact->distance[from * n + exact->arcs[arc].from];
                uint32_t *after = &exact->distance[from * n + exact->arcs[arc].to];
                if (before == round - 1 && *after > round)
                    *after = round;
            }
}

/* ---- chunks ---- */

static void exact_add_chunks(struct exact *exact, uint32_t source, uint32_t target)
{
    for (uint32_t i = 0; i < exact->chunks; i++) {
        exact->source[exact->n_chunks] = source;
        exact->target[exact->n_chunks++] = target;
    }
}

/* Lists the chunks; those of a node follow each other. */
static void list_chunks(struct exact *exact)
{
    const struct bound_request *what = &exact->request->what;
    const uint32_t n = exact->n_nodes;
    exact->source = mem_alloc((size_t)n * n * exact->chunks, sizeof *exact->source);
    exact->target = mem_alloc((size_t)n * n * exact->chunks, sizeof *exact->target);
    for (uint32_t node = 0; node < n; node++) {
        if (collective_table[what->collective].rooted && what->placement->server[what->root] != node)
            continue;
        if (!collective_has_pairs(what->collective))
            exact_add_chunks(exact, node, EXACT_ALL);
        for (uint32_t other = 0; collective_has_pairs(what->collective) && other < n; other++)
            if (other != node)
                exact_add_chunks(exact, node, other);
    }
}

/* Returns the most arcs that a chunk has to cross one after the other. */
static uint32_t longest_way(const struct exact *exact)
{
    const uint32_t n = exact->n_nodes;
    uint32_t longest = 0;
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++)
        for (uint32_t node = 0; node < n; node++) {
            const uint32_t way = exact->distance[exact->source[chunk] * n + node];
            if (exact->target[chunk] == EXACT_ALL || exact->target[chunk] == node)
                longest = way > longest ? way : longest;
        }
    return longest;
}

/* ---- the problem ---- */

static bool exact_can_serve(const struct synth_request *request, struct text *problem)
{
    const struct placement *placement = request->what.placement;
    const char *why = request->form != FORM_EQUAL                   ? "counts are unequal"
                      : placement->n_ranks != placement->n_servers  ? "it is for one rank a machine"
                      : request->what.topology->n_networks > 1      ? "these are several networks"
                      : request->max_link_load                      ? "--max-link-load is not for it"
                                                                    : NULL;
    if (why)
        text_printf(problem, "%s", why);
    else if (placement->n_servers > EXACT_MOST_NODES || placement->n_servers < 2)
        text_printf(problem, "it is for 2 to %d ranks", EXACT_MOST_NODES);
    else
        return true;
    return false;
}

static bool set_steps(struct exact *exact, struct text *problem)
{
    const uint32_t least = longest_way(exact), asked = exact->request->steps;
    exact->most_steps = exact->n_steps = asked ? asked : least;
    if (least == EXACT_ALL)
        text_printf(problem, "cables between machines do not join all of them");
    else if (asked && asked < least)
        text_printf(problem, "it takes %" PRIu32 " steps at least: some are as many cables apart", least);
    else if (exact->n_steps > EXACT_MOST_STEPS)
        text_printf(problem, "it takes %d steps at most", EXACT_MOST_STEPS);
    else if ((uint64_t)exact->n_chunks * exact->n_arcs * exact->n_steps > MOST_VARIABLES)
        text_printf(problem, "chunks, cables and steps are too many for it");
    else
        return true;
    return false;
}

/* Poses the problem of a request, with its chunks and steps, or the fewest possible; arcs are reversed for
 * a reduction. Returns false after adding to `problem` why there is none. */
static bool exact_pose(const struct synth_request *request, struct exact *exact, struct text *problem)
{
    const enum collective collective = request->what.collective;
    *exact = (struct exact){.request = request, .n_nodes = request->what.placement->n_servers,
                            .chunks = request->chunks ? request->chunks : 1};
    if (!exact_can_serve(request, problem))
        return false;
    if (exact->chunks > MOST_VARIABLES) {
        text_printf(problem, "chunks are too many for it");
        return false;
    }
    find_arcs(exact, collective_collects(collective));
    exact_find_distances(exact);
    list_chunks(exact);
    return set_steps(exact, problem);
}

/* ---- what nothing can beat ---- */

/* Returns the number of chunks that must leave a set of nodes. */
static uint64_t exact_demand_of(const struct exact *exact, uint32_t set)
{
    uint64_t n = 0;
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++) {
        const uint32_t target = exact->target[chunk];
        n += (set >> exact->source[chunk] & 1) && (target == EXACT_ALL || !(set >> target & 1));
    }
    return n;
}

/* Returns the number of chunks that can leave the set in a round, each over the first link, and the last
 * one, of an arc. UINT64_MAX if some arcs have no links. */
static uint64_t room_of(const struct exact *exact, uint32_t set, bool *seen)
{
    uint64_t room[2] = {0, 0};
    for (int last = 0; last < 2; last++) {
        memset(seen, 0, exact->n_links * sizeof *seen);
        for (uint32_t i = 0; i < exact->n_arcs; i++) {
            const struct exact_arc *arc = &exact->arcs[i];
            if (!(set >> arc->from & 1) || set >> arc->to & 1)
                continue;
            if (arc->first == arc->end)
                return UINT64_MAX;
            const uint32_t link = exact->links[last ? arc->end - 1 : arc->first];
            room[last] += seen[link] ? 0 : exact->capacity[link];
            seen[link] = true;
        }
    }
    return room[0] < room[1] ? room[0] : room[1];
}

/* Returns the rounds for all arcs that chunks cross in all, compared with the links. */
static uint64_t rounds_of_all(const struct exact *exact, bool *seen)
{
    uint64_t n = 0, room = 0;
    memset(seen, 0, exact->n_links * sizeof *seen);
    for (uint32_t i = 0; i < exact->n_arcs; i++) {
        const struct exact_arc *arc = &exact->arcs[i];
        if (arc->first == arc->end)
            return 0;
        room += seen[exact->links[arc->first]] ? 0 : exact->capacity[exact->links[arc->first]];
        seen[exact->links[arc->first]] = true;
    }
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++)
        n += exact->target[chunk] == EXACT_ALL
                 ? exact->n_nodes - 1
                 : exact->distance[exact->source[chunk] * exact->n_nodes + exact->target[chunk]];
    return divide_up(n, room);
}

uint32_t exact_cut(const struct exact *exact)
{
    bool *seen = mem_alloc(exact->n_links + 1, sizeof *seen);
    uint64_t least = rounds_of_all(exact, seen);
    for (uint32_t set = 1; set + 1 < UINT32_C(1) << exact->n_nodes; set++) {
        const uint64_t demand = exact_demand_of(exact, set), room = room_of(exact, set, seen);
        const uint64_t rounds = demand == 0 || room == UINT64_MAX ? 0 : divide_up(demand, room);
        least = rounds > least ? rounds : least;
    }
    free(seen);
    const uint32_t longest = longest_way(exact);
    return least > longest ? (uint32_t)least : longest;
}

/* Notes the quality of the result, and the reason for it. */
static void exact_describe(const struct exact *exact)
{
    const bool has_fewest_steps = exact->n_steps == longest_way(exact);
    struct text *out = exact->request->note;
    if (!out)
        return;
    if (collective_agrees(exact->request->what.collective))
        text_printf(out, "of the reduce_scatter and of the allgather, each: ");
    text_printf(out, "%" PRIu32 " rounds in %" PRIu32 " steps with %" PRIu32 " %s a block: ", exact->rounds,
                exact->n_steps, exact->chunks, exact->chunks == 1 ? "chunk" : "chunks");
    if (has_fewest_steps)
        text_printf(out, "fewer steps cannot be, as some are as many cables apart; ");
    if (exact->rounds > exact->least)
        text_printf(out, "not proved within the time, %" PRIu32 " rounds might do", exact->least);
    else if (exact->is_by_solver)
        text_printf(out, "with fewer rounds the solver finds that there is none");
    else if (exact->rounds > longest_way(exact))
        text_printf(out, "fewer rounds cannot be, by a cut");
    else
        text_printf(out, "fewer rounds cannot be, as a step takes one");
}

/* ---- all-to-alls ---- */

/* Returns the send by which a node gets a chunk, or NULL. */
static const struct exact_send *send_to(const struct exact *exact, uint32_t chunk, uint32_t node)
{
    for (size_t i = 0; i < exact->n_sends; i++)
        if (exact->sends[i].chunk == chunk && exact->arcs[exact->sends[i].arc].to == node)
            return &exact->sends[i];
    return NULL;
}

/* Sends a chunk, from its end backwards; each relay has a place of its own for it in `tmp`. */
static void send_chunk(const struct exact *exact, uint32_t chunk, uint32_t *n_tmp, struct synth_steps *steps)
{
    const uint32_t *rank_of = exact->request->what.placement->ranks; /* one a server */
    const uint32_t s = exact->chunks, segment = chunk % s, source = exact->source[chunk];
    uint32_t node = exact->target[chunk];
    struct synth_message message = {.to_chunk = rank_of[source] * s + segment, .to_buffer = BUFFER_OUT,
                                    .n_chunks = 1};
    for (const struct exact_send *send; (send = send_to(exact, chunk, node)) != NULL;) {
        const uint32_t from = exact->arcs[send->arc].from;
        message.step = send->step;
        message.from = rank_of[from];
        message.to = rank_of[node];
        message.buffer = from == source ? BUFFER_IN : BUFFER_TMP;
        message.chunk = from == source ? rank_of[exact->target[chunk]] * s + segment : n_tmp[from]++;
        synth_steps_send(steps, &message);
        message.to_buffer = message.buffer;
        message.to_chunk = message.chunk;
        node = from;
    }
}

static void make_alltoall(const struct exact *exact, struct synth_steps *steps,
                          struct schedule_header *header)
{
    uint32_t *n_tmp = mem_alloc(exact->n_nodes, sizeof *n_tmp);
    header->segments = exact->chunks;
    for (uint32_t chunk = 0; chunk < exact->n_chunks; chunk++)
        send_chunk(exact, chunk, n_tmp, steps);
    for (uint32_t node = 0; node < exact->n_nodes; node++) {
        const uint32_t rank = exact->request->what.placement->ranks[node];
        synth_steps_send_block(steps, 0, rank, rank, exact->chunks);
        header->n_tmp = n_tmp[node] > header->n_tmp ? n_tmp[node] : header->n_tmp;
    }
    free(n_tmp);
}

bool exact_alltoall(const struct synth_request *request, struct synth_steps *steps,
                    struct schedule_header *header, struct text *problem)
{
    struct exact exact;
    const bool is_found = exact_pose(request, &exact, problem) && exact_search(&exact, problem);
    if (is_found) {
        make_alltoall(&exact, steps, header);
        exact_describe(&exact);
    }
    exact_free(&exact);
    return is_found;
}

/* ---- trees ---- */

/* Makes the tree of one chunk: members in the order of the steps in which they get it. */
static void exact_make_tree(const struct exact *exact, uint32_t chunk, struct packed_tree *tree)
{
    const uint32_t n = exact->n_nodes;
    uint32_t n_in = 0;
    *tree = (struct packed_tree){1, mem_alloc(n, sizeof *tree->order), mem_alloc(n, sizeof *tree->from),
                                 mem_alloc(n, sizeof *tree->depth)};
    tree->order[n_in++] = exact->source[chunk];
    for (uint32_t step = 0; step < exact->n_steps; step++)
        for (size_t i = 0; i < exact->n_sends; i++)
            if (exact->sends[i].chunk == chunk && exact->sends[i].step == step) {
                tree->order[n_in] = exact->arcs[exact->sends[i].arc].to;
                tree->from[n_in] = exact->arcs[exact->sends[i].arc].from;
                tree->depth[n_in++] = step + 1;
            }
}

bool exact_trees(const struct synth_request *request, struct packing *packing, struct text *problem)
{
    struct exact exact;
    const bool is_found = exact_pose(request, &exact, problem) && exact_search(&exact, problem);
    if (is_found) {
        packing->k = exact.chunks;
        packing->depth = exact.n_steps;
        packing->trees = mem_grow(packing->trees, &packing->capacity, exact.n_chunks, sizeof *packing->trees);
        for (uint32_t chunk = 0; chunk < exact.n_chunks; chunk++)
            exact_make_tree(&exact, chunk, &packing->trees[packing->n_trees++]);
        exact_describe(&exact);
    }
    exact_free(&exact);
    return is_found;
}
