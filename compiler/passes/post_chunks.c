/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which chunks the lanes of a block mean. See expansion.h.
 */
#include "compiler/passes/cyclic.h"
#include "base/codes.h"
#include "compiler/passes/expansion.h"
#include "compiler/passes/variables.h"

#include <string.h>

/* True if the buffer has one chunk for each rank, named by the rank; else its chunks have numbers. */
static bool post_chunks_is_by_rank(const struct expansion *expansion, enum buffer buffer)
{
    return collective_is_by_rank(expansion->schedule.header.collective, buffer);
}

static void post_chunks_fill(uint32_t *out, uint32_t n, uint32_t value)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = value;
}

/* A range may be empty, last == first - 1. */
static bool range_is_backward(int64_t first, int64_t last)
{
    return last < INT64_MAX && last + 1 < first;
}

/* Why first .. last are no chunks of a buffer of `size`; NULL if they are. */
static const char *range_problem(int64_t first, int64_t last, uint64_t size)
{
    if (range_is_backward(first, last))
        return "is no range";
    return first < 0 || last >= (int64_t)size ? "is outside" : NULL;
}

/* Chunks that may be named: those of a buffer or of an area of tmp, or the segments of a chunk. */
struct bounds {
    uint64_t first, end;
    const char *name;
};

/* True if any lane of the vectors is wrong. */
static bool has_problem(const struct value *first, const struct value *last, uint32_t n,
                        const struct bounds *bounds)
{
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        const int64_t from = value_at(first, i), to = value_at(last, i);
        found |= (from < (int64_t)bounds->first) | (to >= (int64_t)bounds->end) |
                 ((int64_t)((uint64_t)to + 1) < from);
    }
    return found;
}

const char *expand_help_with_numbers(const struct chunks *chunks)
{
    return chunks->segment ? "segments are numbered from 0, the last one is one below their number, and "
                             "'mod' goes round"
                           : "chunks are numbered from 0, the last one is one below their number, and "
                             "'mod' goes round";
}

/* Returns help for a number that is given to a chunk without one, or NULL. */
static const char *help_with_own(enum collective collective, const struct chunks *chunks, uint64_t size)
{
    if (size != 1 || chunks->segment)
        return NULL;
    if (chunks->buffer == BUFFER_IN && collective_is_by_rank(collective, BUFFER_OUT))
        return "here 'in' is one chunk, the rank's own, and has no number: 'out' has a chunk from each rank";
    if (chunks->buffer == BUFFER_OUT && collective_is_by_rank(collective, BUFFER_IN))
        return "here 'out' is one chunk, the rank's own, and has no number: 'in' has a chunk for each rank";
    return NULL;
}

static const char help_with_empty[] =
    "a range may be empty, with its end one below its beginning, but no shorter: put an 'if' before it";

/* Fails on a range that is outside of the bounds, from whose first chunk the program counts. */
static bool fail_range(struct expansion *expansion, const struct chunks *chunks, const struct lanes *lanes,
                       const struct value *first, const struct value *last, const struct bounds *bounds)
{
    struct environment *environment = expansion->environment;
    const uint64_t size = bounds->end - bounds->first;
    const char *noun = chunks->segment ? "segment" : "chunk";
    const char *of = chunks->segment ? "a chunk of " : "";
    for (uint32_t i = 0; i < lanes->n; i++) {
        const int64_t from = value_at(first, i) - (int64_t)bounds->first;
        const int64_t to = value_at(last, i) - (int64_t)bounds->first;
        const char *problem = range_problem(from, to, size);
        if (!problem)
            continue;
        const int64_t rank = environment_rank(environment, lane_at(lanes, i));
        if (!chunks->last && !chunks->last_segment)
            evaluate_fail(environment, CODE_E008, chunks->position, rank, "%s %lld of %s'%s' %s: it has %llu",
                          noun, (long long)from, of, bounds->name, problem, (unsigned long long)size);
        else
            evaluate_fail(environment, CODE_E008, chunks->position, rank,
                          "%lld..%lld of %s'%s' %s: it has %llu %s%s", (long long)from, (long long)to, of,
                          bounds->name, problem, (unsigned long long)size, noun, plural(size));
        const char *own = help_with_own(expansion->schedule.header.collective, chunks, size);
        environment->fault.help = range_is_backward(from, to) ? help_with_empty
                                  : own                       ? own
                                                              : expand_help_with_numbers(chunks);
        return false;
    }
    return true;
}

/* Takes one chunk for each lane; false if a number is not within the bounds, which are below 2^63. */
VECTORISED static bool take_numbers(const int64_t *number, uint32_t n, const struct bounds *bounds,
                                    uint32_t *chunk)
{
    const uint64_t first = bounds->first, end = bounds->end;
    uint64_t outside = 0;
    for (uint32_t i = 0; i < n; i++) {
        outside |= (uint64_t)number[i] | ((uint64_t)number[i] - first) | (end - 1 - (uint64_t)number[i]);
        chunk[i] = (uint32_t)number[i];
    }
    return outside >> 63 == 0;
}

