/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gives what a rank sends, receives and combines places in the buffers of the schedule, and finds its copies.
 *
 * An address in a buffer of the caller is a chunk of that buffer, any other a chunk of `tmp`. A datum that is
 * read at an address where the schedule does not have it was copied there by the MPI: from any place that has
 * it. The time of the copy is not known, only that it was before; the last moment is taken. A place that is
 * written while it alone has what is read later is copied aside first. `in` of a collective whose data are in
 * `buf` is no place of its own: what lies there is in `buf` before the call.
 */
#include "base/integer.h"
#include "base/map.h"
#include "base/search.h"
#include "tuning/trace/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    uint8_t buffer; /* N_BUFFERS: none */
    uint32_t chunk;
};
#define NO_SLOT ((struct slot){N_BUFFERS, 0})

/* A value that the rank has or reads. */
struct known_value {
    uint64_t value;
    uint64_t last_use; /* event that reads it last; 0: none but perhaps the first */
    struct slot slot;  /* a place that has had it */
};

/* A chunk outside of the caller's buffers, in `tmp`; with unequal counts each datum there has one. */
struct aside {
    uint64_t address, datum;
};

/* A message that is posted and not over. */
struct open_message {
    uint32_t message;
    uint64_t id;
    bool is_over;       /* already: what it sends is overwritten */
    struct slot *slots; /* of a receive: where its chunks go */
    uint64_t *values;
    size_t n;
};

struct places {
    struct work *work;
    uint32_t rank;
    const struct trace_call *call;
    uint64_t *has[N_BUFFERS]; /* [chunk] the value there; 0: none that is known */
    size_t n_chunks[N_BUFFERS];
    size_t tmp_capacity, like_capacity;
    struct aside *asides; /* the first chunks of `tmp`, ascending */
    size_t n_asides;
    struct known_value *values;
    size_t values_capacity;
    struct hash_map by_value;
    struct open_message *open;
    size_t n_open, open_capacity;
    uint64_t now; /* event, from 1 */
};

/* ---- values ---- */

static uint32_t hash_of_value(const void *items, uint32_t item)
{
    return map_hash_number(((const struct known_value *)items)[item].value);
}

static bool is_value(const void *items, uint32_t item, const void *key)
{
    return ((const struct known_value *)items)[item].value == *(const uint64_t *)key;
}

static struct known_value *know(struct places *places, uint64_t value)
{
    places->values = mem_grow(places->values, &places->values_capacity, (size_t)places->by_value.n + 1,
                              sizeof *places->values);
    map_reserve(&places->by_value, hash_of_value, places->values);
    uint32_t *slot = map_slot(&places->by_value, map_hash_number(value), is_value, places->values, &value);
    if (*slot == MAP_NONE) {
        places->values[places->by_value.n] = (struct known_value){value, 0, NO_SLOT};
        map_fill(&places->by_value, slot);
    }
    return &places->values[*slot];
}

/* ---- places ---- */

static uint64_t *at(const struct places *places, struct slot slot)
{
    return &places->has[slot.buffer][slot.chunk];
}

static bool has(const struct places *places, struct slot slot, uint64_t value)
{
    return slot.buffer != N_BUFFERS && slot.chunk < places->n_chunks[slot.buffer] &&
           *at(places, slot) == value;
}

static void fill(struct places *places, struct slot slot, uint64_t value)
{
    *at(places, slot) = value;
    know(places, value)->slot = slot;
    if (slot.buffer == BUFFER_TMP && places->work->header.counts)
        places->work->ranks[places->rank].like[slot.chunk] = work_datum_of(places->work, value);
}

/* Returns a place that has the value, one of `in` only if no other has it. O(1), or O(chunks) where it was
 * moved. */
static struct slot find_place(struct places *places, uint64_t value)
{
    struct known_value *known = know(places, value);
    if (has(places, known->slot, value))
        return known->slot;
    for (uint8_t buffer = N_BUFFERS; buffer-- > 0;)
        for (size_t i = 0; i < places->n_chunks[buffer]; i++)
            if (places->has[buffer][i] == value)
                return known->slot = (struct slot){buffer, (uint32_t)i};
    return NO_SLOT;
}

