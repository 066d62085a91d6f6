/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the rings of a schedule as a graph file of NCCL (docs/nccl.md#graph-files):
 *
 *   <graphs version="1">
 *     <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="20" ...>
 *       <channel><gpu dev="0"/><gpu dev="1"/></channel>
 *
 * The ranks are GPUs of a host, where the machines of the topology are called so, or ranks of hosts that all
 * have the same rings inside. The rings are the channels that the schedule states, or else what its chunks
 * follow: the messages of a chunk of `buf`, or of a segment of other buffers, have to make one ring.
 */
#include "emitters/emit.h"
#include "network/networks.h"

#include <stdlib.h>
#include <string.h>

enum { RING_NONE = -1, RINGS_MAX = 32 };

struct graph_rings {
    const struct emit_request *request;
    const struct schedule_header *header;
    uint32_t n_ranks, n;
    int64_t *next[RINGS_MAX]; /* [rank] */
    uint8_t *via[RINGS_MAX];
    const char *refusal;
};

/* ---- rings ---- */

static int64_t *graph_new_ring(const struct graph_rings *rings)
{
    int64_t *next = mem_alloc(rings->n_ranks, sizeof *next);
    for (uint32_t rank = 0; rank < rings->n_ranks; rank++)
        next[rank] = RING_NONE;
    return next;
}

/* True if the ranks make one ring; the last rank of an open way goes back to its first. */
static bool graph_close_ring(int64_t *next, uint32_t n)
{
    bool *is_reached = mem_alloc(n, sizeof *is_reached);
    int64_t open = RING_NONE, start = 0;
    uint32_t n_open = 0, n_steps = 0;
    for (uint32_t rank = 0; rank < n; rank++) {
        n_open += next[rank] == RING_NONE;
        open = next[rank] == RING_NONE ? rank : open;
        if (next[rank] != RING_NONE)
            is_reached[next[rank]] = true;
    }
    for (uint32_t rank = 0; rank < n && n_open == 1; rank++)
        start = is_reached[rank] ? start : rank;
    free(is_reached);
    if (n_open == 1)
        next[open] = start;
    int64_t at = start;
    do
        at = next[at];
    while (++n_steps < n && n_open <= 1 && at != RING_NONE && at != start);
    return n_open <= 1 && n_steps == n && at == start;
}

/* Takes the channels that the schedule states. */
static void graph_take_channels(struct graph_rings *rings)
{
    for (uint32_t c = 0; c < rings->header->n_channels && !rings->refusal; c++) {
        const struct schedule_channel *channel = &rings->header->channels[c];
        if (channel->is_tree || rings->n == RINGS_MAX) {
            rings->refusal = channel->is_tree
                                 ? "a graph file is written of rings: its trees follow from NCCL's search"
                                 : "more than 32 channels";
            return;
        }
        rings->next[rings->n] = graph_new_ring(rings);
        rings->via[rings->n] = mem_alloc(rings->n_ranks, 1);
        for (uint32_t i = 0; i < channel->n_hops; i++) {
            rings->next[rings->n][channel->hops[i].from] = channel->hops[i].to;
            rings->via[rings->n][channel->hops[i].from] = channel->hops[i].via;
        }
        rings->n++;
    }
}

static bool graph_is_known(const struct graph_rings *rings, const int64_t *next)
{
    bool is_known = false;
    for (uint32_t i = 0; i < rings->n && !is_known; i++)
        is_known = memcmp(rings->next[i], next, rings->n_ranks * sizeof *next) == 0;
    return is_known;
}

/* Finds the ring that the messages of a chunk of `buf`, or of a segment, follow. */
static void graph_follow(struct graph_rings *rings, uint32_t segment, bool is_whole)
{
    const uint32_t segments = is_whole ? 1 : rings->header->segments;
    struct schedule *schedule = rings->request->schedule;
    int64_t *next = graph_new_ring(rings);
    struct step step;
    schedule->rewind(schedule);
    while (!rings->refusal && schedule->next(schedule, &step))
        for (size_t i = 0; i < step.n_sends && !rings->refusal; i++) {
            const struct op *send = &step.sends[i];
            struct op_ranges ranges = op_ranges(rings->header, send);
            bool has = segments == 1;
            while (!has && op_ranges_next(&ranges))
                for (uint32_t k = 0; k < ranges.n && !has; k++)
                    has = (ranges.chunk + k) % segments == segment;
            if (!has || send->rank == send->peer)
                continue;
            if (next[send->rank] != RING_NONE && next[send->rank] != send->peer)
                rings->refusal =
                    "its messages follow no rings: a rank sends the same segment to several others";
            next[send->rank] = send->peer;
        }
    if (!rings->refusal && schedule->failed)
        rings->refusal = "";
    if (!rings->refusal && !graph_close_ring(next, rings->n_ranks))
        rings->refusal = "its messages follow no rings: not every rank is on the way round";
    const bool is_new = !rings->refusal && !graph_is_known(rings, next);
    if (is_new && rings->n == RINGS_MAX)
        rings->refusal = "more than 32 channels";
    if (!is_new || rings->refusal) {
        free(next);
        return;
    }
    rings->next[rings->n] = next;
    rings->via[rings->n++] = mem_alloc(rings->n_ranks, 1);
}

/* ---- hosts ---- */

/* Returns the number of the GPU that a rank is on, by the name of its machine; RING_NONE: it is another one.
 */
static int64_t graph_gpu_of(const struct emit_request *request, uint32_t rank)
{
    char name[64], *end;
    topology_node_name(request->topology, request->placement->machine[rank], name, sizeof name);
    if (strncmp(name, "gpu", 3) != 0 || name[3] < '0' || name[3] > '9')
        return RING_NONE;
    const long number = strtol(name + 3, &end, 10);
    return *end ? RING_NONE : number;
}

/* Returns the speed in GB/s of a channel that leaves each link what it has for all hops over it. */
static double graph_speed(const struct graph_rings *rings)
{
    const struct topology *topology = rings->request->topology;
    const uint32_t *machine = rings->request->placement->machine;
    const struct rank_adapters *adapters = rings->request->placement->adapters;
    uint32_t *load = mem_alloc((size_t)topology->n_link_ids + 1, sizeof *load);
    struct hop *hops = mem_alloc((size_t)topology->max_hops + 1, sizeof *hops);
    double least = 0;
    for (uint32_t c = 0; c < rings->n; c++)
        for (uint32_t rank = 0; rank < rings->n_ranks; rank++) {
            const uint32_t from = machine[rank], to = machine[rings->next[c][rank]];
            const uint8_t via = rings->via[c][rank];
            const uint32_t way =
                adapters && adapters->ways && via < adapters->n_ways ? adapters->ways[via] : 0;
            const uint32_t n =
                from == to ? 0 : topology_route_over(topology, way ? way : NO_NETWORK, from, to, hops);
            for (uint32_t i = 0; i < n; i++)
                load[hops[i].link]++;
        }
    for (uint32_t link = 0; link < topology->n_link_ids; link++) {
        const double speed =
            load[link] ? (double)topology_link_bandwidth(topology, link) / 1e9 / load[link] : 0;
        least = speed > 0 && (speed < least || !(least > 0)) ? speed : least;
    }
    free(hops);
    free(load);
    return least;
}

/* Returns the rank of host 0 at which the ring comes to it. */
static int64_t graph_first_of(const struct graph_rings *rings, uint32_t c, uint32_t server)
{
    const uint32_t *server_of = rings->request->placement->server;
    int64_t at = rings->request->placement->ranks[rings->request->placement->first[server]];
    for (uint32_t rank = 0; rank < rings->n_ranks; rank++)
        if (server_of[rank] != server && server_of[rings->next[c][rank]] == server)
            at = rings->next[c][rank];
    return at;
}

/* Returns the number of the adapter of a message, of its sender or of its receiver. */
static uint32_t graph_adapter(const struct graph_rings *rings, uint32_t c, int64_t sender, bool is_out)
{
    const uint8_t via = rings->via[c][sender];
    const struct schedule_via *pair = via < rings->header->n_vias ? &rings->header->vias[via] : NULL;
    return !via || !pair ? UINT32_MAX : is_out ? pair->out_number : pair->in_number;
}

/* Writes the part of a ring on a host, which every host has to have alike. */
static void graph_write_channel(struct graph_rings *rings, uint32_t c, uint32_t server, struct text *out)
{
    const struct placement *placement = rings->request->placement;
    const uint32_t n_slots = placement_slots(placement, server);
    int64_t at = graph_first_of(rings, c, server), before = 0;
    const bool is_inside = graph_gpu_of(rings->request, 0) != RING_NONE;
    const uint32_t n = is_inside ? rings->n_ranks : n_slots;
    const bool has_nets = !is_inside && placement->n_servers > 1;
    for (uint32_t rank = 0; rank < rings->n_ranks; rank++)
        before = rings->next[c][rank] == at ? rank : before;
    text_printf(out, "    <channel>\n");
    if (has_nets)
        text_printf(out, "      <net dev=\"%u\"/>\n", graph_adapter(rings, c, before, false));
    for (uint32_t i = 0; i < n; i++, before = at, at = rings->next[c][at]) {
        const int64_t gpu = is_inside ? graph_gpu_of(rings->request, (uint32_t)at) : placement->slot[at];
        if (gpu == RING_NONE || (!is_inside && placement->server[at] != server))
            rings->refusal = "a ring leaves a host before it has been on all GPUs there";
        text_printf(out, gpu < 10 ? "      <gpu dev=\"%lld\"/>\n" : "      <gpu dev=\"0x%llx\"/>\n",
                    (long long)gpu);
    }
    if (has_nets)
        text_printf(out, "      <net dev=\"%u\"/>\n", graph_adapter(rings, c, before, true));
    text_printf(out, "    </channel>\n");
    for (uint32_t rank = 0; has_nets && rank < rings->n_ranks; rank++)
        if (placement->server[rank] != placement->server[rings->next[c][rank]] &&
            graph_adapter(rings, c, rank, true) == UINT32_MAX)
            rings->refusal = "the schedule does not say by which adapter its rings leave a host";
}

/* Writes all channels, as each host has them. */
static void graph_write(struct graph_rings *rings, struct text *out)
{
    const struct placement *placement = rings->request->placement;
    const bool is_inside = graph_gpu_of(rings->request, 0) != RING_NONE;
    const double speed = graph_speed(rings);
    struct text channels = {0}, others = {0};
    for (uint32_t server = 0; server < (is_inside ? 1 : placement->n_servers) && !rings->refusal; server++) {
        struct text *text = server ? &others : &channels;
        text_free(&others);
        for (uint32_t c = 0; c < rings->n; c++)
            graph_write_channel(rings, c, server, text);
        if (server && !rings->refusal && strcmp(channels.data, others.data) != 0)
            rings->refusal = "hosts have different rings inside, and a graph file has one for all";
    }
    if (!rings->refusal && !(speed > 0))
        rings->refusal =
            "no message leaves a machine of the topology: give the inside of the host, or the fabric";
    text_printf(
        out,
        "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"%u\" "
        "speedintra=\"%.4g\" speedinter=\"%.4g\" latencyinter=\"0\" typeintra=\"%s\" typeinter=\"PHB\" "
        "samechannels=\"%d\">\n",
        rings->n, speed, speed, is_inside && placement->n_ranks == 1 ? "LOC" : "SYS", rings->n == 1);
    text_append(out, channels.data ? channels.data : "", channels.length);
    text_printf(out, "  </graph>\n</graphs>\n");
    text_free(&channels);
    text_free(&others);
}

const char *emit_nccl_graph(const struct emit_request *request, struct text *out)
{
    struct graph_rings rings = {.request = request,
                                .header = &request->schedule->header,
                                .n_ranks = request->schedule->header.n_ranks};
    const bool is_whole = rings.header->segments > RINGS_MAX * (uint64_t)rings.n_ranks;
    if (!request->topology || !request->placement)
        return "a graph file has speeds: give --topology, the inside of the host or the fabric";
    graph_take_channels(&rings);
    const uint32_t n_followed = rings.header->n_channels ? 0 : is_whole ? 1 : rings.header->segments;
    for (uint32_t k = 0; k < n_followed && !rings.refusal; k++)
        graph_follow(&rings, k, is_whole);
    if (!rings.refusal)
        graph_write(&rings, out);
    for (uint32_t i = 0; i < rings.n; i++) {
        free(rings.next[i]);
        free(rings.via[i]);
    }
    return rings.refusal;
}
