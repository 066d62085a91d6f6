/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See symmetric.h. The ranks that represent the orbits are run alone: what one of them receives from rank
 * s is what the representative of s sends, to a rank as far from it, taken by the shift that takes it to
 * s; so their data are those of the verifier (data.c), and the rules that look at them are asked as ever.
 * A rule that has something to say ends it.
 */
#include "verify/symmetry/symmetric.h"

#include "verify/agreement.h"
#include "verify/internal.h"
#include "verify/symmetry/run_shifter.h"
#include "verify/symmetry/scratch.h"
#include "verify/symmetry/shifted_traffic.h"

#include "ir/counts.h"
#include "ir/needs.h"
#include "ir/shifted_steps.h"

#include <stdlib.h>

enum { MAX_INTERVALS = 1 << 22 }; /* of general sets of contributions */

static const char OVER_BUDGET[] = "the budget was used up";

/* Messages in a row to a representative from a rank, the first of them the index-th. */
struct message {
    uint32_t to, from, index, n;
};

struct messages {
    struct message *items;
    size_t n, capacity;
};

struct quotient {
    const struct symmetry *symmetry;
    struct verifier verifier;
    struct data data;
    struct shifted_steps steps;
    struct scratch scratch;
    struct run_shifter shifter;
    struct run_list sent;    /* of all sends of a step, then what is received */
    size_t *start;           /* [send] in `sent` */
    uint32_t *send_of;       /* [receive] */
    struct messages sends, receives; /* of a step, in a row as one */
    uint32_t representative[ORBITS_MAX]; /* [orbit] */
    const struct op **posted;
    size_t capacity;
    const char *reason;
    bool is_of_group; /* it may be otherwise with another group */
};

static bool symmetric_give_up(struct quotient *quotient, const char *reason)
{
    if (!quotient->reason)
        quotient->reason = reason;
    return false;
}

static bool give_up_group(struct quotient *quotient, const char *reason)
{
    quotient->is_of_group = quotient->is_of_group || !quotient->reason;
    return symmetric_give_up(quotient, reason);
}

/* Gives up as there is a finding; for this group only, if data may only have been lost with a plane of
 * scratch. */
static bool give_up_finding(struct quotient *quotient)
{
    return quotient->scratch.is_turned ? give_up_group(quotient, "there is something to be found")
                                       : symmetric_give_up(quotient, "there is something to be found");
}

/* ---- operations ---- */

/* Room for what is said of the operations of a step. */
static void symmetric_make_room(struct quotient *quotient, const struct step *own)
{
    const size_t n = own->n_sends + own->n_receives + 1;
    if (n <= quotient->capacity)
        return;
    quotient->capacity = n + n / 4;
    quotient->posted = mem_resize(quotient->posted, quotient->capacity, sizeof(struct op *));
    quotient->start = mem_resize(quotient->start, quotient->capacity, sizeof *quotient->start);
    quotient->send_of = mem_resize(quotient->send_of, quotient->capacity, sizeof *quotient->send_of);
}

/* ---- matching ---- */

/* Compares messages by receiver, then by sender; keeps the order of those of one pair. */
static int compare_messages(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Returns the message that a representative sends to rank t, shifted so that it comes to the representative
 * of t; or that it receives. */
static struct message symmetric_message_of(const struct symmetry *symmetry, const struct op *op,
                                           uint32_t index)
{
    if (op->kind != OP_SEND)
        return (struct message){op->rank, op->peer, index, 1};
    const uint32_t by = symmetry_shift_to(symmetry, op->peer);
    return (struct message){op->peer - by,
                            shifts_add(&symmetry->shifts, op->rank, shifts_back(&symmetry->shifts, by)),
                            index, 1};
}

/* Lists the messages of a step, in their order. */
static void symmetric_list_messages(const struct symmetry *symmetry, const struct op *ops, size_t n,
                                    struct messages *messages)
{
    messages->n = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && ops[i].rank == ops[i - 1].rank && ops[i].peer == ops[i - 1].peer) {
            messages->items[messages->n - 1].n++;
            continue;
        }
        if (messages->n == messages->capacity)
            messages->items = mem_grow(messages->items, &messages->capacity, messages->n + 1,
                                       sizeof *messages->items);
        messages->items[messages->n++] = symmetric_message_of(symmetry, &ops[i], (uint32_t)i);
    }
    if (messages->n > 1)
        qsort(messages->items, messages->n, sizeof *messages->items, compare_messages);
}

