/* SPDX-License-Identifier: BSD-3-Clause
 *
 * No memory on one rank when a function is called first on a communicator: where servers are to be
 * found out, all ranks return with an error, and the next call works. No memory for data: that rank
 * has the error, those that get no data of it may have one, and none waits for it. EMITTED is the
 * file of an emitted allgather, FUNCTION its function, HAS_SERVERS and HAS_DATA say what it needs
 * memory for, at the first and at every call.
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

/* The rank without memory has the error; others may be told that its data did not come. */
static void expect_poor(int class)
{
    if (is_exhausted && HAS_DATA)
        expect(class == MPI_ERR_NO_MEM, "no memory for data");
    else
        expect(class == MPI_SUCCESS || (HAS_DATA && class == MPI_ERR_OTHER), "no memory elsewhere");
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
        if (HAS_SERVERS)
            expect(class == MPI_ERR_NO_MEM, "an error on all ranks");
        else
            expect_poor(class);
        is_exhausted = 0;
        expect(call(comm) == MPI_SUCCESS, "the next call");
        is_exhausted = rank == poor;
        MPI_Error_class(call(comm), &class);
        expect_poor(class);
        is_exhausted = 0;
        expect(call(comm) == MPI_SUCCESS, "the call after that");
        MPI_Comm_free(&comm);
    }
    return conclude("memory");
}
