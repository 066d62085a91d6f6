/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The data of the collective as it moves (data.h). Memory O(ranks + runs).
 */
#include "verify/rule.h"

#include "verify/agreement.h"

#include "ir/counts.h"
#include "ir/needs.h"

#include <stdlib.h>
#include <string.h>

/* A barrier moves no user data. What it must achieve is knowledge: a rank may
 * leave only if every rank has arrived. It is treated as one chunk of `buf` that
 * holds the set of ranks known to have arrived, carried by every message. */
static struct op token_op(const struct op *op)
{
    struct op token = *op;
    token.buffer = BUFFER_BUF;
    token.chunk = 0;
    token.n_chunks = 1;
    if (token.kind == OP_RECV)
        token.kind = OP_REDUCE;
    return token;
}

static void start_with(struct data *data, uint32_t rank, uint32_t n, uint64_t set)
{
    const uint64_t expr = data->agreement ? agreement_contribution(data->agreement, rank) : NO_BRACKETS;
    struct run run = {.n = n, .set = set, .datum_stride = 1, .expr = expr};
    chunk_map_write(&data->maps[BUFFER_BUF][rank], (struct run_at){0, 0}, &run);
}

/* True if contributions must be combined in rank order: where that order is part of what is required. */
static bool has_rank_order(const struct schedule_header *header)
{
    return header->is_ordered || collective_is_scan(header->collective);
}

/* Makes the sets of contributions that a pattern needs, once the ranks have their order. */
static void data_make_needed(struct data *data)
{
    const struct needs *needs = data->needs;
    data->needed_set = mem_alloc(needs->n_sums, sizeof *data->needed_set);
    for (size_t i = 0; i < needs->n_sums; i++) {
        const struct need_sum *sum = &needs->sums[i];
        const uint32_t *ranks = needs->ranks + sum->first;
        uint64_t set = rank_set_of(&data->sets, ranks[0]);
        bool is_shared;
        for (uint32_t k = 1; k < sum->n; k++)
            set = rank_set_union(&data->sets, set, rank_set_of(&data->sets, ranks[k]), &is_shared);
        data->needed_set[i] = set;
    }
}

/* The `initial` column of ir/collective.h, except for `in` (see read_in). */
void data_start(struct data *data, const struct step *step, const struct shifts *group)
{
    const struct schedule_header *header = data->header;
    uint32_t segments = data->is_barrier ? 1 : header->segments;
    const struct collective_info *info = &collective_table[header->collective];
    const bool combines = info->combines != COMBINES_NONE;
    if (combines && step && !has_rank_order(header) && !data->kept)
        data_order_ranks(data, step);
    if (data->needs)
        data_make_needed(data);
    if (collective_agrees(header->collective) ||
        (data->reduces && data->verifier->request->see_brackets))
        data->agreement = agreement_new(data, group);
    if (combines && data->maps[BUFFER_BUF])
        for (uint32_t i = 0; i < data->n_kept; i++)
            start_with(data, data_kept(data, i), segments, rank_set_of(&data->sets, data_kept(data, i)));
    else if (info->numbering == NUMBERED_WHOLE && info->before == HELD_ROOT)
        start_with(data, header->root, segments, 0);
    data->is_started = true;
}

void data_init(struct data *data, struct verifier *verifier, const uint32_t *kept, uint32_t n_kept)
{
    uint32_t n = kept ? 0 : n_kept;
    *data = (struct data){
        .verifier = verifier, .header = &verifier->schedule->header, .kept = kept, .n_kept = n_kept};
    for (uint32_t i = 0; kept && i < n_kept; i++)
        n = kept[i] >= n ? kept[i] + 1 : n;
    data->is_barrier = !collective_has_data(data->header->collective);
    data->n_in = schedule_chunks(data->header, BUFFER_IN);
    data->reduces = (collective_table[data->header->collective].reduces || data->header->needs) &&
                    schedule_promises(data->header);
    data->needs = data->header->needs;
    const enum holder before = collective_table[data->header->collective].before;
    if (before == HELD_EACH || before == HELD_SAID)
        data->in_apart = data->n_in;
    uint32_t in, out;
    /* where the root has none, no rank has */
    data->has_in_place = schedule_in_place(data->header, data->header->root, &in, &out);
    data->has_in_place |= data->needs && data->needs->has; /* `in` is to be looked at when it is sent */
    data->sets.n_ranks = data->header->n_ranks;
    for (enum buffer buffer = BUFFER_OUT; buffer < N_BUFFERS; buffer++)
        if (schedule_chunks(data->header, buffer) || (data->is_barrier && buffer == BUFFER_BUF))
            data->maps[buffer] = mem_alloc(n, sizeof *data->maps[buffer]);
}