/* True if each message is the same, shifted, for all ranks of the receiver's orbit. The shift from the
 * representative of the sender to the sender must move no blocks within it, or its chunks would come in
 * another order. */
static bool are_messages_alike(const struct quotient *quotient, const struct step *own)
{
    const struct symmetry *symmetry = quotient->symmetry;
    bool is_alike_all = true;
    for (size_t i = 0; is_alike_all && i < own->n_receives; i++) {
        const struct op *receive = &own->receives[i], *send = &own->sends[quotient->send_of[i]];
        const uint32_t by = symmetry_shift_to(symmetry, receive->peer);
        is_alike_all =
            shifted_is_paired(symmetry, send, receive) && shifted_keeps_order(symmetry, send, by);
    }
    return is_alike_all;
}

/* A representative receives from s what s sends to it: what the representative of s sends to the rank that
 * is shifted back as far. The k-th of these meets the k-th receive from s. */
static bool symmetric_match(struct quotient *quotient, const struct step *own)
{
    const struct symmetry *symmetry = quotient->symmetry;
    const size_t n = own->n_sends;
    bool is_matched = n == own->n_receives;
    symmetric_list_messages(symmetry, own->sends, n, &quotient->sends);
    symmetric_list_messages(symmetry, own->receives, own->n_receives, &quotient->receives);
    struct message *sends = quotient->sends.items, *receives = quotient->receives.items;
    for (size_t i = 0, k = 0; is_matched && i < quotient->sends.n;) {
        const uint32_t both = sends[i].n < receives[k].n ? sends[i].n : receives[k].n;
        is_matched = sends[i].to == receives[k].to && sends[i].from == receives[k].from;
        for (uint32_t j = 0; j < both; j++)
            quotient->send_of[receives[k].index++] = sends[i].index++;
        sends[i].n -= both;
        receives[k].n -= both;
        i += sends[i].n == 0;
        k += receives[k].n == 0;
    }
    for (size_t i = 0; is_matched && i < n; i++)
        is_matched = own->sends[quotient->send_of[i]].n_chunks == own->receives[i].n_chunks;
    if (is_matched && !quotient->data.is_barrier && !are_messages_alike(quotient, own))
        return give_up_group(quotient, "a message has blocks of several ranks");
    return is_matched ||
           symmetric_give_up(quotient, "a message is not received in the step in which it is sent");
}

/* ---- a step ---- */

static void symmetric_read_sends(struct quotient *quotient, const struct step *own)
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

/* Returns what the peer of a receive sends: what the representative of its orbit sends, shifted. */
static struct op shifted_send(const struct quotient *quotient, const struct op *receive,
                              const struct op *send)
{
    const uint32_t by = symmetry_shift_to(quotient->symmetry, receive->peer);
    struct op shifted = send->is_set ? shifted_set(quotient->symmetry, send, by) : *send;
    shifted.rank = receive->peer;
    shifted.peer = receive->rank;
    if (send->n_chunks && !send->is_set)
        shifted.chunk = symmetry_chunk(quotient->symmetry, send->buffer, send->chunk, by);
    return shifted;
}

/* Receives the runs that the representative of the sender's orbit sends, shifted. */
static void symmetric_receive(struct quotient *quotient, const struct op *receive, const struct op *send,
                              const size_t *runs, uint64_t step)
{
    struct data *data = &quotient->data;
    const uint32_t by = symmetry_shift_to(quotient->symmetry, receive->peer);
    if (send->buffer == BUFFER_IN && send->n_chunks && !data->is_barrier) {
        const struct op shifted = shifted_send(quotient, receive, send);
        data_write_in(data, receive, step, &shifted);
        return;
    }
    const size_t first = quotient->sent.n;
    for (size_t i = runs[0]; i < runs[1]; i++) {
        const struct run run = quotient->sent.runs[i];
        run_shifter_append(&quotient->shifter, &run, by, &quotient->sent);
    }
    data_write(data, receive, step, quotient->sent.runs + first, quotient->sent.n - first);
    quotient->sent.n = first;
}

/* Offers each message to a representative. */
static void symmetric_offer_messages(const struct quotient *quotient, const struct step *own)
{
    for (size_t i = 0; quotient->verifier.asked[FACT_message].n && i < own->n_receives; i++) {
        const struct op *receive = &own->receives[i];
        const struct op send = shifted_send(quotient, receive, &own->sends[quotient->send_of[i]]);
        events_message(&quotient->verifier, &send, own->index, receive, own->index);
    }
}

