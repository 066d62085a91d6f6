/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tells rules what happens in a step. Closed steps (execution.c), what is left over (backlog.c,
 * stuck.c), representatives (symmetric.c) and parts (parts.c) call these functions, so a rule hears
 * the same on all of these paths. What rules hear of data comes from data.c on all of them.
 */
#include "verify/internal.h"

static void offer_rows(const struct verifier *verifier, const struct step *step,
                       const struct op *op)
{
    for (uint32_t i = 0; i < op->n_chunks; i++) {
        const struct copy_row *row = &step->rows[op->chunk + i];
        for (uint32_t k = 0; k < row->n; k++) {
            const struct op one = copy_row_op(row, op->rank, k);
            offer_op(verifier, &(struct fact_op){&one, step->index});
        }
    }
}

static void offer_ops(const struct verifier *verifier, const struct step *step,
                      const struct op *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ops[i].kind == OP_COPIES)
            offer_rows(verifier, step, &ops[i]);
        else
            offer_op(verifier, &(struct fact_op){&ops[i], step->index});
    }
}

void events_step(const struct verifier *verifier, const struct step *step)
{
    offer_step(verifier, &(struct fact_step){step});
    if (!verifier->asked[FACT_op].n)
        return;
    offer_ops(verifier, step, step->copies, step->n_copies);
    offer_ops(verifier, step, step->sends, step->n_sends);
    offer_ops(verifier, step, step->receives, step->n_receives);
}

/* Returns whether a receive may meet another operation of its rank, of two or more. Most ranks send
 * and then receive, which the first line sees. */
static bool may_clash(const struct schedule_header *header, const struct op *const *ops, size_t n)
{
    if (ops[n - 1]->kind == OP_RECV && ops[0]->buffer == ops[n - 1]->buffer)
        return true;
    size_t n_receives = 0;
    unsigned sent = 0, received = 0; /* buffers, as bits */
    uint32_t in, out;
    for (size_t i = 0; i < n; i++) {
        const unsigned buffer = 1u << ops[i]->buffer;
        n_receives += ops[i]->kind != OP_SEND;
        sent |= ops[i]->kind == OP_SEND ? buffer : 0;
        received |= ops[i]->kind == OP_RECV ? buffer : 0;
    }
    if ((sent & 1u << BUFFER_IN) && schedule_in_place(header, ops[0]->rank, &in, &out))
        sent |= 1u << BUFFER_OUT;
    return n_receives > 1 || (sent & received) != 0;
}

bool events_posted(const struct verifier *verifier, const struct op *const *ops, size_t n,
                   uint64_t step)
{
    return n > 1 && may_clash(&verifier->schedule->header, ops, n) &&
           offer_posted(verifier, &(struct fact_posted){ops, n, step});
}

void events_message(const struct verifier *verifier, const struct op *send, uint64_t send_step,
                    const struct op *receive, uint64_t step)
{
    offer_message(verifier, &(struct fact_message){send, receive, send_step, step});
}

bool events_unequal(const struct verifier *verifier, const struct op *send, uint64_t send_step,
                    const struct op *receive, uint64_t step)
{
    if (send->n_chunks == receive->n_chunks)
        return false;
    offer_unequal(verifier, &(struct fact_unequal){send, receive, send_step, step});
    return true;
}
