/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of symmetric schedules whose flows are routed one by one, where shifts of ranks are no symmetries of
 * the network that are known: each step once that is unlike those before. See shifted_traffic.h.
 */
#include "verify/symmetry/shifted_internal.h"

#include <stdlib.h>

enum { MAX_KEPT = 1 << 20 }; /* sends of unlike steps that are remembered */

static uint64_t hash_sends(const struct shifted_sends *own)
{
    uint64_t hash = own->n;
    for (size_t i = 0; i < own->n; i++) {
        hash ^= (uint64_t)own->items[i].n_chunks << 32 | own->items[i].peer;
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29 ^ own->items[i].rank ^ (uint64_t)own->items[i].times << 32;
    }
    return hash;
}

static void shifted_flows_rebuild_table(struct shifted_traffic *traffic)
{
    traffic->table_size = traffic->table_size ? traffic->table_size * 2 : 64;
    free(traffic->table);
    traffic->table = mem_alloc(traffic->table_size, sizeof *traffic->table);
    for (size_t i = 0; i < traffic->n_unlike; i++) {
        size_t at = traffic->unlike[i].hash & (traffic->table_size - 1);
        while (traffic->table[at])
            at = (at + 1) & (traffic->table_size - 1);
        traffic->table[at] = (uint32_t)i + 1;
    }
}

/* Returns the earlier step that this one is like, or NULL after remembering it. */
static struct unlike *find_like(struct shifted_traffic *traffic)
{
    const struct shifted_sends *own = &traffic->own;
    const uint64_t hash = hash_sends(own);
    if ((traffic->n_unlike + 1) * 2 > traffic->table_size)
        shifted_flows_rebuild_table(traffic);
    size_t at = hash & (traffic->table_size - 1);
    for (; traffic->table[at]; at = (at + 1) & (traffic->table_size - 1)) {
        struct unlike *unlike = &traffic->unlike[traffic->table[at] - 1];
        if (unlike->hash == hash && shifted_is_same(traffic->kept.items + unlike->first, unlike->n, own))
            return unlike;
    }
    if (traffic->kept.n + own->n > MAX_KEPT)
        return NULL;
    traffic->unlike = mem_grow(traffic->unlike, &traffic->unlike_capacity, traffic->n_unlike + 1,
                               sizeof *traffic->unlike);
    traffic->unlike[traffic->n_unlike++] =
        (struct unlike){.hash = hash, .first = traffic->kept.n, .n = (uint32_t)own->n};
    shifted_append_sends(&traffic->kept, own);
    traffic->table[at] = (uint32_t)traffic->n_unlike;
    return NULL;
}

/* A rank that shifts take along a line of ranks with numbers in a row: those of one coordinate. */
struct shifted_rank {
    struct shifts_digits digits;
    uint32_t line; /* where a shift takes it, less its place along that coordinate */
};

/* Returns the first coordinate of stride 1 that has several places; the last one if there is none. */
static uint32_t coordinate_of_lines(const struct shifts *shifts)
{
    uint32_t i = 0;
    while (i + 1 < shifts->n && (shifts->stride[i] != 1 || shifts->extent[i] == 1))
        i++;
    return i;
}

static void begin_line(const struct shifts *shifts, struct shifted_rank *rank,
                       const struct shifts_digits *by, uint32_t along)
{
    const uint32_t place = shifts_place(shifts, along, rank->digits.of[along], by->of[along]);
    rank->line = shifts_join(shifts, &rank->digits, by) - place * shifts->stride[along];
}

/* Returns the rank to which a shift takes a rank of a line that has begun. */
static uint32_t shift_along(const struct shifts *shifts, const struct shifted_rank *rank,
                            const struct shifts_digits *by, uint32_t along)
{
    if (!shifts_have_digits(shifts))
        return shifts_add(shifts, rank->digits.number, by->number);
    return rank->line +
           shifts_place(shifts, along, rank->digits.of[along], by->of[along]) * shifts->stride[along];
}

/* Returns the sends of all ranks, given those of the representatives: each send shifted by all of the group.
 * traffic->times has the number of messages of each. */
