/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Orders the messages of a traffic file and sums those of a pair. See internal.h.
 */
#include "schedules/traffic/internal.h"

#include <stdlib.h>

void traffic_add(struct traffic *traffic, uint32_t from, uint32_t to, uint64_t bytes)
{
    traffic->messages =
        mem_grow(traffic->messages, &traffic->capacity, traffic->n + 1, sizeof *traffic->messages);
    traffic->messages[traffic->n++] =
        (struct traffic_message){.from = from, .to = to, .bytes = bytes, .line = traffic->lines.line};
}

/* ---- phases ---- */

static uint32_t gather_hash_value(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return map_hash_number(bits ^ bits >> 32);
}

static uint32_t gather_hash_phase(const void *items, uint32_t item)
{
    return gather_hash_value(((const double *)items)[item]);
}

static bool gather_is_phase(const void *items, uint32_t item, const void *key)
{
    return ((const double *)items)[item] == *(const double *)key;
}

uint32_t traffic_phase(struct traffic *traffic, double value)
{
    struct traffic_phases *phases = &traffic->phases;
    if (phases->map.n && phases->values[phases->latest] == value)
        return phases->latest;
    map_reserve(&phases->map, gather_hash_phase, phases->values);
    uint32_t *slot =
        map_slot(&phases->map, gather_hash_value(value), gather_is_phase, phases->values, &value);
    if (*slot == MAP_NONE) {
        phases->values =
            mem_grow(phases->values, &phases->capacity, (size_t)phases->map.n + 1, sizeof *phases->values);
        phases->values[map_fill(&phases->map, slot)] = value;
    }
    return phases->latest = *slot;
}

/* ---- order ---- */

/* Returns the order of numbers 0 .. n-1 that `compare` says, as place[number]. */
struct gather_numbered {
    uint32_t number;
    double value;
    struct slice text;
};

static int gather_by_value(const void *a, const void *b)
{
    const struct gather_numbered *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int gather_by_name(const void *a, const void *b)
{
    return slice_compare_names(((const struct gather_numbered *)a)->text,
                               ((const struct gather_numbered *)b)->text);
}

/* Sorts the items; returns the place of each number, on the heap. */
static uint32_t *gather_places(struct gather_numbered *items, uint32_t n,
                               int (*compare)(const void *, const void *))
{
    uint32_t *place = mem_alloc((size_t)n + 1, sizeof *place);
    qsort(items, n, sizeof *items, compare);
    for (uint32_t i = 0; i < n; i++)
        place[items[i].number] = i;
    return place;
}

/* Numbers hosts in the order of their names. */
static void gather_order_names(struct traffic *traffic)
{
    const uint32_t n = traffic->names.map.n;
    struct gather_numbered *items = mem_alloc((size_t)n + 1, sizeof *items);
    struct traffic_name *names = mem_alloc((size_t)n + 1, sizeof *names);
    for (uint32_t i = 0; i < n; i++)
        items[i] = (struct gather_numbered){.number = i, .text = traffic->names.items[i].text};
    uint32_t *place = gather_places(items, n, gather_by_name);
    for (uint32_t i = 0; i < n; i++)
        names[place[i]] = traffic->names.items[i];
    for (size_t i = 0; i < traffic->n; i++) {
        traffic->messages[i].from = place[traffic->messages[i].from];
        traffic->messages[i].to = place[traffic->messages[i].to];
    }
    free(traffic->names.items);
    traffic->names.items = names;
    free(place);
    free(items);
}

/* Numbers phases in the order of their values. */
static void gather_order_phases(struct traffic *traffic)
{
    const uint32_t n = traffic->phases.map.n;
    struct gather_numbered *items = mem_alloc((size_t)n + 1, sizeof *items);
    for (uint32_t i = 0; i < n; i++)
        items[i] = (struct gather_numbered){.number = i, .value = traffic->phases.values[i]};
    uint32_t *place = gather_places(items, n, gather_by_value);
    for (size_t i = 0; i < traffic->n; i++)
        traffic->messages[i].phase = place[traffic->messages[i].phase];
    free(place);
    free(items);
}

/* Returns a word of the key of a message: phase and sender, or receiver and line. Messages of equal keys are
 * of one pair, phase and line. */
static inline uint64_t gather_key(const struct traffic_message *message, bool is_low)
{
    return is_low ? (uint64_t)message->to << 32 | message->line
                  : (uint64_t)message->phase << 32 | message->from;
}

static inline bool gather_comes_before(const struct traffic_message *a, const struct traffic_message *b)
{
    const uint64_t x = gather_key(a, false), y = gather_key(b, false);
    return x != y ? x < y : a->to < b->to;
}

static void gather_insert_each(struct traffic_message *messages, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct traffic_message message = messages[i];
        const uint64_t high = gather_key(&message, false), low = gather_key(&message, true);
        size_t at = i;
        for (; at; at--) {
            const uint64_t before = gather_key(&messages[at - 1], false);
            if (before < high || (before == high && gather_key(&messages[at - 1], true) <= low))
                break;
            messages[at] = messages[at - 1];
        }
        messages[at] = message;
    }
}

enum { GATHER_FEW = 24, GATHER_BITS = 8, GATHER_DIGITS = 1 << GATHER_BITS };

