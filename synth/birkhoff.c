/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-to-alls with unequal counts on a star: each server has a cable of its own, which everything it
 * sends and everything it receives crosses one after the other, and nothing else is narrow. The bytes
 * from server to server are a matrix, and its permutations are the steps: in each a server sends to at
 * most one other and receives from at most one. All steps together are as long as the busiest cable is
 * busy, which is the bound (docs/synthesis.md).
 *
 * Bytes of two servers are those of their ranks, one pair after the other; a block that ends in the
 * middle of a step is divided. For that blocks are cut in segments, so many that every division falls on
 * the end of one, or nearly: the number is limited, and a division is then up to a segment early.
 */
#include "synth/decompose.h"
#include "synth/method.h"

#include "base/integer.h"

#include <stdlib.h>

#define MOST_SEGMENTS (UINT64_C(1) << 20)

/* The rest from one server to another: from a pair of ranks on, and in it from a segment on. */
struct lane {
    uint32_t sender, receiver; /* places among the ranks of the servers */
    uint64_t sent;             /* bytes of this pair and those before it that belong to earlier steps */
    uint64_t before;           /* bytes of pairs before it */
    uint32_t segment;          /* first segment of this pair that is left */
};

struct star {
    const struct placement *placement;
    struct counts *counts;
    uint32_t segments, step;
    struct lane *lanes;        /* [from * n_servers + to] */
    struct synth_steps *steps;
};

static uint64_t birkhoff_bytes_of(const struct star *star, uint32_t from, uint32_t to)
{
    return star->counts->bytes(star->counts, (uint64_t)from * star->placement->n_ranks + to);
}

static uint32_t birkhoff_rank_at(const struct star *star, uint32_t server, uint32_t slot)
{
    return star->placement->ranks[star->placement->first[server] + slot];
}

/* ---- segments ---- */

/* Returns the number of segments. All steps end at multiples of the common divisor of all counts: as many
 * segments as all blocks have such parts, if one number fits all; else as many as the largest block has
 * bytes. */
static uint32_t count_segments(const struct star *star)
{
    const uint32_t p = star->placement->n_ranks;
    uint64_t unit = 0, most = 1, common = 1, limit = SCHEDULE_MAX_CHUNKS / p;
    for (uint32_t from = 0; from < p; from++)
        for (uint32_t to = 0; to < p; to++) {
            const uint64_t bytes = from == to ? 0 : birkhoff_bytes_of(star, from, to);
            unit = common_divisor(unit, bytes);
            most = bytes > most ? bytes : most;
        }
    limit = limit > MOST_SEGMENTS ? MOST_SEGMENTS : limit;
    limit = most < limit ? most : limit;
    for (uint64_t pair = 0; unit && common <= limit && pair < (uint64_t)p * p; pair++) {
        const uint64_t parts = pair / p == pair % p ? 0 : star->counts->bytes(star->counts, pair) / unit;
        if (parts)
            common = common / common_divisor(common, parts) * parts;
    }
    return (uint32_t)(common <= limit ? common : limit);
}

/* ---- lanes ---- */

static void send_segments(struct star *star, uint32_t from, uint32_t to, uint32_t first, uint32_t end)
{
    const uint32_t s = star->segments;
    if (first < end)
        synth_steps_send(star->steps, &(struct synth_message){star->step, from, to, to * s + first,
                                                              from * s + first, end - first, BUFFER_IN,
                                                              BUFFER_OUT, false});
}

/* Moves to the next pair of ranks. Returns false after the last. */
static bool next_pair(const struct star *star, uint32_t from, uint32_t to, struct lane *lane,
                      uint64_t bytes)
{
    lane->before += bytes;
    lane->segment = 0;
    if (++lane->receiver < placement_slots(star->placement, to))
        return true;
    lane->receiver = 0;
    return ++lane->sender < placement_slots(star->placement, from);
}

/* Sends the next bytes of a lane, as many as there are. */
static void send_bytes(struct star *star, uint32_t from, uint32_t to, uint64_t bytes)
{
    struct lane *lane = &star->lanes[(size_t)from * star->placement->n_servers + to];
    lane->sent += bytes;
    while (lane->sender < placement_slots(star->placement, from)) {
        const uint32_t sender = birkhoff_rank_at(star, from, lane->sender);
        const uint32_t receiver = birkhoff_rank_at(star, to, lane->receiver);
        const uint64_t n = birkhoff_bytes_of(star, sender, receiver), part = lane->sent - lane->before;
        const uint32_t end =
            part >= n ? star->segments
                      : (uint32_t)(((divider_product)part * star->segments + n - 1) / n);
        if (n)
            send_segments(star, sender, receiver, lane->segment, end);
        lane->segment = end;
        if (part < n || !next_pair(star, from, to, lane, n))
            return;
    }
}

