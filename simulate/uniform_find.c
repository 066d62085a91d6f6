/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds out whether all ranks of a schedule do the same: see uniform.h. Message number i of every rank
 * in a step is a wave. Links get their classes from the first wave that crosses them; two classes that
 * begin in the same step may turn out to be one.
 */
#include "simulate/uniform_parts.h"

#include "base/memory.h"
#include "ir/counts.h"

#include <stdlib.h>
#include <string.h>

#define NO_CLASS UINT32_MAX
#define NO_RANK UINT32_MAX
#define NO_STEP SIZE_MAX /* it is idle */

/* A class on its way into uniform->classes. */
struct found_class {
    uint64_t born;         /* the step that it began in */
    uint32_t same;         /* another class that it is, or itself */
    uint32_t n_links;
};

struct wave {
    uint64_t units, packed; /* packed: units that the sender packs */
    uint32_t n_hops;
    bool is_begun;
};

struct finder {
    struct uniform *found;
    const struct schedule_header *header;
    const struct topology *topology;
    const struct placement *placement;
    uint32_t n_ranks, max_hops;
    struct hop *hops;
    uint32_t *class_of;     /* [link] its class + 1; 0: none crossed it */
    uint64_t *crossed;      /* [link] stamp of the hop of a wave that crossed it last */
    uint64_t stamp;         /* of the first hop of the first wave of the step */
    struct found_class *classes;
    struct wave *waves;
    uint32_t *wave_classes; /* [wave * max_hops + hop] */
    uint32_t n_waves;
    uint32_t *n_read;       /* [rank] operations of a list */
    uint32_t *senders;      /* [rank * messages of each + wave] of what is sent to the rank, or NO_RANK */
    uint32_t *peers;        /* [rank * messages of each + number] of what it receives */
    int64_t *balance;       /* [rank] messages sent by it and not received; zero between ranks */
    size_t *like;           /* steps that others are like, by number: in found->steps, or NO_STEP */
    size_t n_like, like_capacity;
    uint64_t *sequence;     /* [number of an operation of a rank] what it is of all of them */
    uint32_t n_sequence;
    size_t class_capacity, wave_capacity, wave_class_capacity, sequence_capacity, sender_capacity,
        peer_capacity;
};

static uint32_t class_root(const struct finder *finder, uint32_t class)
{
    while (finder->classes[class].same != class)
        class = finder->classes[class].same;
    return class;
}

static bool link_is_of(const struct finder *finder, uint32_t link, const struct uniform_class *class)
{
    return class->bandwidth == topology_link_bandwidth(finder->topology, link) &&
           class->latency == topology_link_latency(finder->topology, link) &&
           class->is_shared == !topology_link_contends(finder->topology, link);
}

static uint32_t class_new(struct finder *finder, uint32_t link, uint64_t step)
{
    struct uniform *found = finder->found;
    const uint32_t number = (uint32_t)found->n_classes++;
    found->classes = mem_grow(found->classes, &found->class_capacity, found->n_classes,
                              sizeof *found->classes);
    finder->classes = mem_grow(finder->classes, &finder->class_capacity, found->n_classes,
                               sizeof *finder->classes);
    found->classes[number] =
        (struct uniform_class){.bandwidth = topology_link_bandwidth(finder->topology, link),
                               .latency = topology_link_latency(finder->topology, link),
                               .is_shared = !topology_link_contends(finder->topology, link)};
    finder->classes[number] = (struct found_class){.born = step, .same = number};
    return number;
}

static bool uniform_find_merge(struct finder *finder, uint32_t a, uint32_t b, uint64_t step)
{
    const struct uniform_class *left = &finder->found->classes[a], *right = &finder->found->classes[b];
    struct found_class *one = &finder->classes[a], *other = &finder->classes[b];
    if (one->born != step || other->born != step || left->bandwidth != right->bandwidth ||
        left->latency != right->latency || left->is_shared != right->is_shared)
        return false;
    other->same = a;
    one->n_links += other->n_links;
    return true;
}

