/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All-to-alls in which servers pass on blocks of others, so that all links are equally busy: if routes
 * load some links more than others, blocks take other ways. First each block gets a way (relay_ways.c),
 * then each leg of it a step (relay_steps.c). A block in flight lies in `tmp` of a rank of the relay.
 */
#include "synth/relays.h"

#include "bound/overlay/spread.h"
#include "synth/arcs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SERVERS = 1024, MOST_SEGMENTS = 128, FEW_SEGMENTS = 16, MOST_CHUNKS = 1 << 16,
       LEAST_BYTES = 64, MOST_STEPS = 64, MOST_FINE_SERVERS = 128 };
/* Approximate costs in ns of a step and of a message of a rank beside bandwidth, for choosing their
 * numbers. */
#define STEP_NS 5000.0
#define MESSAGE_NS 700.0
#define BYTES_NOT_SAID (1 << 20)
/* Fraction of the busiest link's load below which relays are worthwhile; else other methods serve as well. */
#define WORTH_IT 0.995

/* Chunks, and then parcels, into which the busiest link's load is cut. Fine ones keep links equally busy in
 * all steps and make more messages. All grains are tried, but for many servers only the first. */
struct grain {
    double chunks, parcels;
};
static const struct grain grains[] = {{192, 64}, {512, 512}, {1024, 1024}};
/* Factor of time up to which a finer grain is taken, as it leaves links more free. */
#define LITTLE_LONGER 1.03
/* Factor of time above which no more steps are tried. */
#define MUCH_LONGER 1.02
/* Limit of work for the best flow in servers and hops, about a second. */
#define FLOW_WORK (UINT64_C(1) << 28)
/* Fraction of the proved bound at which ways are good enough: within 1 %. */
#define ENOUGH 0.99

struct making {
    struct relays relays;
    struct relay_steps steps;
    struct synth_steps *out;
    struct schedule_header *header;
    uint64_t slowest;        /* bandwidth of the unit of load */
    double block_bytes;      /* bytes of a block of weight 1 */
    const struct grain *grain;
    double straight, most;   /* load of the busiest link by straight ways, and by the ways found */
    double sum;              /* sum of the busiest links of all steps, */
    double time;             /* time of everything in ns, approximately */
};

uint32_t relays_leg(const struct relays *relays, uint32_t from, uint32_t to)
{
    const uint32_t *machine = relays->placement->server_machine;
    const uint32_t n = topology_route(relays->topology, machine[from], machine[to], relays->hops);
    return link_loads_drop_fat_pipes(relays->topology, relays->hops, n);
}

/* ---- straight ways ---- */

static void add_straight(struct relays *relays, uint32_t from, uint32_t to)
{
    const struct placement *placement = relays->placement;
    const uint32_t n_blocks = placement_slots(placement, from) * placement_slots(placement, to);
    const uint32_t n_hops = relays_leg(relays, from, to);
    const size_t pair = (size_t)from * relays->n_servers + to;
    relays->way[pair] = RELAYS_NONE;
    relays_add_way(relays, pair, (struct relay_way){.n = n_blocks * relays->segments});
    for (uint32_t i = 0; i < n_hops; i++)
        relays->load[relays->hops[i].link] +=
            n_blocks * relays_weight(relays, pair) * relays->cost[relays->hops[i].link];
}

static double block_bytes(const struct relays *relays, uint32_t from, uint32_t to)
{
    struct counts *counts = relays->request->what.counts;
    return (double)counts->bytes(counts, (uint64_t)from * relays->placement->n_ranks + to);
}

/* Computes the weights: 1 on average over the blocks between servers that have any bytes; the blocks of two
 * servers weigh the same. */
static void weigh(struct making *making)
{
    struct relays *relays = &making->relays;
    const struct placement *placement = relays->placement;
    double sum = 0;
    uint64_t n = 0;
    relays->weight = mem_alloc((size_t)relays->n_servers * relays->n_servers, sizeof *relays->weight);
    for (uint32_t from = 0; from < placement->n_ranks; from++)
        for (uint32_t to = 0; to < placement->n_ranks; to++) {
            const uint32_t server = placement->server[from], other = placement->server[to];
            const uint32_t n_blocks = placement_slots(placement, server) * placement_slots(placement, other);
            const double bytes = server == other ? 0 : block_bytes(relays, from, to);
            relays->weight[(size_t)server * relays->n_servers + other] += bytes / n_blocks;
            sum += bytes;
            n += bytes > 0;
        }
    making->block_bytes = n ? sum / (double)n : 1;
    for (size_t pair = 0; pair < (size_t)relays->n_servers * relays->n_servers; pair++)
        relays->weight[pair] /= making->block_bytes;
}

