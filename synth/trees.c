/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives in which all ranks need the same, along packed trees (packing.h): each block is cut into as
 * many parts as it has trees, and each part into pieces that follow each other. Piece i crosses an arc at
 * depth d in step i + d - 1, so every step but the first and last few loads each link by all trees
 * together, which is the least possible load.
 *
 *   allgather, bcast              along the trees
 *   reduce_scatter_block, reduce  the same backwards, time and all: what was passed on is combined
 *   allreduce                     one after the other; the ranks share the data
 *
 * A server is one node. For each block one of its ranks, in turn, exchanges data with other servers and
 * passes it on within the server one step later.
 */
#include "bound/cut/cut.h"
#include "synth/exact.h"
#include "synth/greedy.h"
#include "synth/method.h"
#include "synth/packing.h"
#include "synth/ring.h"
#include "synth/shares.h"
#include "synth/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 4096, MOST_PIECES = 4096, MOST_MESSAGES = 1 << 22,
       MOST_OF_SHARES = 1 << 20 };
/* Approximate costs in ns of a step and of a message of a rank beside bandwidth, only for the number of
 * pieces. A rank sends about as many messages in a step as there are trees. */
/* The kinds of trees: of the packing; a ring; trees up and down which shares go; trees whose steps are
 * chosen already. */
enum ways { WAYS_PACKED, WAYS_RING, WAYS_SHARES, WAYS_GREEDY, WAYS_EXACT };
#define STEP_NS 5000.0
#define MESSAGE_NS 700.0

struct trees {
    const struct synth_request *request;
    const struct placement *placement;
    struct synth_steps *steps;
    struct packing packing;
    uint32_t n_pieces, n_parts; /* parts of a block: its trees */
    uint32_t segments;
    uint32_t first_step, n_steps; /* steps of one pass through the trees */
    bool is_backwards;
    enum ways ways;
    double ns_per_byte;           /* time of the busiest link, for WAYS_SHARES */
    uint32_t n_shares, n_shared;  /* for an allreduce: trees, counting copies; trees that are done */
};

/* A part of a block on its way: parts of rank `origin` from `part` on. */
struct parcel {
    uint32_t origin, part, n_parts;
    uint32_t share;         /* for an allreduce: index of its first share among all */
    const bool *passes_on; /* [rank] to others; backwards it combines what it hears from them */
};

/* ---- the network ---- */

/* Makes the network. In an allreduce the ranks share the data: it is an allgather of what they have
 * combined. */
static bool trees_make_network(const struct trees *trees, struct cut_network *network, struct text *problem)
{
    struct bound_request what = trees->request->what;
    if (collective_agrees(what.collective))
        what.collective = COLLECTIVE_allgather;
    if (!cut_network_of(&what, CUT_BANDWIDTH, network)) {
        text_printf(problem, "links are not those of a graph");
        return false;
    }
    if (network->n_nodes > MOST_NODES)
        text_printf(problem, "it takes at most %d nodes", MOST_NODES);
    return network->n_nodes <= MOST_NODES;
}

static bool trees_watch(void *data, uint64_t n_done, uint64_t n)
{
    const struct synth_progress progress = {"trees", n_done, n};
    return synth_goes_on(data, &progress);
}

/* ---- pieces ---- */

/* True for an allreduce whose pieces go down as soon as they are up. */
static bool is_piped(const struct trees *trees)
{
    return trees->ways == WAYS_SHARES && collective_agrees(trees->request->what.collective);
}

static uint32_t trees_depth_of(const struct trees *trees)
{
    return trees->packing.depth + (trees->placement->max_slots > 1);
}

/* Chooses the number of pieces. With P pieces a time T of all data becomes T (P + D - 1) / P, and steps
 * have a cost: the best P is sqrt(T (D - 1) / cost of a step). */
static uint32_t choose_pieces(const struct trees *trees, const struct cut_network *network)
{
    const struct bound_request *what = &trees->request->what;
    if (trees->ways == WAYS_RING && !collective_table[what->collective].rooted)
        return 1; /* each arc has a block to carry in each step */
    if (trees->ways >= WAYS_GREEDY)
        return 1;
    uint32_t depth = trees_depth_of(trees);
    double bytes = trees->request->bytes ? (double)trees->request->bytes : 1 << 20;
    struct ratio_cut cut;
    double ns = 0;
    if (ratio_cut_find(network, &cut) && cut.ratio.bottom)
        ns = fraction_real(cut.ratio) * 1e9;
    ratio_cut_free(&cut);
    if (collective_agrees(what->collective))
        bytes /= trees->placement->n_ranks;
    if (trees->ways == WAYS_SHARES)
        ns = trees->ns_per_byte * (is_piped(trees) ? trees->placement->n_ranks : 1);
    if (is_piped(trees))
        depth *= 2;
    const double step = STEP_NS + MESSAGE_NS * trees->packing.n_trees;
    const double best = depth > 1 ? sqrt(ns * bytes * (depth - 1) / step) : 1;
    const uint64_t arcs = (uint64_t)trees->packing.n_trees * trees->placement->n_ranks;
    const uint64_t messages = trees->ways == WAYS_SHARES ? MOST_OF_SHARES : MOST_MESSAGES;
    const uint64_t most = messages / arcs < MOST_PIECES ? messages / arcs : MOST_PIECES;
    return best < 1 || most < 1 ? 1 : best > (double)most ? (uint32_t)most : (uint32_t)best;
}

