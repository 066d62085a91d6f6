/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of somebody else's: four broadcasts. Each rank prints its argument, if it has one.
 */
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static int data[5000];
    MPI_Init(&argc, &argv);
    MPI_Bcast(data, 100, MPI_INT, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Bcast(data, 5000, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 1 && printf("%s\n", argv[1]) < 0;
}
