/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The schedule of channels. Each has a share of every block, and does with it
 * what NCCL does, one step after the other. Of 4 ranks in the ring 0 1 2 3
 * (position i of it in step t):
 *
 *   reduce_scatter   sends block i-1-t on, to which the next rank adds its own
 * 3 steps allgather        sends block i-t on 3 steps allreduce        sends
 * block i-t on, in the first 3 steps to be added to       6 steps bcast, reduce
 * from or to the root along the ring, segment by segment        3 steps and one
 * for each further segment tree             the parts of all ranks up to the
 * root, and the result down, segment by segment
 */
#include "schedules/nccl/channels.h"

#include "base/codes.h"

#include <stdlib.h>

struct nccl_schedule {
    struct schedule schedule;
    struct nccl_channels channels;
    uint32_t *offset; /* [channel] of its share among the chunks of a block; all
                         shares together last */
    uint32_t *height; /* [channel, rank] of a tree: steps before it sends up ... */
    uint32_t *depth;  /* ... and links from the root */
    uint32_t segments, root;
    uint64_t n_steps, next_step;
    struct op *sends, *receives, *copies;
    size_t n_sends, n_receives, n_copies, sends_capacity, receives_capacity, copies_capacity;
    struct diagnostics found;
};

static void steps_add(struct op **ops, size_t *n, size_t *capacity, const struct op *op)
{
    *ops = mem_grow(*ops, capacity, *n + 1, sizeof **ops);
    (*ops)[(*n)++] = *op;
}

/* Adds a copy of chunks of a rank. */
static void steps_copy(struct nccl_schedule *of, const struct op *op)
{
    steps_add(&of->copies, &of->n_copies, &of->copies_capacity, op);
}

/* A message of the chunks of both ends. */
struct steps_message {
    uint32_t from, to, n_chunks;
    uint8_t via, from_buffer, to_buffer;
    bool reduces;
    uint32_t from_chunk, to_chunk;
};

static void steps_send(struct nccl_schedule *of, const struct steps_message *message)
{
    const struct op send = {.rank = message->from,
                            .peer = message->to,
                            .chunk = message->from_chunk,
                            .n_chunks = message->n_chunks,
                            .kind = OP_SEND,
                            .buffer = message->from_buffer,
                            .network = message->via};
    const struct op receive = {.rank = message->to,
                               .peer = message->from,
                               .chunk = message->to_chunk,
                               .n_chunks = message->n_chunks,
                               .kind = message->reduces ? OP_REDUCE : OP_RECV,
                               .buffer = message->to_buffer};
    steps_add(&of->sends, &of->n_sends, &of->sends_capacity, &send);
    steps_add(&of->receives, &of->n_receives, &of->receives_capacity, &receive);
}

/* ---- rings ---- */

/* A channel in a step. */
struct steps_place {
    const struct nccl_channel *channel;
    uint32_t n; /* ranks */
    uint32_t step;
    uint32_t offset, share; /* of its chunks in a block */
    uint32_t width;         /* chunks of a block */
};

/* Returns (i - back) modulo n. Requires i < n. */
static uint32_t steps_before(uint32_t i, uint32_t back, uint32_t n)
{
    return (uint32_t)(((uint64_t)i + n - back % n) % n);
}

/* Returns the message from position i of the ring to the next, without chunks.
 */
static struct steps_message steps_message_on(const struct steps_place *at, uint32_t i)
{
    const uint32_t *ring = at->channel->ring;
    return (struct steps_message){
        .from = ring[i], .to = ring[(i + 1) % at->n], .n_chunks = at->share, .via = at->channel->via[i]};
}

static void steps_allreduce(struct nccl_schedule *of, const struct steps_place *at)
{
    for (uint32_t i = 0; i < at->n; i++) {
        struct steps_message message = steps_message_on(at, i);
        const uint32_t block = steps_before(i, at->step, at->n);
        message.from_chunk = message.to_chunk = block * at->width + at->offset;
        message.from_buffer = message.to_buffer = BUFFER_BUF;
        message.reduces = at->step < at->n - 1;
        steps_send(of, &message);
    }
}

