/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A schedule seen through a map: passes on the steps of another schedule, renumbered.
 * See mapping.h. Holds one step.
 */
#include "network/networks.h"
#include "base/codes.h"
#include "ir/counts.h"
#include "ir/needs.h"
#include "mapping/mapping.h"

#include <stdlib.h>

/* Sizes of a pattern: those of the other schedule, by its own ranks. */
struct renamed_counts {
    struct counts counts; /* first */
    const struct renamed *of;
};
struct renamed_sizes {
    struct tmp_sizes sizes; /* first */
    const struct renamed *of;
};

struct renamed {
    struct schedule schedule; /* first: the schedule's functions get a pointer to it */
    struct schedule *inner;
    const uint32_t *map;
    const struct topology *topology; /* chooses networks, or NULL */
    struct diagnostics *diagnostics;
    bool by_rank[N_BUFFERS];         /* the buffer has a chunk for each rank */
    struct chunk_sets sets;          /* chunks of several ranks need not lie in a row any more */
    struct renamed_counts counts;
    struct renamed_sizes sizes;
    struct schedule_channel *channels; /* of the header, with the hops behind them; or NULL */
    uint32_t *inverse;               /* of the map, where sizes are asked for; or NULL */
    struct op *ops;                  /* sends, receives and copies of the step */
    size_t capacity;
};

const char *mapping_problem(enum collective collective, enum collective_form form)
{
    if (form != FORM_EQUAL)
        return "its counts are those of ranks by their own numbers";
    return collective_is_scan(collective) ? "the result of a rank depends on which ranks are below it" : NULL;
}

bool mapping_is_identity(const uint32_t *map, uint32_t n_ranks)
{
    uint32_t v = 0;
    while (v < n_ranks && map[v] == v)
        v++;
    return v == n_ranks;
}

uint32_t mapping_find(const uint32_t *map, uint32_t n_ranks, uint32_t rank)
{
    uint32_t v = 0;
    while (v < n_ranks && map[v] != rank)
        v++;
    return v;
}

static uint32_t rename_chunk(const struct renamed *renamed, uint8_t buffer, uint32_t chunk)
{
    const uint32_t segments = renamed->schedule.header.segments;
    return renamed->by_rank[buffer] ? renamed->map[chunk / segments] * segments + chunk % segments
                                    : chunk;
}

static bool is_of_several(const struct renamed *renamed, const struct op *op)
{
    const uint32_t segments = renamed->schedule.header.segments;
    return renamed->by_rank[op->buffer] && op->n_chunks > 1 &&
           op->chunk / segments != (op->chunk + op->n_chunks - 1) / segments;
}

/* Chunks of several ranks, or of a set. */
static void rename_set(struct renamed *renamed, const struct op *op, struct op *named)
{
    const size_t first = renamed->sets.n;
    for (struct op_ranges ranges = op_ranges(&renamed->inner->header, op); op_ranges_next(&ranges);) {
        if (!renamed->by_rank[op->buffer])
            chunk_sets_append(&renamed->sets, first, ranges.chunk, ranges.n);
        for (uint32_t i = 0; renamed->by_rank[op->buffer] && i < ranges.n; i++)
            chunk_sets_append(&renamed->sets, first, rename_chunk(renamed, op->buffer, ranges.chunk + i), 1);
    }
    chunk_sets_end(&renamed->sets, first, named);
}

static struct op *rename_messages(struct renamed *renamed, const struct op *ops, size_t n, struct op *to)
{
    for (size_t i = 0; i < n; i++, to++) {
        *to = ops[i];
        to->rank = renamed->map[ops[i].rank];
        to->peer = renamed->map[ops[i].peer];
        if (ops[i].is_set || is_of_several(renamed, &ops[i]))
            rename_set(renamed, &ops[i], to);
        else if (ops[i].n_chunks)
            to->chunk = rename_chunk(renamed, ops[i].buffer, ops[i].chunk);
    }
    return to;
}

