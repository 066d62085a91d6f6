/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of collectives, for programs that measure or watch an MPI: our driver (driver.c), and what the tests
 * compare tables with (tests/runtime/tables_spy.c). Included once by a program.
 */
#include <mpi.h>
#include <stddef.h>

/* `count` elements of `type` to or from each rank, or in all; the root is rank 0. */
struct call {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    int rank, n, count;
    int is_in_place;  /* MPI_IN_PLACE; of gather at the root */
    int is_ignored;   /* of scatter: ranks other than the root pass nothing for what they send */
    char *in, *out;   /* count x n elements each */
    int *counts, *starts;
};

static const void *send_buffer(const struct call *call)
{
    return call->is_in_place ? MPI_IN_PLACE : call->in;
}

#define UNLESS(is_left_out) (is_left_out) ? 0 : call->count, (is_left_out) ? MPI_DATATYPE_NULL : call->type
#define SENT UNLESS(call->is_in_place)
static int call_allgather(const struct call *call)
{
    return MPI_Allgather(send_buffer(call), SENT, call->out, call->count, call->type, call->comm);
}
static int call_allgatherv(const struct call *call)
{
    return MPI_Allgatherv(send_buffer(call), SENT, call->out, call->counts, call->starts, call->type,
                          call->comm);
}
static int call_alltoall(const struct call *call)
{
    return MPI_Alltoall(send_buffer(call), SENT, call->out, call->count, call->type, call->comm);
}
static int call_allreduce(const struct call *call)
{
    return MPI_Allreduce(send_buffer(call), call->out, call->count, call->type, call->op, call->comm);
}
static int call_alltoallv(const struct call *call)
{
    return MPI_Alltoallv(call->in, call->counts, call->starts, call->type, call->out, call->counts,
                         call->starts, call->type, call->comm);
}
static int call_barrier(const struct call *call)
{
    return MPI_Barrier(call->comm);
}
static int call_bcast(const struct call *call)
{
    return MPI_Bcast(call->out, call->count, call->type, 0, call->comm);
}
static int call_exscan(const struct call *call)
{
    return MPI_Exscan(call->in, call->out, call->count, call->type, call->op, call->comm);
}
static int call_gather(const struct call *call)
{
    const int is_left_out = call->is_in_place && call->rank == 0;
    return MPI_Gather(is_left_out ? MPI_IN_PLACE : call->in, UNLESS(is_left_out), call->out, call->count,
                      call->type, 0, call->comm);
}
static int call_reduce(const struct call *call)
{
    return MPI_Reduce(call->in, call->out, call->count, call->type, call->op, 0, call->comm);
}
static int call_reduce_scatter(const struct call *call)
{
    return MPI_Reduce_scatter(call->in, call->out, call->counts, call->type, call->op, call->comm);
}
static int call_reduce_scatter_block(const struct call *call)
{
    return MPI_Reduce_scatter_block(call->in, call->out, call->count, call->type, call->op, call->comm);
}
static int call_scan(const struct call *call)
{
    return MPI_Scan(call->in, call->out, call->count, call->type, call->op, call->comm);
}
static int call_scatter(const struct call *call)
{
    const int is_left_out = call->is_ignored && call->rank != 0;
    return MPI_Scatter(is_left_out ? NULL : call->in, UNLESS(is_left_out), call->out, call->count, call->type,
                       0, call->comm);
}

/* Combines bytes; to be made an operation that does not commute. */
static void combine(void *from, void *to, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n * size; i++)
        ((unsigned char *)to)[i] |= ((unsigned char *)from)[i];
}