static void steps_allgather(struct nccl_schedule *of, const struct steps_place *at)
{
    const uint32_t *ring = at->channel->ring;
    for (uint32_t i = 0; i < at->n; i++) {
        struct steps_message message = steps_message_on(at, i);
        message.to_chunk = ring[steps_before(i, at->step, at->n)] * at->width + at->offset;
        message.from_chunk = at->step ? message.to_chunk : at->offset;
        message.from_buffer = at->step ? BUFFER_OUT : BUFFER_IN;
        message.to_buffer = BUFFER_OUT;
        if (at->step == 0)
            steps_copy(of, &(struct op){.rank = ring[i],
                                        .chunk = at->offset,
                                        .to_chunk = ring[i] * at->width + at->offset,
                                        .n_chunks = at->share,
                                        .kind = OP_COPY,
                                        .buffer = BUFFER_IN,
                                        .to_buffer = BUFFER_OUT});
        steps_send(of, &message);
    }
}

/* The next rank has its own part of the block copied to where the message is
 * added to it: to one half of tmp, while the other half is sent. */
static void steps_reduce_scatter(struct nccl_schedule *of, const struct steps_place *at)
{
    const uint32_t *ring = at->channel->ring;
    const bool is_last = at->step == at->n - 2;
    for (uint32_t i = 0; i < at->n; i++) {
        struct steps_message message = steps_message_on(at, i);
        const uint32_t block = ring[steps_before(i, at->step + 1, at->n)] * at->width + at->offset;
        message.from_buffer = at->step ? BUFFER_TMP : BUFFER_IN;
        message.from_chunk = at->step ? (at->step - 1) % 2 * at->width + at->offset : block;
        message.to_buffer = is_last ? BUFFER_OUT : BUFFER_TMP;
        message.to_chunk = (is_last ? 0 : at->step % 2 * at->width) + at->offset;
        message.reduces = true;
        steps_copy(of, &(struct op){.rank = message.to,
                                    .chunk = block,
                                    .to_chunk = message.to_chunk,
                                    .n_chunks = at->share,
                                    .kind = OP_COPY,
                                    .buffer = BUFFER_IN,
                                    .to_buffer = message.to_buffer});
        steps_send(of, &message);
    }
}

/* From the root along the ring, or along it to the root: the k-th rank on the
 * way sends segment s in step k + s. */
static void steps_chain(struct nccl_schedule *of, const struct steps_place *at)
{
    const bool reduces = of->schedule.header.collective == COLLECTIVE_reduce;
    uint32_t first = 0;
    while (at->channel->ring[first] != of->root)
        first++;
    for (uint32_t k = 0; k + 1 < at->n && k <= at->step; k++) {
        struct steps_message message = steps_message_on(at, (first + k + reduces) % at->n);
        if (at->step - k >= of->segments)
            continue;
        message.from_chunk = message.to_chunk = (at->step - k) * at->width + at->offset;
        message.from_buffer = message.to_buffer = BUFFER_BUF;
        message.reduces = reduces;
        steps_send(of, &message);
    }
}

/* ---- trees ---- */

/* Rank r sends segment s up in step height + s. The root has it then, and what
 * is d links below it gets it in step height + d - 1 + s. */
static void steps_tree(struct nccl_schedule *of, const struct steps_place *at, const uint32_t *height,
                       const uint32_t *depth)
{
    const struct nccl_channel *tree = at->channel;
    uint32_t top = 0;
    for (uint32_t rank = 0; rank < at->n; rank++)
        top = tree->up[rank] == NCCL_NONE ? height[rank] : top;
    for (uint32_t rank = 0; rank < at->n; rank++) {
        struct steps_message message = {.from = rank,
                                        .to = tree->up[rank],
                                        .n_chunks = at->share,
                                        .from_buffer = BUFFER_BUF,
                                        .to_buffer = BUFFER_BUF};
        if (tree->up[rank] != NCCL_NONE && at->step >= height[rank] &&
            at->step - height[rank] < of->segments) {
            message.from_chunk = message.to_chunk = (at->step - height[rank]) * at->width + at->offset;
            message.via = tree->via[rank];
            message.reduces = true;
            steps_send(of, &message);
        }
        const uint32_t begin = top + depth[rank] - 1;
        if (tree->down[rank] != NCCL_NONE && at->step >= begin && at->step - begin < of->segments) {
            message.from = tree->down[rank];
            message.to = rank;
            message.from_chunk = message.to_chunk = (at->step - begin) * at->width + at->offset;
            message.via = tree->via_down[rank];
            message.reduces = false;
            steps_send(of, &message);
        }
    }
}

/* Sets the links from the root of each rank by the ranks above. False: there is
 * a cycle, or no one root. */
