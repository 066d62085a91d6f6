/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI's definition of the collectives a second time (reference_cell.h): plain values, one
 * chunk at a time.
 */
#include "tests/unit/reference_cell.h"

#include "ir/counts.h"
#include "ir/needs.h"

#include <stdlib.h>
#include <string.h>

/* A random number of a number (splitmix64). */
static uint64_t scramble(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

static struct cell value_of(uint64_t datum, uint32_t contributor)
{
    struct cell cell = {.state = VALUE, .datum = datum, .expression = scramble(contributor)};
    cell.set[contributor / 64] = (uint64_t)1 << contributor % 64;
    return cell;
}

/* Returns the value to which ranks 0 .. n_ranks-1 contribute. */
static struct cell value_of_all(uint64_t datum, uint32_t n_ranks)
{
    struct cell cell = {.state = VALUE, .datum = datum};
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        cell.set[rank / 64] |= (uint64_t)1 << rank % 64;
    return cell;
}

bool cell_is_equal(const struct cell *a, const struct cell *b)
{
    return a->state == b->state && a->datum == b->datum && !memcmp(a->set, b->set, sizeof a->set);
}

/* True if a term says that the chunk of `out` of the rank needs that chunk of `in`. */
static bool is_needed(const struct need_term *term, uint32_t rank, uint64_t out, uint32_t from, uint64_t in)
{
    return term->rank == rank && out >= term->chunk && out < (uint64_t)term->chunk + term->n &&
           from >= term->from && from <= term->last && in == term->from_chunk + (out - term->chunk);
}

/* True if some term says so. */
static bool needs(const struct schedule_header *header, uint32_t rank, uint64_t out, uint32_t from,
                  uint64_t in)
{
    for (size_t i = 0; i < header->needs->n_terms; i++)
        if (is_needed(&header->needs->terms[i], rank, out, from, in))
            return true;
    return false;
}

/* Marks all chunks of `in` that one chunk of `out` needs, if one of them is marked. True if that is new of
 * some. */
static bool spread(const struct schedule_header *header, uint32_t rank, uint64_t out, bool marked[])
{
    const uint32_t n_in = header->n_in, n_places = header->n_ranks * n_in;
    bool is_any = false, is_new = false;
    for (uint32_t place = 0; place < n_places; place++)
        is_any |= marked[place] && needs(header, rank, out, place / n_in, place % n_in);
    for (uint32_t place = 0; is_any && place < n_places; place++)
        if (!marked[place] && needs(header, rank, out, place / n_in, place % n_in))
            marked[place] = is_new = true;
    return is_new;
}

/* Returns the lowest chunk of `in` that is combined with this one, directly or through others. */
static uint64_t lowest_of_result(const struct schedule_header *header, uint32_t rank, uint64_t chunk)
{
    const uint64_t place = (uint64_t)rank * header->n_in + chunk;
    if (!header->needs || !header->needs->n_terms)
        return place;
    bool *marked = mem_alloc((size_t)header->n_ranks * header->n_in, sizeof *marked), is_new = true;
    marked[place] = true;
    while (is_new) {
        is_new = false;
        for (uint32_t r = 0; r < header->n_ranks; r++)
            for (uint32_t out = 0; out < header->n_out; out++)
                is_new |= spread(header, r, out, marked);
    }
    uint64_t lowest = 0;
    while (!marked[lowest])
        lowest++;
    free(marked);
    return lowest;
}

/* Returns what a chunk of `out` of a pattern needs. */
static struct cell needed(const struct schedule_header *header, uint32_t rank, uint64_t chunk)
{
    struct cell cell = {.state = EMPTY};
    for (uint32_t from = 0; header->needs && from < header->n_ranks; from++)
        for (uint32_t in = 0; in < header->n_in; in++) {
            if (!needs(header, rank, chunk, from, in))
                continue;
            const struct cell contribution = value_of(lowest_of_result(header, from, in), from);
            cell.state = VALUE;
            cell.datum = contribution.datum;
            cell_unite(&cell, &contribution);
        }
    return cell;
}

/* Returns what the user hands in. The number of a datum that is not combined tells who
 * contributed it. */
static struct cell initial_block(const struct schedule_header *header, uint32_t rank, uint64_t chunk)
{
    switch ((int)header->collective) {
    case COLLECTIVE_alltoall: return value_of((uint64_t)rank * header->n_ranks + chunk, rank);
    case COLLECTIVE_scatter:
        if (rank != header->root)
            return (struct cell){.state = EMPTY};
        return value_of(chunk, rank);
    case COLLECTIVE_reduce_scatter_block: return value_of(chunk, rank);
    case COLLECTIVE_neighbor_alltoall:
    case COLLECTIVE_neighbor_allgather:
    case COLLECTIVE_pattern:
        if (header->needs && header->needs->has && !header->needs->has[rank * header->n_in + chunk])
            return (struct cell){.state = EMPTY};
        return value_of(lowest_of_result(header, rank, chunk), rank);
    default: return value_of(rank, rank); /* allgather, gather */
    }
}

/* The piece of a block that a chunk is: chunks are counted block by block. */
static struct cell piece_of(const struct schedule_header *header, struct cell block, uint64_t chunk)
{
    block.datum = block.datum * header->segments + chunk % header->segments;
    return block;
}

static struct cell initial_input(const struct schedule_header *header, uint32_t rank, uint64_t chunk)
{
    return piece_of(header, initial_block(header, rank, chunk / header->segments), chunk);
}

struct cell cell_initial(const struct schedule_header *header, uint32_t rank, uint32_t buffer,
                         uint64_t chunk)
{
    if (buffer == BUFFER_IN)
        return initial_input(header, rank, chunk);
    if (buffer != BUFFER_BUF)
        return (struct cell){.state = EMPTY};
    if (header->collective == COLLECTIVE_bcast && rank != header->root)
        return (struct cell){.state = EMPTY};
    return value_of(chunk, rank);
}

static struct cell final_block(const struct schedule_header *header, uint32_t rank, uint32_t buffer,
                               uint64_t chunk)
{
    const struct cell nothing = {.state = EMPTY};
    uint32_t n_ranks = header->n_ranks, root = header->root;
    bool is_result = header->collective == COLLECTIVE_barrier
                         ? buffer == BUFFER_BUF
                         : buffer == BUFFER_OUT || buffer == BUFFER_BUF;
    if (!is_result)
        return nothing;
    switch (header->collective) {
    case COLLECTIVE_alltoall: return value_of(chunk * n_ranks + rank, (uint32_t)chunk);
    case COLLECTIVE_allgather: return value_of(chunk, (uint32_t)chunk);
    case COLLECTIVE_gather: return rank == root ? value_of(chunk, (uint32_t)chunk) : nothing;
    case COLLECTIVE_scatter: return value_of(rank, root);
    case COLLECTIVE_bcast: return value_of(chunk, root);
    case COLLECTIVE_reduce: return rank == root ? value_of_all(chunk, n_ranks) : nothing;
    case COLLECTIVE_reduce_scatter_block: return value_of_all(rank, n_ranks);
    case COLLECTIVE_scan: return value_of_all(chunk, rank + 1);
    case COLLECTIVE_exscan: return rank > 0 ? value_of_all(chunk, rank) : nothing;
    case COLLECTIVE_allreduce:
    case COLLECTIVE_barrier: return value_of_all(chunk, n_ranks);
    case COLLECTIVE_neighbor_alltoall:
    case COLLECTIVE_neighbor_allgather:
    case COLLECTIVE_pattern: return needed(header, rank, chunk);
    case N_COLLECTIVES: break;
    }
    return nothing;
}

struct cell cell_final(const struct schedule_header *header, uint32_t rank, uint32_t buffer,
                       uint64_t chunk)
{
    if (buffer != BUFFER_OUT)
        return final_block(header, rank, buffer, chunk);
    return piece_of(header, final_block(header, rank, buffer, chunk / header->segments), chunk);
}

void cell_unite(struct cell *cell, const struct cell *value)
{
    for (uint32_t word = 0; word < CELL_WORDS; word++)
        cell->set[word] |= value->set[word];
}

void cell_combine(struct cell *cell, const struct cell *value)
{
    const uint64_t a = cell->expression, b = value->expression;
    cell->expression = scramble(scramble(a < b ? a : b) + (a < b ? b : a));
    cell->sum += value->sum;
    cell_unite(cell, value);
}

bool cell_is_row(const struct cell *cell, uint32_t n_ranks, uint32_t *first, uint32_t *end)
{
    uint32_t n = 0;
    *first = n_ranks;
    *end = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (cell->set[rank / 64] >> rank % 64 & 1) {
            *first = *first == n_ranks ? rank : *first;
            *end = rank + 1;
            n++;
        }
    return n > 0 && *end - *first == n;
}

bool cell_lacks(const struct cell *cell, const struct cell *required)
{
    for (uint32_t word = 0; word < CELL_WORDS; word++)
        if (required->set[word] & ~cell->set[word])
            return true;
    return false;
}

bool cell_fits(const struct schedule_header *header, uint32_t rank, uint32_t buffer, uint64_t chunk,
               const struct cell *value)
{
    if (value->state != VALUE)
        return true;
    if (buffer == BUFFER_BUF)
        return value->datum == chunk;
    const bool is_cut = header->segments > 1 && !collective_has(header->collective, BUFFER_BUF);
    if (header->form == FORM_EQUAL && !is_cut)
        return true;
    if (buffer == BUFFER_TMP && !header->tmp_sizes)
        return header->form == FORM_EQUAL;
    if (buffer == BUFFER_TMP) {
        const uint32_t owner = schedule_like_rank(header, rank, (uint32_t)chunk);
        if (header->tmp_sizes->datum(header->tmp_sizes, rank, (uint32_t)chunk) == NO_DATUM)
            return false;
        chunk = schedule_like_chunk(header, rank, (uint32_t)chunk);
        buffer = header->tmp_sizes->buffer;
        rank = owner;
    }
    if (header->form == FORM_EQUAL) /* all blocks are cut alike */
        return chunk % header->segments == value->datum % header->segments;
    struct cell like = buffer == BUFFER_IN ? cell_initial(header, rank, buffer, chunk)
                                           : cell_final(header, rank, buffer, chunk);
    return like.state == VALUE && like.datum == value->datum;
}
