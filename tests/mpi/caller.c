/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a caller may do besides calling: the emitted alltoall among communicators
 * that come and go, receives of the caller that any message would match,
 * intercommunicators, and errors. EMITTED is the emitted file, FUNCTION its
 * function. Prints a line as the emitted main does.
 */
#include EMITTED

#include <stdio.h>
#include <string.h>

enum { MAX_RANKS = 16 };

static int n_cases, n_wrong;

static void expect(int is_right, const char *what)
{
    n_cases++;
    if (is_right)
        return;
    n_wrong++;
    printf("wrong: %s\n", what);
}

/* Whether an exchange of one integer per pair gives the right result. */
static int works(MPI_Comm comm)
{
    int from[MAX_RANKS], to[MAX_RANKS], rank, size, wrong = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; i++) {
        from[i] = 100 * rank + i;
        to[i] = -1;
    }
    if (FUNCTION(from, 1, MPI_INT, to, 1, MPI_INT, comm) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < size; i++)
        wrong += to[i] != 100 * i + rank;
    return wrong == 0;
}

/* Communicators must be given back: alone, a rank makes more than an MPI has
 * contexts for. */
static void test_communicators(void)
{
    int n_right = 0, size, n;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = size == 1 ? 5000 : 20;
    for (int i = 0; i < n; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        n_right += works(comm);
        MPI_Comm_free(&comm);
    }
    expect(n_right == n, "communicators made and freed");
}

static void test_wildcard(void)
{
    int rank, size, got = -1, done = 1;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    expect(works(MPI_COMM_WORLD), "result with a receive of the caller pending");
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    expect(!done && got == -1, "the caller's receive was left alone");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got == (rank + size - 1) % size, "the caller's receive got the caller's message");
}

static void test_intercommunicator(void)
{
    int rank, size, remote, mine[MAX_RANKS], theirs[MAX_RANKS], wrong = 0;
    MPI_Comm half, inter;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
    MPI_Comm_remote_size(inter, &remote);
    for (int i = 0; i < remote; i++)
        mine[i] = rank;
    expect(FUNCTION(mine, 1, MPI_INT, theirs, 1, MPI_INT, inter) == MPI_SUCCESS, "intercommunicator");
    for (int i = 0; i < remote; i++)
        wrong += theirs[i] != 2 * i + 1 - rank % 2;
    expect(wrong == 0, "data of an intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static int n_handled;

static void count_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm, (void)error;
    n_handled++;
}

static void test_errors(void)
{
    int data[MAX_RANKS] = {0}, result[MAX_RANKS], error;
    MPI_Comm comm;
    MPI_Errhandler handler;
    MPI_Datatype uncommitted;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    error = FUNCTION(data, -1, MPI_INT, result, -1, MPI_INT, comm);
    expect(error != MPI_SUCCESS && n_handled == 1, "negative count");
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    error = FUNCTION(data, 1, uncommitted, result, 1, uncommitted, comm);
    expect(error != MPI_SUCCESS && n_handled == 2, "uncommitted type");
    MPI_Type_free(&uncommitted);
    expect(works(comm), "result after errors");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, size, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    test_communicators();
    test_wildcard();
    test_intercommunicator();
    test_errors();
    MPI_Allreduce(&n_wrong, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && n == 0)
        printf("collc: a caller on %d ranks: ok (%d cases)\n", size, n_cases);
    MPI_Finalize();
    return n != 0;
}