static bool steps_find_depth(const uint32_t *up, uint32_t n, uint32_t *depth)
{
    uint32_t n_roots = 0;
    for (uint32_t rank = 0; rank < n; rank++) {
        uint32_t links = 0, at = rank;
        n_roots += up[rank] == NCCL_NONE;
        while (up[at] != NCCL_NONE && links <= n) {
            at = up[at];
            links++;
            if (at >= n)
                return false;
        }
        if (links > n)
            return false;
        depth[rank] = links;
    }
    return n_roots == 1;
}

/* Finds when each rank of a tree sends: after those below it. */
static bool steps_measure_tree(struct nccl_schedule *of, uint32_t c)
{
    const struct nccl_channel *tree = &of->channels.items[c];
    const uint32_t n = of->channels.n_ranks;
    uint32_t *height = &of->height[(size_t)c * n], *depth = &of->depth[(size_t)c * n], top = 0, root = 0;
    if (!steps_find_depth(tree->up, n, depth))
        return false;
    for (uint32_t rank = 0; rank < n; rank++)
        for (uint32_t at = rank, k = 0; tree->up[at] != NCCL_NONE; at = tree->up[at], k++)
            if (height[tree->up[at]] < k + 1)
                height[tree->up[at]] = k + 1;
    for (uint32_t rank = 0; rank < n; rank++)
        root = tree->up[rank] == NCCL_NONE ? rank : root;
    if (!steps_find_depth(tree->down, n, depth) || tree->down[root] != NCCL_NONE)
        return false;
    for (uint32_t rank = 0; rank < n; rank++)
        top = depth[rank] > top ? depth[rank] : top;
    const uint64_t n_steps = (uint64_t)height[root] + top + of->segments - 1;
    of->n_steps = n_steps > of->n_steps ? n_steps : of->n_steps;
    return true;
}

/* ---- the schedule ---- */

static bool nccl_steps_next(struct schedule *schedule, struct step *step)
{
    struct nccl_schedule *of = (struct nccl_schedule *)schedule;
    const uint32_t n = of->channels.n_ranks;
    if (of->next_step >= of->n_steps)
        return false;
    of->n_sends = of->n_receives = of->n_copies = 0;
    for (uint32_t c = 0; c < of->channels.n; c++) {
        const struct steps_place at = {.channel = &of->channels.items[c],
                                       .n = n,
                                       .step = (uint32_t)of->next_step,
                                       .offset = of->offset[c],
                                       .share = of->offset[c + 1] - of->offset[c],
                                       .width = of->offset[of->channels.n]};
        if (!at.channel->ring)
            steps_tree(of, &at, &of->height[(size_t)c * n], &of->depth[(size_t)c * n]);
        else if (schedule->header.collective == COLLECTIVE_allreduce)
            steps_allreduce(of, &at);
        else if (schedule->header.collective == COLLECTIVE_allgather)
            steps_allgather(of, &at);
        else if (schedule->header.collective == COLLECTIVE_reduce_scatter_block)
            steps_reduce_scatter(of, &at);
        else
            steps_chain(of, &at);
    }
    *step = (struct step){.index = of->next_step++,
                          .sends = of->sends,
                          .receives = of->receives,
                          .copies = of->copies,
                          .n_sends = of->n_sends,
                          .n_receives = of->n_receives,
                          .n_copies = of->n_copies};
    return true;
}

static void nccl_steps_rewind(struct schedule *schedule)
{
    ((struct nccl_schedule *)schedule)->next_step = 0;
}

static void nccl_steps_destroy(struct schedule *schedule)
{
    struct nccl_schedule *of = (struct nccl_schedule *)schedule;
    free(of->offset);
    free(of->height);
    free(of->depth);
    free(of->sends);
    free(of->receives);
    free(of->copies);
    free(of->channels.items);
    free(of->channels.vias);
    arena_free(&of->channels.arena);
    free(of);
}

/* Writes the hops of a channel, each once in each direction in which data go.
 */
static void steps_write_hops(struct nccl_schedule *of, const struct nccl_channel *channel,
                             struct schedule_channel *written)
{
    const uint32_t n = of->channels.n_ranks;
    struct schedule_hop *hops = arena_alloc(&of->channels.arena, 2 * (size_t)n, sizeof *hops);
    *written = (struct schedule_channel){.name = channel->name, .is_tree = !channel->ring, .hops = hops};
    for (uint32_t i = 0; i < n; i++) {
        if (channel->ring)
            hops[written->n_hops++] =
                (struct schedule_hop){channel->ring[i], channel->ring[(i + 1) % n], channel->via[i]};
        if (channel->up && channel->up[i] != NCCL_NONE)
            hops[written->n_hops++] = (struct schedule_hop){i, channel->up[i], channel->via[i]};
        if (channel->down && channel->down[i] != NCCL_NONE)
            hops[written->n_hops++] = (struct schedule_hop){channel->down[i], i, channel->via_down[i]};
    }
}