/* Returns the first chunk of a piece of a parcel, in the buffer that the rank has it in. */
static uint32_t chunk_of(const struct trees *trees, const struct parcel *parcel, uint32_t piece,
                         uint32_t rank, uint8_t *buffer)
{
    const enum collective collective = trees->request->what.collective;
    const uint32_t k = trees->n_parts;
    const uint32_t segment = piece * k + parcel->part;
    *buffer = BUFFER_BUF;
    if (collective_agrees(collective))
        return piece * trees->n_shares + parcel->share;
    if (collective_table[collective].rooted)
        return segment;
    *buffer = BUFFER_OUT;
    if (collective_spreads(collective))
        return parcel->origin * trees->segments + segment;
    if (rank == parcel->origin)
        return segment;
    *buffer = parcel->passes_on[rank] ? BUFFER_TMP : BUFFER_IN;
    return parcel->origin * trees->segments + segment;
}

/* Returns the step of an arc. Backwards the last send becomes the first, reversed; but shares come up one
 * after the other, so that they can go down at once. */
static uint32_t trees_step_of(const struct trees *trees, uint32_t piece, uint32_t depth)
{
    if (!trees->is_backwards)
        return trees->first_step + piece + depth;
    if (is_piped(trees))
        return trees->first_step + piece + trees_depth_of(trees) - 1 - depth;
    return trees->first_step + trees->n_steps - 1 - piece - depth;
}

/* Sends a piece over an arc, from the given depth on. */
static void send_piece(struct trees *trees, const struct parcel *parcel, uint32_t piece, uint32_t depth,
                       uint32_t from, uint32_t to)
{
    struct synth_message message = {.n_chunks = parcel->n_parts, .reduces = trees->is_backwards};
    message.step = trees_step_of(trees, piece, depth);
    message.from = trees->is_backwards ? to : from;
    message.to = trees->is_backwards ? from : to;
    message.chunk = chunk_of(trees, parcel, piece, message.from, &message.buffer);
    message.to_chunk = chunk_of(trees, parcel, piece, message.to, &message.to_buffer);
    synth_steps_send(trees->steps, &message);
}

/* Returns the rank of a server that exchanges blocks of rank `origin` with other servers. */
static uint32_t speaker(const struct trees *trees, uint32_t server, uint32_t origin)
{
    const struct placement *placement = trees->placement;
    if (placement->server[origin] == server)
        return origin;
    return placement->ranks[placement->first[server] +
                            placement->slot[origin] % placement_slots(placement, server)];
}

static void trees_send_within(struct trees *trees, const struct parcel *parcel, uint32_t server,
                              uint32_t depth)
{
    const struct placement *placement = trees->placement;
    const uint32_t from = speaker(trees, server, parcel->origin);
    for (uint32_t i = placement->first[server]; i < placement->first[server + 1]; i++)
        for (uint32_t piece = 0; placement->ranks[i] != from && piece < trees->n_pieces; piece++)
            send_piece(trees, parcel, piece, depth, from, placement->ranks[i]);
}

/* Copies the own data of each rank that combines, to combine it with. */
static void copy_parcel(struct trees *trees, const struct parcel *parcel)
{
    for (uint32_t rank = 0; rank < trees->placement->n_ranks; rank++)
        for (uint32_t piece = 0; parcel->passes_on[rank] && piece < trees->n_pieces; piece++) {
            struct op copy = {.rank = rank, .kind = OP_COPY, .n_chunks = parcel->n_parts,
                              .buffer = BUFFER_IN, .to_buffer = BUFFER_TMP};
            copy.chunk = copy.to_chunk =
                parcel->origin * trees->segments + piece * trees->n_parts + parcel->part;
            if (rank != parcel->origin)
                synth_steps_copy(trees->steps, 0, &copy);
        }
}