/* A message of the wave crosses the link as its hop with that stamp. */
static bool uniform_find_cross(struct finder *finder, uint32_t *class, uint32_t link, uint64_t stamp,
                               uint64_t step)
{
    if (finder->crossed[link] == stamp)
        return false;
    finder->crossed[link] = stamp;
    uint32_t *of = &finder->class_of[link];
    if (!*of) {
        if (*class == NO_CLASS)
            *class = class_new(finder, link, step);
        else if (!link_is_of(finder, link, &finder->found->classes[*class]))
            return false;
        *of = *class + 1;
        finder->classes[class_root(finder, *class)].n_links++;
        return true;
    }
    if (*class == *of - 1)
        return true;
    const uint32_t root = class_root(finder, *of - 1);
    if (*class == NO_CLASS) {
        *class = root;
        return true;
    }
    const uint32_t own = class_root(finder, *class);
    return own == root || uniform_find_merge(finder, own, root, step);
}

/* Waves of a step in which each rank sends so many messages. */
static void begin_waves(struct finder *finder, uint32_t n_each)
{
    const size_t n_classes = (size_t)n_each * finder->max_hops;
    const size_t n_messages = (size_t)n_each * finder->n_ranks;
    finder->stamp += finder->n_waves * (uint64_t)finder->max_hops;
    finder->n_waves = n_each;
    finder->waves = mem_grow(finder->waves, &finder->wave_capacity, n_each, sizeof *finder->waves);
    finder->wave_classes = mem_grow(finder->wave_classes, &finder->wave_class_capacity, n_classes,
                                    sizeof *finder->wave_classes);
    finder->senders = mem_grow(finder->senders, &finder->sender_capacity, n_messages,
                               sizeof *finder->senders);
    if (n_each)
        memset(finder->waves, 0, n_each * sizeof *finder->waves);
    for (size_t i = 0; i < n_classes; i++)
        finder->wave_classes[i] = NO_CLASS;
    for (size_t i = 0; i < n_messages; i++)
        finder->senders[i] = NO_RANK;
    memset(finder->n_read, 0, finder->n_ranks * sizeof *finder->n_read);
}

static bool uniform_find_read_send(struct finder *finder, const struct op *op, uint32_t n_each, uint64_t step)
{
    const uint32_t *machine = finder->placement->machine;
    const uint32_t number = finder->n_read[op->rank]++;
    const uint64_t units = schedule_carried_units(finder->header, op);
    const uint64_t packed = schedule_packed_units(finder->header, op);
    uint32_t *sender = &finder->senders[(size_t)op->peer * n_each + number];
    uint32_t n_hops = 0;
    if (number >= n_each || *sender != NO_RANK)
        return false;
    *sender = op->rank;
    if (op->rank != op->peer) {
        n_hops = topology_route(finder->topology, machine[op->rank], machine[op->peer], finder->hops);
        if (!n_hops)
            return false;
    }
    struct wave *wave = &finder->waves[number];
    if (!wave->is_begun)
        *wave = (struct wave){units, packed, n_hops, true};
    if (wave->units != units || wave->packed != packed || wave->n_hops != n_hops)
        return false;
    uint32_t *classes = &finder->wave_classes[(size_t)number * finder->max_hops];
    const uint64_t stamp = finder->stamp + (uint64_t)number * finder->max_hops;
    for (uint32_t k = 0; k < n_hops; k++)
        if (!uniform_find_cross(finder, &classes[k], finder->hops[k].link, stamp + k, step))
            return false;
    return true;
}

/* Each of these links was crossed by every wave that crosses one of its class. */
static bool keep_wave(struct finder *finder, const struct wave *wave, const uint32_t *classes)
{
    struct uniform *found = finder->found;
    uint32_t *hops = uniform_add_message(found, wave->units, wave->n_hops);
    for (uint32_t k = 0; k < wave->n_hops; k++) {
        const uint32_t class = class_root(finder, classes[k]);
        if (finder->classes[class].n_links != finder->n_ranks)
            return false;
        hops[k] = class;
    }
    return true;
}