void data_free(struct data *data)
{
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        for (uint32_t i = 0; data->maps[buffer] && i < data->n_kept; i++)
            chunk_map_free(&data->maps[buffer][data_kept(data, i)]);
        free(data->maps[buffer]);
    }
    rank_sets_free(&data->sets);
    free(data->needed_set);
    agreement_free(data->agreement);
}

static void append_run(struct run_list *list, const struct run *run)
{
    if (list->n == list->capacity)
        list->runs = mem_grow(list->runs, &list->capacity, list->n + 1, sizeof *list->runs);
    list->runs[list->n++] = *run;
}

/* The same for chunks of `in`: chunk c of rank r is datum c of a scatter and of what is
 * combined, elsewhere r * (chunks of in) + c. */
static inline struct run read_in(const struct data *data, const struct op *op)
{
    const uint64_t set = data->reduces ? rank_set_of(&data->sets, op->rank) : 0;
    const uint64_t expr = data->agreement ? agreement_contribution(data->agreement, op->rank) : NO_BRACKETS;
    return (struct run){.n = op->n_chunks,
                        .datum = op->chunk + op->rank * data->in_apart,
                        .set = set,
                        .datum_stride = 1,
                        .expr = expr};
}

/* True if chunks of `in` are not each a datum of its own, or not all there. */
static bool has_places(const struct data *data)
{
    return data->needs && (data->needs->datum_of || data->needs->has);
}

/* Offers the first chunk of `in` that a rank does not have. */
static void offer_lacking(struct data *data, const struct op *op, uint64_t step)
{
    for (uint32_t k = 0; k < op->n_chunks; k++)
        if (!needs_has(data->needs, op->rank, op->chunk + k)) {
            offer_absent(data->verifier, &(struct fact_absent){op, step, op->chunk + k});
            return;
        }
}

/* Appends chunks of `in` of a pattern that combines: their data need not follow each other. */
static void read_places(const struct data *data, const struct op *op, struct run_list *list)
{
    for (uint32_t k = 0; k < op->n_chunks; k++) {
        if (!needs_has(data->needs, op->rank, op->chunk + k)) {
            const struct run lost = run_poison(k, 1);
            append_run(list, &lost);
            continue;
        }
        struct run run = {.first = k,
                          .n = 1,
                          .datum = needs_datum_of(data->needs, op->rank, op->chunk + k),
                          .set = rank_set_of(&data->sets, op->rank),
                          .datum_stride = 1};
        struct run *last = list->n ? &list->runs[list->n - 1] : NULL;
        if (k && !run_is_poison(last) && run_datum(last, last->n) == run.datum)
            last->n++;
        else
            append_run(list, &run);
    }
}

/* Offers the chunks of one range. */
static void read_range_aliased(struct data *data, const struct op *op, uint64_t step)
{
    const uint32_t segments = data->header->segments;
    uint32_t in, out;
    if (data->needs && data->needs->has)
        offer_lacking(data, op, step);
    if (!data->has_in_place || !schedule_in_place(data->header, op->rank, &in, &out))
        return;
    const uint64_t op_end = (uint64_t)op->chunk + op->n_chunks;
    const uint64_t first = op->chunk > in ? op->chunk - in : 0;
    const uint64_t end = op_end < in ? 0 : op_end - in < segments ? op_end - in : segments;
    const struct fact_aliased fact = {op, step, first, end, in, out};
    if (first < end)
        offer_aliased(data->verifier, &fact);
}

void data_read_aliased(struct data *data, const struct op *op, uint64_t step)
{
    for (struct op_ranges ranges = op_ranges(data->header, op); op_ranges_next(&ranges);) {
        const struct op range = op_of_range(op, &ranges);
        read_range_aliased(data, &range, step);
    }
}

