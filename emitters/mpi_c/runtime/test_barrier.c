/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tests in the main of an emitted barrier (test_main.c). A barrier has no result: no rank may leave
 * before the last one, which comes late, has entered.
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char collc_name[] = COLLC_NAME;

/* --- no rank may leave before the last has entered --- */

static int collc_n_cases, collc_n_wrong;

static double collc_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now); /* one clock for all ranks of a machine */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void collc_try(MPI_Comm comm, int late, int shares_clock)
{
    int rank, error;
    double entered, left, last;

    MPI_Comm_rank(comm, &rank);
    PMPI_Barrier(comm);
    for (entered = collc_now(); rank == late && collc_now() < entered + 0.002;)
        ;
    entered = collc_now();
    error = COLLC_FUNCTION(comm);
    left = collc_now();
    PMPI_Allreduce(&entered, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    collc_n_cases++;
    if (error == MPI_SUCCESS && (left >= last || !shares_clock))
        return;
    if (collc_n_wrong++ == 0)
        printf("collc: %s: rank %d: error %d; left %.0f us before rank %d had entered\n",
               collc_name, rank, error, (last - left) * 1e6, late);
}

static void collc_test_counts(int n_counts, char **counts)
{
    MPI_Comm machine, reversed;
    int p, rank, on_machine;

    (void)n_counts, (void)counts;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_machine);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    for (int i = 0; i < 3 * p; i++)
        collc_try(i % 3 == 2 ? reversed : MPI_COMM_WORLD, i / 3, on_machine == p);
    MPI_Comm_free(&machine);
    MPI_Comm_free(&reversed);
}

