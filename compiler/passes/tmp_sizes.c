/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of chunks of tmp where counts are unequal: the clause `like` for one rank and chunk at a time, so
 * that no table of ranks times chunks is kept. The coordinates of the rank are set as values that all
 * lanes have. A rank that is asked about again and again, as those that stand for others are, has a table
 * of its chunks, made block by block of chunks.
 */
#include "compiler/passes/expansion.h"
#include "base/codes.h"
#include "compiler/passes/variables.h"

#include <stdlib.h>

static void forget_table(struct like *like)
{
    free(like->found);
    like->found = NULL;
}

/* Sets the coordinates of the rank, and the numbers of consecutive chunks from `first` on, one on each
 * lane. */
static void set_rank(struct like *like, uint32_t rank, uint32_t first, const struct lanes *lanes)
{
    const struct program *program = like->binding->program;
    int64_t number[BLOCK_LANES];
    for (uint32_t i = 0; i < like->coordinates->n; i++)
        variables_assign_uniform(like->environment, program->coordinate[i],
                                 like->coordinates->of_rank[i][rank]);
    if (program->tmp_index == UINT32_MAX)
        return;
    for (uint32_t i = 0; i < lanes->n; i++)
        number[i] = (int64_t)first + i;
    const struct value numbers = {lanes->n > 1 ? number : NULL, first};
    variables_assign_lanes(like->environment, program->tmp_index, lanes, &numbers);
}

/* Only messages to and from absent ranks are left out. */
static bool tmp_sizes_check_present(struct like *like, uint32_t found)
{
    const struct chunks *chunks = &like->binding->program->tmp_like;
    if (found != NO_RANK)
        return true;
    evaluate_fail(like->environment, CODE_E008, chunks->position, -1,
                  "chunk of '%s' of a rank that is not there", buffer_name[chunks->buffer]);
    like->environment->fault.help =
        "not every server has 'max_slots' ranks: 'tmp' has chunks of those that are there only";
    return false;
}

/* The number of a segment or chunk, of `n`, for each lane; false, with a fault, if there is none such. */
static bool find_numbers(struct like *like, const struct expr *expr, uint64_t n, const struct lanes *lanes,
                         uint32_t *found)
{
    const struct chunks *chunks = &like->binding->program->tmp_like;
    struct value value;
    if (!evaluate(like->environment, expr, lanes, 0, &value))
        return false;
    for (uint32_t i = 0; i < lanes->n; i++) {
        const int64_t number = value_at(&value, i);
        found[i] = (uint32_t)number;
        if (number >= 0 && (uint64_t)number < n)
            continue;
        evaluate_fail(like->environment, CODE_E008, chunks->position, -1,
                      "%s %lld of %s'%s' is outside: it has %llu", chunks->segment ? "segment" : "chunk",
                      (long long)number, chunks->segment ? "a chunk of " : "", buffer_name[chunks->buffer],
                      (unsigned long long)n);
        like->environment->fault.help = expand_help_with_numbers(chunks);
        return false;
    }
    return true;
}

/* The chunks of in or out of a block of chunks of the rank, from `first` on; false, with a fault, if there is
 * none for one of them. Without an index it is the one of that number, cyclic. */
static bool find_chunks(struct like *like, uint32_t rank, uint32_t first, const struct lanes *lanes,
                        uint32_t *found)
{
    const struct chunks *chunks = &like->binding->program->tmp_like;
    const uint32_t segments = like->header->segments;
    const uint64_t n = schedule_chunks(like->header, chunks->buffer);
    uint32_t segment[BLOCK_LANES];
    for (uint32_t i = 0; !chunks->n && i < lanes->n; i++)
        found[i] = (uint32_t)(((uint64_t)first + i) % n);
    if (!chunks->n)
        return true;
    set_rank(like, rank, first, lanes);
    if (!collective_is_by_rank(like->header->collective, chunks->buffer))
        return find_numbers(like, chunks->index[0], n, lanes, found);
    if (!coordinates_find(like->coordinates, like->environment, chunks->index, chunks->n, lanes, found))
        return false;
    for (uint32_t i = 0; i < lanes->n; i++)
        if (!tmp_sizes_check_present(like, found[i]))
            return false;
    if (chunks->segment && !find_numbers(like, chunks->segment, segments, lanes, segment))
        return false;
    for (uint32_t i = 0; i < lanes->n; i++)
        found[i] = found[i] * segments + (chunks->segment ? segment[i] : 0);
    return true;
}