/* Returns part i of n of a copy, each of one chunk if it is split. */
static struct op rename_part(const struct renamed *renamed, const struct op *op, uint32_t i,
                             uint32_t n)
{
    struct op part = *op;
    part.rank = renamed->map[op->rank];
    if (op->n_chunks)
        part.chunk = rename_chunk(renamed, op->buffer, op->chunk + i);
    part.n_chunks = n > 1 ? 1 : op->n_chunks;
    part.to_chunk = rename_chunk(renamed, op->to_buffer, op->to_chunk + i);
    return part;
}

static uint32_t rename_n_parts(const struct renamed *renamed, const struct op *copy)
{
    const bool is_split = renamed->by_rank[copy->buffer] || renamed->by_rank[copy->to_buffer];
    return is_split && copy->n_chunks > 1 ? copy->n_chunks : 1;
}

static uint64_t count_parts(const struct renamed *renamed, const struct op *copies, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += rename_n_parts(renamed, &copies[i]);
    return total;
}

/* Appends the parts of the copies at `to`; returns the end. */
static struct op *rename_copies(const struct renamed *renamed, const struct op *copies, size_t n,
                                struct op *to)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t parts = rename_n_parts(renamed, &copies[i]);
        for (uint32_t part = 0; part < parts; part++)
            *to++ = rename_part(renamed, &copies[i], part, parts);
    }
    return to;
}

static void rename_choose_networks(const struct renamed *renamed, struct op *sends, const struct op *end)
{
    const uint32_t *machine = renamed->schedule.header.machine;
    for (struct op *send = sends; send < end; send++)
        if (send->network < topology_n_networks(renamed->topology) || send->network == NO_NETWORK)
            send->network = (uint8_t)topology_network(renamed->topology, machine[send->rank],
                                                      machine[send->peer]);
}

static bool renamed_next(struct schedule *schedule, struct step *step)
{
    struct renamed *renamed = (struct renamed *)schedule;
    struct step from;
    bool is_given = renamed->inner->next(renamed->inner, &from);
    schedule->failed = renamed->inner->failed;
    if (!is_given)
        return false;
    const uint64_t total =
        from.n_sends + from.n_receives + count_parts(renamed, from.copies, from.n_copies);
    if (total > SCHEDULE_MAX_STEP_OPS) {
        report(renamed->diagnostics, CODE_E010, (struct position){.source = schedule->source},
               "a step of more than %llu operations, one for each chunk copied since ranks "
               "are renumbered", (unsigned long long)SCHEDULE_MAX_STEP_OPS);
        schedule->failed = true;
        return false;
    }
    renamed->ops = mem_grow(renamed->ops, &renamed->capacity, (size_t)total, sizeof *renamed->ops);
    struct op *sends = renamed->ops;
    chunk_sets_clear(&renamed->sets);
    struct op *receives = rename_messages(renamed, from.sends, from.n_sends, sends);
    struct op *copies = rename_messages(renamed, from.receives, from.n_receives, receives);
    struct op *end = rename_copies(renamed, from.copies, from.n_copies, copies);
    if (renamed->topology && schedule->header.n_networks)
        rename_choose_networks(renamed, sends, receives);
    *step = (struct step){.index = from.index,
                          .sends = sends,
                          .receives = receives,
                          .copies = copies,
                          .n_sends = (size_t)(receives - sends),
                          .n_receives = (size_t)(copies - receives),
                          .n_copies = (size_t)(end - copies)};
    return true;
}

static void renamed_rewind(struct schedule *schedule)
{
    struct renamed *renamed = (struct renamed *)schedule;
    renamed->inner->rewind(renamed->inner);
    schedule->failed = renamed->inner->failed;
}

static void renamed_destroy(struct schedule *schedule)
{
    struct renamed *renamed = (struct renamed *)schedule;
    renamed->inner->destroy(renamed->inner);
    needs_free(renamed->schedule.header.needs);
    for (uint32_t i = 0; renamed->channels && i < renamed->schedule.header.n_channels; i++)
        free((void *)(uintptr_t)renamed->channels[i].hops);
    free(renamed->channels);
    free(renamed->ops);
    free(renamed->sets.rows);
    free(renamed->inverse);
    free(renamed);
}

/* ---- sizes of a pattern ---- */

