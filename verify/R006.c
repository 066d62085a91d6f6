/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R006: wrong data: at the end a chunk of the result holds something else than MPI
 * requires, a reduction combines chunks that do not belong together, or the input would
 * be something else under MPI_IN_PLACE.
 */
#include "verify/internal.h"

void rule_R006_in_place(struct data *data, const struct op *op, uint64_t step, uint32_t segment)
{
    struct verifier *verifier = data->verifier;
    uint32_t in, out;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R006))
        return;
    schedule_in_place(data->header, op->rank, &in, &out);
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R006, schedule_position(verifier->schedule, op),
               "rank %u %s in[%u] in step %llu; in place that is out[%u], which holds other data by "
               "then",
               op->rank, op_is_local(op) ? "copies" : "sends", in + segment,
               (unsigned long long)step, out + segment);
    place_at_op(finding, op, step);
    finding->help = "write out[r] of rank r last, or receive into 'tmp' what does not belong there";
}

void rule_R006_extra(struct data *data, uint32_t rank, enum buffer buffer,
                     const struct run *holds, uint64_t required)
{
    struct diagnostics *diagnostics = data->verifier->diagnostics;
    uint32_t n;
    if (diagnostics_only_counts(diagnostics, CODE_R006))
        return;
    uint32_t extra = rank_set_missing(&data->sets, holds->set, required, &n);
    struct diagnostic *finding =
        report(diagnostics, CODE_R006, whole_schedule(data->verifier),
               "%s[%u] of rank %u ends with the contribution of rank %u%s, which is no part of it",
               buffer_name[buffer], holds->first, rank, extra,
               n > 1 ? diagnostics_text(diagnostics, " (and %u more rank%s)", n - 1, plural(n - 1)) : "");
    finding->place.rank = rank;
    finding->place.peer = extra;
    finding->help = "the result of a scan is combined over the ranks up to the rank, of an exscan "
                    "over those below it";
    trace_chunk(data->verifier, finding, rank, buffer, holds->first);
}

void rule_R006(struct data *data, uint32_t rank, const struct op *op, uint64_t step,
               enum buffer buffer, uint32_t chunk, const struct run *holds)
{
    struct verifier *verifier = data->verifier;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R006))
        return;
    struct run required = {0};
    struct diagnostic *finding;
    data_required(data, rank, buffer, chunk, &required);
    if (op) {
        finding = report(verifier->diagnostics, CODE_R006, schedule_position(verifier->schedule, op),
                         "rank %u combines %s into %s[%u] in step %llu, which holds other data",
                         rank, datum_text(data, holds->datum), buffer_name[buffer], chunk,
                         (unsigned long long)step);
        place_at_op(finding, op, step);
    } else {
        finding = report(verifier->diagnostics, CODE_R006, whole_schedule(verifier),
                         "%s[%u] of rank %u ends with %s instead of %s", buffer_name[buffer], chunk,
                         rank, datum_text(data, holds->datum), datum_text(data, required.datum));
        trace_chunk(verifier, finding, rank, buffer, chunk);
    }
    finding->place.rank = rank;
    finding->help = "check the chunk numbers of the send and of the receive";
}