/* Reads the chunks of an operation. True if all hold something; else *absent is the first that does not. */
static bool read_map(const struct data *data, const struct op *op, struct run_list *list, uint32_t *absent)
{
    const struct chunk_map *map = &data->maps[op->buffer][op->rank];
    const struct run *holder = chunk_map_holder(map, op->chunk, op->n_chunks);
    uint32_t next = op->chunk, left = op->n_chunks;
    bool is_whole = true;
    if (holder) {
        struct run run = run_cut(holder, op->chunk, op->n_chunks);
        run.first = 0;
        append_run(list, &run);
        return true;
    }
    struct run_at at = chunk_map_find(map, next);
    for (const struct run *held = chunk_map_run(map, at); left > 0;
         held = chunk_map_next(map, &at)) {
        struct run run = {.first = next};
        bool overlaps = held && held->first < (uint64_t)next + left;
        if (overlaps)
            run = run_cut(held, next, left);
        uint32_t gap = overlaps ? run.first - next : left;
        if (gap && is_whole) {
            *absent = next;
            is_whole = false;
        }
        run.first -= op->chunk;
        if (gap) {
            struct run lost = run_poison(next - op->chunk, gap);
            append_run(list, &lost);
        }
        next += gap + run.n;
        left -= gap + run.n;
        if (run.n)
            append_run(list, &run);
    }
    return is_whole;
}

/* Runs of a range that were appended to a list count from the first chunk of the message, `behind` chunks
 * before. */
static void runs_move(struct run_list *list, size_t first, uint32_t behind)
{
    for (size_t i = first; i < list->n; i++)
        list->runs[i].first += behind;
}

bool data_read_whole(const struct data *data, const struct op *op, struct run_list *list)
{
    struct op_ranges ranges = op_ranges(data->header, op);
    uint32_t absent;
    bool is_whole = true;
    for (uint32_t behind = 0; is_whole && op_ranges_next(&ranges); behind += ranges.n) {
        const struct op range = op_of_range(op, &ranges);
        const size_t first = list->n;
        is_whole = read_map(data, &range, list, &absent);
        runs_move(list, first, behind);
    }
    return is_whole;
}

static void data_read_range(struct data *data, const struct op *op, uint64_t step, struct run_list *list)
{
    uint32_t absent;
    if (op->buffer == BUFFER_IN && has_places(data)) {
        read_range_aliased(data, op, step);
        read_places(data, op, list);
    } else if (op->buffer == BUFFER_IN) {
        struct run run = read_in(data, op);
        read_range_aliased(data, op, step);
        append_run(list, &run);
    } else if (!read_map(data, op, list, &absent)) {
        offer_absent(data->verifier, &(struct fact_absent){op, step, absent});
    }
}

void data_read(struct data *data, const struct op *op, uint64_t step, struct run_list *list)
{
    struct op token;
    if (data->is_barrier) {
        token = token_op(op);
        op = &token;
    }
    struct op_ranges ranges = op_ranges(data->header, op);
    for (uint32_t behind = 0; op_ranges_next(&ranges); behind += ranges.n) {
        const struct op range = op_of_range(op, &ranges);
        const size_t first = list->n;
        data_read_range(data, &range, step, list);
        runs_move(list, first, behind);
    }
}

void data_read_damaged(const struct op *op, struct run_list *list)
{
    const struct run lost = run_poison(0, op->n_chunks);
    if (op->n_chunks)
        append_run(list, &lost);
}

/* Returns the ranks whose contributions the result of `rank` holds. */
static uint64_t required_set(const struct data *data, uint32_t rank)
{
    switch (collective_table[data->header->collective].combines) {
    case COMBINES_NONE:
    case COMBINES_SAID:
        break;
    case COMBINES_ALL:
        return rank_set_below(data->header->n_ranks);
    case COMBINES_THROUGH:
        return rank_set_below(rank + 1);
    case COMBINES_BELOW:
        return rank_set_below(rank);
    }
    return 0;
}

/* True if the rank has a result. */
static bool has_result(const struct schedule_header *header, uint32_t rank)
{
    const struct collective_info *info = &collective_table[header->collective];
    if (info->after == HELD_ROOT)
        return rank == header->root;
    return info->combines != COMBINES_BELOW || rank > 0;
}

/* Does the same for `out` of a pattern. */
static bool data_needed(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                        struct run *required)
{
    const struct need *need = buffer == BUFFER_OUT ? needs_find(data->needs, rank, chunk) : NULL;
    *required = (struct run){.first = chunk, .n = UINT32_MAX - chunk};
    if (!need)
        return false;
    if (need->chunk > chunk) {
        required->n = need->chunk - chunk;
        return false;
    }
    const uint32_t skipped = chunk - need->chunk;
    *required = (struct run){.first = chunk,
                             .n = need->n - skipped,
                             .datum = need->datum + skipped,
                             .set = data->needed_set[need->sum],
                             .datum_stride = 1};
    return true;
}

