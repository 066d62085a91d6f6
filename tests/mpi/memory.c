/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No memory on one rank when a function is called first on a communicator: all ranks return, with
 * an error, and the next call works. No memory for data later: that rank has the error, and no other
 * waits for it. EMITTED is the file of an emitted allgather, FUNCTION its function,
 * HAS_DATA whether it needs memory at every call.
 * Prints a line as the emitted main does.
 */
#include <mpi.h>
#include <stdlib.h>

#include "expect.h"

static int is_exhausted;

static void *calloc_of_test(size_t n, size_t size)
{
    return is_exhausted ? NULL : calloc(n, size);
}

static void *malloc_of_test(size_t size)
{
    return is_exhausted ? NULL : malloc(size);
}

#define calloc calloc_of_test
#define malloc malloc_of_test
#include EMITTED
#undef calloc
#undef malloc

enum { MAX_RANKS = 16 };

static int call(MPI_Comm comm)
{
    int rank, all[MAX_RANKS];
    MPI_Comm_rank(comm, &rank);
    return FUNCTION(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
}

int main(int argc, char **argv)
{
    int rank, p;
    (void)calloc_of_test, (void)malloc_of_test; /* a file may need one of them only */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* MPICH's of a short message */
    for (int poor = 0; poor < p; poor++) {
        MPI_Comm comm;
        int class = MPI_SUCCESS;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        is_exhausted = rank == poor;
        MPI_Error_class(call(comm), &class);
        expect(class == MPI_ERR_NO_MEM, "an error on all ranks");
        is_exhausted = 0;
        expect(call(comm) == MPI_SUCCESS, "the next call");
        is_exhausted = rank == poor;
        MPI_Error_class(call(comm), &class);
        expect(class == (is_exhausted && HAS_DATA ? MPI_ERR_NO_MEM : MPI_SUCCESS), "no memory for data");
        is_exhausted = 0;
        expect(call(comm) == MPI_SUCCESS, "the call after that");
        MPI_Comm_free(&comm);
    }
    return conclude("memory");
}