static double heaviest(const struct relays *relays)
{
    double most = relays->weight ? 0 : 1;
    for (size_t i = 0; relays->weight && i < (size_t)relays->n_servers * relays->n_servers; i++)
        most = relays->weight[i] > most ? relays->weight[i] : most;
    return most;
}

/* Returns the limit of segments, which only few ranks can exceed. */
static uint32_t most_segments(uint64_t n_ranks)
{
    const uint64_t n = MOST_CHUNKS / (n_ranks * n_ranks);
    return n > MOST_SEGMENTS ? MOST_SEGMENTS : n < FEW_SEGMENTS ? FEW_SEGMENTS : (uint32_t)n;
}

/* Starts with straight ways and chunks that are small beside the load of the busiest link. */
static void relays_start(struct making *making)
{
    struct relays *relays = &making->relays;
    relays->segments = 1;
    for (uint32_t from = 0; from < relays->n_servers; from++)
        for (uint32_t to = 0; to < relays->n_servers; to++)
            if (from != to)
                add_straight(relays, from, to);
    const double most = relays_most(relays);
    const double segments = most > 0 ? making->grain->chunks * heaviest(relays) / most : 1;
    const uint32_t limit = most_segments(relays->placement->n_ranks);
    const double heaviest_bytes = heaviest(relays) * making->block_bytes;
    relays->segments = segments < 2 ? 1 : segments > limit ? limit : (uint32_t)segments;
    if (relays->weight && relays->segments > heaviest_bytes / LEAST_BYTES)
        relays->segments = heaviest_bytes < 2 * LEAST_BYTES ? 1 : (uint32_t)(heaviest_bytes / LEAST_BYTES);
    for (size_t i = 0; i < relays->n_ways; i++)
        relays->ways[i].n *= relays->segments;
    for (uint32_t link = 0; link < relays->topology->n_link_ids; link++)
        relays->load[link] *= relays->segments;
}

/* ---- parcels ---- */

static void add_parcel(struct relay_steps *steps, struct relay_parcel parcel, uint32_t n_legs)
{
    if (steps->n == steps->capacity)
        steps->parcels = mem_grow(steps->parcels, &steps->capacity, steps->n + 1, sizeof *steps->parcels);
    parcel.n_legs = n_legs;
    parcel.first_leg = steps->n_legs;
    steps->parcels[steps->n++] = parcel;
    steps->n_legs += n_legs;
    steps->most_legs = n_legs > steps->most_legs ? n_legs : steps->most_legs;
}

/* Returns the weight of n chunks of a block. */
static double relays_weight_of(const struct making *making, uint32_t from, uint32_t to, uint32_t n)
{
    if (!making->relays.weight)
        return n;
    return n * block_bytes(&making->relays, from, to) / making->block_bytes;
}

/* Cuts parcels: deals the chunks of two servers, rank by rank, to their ways in order, `most` at once. Each
 * way gets about the weight of its chunks, the last one the rest. */