static struct step all_sends(struct shifted_traffic *traffic, const struct shifted_send *own, size_t n)
{
    const struct symmetry *symmetry = traffic->symmetry;
    const struct shifts *shifts = &symmetry->shifts;
    const uint32_t along = coordinate_of_lines(shifts);
    const uint32_t length = shifts_have_digits(shifts) ? shifts->extent[along] : 1;
    struct step step = {.n_sends = n * (shifts->n_ranks / symmetry->n_orbits)};
    traffic->sends = mem_grow(traffic->sends, &traffic->send_capacity, step.n_sends + 1,
                              sizeof *traffic->sends);
    traffic->times = mem_grow(traffic->times, &traffic->time_capacity, step.n_sends + 1,
                              sizeof *traffic->times);
    struct op *send = traffic->sends;
    uint32_t *times = traffic->times;
    struct shifted_rank *ranks = mem_alloc(2 * n + 1, sizeof *ranks), *peers = ranks + n;
    struct shifts_digits by;
    for (size_t i = 0; i < n; i++) {
        shifts_split(shifts, own[i].rank, &ranks[i].digits);
        shifts_split(shifts, own[i].peer, &peers[i].digits);
    }
    for (uint32_t rank = 0; rank < shifts->n_ranks; rank++) {
        const uint32_t place = rank % length;
        if (place == 0)
            shifts_split(shifts, rank, &by);
        for (size_t i = 0; place == 0 && shifts_have_digits(shifts) && i < 2 * n; i++)
            begin_line(shifts, &ranks[i], &by, along);
        by.number = rank;
        if (length > 1)
            by.of[along] = place;
        if (symmetry_shift_to(symmetry, rank) != rank)
            continue;
        for (size_t i = 0; i < n; i++) {
            *send++ = (struct op){.rank = shift_along(shifts, &ranks[i], &by, along),
                                  .peer = shift_along(shifts, &peers[i], &by, along),
                                  .n_chunks = own[i].n_chunks,
                                  .line = own[i].line};
            *times++ = own[i].times;
        }
    }
    free(ranks);
    step.sends = traffic->sends;
    return step;
}

static void shifted_flows_take_worst(struct worst *worst, const struct worst *measured)
{
    if (worst_raise(worst, measured->step, measured->value, measured->subject))
        worst->line = measured->line;
}

/* True if a link or a server may have more messages than 32 bits count. Not if all messages are no more; nor
 * if the sends that meet there, each counted as the largest one, are no more. */
static bool may_be_above(struct shifted_traffic *traffic, const struct step *all, uint64_t n_messages)
{
    struct step_record record;
    uint64_t largest = 0;
    if (n_messages <= UINT32_MAX)
        return false;
    if (!traffic->each) {
        traffic->deaf_to_each = traffic->deaf;
        traffic->deaf_to_each.report = &traffic->of_each;
        traffic->each = traffic_new(&traffic->deaf_to_each);
    }
    verify_report_free(&traffic->of_each);
    traffic->of_each = (struct verify_report){0};
    traffic_step(traffic->each, all, NULL, true, &record);
    uint64_t most = record.max_link_load > record.max_sends ? record.max_link_load : record.max_sends;
    most = traffic->of_each.max_received > most ? traffic->of_each.max_received : most;
    for (size_t i = 0; i < traffic->own.n; i++)
        largest = traffic->own.items[i].times > largest ? traffic->own.items[i].times : largest;
    return all->n_sends > UINT32_MAX || most * largest > UINT32_MAX;
}

bool shifted_is_over_budget(const struct shifted_traffic *traffic, double n_messages, double seconds)
{
    return traffic->request.budget > 0 && verify_seconds(traffic->request.topology, n_messages) > seconds;
}

static bool may_route(struct shifted_traffic *traffic, uint64_t step, double n_messages);

void shifted_measure_flows(struct shifted_traffic *traffic, uint64_t step, struct step_record *record)
{
    const size_t n_before = traffic->n_unlike;
    const uint64_t n_messages = record->n_messages;
    struct unlike *like = find_like(traffic);
    if (like) {
        like->n_more++;
        *record = like->record;
        shifted_add_units(traffic, like->units);
        return;
    }
    if (!may_route(traffic, step, (double)traffic->own.n * traffic->symmetry->shifts.n_ranks /
                                      traffic->symmetry->n_orbits))
        return;
    struct step all = all_sends(traffic, traffic->own.items, traffic->own.n);
    all.index = step;
    traffic->is_above = traffic->is_above || may_be_above(traffic, &all, n_messages);
    if (traffic->is_above)
        return;
    traffic->unread.sum_step_units = 0;
    traffic_step(traffic->traffic, &all, traffic->times, true, record);
    record->n_messages = n_messages; /* not of sends alike as one */
    shifted_add_units(traffic, traffic->unread.sum_step_units);
    shifted_flows_take_worst(&traffic->report->worst_link, &traffic->unread.worst_link);
    shifted_flows_take_worst(&traffic->report->worst_port, &traffic->unread.worst_port);
    traffic->n_measured++;
    traffic->n_routed += all.n_sends;
    observer_tell(&traffic->request.observer, "messages", traffic->n_routed, (uint64_t)traffic->n_foreseen);
    if (traffic->n_unlike > n_before) {
        traffic->unlike[n_before].record = *record;
        traffic->unlike[n_before].units = traffic->unread.sum_step_units;
    }
}