static bool uniform_find_read_sends(struct finder *finder, const struct step *step, uint32_t n_each)
{
    begin_waves(finder, n_each);
    for (size_t i = 0; i < step->n_sends; i++)
        if (!uniform_find_read_send(finder, &step->sends[i], n_each, step->index))
            return false;
    for (uint32_t i = 0; i < n_each; i++)
        if (!keep_wave(finder, &finder->waves[i],
                       &finder->wave_classes[(size_t)i * finder->max_hops]))
            return false;
    return true;
}

/* Operation `number` of a rank in a list is `what` of every rank's. */
static bool uniform_find_is_alike(struct finder *finder, uint32_t number, uint64_t what)
{
    if (number == finder->n_sequence) {
        finder->sequence = mem_grow(finder->sequence, &finder->sequence_capacity,
                                    finder->n_sequence + 1, sizeof *finder->sequence);
        finder->sequence[finder->n_sequence++] = what;
    }
    return finder->sequence[number] == what;
}

/* True if the rank receives in the step what is sent to it there. */
static bool uniform_find_is_matched(struct finder *finder, uint32_t rank, const uint32_t *peers,
                                    uint32_t n_each)
{
    const uint32_t *senders = &finder->senders[(size_t)rank * n_each];
    bool is_same = true;
    if (n_each == 1)
        return senders[0] == peers[0];
    for (uint32_t i = 0; i < n_each; i++) {
        finder->balance[senders[i]]++;
        finder->balance[peers[i]]--;
    }
    for (uint32_t i = 0; i < n_each; i++)
        is_same = is_same && !finder->balance[senders[i]] && !finder->balance[peers[i]];
    for (uint32_t i = 0; i < n_each; i++)
        finder->balance[senders[i]] = finder->balance[peers[i]] = 0;
    return is_same;
}

/* An operation that neither combines nor unpacks counts as 0 in the sequence. */
static bool read_receives(struct finder *finder, const struct step *step, uint32_t n_each)
{
    const size_t n_messages = (size_t)n_each * finder->n_ranks;
    bool is_same = true;
    finder->n_sequence = 0;
    memset(finder->n_read, 0, finder->n_ranks * sizeof *finder->n_read);
    finder->peers = mem_grow(finder->peers, &finder->peer_capacity, n_messages, sizeof *finder->peers);
    for (size_t i = 0; i < step->n_receives && is_same; i++) {
        const struct op *op = &step->receives[i];
        const uint32_t number = finder->n_read[op->rank]++;
        const bool is_combined = op->kind == OP_REDUCE;
        const uint64_t units =
            is_combined ? schedule_units(finder->header, op) : schedule_packed_units(finder->header, op);
        is_same =
            number < n_each && uniform_find_is_alike(finder, number, is_combined || units ? units + 1 : 0);
        if (is_same)
            finder->peers[(size_t)op->rank * n_each + number] = op->peer;
    }
    for (uint32_t rank = 0; rank < finder->n_ranks && n_each && is_same; rank++)
        is_same = uniform_find_is_matched(finder, rank, &finder->peers[(size_t)rank * n_each], n_each);
    return is_same;
}

static bool read_copies(struct finder *finder, const struct step *step, uint32_t n_each)
{
    bool is_same = true;
    finder->n_sequence = 0;
    memset(finder->n_read, 0, finder->n_ranks * sizeof *finder->n_read);
    for (size_t i = 0; i < step->n_copies && is_same; i++) {
        const struct op *op = &step->copies[i];
        const uint32_t number = finder->n_read[op->rank]++;
        is_same =
            number < n_each && uniform_find_is_alike(finder, number, schedule_units(finder->header, op) + 1);
    }
    return is_same;
}

/* Appends the sequence, but for what counts as 0; returns how many runs that are. */
static size_t keep_sequence(struct finder *finder)
{
    struct uniform *found = finder->found;
    const size_t before = found->n_runs;
    for (uint32_t i = 0; i < finder->n_sequence; i++)
        if (finder->sequence[i])
            uniform_add_local(found, before, finder->sequence[i] - 1);
    return found->n_runs - before;
}

