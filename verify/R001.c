/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R001: data that MPI requires at the end and that never arrives: a chunk of the
 * result holds nothing, or a reduction lacks the contribution of a rank. Also the
 * walk over the final data that R006 shares.
 */
#include "verify/internal.h"

static void place_at(struct diagnostic *finding, uint32_t rank)
{
    finding->place.rank = rank;
    finding->help = "see in which step the chunk should come, and from whom";
}

/* Whether the datum is in the rank's own `in` at the beginning: nobody sends it. */
static bool is_own(const struct data *data, uint32_t rank, uint64_t datum)
{
    const struct schedule_header *header = data->header;
    switch ((int)header->collective) {
    case COLLECTIVE_alltoall:
    case COLLECTIVE_allgather:
    case COLLECTIVE_gather: return datum / data->n_in == rank;
    case COLLECTIVE_scatter: return rank == header->root;
    default: return false;
    }
}

void rule_R001_absent(struct data *data, uint32_t rank, enum buffer buffer, uint32_t chunk,
                      uint64_t n)
{
    struct run required;
    if (diagnostics_join(data->verifier->diagnostics, CODE_R001, UINT64_MAX) || /* no step */
        diagnostics_only_counts(data->verifier->diagnostics, CODE_R001))
        return;
    data_required(data, rank, buffer, chunk, &required);
    const char *more = n > 1 ? diagnostics_text(data->verifier->diagnostics,
                                                " (and %llu more chunk%s)", (unsigned long long)n - 1,
                                                plural(n - 1))
                             : "";
    struct diagnostic *finding =
        report(data->verifier->diagnostics, CODE_R001, whole_schedule(data->verifier),
               "rank %u never receives %s[%u]: %s%s", rank, buffer_name[buffer], chunk,
               datum_text(data, required.datum), more);
    place_at(finding, rank);
    if (is_own(data, rank, required.datum))
        finding->help = "it is the rank's own data: 'copy' puts it there";
}

void rule_R001_partial(struct data *data, uint32_t rank, enum buffer buffer,
                       const struct run *holds, uint64_t required)
{
    struct diagnostics *diagnostics = data->verifier->diagnostics;
    if ((data->is_barrier && diagnostics_join(diagnostics, CODE_R001, UINT64_MAX)) ||
        diagnostics_only_counts(diagnostics, CODE_R001))
        return;
    uint32_t n, chunk = holds->first;
    uint32_t missing = rank_set_missing(&data->sets, required, holds->set, &n);
    const char *what = data->is_barrier
                           ? diagnostics_text(diagnostics, "the barrier of rank %u does not wait for", rank)
                           : diagnostics_text(diagnostics, "%s[%u] of rank %u lacks the contribution of",
                                              buffer_name[buffer], chunk, rank);
    struct diagnostic *finding =
        report(diagnostics, CODE_R001, whole_schedule(data->verifier),
               "%s rank %u%s", what, missing,
               n > 1 ? diagnostics_text(diagnostics, " (and %u more rank%s)", n - 1, plural(n - 1)) : "");
    place_at(finding, rank);
    finding->place.peer = missing;
    if (data->is_barrier)
        finding->help = "word of every rank must come, from it or through others, in time for the last step";
    else
        trace_chunk(data->verifier, finding, rank, buffer, chunk);
}

/* The datum is right, but not what was combined. */
static void judge_set(struct data *data, uint32_t rank, enum buffer buffer,
                      const struct run *holds, uint64_t required)
{
    uint32_t n_missing;
    rank_set_missing(&data->sets, required, holds->set, &n_missing);
    if (n_missing)
        rule_R001_partial(data, rank, buffer, holds, required);
    else
        rule_R006_extra(data, rank, buffer, holds, required);
}

/* The first chunk of the run that differs from what is required, judged once.
 * Where the progressions differ that is one of the first few. */
static bool judge_part(struct data *data, uint32_t rank, enum buffer buffer, const struct run *run,
                       struct run required)
{
    bool is_regular = run->n == 1 || (run->datum_stride == required.datum_stride &&
                                      run->set_stride == required.set_stride);
    if (is_regular && same_value(run, &required))
        return true;
    for (uint32_t k = 0; k < run->n; k++) {
        struct run one = run_cut(run, run->first + k, 1);
        data_required(data, rank, buffer, one.first, &required);
        if (same_value(&one, &required) || one.datum == DATUM_POISON)
            continue;
        if (one.datum == required.datum)
            judge_set(data, rank, buffer, &one, required.set);
        else
            rule_R006(data, rank, NULL, 0, buffer, one.first, &one);
        return false;
    }
    return true;
}

/* As far as what is required is a progression, and so on. */
static bool judge_run(struct data *data, uint32_t rank, enum buffer buffer, const struct run *run)
{
    const uint64_t end = (uint64_t)run->first + run->n;
    struct run part, required;
    bool is_right = true;
    for (uint64_t next = run->first; next < end && is_right && !run_is_poison(run); next += part.n) {
        data_required(data, rank, buffer, (uint32_t)next, &required);
        part = run_cut(run, (uint32_t)next, required.n);
        is_right = judge_part(data, rank, buffer, &part, required);
    }
    return is_right;
}

static void judge_buffer(struct data *data, uint32_t rank, enum buffer buffer, uint32_t n_chunks)
{
    const struct chunk_map *map = &data->maps[buffer][rank];
    uint32_t next = 0, first_absent = 0;
    uint64_t n_absent = 0;
    bool is_right = true;
    for (uint32_t at = 0; at <= map->n; at++) {
        uint32_t start = at < map->n ? map->runs[at].first : n_chunks;
        if (start > next && !n_absent)
            first_absent = next;
        n_absent += start - next;
        if (at == map->n)
            break;
        next = start + map->runs[at].n;
        is_right = is_right && judge_run(data, rank, buffer, &map->runs[at]);
    }
    if (n_absent)
        rule_R001_absent(data, rank, buffer, first_absent, n_absent);
}

void rule_R001_R006(struct data *data)
{
    for (enum buffer buffer = BUFFER_OUT; buffer <= BUFFER_BUF; buffer++) {
        struct run required;
        uint32_t n = data->is_barrier ? 1 : (uint32_t)schedule_chunks(data->header, buffer);
        for (uint32_t rank = 0; data->maps[buffer] && rank < data->header->n_ranks; rank++)
            if (data_required(data, rank, buffer, 0, &required))
                judge_buffer(data, rank, buffer, n);
    }
}
