/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communication of an alternating-direction solver on a grid of 4 x 4 ranks, as the ADI programs of the NAS
 * Parallel Benchmarks have it: in each of 10 iterations a rank exchanges borders of 32 KiB with its two neighbours in the row,
 * and transposes 64 KiB with each rank of its column; then all agree on a residual. Ranks are numbered row by row.
 */
#include <mpi.h>
#include <stdlib.h>

enum { WIDTH = 4, ITERATIONS = 10, BORDER = 32 << 10, TILE = 64 << 10 };

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Comm row, column;
    double residual = 1, most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if (n != WIDTH * WIDTH)
        MPI_Abort(MPI_COMM_WORLD, 1);
    char *sent = calloc(WIDTH, TILE), *received = calloc(WIDTH, TILE);
    MPI_Comm_split(MPI_COMM_WORLD, rank / WIDTH, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % WIDTH, rank, &column);
    const int right = (rank % WIDTH + 1) % WIDTH, left = (rank % WIDTH + WIDTH - 1) % WIDTH;
    for (int i = 0; i < ITERATIONS; i++) {
        MPI_Sendrecv(sent, BORDER, MPI_CHAR, right, 0, received, BORDER, MPI_CHAR, left, 0, row,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(sent, BORDER, MPI_CHAR, left, 1, received, BORDER, MPI_CHAR, right, 1, row,
                     MPI_STATUS_IGNORE);
        MPI_Alltoall(sent, TILE, MPI_CHAR, received, TILE, MPI_CHAR, column);
        MPI_Allreduce(&residual, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    free(sent);
    free(received);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
