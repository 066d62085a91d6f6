/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R001: data that MPI requires at the end and that never arrives: a chunk of the
 * result holds nothing, or a reduction lacks the contribution of a rank.
 */
#include "verify/rule.h"

/* True if the datum is in the rank's own `in` at the beginning: nobody sends it. */
static bool is_own(const struct data *data, uint32_t rank, uint64_t datum)
{
    const struct schedule_header *header = data->header;
    switch (collective_table[header->collective].before) {
    case HELD_EACH:
        return datum / data->n_in == rank;
    case HELD_ROOT:
        return data->n_in && rank == header->root;
    case HELD_ALL:
    case HELD_SAID:
        break;
    }
    return false;
}

static void report_absent(const struct judge *judge, const struct fact_ended *fact)
{
    const struct run *required = fact->required;
    if (finding_is_joined(judge, UINT64_MAX)) /* no step */
        return;
    const char *more = fact->n_absent > 1 ? words(judge, " (and %llu more chunk%s)",
                                                  (unsigned long long)fact->n_absent - 1,
                                                  plural(fact->n_absent - 1))
                                          : "";
    struct diagnostic *finding =
        finding_of(judge, "rank %u never receives %s[%u]: %s%s", fact->rank,
                   buffer_name[fact->buffer], required->first,
                   words_of_datum(judge, required->datum), more);
    finding->place.rank = fact->rank;
    finding->counted = (struct counted){"chunks", (double)fact->n_absent, NO_LIMIT};
    if (is_own(judge->verifier->data, fact->rank, required->datum)) {
        finding->help = "it is the rank's own data: 'copy' puts it there";
        return;
    }
    finding->help = "see in which step the chunk should come, and from whom";
    finding_trace_absent(judge, finding, fact->buffer, required->first);
}

static void report_partial(const struct judge *judge, const struct fact_ended *fact, uint32_t n)
{
    const struct data *data = judge->verifier->data;
    const uint32_t chunk = fact->holds->first;
    if (data->is_barrier ? finding_is_joined(judge, UINT64_MAX) : finding_is_counted(judge))
        return;
    const uint32_t missing = rank_set_missing(&data->sets, fact->required->set, fact->holds->set);
    const char *what = data->is_barrier
                           ? words(judge, "the barrier of rank %u does not wait for", fact->rank)
                           : words(judge, "%s[%u] of rank %u lacks the contribution of",
                                   buffer_name[fact->buffer], chunk, fact->rank);
    struct diagnostic *finding =
        finding_of(judge, "%s rank %u%s", what, missing,
                   n > 1 ? words(judge, " (and %u more rank%s)", n - 1, plural(n - 1)) : "");
    finding->place.rank = fact->rank;
    finding->place.peer = missing;
    finding->counted = (struct counted){"ranks", n, NO_LIMIT};
    finding->help = data->is_barrier
                        ? "word of every rank must come, from it or through others, in time for the "
                          "last step"
                        : "see in which step the chunk should come, and from whom";
    if (data->is_barrier) {
        finding_trace_word(judge, finding);
        return;
    }
    finding_trace_unread(judge, finding); /* asked first, explained last */
    finding_trace(judge, finding, fact->buffer, chunk,
                  "recv replaces what was in the chunk: to combine, use reduce");
    if (fact->buffer == BUFFER_BUF)
        finding_trace_lost(judge, finding, fact->buffer, chunk);
}

static bool r001_judge_ended(const struct judge *judge, const struct fact_ended *fact)
{
    const struct rank_sets *sets = &judge->verifier->data->sets;
    if (!fact->holds) {
        report_absent(judge, fact);
        return true;
    }
    if (fact->holds->datum != fact->required->datum)
        return true; /* R006 */
    const uint32_t n = rank_set_n_missing(sets, fact->required->set, fact->holds->set);
    if (n)
        report_partial(judge, fact, n);
    return true;
}

const struct rule rule_R001 = {.by_representatives = true, .ended = r001_judge_ended};