/* ---- steps ---- */

static void take_permutation(void *data, const uint32_t *to, uint64_t weight)
{
    struct star *star = data;
    for (uint32_t from = 0; from < star->placement->n_servers; from++)
        if (from != to[from])
            send_bytes(star, from, to[from], weight);
    star->step++;
}

/* Adds messages for empty blocks, which are not sent but complete the chunks for whoever counts them. */
static void send_nothing(struct star *star)
{
    const uint32_t p = star->placement->n_ranks;
    for (uint32_t from = 0; from < p; from++)
        for (uint32_t to = 0; to < p; to++)
            if (from != to && birkhoff_bytes_of(star, from, to) == 0)
                synth_steps_send_block(star->steps, 0, from, to, star->segments);
}

/* Sends within servers: rank k sends to the next one but i in step i. */
static void birkhoff_send_within(struct star *star)
{
    const uint32_t s = star->segments;
    for (uint32_t server = 0; server < star->placement->n_servers; server++) {
        const uint32_t slots = placement_slots(star->placement, server);
        for (uint32_t i = 0; i < slots * slots; i++) {
            const uint32_t from = i / slots, turn = i % slots;
            const uint32_t sender = birkhoff_rank_at(star, server, from);
            const uint32_t receiver = birkhoff_rank_at(star, server, (from + turn) % slots);
            if (turn == 0 || birkhoff_bytes_of(star, sender, receiver))
                synth_steps_send_block(star->steps, turn ? turn - 1 : 0, sender, receiver, s);
        }
    }
}

static uint64_t *bytes_between(const struct star *star)
{
    const struct placement *placement = star->placement;
    uint64_t *matrix = mem_alloc((size_t)placement->n_servers * placement->n_servers, sizeof *matrix);
    for (uint32_t from = 0; from < placement->n_ranks; from++)
        for (uint32_t to = 0; to < placement->n_ranks; to++)
            if (placement->server[from] != placement->server[to])
                matrix[(size_t)placement->server[from] * placement->n_servers + placement->server[to]] +=
                    birkhoff_bytes_of(star, from, to);
    return matrix;
}

/* True if each server sends over one cable and receives over one, with nothing between; reports otherwise. */
static bool birkhoff_is_star(const struct synth_request *request, struct text *problem)
{
    const struct topology *topology = request->what.topology;
    const struct placement *placement = request->what.placement;
    const uint32_t n = placement->n_servers;
    uint32_t *cable = mem_alloc(2 * (size_t)n, sizeof *cable); /* [server] out, in; 1 + link */
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    bool is_right = topology->n_networks <= 1;
    for (uint64_t pair = 0; is_right && pair < (uint64_t)n * n; pair++) {
        const uint32_t from = (uint32_t)(pair / n), to = (uint32_t)(pair % n);
        const uint32_t n_hops = topology_route(topology, placement->server_machine[from],
                                               placement->server_machine[to], hops);
        if (from == to)
            continue;
        if (n_hops == 0 || n_hops > 2) {
            is_right = false;
            break;
        }
        const uint32_t out = 1 + hops[0].link, in = 1 + hops[n_hops - 1].link;
        is_right = (!cable[2 * from] || cable[2 * from] == out) &&
                   (!cable[2 * to + 1] || cable[2 * to + 1] == in);
        cable[2 * from] = out;
        cable[2 * to + 1] = in;
    }
    if (!is_right)
        text_printf(problem, "this is no star: routes between servers are not of one cable of each");
    free(hops);
    free(cable);
    return is_right;
}

static bool birkhoff_make(const struct synth_request *request, struct synth_steps *steps,
                          struct schedule_header *header, struct text *problem)
{
    struct star star = {.placement = request->what.placement, .counts = request->what.counts,
                        .steps = steps};
    const uint32_t n_servers = star.placement->n_servers;
    if (!synth_is_alltoall(request, problem))
        return false;
    if (request->form == FORM_EQUAL) {
        text_printf(problem, "counts are equal");
        return false;
    }
    if (!birkhoff_is_star(request, problem))
        return false;
    uint64_t *matrix = bytes_between(&star);
    header->segments = star.segments = count_segments(&star);
    star.lanes = mem_alloc((size_t)n_servers * n_servers, sizeof *star.lanes);
    decompose(matrix, n_servers, take_permutation, &star);
    birkhoff_send_within(&star);
    send_nothing(&star);
    free(matrix);
    free(star.lanes);
    return true;
}

const struct synth_method birkhoff_method = {"birkhoff", birkhoff_make, true};