static void cut_parcels(struct making *making, uint32_t from, uint32_t to, uint32_t most)
{
    const struct relays *relays = &making->relays;
    const struct placement *placement = relays->placement;
    const size_t pair = (size_t)from * relays->n_servers + to;
    const uint32_t slots = placement_slots(placement, to), s = relays->segments;
    const uint32_t n_chunks = placement_slots(placement, from) * slots * s;
    uint32_t chunk = 0; /* index among all chunks from server to server */
    double owed = 0;    /* weight that ways are still to get */
    for (uint32_t number = relays->way[pair]; number != RELAYS_NONE; number = relays->ways[number].next) {
        const bool is_last = relays->ways[number].next == RELAYS_NONE;
        owed += relays->ways[number].n * relays_weight(relays, pair);
        for (uint32_t n; chunk < n_chunks; chunk += n) {
            struct relay_parcel parcel = {
                .from = placement->ranks[placement->first[from] + chunk / s / slots],
                .to = placement->ranks[placement->first[to] + chunk / s % slots],
                .first_chunk = chunk % s, .way = number};
            const double own = relays_weight_of(making, parcel.from, parcel.to, 1);
            n = s - parcel.first_chunk < most ? s - parcel.first_chunk : most;
            if (!is_last && owed < own * n)
                n = (uint32_t)(owed > 0 ? owed / own + 0.5 : 0);
            if (n == 0)
                break;
            parcel.n_chunks = n;
            parcel.weight = own * n;
            owed -= parcel.weight;
            add_parcel(&making->steps, parcel, relays->ways[number].n_relays + 1);
        }
    }
}

static void list_parcels(struct making *making)
{
    const struct relays *relays = &making->relays;
    const double most = relays_most(relays) / heaviest(relays) / making->grain->parcels;
    for (uint32_t from = 0; from < relays->n_servers; from++)
        for (uint32_t to = 0; to < relays->n_servers; to++)
            if (from != to)
                cut_parcels(making, from, to, most < 1 ? 1 : (uint32_t)most);
    making->steps.steps = mem_alloc(making->steps.n_legs, sizeof *making->steps.steps);
}

/* ---- steps ---- */

/* Chooses the number of steps. Few steps have few latencies; with more, relays wait less, until links are
 * idle. */
static void choose_steps(struct making *making)
{
    const uint32_t least = making->steps.most_legs ? making->steps.most_legs : 1;
    const double ns = making->block_bytes / making->relays.segments * 1e9 / (double)making->slowest;
    uint32_t best = least;
    for (uint32_t n = least; n <= MOST_STEPS && (n == least || least > 1); n *= 2) {
        const double sum = relays_place(&making->relays, &making->steps, n);
        const double time = sum * ns + n * STEP_NS;
        if (n > least && time > making->time * MUCH_LONGER)
            break;
        if (n == least || time < making->time) {
            making->sum = sum;
            making->time = time;
            best = n;
        }
    }
    if (making->steps.n_steps != best)
        relays_place(&making->relays, &making->steps, best);
}

static bool relays_is_alike(const struct relay_parcel *a, const struct relay_parcel *b)
{
    return a->from == b->from && a->to == b->to && a->way == b->way && a->n_chunks == b->n_chunks;
}

static void swap_steps(uint32_t *a, uint32_t *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t step = a[i];
        a[i] = b[i];
        b[i] = step;
    }
}

/* Sorts the steps of equal, consecutive parcels, so that those with the same steps become neighbours. */
static void sort_alike(struct relay_steps *steps)
{
    for (size_t i = 1; i < steps->n; i++)
        for (size_t j = i; j > 0 && relays_is_alike(&steps->parcels[j - 1], &steps->parcels[j]); j--) {
            const uint32_t n = steps->parcels[j].n_legs;
            uint32_t *a = steps->steps + steps->parcels[j - 1].first_leg;
            uint32_t *b = steps->steps + steps->parcels[j].first_leg;
            if (memcmp(a, b, n * sizeof *a) <= 0)
                break;
            swap_steps(a, b, n);
        }
}

static bool goes_with(const struct relay_steps *steps, const struct relay_parcel *a,
                      const struct relay_parcel *b)
{
    if (a->from != b->from || a->to != b->to || a->way != b->way ||
        a->first_chunk + a->n_chunks != b->first_chunk)
        return false;
    for (uint32_t leg = 0; leg < a->n_legs; leg++)
        if (steps->steps[a->first_leg + leg] != steps->steps[b->first_leg + leg])
            return false;
    return true;
}

/* Joins parcels that are sent at the same times. Returns the number of messages. */
static size_t join_parcels(struct relay_steps *steps)
{
    size_t n = 0, n_messages = 0;
    sort_alike(steps);
    for (size_t i = 0; i < steps->n; i++)
        if (n > 0 && goes_with(steps, &steps->parcels[n - 1], &steps->parcels[i]))
            steps->parcels[n - 1].n_chunks += steps->parcels[i].n_chunks;
        else
            steps->parcels[n++] = steps->parcels[i];
    steps->n = n;
    for (size_t i = 0; i < n; i++)
        n_messages += steps->parcels[i].n_legs;
    return n_messages;
}