static bool find_chunk(struct like *like, uint32_t rank, uint32_t chunk, uint32_t *found)
{
    const struct lanes one = {1, NULL, 0};
    return find_chunks(like, rank, chunk, &one, found);
}

/* The data that a block of chunks of the rank are as large as, from `first` on. False, with a fault, if there
 * is none for one of them. */
static bool find_data(struct like *like, uint32_t rank, uint32_t first, const struct lanes *lanes,
                      uint64_t *data)
{
    const struct program *program = like->binding->program;
    const struct target *target = &program->tmp_like_rank;
    uint32_t found[BLOCK_LANES], owner[BLOCK_LANES];
    if (!find_chunks(like, rank, first, lanes, found))
        return false;
    for (uint32_t i = 0; i < lanes->n; i++)
        owner[i] = rank;
    if (target->n && like->sizes.is_of_others) {
        set_rank(like, rank, first, lanes);
        if (!coordinates_find(like->coordinates, like->environment, target->coordinates, target->n, lanes,
                              owner))
            return false;
    }
    for (uint32_t i = 0; i < lanes->n; i++) {
        if (!tmp_sizes_check_present(like, owner[i]))
            return false;
        data[i] = schedule_chunk_datum(like->header, owner[i], program->tmp_like.buffer, found[i]);
    }
    return true;
}

/* Said once: what is wrong with one chunk mostly is with all. */
static void tmp_sizes_report_fault(struct like *like, uint32_t rank, uint32_t chunk)
{
    const struct fault *fault = &like->environment->fault;
    if (!like->failed)
        report(like->diagnostics, fault->code, fault->position,
               "%s, in the size of chunk %lu of 'tmp' of rank %lu", fault->message,
               (unsigned long)chunk, (unsigned long)rank)
            ->help = fault->help;
    like->failed = true;
}

/* Makes the table of all chunks of the rank; no table if a chunk of it has no size. */
static void make_table(struct like *like, uint32_t rank)
{
    const uint32_t n_tmp = like->header->n_tmp;
    bool is_found = true;
    like->found = mem_alloc(n_tmp, sizeof *like->found);
    like->environment->is_trial = true;
    for (uint32_t first = 0; is_found && first < n_tmp; first += BLOCK_LANES) {
        const uint32_t left = n_tmp - first;
        const struct lanes lanes = {left < BLOCK_LANES ? left : BLOCK_LANES, NULL, 0};
        is_found = find_data(like, rank, first, &lanes, like->found + first);
    }
    like->environment->is_trial = false;
    if (!is_found)
        forget_table(like);
}

/* Looks for the table of the rank, and makes it where so many of its chunks were asked for in a row that this
 * is no more work. False: there is none. */
static bool tmp_sizes_find_table(struct like *like, uint32_t rank)
{
    enum { SHARE = 16, FEW = 32, MOST = 1 << 22 };
    if (rank != like->rank) {
        forget_table(like);
        like->rank = rank;
        like->n_asked = 0;
    }
    const uint32_t n_tmp = like->header->n_tmp, enough = n_tmp / SHARE + 1;
    if (like->n_asked <= enough && like->n_asked++ == enough && FEW <= n_tmp && n_tmp <= MOST &&
        like->binding->program->tmp_like.n)
        make_table(like, rank);
    return like->found;
}

static uint64_t tmp_sizes_like_datum(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    struct like *like = (struct like *)sizes;
    const struct lanes one = {1, NULL, 0};
    uint64_t datum;
    if (chunk < like->header->n_tmp && tmp_sizes_find_table(like, rank))
        return like->found[chunk];
    if (find_data(like, rank, chunk, &one, &datum))
        return datum;
    tmp_sizes_report_fault(like, rank, chunk);
    return NO_DATUM;
}

static bool tmp_sizes_reads(const struct expr *expr, uint32_t variable)
{
    return expr && ((expr->kind == EXPR_VARIABLE && expr->variable == variable) ||
                    tmp_sizes_reads(expr->a, variable) || tmp_sizes_reads(expr->b, variable) ||
                    tmp_sizes_reads(expr->c, variable));
}

