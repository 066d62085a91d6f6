/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of data and of chunks. See counts.h.
 */
#include "ir/counts.h"

#include "base/search.h"
#include "ir/needs.h"

#include <stdlib.h>

uint64_t counts_needed(enum collective collective, uint32_t n_ranks)
{
    return collective_has_pairs(collective) ? (uint64_t)n_ranks * n_ranks : n_ranks;
}

uint64_t schedule_n_counts(const struct schedule_header *header, uint32_t *row)
{
    if (collective_is_said(header->collective)) {
        *row = header->n_in;
        return (uint64_t)header->n_ranks * header->n_in;
    }
    *row = header->n_ranks;
    return counts_needed(header->collective, header->n_ranks);
}

/* Returns the number of the run in which the datum is, or of runs. */
static size_t counts_find_run(const struct counts_runs *runs, uint64_t datum)
{
    size_t low = 0, high = runs->n;
    SEARCH_FIRST(low, high, middle, runs->runs[middle].end <= datum);
    return low;
}

static uint64_t bytes_of_run(struct counts *counts, uint64_t datum)
{
    const struct counts_runs *runs = (const struct counts_runs *)counts;
    const size_t i = counts_find_run(runs, datum);
    return i < runs->n ? runs->runs[i].bytes : 0;
}

/* Returns the bytes of all data before that one. */
static uint64_t bytes_before_datum(const struct counts_runs *runs, uint64_t datum)
{
    const size_t i = counts_find_run(runs, datum);
    if (i == runs->n)
        return i ? runs->runs[i - 1].total : 0;
    return runs->runs[i].total - (runs->runs[i].end - datum) * runs->runs[i].bytes;
}

static uint64_t sum_of_runs(struct counts *counts, uint64_t datum, uint32_t n)
{
    const struct counts_runs *runs = (const struct counts_runs *)counts;
    return bytes_before_datum(runs, datum + n) - bytes_before_datum(runs, datum);
}

static void destroy_runs(struct counts *counts)
{
    free(((struct counts_runs *)counts)->runs);
    free(counts);
}

struct counts_runs *counts_new(void)
{
    struct counts_runs *counts = mem_alloc(1, sizeof *counts);
    counts->counts = (struct counts){bytes_of_run, sum_of_runs, destroy_runs};
    return counts;
}

void counts_add(struct counts_runs *counts, uint64_t bytes, uint64_t times)
{
    const uint64_t end = counts_total(counts) + times;
    uint64_t added, total = counts->n ? counts->runs[counts->n - 1].total : 0;
    if (__builtin_mul_overflow(bytes, times, &added) || __builtin_add_overflow(total, added, &total))
        counts->counts.sum = NULL; /* which saturates */
    if (!counts->n || counts->runs[counts->n - 1].bytes != bytes) {
        counts->runs = mem_grow(counts->runs, &counts->capacity, counts->n + 1, sizeof *counts->runs);
        counts->n++;
    }
    counts->runs[counts->n - 1] = (struct counts_run){end, bytes, total};
}

uint64_t counts_total(const struct counts_runs *counts)
{
    return counts->n ? counts->runs[counts->n - 1].end : 0;
}


/* Returns the datum of the `initial` column of ir/collective.h. */
static uint64_t datum_of_in(const struct schedule_header *header, uint32_t rank, uint32_t block)
{
    if (collective_has_pairs(header->collective))
        return (uint64_t)rank * header->n_ranks + block;
    if (collective_is_said(header->collective))
        return header->needs ? needs_datum_of(header->needs, rank, block)
                             : (uint64_t)rank * header->n_in + block;
    return collective_table[header->collective].before == HELD_EACH ? rank : block;
}

/* Returns the datum of the `final` column. */
static uint64_t datum_of_out(const struct schedule_header *header, uint32_t rank, uint32_t block)
{
    if (collective_has_pairs(header->collective))
        return (uint64_t)block * header->n_ranks + rank;
    if (collective_is_said(header->collective)) {
        const struct need *need = header->needs ? needs_find(header->needs, rank, block) : NULL;
        return need && need->chunk <= block ? need->datum + (block - need->chunk) : NO_DATUM;
    }
    return collective_table[header->collective].after == HELD_EACH ? rank : block;
}

uint64_t schedule_chunk_datum(const struct schedule_header *header, uint32_t rank,
                              enum buffer buffer, uint32_t chunk)
{
    const uint32_t segments = header->segments, block = chunk / segments;
    if (buffer == BUFFER_IN)
        return datum_of_in(header, rank, block) * segments + chunk % segments;
    if (buffer == BUFFER_OUT)
        return datum_of_out(header, rank, block) * segments + chunk % segments;
    if (buffer == BUFFER_BUF)
        return chunk;
    return header->tmp_sizes ? header->tmp_sizes->datum(header->tmp_sizes, rank, chunk) : NO_DATUM;
}

uint32_t schedule_chunk_progression(const struct schedule_header *header, uint32_t rank,
                                    enum buffer buffer, uint32_t chunk)
{
    struct tmp_sizes *sizes = buffer == BUFFER_TMP ? header->tmp_sizes : NULL;
    const uint32_t n = sizes ? sizes->n_in_order(sizes, rank, chunk) : UINT32_MAX;
    if (header->segments == 1 || buffer == BUFFER_BUF || n == 1 || (buffer == BUFFER_TMP && !sizes))
        return n;
    const uint64_t datum = schedule_chunk_datum(header, rank, buffer, chunk);
    const uint32_t left = header->segments - (uint32_t)(datum % header->segments);
    return datum == NO_DATUM || left > n ? n : left;
}

