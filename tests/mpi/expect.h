/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counted expectations, shared by the programs that call emitted functions.
 */
#ifndef COLLC_TESTS_MPI_EXPECT_H
#define COLLC_TESTS_MPI_EXPECT_H

#include <mpi.h>
#include <stdio.h>

static int n_cases, n_wrong;

static void expect(int is_right, const char *what)
{
    n_cases++;
    if (is_right)
        return;
    n_wrong++;
    printf("wrong: %s\n", what);
}

/* Ends MPI. Rank 0 prints a line as the emitted main does, if nothing was wrong on any rank; returns
 * the exit status. */
static int conclude(const char *name)
{
    int rank, p, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Allreduce(&n_wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        printf("collc: %s on %d ranks: ok (%d cases)\n", name, p, n_cases);
    MPI_Finalize();
    return all != 0;
}

#endif