bool data_required(const struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                   struct run *required)
{
    const struct schedule_header *header = data->header;
    if (data->needs)
        return data_needed(data, rank, buffer, chunk, required);
    uint64_t n = data->is_barrier && buffer == BUFFER_BUF ? 1 : schedule_chunks(header, buffer);
    *required = (struct run){.first = chunk, .n = UINT32_MAX - chunk};
    if (buffer == BUFFER_IN || buffer == BUFFER_TMP || chunk >= n)
        return false;
    if (!schedule_promises(header) || !has_result(header, rank))
        return false;
    *required = (struct run){.first = chunk,
                             .n = (uint32_t)n - chunk,
                             .datum = chunk,
                             .set = required_set(data, rank),
                             .datum_stride = 1};
    if (buffer == BUFFER_OUT)
        required->datum = schedule_chunk_datum(header, rank, buffer, chunk);
    if (collective_has_pairs(header->collective) && header->segments == 1)
        required->datum_stride = (int32_t)header->n_ranks;
    else if (collective_has_pairs(header->collective))
        required->n = header->segments - chunk % header->segments;
    return true;
}

static void data_write_map(struct data *data, const struct op *op, const struct run *run)
{
    struct chunk_map *map = &data->maps[op->buffer][op->rank];
    chunk_map_write(map, chunk_map_find(map, run->first), run);
}

/* held, which is at the place in the map, and incoming cover the same chunks; combines incoming into it. */
static void data_combine(struct data *data, const struct op *op, uint64_t step, struct run_at at,
                         const struct run *held, const struct run *incoming)
{
    struct fact_combined fact = {op, step, held, incoming, false};
    struct run result = *held;
    if (!schedule_promises(data->header)) { /* what is combined is nobody's business */
        result = run_poison(held->first, held->n);
        chunk_map_write(&data->maps[op->buffer][op->rank], at, &result);
        return;
    }
    bool is_damaged = held->datum == DATUM_POISON || incoming->datum == DATUM_POISON;
    if (!is_damaged && held->datum == incoming->datum) {
        result.set = rank_set_union(&data->sets, held->set, incoming->set, &fact.is_shared);
        result.set_stride = 0;
        if (data->agreement)
            agreement_combine(data->agreement, held, incoming, &result);
    }
    if (!is_damaged && (held->datum != incoming->datum || fact.is_shared))
        is_damaged = offer_mixed(data->verifier, &(struct fact_mixed){&fact});
    if (!is_damaged)
        is_damaged = offer_combined(data->verifier, &fact);
    if (is_damaged)
        result = run_poison(held->first, held->n);
    chunk_map_write(&data->maps[op->buffer][op->rank], at, &result);
}

/* Combines runs whole where both have one set and the same progression of data,
 * or one is lost, else chunk by chunk. */
static void combine_runs(struct data *data, const struct op *op, uint64_t step, struct run_at at,
                         const struct run *held, const struct run *incoming)
{
    const struct chunk_map *map = &data->maps[op->buffer][op->rank];
    bool is_plain = held->n == 1 || run_is_poison(held) || run_is_poison(incoming) ||
                    (held->set_stride == 0 && incoming->set_stride == 0 &&
                     held->datum_stride == incoming->datum_stride &&
                     (!data->agreement || agreement_is_regular(data->agreement, held, incoming)));
    if (is_plain) {
        data_combine(data, op, step, at, held, incoming);
        return;
    }
    for (uint32_t k = 0; k < held->n; k++) {
        struct run one = run_cut(held, held->first + k, 1);
        struct run other = run_cut(incoming, incoming->first + k, 1);
        data_combine(data, op, step, chunk_map_find(map, one.first), &one, &other);
    }
}

/* n chunks hold nothing to combine into. */
static void reduce_into_nothing(struct data *data, const struct op *op, uint64_t step,
                                uint32_t first, uint32_t n)
{
    const struct run lost = run_poison(first, n);
    offer_absent(data->verifier, &(struct fact_absent){op, step, first});
    data_write_map(data, op, &lost);
}