/* ---- messages ---- */

/* Returns a rank of the relay; they take turns. */
static uint32_t rank_of_relay(const struct placement *placement, uint32_t server,
                              const struct relay_parcel *parcel)
{
    return placement->ranks[placement->first[server] +
                            (parcel->from + parcel->to) % placement_slots(placement, server)];
}

/* Sends a parcel; its place in `tmp` of a relay is never reused. */
static void send_parcel(struct making *making, const struct relay_parcel *parcel, uint32_t *n_tmp)
{
    const struct relays *relays = &making->relays;
    const struct relay_way *way = &relays->ways[parcel->way];
    const uint32_t s = relays->segments;
    const uint64_t block = (uint64_t)parcel->from * relays->placement->n_ranks + parcel->to;
    const uint64_t datum = block * s + parcel->first_chunk;
    struct synth_message message = {.from = parcel->from, .buffer = BUFFER_IN, .n_chunks = parcel->n_chunks,
                                    .chunk = parcel->to * s + parcel->first_chunk};
    for (uint32_t leg = 0; leg < parcel->n_legs; leg++) {
        message.step = making->steps.steps[parcel->first_leg + leg];
        message.to = parcel->to;
        message.to_chunk = parcel->from * s + parcel->first_chunk;
        message.to_buffer = BUFFER_OUT;
        if (leg < way->n_relays) {
            message.to = rank_of_relay(relays->placement, relays->servers[way->first + leg], parcel);
            message.to_chunk = n_tmp[message.to];
            message.to_buffer = BUFFER_TMP;
            if (relays->weight)
                synth_steps_keep(making->out, &(struct synth_kept){message.to, message.to_chunk,
                                                                   parcel->n_chunks, datum});
            n_tmp[message.to] += parcel->n_chunks;
            if (n_tmp[message.to] > making->header->n_tmp)
                making->header->n_tmp = n_tmp[message.to];
        }
        synth_steps_send(making->out, &message);
        message.from = message.to;
        message.chunk = message.to_chunk;
        message.buffer = message.to_buffer;
    }
}

/* Sends within servers, in turn. */
static void relays_send_within(struct making *making)
{
    const struct placement *placement = making->relays.placement;
    for (uint32_t from = 0; from < placement->n_ranks; from++) {
        const uint32_t server = placement->server[from], slots = placement_slots(placement, server);
        for (uint32_t turn = 0; turn < slots; turn++) {
            const uint32_t slot = (placement->slot[from] + turn) % slots;
            const uint32_t to = placement->ranks[placement->first[server] + slot];
            synth_steps_send_block(making->out, turn % making->steps.n_steps, from, to,
                                   making->relays.segments);
        }
    }
}

static void relays_send_all(struct making *making)
{
    uint32_t *n_tmp = mem_alloc(making->relays.placement->n_ranks, sizeof *n_tmp); /* chunks in use */
    making->header->segments = making->relays.segments;
    for (size_t i = 0; i < making->steps.n; i++)
        send_parcel(making, &making->steps.parcels[i], n_tmp);
    relays_send_within(making);
    free(n_tmp);
}

/* ---- the method ---- */

static bool relays_can_serve(const struct synth_request *request, struct text *problem)
{
    if (!synth_is_alltoall(request, problem))
        return false;
    const char *why = request->form != FORM_EQUAL && !request->what.counts
                          ? "it needs the counts of all ranks"
                      : request->what.topology->n_networks > 1 ? "these are several networks"
                      : request->max_link_load ? "its steps have no limit of messages on a link"
                                               : NULL;
    if (why)
        text_printf(problem, "%s", why);
    else if (request->what.placement->n_servers > MOST_SERVERS)
        text_printf(problem, "it finds ways between at most %d servers", MOST_SERVERS);
    else
        return true;
    return false;
}

