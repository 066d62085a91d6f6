/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes loads of steps: one pass over the schedule. The messages of a step between two servers are a flow
 * (measure/flows.h), which is routed once; what lies on a link, in a server or at a rank is counted in arrays
 * that are zero between steps that are not the same. Where the messages of a step are those of the one
 * before, or it is said to be like an earlier one, nothing is routed again.
 */
#include "ir/counts.h"
#include "base/codes.h"
#include "measure/meter.h"
#include "predict/load_list.h"

#include <stdlib.h>
#include <string.h>

/* Within a server, in chunks: messages of its ranks, those to other servers that cross it first too. */
struct inside {
    uint64_t messages, local, unpacked;
};

/* Messages that a rank sends and receives. */
struct rank_counts {
    uint32_t sent, received;
};

/* The step that was measured last, as long as it may come again. */
struct last_step {
    uint64_t n_times;   /* it came; 0: what it puts on links and servers is counted already */
    struct op first;    /* its first operation */
    struct step step;   /* the arrays are valid unless n_times is 0: then only their lengths are */
    struct op *ops;     /* room for these arrays */
    size_t capacity;
    struct step_load load;
    uint64_t n_crossings;
};

/* A step that others are like. */
struct measured {
    struct step_load load;
    uint64_t n_messages, n_operations, n_crossings;
    bool is_local;
};

struct gatherer {
    const struct schedule *schedule;
    struct diagnostics *diagnostics;
    struct predict_loads *loads;
    struct flows flows;
    struct meter meter;
    struct rank_counts *ranks; /* [rank], the same */
    struct inside *inside;     /* [server], the same */
    struct inside *inside_total; /* [server], of all steps */
    uint64_t step;             /* that is measured */
    struct last_step last;
    struct measured *measured; /* in their order */
    size_t n_measured, measured_capacity;
    struct op *sent;           /* messages that are sent, where some are not */
    size_t sent_capacity;
    bool failed;
};

static uint32_t gather_server_of(const struct gatherer *gatherer, uint32_t rank)
{
    return gatherer->meter.placement ? gatherer->meter.placement->server[rank] : rank;
}

static inline void gather_raise(uint32_t *maximum, uint32_t value)
{
    if (value > *maximum)
        *maximum = value;
}

static inline void raise_wide(uint64_t *maximum, uint64_t value)
{
    if (value > *maximum)
        *maximum = value;
}

/* Reports the first flow without a route. */
static void gather_miss(void *context, const struct flow *flow)
{
    struct gatherer *gatherer = context;
    const struct meter *meter = &gatherer->meter;
    const bool is_joined = meter_is_joined(meter, flow);
    char from[256], to[256];
    if (gatherer->failed)
        return;
    gatherer->failed = true;
    topology_node_name(meter->topology, meter_machine(meter, flow->source), from, sizeof from);
    topology_node_name(meter->topology, meter_machine(meter, flow->destination), to, sizeof to);
    struct diagnostic *found =
        report(gatherer->diagnostics, is_joined ? CODE_L002 : CODE_L003,
               (struct position){.source = gatherer->schedule->source},
               "no %s from host '%s' to '%s', which communicate in step %llu",
               is_joined ? "route" : "such network", from, to, (unsigned long long)gatherer->step);
    found->help = "no time can be predicted: place the ranks on hosts that have routes to each "
                  "other";
    if (is_joined)
        placement_note_unrouted(meter->topology, meter->placement, gatherer->diagnostics, found);
}

/* ---- ranks and memory ---- */

static void count_local(struct gatherer *gatherer, uint32_t rank, uint64_t units, struct step_load *load)
{
    uint64_t *local = &gatherer->inside[gather_server_of(gatherer, rank)].local;
    *local = units_sum(*local, units);
    raise_wide(&load->local_chunks, *local);
}

