/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetric.h. Rank 0 is run alone: what it receives from rank s is what it sends itself to the rank
 * that s is shifts away from, taken by that shift; so its data are those of the verifier (data.c), and
 * the rules that look at them are asked as ever. A rule that has something to say ends it.
 */
#include "verify/symmetric.h"

#include "verify/shifted_traffic.h"

#include <stdlib.h>

enum { MAX_INTERVALS = 1 << 22 }; /* of general sets of contributions */

static const char OVER_BUDGET[] = "the budget was used up";

struct quotient {
    const struct symmetry *symmetry;
    struct verifier verifier;
    struct data data;
    struct run_list sent;    /* of all sends of a step, then what is received */
    size_t *start;           /* [send] in `sent` */
    uint32_t *send_of;       /* [receive] */
    struct op *own;          /* operations of rank 0: sends, receives, copies */
    const struct op **posted;
    size_t capacity;
    const char *reason;
};

static bool give_up(struct quotient *quotient, const char *reason)
{
    if (!quotient->reason)
        quotient->reason = reason;
    return false;
}

/* ---- shifted data ---- */

/* A datum is a number of ranks and blocks: rank * per_rank + block * per_block + rest. */
struct datum_shape {
    bool has_rank, has_block;
    uint64_t per_rank, per_block;
};

static struct datum_shape shape_of_data(const struct quotient *quotient)
{
    const struct schedule_header *header = quotient->data.header;
    const struct symmetry *symmetry = quotient->symmetry;
    const uint64_t segments = header->segments;
    switch ((int)header->collective) {
    case COLLECTIVE_alltoall: return (struct datum_shape){true, true, quotient->data.n_in, segments};
    case COLLECTIVE_allgather: return (struct datum_shape){true, false, segments, 0};
    case COLLECTIVE_reduce_scatter_block: return (struct datum_shape){false, true, 0, segments};
    default: break;
    }
    return (struct datum_shape){false, symmetry->moves[BUFFER_BUF], 0, symmetry->block[BUFFER_BUF]};
}

static uint64_t shift_datum(const struct quotient *quotient, const struct datum_shape *shape,
                            uint64_t datum, uint32_t by)
{
    const struct shifts *shifts = &quotient->symmetry->shifts;
    uint64_t rest = datum, shifted = 0;
    if (shape->has_rank) {
        shifted += shifts_add(shifts, (uint32_t)(rest / shape->per_rank), by) * shape->per_rank;
        rest %= shape->per_rank;
    }
    if (shape->has_block) {
        shifted += shifts_add(shifts, (uint32_t)(rest / shape->per_block), by) * shape->per_block;
        rest %= shape->per_block;
    }
    return shifted + rest;
}

/* Whether numbers of ranks from a to b, `step` * per apart, are on a line of one coordinate: then
 * all of them or none go round the end if both ends do or none does. */
static bool is_line(const struct shifts *shifts, uint32_t a, uint32_t b, int64_t step, uint64_t per)
{
    for (uint32_t i = 0; i < shifts->n; i++) {
        if (shifts_digit(shifts, i, a) == shifts_digit(shifts, i, b))
            continue;
        const int64_t place = (int64_t)(per * shifts->stride[i]);
        const uint32_t back = b - a, digits = shifts_digit(shifts, i, b) - shifts_digit(shifts, i, a);
        return back == digits * shifts->stride[i] && (shifts->stride[i] == 1 || step % place == 0);
    }
    return true;
}

/* Whether a progression of data stays one if its ends do. */
static bool is_regular(const struct quotient *quotient, const struct datum_shape *shape,
                       const struct run *run)
{
    const struct shifts *shifts = &quotient->symmetry->shifts;
    const uint64_t last = run->datum + (run->n - 1) * run->datum_stride;
    const int64_t stride = (int64_t)run->datum_stride;
    if (run->datum_stride == 0 || (!shape->has_rank && !shape->has_block))
        return true;
    if (!shape->has_rank)
        return is_line(shifts, (uint32_t)(run->datum / shape->per_block),
                       (uint32_t)(last / shape->per_block), stride, shape->per_block);
    const uint32_t rank = (uint32_t)(run->datum / shape->per_rank);
    const uint32_t last_rank = (uint32_t)(last / shape->per_rank);
    if (!shape->has_block)
        return is_line(shifts, rank, last_rank, stride, shape->per_rank);
    if (rank == last_rank)
        return is_line(shifts, (uint32_t)(run->datum % shape->per_rank / shape->per_block),
                       (uint32_t)(last % shape->per_rank / shape->per_block), stride,
                       shape->per_block);
    return stride % (int64_t)shape->per_rank == 0 &&
           is_line(shifts, rank, last_rank, stride, shape->per_rank);
}