/* True if under MPI_IN_PLACE the place is one of `out`, so that it may have lost what it has. */
static bool is_place_shared(const struct places *places, struct slot slot)
{
    const struct schedule_header *header = &places->work->header;
    uint32_t in, out;
    return slot.buffer == BUFFER_IN && schedule_in_place(header, places->rank, &in, &out) &&
           slot.chunk / header->segments == in / header->segments;
}

/* Returns the first of n new chunks of `tmp`. */
static struct slot new_tmp(struct places *places, size_t n)
{
    const struct slot slot = {BUFFER_TMP, (uint32_t)places->n_chunks[BUFFER_TMP]};
    places->has[BUFFER_TMP] = mem_grow(places->has[BUFFER_TMP], &places->tmp_capacity,
                                       places->n_chunks[BUFFER_TMP] + n, sizeof(uint64_t));
    uint64_t **like = &places->work->ranks[places->rank].like;
    if (places->work->header.counts)
        *like = mem_grow(*like, &places->like_capacity, places->n_chunks[BUFFER_TMP] + n, sizeof **like);
    for (size_t i = 0; i < n; i++) {
        if (*like)
            (*like)[places->n_chunks[BUFFER_TMP]] = NO_DATUM;
        places->has[BUFFER_TMP][places->n_chunks[BUFFER_TMP]++] = 0;
    }
    return slot;
}

/* Finds the chunk of the buffer in which that segment lies at the address; of unequal counts, the datum has
 * to be the one that MPI wants there. */
static bool is_chunk_of(const struct places *places, enum buffer buffer, const struct located *located,
                        uint32_t *chunk)
{
    const struct work *work = places->work;
    const struct rank_work *rank = &work->ranks[places->rank];
    const bool is_in = buffer == BUFFER_IN;
    const struct trace_area *area = is_in ? &places->call->in : &places->call->out;
    const struct block_starts *starts = is_in ? &rank->in : &rank->out;
    const uint64_t offset = located->address - area->address, element = offset / TRACE_ELEMENT;
    if (located->address < area->address || offset % TRACE_ELEMENT || element >= area->n)
        return false;
    const uint32_t block = work_block_at(starts, element);
    const uint64_t n = starts->at[block + 1] - starts->at[block];
    *chunk = block * work->header.segments + located->segment;
    return element - starts->at[block] == work_segment_begin(work, n, located->segment) &&
           (!work->header.counts ||
            schedule_chunk_datum(&work->header, places->rank, buffer, *chunk) == located->datum);
}

static bool is_within(const struct trace_area *area, uint64_t address)
{
    return address >= area->address && (address - area->address) / TRACE_ELEMENT < area->n;
}

/* Returns the buffer of the schedule that is the caller's `out`; N_BUFFERS: none at this rank. */
static uint8_t buffer_of_out(const struct places *places)
{
    const struct schedule_header *header = &places->work->header;
    const uint8_t buffer = collective_has(header->collective, BUFFER_BUF) ? BUFFER_BUF : BUFFER_OUT;
    return schedule_has(header, places->rank, buffer) && schedule_chunks(header, buffer) ? buffer : N_BUFFERS;
}

/* True if the buffers of the caller share memory (MPI_IN_PLACE): an address is then of `out`, where the data
 * of `in` are copied. */
static bool shares_memory(const struct places *places)
{
    const struct trace_area *in = &places->call->in, *out = &places->call->out;
    return in->n && out->n && in->address < out->address + out->n * TRACE_ELEMENT &&
           out->address < in->address + in->n * TRACE_ELEMENT;
}