static struct bounds bounds_of_chunks(const struct expansion *expansion, const struct chunks *chunks)
{
    const struct program *program = expansion->binding->program;
    if (!chunks->area)
        return (struct bounds){0, schedule_chunks(&expansion->schedule.header, chunks->buffer),
                               buffer_name[chunks->buffer]};
    const struct tmp_span *area = &expansion->binding->areas[chunks->area - 1];
    return (struct bounds){area->first, area->end,
                           program->variables[program->areas[chunks->area - 1].variable].name};
}

/* first .. last by number. */
static bool chunks_by_number(struct expansion *expansion, const struct chunks *chunks,
                             const struct lanes *lanes, uint32_t *chunk, uint32_t *n_chunks)
{
    struct environment *environment = expansion->environment;
    const struct bounds bounds = bounds_of_chunks(expansion, chunks);
    struct value first = {NULL, 0}, second = {NULL, 0};
    const struct value *last = chunks->last ? &second : &first;
    if (!evaluate(environment, chunks->index[0], lanes, 0, &first) ||
        (chunks->last && !evaluate(environment, chunks->last, lanes, 1, &second)))
        return false;
    if (!chunks->last && first.lane && take_numbers(first.lane, lanes->n, &bounds, chunk)) {
        post_chunks_fill(n_chunks, lanes->n, 1);
        return true;
    }
    if (has_problem(&first, last, lanes->n, &bounds))
        return fail_range(expansion, chunks, lanes, &first, last, &bounds);
    for (uint32_t i = 0; i < lanes->n; i++) {
        chunk[i] = (uint32_t)value_at(&first, i);
        n_chunks[i] = (uint32_t)(value_at(last, i) - value_at(&first, i) + 1);
    }
    return true;
}

static bool fail_wrap(struct expansion *expansion, const struct chunks *chunks,
                      const struct lanes *lanes, uint32_t i, uint32_t first, uint32_t count)
{
    const int64_t rank = environment_rank(expansion->environment, lane_at(lanes, i));
    evaluate_fail(expansion->environment, CODE_E008, chunks->position, rank,
                  "%u chunks of '%s' from %u on go past the last of %u", count, buffer_name[chunks->buffer],
                  first, expansion->coordinates.n_ranks);
    expansion->environment->fault.help =
        expansion->binding->program->from_root
            ? "under 'from root' chunk 0 is the root's, and the range ends at the last rank: name chunks "
              "one by one"
            : "a range ends at the last rank, a set goes on behind it: out[i for i in a .. b]";
    return false;
}

/* first .. last by rank number: the first is cyclic, the range must not go past
 * the last rank. */
static bool range_by_rank(struct expansion *expansion, const struct chunks *chunks,
                          const struct lanes *lanes, uint32_t *chunk, uint32_t *n_chunks)
{
    struct environment *environment = expansion->environment;
    const struct coordinates *coordinates = &expansion->coordinates;
    const uint32_t p = coordinates->n_ranks;
    struct value first, last;
    if (!evaluate(environment, chunks->index[0], lanes, 0, &first) ||
        !evaluate(environment, chunks->last, lanes, 1, &last))
        return false;
    cyclic_reduce_lanes(&first, p, lanes->n, chunk);
    coordinates_shift(coordinates, lanes->n, chunk);
    for (uint32_t i = 0; i < lanes->n; i++) {
        const int64_t from = value_at(&first, i), to = value_at(&last, i);
        const uint64_t count = (uint64_t)to - (uint64_t)from + 1; /* 0 also of all 2^64 numbers */
        if (range_is_backward(from, to) || count > p || (count == 0 && to > from)) {
            evaluate_fail(environment, CODE_E008, chunks->position,
                          environment_rank(environment, lane_at(lanes, i)),
                          "%lld..%lld of '%s' is no range of its %u chunks", (long long)from, (long long)to,
                          buffer_name[chunks->buffer], p);
            environment->fault.help =
                range_is_backward(from, to) ? help_with_empty : expand_help_with_numbers(chunks);
            return false;
        }
        if (count && chunk[i] + count > p)
            return fail_wrap(expansion, chunks, lanes, i, chunk[i], (uint32_t)count);
        n_chunks[i] = (uint32_t)count;
    }
    return true;
}