static void steps_fill_header(struct nccl_schedule *of)
{
    struct schedule_header *header = &of->schedule.header;
    const struct nccl_channels *channels = &of->channels;
    struct schedule_channel *written = arena_alloc(&of->channels.arena, channels->n, sizeof *written);
    const uint32_t width = of->offset[channels->n], n = channels->n_ranks;
    const bool is_by_position = header->collective == COLLECTIVE_allreduce && channels->items[0].ring;
    header->n_ranks = n;
    header->root = of->root;
    header->segments = is_by_position ? n * width
                       : collective_table[header->collective].numbering == NUMBERED_WHOLE
                           ? width * of->segments
                           : width;
    header->n_tmp = header->collective == COLLECTIVE_reduce_scatter_block && n > 2 ? 2 * width : 0;
    header->hosts = channels->hosts;
    header->vias = channels->vias;
    header->n_vias = channels->n_vias;
    header->channels = written;
    header->n_channels = channels->n;
    for (uint32_t c = 0; c < channels->n; c++)
        steps_write_hops(of, &channels->items[c], &written[c]);
}

/* Sets the number of steps. False: a tree is none. */
static bool steps_count(struct nccl_schedule *of)
{
    const uint32_t n = of->channels.n_ranks, n_channels = of->channels.n;
    if (of->channels.items[0].ring) {
        const enum collective collective = of->schedule.header.collective;
        of->n_steps = collective == COLLECTIVE_allreduce ? 2 * (uint64_t)(n - 1) : n - 1;
        if (collective_table[collective].rooted && n > 1)
            of->n_steps += of->segments - 1;
        return true;
    }
    of->height = mem_alloc((size_t)n_channels * n + 1, sizeof *of->height);
    of->depth = mem_alloc((size_t)n_channels * n + 1, sizeof *of->depth);
    for (uint32_t c = 0; c < n_channels; c++)
        if (!steps_measure_tree(of, c)) {
            nccl_refuse(&of->channels, 0, "tree %u: its ranks do not form one tree",
                        of->channels.items[c].number)
                ->help = "lines of several communicators are mixed, or the log has lost lines";
            return false;
        }
    return true;
}

/* Refuses what is too large for a schedule. */
static bool steps_fit(struct nccl_schedule *of)
{
    const uint64_t width = of->offset[of->channels.n], n = of->channels.n_ranks;
    if (n * width * of->segments <= SCHEDULE_MAX_CHUNKS && of->n_steps <= SCHEDULE_MAX_STEPS &&
        n * of->channels.n <= SCHEDULE_MAX_STEP_OPS)
        return true;
    nccl_refuse(&of->channels, 0, "%llu ranks with %u channels of %u segments are too many",
                (unsigned long long)n, of->channels.n, of->segments)
        ->help = "'FILE:channels=0-3' takes some of the channels";
    return false;
}

struct schedule *nccl_steps(struct nccl_channels *channels)
{
    const struct nccl_request *request = channels->request;
    struct nccl_schedule *of = mem_alloc(1, sizeof *of);
    of->channels = *channels;
    of->segments = request->segments;
    of->root = request->root;
    of->schedule = (struct schedule){.header = {.collective = request->collective,
                                                .algorithm = request->is_tree ? "nccl_tree" : "nccl_ring"},
                                     .source = request->source,
                                     .next = nccl_steps_next,
                                     .rewind = nccl_steps_rewind,
                                     .destroy = nccl_steps_destroy};
    of->offset = mem_alloc((size_t)channels->n + 1, sizeof *of->offset);
    for (uint32_t c = 0; c < channels->n; c++)
        of->offset[c + 1] = of->offset[c] + channels->items[c].n_times;
    if (channels->n_ranks < 2)
        nccl_refuse(&of->channels, 0, "the communicator has one rank: it sends nothing");
    else if (collective_table[request->collective].rooted && request->root >= channels->n_ranks)
        nccl_refuse(&of->channels, 0, "root %u is not among %u ranks", request->root, channels->n_ranks);
    else if (steps_count(of) && steps_fit(of))
        steps_fill_header(of);
    if (!of->channels.failed)
        return &of->schedule;
    nccl_steps_destroy(&of->schedule);
    return NULL;
}