static uint64_t renamed_bytes(struct counts *counts, uint64_t datum)
{
    const struct renamed *of = ((struct renamed_counts *)counts)->of;
    const uint32_t n_in = of->schedule.header.n_in;
    struct counts *inner = of->inner->header.counts;
    return inner->bytes(inner, (uint64_t)of->inverse[datum / n_in] * n_in + datum % n_in);
}

static void renamed_keep_counts(struct counts *counts)
{
    (void)counts; /* a part of the schedule */
}

static uint64_t renamed_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct renamed *of = ((struct renamed_sizes *)sizes)->of;
    const uint32_t n_in = of->schedule.header.n_in;
    struct tmp_sizes *inner = of->inner->header.tmp_sizes;
    const uint64_t datum = inner->datum(inner, of->inverse[rank], chunk);
    return datum == NO_DATUM ? NO_DATUM : (uint64_t)of->map[datum / n_in] * n_in + datum % n_in;
}

static uint32_t renamed_in_order(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    const struct renamed *of = ((struct renamed_sizes *)sizes)->of;
    struct tmp_sizes *inner = of->inner->header.tmp_sizes;
    return inner->n_in_order(inner, of->inverse[rank], chunk);
}

/* Gives a pattern its sizes by the ranks that it has from now on. */
static void rename_sizes(struct renamed *renamed)
{
    struct schedule_header *header = &renamed->schedule.header;
    renamed->inverse = mem_alloc(header->n_ranks, sizeof *renamed->inverse);
    for (uint32_t v = 0; v < header->n_ranks; v++)
        renamed->inverse[renamed->map[v]] = v;
    renamed->counts = (struct renamed_counts){{renamed_bytes, NULL, renamed_keep_counts}, renamed};
    if (header->counts)
        header->counts = &renamed->counts.counts;
    if (!header->tmp_sizes)
        return;
    renamed->sizes.sizes = *header->tmp_sizes;
    renamed->sizes.sizes.datum = renamed_datum;
    renamed->sizes.sizes.n_in_order = renamed_in_order;
    renamed->sizes.of = renamed;
    header->tmp_sizes = &renamed->sizes.sizes;
}

/* Gives the channels of the header the ranks that they have from now on. */
static void rename_channels(struct renamed *renamed)
{
    struct schedule_header *header = &renamed->schedule.header;
    renamed->channels = mem_alloc((size_t)header->n_channels + 1, sizeof *renamed->channels);
    for (uint32_t i = 0; i < header->n_channels; i++) {
        const struct schedule_channel *channel = &header->channels[i];
        struct schedule_hop *hops = mem_alloc((size_t)channel->n_hops + 1, sizeof *hops);
        for (uint32_t k = 0; k < channel->n_hops; k++)
            hops[k] = (struct schedule_hop){.from = renamed->map[channel->hops[k].from],
                                            .to = renamed->map[channel->hops[k].to],
                                            .via = channel->hops[k].via};
        renamed->channels[i] = *channel;
        renamed->channels[i].hops = hops;
    }
    header->channels = renamed->channels;
}

struct schedule *mapping_rename(struct schedule *schedule, const uint32_t *map,
                                const struct topology *topology, struct diagnostics *diagnostics)
{
    if (mapping_is_identity(map, schedule->header.n_ranks))
        return schedule;
    struct renamed *renamed = mem_alloc(1, sizeof *renamed);
    *renamed = (struct renamed){.schedule = {.header = schedule->header,
                                             .source = schedule->source,
                                             .found = schedule->found,
                                             .next = renamed_next,
                                             .rewind = renamed_rewind,
                                             .destroy = renamed_destroy},
                                .inner = schedule,
                                .map = map,
                                .topology = topology,
                                .diagnostics = diagnostics};
    struct schedule_header *header = &renamed->schedule.header;
    header->is_ordered = false;
    header->is_timed = false; /* times are those of other machines */
    header->root = map[header->root];
    header->needs = header->needs ? needs_rename(header->needs, map) : NULL;
    for (int buffer = 0; buffer < BUFFER_TMP; buffer++)
        renamed->by_rank[buffer] = collective_is_by_rank(header->collective, (enum buffer)buffer);
    if (collective_is_said(header->collective))
        rename_sizes(renamed);
    header->sets = &renamed->sets;
    rename_channels(renamed);
    return &renamed->schedule;
}
