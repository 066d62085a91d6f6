/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what values are, and in how many segments a block has to be cut so that no message and no operation
 * has a part of one.
 *
 * A value is the name of an element of a rank's input, or of what an operation made. The place of the latter
 * in its block is that of its right operand.
 */
#include "base/integer.h"
#include "base/search.h"
#include "tuning/trace/parts.h"

#include <inttypes.h>
#include <stdlib.h>

enum { VALUE_RANK_SHIFT = 40 };
enum { MOST_TRIED_SEGMENTS = 4096 };
#define MOST_CHUNKS (UINT64_C(1) << 26) /* of all messages */

/* The place of an element before the call: its datum, the element of that, and how many that has. */
struct origin {
    uint64_t datum, element, n;
};

static struct origin origin_of_given(const struct work *work, uint32_t rank, uint64_t index)
{
    const struct block_starts *starts = &work->ranks[rank].in;
    const struct schedule_header *header = &work->header;
    const uint32_t block = work_block_at(starts, index);
    const uint64_t datum =
        collective_has(header->collective, BUFFER_BUF)
            ? 0
            : schedule_chunk_datum(header, rank, BUFFER_IN, block * header->segments) / header->segments;
    return (struct origin){datum, index - starts->at[block], starts->at[block + 1] - starts->at[block]};
}

static const struct value_run *find_run(const struct rank_work *rank, uint64_t value)
{
    size_t low = 0, high = rank->n_runs;
    SEARCH_FIRST(low, high, middle, rank->runs[middle].first <= value);
    return low && value - rank->runs[low - 1].first < rank->runs[low - 1].n ? &rank->runs[low - 1] : NULL;
}

/* Finds the origin of a value. Returns for how many values from there on origins are consecutive in the
 * block; 0: it is none of the data. O(operations that it went through * log). */
static uint64_t find_value_origin(const struct work *work, uint64_t value, struct origin *origin)
{
    uint64_t n = UINT64_MAX;
    for (uint64_t depth = 0; depth <= (uint64_t)work->header.n_ranks * work->header.n_ranks + 64; depth++) {
        const uint64_t rank = (value >> VALUE_RANK_SHIFT) - 1;
        const uint64_t index = value & ((UINT64_C(1) << VALUE_RANK_SHIFT) - 1);
        if (rank >= work->header.n_ranks)
            return 0;
        if (index < work->ranks[rank].n_given) {
            *origin = origin_of_given(work, (uint32_t)rank, index);
            return n < origin->n - origin->element ? n : origin->n - origin->element;
        }
        const struct value_run *run = find_run(&work->ranks[rank], value);
        if (!run)
            return 0;
        const uint64_t offset = value - run->first;
        n = n < run->n - offset ? n : run->n - offset;
        value = run->right + offset;
    }
    return 0;
}

/* ---- what operations made ---- */

static bool take_runs(struct work *work, uint32_t rank)
{
    const struct trace_call *call = work->calls[rank];
    struct rank_work *of = &work->ranks[rank];
    size_t n = 0;
    for (size_t i = 0; i < call->n_events; i++)
        n += call->events[i].kind == TRACE_OP ? call->events[i].n_pieces : 0;
    of->runs = arena_alloc(work->arena, n, sizeof *of->runs);
    for (size_t i = 0; i < call->n_events; i++) {
        const struct trace_event *event = &call->events[i];
        uint64_t next = event->value;
        for (size_t j = 0; j < event->n_pieces && event->kind == TRACE_OP; j++) {
            const struct trace_piece *piece = &call->pieces[event->first_piece + j];
            const struct value_run *before = of->n_runs ? &of->runs[of->n_runs - 1] : NULL;
            if (before && next < before->first + before->n)
                return work_fail(work, "the results of rank %" PRIu32 " have no names of their own", rank);
            of->runs[of->n_runs++] = (struct value_run){next, piece->n, piece->right_value};
            next += piece->n;
        }
    }
    return true;
}

/* ---- cuts ---- */

struct cuts {
    struct cut {
        uint64_t n, element; /* of a block of n elements */
    } * items;
    size_t n, capacity;
};

static int compare_cuts(const void *x, const void *y)
{
    const struct cut *a = x, *b = y;
    return a->n != b->n ? compare_numbers(a->n, b->n) : compare_numbers(a->element, b->element);
}

