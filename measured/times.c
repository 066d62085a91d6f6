/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures collectives of the MPI and prints their times in the form of the OSU micro-benchmarks, for
 * `collc why` (tests/runtime/why.sh).
 *
 *   times REPETITIONS COLLECTIVE... -- BYTES...
 *
 * A time is that of the slowest rank, each from leaving a barrier, the median of the repetitions; a first
 * call, in which connections are made, does not count.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct test {
    const char *name, *title;
} tests[] = {{"alltoall", "All-to-All Personalized Exchange"},
             {"allgather", "Allgather"},
             {"allreduce", "Allreduce"},
             {"bcast", "Broadcast"},
             {"gather", "Gather"}};

static int call(const char *name, void *out, void *in, int bytes)
{
    if (strcmp(name, "alltoall") == 0)
        return MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    if (strcmp(name, "allgather") == 0)
        return MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    if (strcmp(name, "allreduce") == 0)
        return MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(name, "bcast") == 0)
        return MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    return MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* Seconds of the slowest rank. */
static double time_of(const char *name, int repetitions, int bytes)
{
    int n_ranks;
    double median;

    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    char *out = calloc((size_t)bytes, (size_t)n_ranks), *in = calloc((size_t)bytes, (size_t)n_ranks);
    double *times = malloc(sizeof *times * (size_t)repetitions);
    if (!out || !in || !times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    call(name, out, in, bytes);
    for (int i = 0; i < repetitions; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double time = MPI_Wtime();
        call(name, out, in, bytes);
        time = MPI_Wtime() - time;
        MPI_Allreduce(&time, &times[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(times, (size_t)repetitions, sizeof *times, by_value);
    median = times[repetitions / 2];
    free(out);
    free(in);
    free(times);
    return median;
}

int main(int argc, char **argv)
{
    int rank, n_names = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (n_names + 2 < argc && strcmp(argv[n_names + 2], "--") != 0)
        n_names++;
    for (int i = 0; i < n_names; i++)
        for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
            if (strcmp(tests[t].name, argv[i + 2]) != 0)
                continue;
            if (rank == 0)
                printf("\n# OSU MPI %s Latency Test v7.4\n# Size       Avg Latency(us)\n", tests[t].title);
            for (int k = n_names + 3; k < argc; k++) {
                const double time = time_of(tests[t].name, atoi(argv[1]), atoi(argv[k]));
                if (rank == 0)
                    printf("%-10s %18.2f\n", argv[k], time * 1e6);
                fflush(stdout);
            }
        }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
