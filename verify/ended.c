/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds what the result lacks after the last step: of each buffer of each rank the chunks that hold
 * nothing, and the first that holds something else than MPI requires (fact_ended). One cause shows in many
 * chunks; more than the first are not offered. And whether ranks that have the whole result have the same
 * one (fact_disagreed).
 */
#include "verify/rule.h"

#include "ir/counts.h"

#include <stdlib.h>
#include <string.h>

/* A buffer of a rank, of so many chunks. */
struct result {
    const struct data *data;
    uint32_t rank;
    enum buffer buffer;
    uint32_t n_chunks;
};

/* True of a chunk whose count is 0: whatever it holds, nobody sees it. */
static bool ended_is_empty(const struct result *result, uint32_t chunk)
{
    const struct schedule_header *header = result->data->header;
    if (!header->counts || result->data->is_barrier)
        return false;
    const uint64_t datum = schedule_chunk_datum(header, result->rank, result->buffer, chunk);
    return datum != NO_DATUM && header->counts->bytes(header->counts, datum) == 0;
}

static bool ended_is_same(const struct run *a, const struct run *b)
{
    return a->datum == b->datum && a->set == b->set;
}

/* True if all chunks of the run hold what is required. If not, offers the first that does not: where the
 * progressions differ that is one of the first few. */
static bool judge_part(const struct result *result, const struct run *run, struct run required)
{
    bool is_regular = run->n == 1 || (run->datum_stride == required.datum_stride &&
                                      run->set_stride == required.set_stride);
    if (is_regular && ended_is_same(run, &required))
        return true;
    for (uint32_t k = 0; k < run->n; k++) {
        const struct run one = run_cut(run, run->first + k, 1);
        data_required(result->data, result->rank, result->buffer, one.first, &required);
        if (ended_is_same(&one, &required) || one.datum == DATUM_POISON ||
            ended_is_empty(result, one.first))
            continue;
        const struct fact_ended fact = {result->rank, result->buffer, &required, &one, 0};
        offer_ended(result->data->verifier, &fact);
        return false;
    }
    return true;
}

/* Judges a run in parts, each as long as what is required is one progression. */
static bool judge_run(const struct result *result, const struct run *run)
{
    const uint64_t end = (uint64_t)run->first + run->n;
    struct run part, required;
    bool is_right = true;
    for (uint64_t next = run->first; next < end && is_right && !run_is_poison(run); next += part.n) {
        const bool is_required =
            data_required(result->data, result->rank, result->buffer, (uint32_t)next, &required);
        part = run_cut(run, (uint32_t)next, required.n);
        is_right = !is_required || judge_part(result, &part, required);
    }
    return is_right;
}

static void tell_absent(const struct result *result, uint32_t first, uint64_t n)
{
    struct run required;
    data_required(result->data, result->rank, result->buffer, first, &required);
    const struct fact_ended fact = {result->rank, result->buffer, &required, NULL, n};
    offer_ended(result->data->verifier, &fact);
}

/* Returns how many of the chunks from `next` up to `end` are required; *first is the first of them. O(chunks)
 * with counts. */
static uint64_t count_required(const struct result *result, uint32_t next, uint32_t end, uint32_t *first)
{
    uint64_t n = 0;
    for (struct run required; next < end; next += required.n) {
        const bool is_required =
            data_required(result->data, result->rank, result->buffer, next, &required) &&
            !ended_is_empty(result, next);
        const uint32_t most = result->data->header->counts ? 1 : end - next;
        required.n = required.n < most ? required.n : most;
        if (is_required && n == 0)
            *first = next;
        n += is_required ? required.n : 0;
    }
    return n;
}

static void judge_result(const struct result *result)
{
    const struct chunk_map *map = &result->data->maps[result->buffer][result->rank];
    uint32_t next = 0, first_absent = 0, other_absent;
    uint64_t n_absent = 0;
    bool is_right = true;
    struct run_at at = {0, 0};
    for (const struct run *run = chunk_map_run(map, at);; run = chunk_map_next(map, &at)) {
        const uint32_t start = run ? run->first : result->n_chunks;
        n_absent += count_required(result, next, start, n_absent ? &other_absent : &first_absent);
        if (!run)
            break;
        next = start + run->n;
        is_right = is_right && judge_run(result, run);
    }
    if (n_absent)
        tell_absent(result, first_absent, n_absent);
}