uint32_t schedule_like_chunk(const struct schedule_header *header, uint32_t rank, uint32_t chunk)
{
    enum buffer buffer = header->tmp_sizes->buffer;
    uint64_t datum = header->tmp_sizes->datum(header->tmp_sizes, rank, chunk);
    if (datum == NO_DATUM)
        return 0;
    uint64_t block = datum / header->segments;
    if (collective_has_pairs(header->collective))
        block = buffer == BUFFER_IN ? block % header->n_ranks : block / header->n_ranks;
    if (collective_is_said(header->collective))
        return (uint32_t)(datum % header->n_in);
    if (!collective_is_by_rank(header->collective, buffer))
        block = 0;
    return (uint32_t)(block * header->segments + datum % header->segments);
}

bool schedule_has_own_tmp(const struct schedule_header *header)
{
    return header->tmp_sizes->is_of_others || collective_is_said(header->collective);
}

uint32_t schedule_like_rank(const struct schedule_header *header, uint32_t rank, uint32_t chunk)
{
    struct tmp_sizes *sizes = header->tmp_sizes;
    const uint64_t datum = sizes->is_of_others ? sizes->datum(sizes, rank, chunk) : NO_DATUM;
    if (datum == NO_DATUM)
        return rank;
    const uint64_t block = datum / header->segments;
    if (collective_is_said(header->collective))
        return (uint32_t)(datum / header->n_in);
    if (collective_has_pairs(header->collective))
        return (uint32_t)(sizes->buffer == BUFFER_IN ? block / header->n_ranks : block % header->n_ranks);
    return collective_is_by_rank(header->collective, sizes->buffer) ? rank : (uint32_t)block;
}

/* Returns the offset of segment k in a block of n bytes. */
static uint64_t bytes_before(uint64_t bytes, uint64_t k, uint32_t segments)
{
    return bytes / segments * k + bytes % segments * k / segments;
}

/* Returns the bytes of n segments of one block, from that of the datum on. */
static uint64_t segment_bytes(const struct schedule_header *header, uint64_t datum, uint32_t n)
{
    const uint32_t segments = header->segments;
    const uint64_t k = datum % segments;
    const uint64_t bytes = header->counts->bytes(header->counts, datum / segments);
    return bytes_before(bytes, k + n, segments) - bytes_before(bytes, k, segments);
}

/* Returns the bytes of the i-th chunk of the operation and of the n - 1 behind it, as many as are found at
 * once. */
static uint64_t bytes_of_next(const struct schedule_header *header, const struct op *op, uint32_t i,
                              uint32_t *n)
{
    const enum buffer buffer = (enum buffer)op->buffer;
    const uint32_t left = op->n_chunks - i, chunk = op->chunk + i;
    struct counts *counts = header->counts;
    const uint64_t datum = schedule_chunk_datum(header, op->rank, buffer, chunk);
    *n = left > 1 ? schedule_chunk_progression(header, op->rank, buffer, chunk) : 1;
    *n = *n < left ? *n : left;
    if (datum == NO_DATUM) {
        *n = 1;
        return 0;
    }
    if (header->segments == 1 && *n > 1 && counts->sum &&
        schedule_chunk_datum(header, op->rank, buffer, chunk + *n - 1) == datum + *n - 1)
        return counts->sum(counts, datum, *n);
    if (header->segments == 1 || buffer == BUFFER_TMP)
        *n = 1; /* data of a progression may be apart, and segments of `tmp` be those of one block */
    return segment_bytes(header, datum, *n);
}

uint64_t schedule_counted_units(const struct schedule_header *header, const struct op *op)
{
    struct op_ranges ranges;
    uint64_t sum = 0;
    for (ranges = op_ranges(header, op); op_ranges_next(&ranges);) {
        const struct op one = op_of_range(op, &ranges);
        for (uint32_t i = 0, n; i < one.n_chunks; i += n)
            sum = units_sum(sum, bytes_of_next(header, &one, i, &n));
    }
    return sum;
}

uint64_t schedule_counted_packed_units(const struct schedule_header *header, const struct op *op)
{
    struct op_ranges ranges;
    uint64_t sum = 0;
    uint32_t n_apart = 0;
    for (ranges = op_ranges(header, op); op_ranges_next(&ranges);) {
        const struct op one = op_of_range(op, &ranges);
        const uint64_t units = schedule_counted_units(header, &one);
        n_apart += units > 0;
        sum = units_sum(sum, units);
    }
    return n_apart > 1 ? sum : 0;
}

bool schedule_is_sent(const struct schedule_header *header, const struct op *op)
{
    struct op_ranges ranges;
    if (!header->counts || op->n_chunks == 0 || schedule_size_bytes(header))
        return true;
    for (ranges = op_ranges(header, op); op_ranges_next(&ranges);) {
        const struct op one = op_of_range(op, &ranges);
        for (uint32_t i = 0, n; i < one.n_chunks; i += n)
            if (bytes_of_next(header, &one, i, &n) > 0)
                return true;
    }
    return false;
}

uint32_t schedule_block_units(const struct schedule_header *header)
{
    return header->counts ? 1 : header->segments;
}

uint64_t schedule_unit_bytes(const struct schedule_header *header)
{
    if (header->counts)
        return 1;
    return header->chunk_bytes ? units_sum(header->chunk_bytes, schedule_size_bytes(header)) : 0;
}