static void find_passing(const struct trees *trees, const struct packed_tree *tree, uint32_t origin,
                         bool *passes_on)
{
    const struct placement *placement = trees->placement;
    memset(passes_on, 0, placement->n_ranks * sizeof *passes_on);
    for (uint32_t i = 0; i < placement->n_servers; i++) {
        if (i > 0)
            passes_on[speaker(trees, tree->from[i], origin)] = true;
        if (placement_slots(placement, i) > 1)
            passes_on[speaker(trees, i, origin)] = true;
    }
}

static void send_along(struct trees *trees, const struct packed_tree *tree, const struct parcel *parcel)
{
    const uint32_t n = trees->placement->n_servers;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = speaker(trees, tree->from[i], parcel->origin);
        const uint32_t to = speaker(trees, tree->order[i], parcel->origin);
        for (uint32_t piece = 0; i > 0 && piece < trees->n_pieces; piece++)
            send_piece(trees, parcel, piece, tree->depth[i] - 1, from, to);
        trees_send_within(trees, parcel, tree->order[i], tree->depth[i]);
    }
}

static uint32_t rank_in_turn(const struct placement *placement, uint32_t server, uint32_t turn)
{
    return placement->ranks[placement->first[server] + turn % placement_slots(placement, server)];
}

/* Sends all trees: those of a server serve its ranks one after the other, n_parts each. */
static void trees_send_all(struct trees *trees)
{
    const struct placement *placement = trees->placement;
    const enum collective collective = trees->request->what.collective;
    uint32_t *n_used = mem_alloc(placement->n_servers, sizeof *n_used);
    bool *passes_on = mem_alloc(placement->n_ranks, sizeof *passes_on);
    for (uint32_t i = 0; i < trees->packing.n_trees; i++) {
        const struct packed_tree *tree = &trees->packing.trees[i];
        const uint32_t server = tree->order[0];
        for (uint32_t left = tree->copies; left > 0;) {
            const uint32_t used = n_used[server], part = used % trees->n_parts;
            const uint32_t n = left < trees->n_parts - part ? left : trees->n_parts - part;
            const uint32_t rank = collective_table[collective].rooted
                                      ? trees->request->what.root
                                      : rank_in_turn(placement, server, used / trees->n_parts);
            const struct parcel parcel = {rank, part, n, trees->n_shared, passes_on};
            trees->n_shared += n;
            find_passing(trees, tree, rank, passes_on);
            if (collective_collects(collective) && !collective_has(collective, BUFFER_BUF))
                copy_parcel(trees, &parcel);
            send_along(trees, tree, &parcel);
            n_used[server] += n;
            left -= n;
        }
    }
    free(n_used);
    free(passes_on);
    trees->n_shared = 0;
    trees->first_step += is_piped(trees) ? trees_depth_of(trees) : trees->n_steps;
}

/* ---- what is local ---- */

/* Copies the own block. */
static void copy_blocks(struct trees *trees)
{
    const enum collective collective = trees->request->what.collective;
    const uint32_t s = trees->segments;
    for (uint32_t rank = 0; rank < trees->placement->n_ranks; rank++) {
        struct op copy = {.rank = rank, .kind = OP_COPY, .n_chunks = s, .buffer = BUFFER_IN,
                          .to_buffer = BUFFER_OUT};
        if (collective_spreads(collective))
            copy.to_chunk = rank * s;
        else
            copy.chunk = rank * s;
        synth_steps_copy(trees->steps, 0, &copy);
    }
}

/* ---- the method ---- */

static bool trees_can_serve(const struct synth_request *request, struct text *problem)
{
    const enum collective collective = request->what.collective;
    if (!collective_spreads(collective) && !collective_collects(collective) &&
        !collective_agrees(collective)) {
        text_printf(problem, "it is for what all ranks need or give alike");
        return false;
    }
    if (request->form != FORM_EQUAL)
        text_printf(problem, "counts are unequal");
    return request->form == FORM_EQUAL;
}

/* Spreads the trees, unless there are more pieces than steps of one: then all trees are busy at all depths
 * in most steps anyway. */
static void trees_spread(struct trees *trees)
{
    const struct synth_request *request = trees->request;
    const double bytes = request->bytes ? (double)request->bytes : 1 << 20;
    const bool is_fixed = trees->ways == WAYS_RING || trees->ways >= WAYS_GREEDY;
    if (is_fixed || collective_agrees(request->what.collective) || trees->n_pieces >= trees->packing.depth ||
        trees->packing.depth < 2)
        return;
    spread_trees(request, &trees->packing, trees->is_backwards,
                 bytes / trees->n_parts / trees->n_pieces, STEP_NS);
}