void data_end(const struct data *data)
{
    for (enum buffer buffer = BUFFER_OUT; buffer <= BUFFER_BUF; buffer++) {
        struct run required;
        uint32_t n = data->is_barrier ? 1 : (uint32_t)schedule_chunks(data->header, buffer);
        for (uint32_t i = 0; data->maps[buffer] && i < data->n_kept; i++) {
            const uint32_t rank = data_kept(data, i);
            if (data_required(data, rank, buffer, 0, &required) || required.n < n)
                judge_result(&(struct result){data, rank, buffer, n});
        }
    }
}

void data_judge_agreement(const struct data *data)
{
    const struct verifier *verifier = data->verifier;
    const struct verify_request *request = verifier->request;
    struct disagreement found;
    if (!data->agreement || diagnostics_refute(verifier->diagnostics, CLAIM_MATCHED) ||
        diagnostics_refute(verifier->diagnostics, CLAIM_DEADLOCK_FREE) ||
        diagnostics_refute(verifier->diagnostics, CLAIM_COMPLETE))
        return;
    if (request->see_brackets)
        request->see_brackets(request->brackets_context, data->agreement, data);
    if (!collective_agrees(data->header->collective))
        return;
    const bool agrees = agreement_holds(data->agreement, data, &found);
    verifier->report->agreement = agrees ? AGREEMENT_YES : AGREEMENT_NO;
    if (!agrees)
        offer_disagreed(verifier, &(struct fact_disagreed){&found, agreement_brackets(data->agreement)});
}

/* ---- of some steps ---- */

/* Writes the runs that a rank holds in a buffer. False: some are not as required. */
static bool give_runs(const struct result *result, struct text *out)
{
    const struct chunk_map *map = &result->data->maps[result->buffer][result->rank];
    struct run_at at = {0, 0};
    struct run required;
    for (const struct run *run = chunk_map_run(map, at); run; run = chunk_map_next(map, &at)) {
        const struct held held = {result->rank, run->first, run->n};
        if (!data_required(result->data, result->rank, result->buffer, run->first, &required) ||
            !judge_run(result, run))
            return false;
        text_append(out, (const char *)&held, sizeof held);
    }
    return true;
}

bool data_give(const struct data *data, struct text *out)
{
    for (enum buffer buffer = BUFFER_OUT; buffer < N_BUFFERS; buffer++) {
        for (uint32_t rank = 0; data->maps[buffer] && rank < data->n_kept; rank++)
            if (!give_runs(&(struct result){data, rank, buffer, 0}, out))
                return false;
    }
    return true;
}

/* Takes away the chunks of the rank from `next` on that one of the lists has; how many. */
static uint32_t ended_take_held(struct held_list *lists, uint32_t n, uint32_t rank, uint32_t next)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct held *held = lists[i].items;
        if (lists[i].n && held->rank == rank && held->first == next) {
            lists[i].items++;
            lists[i].n--;
            return held->n;
        }
    }
    return 0;
}

bool data_is_complete(const struct data *data, const struct held_list *lists, uint32_t n)
{
    struct held_list *left = mem_alloc(n, sizeof *left);
    const uint64_t n_chunks = schedule_chunks(data->header, BUFFER_OUT);
    bool is_complete = true;
    memcpy(left, lists, n * sizeof *left);
    for (uint32_t rank = 0; rank < data->n_kept && is_complete; rank++) {
        struct run required;
        uint64_t next = data_required(data, rank, BUFFER_OUT, 0, &required) ? 0 : n_chunks;
        for (uint32_t taken = 1; next < n_chunks && taken; next += taken)
            taken = ended_take_held(left, n, rank, (uint32_t)next);
        is_complete = next == n_chunks;
    }
    for (uint32_t i = 0; i < n; i++)
        is_complete = is_complete && !left[i].n;
    free(left);
    return is_complete;
}
