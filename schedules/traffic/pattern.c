/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a pattern of gathered traffic. The k-th message of a rank is its chunk in[k], and the k-th that it
 * gets lies in tmp[k], both in the order of their steps. Nothing is promised of them: what arrives is right
 * if it meets its receive. A step has all messages of a phase, each from a rank to those behind it first, as
 * in a direct all-to-all, so that not all ranks begin with the same one.
 */
#include "schedules/traffic/internal.h"

#include "ir/counts.h"

#include <stdlib.h>
#include <string.h>

struct traffic_counts {
    struct counts counts; /* first */
    const struct traffic_schedule *of;
};

struct traffic_places {
    struct tmp_sizes sizes; /* first */
    struct traffic_schedule *of;
};

struct traffic_schedule {
    struct schedule schedule; /* first: the functions below get a pointer to it */
    struct traffic_counts counts;
    struct traffic_places places;
    uint64_t *bytes;             /* [message] by sender, then place */
    size_t *first_out;           /* [n_ranks + 1] a rank's first message in `bytes` */
    size_t *first_in;            /* [n_ranks + 1] a rank's first place in `arriving` */
    uint64_t *arriving;          /* the datum in each chunk of tmp, by receiver */
    struct op *sends, *receives; /* by step */
    size_t *first_op;            /* [n_steps + 1] in both */
    size_t n_steps, next_step;
    struct arena arena; /* of the names of hosts */
};

/* ---- sizes ---- */

static uint64_t pattern_bytes(struct counts *counts, uint64_t datum)
{
    const struct traffic_schedule *of = ((struct traffic_counts *)counts)->of;
    const uint32_t n_in = of->schedule.header.n_in;
    const size_t rank = (size_t)(datum / n_in), at = of->first_out[rank] + (size_t)(datum % n_in);
    return at < of->first_out[rank + 1] ? of->bytes[at] : 0;
}

static uint32_t pattern_in_order(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    (void)sizes, (void)rank, (void)chunk;
    return 1;
}

static void pattern_keep(struct counts *counts) { (void)counts; /* a part of the schedule */ }

/* ---- the schedule ---- */

static void pattern_rewind(struct schedule *schedule)
{
    ((struct traffic_schedule *)schedule)->next_step = 0;
}

static void pattern_destroy(struct schedule *schedule)
{
    struct traffic_schedule *of = (struct traffic_schedule *)schedule;
    free(of->bytes);
    free(of->first_out);
    free(of->first_in);
    free(of->arriving);
    free(of->sends);
    free(of->receives);
    free(of->first_op);
    arena_free(&of->arena);
    free(of);
}

/* ---- its operations ---- */

/* Turns counts of items in first[1 ..] into the index of the first item of each, and returns the most. */
static size_t pattern_sum(size_t *first, size_t n)
{
    size_t most = 0;
    for (size_t i = 0; i < n; i++) {
        most = first[i + 1] > most ? first[i + 1] : most;
        first[i + 1] += first[i];
    }
    return most;
}

/* Counts the messages out of and into each rank, and in each step. */
static void pattern_count(struct traffic_schedule *of, const struct traffic *traffic)
{
    struct schedule_header *header = &of->schedule.header;
    of->first_out = mem_alloc((size_t)header->n_ranks + 1, sizeof *of->first_out);
    of->first_in = mem_alloc((size_t)header->n_ranks + 1, sizeof *of->first_in);
    of->first_op = mem_alloc(of->n_steps + 1, sizeof *of->first_op);
    for (size_t i = 0; i < traffic->n; i++) {
        const struct traffic_message *message = &traffic->messages[i];
        of->first_out[message->from + 1]++;
        of->first_in[message->to + 1]++;
        of->first_op[message->phase + 1]++;
    }
    header->n_in = (uint32_t)pattern_sum(of->first_out, header->n_ranks);
    header->n_tmp = (uint32_t)pattern_sum(of->first_in, header->n_ranks);
    pattern_sum(of->first_op, of->n_steps);
}