static void count_sends(struct gatherer *gatherer, const struct step *step, struct step_load *load)
{
    const struct schedule_header *header = &gatherer->schedule->header;
    const struct placement *placement = gatherer->meter.placement;
    for (size_t i = 0; i < step->n_sends; i++) {
        const struct op *send = &step->sends[i];
        uint32_t server = gather_server_of(gatherer, send->rank);
        gather_raise(&load->rank_messages, ++gatherer->ranks[send->rank].sent);
        count_local(gatherer, send->rank, schedule_packed_units(header, send), load);
        if (server != gather_server_of(gatherer, send->peer) &&
            !(placement && placement_crosses_host(placement, send->rank, send->peer)))
            continue;
        load->has_memory = true;
        uint64_t *messages = &gatherer->inside[server].messages;
        *messages = units_sum(*messages, schedule_carried_units(header, send));
        raise_wide(&load->memory_chunks, *messages);
    }
}

/* Returns the most that a server unpacks, now that it unpacks a message, too. */
static uint64_t count_unpacked(struct gatherer *gatherer, const struct op *receive, uint64_t most)
{
    uint64_t *unpacked = &gatherer->inside[gather_server_of(gatherer, receive->rank)].unpacked;
    *unpacked = units_sum(*unpacked, schedule_packed_units(&gatherer->schedule->header, receive));
    return *unpacked > most ? *unpacked : most;
}

static void count_receives(struct gatherer *gatherer, const struct step *step,
                           struct step_load *load)
{
    const struct schedule_header *header = &gatherer->schedule->header;
    uint64_t most_unpacked = 0;
    for (size_t i = 0; i < step->n_receives; i++) {
        const struct op *receive = &step->receives[i];
        gather_raise(&load->rank_messages, ++gatherer->ranks[receive->rank].received);
        if (receive->kind == OP_REDUCE)
            count_local(gatherer, receive->rank, schedule_units(header, receive), load);
        else
            most_unpacked = count_unpacked(gatherer, receive, most_unpacked);
    }
    for (size_t i = 0; i < step->n_copies; i++)
        count_local(gatherer, step->copies[i].rank, schedule_units(header, &step->copies[i]), load);
    load->local_chunks = units_sum(load->local_chunks, most_unpacked);
}

static void clear_rank(struct gatherer *gatherer, uint32_t rank, uint64_t n_times)
{
    const uint32_t server = gather_server_of(gatherer, rank);
    struct inside *inside = &gatherer->inside[server], *total = &gatherer->inside_total[server];
    gatherer->ranks[rank] = (struct rank_counts){0, 0};
    total->messages = units_sum(total->messages, units_product(inside->messages, n_times));
    total->local =
        units_sum(total->local, units_product(units_sum(inside->local, inside->unpacked), n_times));
    *inside = (struct inside){0, 0, 0};
}

/* A step that came so often. */
static void clear_ranks(struct gatherer *gatherer, const struct step *step, uint64_t n_times)
{
    for (size_t i = 0; i < step->n_sends; i++)
        clear_rank(gatherer, step->sends[i].rank, n_times);
    for (size_t i = 0; i < step->n_receives; i++)
        clear_rank(gatherer, step->receives[i].rank, n_times);
    for (size_t i = 0; i < step->n_copies; i++)
        clear_rank(gatherer, step->copies[i].rank, n_times);
}

/* ---- steps that repeat ---- */

/* True if two operations are measured alike, whatever their chunks are. */
static inline bool gather_is_alike(const struct op *a, const struct op *b)
{
    return a->rank == b->rank && a->n_chunks == b->n_chunks && a->kind == b->kind &&
           a->network == b->network &&
           (op_is_local(a) || (a->peer == b->peer && a->is_set == b->is_set));
}

static bool gather_are_alike(const struct op *a, const struct op *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!gather_is_alike(&a[i], &b[i]))
            return false;
    return true;
}

static bool gather_is_as_large(const struct step *a, const struct step *b)
{
    return a->n_sends == b->n_sends && a->n_receives == b->n_receives && a->n_copies == b->n_copies;
}

/* True if the step is the one that was measured last. O(operations) */
static bool is_last_step(const struct gatherer *gatherer, const struct step *step)
{
    const struct step *last = &gatherer->last.step;
    return gatherer->last.n_times && gather_is_as_large(last, step) &&
           gather_are_alike(last->sends, step->sends, step->n_sends) &&
           gather_are_alike(last->receives, step->receives, step->n_receives) &&
           gather_are_alike(last->copies, step->copies, step->n_copies);
}