/* `in` of a scatter and `out` of a gather are the root's. */
static bool post_chunks_check_has(struct expansion *expansion, const struct chunks *chunks,
                                  const struct lanes *lanes)
{
    const struct schedule_header *header = &expansion->schedule.header;
    if (!collective_at_root(header->collective, chunks->buffer))
        return true;
    for (uint32_t i = 0; i < lanes->n; i++) {
        const uint32_t rank = environment_rank(expansion->environment, lane_at(lanes, i));
        if (rank == header->root)
            continue;
        evaluate_fail(expansion->environment, CODE_E011, chunks->position, rank,
                      "only the root has '%s' in a %s", buffer_name[chunks->buffer],
                      collective_table[header->collective].name);
        expansion->environment->fault.help = "scratch data goes to 'tmp'";
        return false;
    }
    return true;
}

/* A chunk of a rank that is not there. */
static bool post_chunks_check_present(struct expansion *expansion, const struct chunks *chunks,
                                      const struct lanes *lanes, const uint32_t *chunk)
{
    for (uint32_t i = 0; expansion->coordinates.ragged && i < lanes->n; i++) {
        if (chunk[i] != NO_RANK)
            continue;
        evaluate_fail(expansion->environment, CODE_E008, chunks->position,
                      environment_rank(expansion->environment, lane_at(lanes, i)),
                      "chunk of '%s' of a rank that is not there", buffer_name[chunks->buffer]);
        expansion->environment->fault.help =
            "not every server has 'max_slots' ranks: only messages to and from absent ranks are "
            "left out";
        return false;
    }
    return true;
}

/* The block of each lane is cut in segments: all of them, or those that are named. */
static bool cut_blocks(struct expansion *expansion, const struct chunks *chunks,
                       const struct lanes *lanes, uint32_t *chunk, uint32_t *n_chunks)
{
    struct environment *environment = expansion->environment;
    const uint32_t segments = expansion->schedule.header.segments;
    struct value first, last;
    for (uint32_t i = 0; segments > 1 && i < lanes->n; i++) {
        chunk[i] *= segments;
        n_chunks[i] *= segments;
    }
    if (!chunks->segment)
        return true;
    if (!evaluate(environment, chunks->segment, lanes, 0, &first))
        return false;
    last = first;
    if (chunks->last_segment && !evaluate(environment, chunks->last_segment, lanes, 1, &last))
        return false;
    const struct bounds bounds = {0, segments, buffer_name[chunks->buffer]};
    if (has_problem(&first, &last, lanes->n, &bounds))
        return fail_range(expansion, chunks, lanes, &first, &last, &bounds);
    for (uint32_t i = 0; i < lanes->n; i++) {
        chunk[i] += (uint32_t)value_at(&first, i);
        n_chunks[i] = (uint32_t)(value_at(&last, i) - value_at(&first, i) + 1);
    }
    return true;
}

/* Chunks of a buffer with a block for each rank. */
static bool chunks_by_rank(struct expansion *expansion, const struct chunks *chunks,
                           const struct lanes *lanes, uint32_t *chunk, uint32_t *n_chunks)
{
    if (chunks->last)
        return range_by_rank(expansion, chunks, lanes, chunk, n_chunks);
    post_chunks_fill(n_chunks, lanes->n, 1);
    return coordinates_find(&expansion->coordinates, expansion->environment, chunks->index, chunks->n, lanes,
                            chunk) &&
           post_chunks_check_present(expansion, chunks, lanes, chunk);
}

bool post_find_chunks(struct expansion *expansion, const struct chunks *chunks,
                        const struct lanes *lanes, uint32_t *chunk, uint32_t *n_chunks)
{
    if (!post_chunks_check_has(expansion, chunks, lanes))
        return false;
    if (chunks->n == 0) {
        const uint64_t size = chunks->buffer == N_BUFFERS
                                  ? 0
                                  : schedule_chunks(&expansion->schedule.header, chunks->buffer);
        post_chunks_fill(chunk, lanes->n, 0);
        post_chunks_fill(n_chunks, lanes->n, (uint32_t)size);
        return true;
    }
    if (!post_chunks_is_by_rank(expansion, chunks->buffer))
        return chunks_by_number(expansion, chunks, lanes, chunk, n_chunks);
    return chunks_by_rank(expansion, chunks, lanes, chunk, n_chunks) &&
           cut_blocks(expansion, chunks, lanes, chunk, n_chunks);
}

bool post_find_message(struct expansion *expansion, const struct statement *statement,
                       const struct lanes *lanes)
{
    const struct chunks *chunks = &statement->chunks;
    const bool is_of_peer = chunks->n > 0 && chunks->index == statement->peer.coordinates;
    if (!is_of_peer || !post_chunks_is_by_rank(expansion, chunks->buffer))
        return post_find_chunks(expansion, chunks, lanes, expansion->chunk, expansion->n_chunks);
    memcpy(expansion->chunk, expansion->peer, lanes->n * sizeof *expansion->chunk);
    post_chunks_fill(expansion->n_chunks, lanes->n, 1);
    return post_chunks_check_has(expansion, chunks, lanes) &&
           cut_blocks(expansion, chunks, lanes, expansion->chunk, expansion->n_chunks);
}
