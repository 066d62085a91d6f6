/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides if all ranks get the same result. See agreement.h.
 */
#include "verify/agreement.h"

#include "verify/data.h"

#include <stdlib.h>

struct agreement {
    struct brackets brackets;
    bool is_shifted;          /* expressions of representatives are shifted: numbers may differ */
    bool is_one;              /* no chunk was made whole by two expressions */
    uint64_t all;             /* the set of all ranks */
    struct chunk_map results; /* of chunks of `buf`: `datum` is the first expression that made it whole,
                                 `set` nothing */
};

struct agreement *agreement_new(const struct data *data, const struct shifts *group)
{
    struct agreement *agreement = mem_alloc(1, sizeof *agreement);
    brackets_init(&agreement->brackets, &data->sets, group);
    agreement->is_shifted = group != NULL;
    agreement->is_one = true;
    agreement->all = rank_set_below(data->header->n_ranks);
    return agreement;
}

void agreement_free(struct agreement *agreement)
{
    if (!agreement)
        return;
    brackets_free(&agreement->brackets);
    chunk_map_free(&agreement->results);
    free(agreement);
}

uint64_t agreement_contribution(const struct agreement *agreement, uint32_t rank)
{
    return brackets_of(&agreement->brackets, rank);
}

const struct brackets *agreement_brackets(const struct agreement *agreement)
{
    return &agreement->brackets;
}

/* ---- whole chunks ---- */

static bool agreement_is_same(struct agreement *agreement, uint64_t a, uint64_t b)
{
    return a == b || (agreement->is_shifted && brackets_equal(&agreement->brackets, a, b));
}

/* True if the expressions of two runs of the same chunks, kept as their data, are the same. */
static bool are_same(struct agreement *agreement, const struct run *kept, const struct run *run)
{
    if (kept->datum == run->datum && (kept->n == 1 || kept->datum_stride == run->datum_stride))
        return true;
    for (uint32_t k = 0; k < kept->n; k++)
        if (!agreement_is_same(agreement, run_datum(kept, k), run_datum(run, k)))
            return false;
    return true;
}

/* Keeps the expressions of chunks that had none. Returns true if those of the others are the same. */
static bool agreement_settle(struct agreement *agreement, const struct run *whole)
{
    struct chunk_map *results = &agreement->results;
    const uint64_t end = (uint64_t)whole->first + whole->n;
    bool is_one = true;
    for (uint64_t next = whole->first; next < end;) {
        const struct run_at at = chunk_map_find(results, (uint32_t)next);
        const struct run *kept = chunk_map_run(results, at);
        const bool is_kept = kept && kept->first <= next;
        const uint64_t limit = is_kept ? (uint64_t)kept->first + kept->n : kept ? kept->first : end;
        const struct run part =
            run_cut(whole, (uint32_t)next, (uint32_t)((limit < end ? limit : end) - next));
        next += part.n;
        if (is_kept) {
            const struct run same = run_cut(kept, part.first, part.n);
            is_one = is_one && are_same(agreement, &same, &part);
        } else {
            chunk_map_write(results, at, &part);
        }
    }
    return is_one;
}

/* Takes the expression from chunks that are whole by the one that all have. */
static void make_whole(struct agreement *agreement, struct run *result)
{
    const struct run whole = {.first = (uint32_t)result->datum,
                              .n = result->n,
                              .datum = result->expr,
                              .datum_stride = result->expr_stride};
    if (!agreement_settle(agreement, &whole)) {
        agreement->is_one = false;
        return;
    }
    result->expr = NO_BRACKETS;
    result->expr_stride = 0;
}

bool agreement_is_regular(const struct agreement *agreement, const struct run *held,
                          const struct run *incoming)
{
    int32_t stride;
    return held->datum_stride == 1 && brackets_are_regular(&agreement->brackets, held, incoming, &stride);
}

void agreement_combine(struct agreement *agreement, const struct run *held, const struct run *incoming,
                       struct run *result)
{
    result->expr = brackets_combine(&agreement->brackets, held->expr, incoming->expr);
    brackets_are_regular(&agreement->brackets, held, incoming, &result->expr_stride);
    if (result->set == agreement->all && result->expr != NO_BRACKETS)
        make_whole(agreement, result);
}

