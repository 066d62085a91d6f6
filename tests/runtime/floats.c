/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     floats LIBRARY...
 *
 * Asks the MPI_Allreduce of each preload library for sums of floats of unlike size, and compares the bits
 * that ranks get. Rank 0 prints a line for each library: its name, the elements that differ on some rank,
 * and those that are far from the sum of the MPI. Ranks call with 1 element, with fewer elements than
 * ranks, and with many.
 */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static int rank, n_ranks;

static void check(allreduce *call, int n, int *n_unlike, int *n_far)
{
    float *in = malloc(sizeof *in * (size_t)n), *out = malloc(sizeof *out * (size_t)n);
    float *first = malloc(sizeof *first * (size_t)n), *right = malloc(sizeof *right * (size_t)n);
    srand((unsigned)rank + 1);
    for (int i = 0; i < n; i++)
        in[i] = (float)rand() / (float)RAND_MAX * (i % 7 ? 1e-3f : 1e4f);
    call(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(in, right, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    memcpy(first, out, sizeof *out * (size_t)n);
    PMPI_Bcast(first, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        *n_unlike += memcmp(&first[i], &out[i], sizeof *out) != 0;
        *n_far += !(fabsf(right[i] - out[i]) <= 1e-5f * fabsf(right[i]));
    }
    free(in);
    free(out);
    free(first);
    free(right);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        allreduce *call;
        *(void **)&call = library ? dlsym(library, "MPI_Allreduce") : NULL;
        int found[2] = {0, 0}, all[2];
        if (!call) {
            fprintf(stderr, "%s: %s\n", argv[i], dlerror());
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        check(call, 1, &found[0], &found[1]);
        check(call, n_ranks > 2 ? n_ranks - 1 : 2, &found[0], &found[1]);
        check(call, 3001, &found[0], &found[1]);
        PMPI_Reduce(found, all, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%s %d %d\n", argv[i], all[0], all[1]);
    }
    MPI_Finalize();
    return 0;
}
