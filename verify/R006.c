/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R006: wrong data: at the end a chunk of the result holds something else than MPI
 * requires, a reduction combines chunks that do not belong together, or the input would
 * be something else under MPI_IN_PLACE.
 */
#include "verify/rule.h"

/* ---- MPI_IN_PLACE ---- */

/* Returns the first chunk of the run that is not what `right` says; the run's end if none. */
static uint64_t first_wrong(const struct run *held, const struct run *right)
{
    const uint64_t end = (uint64_t)held->first + held->n;
    const struct run wanted = run_cut(right, held->first, held->n);
    if (run_is_poison(held))
        return end;
    if (held->datum != wanted.datum)
        return held->first;
    return held->datum_stride == wanted.datum_stride || held->n == 1 ? end
                                                                     : (uint64_t)held->first + 1;
}

static void report_gone(const struct judge *judge, const struct fact_aliased *fact, uint32_t segment)
{
    const struct op *op = fact->op;
    if (finding_is_counted(judge))
        return;
    finding_at(judge, op, fact->step,
               "rank %u %s in[%u] in step %llu; in place that is out[%u], which holds other data by "
               "then",
               op->rank, op_is_local(op) ? "copies" : "sends", fact->in + segment,
               (unsigned long long)fact->step, fact->out + segment)
        ->help = "write out[r] of rank r last, or receive into 'tmp' what does not belong there";
}

/* The chunks of `in` that are of `out` must still be what they were, or not yet written:
 * either is datum `rank` of an allgather, gather or scatter. Not in place all is right. */
static bool judge_aliased(const struct judge *judge, const struct fact_aliased *fact)
{
    const struct data *data = judge->verifier->data;
    const uint32_t segments = data->header->segments, rank = fact->op->rank;
    const struct run right = {
        .first = fact->out, .n = segments, .datum = (uint64_t)rank * segments, .datum_stride = 1};
    const struct chunk_map *map = &data->maps[BUFFER_OUT][rank];
    struct run_at at = chunk_map_find(map, fact->out + (uint32_t)fact->first);
    for (const struct run *run = chunk_map_run(map, at); run && run->first < fact->out + fact->end;
         run = chunk_map_next(map, &at)) {
        const struct run held = run_cut(run, fact->out + (uint32_t)fact->first,
                                        (uint32_t)(fact->end - fact->first));
        const uint64_t wrong = first_wrong(&held, &right);
        if (wrong == (uint64_t)held.first + held.n)
            continue;
        report_gone(judge, fact, (uint32_t)(wrong - fact->out));
        return false;
    }
    return false;
}

/* ---- combinations ---- */

static bool r006_judge_mixed(const struct judge *judge, const struct fact_mixed *mixed)
{
    const struct fact_combined *fact = mixed->combined;
    const struct op *op = fact->op;
    if (fact->held->datum == fact->incoming->datum)
        return false;
    if (finding_is_counted(judge))
        return true;
    struct diagnostic *finding =
        finding_at(judge, op, fact->step, "rank %u combines %s into %s[%u] in step %llu, which holds other data",
                   op->rank, words_of_datum(judge, fact->incoming->datum), buffer_name[op->buffer],
                   fact->held->first, (unsigned long long)fact->step);
    finding->help = "check the chunk numbers of the send and of the receive";
    finding_trace_step(judge, finding, op, fact->step);
    return true;
}

/* ---- the end ---- */

static void report_extra(const struct judge *judge, const struct fact_ended *fact)
{
    const struct rank_sets *sets = &judge->verifier->data->sets;
    const struct run *holds = fact->holds;
    const uint32_t n = rank_set_n_missing(sets, holds->set, fact->required->set);
    const uint32_t extra = rank_set_missing(sets, holds->set, fact->required->set);
    struct diagnostic *finding =
        finding_of(judge,
                   "%s[%u] of rank %u ends with the contribution of rank %u%s, which is no part of it",
                   buffer_name[fact->buffer], holds->first, fact->rank, extra,
                   n > 1 ? words(judge, " (and %u more rank%s)", n - 1, plural(n - 1)) : "");
    finding->place.rank = fact->rank;
    finding->place.peer = extra;
    finding->counted = (struct counted){"ranks", n, NO_LIMIT};
    finding->help = collective_is_pattern(judge->verifier->schedule->header.collective)
                        ? "the pattern says by 'needs' whose data are combined there"
                        : "the result of a scan is combined over the ranks up to the rank, of an exscan "
                          "over those below it";
    finding_trace(judge, finding, fact->buffer, holds->first, NULL);
}

/* Returns help with a chunk that holds other data than is required of it. */
static const char *help_with_other(const struct schedule_header *header)
{
    const bool has_blocks =
        collective_table[header->collective].rooted && collective_has(header->collective, BUFFER_IN);
    return has_blocks && header->root
               ? "check the chunk numbers of the send and of the receive; if it is right with --root 0: "
                 "under 'from root' numbers count from the root, but a whole 'in' or 'out' is in the order "
                 "of ranks"
               : "check the chunk numbers of the send and of the receive";
}

static void report_other(const struct judge *judge, const struct fact_ended *fact)
{
    const uint32_t chunk = fact->holds->first;
    struct diagnostic *finding =
        finding_of(judge, "%s[%u] of rank %u ends with %s instead of %s", buffer_name[fact->buffer],
                   chunk, fact->rank, words_of_datum(judge, fact->holds->datum),
                   words_of_datum(judge, fact->required->datum));
    finding->place.rank = fact->rank;
    finding->help = help_with_other(&judge->verifier->schedule->header);
    finding_trace(judge, finding, fact->buffer, chunk, NULL);
}

static bool r006_judge_ended(const struct judge *judge, const struct fact_ended *fact)
{
    const struct run *holds = fact->holds, *required = fact->required;
    if (!holds)
        return true; /* R001 */
    const bool is_other = holds->datum != required->datum;
    if (!is_other &&
        rank_set_n_missing(&judge->verifier->data->sets, required->set, holds->set) > 0)
        return true; /* R001 */
    if (finding_is_counted(judge))
        return true;
    if (is_other)
        report_other(judge, fact);
    else
        report_extra(judge, fact);
    return true;
}

const struct rule rule_R006 = {.by_representatives = true,
                               .aliased = judge_aliased,
                               .mixed = r006_judge_mixed,
                               .ended = r006_judge_ended};
