/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of data and of chunks. See counts.h.
 */
#include "ir/counts.h"

#include <stdlib.h>

uint64_t counts_needed(enum collective collective, uint32_t n_ranks)
{
    return collective == COLLECTIVE_alltoall ? (uint64_t)n_ranks * n_ranks : n_ranks;
}

static uint64_t bytes_of_run(struct counts *counts, uint64_t datum)
{
    const struct counts_runs *runs = (const struct counts_runs *)counts;
    size_t low = 0, high = runs->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->runs[middle].end <= datum)
            low = middle + 1;
        else
            high = middle;
    }
    return low < runs->n ? runs->runs[low].bytes : 0;
}

static void destroy_runs(struct counts *counts)
{
    free(((struct counts_runs *)counts)->runs);
    free(counts);
}

struct counts_runs *counts_new(void)
{
    struct counts_runs *counts = mem_alloc(1, sizeof *counts);
    counts->counts = (struct counts){bytes_of_run, destroy_runs};
    return counts;
}

void counts_add(struct counts_runs *counts, uint64_t bytes, uint64_t times)
{
    uint64_t total = counts_total(counts);
    if (counts->n && counts->runs[counts->n - 1].bytes == bytes) {
        counts->runs[counts->n - 1].end = total + times;
        return;
    }
    counts->runs = mem_grow(counts->runs, &counts->capacity, counts->n + 1, sizeof *counts->runs);
    counts->runs[counts->n].end = total + times;
    counts->runs[counts->n++].bytes = bytes;
}

uint64_t counts_total(const struct counts_runs *counts)
{
    return counts->n ? counts->runs[counts->n - 1].end : 0;
}


/* The `initial` column of ir/collective.h. */
static uint64_t datum_of_in(const struct schedule_header *header, uint32_t rank, uint32_t block)
{
    if (header->collective == COLLECTIVE_alltoall)
        return (uint64_t)rank * header->n_ranks + block;
    bool is_own = header->collective == COLLECTIVE_allgather ||
                  header->collective == COLLECTIVE_gather;
    return is_own ? rank : block;
}

/* The `final` column. */
static uint64_t datum_of_out(const struct schedule_header *header, uint32_t rank, uint32_t block)
{
    if (header->collective == COLLECTIVE_alltoall)
        return (uint64_t)block * header->n_ranks + rank;
    bool is_own = header->collective == COLLECTIVE_scatter ||
                  header->collective == COLLECTIVE_reduce_scatter_block;
    return is_own ? rank : block;
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

uint32_t schedule_like_chunk(const struct schedule_header *header, uint32_t rank, uint32_t chunk)
{
    enum buffer buffer = header->tmp_sizes->buffer;
    uint64_t datum = header->tmp_sizes->datum(header->tmp_sizes, rank, chunk);
    if (datum == NO_DATUM)
        return 0;
    uint64_t block = datum / header->segments;
    if (header->collective == COLLECTIVE_alltoall)
        block = buffer == BUFFER_IN ? block % header->n_ranks : block / header->n_ranks;
    if (!collective_is_by_rank(header->collective, buffer))
        block = 0;
    return (uint32_t)(block * header->segments + datum % header->segments);
}

uint32_t schedule_like_rank(const struct schedule_header *header, uint32_t rank, uint32_t chunk)
{
    struct tmp_sizes *sizes = header->tmp_sizes;
    const uint64_t datum = sizes->is_of_others ? sizes->datum(sizes, rank, chunk) : NO_DATUM;
    if (datum == NO_DATUM)
        return rank;
    const uint64_t block = datum / header->segments;
    if (header->collective == COLLECTIVE_alltoall)
        return (uint32_t)(sizes->buffer == BUFFER_IN ? block / header->n_ranks : block % header->n_ranks);
    return collective_is_by_rank(header->collective, sizes->buffer) ? rank : (uint32_t)block;
}

/* Where segment k of n bytes begins. */
static uint64_t bytes_before(uint64_t bytes, uint64_t k, uint32_t segments)
{
    return bytes / segments * k + bytes % segments * k / segments;
}

/* Of n segments of one block, from that of the datum on. */
static uint64_t segment_bytes(const struct schedule_header *header, uint64_t datum, uint32_t n)
{
    const uint32_t segments = header->segments;
    const uint64_t k = datum % segments;
    const uint64_t bytes = header->counts->bytes(header->counts, datum / segments);
    return bytes_before(bytes, k + n, segments) - bytes_before(bytes, k, segments);
}

/* Chunks of `in` and `out` from `chunk` on that belong to one block; of `tmp` each is as large as
 * another one. */
static uint32_t chunks_of_block(const struct schedule_header *header, const struct op *op, uint32_t chunk)
{
    const uint32_t left = op->chunk + op->n_chunks - chunk;
    const uint32_t of_block = header->segments - chunk % header->segments;
    if (op->buffer == BUFFER_TMP)
        return 1;
    return left < of_block ? left : of_block;
}

uint64_t schedule_units(const struct schedule_header *header, const struct op *op)
{
    uint64_t sum = 0;
    if (!header->counts)
        return op->n_chunks;
    for (uint32_t i = 0, n; i < op->n_chunks; i += n) {
        const uint64_t datum =
            schedule_chunk_datum(header, op->rank, (enum buffer)op->buffer, op->chunk + i);
        n = chunks_of_block(header, op, op->chunk + i);
        sum = units_sum(sum, datum == NO_DATUM ? 0 : segment_bytes(header, datum, n));
    }
    return sum;
}

bool schedule_is_sent(const struct schedule_header *header, const struct op *op)
{
    if (!header->counts || op->n_chunks == 0)
        return true;
    for (uint32_t i = 0, n; i < op->n_chunks; i += n) {
        const uint64_t datum =
            schedule_chunk_datum(header, op->rank, (enum buffer)op->buffer, op->chunk + i);
        n = chunks_of_block(header, op, op->chunk + i);
        if (datum != NO_DATUM && segment_bytes(header, datum, n) > 0)
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
    return header->counts ? 1 : header->chunk_bytes;
}