/* Returns the place of a chunk that is in a buffer of the caller. False: it is somewhere else. */
static bool is_callers(const struct places *places, const struct located *located, struct slot *slot)
{
    const struct trace_call *call = places->call;
    const uint8_t out = buffer_of_out(places);
    *slot = NO_SLOT;
    if (is_within(&call->in, located->address) && !shares_memory(places)) {
        if (places->n_chunks[BUFFER_IN] && is_chunk_of(places, BUFFER_IN, located, &slot->chunk))
            slot->buffer = BUFFER_IN;
        return true;
    }
    if (out == N_BUFFERS || !is_chunk_of(places, (enum buffer)out, located, &slot->chunk) ||
        slot->chunk >= places->n_chunks[out])
        return false;
    slot->buffer = out;
    return true;
}

static struct aside aside_of(const struct places *places, const struct located *located)
{
    return (struct aside){located->address, places->work->header.counts ? located->datum : 0};
}

static int compare_asides(const void *x, const void *y)
{
    const struct aside *a = x, *b = y;
    return a->address != b->address ? compare_numbers(a->address, b->address)
                                    : compare_numbers(a->datum, b->datum);
}

/* Returns the place of a chunk; none for `in` of a collective that has its data in `buf`. */
static struct slot place_of(const struct places *places, const struct located *located)
{
    struct slot slot;
    const struct aside aside = aside_of(places, located);
    size_t low = 0, high = places->n_asides;
    if (is_callers(places, located, &slot))
        return slot;
    SEARCH_FIRST(low, high, middle, compare_asides(&places->asides[middle], &aside) < 0);
    return (struct slot){BUFFER_TMP, (uint32_t)low};
}

/* ---- items ---- */

static struct item *add_item(struct places *places, enum item_kind kind, uint32_t message)
{
    struct rank_work *rank = &places->work->ranks[places->rank];
    rank->items = mem_grow(rank->items, &rank->items_capacity, rank->n_items + 1, sizeof *rank->items);
    rank->items[rank->n_items] = (struct item){.kind = kind, .message = message};
    return &rank->items[rank->n_items++];
}

static bool is_next_local(const struct item *item, enum op_kind kind, struct slot from, struct slot to)
{
    const struct chunk_range *range = &item->from;
    const bool is_apart = from.buffer != to.buffer || from.chunk < item->to_chunk || from.chunk > to.chunk;
    return item->kind == ITEM_LOCAL && item->local == kind && range->buffer == from.buffer &&
           range->chunk + range->n == from.chunk && item->to_buffer == to.buffer &&
           item->to_chunk + range->n == to.chunk && is_apart &&
           (from.buffer != to.buffer || to.chunk < range->chunk || to.chunk > from.chunk);
}

/* Adds a copy or a combination of one chunk, to those before if it goes on with them. */
static void add_local(struct places *places, enum op_kind kind, struct slot from, struct slot to)
{
    struct rank_work *rank = &places->work->ranks[places->rank];
    struct item *last = rank->n_items ? &rank->items[rank->n_items - 1] : NULL;
    if (last && is_next_local(last, kind, from, to)) {
        last->from.n++;
        return;
    }
    struct item *item = add_item(places, ITEM_LOCAL, NO_MESSAGE);
    item->local = kind;
    item->from = (struct chunk_range){from.buffer, from.chunk, 1};
    item->to_buffer = to.buffer;
    item->to_chunk = to.chunk;
}

/* Ends the sends that still read the place. */
static void end_sends_of(struct places *places, struct slot slot)
{
    for (size_t i = 0; i < places->n_open; i++) {
        struct open_message *open = &places->open[i];
        const struct chunk_range *sent = &places->work->messages[open->message].sent;
        if (open->slots || open->is_over || sent->buffer != slot.buffer || slot.chunk < sent->chunk ||
            slot.chunk - sent->chunk >= sent->n)
            continue;
        add_item(places, ITEM_DONE, open->message);
        open->is_over = true;
    }
}

/* Makes the place free for something else; what it alone has goes aside if an event from `needed` on reads
 * it. */