/* Messages of a rank in a phase. */
struct pattern_row {
    struct traffic_message *items;
    size_t capacity;
};

/* Puts n messages of a rank in a phase, which are by receiver, in the order in which it sends them: the first
 * one goes to a rank behind its own. */
static void pattern_turn(struct traffic_message *messages, size_t n, struct pattern_row *row)
{
    size_t start = 0;
    while (start < n && messages[start].to <= messages[start].from)
        start++;
    if (!start || start == n)
        return;
    row->items = mem_grow(row->items, &row->capacity, start, sizeof *row->items);
    memcpy(row->items, messages, start * sizeof *messages);
    memmove(messages, messages + start, (n - start) * sizeof *messages);
    memcpy(messages + n - start, row->items, start * sizeof *messages);
}

/* Makes the sends in place of the messages, which are of the same size: they are as many as there may be. */
static void pattern_fill_sends(struct traffic_schedule *of, struct traffic *traffic)
{
    _Static_assert(sizeof(struct op) == sizeof(struct traffic_message), "a send takes the place of a message");
    struct traffic_message *messages = traffic->messages;
    struct pattern_row row = {0};
    size_t *next = mem_alloc((size_t)traffic->n_ranks + 1, sizeof *next);
    memcpy(next, of->first_out, traffic->n_ranks * sizeof *next);
    of->bytes = mem_alloc(traffic->n + 1, sizeof *of->bytes);
    of->sends = (void *)messages;
    traffic->messages = NULL;
    for (size_t i = 0, end; i < traffic->n; i = end) {
        for (end = i + 1; end < traffic->n && messages[end].from == messages[i].from &&
                          messages[end].phase == messages[i].phase;)
            end++;
        pattern_turn(messages + i, end - i, &row);
        for (size_t at = i; at < end; at++) {
            const struct traffic_message message = messages[at];
            const size_t place = next[message.from]++;
            of->bytes[place] = message.bytes;
            of->sends[at] = (struct op){.rank = message.from,
                                        .peer = message.to,
                                        .chunk = (uint32_t)(place - of->first_out[message.from]),
                                        .n_chunks = 1,
                                        .kind = OP_SEND,
                                        .buffer = BUFFER_IN,
                                        .line = message.line};
        }
    }
    free(row.items);
    free(next);
}

/* Returns the numbers of the sends by receiver, those to a rank in the order of their steps; on the heap. */
static uint32_t *pattern_by_receiver(const struct traffic_schedule *of, size_t n)
{
    uint32_t *order = mem_alloc(n + 1, sizeof *order);
    size_t *next = mem_alloc((size_t)of->schedule.header.n_ranks + 1, sizeof *next);
    memcpy(next, of->first_in, of->schedule.header.n_ranks * sizeof *next);
    for (size_t i = 0; i < n; i++)
        order[next[of->sends[i].peer]++] = (uint32_t)i;
    free(next);
    return order;
}

/* Returns the step of each send, on the heap; NULL if there is one. */
static uint32_t *pattern_steps(const struct traffic_schedule *of, size_t n)
{
    uint32_t *step = of->n_steps > 1 ? mem_alloc(n + 1, sizeof *step) : NULL;
    if (!step)
        return NULL;
    for (size_t at = 0; at < of->n_steps; at++)
        for (size_t i = of->first_op[at]; i < of->first_op[at + 1]; i++)
            step[i] = (uint32_t)at;
    return step;
}