#define GENERAL (UINT64_C(1) << 63) /* a set that is no interval (values.h) */

static uint64_t shift_set(struct quotient *quotient, uint64_t set, uint32_t by)
{
    const struct shifts *shifts = &quotient->symmetry->shifts;
    const uint32_t length = (uint32_t)(set >> 32);
    uint32_t slowest = 0;
    for (uint32_t i = 1; i < shifts->n; i++)
        slowest = shifts->stride[i] > shifts->stride[slowest] ? i : slowest;
    if (!set || by == 0)
        return set;
    if (by % shifts->stride[slowest] == 0) /* all numbers go round together */
        return rank_set_shift(&quotient->data.sets, set, by);
    if (!(set & GENERAL) && length == shifts->n_ranks)
        return set;
    const bool is_aligned = shifts->is_xor && !(set & GENERAL) && !(length & (length - 1)) &&
                            (uint32_t)set % length == 0;
    if (is_aligned) /* the same bits above, all that there are below */
        return (uint64_t)length << 32 | ((uint32_t)set ^ (by & ~(length - 1)));
    if (!(set & GENERAL) && length == 1)
        return rank_set_of(&quotient->data.sets, shifts_add(shifts, (uint32_t)set, by));
    give_up(quotient, "contributions come along several coordinates");
    return set;
}

static void append(struct run_list *list, const struct run *run)
{
    if (list->n == list->capacity)
        list->runs = mem_grow(list->runs, &list->capacity, list->n + 1, sizeof *list->runs);
    list->runs[list->n++] = *run;
}

/* Whether the sets of a run stay a progression if its ends do. */
static bool has_regular_sets(const struct quotient *quotient, const struct run *run)
{
    const uint64_t last = run->set + (run->n - 1) * run->set_stride;
    return run->set_stride == 0 || (quotient->symmetry->shifts.n == 1 && !((run->set | last) & GENERAL));
}

/* Appends what a run becomes by a shift, in pieces that are progressions. */
static void append_shifted(struct quotient *quotient, const struct datum_shape *shape,
                           const struct run *run, uint32_t by)
{
    struct run shifted = *run;
    const uint64_t n = run->n - 1;
    if (run_is_poison(run)) {
        append(&quotient->sent, run);
        return;
    }
    shifted.datum = shift_datum(quotient, shape, run->datum, by);
    shifted.set = shift_set(quotient, run->set, by);
    if (!n) {
        append(&quotient->sent, &shifted);
        return;
    }
    const uint64_t last = shift_datum(quotient, shape, run->datum + n * run->datum_stride, by);
    const uint64_t last_set = shift_set(quotient, run->set + n * run->set_stride, by);
    if (is_regular(quotient, shape, run) && has_regular_sets(quotient, run) &&
        last == shifted.datum + n * run->datum_stride &&
        last_set == shifted.set + n * run->set_stride) {
        append(&quotient->sent, &shifted);
        return;
    }
    const uint32_t half = run->n / 2;
    const struct run left = run_cut(run, run->first, half);
    const struct run right = run_cut(run, run->first + half, run->n - half);
    append_shifted(quotient, shape, &left, by);
    append_shifted(quotient, shape, &right, by);
}

/* ---- operations ---- */

/* A whole buffer copied to a whole one: that is the same on all ranks, as all blocks are shifted. */
static bool is_whole_copy(const struct schedule_header *header, const struct op *op)
{
    return op_is_local(op) && op->chunk == 0 && op->peer == 0 &&
           op->n_chunks == schedule_chunks(header, op->buffer) &&
           op->n_chunks == schedule_chunks(header, op->to_buffer);
}

