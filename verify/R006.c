/* SPDX-License-Identifier: BSD-3-Clause
 *
 * R006: wrong data: at the end a chunk of the result holds something else than MPI
 * requires, a reduction combines chunks that do not belong together, or the input would
 * be something else under MPI_IN_PLACE.
 */
#include "verify/internal.h"

void rule_R006_in_place(struct data *data, const struct op *op, uint64_t step)
{
    struct verifier *verifier = data->verifier;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_R006))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_R006, schedule_position(verifier->schedule, op),
               "rank %u %s in[0] in step %llu; in place that is out[%u], which holds other data by "
               "then",
               op->rank, op->kind == OP_COPY ? "copies" : "sends", (unsigned long long)step,
               op->rank);
    finding->place.rank = op->rank;
    finding->place.peer = op->kind == OP_COPY ? -1 : (int64_t)op->peer;
    finding->place.step = (int64_t)step;
    finding->help = "write out[r] of rank r last, or receive into 'tmp' what does not belong there";
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
        finding->place.peer = op->peer;
        finding->place.step = (int64_t)step;
    } else {
        finding = report(verifier->diagnostics, CODE_R006, whole_schedule(verifier),
                         "%s[%u] of rank %u ends with %s instead of %s", buffer_name[buffer], chunk,
                         rank, datum_text(data, holds->datum), datum_text(data, required.datum));
        trace_chunk(verifier, finding, rank, buffer, chunk);
    }
    finding->place.rank = rank;
    finding->help = "check the chunk numbers of the send and of the receive";
}