static void free_all(struct making *making)
{
    struct relays *relays = &making->relays;
    free(relays->cost);
    free(relays->weight);
    free(relays->load);
    free(relays->ways);
    free(relays->way);
    free(relays->servers);
    free(relays->hops);
    free(making->steps.parcels);
    free(making->steps.steps);
}

/* Returns a state without ways and steps. */
static struct making making_of(const struct synth_request *request)
{
    const struct topology *topology = request->what.topology;
    const struct placement *placement = request->what.placement;
    struct making making = {.relays = {.request = request, .topology = topology, .placement = placement,
                                       .n_servers = placement->n_servers}};
    struct relays *relays = &making.relays;
    relays->cost = mem_alloc(topology->n_link_ids, sizeof *relays->cost);
    relays->load = mem_alloc(topology->n_link_ids, sizeof *relays->load);
    relays->way = mem_alloc((size_t)relays->n_servers * relays->n_servers, sizeof *relays->way);
    relays->hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *relays->hops);
    making.slowest = arcs_link_costs(topology, relays->cost);
    making.block_bytes = request->bytes ? (double)request->bytes : BYTES_NOT_SAID;
    if (request->what.counts)
        weigh(&making);
    return making;
}

/* Plans ways and steps; no steps if relays are useless. `flow`: the best flow, or NULL. */
static struct making relays_plan(const struct synth_request *request, const struct grain *grain,
                                 const struct relays_flow *flow)
{
    struct making making = making_of(request);
    struct relays *relays = &making.relays;
    making.grain = grain;
    relays_start(&making);
    making.straight = relays_most(relays);
    if (flow)
        relays_take_flow(relays, flow);
    else
        relays_find(relays);
    making.most = relays_most(relays);
    if (making.most >= making.straight * WORTH_IT)
        return making;
    list_parcels(&making);
    choose_steps(&making);
    making.time += (double)join_parcels(&making.steps) / relays->placement->n_ranks * MESSAGE_NS;
    return making;
}

/* Keeps the better one in `best`. */
static void relays_keep_better(struct making *best, struct making *other)
{
    const bool is_better = other->steps.n_steps &&
                           (!best->steps.n_steps || other->time < best->time * LITTLE_LONGER);
    free_all(is_better ? best : other);
    if (is_better)
        *best = *other;
}

/* True if more than a hundredth of the time exceeds the least time of the links: `needed` is the least load
 * as a fraction of that by straight ways. */
static bool can_gain(const struct making *making, double needed)
{
    const double ns = making->block_bytes / making->relays.segments * 1e9 / (double)making->slowest;
    if (making->steps.n_steps == 0)
        return needed < WORTH_IT;
    return (making->sum - needed * making->straight) * ns > making->time * (1 - ENOUGH);
}

static void try_finer(const struct synth_request *request, struct making *best)
{
    const struct overlay_effort effort = {FLOW_WORK, best->most / best->straight * ENOUGH, 0};
    struct overlay_network network = {.n_servers = 0};
    if (request->what.placement->n_servers <= MOST_FINE_SERVERS &&
        overlay_network_of(&request->what, &network)) {
        struct overlay_flow flow = overlay_spread(&network, FLOW_TIME, &effort);
        const struct relays_flow shared = {&network, &flow};
        const bool is_useful = flow.proved < flow.straight * effort.enough;
        for (size_t i = 1; i < sizeof grains / sizeof *grains; i++) {
            if (!can_gain(best, flow.proved / flow.straight))
                break;
            struct making other = relays_plan(request, &grains[i], is_useful ? &shared : NULL);
            relays_keep_better(best, &other);
        }
        overlay_flow_free(&flow);
    }
    overlay_network_free(&network);
}

static bool relays_make(const struct synth_request *request, struct synth_steps *steps,
                        struct schedule_header *header, struct text *problem)
{
    if (!relays_can_serve(request, problem))
        return false;
    struct making making = relays_plan(request, &grains[0], NULL);
    if (making.straight > 0)
        try_finer(request, &making);
    const bool is_made = making.steps.n_steps > 0;
    making.out = steps;
    making.header = header;
    if (is_made)
        relays_send_all(&making);
    else
        text_printf(problem, "no relay takes load off the busiest link");
    free_all(&making);
    return is_made;
}

const struct synth_method relays_method = {"relays", relays_make, false};