/* ---- all ranks ---- */

/* Returns the expression kept of a chunk; NO_BRACKETS: none is. */
static uint64_t kept_of(const struct chunk_map *results, uint32_t chunk)
{
    const struct run *kept = chunk_map_run(results, chunk_map_find(results, chunk));
    return kept && kept->first <= chunk ? run_datum(kept, chunk - kept->first)
                                        : NO_BRACKETS;
}

uint64_t agreement_expression(const struct agreement *agreement, const struct data *data, uint32_t rank,
                              enum buffer buffer, uint32_t chunk)
{
    const struct chunk_map *map = &data->maps[buffer][rank];
    const struct run *run = chunk_map_run(map, chunk_map_find(map, chunk));
    if (!run || run->first > chunk || run_is_poison(run))
        return NO_BRACKETS;
    const struct run one = run_cut(run, chunk, 1);
    return one.expr != NO_BRACKETS ? one.expr : kept_of(&agreement->results, (uint32_t)one.datum);
}

static bool differs(const struct agreement *agreement, const struct data *data, uint32_t chunk,
                    struct disagreement *found)
{
    const uint64_t first = agreement_expression(agreement, data, 0, BUFFER_BUF, chunk);
    for (uint32_t rank = 1; rank < data->header->n_ranks; rank++) {
        const uint64_t expression = agreement_expression(agreement, data, rank, BUFFER_BUF, chunk);
        if (expression != first) {
            *found = (struct disagreement){{0, rank}, chunk, {first, expression}};
            return true;
        }
    }
    return false;
}

bool agreement_holds(struct agreement *agreement, const struct data *data, struct disagreement *found)
{
    const uint32_t n = (uint32_t)schedule_chunks(data->header, BUFFER_BUF);
    for (uint32_t chunk = 0; !agreement->is_one && chunk < n; chunk++)
        if (differs(agreement, data, chunk, found))
            return false;
    return true;
}

/* ---- representatives ---- */

/* Returns the shift of the group that takes the block of a chunk as far down as the periods allow. */
static uint32_t shift_down(const struct symmetry *symmetry, uint32_t chunk, const struct zone *zone,
                           bool moves[SHIFTS_MAX])
{
    const struct shifts *shifts = &symmetry->shifts;
    uint32_t by = 0, size = zone ? zone->block : 1;
    for (uint32_t i = 0; zone && i < zone->n; i++) {
        const uint32_t c = zone->coordinate[i], extent = shifts->extent[c];
        const uint32_t digit = (chunk - zone->first) / size % extent;
        const uint32_t far = digit - digit % symmetry->period[c];
        const bool is_own = shifts->is_mirrored && far & 1; /* it turns the digit round to 0 */
        if (!moves[c] && far)
            by += (is_own ? far : extent - far) * shifts->stride[c];
        moves[c] = true;
        size *= extent;
    }
    return by;
}

/* True if shifts that leave the chunk where it is leave its expression as it is. */
static bool stays(struct agreement *agreement, const struct symmetry *symmetry, const bool moves[SHIFTS_MAX],
                  uint64_t expression)
{
    const struct shifts *shifts = &symmetry->shifts;
    bool is_fixed = true;
    for (uint32_t c = 0; c < shifts->n; c++) {
        const uint32_t twice = shifts->is_mirrored ? 2 : 1;
        for (uint32_t k = 1; k <= twice && !moves[c] && is_fixed; k++) {
            const uint32_t by = symmetry->period[c] * k % shifts->extent[c] * shifts->stride[c];
            is_fixed = !by || agreement_is_same(agreement, expression,
                                                brackets_shift(&agreement->brackets, expression, by));
        }
    }
    return is_fixed;
}

/* True if the expressions that were kept are one for each chunk of the same orbit, which is noted in `lowest`
 * for the lowest of them. */