/* Adds the load of the last step on links and servers, as often as it came. */
static void count_last_step(struct gatherer *gatherer)
{
    if (!gatherer->last.n_times)
        return;
    meter_take_off(&gatherer->meter, gatherer->last.n_times);
    clear_ranks(gatherer, &gatherer->last.step, gatherer->last.n_times);
    gatherer->last.n_times = 0;
}

/* Points *ops to a copy of them; returns where the copy ends. */
static struct op *copy_ops(const struct op **ops, size_t n, struct op *copy)
{
    if (n)
        memcpy(copy, *ops, n * sizeof *copy);
    *ops = copy;
    return copy + n;
}

static void copy_last_step(struct last_step *last)
{
    struct step *step = &last->step;
    const size_t n = step->n_sends + step->n_receives + step->n_copies;
    last->ops = mem_grow(last->ops, &last->capacity, n + 1, sizeof *last->ops);
    struct op *end = copy_ops(&step->sends, step->n_sends, last->ops);
    end = copy_ops(&step->receives, step->n_receives, end);
    copy_ops(&step->copies, step->n_copies, end);
}

/* Makes a step the last one, which came with those that are like it. It is copied if it is to be expected
 * again: if it begins as the one before. With counts the same messages are of other chunks, so of other
 * bytes. */
static void keep_step(struct gatherer *gatherer, const struct step *step, const struct step_load *load,
                      uint64_t n_crossings)
{
    struct last_step *last = &gatherer->last;
    struct op first = {0};
    if (step->n_sends + step->n_receives + step->n_copies)
        first = step->n_sends ? step->sends[0] : step->n_receives ? step->receives[0] : step->copies[0];
    const bool is_expected = !gatherer->schedule->header.counts && gather_is_as_large(&last->step, step) &&
                             gather_is_alike(&last->first, &first);
    last->step = *step;
    last->first = first;
    last->load = *load;
    last->n_crossings = n_crossings;
    last->n_times = 1 + step->n_more;
    if (is_expected)
        copy_last_step(last);
    else
        count_last_step(gatherer);
}

/* The last step, once more. */
static void gather_repeat_step(struct gatherer *gatherer, uint64_t index)
{
    struct last_step *last = &gatherer->last;
    last->n_times++;
    last->load.first = index;
    gatherer->loads->n_crossings += last->n_crossings;
    load_list_add(gatherer->loads, &last->load);
}

static void count_operations(struct predict_loads *loads, const struct measured *measured)
{
    loads->n_steps += !measured->is_local;
    loads->n_messages += measured->n_messages;
    loads->n_operations += measured->n_operations;
}

/* A step that is like one before, which has counted what that puts on links and servers. */
static void take_like(struct gatherer *gatherer, const struct step *step)
{
    const struct measured *measured = &gatherer->measured[step->like - 1];
    struct step_load load = measured->load;
    load.first = step->index;
    gatherer->loads->n_crossings += measured->n_crossings;
    count_operations(gatherer->loads, measured);
    load_list_add(gatherer->loads, &load);
}

/* ---- steps ---- */

/* Leaves the operations whose messages are sent: with counts, data of no bytes are not. */
static size_t keep_sent(struct gatherer *gatherer, const struct op *ops, size_t n, struct op *kept)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (schedule_is_sent(&gatherer->schedule->header, &ops[i]))
            kept[n_kept++] = ops[i];
    return n_kept;
}

/* Returns the step without messages that are not sent. */
static struct step sent_in(struct gatherer *gatherer, const struct step *step)
{
    struct step sent = *step;
    const size_t n = step->n_sends + step->n_receives;
    if (!gatherer->schedule->header.counts)
        return sent;
    gatherer->sent =
        mem_grow(gatherer->sent, &gatherer->sent_capacity, n + 1, sizeof *gatherer->sent);
    sent.sends = gatherer->sent;
    sent.n_sends = keep_sent(gatherer, step->sends, step->n_sends, gatherer->sent);
    sent.receives = gatherer->sent + sent.n_sends;
    sent.n_receives = keep_sent(gatherer, step->receives, step->n_receives,
                                gatherer->sent + sent.n_sends);
    return sent;
}