static void make_free(struct places *places, struct slot slot, uint64_t needed)
{
    const uint64_t value = *at(places, slot);
    if (value && know(places, value)->last_use >= needed) {
        *at(places, slot) = 0;
        const struct slot other = find_place(places, value);
        *at(places, slot) = value;
        if (other.buffer == N_BUFFERS || is_place_shared(places, other)) {
            const struct slot aside = new_tmp(places, 1);
            add_local(places, OP_COPY, slot, aside);
            fill(places, aside, value);
        }
    }
    end_sends_of(places, slot);
    *at(places, slot) = 0;
}

static void copy_to(struct places *places, struct slot from, struct slot to)
{
    const uint64_t value = *at(places, from);
    make_free(places, to, places->now);
    add_local(places, OP_COPY, from, to);
    fill(places, to, value);
}

/* Returns a place that has what is read at the address. */
static bool find_read(struct places *places, const struct located *located, struct slot *slot)
{
    *slot = place_of(places, located);
    if (has(places, *slot, located->value))
        return true;
    const struct slot holder = find_place(places, located->value);
    if (holder.buffer == N_BUFFERS)
        return work_fail(places->work,
                         "rank %" PRIu32
                         " has data that no message brought it: they have moved by other means, "
                         "such as shared memory",
                         places->rank);
    if (slot->buffer == N_BUFFERS || slot->buffer == BUFFER_IN)
        *slot = holder;
    else
        copy_to(places, holder, *slot);
    return true;
}

static bool are_consecutive(const struct slot *slots, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (slots[i].buffer != slots[0].buffer || slots[i].chunk != slots[0].chunk + i)
            return false;
    return true;
}

/* ---- events ---- */

static struct open_message *open_message(struct places *places, const struct trace_event *event,
                                         uint32_t message)
{
    places->open = mem_grow(places->open, &places->open_capacity, places->n_open + 1, sizeof *places->open);
    struct open_message *open = &places->open[places->n_open++];
    *open = (struct open_message){.message = message, .id = event->id};
    return open;
}

/* Copies chunks that lie apart together; a message of a schedule is of consecutive ones. */
static struct slot pack_chunks(struct places *places, const struct slot *slots, size_t n)
{
    const struct slot first = new_tmp(places, n);
    for (size_t i = 0; i < n; i++)
        copy_to(places, slots[i], (struct slot){BUFFER_TMP, first.chunk + (uint32_t)i});
    return first;
}

/* Finds the places of what is sent. A copy for one chunk may overwrite what was found for another: then once
 * more, as nothing has to be copied for those any longer. */
static bool find_sent(struct places *places, const struct located_list *list, struct slot *slots)
{
    for (int tries = 3; tries > 0; tries--) {
        bool has_all = true;
        for (size_t j = 0; j < list->n; j++)
            if (!find_read(places, &list->items[j], &slots[j]))
                return false;
        for (size_t j = 0; j < list->n; j++)
            has_all &= has(places, slots[j], list->items[j].value);
        if (has_all)
            return true;
    }
    return work_fail(places->work, "rank %" PRIu32 " sends what cannot be told from its memory",
                     places->rank);
}

static bool post_send(struct places *places, const struct trace_event *event, uint32_t number)
{
    struct message *message = &places->work->messages[number];
    struct located_list list = {0};
    bool is_well = work_locate_sent(places->work, message, &list);
    struct slot *slots = mem_alloc(list.n + 1, sizeof *slots);
    is_well = is_well && find_sent(places, &list, slots);
    if (is_well && list.n && !are_consecutive(slots, list.n))
        slots[0] = pack_chunks(places, slots, list.n);
    if (is_well) {
        if (list.n)
            message->sent = (struct chunk_range){slots[0].buffer, slots[0].chunk, (uint32_t)list.n};
        add_item(places, ITEM_POST_SEND, number);
        open_message(places, event, number);
    }
    free(slots);
    free(list.items);
    return is_well;
}