/* Whether `op` is what rank 0's operation becomes by the shift of its rank. */
static bool is_shifted_op(const struct symmetry *symmetry, const struct op *own, const struct op *op)
{
    const uint32_t by = is_whole_copy(&symmetry->schedule->header, own) ? 0 : op->rank;
    const bool is_local = op_is_local(own);
    const uint32_t peer = is_local ? symmetry_chunk(symmetry, own->to_buffer, own->peer, by)
                                   : shifts_add(&symmetry->shifts, own->peer, by);
    return op->kind == own->kind && op->buffer == own->buffer && op->n_chunks == own->n_chunks &&
           op->network == own->network && op->line == own->line &&
           (!own->n_chunks || op->chunk == symmetry_chunk(symmetry, own->buffer, own->chunk, by)) &&
           (is_local ? op->to_buffer == own->to_buffer && (!own->n_chunks || op->peer == peer)
                     : op->peer == peer);
}

/* A range of a buffer that moves must not leave its block: blocks are shifted one by one. */
static bool is_in_block(const struct symmetry *symmetry, uint8_t buffer, uint32_t chunk, uint32_t n)
{
    return !n || !symmetry->moves[buffer] ||
           chunk % symmetry->block[buffer] + n <= symmetry->block[buffer];
}

/* Takes the operations of rank 0 out of those of the witnesses, which must be its own, shifted. Those of
 * a statement come rank by rank, from 0 on. */
static bool take_own(struct quotient *quotient, const struct op *ops, size_t n, struct op *own,
                     size_t *n_own)
{
    const struct symmetry *symmetry = quotient->symmetry;
    size_t seen[3] = {0};
    for (size_t i = 0; i < n; i++) {
        uint32_t witness = 0;
        while (witness < symmetry->n_witnesses && symmetry->witness[witness] != ops[i].rank)
            witness++;
        if (witness == 0)
            own[seen[0]++] = ops[i];
        else if (witness == symmetry->n_witnesses || seen[witness] == seen[0] ||
                 !is_shifted_op(symmetry, &own[seen[witness]++], &ops[i]))
            return give_up(quotient, "the operations of ranks differ by more than a shift");
    }
    *n_own = seen[0];
    for (uint32_t i = 0; i < symmetry->n_witnesses; i++)
        if (seen[i] != *n_own)
            return give_up(quotient, "the operations of ranks differ by more than a shift");
    for (size_t i = 0; i < *n_own; i++)
        if (!is_whole_copy(&symmetry->schedule->header, &own[i]) &&
            (!is_in_block(symmetry, own[i].buffer, own[i].chunk, own[i].n_chunks) ||
             (op_is_local(&own[i]) &&
              !is_in_block(symmetry, own[i].to_buffer, own[i].peer, own[i].n_chunks))))
            return give_up(quotient, "a range of chunks goes over several blocks");
    return true;
}

static void make_room(struct quotient *quotient, const struct step *step)
{
    const size_t n = step->n_sends + step->n_receives + step->n_copies + 1;
    if (n <= quotient->capacity)
        return;
    quotient->capacity = n + n / 2;
    quotient->own = mem_resize(quotient->own, quotient->capacity, sizeof *quotient->own);
    quotient->posted = mem_resize(quotient->posted, quotient->capacity, sizeof(struct op *));
    quotient->start = mem_resize(quotient->start, quotient->capacity, sizeof *quotient->start);
    quotient->send_of = mem_resize(quotient->send_of, quotient->capacity, sizeof *quotient->send_of);
}

/* ---- matching ---- */

/* Messages by the rank they are from, the order among those of one kept. */
struct message {
    uint32_t from, index;
};

