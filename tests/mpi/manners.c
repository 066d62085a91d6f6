/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Emitted functions in a program that is not made for them: cut data at MPI_BOTTOM, an
 * error at the root only, more communicators than an MPI has contexts for twice, tools that watch
 * the calls of MPI, calls with nothing to do, data too short to be cut, and one keyval for all files, which
 * is freed. The emitted files are compiled with counted.h. Prints a line as the emitted main does.
 *
 * With an argument it calls a collective before MPI_Init, which has to end with the MPI's own
 * message.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "expect.h"

enum { MAX_RANKS = 16, MANY = 1500, SEGMENTS = 5 };

/* The emitted functions: a chain in SEGMENTS segments, an allgather in 3, a direct alltoall, an
 * allreduce that combines in any order. */
int spread(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);
int collect(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
            MPI_Datatype recvtype, MPI_Comm comm);
int exchange(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm);
int sum_up(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
          MPI_Comm comm);

int counted_isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);

int counted_send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);

static int n_sent, n_watched, rank, p;

int counted_isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    n_sent++;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int counted_send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    n_sent++;
    return PMPI_Send(data, count, type, to, tag, comm);
}

static int n_keyvals, n_keyvals_made;

int counted_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *forget,
                          int *keyval, void *extra);
int counted_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *forget,
                          int *keyval, void *extra)
{
    n_keyvals++;
    n_keyvals_made++;
    return PMPI_Comm_create_keyval(copy, forget, keyval, extra);
}

int counted_free_keyval(int *keyval);
int counted_free_keyval(int *keyval)
{
    n_keyvals--;
    return PMPI_Comm_free_keyval(keyval);
}