/* Receives into the places of the addresses, or, where these lie apart, aside. */
static bool post_receive(struct places *places, const struct trace_event *event, uint32_t number)
{
    struct work *work = places->work;
    struct message *message = &work->messages[number];
    struct located_list list = {0};
    const bool is_well = work_locate_received(work, message, &list);
    struct open_message *open = open_message(places, event, number);
    open->n = list.n;
    open->slots = arena_alloc(work->arena, list.n + 1, sizeof *open->slots);
    open->values = arena_alloc(work->arena, list.n + 1, sizeof *open->values);
    bool is_written = false;
    for (size_t i = 0; i < list.n && is_well; i++) {
        open->slots[i] = place_of(places, &list.items[i]);
        open->values[i] = list.items[i].value;
        is_written |= open->slots[i].buffer == N_BUFFERS || open->slots[i].buffer == BUFFER_IN;
    }
    free(list.items);
    if (!is_well || is_written)
        return work_fail(work,
                         is_written ? "rank %" PRIu32 " receives into the buffer that the call sends from"
                                    : "rank %" PRIu32 " receives parts of data that cannot be told apart",
                         places->rank);
    if (open->n && are_consecutive(open->slots, open->n))
        for (size_t i = 0; i < open->n; i++)
            make_free(places, open->slots[i], places->now);
    const struct slot first = !open->n                                ? (struct slot){0}
                              : are_consecutive(open->slots, open->n) ? open->slots[0]
                                                                      : new_tmp(places, open->n);
    message->received = (struct chunk_range){first.buffer, first.chunk, (uint32_t)open->n};
    add_item(places, ITEM_POST_RECEIVE, number);
    return true;
}

static void end_receive(struct places *places, const struct open_message *open)
{
    const struct chunk_range *range = &places->work->messages[open->message].received;
    for (size_t i = 0; i < open->n; i++)
        fill(places, (struct slot){range->buffer, range->chunk + (uint32_t)i}, open->values[i]);
    if (open->n && !are_consecutive(open->slots, open->n))
        for (size_t i = 0; i < open->n; i++)
            copy_to(places, (struct slot){range->buffer, range->chunk + (uint32_t)i}, open->slots[i]);
}

static bool end_message(struct places *places, const struct trace_event *event)
{
    size_t i = 0;
    while (i < places->n_open && places->open[i].id != event->id)
        i++;
    if (i == places->n_open)
        return work_fail(places->work, "rank %" PRIu32 " ends a message that it has not begun", places->rank);
    const struct open_message open = places->open[i];
    memmove(&places->open[i], &places->open[i + 1], (places->n_open - i - 1) * sizeof *places->open);
    places->n_open--;
    if (!open.is_over)
        add_item(places, ITEM_DONE, open.message);
    if (open.slots)
        end_receive(places, &open);
    return true;
}

/* Combines one chunk: the result takes the place of the right operand. */
static bool combine(struct places *places, const struct located *left, const struct located *right,
                    uint64_t result)
{
    struct slot from, to;
    if (left->segment != right->segment)
        return work_fail(places->work, "rank %" PRIu32 " combines different elements of blocks",
                         places->rank);
    if (!find_read(places, right, &to))
        return false;
    const struct slot own = place_of(places, right);
    if (own.buffer == N_BUFFERS || own.buffer == BUFFER_IN)
        return work_fail(places->work, "rank %" PRIu32 " combines into the buffer that the call sends from",
                         places->rank);
    if (!find_read(places, left, &from))
        return false;
    if (!has(places, to, right->value))
        return work_fail(places->work, "rank %" PRIu32 " combines what cannot be told from its memory",
                         places->rank);
    make_free(places, to, places->now + 1);
    add_local(places, OP_COMBINE, from, to);
    fill(places, to, result);
    return true;
}