/* Moves each message to the others of its digit: those of digit d end before ends[d]. */
static void gather_move(struct traffic_message *messages, bool is_low, int shift, const size_t *ends)
{
    size_t next[GATHER_DIGITS];
    next[0] = 0;
    memcpy(next + 1, ends, (GATHER_DIGITS - 1) * sizeof *next);
    for (size_t digit = 0; digit < GATHER_DIGITS; digit++) {
        while (next[digit] < ends[digit]) {
            struct traffic_message message = messages[next[digit]];
            size_t of;
            while ((of = gather_key(&message, is_low) >> shift & (GATHER_DIGITS - 1)) != digit) {
                const struct traffic_message other = messages[next[of]];
                messages[next[of]++] = message;
                message = other;
            }
            messages[next[digit]++] = message;
        }
    }
}

/* Sorts messages by their keys, where they are: by the highest digit in which keys differ, then those of each
 * digit. The high words of all are equal where is_low. O(n) for each digit that differs. */
static void gather_sort(struct traffic_message *messages, size_t n, bool is_low)
{
    uint64_t differing = 0;
    if (n <= GATHER_FEW) {
        gather_insert_each(messages, n);
        return;
    }
    for (size_t i = 1; i < n; i++)
        differing |= gather_key(&messages[i], is_low) ^ gather_key(&messages[0], is_low);
    if (!differing) {
        if (!is_low)
            gather_sort(messages, n, true);
        return;
    }
    const int shift = (63 - __builtin_clzll(differing)) / GATHER_BITS * GATHER_BITS;
    size_t ends[GATHER_DIGITS] = {0};
    for (size_t i = 0; i < n; i++)
        ends[gather_key(&messages[i], is_low) >> shift & (GATHER_DIGITS - 1)]++;
    for (size_t digit = 1; digit < GATHER_DIGITS; digit++)
        ends[digit] += ends[digit - 1];
    gather_move(messages, is_low, shift, ends);
    for (size_t digit = 0, first = 0; digit < GATHER_DIGITS; first = ends[digit++])
        if (ends[digit] - first > 1)
            gather_sort(messages + first, ends[digit] - first, is_low);
}

static void gather_order(struct traffic *traffic)
{
    size_t i = 1;
    while (i < traffic->n && !gather_comes_before(&traffic->messages[i], &traffic->messages[i - 1]))
        i++;
    if (i < traffic->n)
        gather_sort(traffic->messages, traffic->n, false);
}

/* ---- sums ---- */

static bool gather_refuse_sum(struct traffic *traffic, const struct traffic_message *message)
{
    report(traffic->diagnostics, CODE_S007, (struct position){traffic->source, message->line, 1, 1},
           "2^63 bytes or more go from rank %u to rank %u", message->from, message->to)
        ->help = "sizes of the same pair are summed; a sum stays below 2^63";
    traffic->failed = true;
    return false;
}

static bool gather_refuse_all(struct traffic *traffic)
{
    report(traffic->diagnostics, CODE_S007, (struct position){traffic->source, 1, 1, 1},
           "2^63 bytes or more in all")
        ->help = "loads of links are sums of these; they stay below 2^63";
    traffic->failed = true;
    return false;
}

/* Joins messages of a pair in a phase, and drops those without bytes. */
static bool gather_sum(struct traffic *traffic)
{
    struct traffic_message *messages = traffic->messages;
    uint64_t all = 0;
    size_t n = 0;
    for (size_t i = 0; i < traffic->n; i++) {
        struct traffic_message *last = n ? &messages[n - 1] : NULL;
        if (!messages[i].bytes)
            continue;
        all = all + messages[i].bytes <= TRAFFIC_MAX_BYTES ? all + messages[i].bytes : TRAFFIC_MAX_BYTES + 1;
        if (!last || gather_comes_before(last, &messages[i])) {
            messages[n++] = messages[i];
            continue;
        }
        if (messages[i].bytes > TRAFFIC_MAX_BYTES - last->bytes)
            return gather_refuse_sum(traffic, &messages[i]);
        last->bytes += messages[i].bytes;
    }
    traffic->n = n;
    return all <= TRAFFIC_MAX_BYTES || gather_refuse_all(traffic);
}

/* Refuses traffic for many more ranks than it has messages, before memory for each rank is taken, and steps
 * too large. */
static bool gather_check_size(struct traffic *traffic)
{
    const char *help = NULL;
    if (!traffic->n_ranks)
        help = "a line has a sender, a receiver and a size, such as '0 1 4096' or 'n01,n02,64KiB'";
    else if (traffic->n_ranks > SCHEDULE_MAX_IDLE_RANKS && traffic->n_ranks > 2 * traffic->n)
        help = "more than 65536 ranks, most of which send and receive nothing: number the others from 0 on";
    else if (traffic->n > SCHEDULE_MAX_STEP_OPS)
        help = "more than 2^26 pairs of ranks: add up the ranks of a host";
    if (!help)
        return true;
    report(traffic->diagnostics, CODE_S007, (struct position){traffic->source, 1, 1, 1},
           "%u ranks with %zu messages", traffic->n_ranks, traffic->n)
        ->help = help;
    traffic->failed = true;
    return false;
}

bool traffic_gather(struct traffic *traffic)
{
    if (traffic->has_names)
        gather_order_names(traffic);
    if (traffic->phases.map.n > 1)
        gather_order_phases(traffic);
    gather_order(traffic);
    return gather_sum(traffic) && gather_check_size(traffic);
}

void traffic_release(struct traffic *traffic)
{
    free(traffic->messages);
    free(traffic->names.items);
    map_free(&traffic->names.map);
    free(traffic->phases.values);
    map_free(&traffic->phases.map);
}
