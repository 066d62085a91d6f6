/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Datatypes of sets that are kept with a communicator: made once for calls alike, right and few where
 * counts and types change, also where the handle of a type that was freed is another one's, and all freed
 * with the communicator. EMITTED is the file of an emitted alltoall that sends sets, FUNCTION its function.
 * Prints a line as the emitted main does.
 */
#include <mpi.h>
#include <stdlib.h>

#include "expect.h"

static int n_made, n_freed;

static int create_of_test(int n, const int *counts, const MPI_Aint *from, MPI_Datatype of, MPI_Datatype *type)
{
    n_made++;
    return PMPI_Type_create_hindexed(n, counts, from, of, type);
}

static int free_of_test(MPI_Datatype *type)
{
    n_freed++;
    return PMPI_Type_free(type);
}

#define PMPI_Type_create_hindexed create_of_test
#define PMPI_Type_free free_of_test
#include EMITTED
#undef PMPI_Type_create_hindexed
#undef PMPI_Type_free

enum { MAX_RANKS = 8, MAX_COUNT = 100, ROUNDS = 70 };

/* Calls it with n elements of k ints each in a row, of the type. */
static void call(int n, int k, MPI_Datatype type, MPI_Comm comm)
{
    static int from[MAX_RANKS * MAX_COUNT * 2], to[MAX_RANKS * MAX_COUNT * 2];
    int rank, p, n_right = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    for (int i = 0; i < p * n * k; i++) {
        from[i] = (rank * p + i / (n * k)) * 1000 + i % (n * k);
        to[i] = -1;
    }
    expect(FUNCTION(from, n, type, to, n, type, comm) == MPI_SUCCESS, "a call");
    for (int i = 0; i < p * n * k; i++)
        n_right += to[i] == (i / (n * k) * p + rank) * 1000 + i % (n * k);
    expect(n_right == p * n * k, "what has come");
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int n_first;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    call(10, 1, MPI_INT, comm);
    n_first = n_made;
    expect(n_first > 0 && n_freed == 0, "types that are made and kept");
    call(10, 1, MPI_INT, comm);
    expect(n_made == n_first && n_freed == 0, "types that are used again");
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Datatype type;
        MPI_Type_contiguous(1 + i % 2, MPI_INT, &type);
        MPI_Type_commit(&type);
        call(10, 1 + i % 2, type, comm);
        expect(n_made - n_freed == n_first, "no type of a caller's is kept");
        MPI_Type_free(&type);
    }
    for (int i = 0; i < ROUNDS; i++) {
        call(10 + i, 1, MPI_INT, comm);
        expect(n_made - n_freed <= 64, "types that are kept are few");
    }
    call(10, 1, MPI_INT, comm);
    MPI_Comm_free(&comm);
    expect(n_made == n_freed, "types go with the communicator");
    return conclude("kept");
}
