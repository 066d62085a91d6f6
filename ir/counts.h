/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of data in collectives with unequal counts. A size belongs to a datum
 * (ir/collective.h): every chunk that ever holds the datum is that large.
 *
 *   gatherv, allgatherv    n(i): what rank i gives
 *   scatterv               n(i): what rank i gets
 *   reduce_scatter         n(i): the part of which rank i gets the result
 *   alltoallv, alltoallw   n(i, j): what rank i has for rank j; datum i * p + j
 *   pattern                n(i, c): chunk c of `in` of rank i, of its n; datum i * n + c
 *
 * If data are cut in segments these are the counts of whole blocks, and segment k of s of a
 * block of n bytes begins at its byte n * k / s, rounded down.
 *
 * A chunk of `in` or `out` is as large as the datum that begins or ends there, and may
 * hold no other, since no rank can tell that another has the same size (R008). A rank
 * knows the sizes of its own chunks, as MPI gives it their counts. What a chunk of `tmp`
 * is as large as is said by the algorithm, as a chunk of `in` or `out`. If that is of another rank, the rank
 * learns the size with the data, or in a schedule that is made for counts at hand knows all counts.
 */
#ifndef COLLC_IR_COUNTS_H
#define COLLC_IR_COUNTS_H

#include "ir/schedule.h"

#define NO_DATUM UINT64_MAX

/* Bytes of each datum, of all its segments together. */
struct counts {
    uint64_t (*bytes)(struct counts *counts, uint64_t datum);
    /* Returns the bytes of n consecutive data, in O(log of what is kept); NULL: not known in less than
     * O(n). */
    uint64_t (*sum)(struct counts *counts, uint64_t datum, uint32_t n);
    void (*destroy)(struct counts *counts);
};
/* Data that chunks of `tmp` are as large as; NO_DATUM if a chunk has none. */
struct tmp_sizes {
    enum buffer buffer; /* buffer of the chunks that they are as large as: in or out */
    bool is_of_others;  /* chunks of other ranks, too */
    bool is_told;       /* and these do not know how large: messages begin with the sizes of their chunks */
    uint64_t (*datum)(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk);
    /* Returns for how many consecutive chunks, at least 1, each has the size of the chunk of `buffer` after
     * that of the one before it; perhaps fewer than there are. O(log of what is kept, or text of the
     * clause). */
    uint32_t (*n_in_order)(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk);
};

/* Returns the number of sizes that the form has with p ranks: p, or p * p. */
uint64_t counts_needed(enum collective collective, uint32_t n_ranks);

/* Returns the number of sizes under this header, and in *row how many of them are of one rank, or 1. */
uint64_t schedule_n_counts(const struct schedule_header *header, uint32_t *row);

/* Counts as runs of equal ones: small where they are regular, else as large as the text
 * they are read from. */
struct counts_runs {
    struct counts counts; /* first */
    struct counts_run {
        uint64_t end, bytes; /* of the data before `end` that are not in the run before */
        uint64_t total;      /* bytes of all data before `end` */
    } *runs;
    size_t n, capacity;
};
struct counts_runs *counts_new(void); /* none so far; to be destroyed */
/* Appends `times` counts, at least one. */
void counts_add(struct counts_runs *counts, uint64_t bytes, uint64_t times);
uint64_t counts_total(const struct counts_runs *counts); /* number of them */

/* Returns the datum that a chunk is as large as. */
uint64_t schedule_chunk_datum(const struct schedule_header *header, uint32_t rank,
                              enum buffer buffer, uint32_t chunk);
/* Returns for how many consecutive chunks, at least 1, their data are a progression; perhaps fewer than there
 * are, and perhaps beyond the end of the buffer. */
uint32_t schedule_chunk_progression(const struct schedule_header *header, uint32_t rank,
                                    enum buffer buffer, uint32_t chunk);
/* Returns the chunk of sizes->buffer that a chunk of `tmp` is as large as, and the rank that has it: another
 * one only where sizes->is_of_others. NO_DATUM: chunk 0 of the rank itself. */
uint32_t schedule_like_rank(const struct schedule_header *header, uint32_t rank, uint32_t chunk);
uint32_t schedule_like_chunk(const struct schedule_header *header, uint32_t rank, uint32_t chunk);
/* True if ranks may have fewer chunks of `tmp` than the header says: their sizes are those of others'
 * data. */
bool schedule_has_own_tmp(const struct schedule_header *header);
/* Does the same as schedule_units, of a header with counts. */
uint64_t schedule_counted_units(const struct schedule_header *header, const struct op *op);
/* The same of schedule_packed_units, of a set: chunks of no bytes do not count as ones that lie apart. */
uint64_t schedule_counted_packed_units(const struct schedule_header *header, const struct op *op);
/* Returns how much an operation moves, reads or combines: bytes if the header has counts, else chunks.
 * Saturates. O(ranges of chunks whose data are consecutive, a log each; blocks that are cut in segments one
 * by one) and O(1). */
static inline uint64_t schedule_units(const struct schedule_header *header, const struct op *op)
{
    return header->counts ? schedule_counted_units(header, op) : op->n_chunks;
}
/* Returns how much of a message its rank copies, as its chunks do not lie in a row: all of it, packed before
 * it is sent, or unpacked when it has come; else 0. What comes to be combined is taken from where it came. */
static inline uint64_t schedule_packed_units(const struct schedule_header *header, const struct op *op)
{
    if (op_is_local(op) || op->kind == OP_REDUCE || !op->is_set)
        return 0;
    return header->counts ? schedule_counted_packed_units(header, op) : op->n_chunks;
}
/* Returns the sum of two such amounts, which saturates. */
static inline uint64_t units_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}
/* Bytes of the size of a chunk, an int, where messages begin with them (emitters/mpi_c/runtime/sized.c); else
 * 0. */
enum { BYTES_OF_SIZE = 4 };
static inline uint32_t schedule_size_bytes(const struct schedule_header *header)
{
    return header->tmp_sizes && header->tmp_sizes->is_told ? BYTES_OF_SIZE : 0;
}
/* Returns the same as schedule_units, of a message with counts more by the sizes that it begins with. */
static inline uint64_t schedule_carried_units(const struct schedule_header *header, const struct op *op)
{
    const bool has_sizes = header->counts && !op_is_local(op);
    return units_sum(schedule_units(header, op),
                     has_sizes ? (uint64_t)op->n_chunks * schedule_size_bytes(header) : 0);
}
/* True if a message is sent at all: data of no bytes are not, by the counts that both ends know. A message
 * without chunks is. O(these, of no bytes). */
bool schedule_is_sent(const struct schedule_header *header, const struct op *op);
/* Returns n times an amount; saturates, too. */
static inline uint64_t units_product(uint64_t amount, uint64_t n)
{
    return n && amount > UINT64_MAX / n ? UINT64_MAX : amount * n;
}
/* Returns the divisor that turns an amount of units into blocks: segments of a block; 1 with counts, where an
 * amount is in bytes already. */
uint32_t schedule_block_units(const struct schedule_header *header);
/* Returns the bytes of a unit: 1 if the header has counts, else of a chunk and of the size that is told with
 * it; 0: not known. */
uint64_t schedule_unit_bytes(const struct schedule_header *header);

#endif