/* Offers what each representative posts. */
static void offer_own(struct quotient *quotient, const struct step *own)
{
    const size_t *sends = quotient->steps.begin[0], *receives = quotient->steps.begin[1];
    for (uint32_t orbit = 0; orbit < quotient->symmetry->n_orbits; orbit++) {
        size_t n = 0;
        for (size_t i = sends[orbit]; i < sends[orbit + 1]; i++)
            quotient->posted[n++] = &own->sends[i];
        for (size_t i = receives[orbit]; i < receives[orbit + 1]; i++)
            quotient->posted[n++] = &own->receives[i];
        events_posted(&quotient->verifier, quotient->posted, n, own->index);
    }
}

/* Takes contributions as boxes of the coordinates that are shifted, where each message of the first step goes
 * along one of several. (Any grid is right.) */
static void symmetric_take_grid(struct quotient *quotient, const struct step *own)
{
    const struct shifts *shifts = &quotient->symmetry->shifts;
    uint32_t extent[SHIFTS_MAX], n = 0, stride = 1;
    bool is_along = shifts->n > 1 && !shifts->is_xor && own->n_sends;
    for (size_t i = 0; is_along && i < own->n_sends; i++) {
        uint32_t n_unlike = 0;
        for (uint32_t k = 0; k < shifts->n; k++)
            n_unlike += shifts_digit(shifts, k, own->sends[i].rank) !=
                        shifts_digit(shifts, k, own->sends[i].peer);
        is_along = n_unlike == 1;
    }
    for (uint32_t i; is_along && stride < shifts->n_ranks; stride *= shifts->extent[i]) {
        for (i = 0; shifts->stride[i] != stride || shifts->extent[i] == 1;)
            i++;
        extent[n++] = shifts->extent[i];
    }
    if (is_along)
        rank_sets_grid(&quotient->data.sets, extent, n);
}

/* Runs one step of the representatives. */
static bool run_step(struct quotient *quotient, const struct step *own)
{
    struct data *data = &quotient->data;
    if (!data->is_started) {
        symmetric_take_grid(quotient, own);
        data_start(data, own, &quotient->symmetry->shifts);
    }
    if (!symmetric_match(quotient, own))
        return false;
    events_step(&quotient->verifier, own);
    symmetric_offer_messages(quotient, own);
    offer_own(quotient, own);
    for (size_t i = 0; i < own->n_copies; i++) {
        if (own->copies[i].n_chunks)
            scratch_forget(&quotient->scratch, data, own->copies[i].rank, own->copies[i].to_buffer,
                           own->copies[i].to_chunk);
        data_copy(data, &own->copies[i], own->index, &quotient->sent);
    }
    symmetric_read_sends(quotient, own);
    for (size_t i = 0; i < own->n_receives; i++) {
        const uint32_t send = quotient->send_of[i];
        const struct op *receive = &own->receives[i];
        for (struct op_ranges ranges = op_ranges(data->header, receive); op_ranges_next(&ranges);)
            scratch_forget(&quotient->scratch, data, receive->rank, receive->buffer, ranges.chunk);
        symmetric_receive(quotient, receive, &own->sends[send], &quotient->start[send], own->index);
    }
    if (quotient->shifter.is_lost || quotient->data.sets.n_intervals > MAX_INTERVALS)
        return give_up_group(quotient, "contributions are not of ranks in a row");
    if (quotient->verifier.diagnostics->first || quotient->reason)
        return give_up_finding(quotient);
    return true;
}

/* The step of the witnesses as that of the representatives alone. */
static bool symmetric_take_step(struct quotient *quotient, const struct step *step, struct step *own)
{
    const char *reason = shifted_steps_take(&quotient->steps, step, own);
    if (reason)
        return give_up_group(quotient, reason);
    symmetric_make_room(quotient, own);
    return true;
}

/* True if routing all messages would take more than twice the budget. */
static bool is_too_long(const struct quotient *quotient, const struct shifted_traffic *traffic)
{
    const struct verify_request *request = quotient->verifier.request;
    const double seconds = verify_seconds(request->topology, shifted_traffic_foreseen(traffic));
    return request->budget > 0 && seconds > 2 * request->budget;
}