static void values_add_cut(struct cuts *cuts, uint64_t n, uint64_t element)
{
    const struct cut cut = {n, element};
    if (element == 0 || element == n || (cuts->n && compare_cuts(&cuts->items[cuts->n - 1], &cut) == 0))
        return;
    cuts->items = mem_grow(cuts->items, &cuts->capacity, cuts->n + 1, sizeof *cuts->items);
    cuts->items[cuts->n++] = cut;
}

/* Adds the ends of what is consecutive, in memory and in its block. */
static bool cut_values(struct work *work, uint64_t value, uint64_t n, struct cuts *cuts)
{
    while (n) {
        struct origin origin;
        uint64_t together = find_value_origin(work, value, &origin);
        if (!together)
            return false;
        together = together < n ? together : n;
        values_add_cut(cuts, origin.n, origin.element);
        values_add_cut(cuts, origin.n, origin.element + together);
        value += together;
        n -= together;
    }
    return true;
}

/* Calls `take` for each part of a message that is consecutive where it is received, and in what is sent. */
static bool each_received(const struct work *work, const struct message *message,
                          bool (*take)(void *context, uint64_t address, uint64_t value, uint64_t n),
                          void *context)
{
    const struct trace_call *from = work->calls[message->from], *to = work->calls[message->to];
    const struct trace_event *send = &from->events[message->send], *receive = &to->events[message->receive];
    uint64_t left = send->n, in_sent = 0, in_place = 0;
    for (size_t i = 0, j = 0; left;) {
        const struct trace_piece *sent = &from->pieces[send->first_piece + i];
        const struct trace_piece *place = &to->pieces[receive->first_piece + j];
        uint64_t n = sent->n - in_sent < place->n - in_place ? sent->n - in_sent : place->n - in_place;
        n = n < left ? n : left;
        if (!take(context, place->address + in_place * TRACE_ELEMENT, sent->value + in_sent, n))
            return false;
        left -= n;
        in_sent += n;
        in_place += n;
        if (in_sent == sent->n) {
            i++;
            in_sent = 0;
        }
        if (in_place == place->n) {
            j++;
            in_place = 0;
        }
    }
    return true;
}

struct cutting {
    struct work *work;
    struct cuts *cuts;
};

static bool cut_received(void *context, uint64_t address, uint64_t value, uint64_t n)
{
    const struct cutting *cutting = context;
    (void)address;
    return cut_values(cutting->work, value, n, cutting->cuts);
}

static bool cut_rank(struct work *work, uint32_t rank, struct cuts *cuts)
{
    const struct trace_call *call = work->calls[rank];
    for (size_t i = 0; i < call->n_events; i++) {
        const struct trace_event *event = &call->events[i];
        for (size_t j = 0; j < event->n_pieces && (event->kind == TRACE_SEND || event->kind == TRACE_OP);
             j++) {
            const struct trace_piece *piece = &call->pieces[event->first_piece + j];
            if (!cut_values(work, piece->value, piece->n, cuts) ||
                (event->kind == TRACE_OP && !cut_values(work, piece->right_value, piece->n, cuts)))
                return work_fail(work,
                                 "rank %" PRIu32
                                 " %s what is none of the data of the call: they may have moved by "
                                 "other means than messages, such as shared memory",
                                 rank, event->kind == TRACE_SEND ? "sends" : "combines");
        }
    }
    for (size_t i = 0; i < call->n_final; i++) {
        const struct trace_piece *piece = &call->pieces[call->first_final + i];
        if (piece->value >> VALUE_RANK_SHIFT && !cut_values(work, piece->value, piece->n, cuts))
            return work_fail(work, "rank %" PRIu32 " ends with data that are none of the call", rank);
    }
    return true;
}

static bool are_at_ends(const struct cuts *cuts, uint64_t segments)
{
    for (size_t i = 0; i < cuts->n; i++) {
        const struct cut *cut = &cuts->items[i];
        const uint64_t k = (cut->element * segments + cut->n - 1) / cut->n;
        if (cut->n * k / segments != cut->element)
            return false;
    }
    return true;
}

/* Returns the least number of segments whose ends are at all cuts; segment k of N of n elements begins at
 * element n * k / N. None is empty: at most `elements`, those of the smallest block, or 0: so many do not do.
 */
static uint64_t least_segments(const struct cuts *cuts, uint64_t elements)
{
    uint64_t even = 1;
    for (size_t i = 0; i < cuts->n && even <= elements; i++) {
        const uint64_t parts = cuts->items[i].n / common_divisor(cuts->items[i].n, cuts->items[i].element);
        even = even / common_divisor(even, parts) * parts;
    }
    even = even <= elements ? even : 0;
    const uint64_t most = even ? even - 1 : elements;
    for (uint64_t segments = 1; segments <= most && segments <= MOST_TRIED_SEGMENTS; segments++)
        if (are_at_ends(cuts, segments))
            return segments;
    return even;
}