/* Calls `take` for each chunk that an operation makes: its operands, and the first of its values. */
static bool each_combined(struct places *places, const struct trace_event *event,
                          bool (*take)(struct places *places, const struct located *left,
                                       const struct located *right, uint64_t result))
{
    uint64_t result = event->value;
    bool is_well = true;
    for (size_t i = 0; i < event->n_pieces && is_well; i++) {
        const struct trace_piece *piece = &places->call->pieces[event->first_piece + i];
        struct located_list left = {0}, right = {0};
        is_well = work_locate(places->work, piece->address, piece->value, piece->n, &left) &&
                  work_locate(places->work, piece->right_address, piece->right_value, piece->n, &right) &&
                  left.n == right.n;
        if (!is_well)
            work_fail(places->work, "rank %" PRIu32 " combines parts of data that cannot be told apart",
                      places->rank);
        for (size_t j = 0; j < left.n && is_well; j++)
            is_well = take(places, &left.items[j], &right.items[j],
                           result + (right.items[j].value - piece->right_value));
        result += piece->n;
        free(left.items);
        free(right.items);
    }
    return is_well;
}

/* Combines what is read later. MPIs also combine what they have of blocks that are not theirs, and forget
 * it. */
static bool combine_read(struct places *places, const struct located *left, const struct located *right,
                         uint64_t result)
{
    return !know(places, result)->last_use || combine(places, left, right, result);
}

/* Brings what `out` has at the end to its place. */
static bool end_with(struct places *places)
{
    const struct trace_call *call = places->call;
    bool is_well = true;
    for (size_t i = 0; i < call->n_final && is_well; i++) {
        const struct trace_piece *piece = &call->pieces[call->first_final + i];
        struct located_list list = {0};
        struct slot slot;
        if (!piece->value) /* nothing was written there */
            continue;
        is_well = work_locate(places->work, piece->address, piece->value, piece->n, &list);
        if (!is_well)
            work_fail(places->work, "rank %" PRIu32 " ends with parts of data that cannot be told apart",
                      places->rank);
        for (size_t j = 0; j < list.n && is_well; j++)
            is_well = find_read(places, &list.items[j], &slot);
        free(list.items);
    }
    return is_well;
}

/* ---- before ---- */

/* Fills the places with the values that the rank has before the call. */
static void fill_given(struct places *places)
{
    const struct work *work = places->work;
    const struct schedule_header *header = &work->header;
    const uint64_t first = (uint64_t)(places->rank + 1) << 40;
    for (uint8_t buffer = 0; buffer < BUFFER_TMP; buffer++) {
        const bool is_there = work->elements && schedule_has(header, places->rank, buffer);
        places->n_chunks[buffer] = is_there ? schedule_chunks(header, (enum buffer)buffer) : 0;
        places->has[buffer] = mem_alloc(places->n_chunks[buffer] + 1, sizeof(uint64_t));
    }
    for (uint8_t buffer = 0; buffer < BUFFER_TMP; buffer++)
        for (size_t i = 0; i < places->n_chunks[buffer] && buffer != BUFFER_OUT; i++) {
            const struct block_starts *starts = &work->ranks[places->rank].in;
            const uint32_t block = (uint32_t)(i / header->segments);
            if (block >= starts->n)
                break;
            const uint64_t n = starts->at[block + 1] - starts->at[block];
            const uint64_t element = starts->at[block] + work_segment_begin(work, n, i % header->segments);
            if (element < work->ranks[places->rank].n_given)
                fill(places, (struct slot){buffer, (uint32_t)i}, first + element);
        }
}

static void note_read(struct places *places, uint64_t value, uint64_t event)
{
    struct known_value *known = know(places, value);
    known->last_use = known->last_use > event ? known->last_use : event;
}

static void note_all_read(struct places *places, const struct located_list *list, uint64_t event)
{
    for (size_t i = 0; i < list->n; i++)
        note_read(places, list->items[i].value, event);
}

/* Notes that operands are read, if the result is. */
static bool note_operands(struct places *places, const struct located *left, const struct located *right,
                          uint64_t result)
{
    if (know(places, result)->last_use) {
        note_read(places, left->value, places->now);
        note_read(places, right->value, places->now);
    }
    return true;
}

/* Notes the chunks that are in no buffer of the caller. */
static void note_asides(struct places *places, const struct located_list *list, size_t *capacity)
{
    struct slot slot;
    for (size_t i = 0; i < list->n; i++) {
        if (is_callers(places, &list->items[i], &slot))
            continue;
        places->asides = mem_grow(places->asides, capacity, places->n_asides + 1, sizeof *places->asides);
        places->asides[places->n_asides++] = aside_of(places, &list->items[i]);
    }
}