static bool symmetric_run_steps(struct quotient *quotient, struct shifted_traffic *traffic,
                                struct symmetric_argument *argument)
{
    struct schedule *schedule = quotient->symmetry->schedule;
    struct step step, own;
    struct budget budget = budget_begin(quotient->verifier.request);
    schedule->rewind(schedule);
    while (schedule->next(schedule, &step)) {
        const uint64_t n_routed = shifted_traffic_routed(traffic);
        if (!symmetric_take_step(quotient, &step, &own) || !run_step(quotient, &own))
            return false;
        argument->n_operations += own.n_sends + own.n_receives + own.n_copies;
        if (!shifted_traffic_step(traffic, &own))
            return symmetric_give_up(quotient, is_too_long(quotient, traffic)
                                                   ? OVER_BUDGET
                                                   : "messages have no route, or are too many to be counted");
        if (budget_is_over(&budget, 1 + step.n_sends + step.n_receives + step.n_copies +
                                        shifted_traffic_routed(traffic) - n_routed))
            return symmetric_give_up(quotient, OVER_BUDGET);
    }
    return !schedule->failed || symmetric_give_up(quotient, "the steps cannot be produced");
}

/* ---- the verdict ---- */

static uint64_t count_map(const struct chunk_map *map)
{
    const uint32_t n_blocks = map->blocks ? map->n_blocks : 1;
    uint64_t n = 0;
    for (uint32_t block = 0; block < n_blocks; block++)
        n += chunk_map_block(map, block)->n;
    return n;
}

static uint64_t count_runs(const struct data *data)
{
    uint64_t n = 0;
    for (enum buffer buffer = 0; buffer < N_BUFFERS; buffer++) {
        const struct chunk_map *map = data->maps[buffer];
        for (uint32_t i = 0; map && i < data->n_kept; i++)
            n += count_map(&map[data_kept(data, i)]);
    }
    return n;
}

/* True if the blocks of a zone of tmp that a shift moves to one another have the size of one segment,
 * whatever its block; which segment is the same on all ranks (compiler/passes/symmetry/symmetry_sizes.c). */
static bool has_like_blocks(const struct schedule_header *header, const struct zone *zone)
{
    uint64_t *segment = mem_alloc(zone->block, sizeof *segment);
    bool is_like = true;
    for (uint32_t chunk = zone->first; chunk < zone->end && is_like; chunk++) {
        const uint32_t place = (chunk - zone->first) % zone->cell;
        const uint64_t datum = header->tmp_sizes->datum(header->tmp_sizes, 0, chunk);
        if (place < zone->block)
            segment[place] = datum % header->segments;
        is_like = datum != NO_DATUM && segment[place % zone->block] == datum % header->segments;
    }
    free(segment);
    return is_like;
}

/* True if what a rank of a pattern needs, and has, is that of its representative, shifted. Looks at all. */
static bool has_shifted_needs(const struct symmetry *symmetry, const struct needs *needs)
{
    const struct shifts *shifts = &symmetry->shifts;
    bool is_shifted = !needs->datum_of && needs->n_sums == needs->n_ranks; /* nothing is combined */
    for (uint32_t rank = 0; is_shifted && rank < shifts->n_ranks; rank++) {
        const uint32_t by = symmetry_shift_to(symmetry, rank), own = rank - by;
        uint64_t n[2] = {0, 0};
        for (size_t i = needs->first[rank]; i < needs->first[rank + 1]; i++)
            n[0] += needs->items[i].n;
        for (size_t i = needs->first[own]; is_shifted && i < needs->first[own + 1]; i++)
            for (uint32_t k = 0; is_shifted && k < needs->items[i].n; k++, n[1]++) {
                const uint64_t datum = needs->items[i].datum + k;
                const uint32_t chunk = symmetry_chunk(symmetry, BUFFER_OUT, needs->items[i].chunk + k, by);
                const struct need *need = needs_find(needs, rank, chunk);
                const uint64_t from = shifts_add(shifts, (uint32_t)(datum / needs->n_in), by);
                is_shifted = need && need->chunk <= chunk &&
                             need->datum + (chunk - need->chunk) ==
                                 from * needs->n_in + symmetry_chunk(symmetry, BUFFER_IN,
                                                                     (uint32_t)(datum % needs->n_in), by);
            }
        for (uint32_t k = 0; is_shifted && needs->has && k < needs->n_in; k++)
            is_shifted = needs_has(needs, own, k) ==
                         needs_has(needs, rank, symmetry_chunk(symmetry, BUFFER_IN, k, by));
        is_shifted = is_shifted && n[0] == n[1];
    }
    return is_shifted;
}

