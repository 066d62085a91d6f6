/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main of emitted C, for test.c and test_barrier.c.
 */
int main(int argc, char **argv)
{
    int rank, p, n_wrong;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    collc_test_counts(argc - 1, argv + 1);
    PMPI_Allreduce(&collc_n_wrong, &n_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && n_wrong == 0) {
        printf("collc: %s on %d ranks: ok (%d cases)\n", collc_name, p, collc_n_cases);
#if PATTERN
        if (collc_n_delegated > 0)
            printf("collc: %d of them do nothing: the pattern is not defined for them\n",
                   collc_n_delegated);
#else
        if (collc_n_delegated > 0)
            printf("collc: %d of them by the MPI's own collective%s\n", collc_n_delegated,
                   collc_n_delegated < collc_n_cases
                       ? ""
                       : ": the algorithm is not for these ranks and hosts, and was not tested");
#endif
    }
    MPI_Finalize();
    return n_wrong != 0;
}