uint64_t shifted_traffic_routed(const struct shifted_traffic *traffic)
{
    return traffic->n_routed;
}

/* Returns the hash of what representatives send among the sends of witnesses; *n is how much, those to the
 * same rank one after the other as one. */
static uint64_t hash_own(const struct symmetry *symmetry, const struct step *step, uint64_t *n)
{
    uint64_t hash = 1;
    const struct op *last[ORBITS_MAX] = {NULL};
    *n = 0;
    for (size_t i = 0; i < step->n_sends; i++) {
        if (symmetry_shift_to(symmetry, step->sends[i].rank))
            continue;
        const struct op *send = &step->sends[i];
        const struct op **before = &last[symmetry_orbit(symmetry, send->rank)];
        *n += !*before || (*before)->peer != send->peer || (*before)->n_chunks != send->n_chunks ||
              (*before)->line != send->line;
        *before = send;
        hash = (hash ^ (uint64_t)step->sends[i].rank << 32 ^ step->sends[i].peer) *
               UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash ? hash : 1;
}

/* A hash that was met before is taken for a step like that: what two have in common by chance is no
 * matter here. */
static double foresee(const struct shifted_traffic *traffic)
{
    enum { SLOTS = 1 << 18 };
    struct schedule *schedule = traffic->symmetry->schedule;
    double n_messages = 0;
    struct step step;
    uint64_t *met = mem_alloc(SLOTS, sizeof *met);
    schedule->use.sends_only = true;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        uint64_t n;
        const uint64_t hash = hash_own(traffic->symmetry, &step, &n);
        uint64_t *slot = &met[hash % SLOTS];
        if (*slot != hash)
            n_messages += (double)n * traffic->symmetry->shifts.n_ranks / traffic->symmetry->n_orbits;
        *slot = hash;
    }
    schedule->use.sends_only = false;
    free(met);
    return n_messages;
}

double shifted_traffic_foreseen(const struct shifted_traffic *traffic)
{
    return traffic->n_foreseen;
}

/* True if the messages of a step may be routed. Foresees long work before it begins: goes through all steps,
 * and those up to this one once more. */
static bool may_route(struct shifted_traffic *traffic, uint64_t step, double n_messages)
{
    const double moment = 2; /* seconds */
    struct schedule *schedule = traffic->symmetry->schedule;
    const double budget = traffic->request.budget, free = budget < 100 * moment ? budget / 100 : moment;
    struct step again = {.index = UINT64_MAX};
    if (traffic->n_foreseen == 0 &&
        shifted_is_over_budget(traffic, (double)traffic->n_routed + n_messages, free)) {
        traffic->n_foreseen = foresee(traffic);
        schedule->rewind(schedule);
        while (again.index != step && schedule->next(schedule, &again))
            continue;
    }
    return !shifted_is_over_budget(traffic, traffic->n_foreseen, 2 * budget);
}

void shifted_repeat_flows(struct shifted_traffic *traffic)
{
    uint64_t least = traffic->n_measured == traffic->n_unlike ? UINT64_MAX : 0;
    for (size_t i = 0; i < traffic->n_unlike; i++)
        least = traffic->unlike[i].n_more < least ? traffic->unlike[i].n_more : least;
    if (least && traffic->n_unlike)
        traffic_multiply(traffic->traffic, 1 + least);
    for (size_t i = 0; i < traffic->n_unlike; i++) {
        const struct unlike *unlike = &traffic->unlike[i];
        if (unlike->n_more == least)
            continue;
        const struct step all = all_sends(traffic, traffic->kept.items + unlike->first, unlike->n);
        traffic_repeat(traffic->traffic, &all, traffic->times, unlike->n_more - least);
    }
}
