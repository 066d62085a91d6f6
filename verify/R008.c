/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R008: with unequal counts every datum has a size of its own, and so has every place: in
 * `in` and `out` that of the datum which MPI wants there, in `tmp` what the algorithm says.
 * A datum in a place of another size does not fit, or its receiver cannot know how much
 * comes, whatever the counts of one call may be. So it is with the chunks that `buf` is cut
 * into, and the segments of a block of `in` or `out`, of whatever number of elements: some are
 * larger by one than others.
 */
#include "verify/rule.h"

#include "ir/counts.h"

static bool r008_applies(const struct verifier *verifier)
{
    const struct schedule_header *header = &verifier->schedule->header;
    return header->form != FORM_EQUAL || header->tmp_sizes || header->segments > 1 ||
           collective_has(header->collective, BUFFER_BUF);
}

/* Returns help with data in a chunk of tmp. The sizes of a whole `in` do not count from the root. */
static const char *help_with_tmp(const struct schedule_header *header)
{
    const bool has_blocks =
        collective_table[header->collective].rooted && collective_has(header->collective, BUFFER_IN);
    return has_blocks && header->root
               ? "say with 'like' behind 'tmp' what its chunks are as large as: under 'from root' 'tmp p like in' "
                 "is in the order of ranks, and 'tmp j: p like in[j]' counts from the root"
               : "say with 'like' behind 'tmp' what its chunks are as large as; where that depends on the "
                 "step, the algorithm needs equal counts";
}

static void report_size(const struct judge *judge, const struct fact_placed *fact, uint32_t chunk,
                        uint64_t held, uint64_t room)
{
    const struct op *op = fact->op;
    if (finding_is_counted(judge))
        return;
    const char *as = room == NO_DATUM ? "which has no size" : "which is as large as";
    finding_at(judge, op, fact->step, "rank %u puts %s%s into %s[%u] in step %llu, %s%s%s", op->rank,
               words_of_datum(judge, held), words_from(judge, op), buffer_name[op->buffer], chunk,
               (unsigned long long)fact->step, as, room == NO_DATUM ? "" : " ",
               room == NO_DATUM ? "" : words_of_datum(judge, room))
        ->help = op->buffer == BUFFER_TMP ? help_with_tmp(&judge->verifier->schedule->header)
                 : op->buffer == BUFFER_BUF
                     ? "chunks of 'buf' may differ by one element: keep other data in 'tmp'"
                     : "a chunk of 'out' has the count of what belongs there: keep other data in "
                       "'tmp'";
}

/* True if sizes are to be compared. Not where data are combined into others, which is wrong in any case:
 * R006. */
static bool has_size(const struct schedule_header *header, const struct op *op)
{
    const bool combines = op->kind == OP_REDUCE || op->kind == OP_COMBINE;
    if (header->form != FORM_EQUAL)
        return true;
    if (op->buffer == BUFFER_TMP)
        return header->tmp_sizes && !combines;
    return !combines && (op->buffer == BUFFER_BUF || header->segments > 1);
}

/* True if the two data have the same size, whatever the counts. */
static bool r008_is_as_large(const struct schedule_header *header, uint64_t held, uint64_t room)
{
    const bool is_cut_alike = header->form == FORM_EQUAL && room != NO_DATUM &&
                              !collective_has(header->collective, BUFFER_BUF);
    return held == room ||
           (is_cut_alike && held % header->segments == room % header->segments);
}

/* Returns the first chunk of the run that has another size than its datum, or `n`. What is held is a
 * progression, and so are the sizes of chunks in a row: two of them speak for all. */
static uint32_t find_unlike(const struct schedule_header *header, const struct op *op,
                            const struct run *run, uint64_t *held, uint64_t *room)
{
    const enum buffer buffer = (enum buffer)op->buffer;
    for (uint32_t i = 0, n = 0; i < run->n; i += n) {
        const uint32_t left = run->n - i;
        n = left > 1 ? schedule_chunk_progression(header, op->rank, buffer, run->first + i) : 1;
        n = n < left ? n : left;
        for (uint32_t k = i; k < i + n && k < i + 2; k++) {
            *held = run_datum(run, k);
            *room = schedule_chunk_datum(header, op->rank, buffer, run->first + k);
            if (!r008_is_as_large(header, *held, *room))
                return k;
        }
    }
    return run->n;
}

/* True if chunks of `buf` hold their own data, as most do. */
static bool is_in_place(const struct op *op, const struct run *run)
{
    return op->buffer == BUFFER_BUF && run->datum == run->first && (run->n == 1 || run->datum_stride == 1);
}

/* The data is not damaged: it is in a chunk of another size. */
static bool judge_placed(const struct judge *judge, const struct fact_placed *fact)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    const struct op *op = fact->op;
    const struct run *run = fact->run;
    if (is_in_place(op, run) || !has_size(header, op) || run_is_poison(run))
        return false;
    uint64_t held, room;
    const uint32_t i = find_unlike(header, op, run, &held, &room);
    if (i < run->n)
        report_size(judge, fact, run->first + i, held, room);
    return false;
}

const struct rule rule_R008 = {.applies = r008_applies, .by_representatives = true, .placed = judge_placed};
