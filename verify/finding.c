/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How findings are made, and how they speak of ranks, machines and data. See rule.h.
 */
#include "verify/rule.h"

#include <stdlib.h>

bool finding_is_counted(const struct judge *judge)
{
    return diagnostics_only_counts(judge->verifier->diagnostics, judge->code);
}

bool finding_is_joined(const struct judge *judge, uint64_t step)
{
    return diagnostics_join(judge->verifier->diagnostics, judge->code, step) ||
           finding_is_counted(judge);
}

struct diagnostic *finding_at(const struct judge *judge, const struct op *op, uint64_t step,
                              const char *format, ...)
{
    const struct verifier *verifier = judge->verifier;
    va_list args;
    va_start(args, format);
    struct diagnostic *finding =
        report_va(verifier->diagnostics, judge->code, schedule_position(verifier->schedule, op),
                  format, args);
    va_end(args);
    finding->place.rank = op->rank;
    finding->place.peer = op_is_local(op) ? -1 : (int64_t)op->peer;
    finding->place.step = (int64_t)step;
    return finding;
}

struct diagnostic *finding_of(const struct judge *judge, const char *format, ...)
{
    const struct verifier *verifier = judge->verifier;
    const struct position whole = {verifier->schedule->source, 0, 0, 1};
    va_list args;
    va_start(args, format);
    struct diagnostic *finding =
        report_va(verifier->diagnostics, judge->code, whole, format, args);
    va_end(args);
    return finding;
}

void finding_relate(const struct judge *judge, struct diagnostic *finding, const struct op *op,
                    const char *text)
{
    finding->related = schedule_position(judge->verifier->schedule, op);
    finding->related_text = text;
}

static int compare_ranks(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void finding_set_ranks(const struct judge *judge, struct diagnostic *finding, uint32_t *ranks,
                       size_t n)
{
    uint32_t *kept = arena_alloc(&judge->verifier->diagnostics->arena, n, sizeof *kept);
    finding->ranks = kept;
    finding->n_ranks = 0;
    qsort(ranks, n, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || ranks[i] != ranks[i - 1])
            kept[finding->n_ranks++] = ranks[i];
}

static int compare_steps(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void finding_set_steps(const struct judge *judge, struct diagnostic *finding, uint64_t *steps,
                       size_t n)
{
    struct step_span *kept = arena_alloc(&judge->verifier->diagnostics->arena, n, sizeof *kept);
    size_t n_kept = 0;
    qsort(steps, n, sizeof *steps, compare_steps);
    for (size_t i = 0; i < n; i++) {
        if (n_kept && steps[i] <= kept[n_kept - 1].last + 1)
            kept[n_kept - 1].last = steps[i];
        else
            kept[n_kept++] = (struct step_span){steps[i], steps[i]};
    }
    finding->steps = kept;
    finding->n_steps = n_kept;
}

void finding_set_span(const struct judge *judge, struct diagnostic *finding, uint64_t first,
                      uint64_t last)
{
    struct step_span *span = arena_alloc(&judge->verifier->diagnostics->arena, 1, sizeof *span);
    *span = (struct step_span){first, last};
    finding->place.step = (int64_t)last;
    finding->steps = span;
    finding->n_steps = 1;
}

/* ---- words ---- */

const char *words(const struct judge *judge, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(&judge->verifier->diagnostics->arena, format, args);
    va_end(args);
    return text;
}

const char *words_from(const struct judge *judge, const struct op *op)
{
    return op_is_local(op) ? "" : words(judge, " from rank %u", op->peer);
}

const char *words_of_steps(const struct judge *judge, uint64_t first, uint64_t last)
{
    if (first == last)
        return words(judge, "step %llu", (unsigned long long)last);
    return words(judge, "steps %llu..%llu", (unsigned long long)first, (unsigned long long)last);
}

uint32_t server_machine(const struct verifier *verifier, uint32_t server)
{
    const struct placement *placement = verifier->request->placement;
    return placement ? placement->server_machine[server] : server;
}

const char *words_of_machine(const struct judge *judge, uint32_t server)
{
    const struct topology *topology = judge->verifier->request->topology;
    const uint32_t machine = server_machine(judge->verifier, server);
    char name[128];
    if (!topology)
        return words(judge, "m%u", machine);
    topology_node_name(topology, machine, name, sizeof name);
    return words(judge, "%s", name);
}

/* A datum, or all segments of one. */
static const char *words_of_block(const struct judge *judge, uint64_t datum)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    if (header->collective == COLLECTIVE_alltoall)
        return words(judge, "in[%llu] of rank %llu", (unsigned long long)(datum % header->n_ranks),
                     (unsigned long long)(datum / header->n_ranks));
    if (header->collective == COLLECTIVE_allgather || header->collective == COLLECTIVE_gather)
        return words(judge, "in of rank %llu", (unsigned long long)datum);
    if (header->collective == COLLECTIVE_scatter)
        return words(judge, "in[%llu] of the root", (unsigned long long)datum);
    return words(judge, "chunk %llu", (unsigned long long)datum);
}

const char *words_of_datum(const struct judge *judge, uint64_t datum)
{
    const struct schedule_header *header = &judge->verifier->schedule->header;
    if (header->segments == 1 || collective_has(header->collective, BUFFER_BUF))
        return words_of_block(judge, datum);
    return words(judge, "segment %llu of %s", (unsigned long long)(datum % header->segments),
                 words_of_block(judge, datum / header->segments));
}