static void reduce_run(struct data *data, const struct op *op, uint64_t step,
                       const struct run *incoming)
{
    const struct chunk_map *map = &data->maps[op->buffer][op->rank];
    for (uint32_t next = incoming->first, left = incoming->n, n; left > 0; next += n, left -= n) {
        const struct run_at at = chunk_map_find(map, next);
        const struct run *run = chunk_map_run(map, at);
        if (run && run->first <= next) {
            const struct run held = run_cut(run, next, left);
            const struct run rest = run_cut(incoming, next, held.n);
            n = held.n;
            combine_runs(data, op, step, at, &held, &rest);
        } else {
            n = run && run->first - next < left ? run->first - next : left;
            reduce_into_nothing(data, op, step, next, n);
        }
    }
}

static void receive_run(struct data *data, const struct op *op, uint64_t step,
                        const struct run *run)
{
    struct chunk_map *map = &data->maps[op->buffer][op->rank];
    if (chunk_map_extend(map, run))
        return;
    const struct run_at at = chunk_map_find(map, run->first);
    const struct run *here = chunk_map_run(map, at);
    const bool is_over = here && here->first < (uint64_t)run->first + run->n;
    if (op->kind == OP_RECV && is_over && !run_is_poison(run))
        offer_arrival(data->verifier, &(struct fact_arrival){op, step, map, at, run});
    chunk_map_write(map, at, run);
}

/* Puts data into chunks, or combines it into them. What nobody reads is not kept. */
static void data_place(struct data *data, const struct op *op, uint64_t step, const struct run *run)
{
    offer_placed(data->verifier, &(struct fact_placed){op, step, run});
    if (op->kind == OP_REDUCE || op->kind == OP_COMBINE)
        reduce_run(data, op, step, run);
    else if (op->buffer != BUFFER_TMP || !data->header->is_tmp_unread)
        receive_run(data, op, step, run);
}

/* The runs, which are in their order and have all chunks of the message, cut where ranges of the set end. */
static void write_set(struct data *data, const struct op *op, uint64_t step, const struct run *runs, size_t n)
{
    struct op_ranges ranges = op_ranges(data->header, op);
    uint32_t behind = 0;
    size_t i = 0;
    for (; op_ranges_next(&ranges); behind += ranges.n) {
        const struct op range = op_of_range(op, &ranges);
        const uint64_t end = (uint64_t)behind + ranges.n;
        while (i < n && runs[i].first < end) {
            struct run run = run_cut(&runs[i], behind, ranges.n);
            run.first = run.first - behind + range.chunk;
            data_place(data, &range, step, &run);
            if (runs[i].first + (uint64_t)runs[i].n > end)
                break;
            i++;
        }
    }
}

