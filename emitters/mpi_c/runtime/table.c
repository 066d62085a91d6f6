/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loop over a table of operations, one line for each step of a rank.
 */
static void collc_do(struct collc_run *run, const struct collc_op *op)
{
    switch (op->kind) {
#if DATA
#if SEND
    case 's':
        collc_send(run, op->buffer, op->chunk, op->n_chunks, op->peer);
        break;
#endif
#if RECV
    case 'r':
        collc_recv(run, op->buffer, op->chunk, op->n_chunks, op->peer);
        break;
#endif
#if RECV_REDUCE
    case '+':
        collc_reduce(run, op->buffer, op->chunk, op->n_chunks, op->peer);
        break;
#endif
#if COPY
    case 'c':
        collc_copy(run, op->buffer, op->chunk, op->n_chunks, op->to_buffer, op->peer);
        break;
#endif
#if COMBINE
    case 'l':
        collc_combine_local(run, op->buffer, op->chunk, op->n_chunks, op->to_buffer, op->peer);
        break;
#endif
#if SETS
    case 'p':
    case 'q':
    case 'm':
        collc_begin_set(run,
                        op->kind == 'p'   ? collc_is_send
                        : op->kind == 'q' ? collc_is_recv
                                          : collc_is_reduce,
                        op->buffer, op->peer);
        for (int i = 0; i < op->n_chunks; i++)
            collc_part(run, collc_ranges[op->chunk + i][0], collc_ranges[op->chunk + i][1]);
        collc_end_set(run);
        break;
#endif
#if SIGNAL
    case 'S':
        collc_signal(run, collc_is_send, op->peer);
        break;
    case 'R':
        collc_signal(run, collc_is_recv, op->peer);
        break;
#endif
#else
#if SEND
    case 's':
        collc_send(run, op->peer);
        break;
#endif
#if RECV
    case 'r':
        collc_recv(run, op->peer);
        break;
#endif
#endif
    default:
        break;
    }
    if (op->ends_step)
        collc_end_step(run);
}

static void collc_steps(struct collc_run *run)
{
    for (int64_t i = collc_first[run->rank]; i < collc_first[run->rank + 1]; i++)
        collc_do(run, &collc_ops[i]);
}