static void look_ahead_at(struct places *places, size_t i, struct located_list *list)
{
    const struct work *work = places->work;
    const struct trace_event *event = &places->call->events[i];
    const uint32_t message = work->ranks[places->rank].message_of[i];
    if (event->kind == TRACE_SEND)
        work_locate_sent(work, &work->messages[message], list);
    else if (event->kind == TRACE_RECV)
        work_locate_received(work, &work->messages[message], list);
    for (size_t j = 0; j < event->n_pieces && event->kind == TRACE_OP; j++) {
        const struct trace_piece *piece = &places->call->pieces[event->first_piece + j];
        work_locate(work, piece->address, piece->value, piece->n, list);
        work_locate(work, piece->right_address, piece->right_value, piece->n, list);
    }
}

/* Notes when each value is read last, backwards: those of operations whose result is read. */
static void look_back(struct places *places, struct located_list *list)
{
    for (size_t i = places->call->n_events; i-- > 0;) {
        const struct trace_event *event = &places->call->events[i];
        list->n = 0;
        places->now = i + 1;
        if (event->kind == TRACE_OP) {
            (void)each_combined(places, event, note_operands);
        } else if (event->kind == TRACE_SEND) {
            look_ahead_at(places, i, list);
            note_all_read(places, list, i + 1);
        }
    }
}

/* Notes all chunks outside of the caller's buffers, and when each value is read last. */
static void look_ahead(struct places *places)
{
    const struct trace_call *call = places->call;
    struct located_list list = {0};
    size_t capacity = 0, n = 0;
    for (size_t i = 0; i < call->n_events; i++) {
        list.n = 0;
        look_ahead_at(places, i, &list);
        note_asides(places, &list, &capacity);
    }
    for (size_t i = 0; i < call->n_final; i++) {
        const struct trace_piece *piece = &call->pieces[call->first_final + i];
        list.n = 0;
        if (piece->value)
            work_locate(places->work, piece->address, piece->value, piece->n, &list);
        note_asides(places, &list, &capacity);
        note_all_read(places, &list, call->n_events + 1);
    }
    look_back(places, &list);
    free(list.items);
    if (places->n_asides)
        qsort(places->asides, places->n_asides, sizeof *places->asides, compare_asides);
    for (size_t i = 0; i < places->n_asides; i++)
        if (n == 0 || compare_asides(&places->asides[n - 1], &places->asides[i]) != 0)
            places->asides[n++] = places->asides[i];
    places->n_asides = n;
    new_tmp(places, n);
}

static bool place_event(struct places *places, size_t i)
{
    const struct trace_event *event = &places->call->events[i];
    const uint32_t message = places->work->ranks[places->rank].message_of[i];
    places->now = i + 1;
    switch (event->kind) {
    case TRACE_SEND:
        return post_send(places, event, message);
    case TRACE_RECV:
        return post_receive(places, event, message);
    case TRACE_DONE:
        return end_message(places, event);
    case TRACE_OP:
        return each_combined(places, event, combine_read);
    }
    return false;
}

bool work_places(struct work *work, uint32_t rank)
{
    struct places places = {.work = work, .rank = rank, .call = work->calls[rank]};
    bool is_well = true;
    fill_given(&places);
    look_ahead(&places);
    for (size_t i = 0; i < places.call->n_events && is_well; i++)
        is_well = place_event(&places, i);
    places.now = places.call->n_events + 1;
    is_well = is_well && end_with(&places);
    work->ranks[rank].n_tmp = (uint32_t)places.n_chunks[BUFFER_TMP];
    for (uint8_t buffer = 0; buffer < N_BUFFERS; buffer++)
        free(places.has[buffer]);
    free(places.asides);
    free(places.values);
    map_free(&places.by_value);
    free(places.open);
    return is_well;
}