static const char *symmetric_obstacle(const struct symmetry *symmetry, const struct verify_request *request)
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
    const bool has_sizes = header->tmp_sizes && header->form == FORM_EQUAL && header->segments > 1;
    for (uint32_t i = 0; has_sizes && i < symmetry->n_zones[BUFFER_TMP]; i++)
        if (!has_like_blocks(header, &symmetry->zones[BUFFER_TMP][i]))
            return "chunks of tmp have sizes of their own";
    if (rules_need_all(symmetry->schedule, request))
        return "a rule has to see every rank";
    if (header->is_ordered || header->counts || header->is_timed)
        return "the schedule has counts, times or an order";
    return NULL;
}

static void quotient_free(struct quotient *quotient)
{
    data_free(&quotient->data);
    scratch_free(&quotient->scratch);
    shifted_steps_free(&quotient->steps);
    rules_end(&quotient->verifier);
    trace_free(&quotient->verifier);
    free(quotient->sent.runs);
    free(quotient->start);
    free(quotient->send_of);
    free(quotient->sends.items);
    free(quotient->receives.items);
    free(quotient->posted);
}

/* Says whether all ranks get the same result. False: that is to be found by looking at all of them, or a
 * finding that needs them. */
static bool judge_agreement(struct quotient *quotient)
{
    struct verify_report *report = quotient->verifier.report;
    if (!quotient->data.agreement)
        return true;
    const enum agreement_known known =
        agreement_of_representatives(quotient->data.agreement, &quotient->data, quotient->symmetry);
    report->agreement = known;
    if (known == AGREEMENT_UNKNOWN)
        return give_up_group(quotient, "whether ranks agree depends on more than the symmetry");
    return known == AGREEMENT_YES || !quotient->verifier.asked[FACT_disagreed].n || give_up_finding(quotient);
}

bool verify_symmetric(const struct symmetry *symmetry, const struct verify_request *request,
                      struct verify_report *report, struct symmetric_argument *argument)
{
    *report = (struct verify_report){.max_hol_slowdown = 1};
    *argument = (struct symmetric_argument){.reason = symmetric_obstacle(symmetry, request)};
    const struct needs *needs = symmetry->schedule->header.needs;
    argument->is_of_group = !argument->reason && needs && !has_shifted_needs(symmetry, needs);
    if (argument->is_of_group)
        argument->reason = "the needs of ranks differ by more than a shift";
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
    for (uint32_t i = 0; i < symmetry->n_orbits; i++)
        quotient.representative[i] = symmetry_representative(symmetry, i);
    data_init(&quotient.data, &quotient.verifier, quotient.representative, symmetry->n_orbits);
    shifted_steps_init(&quotient.steps, symmetry);
    scratch_init(&quotient.scratch, symmetry);
    run_shifter_init(&quotient.shifter, symmetry, &quotient.data);
    rules_start(&quotient.verifier);
    struct shifted_traffic *traffic = shifted_traffic_new(symmetry, request, report);
    bool is_decided = symmetric_run_steps(&quotient, traffic, argument);
    argument->n_to_route = shifted_traffic_foreseen(traffic);
    if (is_decided && !quotient.data.is_started)
        data_start(&quotient.data, NULL, &symmetry->shifts);
    if (is_decided)
        data_end(&quotient.data);
    if (is_decided && findings.first)
        is_decided = give_up_finding(&quotient);
    is_decided = is_decided && judge_agreement(&quotient);
    if (is_decided)
        shifted_traffic_end(traffic, argument);
    if (is_decided && !verify_is_within(&request->limits, report))
        is_decided = symmetric_give_up(&quotient, "something is above its limit");
    argument->n_runs = count_runs(&quotient.data);
    argument->turns_scratch = quotient.scratch.is_turned;
    argument->reason = quotient.reason;
    argument->is_of_group = quotient.is_of_group;
    report->is_matched = report->is_complete = is_decided;
    report->waiting = is_decided ? WAITING_NONE : WAITING_UNKNOWN;
    shifted_traffic_free(traffic);
    quotient_free(&quotient);
    diagnostics_free(&findings);
    if (!is_decided) {
        const bool is_over = argument->reason == OVER_BUDGET;
        const uint64_t n_steps = is_over ? report->n_steps : 0, n_messages = is_over ? report->n_messages : 0;
        verify_report_free(report);
        *report = (struct verify_report){
            .max_hol_slowdown = 1, .n_steps = n_steps, .n_messages = n_messages, .is_over_budget = is_over};
    }
    return is_decided;
}