/* Makes the receives. In a step they are by rank, as whoever reads them goes through memory of ranks. */
static void pattern_fill_receives(struct traffic_schedule *of)
{
    const size_t n = of->first_op[of->n_steps];
    uint32_t *order = pattern_by_receiver(of, n), *step = pattern_steps(of, n);
    size_t *next = mem_alloc(of->n_steps + 1, sizeof *next);
    memcpy(next, of->first_op, of->n_steps * sizeof *next);
    of->receives = mem_alloc(n + 1, sizeof *of->receives);
    of->arriving = mem_alloc(n + 1, sizeof *of->arriving);
    for (size_t i = 0; i < n; i++) {
        const struct op *send = &of->sends[order[i]];
        of->arriving[i] = (uint64_t)send->rank * of->schedule.header.n_in + send->chunk;
        of->receives[next[step ? step[order[i]] : 0]++] = (struct op){.rank = send->peer,
                                                           .peer = send->rank,
                                                           .chunk = (uint32_t)(i - of->first_in[send->peer]),
                                                           .n_chunks = 1,
                                                           .kind = OP_RECV,
                                                           .buffer = BUFFER_TMP,
                                                           .line = send->line};
    }
    free(next);
    free(step);
    free(order);
}

static uint64_t pattern_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    struct traffic_schedule *of = ((struct traffic_places *)sizes)->of;
    if (!of->receives)
        pattern_fill_receives(of);
    const size_t at = of->first_in[rank] + chunk;
    return at < of->first_in[rank + 1] ? of->arriving[at] : NO_DATUM;
}

/* Gives a step. Receives are made when somebody looks at them first. */
static bool pattern_next(struct schedule *schedule, struct step *step)
{
    struct traffic_schedule *of = (struct traffic_schedule *)schedule;
    const size_t at = of->next_step;
    if (at >= of->n_steps)
        return false;
    of->next_step++;
    if (!of->receives && !schedule->use.sends_only)
        pattern_fill_receives(of);
    *step = (struct step){.index = at, .n_sends = of->first_op[at + 1] - of->first_op[at]};
    if (step->n_sends)
        step->sends = of->sends + of->first_op[at];
    if (of->receives && step->n_sends) {
        step->receives = of->receives + of->first_op[at];
        step->n_receives = step->n_sends;
    }
    return true;
}

/* Keeps the names of hosts. */
static void pattern_name_hosts(struct traffic_schedule *of, const struct traffic *traffic)
{
    struct schedule_host *hosts = arena_alloc(&of->arena, traffic->n_ranks, sizeof *hosts);
    for (uint32_t rank = 0; rank < traffic->n_ranks; rank++) {
        const struct traffic_name *name = &traffic->names.items[rank];
        hosts[rank] = (struct schedule_host){arena_strndup(&of->arena, name->text.text, name->text.length),
                                             name->line, name->column};
    }
    of->schedule.header.hosts = hosts;
}

struct schedule *traffic_pattern(struct traffic *traffic)
{
    struct traffic_schedule *of = mem_alloc(1, sizeof *of);
    of->schedule = (struct schedule){.header = {.collective = COLLECTIVE_pattern,
                                                .algorithm = "traffic",
                                                .n_ranks = traffic->n_ranks,
                                                .is_tmp_unread = true,
                                                .segments = 1},
                                     .source = traffic->source,
                                     .next = pattern_next,
                                     .rewind = pattern_rewind,
                                     .destroy = pattern_destroy};
    of->n_steps = traffic->phases.map.n > 1 ? traffic->phases.map.n : 1;
    of->counts = (struct traffic_counts){{.bytes = pattern_bytes, .destroy = pattern_keep}, of};
    of->places = (struct traffic_places){
        {.buffer = BUFFER_IN, .is_of_others = true, .datum = pattern_datum, .n_in_order = pattern_in_order},
        of};
    if (traffic->n) {
        of->schedule.header.counts = &of->counts.counts;
        of->schedule.header.tmp_sizes = &of->places.sizes;
    }
    pattern_count(of, traffic);
    pattern_fill_sends(of, traffic);
    if (traffic->has_names || traffic->has_hosts)
        pattern_name_hosts(of, traffic);
    traffic_release(traffic);
    return &of->schedule;
}