static void gather_step(struct gatherer *gatherer, const struct step *step, struct measured *measured)
{
    struct step_load load = {.first = step->index, .n_steps = 1};
    struct step_figures figures;
    gatherer->step = step->index;
    flows_gather(&gatherer->flows, step, NULL, gatherer->meter.placement, meter_networks(&gatherer->meter));
    if (meter_measure(&gatherer->meter, &gatherer->flows, METER_TIMES, &figures))
        meter_clear_hosts(&gatherer->meter, &gatherer->flows);
    load_take_figures(&load, &figures);
    count_sends(gatherer, step, &load);
    count_receives(gatherer, step, &load);
    gatherer->loads->n_crossings += figures.n_crossings;
    measured->load = load;
    measured->n_crossings = figures.n_crossings;
    keep_step(gatherer, step, &load, figures.n_crossings);
    load_list_add(gatherer->loads, &load);
}

/* A step with operations. */
static void gather_take_step(struct gatherer *gatherer, const struct step *step)
{
    const struct step sent = sent_in(gatherer, step);
    struct measured measured = {.n_messages = sent.n_sends,
                                .n_operations = sent.n_sends + sent.n_receives + sent.n_copies,
                                .is_local = step_is_local(step)};
    count_operations(gatherer->loads, &measured);
    if (is_last_step(gatherer, &sent)) {
        gather_repeat_step(gatherer, sent.index);
        return;
    }
    count_last_step(gatherer);
    gather_step(gatherer, &sent, &measured);
    if (!step->n_more)
        return;
    gatherer->measured = mem_grow(gatherer->measured, &gatherer->measured_capacity, gatherer->n_measured + 1,
                                  sizeof *gatherer->measured);
    gatherer->measured[gatherer->n_measured++] = measured;
}

static void gatherer_init(struct gatherer *gatherer, const struct topology *topology,
                          const struct placement *placement)
{
    const struct schedule_header *header = &gatherer->schedule->header;
    struct meter *meter = &gatherer->meter;
    meter_init(meter, topology, placement, header, METER_TIMES);
    meter->miss = gather_miss;
    meter->context = gatherer;
    gatherer->flows.header = header;
    gatherer->ranks = mem_alloc(header->n_ranks, sizeof *gatherer->ranks);
    gatherer->inside = mem_alloc(meter->n_servers, sizeof *gatherer->inside);
    gatherer->inside_total = mem_alloc(meter->n_servers, sizeof *gatherer->inside_total);
}

static void gatherer_free(struct gatherer *gatherer)
{
    flows_free(&gatherer->flows);
    meter_free(&gatherer->meter);
    free(gatherer->ranks);
    free(gatherer->inside);
    free(gatherer->inside_total);
    free(gatherer->last.ops);
    free(gatherer->measured);
    free(gatherer->sent);
}

/* The busiest of each over all steps. */
static void find_totals(struct gatherer *gatherer, struct predict_loads *loads)
{
    struct meter *meter = &gatherer->meter;
    loads->link_total = meter_longest_total(meter);
    for (uint32_t server = 0; server < meter->n_servers; server++) {
        raise_wide(&loads->memory_total, gatherer->inside_total[server].messages);
        raise_wide(&loads->local_total, gatherer->inside_total[server].local);
    }
}

bool predict_gather(struct schedule *schedule, const struct topology *topology,
                    const struct placement *placement, struct predict_loads *loads,
                    struct diagnostics *diagnostics)
{
    struct gatherer gatherer = {.schedule = schedule, .diagnostics = diagnostics, .loads = loads};
    struct step step;
    *loads = (struct predict_loads){0};
    gatherer_init(&gatherer, topology, placement);
    schedule->rewind(schedule);
    while (!gatherer.failed && schedule->next(schedule, &step))
        if (step.like)
            take_like(&gatherer, &step);
        else
            gather_take_step(&gatherer, &step);
    count_last_step(&gatherer);
    find_totals(&gatherer, loads);
    gatherer_free(&gatherer);
    load_list_merge(loads);
    return !gatherer.failed && !schedule->failed;
}