static bool check_chunks(struct work *work)
{
    const uint64_t size = work->elements / work->header.segments;
    uint64_t n = 0;
    for (uint32_t i = 0; i < work->n_messages; i++)
        n += work->calls[work->messages[i].from]->events[work->messages[i].send].n / size + 1;
    if (n > MOST_CHUNKS)
        return work_fail(work, "the messages have too many parts to be told apart: record a smaller size");
    return true;
}

static void unique_cuts(struct cuts *cuts)
{
    size_t n = 0;
    if (cuts->n)
        qsort(cuts->items, cuts->n, sizeof *cuts->items, compare_cuts);
    for (size_t i = 0; i < cuts->n; i++)
        if (n == 0 || compare_cuts(&cuts->items[n - 1], &cuts->items[i]) != 0)
            cuts->items[n++] = cuts->items[i];
    cuts->n = n;
}

bool work_values(struct work *work)
{
    struct cuts cuts = {0};
    struct cutting cutting = {work, &cuts};
    bool is_well = true;
    work->header.segments = 1;
    for (uint32_t rank = 0; rank < work->header.n_ranks; rank++)
        if (!take_runs(work, rank))
            return false;
    for (uint32_t rank = 0; rank < work->header.n_ranks && is_well && work->elements; rank++)
        is_well = cut_rank(work, rank, &cuts);
    for (uint32_t i = 0; i < work->n_messages && is_well && work->elements; i++)
        is_well = each_received(work, &work->messages[i], cut_received, &cutting);
    unique_cuts(&cuts);
    const uint64_t segments = is_well && work->elements ? least_segments(&cuts, work->elements) : 1;
    free(cuts.items);
    work->header.segments = (uint32_t)segments;
    if (!is_well)
        return work->problem ? false : work_fail(work, "a message has what is none of the data of the call");
    if (segments > 1 && work->header.needs)
        return work_fail(work, "a message has a part of a block of a neighbour, which cannot be told");
    if (!segments || segments * work->header.n_ranks >= SCHEDULE_MAX_CHUNKS)
        return work_fail(work, "the data are cut into too many segments: record %s",
                         segments ? "a smaller size" : "counts of more elements, or with a common divisor");
    return !work->elements || check_chunks(work);
}

/* ---- chunks ---- */

bool work_locate(const struct work *work, uint64_t address, uint64_t value, uint64_t n,
                 struct located_list *list)
{
    while (n) {
        struct origin origin = {.n = 1};
        const uint64_t together = find_value_origin(work, value, &origin);
        const uint64_t segment = (origin.element * work->header.segments + origin.n - 1) / origin.n;
        const uint64_t begin = work_segment_begin(work, origin.n, segment),
                       size = work_segment_begin(work, origin.n, segment + 1) - begin;
        if (together < size || n < size || origin.element != begin)
            return false;
        list->items = mem_grow(list->items, &list->capacity, list->n + 1, sizeof *list->items);
        list->items[list->n++] = (struct located){
            address, value, origin.datum * work->header.segments + segment, (uint32_t)segment};
        address += size * TRACE_ELEMENT;
        value += size;
        n -= size;
    }
    return true;
}

uint64_t work_datum_of(const struct work *work, uint64_t value)
{
    struct origin origin;
    if (!find_value_origin(work, value, &origin))
        return NO_DATUM;
    return origin.datum * work->header.segments +
           (origin.element * work->header.segments + origin.n - 1) / origin.n;
}

struct locating {
    const struct work *work;
    struct located_list *list;
};

static bool locate_part(void *context, uint64_t address, uint64_t value, uint64_t n)
{
    const struct locating *locating = context;
    return work_locate(locating->work, address, value, n, locating->list);
}

bool work_locate_received(const struct work *work, const struct message *message, struct located_list *list)
{
    struct locating locating = {work, list};
    return each_received(work, message, locate_part, &locating);
}

bool work_locate_sent(const struct work *work, const struct message *message, struct located_list *list)
{
    const struct trace_call *call = work->calls[message->from];
    const struct trace_event *send = &call->events[message->send];
    for (size_t i = 0; i < send->n_pieces; i++) {
        const struct trace_piece *piece = &call->pieces[send->first_piece + i];
        if (!work_locate(work, piece->address, piece->value, piece->n, list))
            return false;
    }
    return true;
}