/* Counts messages, as a tool would see them. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    n_watched++;
    return counted_isend(data, count, type, to, tag, comm, request);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    n_watched++;
    return counted_send(data, count, type, to, tag, comm);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    n_watched++;
    return PMPI_Wait(request, status);
}

int MPI_Sendrecv(const void *from, int n_from, MPI_Datatype from_type, int to_rank, int tag, void *to,
                 int n_to, MPI_Datatype to_type, int from_rank, int from_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    n_watched++;
    return PMPI_Sendrecv(from, n_from, from_type, to_rank, tag, to, n_to, to_type, from_rank, from_tag,
                         comm, status);
}

/* A type of `n` integers at that address. */
static MPI_Datatype type_at(int *data, int n)
{
    MPI_Aint address;
    MPI_Datatype type;
    MPI_Get_address(data, &address);
    MPI_Type_create_hindexed(1, &n, &address, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void test_bottom(void)
{
    int data[4] = {0}, all[4 * MAX_RANKS] = {0}, n_right = 0;
    MPI_Datatype from = type_at(data, 4), to = type_at(all, 4 * p);
    for (int i = 0; i < 4; i++)
        data[i] = rank == 0 ? i + 1 : -1;
    if (rank % 2)
        spread(data, 4, MPI_INT, 0, MPI_COMM_WORLD);
    else
        spread(MPI_BOTTOM, 1, from, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        n_right += data[i] == i + 1;
    expect(n_right == 4, "bcast of MPI_BOTTOM, cut");
    for (int i = 0; i < 4; i++)
        data[i] = 10 * rank + i;
    if (rank % 2)
        collect(data, 4, MPI_INT, all, 4, MPI_INT, MPI_COMM_WORLD);
    else
        collect(MPI_BOTTOM, 1, from, all, 4, MPI_INT, MPI_COMM_WORLD);
    n_right = 0;
    for (int i = 0; i < 4 * p; i++)
        n_right += all[i] == 10 * (i / 4) + i % 4;
    expect(n_right == 4 * p, "allgather of MPI_BOTTOM, cut");
    MPI_Type_free(&from);
    MPI_Type_free(&to);
}

/* No rank is left waiting, whoever has the error, and none takes what it got for the data. */
static void test_uncommitted(void)
{
    int data[4] = {0}, error, error_after, of_root = rank == 0;
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Type_contiguous(4, MPI_INT, &type);
    if (!of_root)
        MPI_Type_commit(&type);
    error = spread(data, 1, type, 0, comm);
    expect(error != MPI_SUCCESS, "a type that is not committed, at the root: all are told");
    error_after = spread(data, 4, MPI_INT, 0, comm);
    expect(error_after == MPI_SUCCESS, "the call after it");
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
}

static int works(MPI_Comm comm)
{
    int value = rank == 0, sum = 0, from[MAX_RANKS] = {0}, to[MAX_RANKS], all[MAX_RANKS];
    return spread(&value, 1, MPI_INT, 0, comm) == MPI_SUCCESS &&
           sum_up(&value, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS &&
           exchange(from, 1, MPI_INT, to, 1, MPI_INT, comm) == MPI_SUCCESS &&
           collect(&rank, 1, MPI_INT, all, 1, MPI_INT, comm) == MPI_SUCCESS && value == 1 &&
           sum == p && to[p - 1] == 0 && all[p - 1] == p - 1;
}

/* MPICH has 2048 contexts, Open MPI more than anybody needs. */
static void test_communicators(void)
{
    static MPI_Comm comm[4 * MANY];
    int n = 0, n_works = 0, limit = MANY, error = MPI_SUCCESS;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    while (n < MANY && MPI_Comm_dup(MPI_COMM_WORLD, &comm[n]) == MPI_SUCCESS)
        n_works += works(comm[n++]);
    expect(n == MANY && n_works == MANY, "communicators, all in use");
#ifdef MPICH
    limit = 4 * MANY;
#endif
    while (n < limit && (error = MPI_Comm_dup(MPI_COMM_WORLD, &comm[n])) == MPI_SUCCESS)
        n++;
    expect(error == MPI_SUCCESS || works(comm[n - 1]), "no context left for a private communicator");
    while (n > 0)
        MPI_Comm_free(&comm[--n]);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Tools see the collective, not what it is made of. */
static void test_watched(void)
{
    n_watched = n_sent = 0;
    expect(works(MPI_COMM_WORLD) && n_sent > 0, "messages are counted");
    expect(n_watched == 0, "messages that a tool does not see");
}

/* All files share the keyval that test_watched has made sure of. */
static void test_keyvals(void)
{
    n_keyvals_made = 0;
    expect(works(MPI_COMM_WORLD) && n_keyvals == 1 && n_keyvals_made == 0, "one keyval for all files");
}

static void test_nothing(void)
{
    int data[MAX_RANKS] = {0}, result[MAX_RANKS], error = MPI_SUCCESS;
    MPI_Datatype none;
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_commit(&none);
    n_sent = 0;
    error |= spread(data, 0, MPI_INT, 0, MPI_COMM_WORLD);
    error |= spread(data, 3, none, 0, MPI_COMM_WORLD);
    error |= collect(data, 0, MPI_INT, result, 0, MPI_INT, MPI_COMM_WORLD);
    error |= exchange(data, 0, MPI_INT, result, 0, MPI_INT, MPI_COMM_WORLD);
    error |= sum_up(data, result, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(error == MPI_SUCCESS && n_sent == 0, "calls without data");
    MPI_Type_free(&none);
}

/* As many messages as segments that are worth it. */
static void test_short(void)
{
    static char data[1 << 20];
    const int is_last = rank == p - 1;
    n_sent = 0;
    spread(data, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    expect(n_sent == !is_last, "8 bytes in one message");
    n_sent = 0;
    spread(data, 1 << 20, MPI_BYTE, 0, MPI_COMM_WORLD);
    expect(n_sent == (is_last ? 0 : SEGMENTS), "a MiB in segments");
}

#ifdef MPICH
/* Open MPI does not look. */
static void test_aliases(void)
{
    int data[MAX_RANKS] = {0}, error, class = MPI_SUCCESS;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = sum_up(data, data, 1, MPI_INT, MPI_SUM, comm);
    MPI_Error_class(error, &class);
    expect(class == MPI_ERR_BUFFER, "the MPI says that buffers are the same");
    MPI_Comm_free(&comm);
}
#endif

int main(int argc, char **argv)
{
    if (argc > 1) {
        int data[MAX_RANKS] = {0}, result[MAX_RANKS];
        return sum_up(data, result, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (p > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    test_bottom();
    test_uncommitted();
    test_watched();
    test_keyvals();
    test_nothing();
    test_short();
#ifdef MPICH
    test_aliases();
#endif
    test_communicators();
    const int is_wrong = conclude("manners"); /* which ends MPI, and with it the attributes */
    return is_wrong || n_keyvals != 0;
}