static bool are_orbits_one(struct agreement *agreement, const struct symmetry *symmetry,
                           struct chunk_map *lowest)
{
    struct run_at at = {0, 0};
    const struct chunk_map *results = &agreement->results;
    bool is_one = true;
    for (const struct run *run = chunk_map_run(results, at); run; run = chunk_map_next(results, &at)) {
        for (uint32_t k = 0; k < run->n; k++) {
            const uint32_t chunk = run->first + k;
            bool moves[SHIFTS_MAX] = {false};
            const uint32_t by =
                shift_down(symmetry, chunk, symmetry_zone(symmetry, BUFFER_BUF, chunk), moves);
            const struct run down = {
                .first = symmetry_chunk(symmetry, BUFFER_BUF, chunk, by),
                .n = 1,
                .datum = brackets_shift(&agreement->brackets, run_datum(run, k), by)};
            const uint64_t known = kept_of(lowest, down.first);
            if (known == NO_BRACKETS)
                chunk_map_write(lowest, chunk_map_find(lowest, down.first), &down);
            is_one = is_one && (known == NO_BRACKETS || agreement_is_same(agreement, known, down.datum)) &&
                     stays(agreement, symmetry, moves, down.datum);
        }
    }
    return is_one;
}

/* Returns the expression that representative 0 has in a chunk. */
static uint64_t held_by_first(const struct agreement *agreement, const struct data *data,
                              const struct symmetry *symmetry, const struct chunk_map *lowest, uint32_t chunk)
{
    const struct chunk_map *map = &data->maps[BUFFER_BUF][0];
    const struct run *run = chunk_map_run(map, chunk_map_find(map, chunk));
    bool moves[SHIFTS_MAX] = {false};
    if (!run || run->first > chunk)
        return NO_BRACKETS;
    const uint64_t own = run_expr(run, chunk - run->first);
    if (own != NO_BRACKETS)
        return own;
    const uint32_t by = shift_down(symmetry, chunk, symmetry_zone(symmetry, BUFFER_BUF, chunk), moves);
    const uint64_t down = kept_of(lowest, symmetry_chunk(symmetry, BUFFER_BUF, chunk, by));
    return brackets_shift(&agreement->brackets, down, shifts_back(&symmetry->shifts, by));
}

/* True if rank 0 and one to which a shift in one coordinate takes it hold unlike results in one of the first
 * chunks. */
static bool is_refuted(struct agreement *agreement, const struct data *data, const struct symmetry *symmetry,
                       const struct chunk_map *lowest)
{
    enum { CHUNKS = 64 };
    const struct shifts *shifts = &symmetry->shifts;
    const uint64_t n = schedule_chunks(data->header, BUFFER_BUF);
    for (uint32_t chunk = 0; chunk < n && chunk < CHUNKS; chunk++) {
        const uint64_t first = held_by_first(agreement, data, symmetry, lowest, chunk);
        for (uint32_t c = 0; c < shifts->n; c++) {
            const uint32_t by = symmetry->period[c] % shifts->extent[c] * shifts->stride[c];
            const uint32_t from = symmetry_chunk(symmetry, BUFFER_BUF, chunk, shifts_back(shifts, by));
            const uint64_t there = brackets_shift(
                &agreement->brackets, held_by_first(agreement, data, symmetry, lowest, from), by);
            if (by && first != NO_BRACKETS && there != NO_BRACKETS &&
                !agreement_is_same(agreement, first, there))
                return true;
        }
    }
    return false;
}

enum agreement_known agreement_of_representatives(struct agreement *agreement, const struct data *data,
                                                  const struct symmetry *symmetry)
{
    struct chunk_map lowest = {0};
    bool is_plain = true;
    for (uint32_t c = 0; c < symmetry->shifts.n; c++)
        is_plain = is_plain && (!symmetry->shifts.is_mirrored || symmetry->period[c] == 1 ||
                                symmetry->period[c] == symmetry->shifts.extent[c]);
    const bool is_one = is_plain && are_orbits_one(agreement, symmetry, &lowest) && agreement->is_one;
    const bool is_two = is_plain && !is_one && is_refuted(agreement, data, symmetry, &lowest);
    chunk_map_free(&lowest);
    if (!is_plain || agreement->brackets.is_too_deep)
        return AGREEMENT_UNKNOWN;
    return is_one ? AGREEMENT_YES : is_two ? AGREEMENT_NO : AGREEMENT_UNKNOWN;
}
