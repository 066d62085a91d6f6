/* SPDX-License-Identifier: BSD-3-Clause
 *
 * D001: ranks that wait for each other in a cycle. Sends are taken to be
 * rendezvous: the standard lets an MPI buffer them but never promises it (MPI 4.0,
 * section 3.5), so a schedule that needs buffering is wrong.
 */
#include "verify/internal.h"

enum { MAX_SHOWN_WAITS = 8 };

static const char *describe(struct verifier *verifier, const struct wait *cycle, size_t n)
{
    struct text text = {0};
    for (size_t k = 0; k < n && k < MAX_SHOWN_WAITS; k++) {
        const struct op *op = cycle[k].op;
        bool is_send = op->kind == OP_SEND;
        text_printf(&text, "%srank %u in step %llu %s rank %u, which %s it only in step %llu",
                    k ? "; " : "", op->rank, (unsigned long long)cycle[k].step,
                    is_send ? "sends to" : "receives from", op->peer,
                    is_send ? "receives" : "sends", (unsigned long long)cycle[k].reach);
    }
    if (n > MAX_SHOWN_WAITS)
        text_printf(&text, "; and %zu more ranks", n - MAX_SHOWN_WAITS);
    const char *result = diagnostics_text(verifier->diagnostics, "%s", text.data);
    text_free(&text);
    return result;
}

void rule_D001(struct verifier *verifier, const struct wait *cycle, size_t n)
{
    const struct op *op = cycle[0].op;
    if (diagnostics_only_counts(verifier->diagnostics, CODE_D001))
        return;
    struct diagnostic *finding =
        report(verifier->diagnostics, CODE_D001, schedule_position(verifier->schedule, op),
               n == 1 ? "rank %u waits for itself: %s" : "ranks wait for each other, from rank %u: %s",
               op->rank, describe(verifier, cycle, n));
    place_at_op(finding, op, cycle[0].step);
    finding->help = "post both operations of each pair in the same step";
}