/* True if the value grows by one with each chunk: the number of the chunk plus or minus something without
 * it. */
static bool follows_index(const struct expr *expr, uint32_t index)
{
    if (expr->kind == EXPR_VARIABLE)
        return expr->variable == index;
    if (expr->kind != EXPR_ADD && expr->kind != EXPR_SUB)
        return false;
    return (follows_index(expr->a, index) && !tmp_sizes_reads(expr->b, index)) ||
           (expr->kind == EXPR_ADD && !tmp_sizes_reads(expr->a, index) && follows_index(expr->b, index));
}

/* True if chunks have the sizes of consecutive blocks, as long as there are blocks left. */
static bool tmp_sizes_is_in_order(const struct like *like)
{
    const struct program *program = like->binding->program;
    const struct chunks *chunks = &program->tmp_like;
    if (chunks->n == 0)
        return true;
    const bool is_by_rank = collective_is_by_rank(like->header->collective, chunks->buffer);
    const bool is_renumbered = like->coordinates->ragged || like->coordinates->ranks;
    return chunks->n == 1 && program->tmp_index != UINT32_MAX &&
           follows_index(chunks->index[0], program->tmp_index) &&
           (!is_by_rank || (like->header->segments == 1 && !is_renumbered));
}

/* Returns how many chunks from `chunk` on have the sizes of consecutive blocks. If the first and the last
 * have a size, no sum of the clause overflows between them. */
static uint32_t tmp_sizes_like_in_order(struct tmp_sizes *sizes, uint32_t rank, uint32_t chunk)
{
    struct like *like = (struct like *)sizes;
    uint32_t found, last;
    if (like->binding->program->tmp_like_rank.n || !tmp_sizes_is_in_order(like) ||
        !find_chunk(like, rank, chunk, &found))
        return 1;
    const uint64_t n = schedule_chunks(like->header, like->binding->program->tmp_like.buffer) - found;
    const uint64_t left = like->header->n_tmp - chunk;
    const uint32_t in_order = (uint32_t)(n < left ? n : left);
    return find_chunk(like, rank, chunk + in_order - 1, &last) && last == found + in_order - 1 ? in_order : 1;
}

/* A chunk of the root's is as large as that of another rank which belongs there. */
void like_open(struct like *like, const struct binding *binding,
               const struct coordinates *coordinates, struct diagnostics *diagnostics)
{
    const struct program *program = binding->program;
    const enum buffer buffer = program->tmp_like.buffer;
    const bool is_at_root = collective_at_root(program->collective, buffer);
    const bool is_told = program_tells_sizes(program);
    *like = (struct like){.sizes = {.buffer = !is_at_root             ? buffer
                                              : buffer == BUFFER_OUT ? BUFFER_IN
                                                                     : BUFFER_OUT,
                                    .is_of_others = is_told,
                                    .is_told = is_told,
                                    .datum = tmp_sizes_like_datum,
                                    .n_in_order = tmp_sizes_like_in_order},
                          .binding = binding,
                          .coordinates = coordinates,
                          .diagnostics = diagnostics,
                          .environment = environment_new(binding->program, diagnostics)};
    like->environment->n_ranks = binding->n_ranks;
    like->environment->grid = binding->grid;
    servers_begin(&like->environment->servers, binding);
    for (uint32_t i = 0; i < binding->program->n_variables; i++)
        variables_assign_uniform(like->environment, i, binding->value[i]);
}

/* Enough for what is wrong to be said before anything is written, and no time to speak of. */
enum { CHECKED_FIRST = 1 << 16 };

bool like_check(struct like *like)
{
    const struct schedule_header *header = like->header;
    uint64_t n = (uint64_t)header->n_ranks * header->n_tmp;
    for (uint64_t i = 0; i < n && i < CHECKED_FIRST && !like->failed; i++)
        tmp_sizes_like_datum(&like->sizes, (uint32_t)(i / header->n_tmp), (uint32_t)(i % header->n_tmp));
    return !like->failed;
}

void like_close(struct like *like)
{
    environment_free(like->environment);
    forget_table(like);
}