static int compare_messages(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Rank 0 receives from s what s sends to it: what rank 0 sends to the rank that is shifted back by
 * s. The k-th of these meets the k-th receive from s. */
static bool match(struct quotient *quotient, const struct step *own)
{
    const struct shifts *shifts = &quotient->symmetry->shifts;
    const size_t n = own->n_sends;
    bool is_matched = n == own->n_receives;
    if (is_matched && n == 1) {
        quotient->send_of[0] = 0;
        is_matched = shifts_back(shifts, own->sends[0].peer) == own->receives[0].peer;
    } else if (is_matched && n) {
        struct message *sends = mem_alloc(n, sizeof *sends), *receives = mem_alloc(n, sizeof *receives);
        for (size_t i = 0; i < n; i++) {
            sends[i] = (struct message){shifts_back(shifts, own->sends[i].peer), (uint32_t)i};
            receives[i] = (struct message){own->receives[i].peer, (uint32_t)i};
        }
        qsort(sends, n, sizeof *sends, compare_messages);
        qsort(receives, n, sizeof *receives, compare_messages);
        for (size_t i = 0; i < n; i++) {
            is_matched = is_matched && sends[i].from == receives[i].from;
            quotient->send_of[receives[i].index] = sends[i].index;
        }
        free(sends);
        free(receives);
    }
    for (size_t i = 0; is_matched && i < n; i++)
        is_matched = own->sends[quotient->send_of[i]].n_chunks == own->receives[i].n_chunks;
    return is_matched || give_up(quotient, "a message is not received in the step in which it is sent");
}

/* ---- a step ---- */

static void read_sends(struct quotient *quotient, const struct step *own)
{
    struct data *data = &quotient->data;
    quotient->sent.n = 0;
    for (size_t i = 0; i < own->n_sends; i++) {
        const struct op *send = &own->sends[i];
        quotient->start[i] = quotient->sent.n;
        if (send->buffer != BUFFER_IN || data->is_barrier)
            data_read(data, send, own->index, &quotient->sent);
        else if (send->n_chunks)
            data_read_aliased(data, send, own->index);
    }
    quotient->start[own->n_sends] = quotient->sent.n;
}

/* What the peer sends is what rank 0 sends, shifted. */
static void receive(struct quotient *quotient, const struct datum_shape *shape, const struct op *receive,
                    const struct op *send, const size_t *runs, uint64_t step)
{
    struct data *data = &quotient->data;
    const uint32_t by = receive->peer;
    if (send->buffer == BUFFER_IN && send->n_chunks && !data->is_barrier) {
        struct op shifted = *send;
        shifted.rank = by;
        shifted.peer = 0;
        shifted.chunk = symmetry_chunk(quotient->symmetry, BUFFER_IN, send->chunk, by);
        data_write_in(data, receive, step, &shifted);
        return;
    }
    const size_t first = quotient->sent.n;
    for (size_t i = runs[0]; i < runs[1]; i++) {
        const struct run run = quotient->sent.runs[i];
        append_shifted(quotient, shape, &run, by);
    }
    data_write(data, receive, step, quotient->sent.runs + first, quotient->sent.n - first);
    quotient->sent.n = first;
}

static void offer_own(struct quotient *quotient, const struct step *own)
{
    size_t n = 0;
    for (size_t i = 0; i < own->n_sends; i++)
        quotient->posted[n++] = &own->sends[i];
    for (size_t i = 0; i < own->n_receives; i++)
        quotient->posted[n++] = &own->receives[i];
    if (n > 1)
        offer_posted(&quotient->verifier, &(struct fact_posted){quotient->posted, n, own->index});
}

/* One step of rank 0. */
static bool run_step(struct quotient *quotient, const struct datum_shape *shape, const struct step *own)
{
    struct data *data = &quotient->data;
    if (!data->is_started)
        data_start(data, own);
    if (!match(quotient, own))
        return false;
    rules_see_ops(&quotient->verifier, own);
    offer_own(quotient, own);
    for (size_t i = 0; i < own->n_copies; i++)
        data_copy(data, &own->copies[i], own->index, &quotient->sent);
    read_sends(quotient, own);
    for (size_t i = 0; i < own->n_receives; i++) {
        const uint32_t send = quotient->send_of[i];
        receive(quotient, shape, &own->receives[i], &own->sends[send], &quotient->start[send],
                own->index);
    }
    if (quotient->data.sets.n_intervals > MAX_INTERVALS)
        return give_up(quotient, "contributions are not of ranks in a row");
    if (quotient->verifier.diagnostics->first || quotient->reason)
        return give_up(quotient, "there is something to be found");
    return true;
}

/* The step of the witnesses as rank 0's alone. */
static bool take_step(struct quotient *quotient, const struct step *step, struct step *own)
{
    make_room(quotient, step);
    struct op *sends = quotient->own, *receives = sends + step->n_sends;
    struct op *copies = receives + step->n_receives;
    *own = (struct step){.index = step->index, .sends = sends, .receives = receives, .copies = copies};
    return take_own(quotient, step->sends, step->n_sends, sends, &own->n_sends) &&
           take_own(quotient, step->receives, step->n_receives, receives, &own->n_receives) &&
           take_own(quotient, step->copies, step->n_copies, copies, &own->n_copies);
}

static bool run_steps(struct quotient *quotient, struct shifted_traffic *traffic,
                      struct symmetric_argument *argument)
{
    const struct datum_shape shape = shape_of_data(quotient);
    struct schedule *schedule = quotient->symmetry->schedule;
    struct step step, own;
    struct budget budget = budget_begin(quotient->verifier.request);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        const uint64_t n_routed = shifted_traffic_routed(traffic);
        if (!take_step(quotient, &step, &own) || !run_step(quotient, &shape, &own))
            return false;
        argument->n_operations += own.n_sends + own.n_receives + own.n_copies;
        if (!shifted_traffic_step(traffic, &own))
            return give_up(quotient, "messages have no route");
        if (budget_is_over(&budget, 1 + step.n_sends + step.n_receives + step.n_copies +
                                        shifted_traffic_routed(traffic) - n_routed))
            return give_up(quotient, OVER_BUDGET);
    }
    return !schedule->failed || give_up(quotient, "the steps cannot be produced");
}