/* Numbers of chunks are below 2^31. */
static bool set_segments(struct trees *trees, const struct cut_network *network,
                         struct schedule_header *header, struct text *problem)
{
    const enum collective collective = trees->request->what.collective;
    const uint32_t p = trees->placement->n_ranks;
    const uint64_t limit = SCHEDULE_MAX_CHUNKS / p;
    trees->n_parts = trees->packing.k ? (uint32_t)trees->packing.k : 1;
    trees->n_pieces = choose_pieces(trees, network);
    if ((uint64_t)trees->n_parts * trees->n_pieces > limit)
        trees->n_pieces = (uint32_t)(limit / trees->n_parts);
    if (trees->n_pieces == 0) {
        text_printf(problem, "blocks would have too many segments");
        return false;
    }
    trees_spread(trees);
    trees->n_steps = trees->n_pieces + trees_depth_of(trees) - 1;
    for (uint32_t i = 0; i < trees->packing.n_trees; i++)
        trees->n_shares += trees->packing.trees[i].copies;
    trees->segments = trees->n_pieces;
    trees->segments *= collective_agrees(collective) ? trees->n_shares : trees->n_parts;
    header->segments = trees->segments;
    if (collective_collects(collective) && !collective_has(collective, BUFFER_BUF))
        header->n_tmp = p * trees->segments;
    return true;
}

static bool trees_find_ways(struct trees *trees, enum ways ways, const struct cut_network *network,
                            struct text *problem)
{
    const struct packing_request packing = {network, trees->placement->n_servers, trees_watch,
                                            (void *)(uintptr_t)trees->request};
    trees->ways = ways;
    if (ways == WAYS_GREEDY)
        return greedy_find(trees->request, network->weight, trees->is_backwards, &trees->packing, problem);
    if (ways == WAYS_EXACT)
        return exact_trees(trees->request, &trees->packing, problem);
    if (ways == WAYS_SHARES)
        return shares_find(trees->request, network->weight, &trees->packing, &trees->ns_per_byte, problem);
    if (ways != WAYS_RING)
        return packing_find(&packing, &trees->packing, problem);
    ring_find(trees->request, network->weight, &trees->packing);
    return true;
}

static bool make_along(enum ways ways, const struct synth_request *request, struct synth_steps *steps,
                       struct schedule_header *header, struct text *problem)
{
    const enum collective collective = request->what.collective;
    struct trees trees = {.request = request, .placement = request->what.placement, .steps = steps};
    struct cut_network network = {0};
    if (!trees_can_serve(request, problem))
        return false;
    trees.is_backwards = collective_collects(collective);
    const bool is_done = trees_make_network(&trees, &network, problem) &&
                         trees_find_ways(&trees, ways, &network, problem) &&
                         set_segments(&trees, &network, header, problem);
    if (is_done && !collective_has(collective, BUFFER_BUF))
        copy_blocks(&trees);
    if (is_done && collective_agrees(collective)) {
        trees.is_backwards = true;
        trees_send_all(&trees);
        trees.is_backwards = false;
    }
    if (is_done)
        trees_send_all(&trees);
    packing_free(&trees.packing);
    cut_network_free(&network);
    return is_done;
}

static bool make_packed(const struct synth_request *request, struct synth_steps *steps,
                      struct schedule_header *header, struct text *problem)
{
    return make_along(WAYS_PACKED, request, steps, header, problem);
}

static bool make_ring(const struct synth_request *request, struct synth_steps *steps,
                      struct schedule_header *header, struct text *problem)
{
    return make_along(WAYS_RING, request, steps, header, problem);
}

static bool make_shares(const struct synth_request *request, struct synth_steps *steps,
                        struct schedule_header *header, struct text *problem)
{
    return make_along(WAYS_SHARES, request, steps, header, problem);
}

static bool make_greedy(const struct synth_request *request, struct synth_steps *steps,
                        struct schedule_header *header, struct text *problem)
{
    return make_along(WAYS_GREEDY, request, steps, header, problem);
}

static bool make_exact(const struct synth_request *request, struct synth_steps *steps,
                       struct schedule_header *header, struct text *problem)
{
    if (!request->is_exact) {
        text_printf(problem, "it is tried only if --method names it");
        return false;
    }
    if (request->what.collective == COLLECTIVE_alltoall)
        return exact_alltoall(request, steps, header, problem);
    return make_along(WAYS_EXACT, request, steps, header, problem);
}

const struct synth_method greedy_method = {"greedy", make_greedy, false};
const struct synth_method exact_method = {"exact", make_exact, false};
const struct synth_method shares_method = {"shares", make_shares, false};
const struct synth_method ring_method = {"ring", make_ring, false};
const struct synth_method trees_method = {"trees", make_packed, false};