void data_write(struct data *data, const struct op *op, uint64_t step, const struct run *runs,
                size_t n)
{
    struct op token;
    if (data->is_barrier) {
        token = token_op(op);
        op = &token;
    }
    if (!op_is_local(op) && op->is_set) {
        write_set(data, op, step, runs, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct run run = runs[i];
        run.first += op->chunk;
        data_place(data, op, step, &run);
    }
}

/* Ranges of both ends together, cut where either ends. */
static void write_in_ranges(struct data *data, const struct op *op, uint64_t step, const struct op *send)
{
    for (struct op_range_pairs pairs = op_range_pairs(data->header, send, op); op_range_pairs_next(&pairs);) {
        struct op one_send = op_of_range(send, &pairs.from), one = op_of_range(op, &pairs.to);
        one_send.n_chunks = one.n_chunks = pairs.n;
        data_write_in(data, &one, step, &one_send);
    }
}

void data_write_in(struct data *data, const struct op *op, uint64_t step, const struct op *send)
{
    if (send->is_set || (!op_is_local(op) && op->is_set)) {
        write_in_ranges(data, op, step, send);
        return;
    }
    if (has_places(data)) {
        struct run_list list = {0};
        read_places(data, send, &list);
        data_write(data, op, step, list.runs, list.n);
        free(list.runs);
        return;
    }
    struct run run = read_in(data, send);
    run.first = op->chunk;
    if (op->kind != OP_RECV || data->verifier->asked[FACT_placed].n ||
        !chunk_map_extend(&data->maps[op->buffer][op->rank], &run))
        data_place(data, op, step, &run);
}

/* Most maps are of a run or two. What has no data has no buffer. */
__attribute__((always_inline)) static inline void prefetch_map(const struct data *data, const struct op *op)
{
    if (!data->maps[op->buffer])
        return;
    const struct run_block *block = &data->maps[op->buffer][op->rank].one;
    __builtin_prefetch(block->runs, 1);
    if (block->n > 1)
        __builtin_prefetch((const char *)(block->runs + block->n) - 1, 1);
    if (block->n > 2)
        data_prefetch(data, op);
}

/* Single chunks that go next to others; up to the first one that does not. Here is only what most receives
 * need. */
static size_t write_singles(struct data *data, const struct step *step, const uint32_t *send_of, size_t i)
{
    const struct op *const sends = step->sends, *const receives = step->receives;
    const uint64_t in_apart = data->in_apart;
    const size_t n = step->n_receives;
    for (; i < n; i++) {
        const struct op *receive = &receives[i], *send = &sends[send_of[i]];
        if (i + AHEAD < n)
            prefetch_map(data, receive + AHEAD);
        if (((send->n_chunks ^ 1) | (receive->n_chunks ^ 1) | (receive->kind ^ (unsigned)OP_RECV)) != 0 ||
            !chunk_map_extend_by_one(&data->maps[receive->buffer][receive->rank], receive->chunk,
                                     send->chunk + send->rank * in_apart, NULL))
            break;
    }
    return i;
}

size_t data_write_all_in(struct data *data, const struct step *step, const uint32_t *send_of, size_t i)
{
    const bool is_plain = !data->reduces && !data->verifier->asked[FACT_placed].n;
    for (; i < step->n_receives; i++) {
        if (is_plain)
            i = write_singles(data, step, send_of, i);
        if (i == step->n_receives)
            break;
        const struct op *receive = &step->receives[i], *send = &step->sends[send_of[i]];
        if (send->n_chunks != receive->n_chunks || !send->n_chunks)
            break;
        data_write_in(data, receive, step->index, send);
    }
    return i;
}

bool data_read_singles(const struct data *data, const struct step *step, struct chunk_value *value)
{
    const size_t n = step->n_sends;
    for (size_t i = 0; i < step->n_receives; i++)
        if (step->receives[i].n_chunks != 1)
            return false;
    for (size_t i = 0; i < n; i++) {
        const struct op *send = &step->sends[i];
        if (send->n_chunks != 1 || send->buffer == BUFFER_IN)
            return false;
        if (i + AHEAD < n)
            prefetch_map(data, send + AHEAD);
        const struct run *run = chunk_map_holder(&data->maps[send->buffer][send->rank], send->chunk, 1);
        if (!run)
            return false;
        const uint64_t behind = send->chunk - run->first;
        value[i] = (struct chunk_value){run_datum(run, behind),
                                        run_set(run, behind),
                                        run_expr(run, behind)};
    }
    return true;
}

void data_write_singles(struct data *data, const struct step *step, const uint32_t *send_of,
                        const struct chunk_value *value)
{
    const size_t n = step->n_receives;
    const bool is_asked = data->verifier->asked[FACT_placed].n;
    for (size_t i = 0; i < n; i++) {
        const struct op *receive = &step->receives[i];
        const struct chunk_value sent = value[send_of[i]];
        const struct run run = {
            .first = receive->chunk, .n = 1, .datum = sent.datum, .set = sent.set, .expr = sent.expr};
        if (i + AHEAD < n)
            prefetch_map(data, receive + AHEAD);
        if (is_asked)
            offer_placed(data->verifier, &(struct fact_placed){receive, step->index, &run});
        if (receive->kind == OP_REDUCE)
            reduce_run(data, receive, step->index, &run);
        else if (sent.datum == DATUM_POISON ||
                 !chunk_map_extend_by_one(&data->maps[receive->buffer][receive->rank], receive->chunk,
                                          sent.datum, &sent))
            receive_run(data, receive, step->index, &run);
    }
}

void data_damage(struct data *data, const struct op *op)
{
    struct op_ranges ranges = op_ranges(data->header, op);
    while (op_ranges_next(&ranges)) {
        const struct run lost = run_poison(ranges.chunk, ranges.n);
        data_write_map(data, op, &lost);
    }
}

bool data_offer_local(const struct data *data, const struct op *op, uint64_t step)
{
    return offer_local(data->verifier, &(struct fact_local){op, step});
}

void data_copy(struct data *data, const struct op *op, uint64_t step, struct run_list *list)
{
    struct op write = *op;
    write.buffer = op->to_buffer;
    write.chunk = op->to_chunk;
    if (data_offer_local(data, op, step)) {
        data_damage(data, &write);
        return;
    }
    list->n = 0;
    data_read(data, op, step, list);
    data_write(data, &write, step, list->runs, list->n);
    list->n = 0;
}