static bool uniform_find_read_step(struct finder *finder, const struct step *step)
{
    struct uniform *found = finder->found;
    const uint32_t n_ranks = finder->n_ranks;
    const uint32_t n_each = (uint32_t)(step->n_sends / n_ranks);
    const size_t n_hops = found->n_hops;
    struct uniform_step made = {.first_copy = found->n_runs, .first_message = found->n_messages};
    if (step->n_sends % n_ranks || step->n_receives != step->n_sends || step->n_copies % n_ranks ||
        !read_copies(finder, step, (uint32_t)(step->n_copies / n_ranks)))
        return false;
    keep_sequence(finder);
    if (!uniform_find_read_sends(finder, step, n_each) || !read_receives(finder, step, n_each))
        return false;
    for (uint32_t i = 0; i < n_each; i++)
        if (finder->waves[i].packed)
            uniform_add_local(found, made.first_copy, finder->waves[i].packed);
    made.n_copies = found->n_runs - made.first_copy;
    made.n_messages = n_each;
    made.first_combine = found->n_runs;
    made.n_combines = keep_sequence(finder);
    made.work = 1 + n_each + (found->n_hops - n_hops) + made.n_copies + made.n_combines;
    uniform_add_step(found, &made);
    return true;
}

/* A step with others that are like it. */
static void keep_like(struct finder *finder, bool is_idle)
{
    finder->like = mem_grow(finder->like, &finder->like_capacity, finder->n_like + 1, sizeof *finder->like);
    finder->like[finder->n_like++] = is_idle ? NO_STEP : finder->found->n_steps - 1;
}

/* A step like one that was read: on the links that it crosses all is as it was. */
static void uniform_find_repeat_step(struct finder *finder, uint64_t like)
{
    const size_t number = finder->like[like - 1];
    if (number == NO_STEP)
        return;
    const struct uniform_step step = finder->found->steps[number];
    uniform_add_step(finder->found, &step);
}

static bool uniform_find_read_all(struct finder *finder, struct schedule *schedule)
{
    struct step step;
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        if (step.like) {
            uniform_find_repeat_step(finder, step.like);
            continue;
        }
        if (!step_is_idle(&step) && !uniform_find_read_step(finder, &step))
            return false;
        if (step.n_more)
            keep_like(finder, step_is_idle(&step));
    }
    return !schedule->failed;
}

static void finder_free(struct finder *finder)
{
    free(finder->hops);
    free(finder->class_of);
    free(finder->crossed);
    free(finder->classes);
    free(finder->waves);
    free(finder->wave_classes);
    free(finder->n_read);
    free(finder->like);
    free(finder->sequence);
    free(finder->senders);
    free(finder->peers);
    free(finder->balance);
}

struct uniform *uniform_find(struct schedule *schedule, const struct topology *topology,
                             const struct placement *placement)
{
    const uint32_t n_ranks = schedule->header.n_ranks, n_links = topology->n_link_ids;
    if (schedule->header.counts || topology_n_networks(topology) > 1 || placement->n_servers != n_ranks ||
        placement->adapters)
        return NULL;
    struct finder finder = {.found = mem_alloc(1, sizeof *finder.found),
                            .header = &schedule->header,
                            .topology = topology,
                            .placement = placement,
                            .n_ranks = n_ranks,
                            .max_hops = topology->max_hops + 1,
                            .stamp = 1};
    finder.hops = mem_alloc(finder.max_hops, sizeof *finder.hops);
    finder.class_of = mem_alloc((size_t)n_links + 1, sizeof *finder.class_of);
    finder.crossed = mem_alloc((size_t)n_links + 1, sizeof *finder.crossed);
    finder.n_read = mem_alloc(n_ranks, sizeof *finder.n_read);
    finder.balance = mem_alloc(n_ranks, sizeof *finder.balance);
    const bool is_uniform = uniform_find_read_all(&finder, schedule);
    finder_free(&finder);
    if (is_uniform)
        return finder.found;
    uniform_free(finder.found);
    return NULL;
}