/* ---- the verdict ---- */

static uint64_t count_runs(const struct data *data)
{
    uint64_t n = 0;
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const struct chunk_map *map = data->maps[buffer];
        const uint32_t n_blocks = !map ? 0 : map->blocks ? map->n_blocks : 1;
        for (uint32_t block = 0; block < n_blocks; block++)
            n += chunk_map_block(map, block)->n;
    }
    return n;
}

static const char *obstacle(const struct symmetry *symmetry, const struct verify_request *request)
{
    const struct schedule_header *header = &symmetry->schedule->header;
    if (request->drift > 1)
        return "steps that meet by drift are looked at together";
    if (request->topology && request->topology->n_networks > 1)
        return "there are several networks";
    if (request->watch)
        return "what moves in each step is asked for";
    if (request->keep_link_load)
        return "the load of every link is asked for";
    if (header->is_ordered || header->counts || header->tmp_sizes || header->is_timed)
        return "the schedule has counts, times or an order";
    return NULL;
}

static void quotient_free(struct quotient *quotient)
{
    data_free(&quotient->data);
    rules_end(&quotient->verifier);
    trace_free(&quotient->verifier);
    free(quotient->sent.runs);
    free(quotient->start);
    free(quotient->send_of);
    free(quotient->own);
    free(quotient->posted);
}

bool verify_symmetric(const struct symmetry *symmetry, const struct verify_request *request,
                      struct verify_report *report, struct symmetric_argument *argument)
{
    *report = (struct verify_report){.max_hol_slowdown = 1};
    *argument = (struct symmetric_argument){.reason = obstacle(symmetry, request)};
    if (argument->reason)
        return false;
    struct diagnostics findings = {0};
    struct quotient quotient = {.symmetry = symmetry,
                                .verifier = {.schedule = symmetry->schedule,
                                             .request = request,
                                             .report = report,
                                             .diagnostics = &findings,
                                             .n_ranks = symmetry->shifts.n_ranks}};
    quotient.verifier.data = &quotient.data;
    data_init(&quotient.data, &quotient.verifier, 1);
    rules_start(&quotient.verifier);
    struct shifted_traffic *traffic = shifted_traffic_new(symmetry, request, report);
    argument->n_to_route = request->budget > 0 ? shifted_traffic_foresee(traffic) : 0;
    bool is_decided = verify_seconds(request->topology, argument->n_to_route) > 2 * request->budget
                          ? give_up(&quotient, OVER_BUDGET)
                          : run_steps(&quotient, traffic, argument);
    if (is_decided && !quotient.data.is_started)
        data_start(&quotient.data, NULL);
    if (is_decided)
        data_end(&quotient.data);
    if (is_decided && findings.first)
        is_decided = give_up(&quotient, "there is something to be found");
    if (is_decided)
        shifted_traffic_end(traffic, argument);
    if (is_decided && !verify_is_within(&request->limits, report))
        is_decided = give_up(&quotient, "something is above its limit");
    argument->n_runs = count_runs(&quotient.data);
    argument->reason = quotient.reason;
    report->is_matched = report->is_deadlock_free = report->is_complete = is_decided;
    shifted_traffic_free(traffic);
    quotient_free(&quotient);
    diagnostics_free(&findings);
    if (!is_decided) {
        verify_report_free(report);
        *report = (struct verify_report){.max_hol_slowdown = 1,
                                         .is_over_budget = argument->reason == OVER_BUDGET};
    }
    return is_decided;
}
