/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures an all-to-all: one of schedules.def, which scripts/netns-alltoall writes, or `own`, the MPI's.
 *
 *   alltoall NAME REPETITIONS BYTES...     BYTES are those of each pair of ranks
 *
 * One in a launch, as connections remember what was lost on them. A time is that of the slowest rank,
 * each from leaving a barrier. What arrives is compared, byte by byte, after each call. Rank 0 prints a
 * line `NAME BYTES MEDIAN LEAST` for each size, in nanoseconds; wrong data is a message and exit status 1.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int all_to_all(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

#define SCHEDULE(function, name) all_to_all function;
#include "schedules.def"
#undef SCHEDULE

static const struct candidate {
    all_to_all *function;
    const char *name;
} candidates[] = {
    {MPI_Alltoall, "own"},
#define SCHEDULE(function, name) {function, name},
#include "schedules.def"
};

enum { N_CANDIDATES = sizeof candidates / sizeof *candidates };

static int n_ranks, rank;

static void say(const char *what, const char *name, size_t bytes)
{
    fprintf(stderr, "alltoall: rank %d: %s (%s, %zu bytes)\n", rank, what, name, bytes);
}

static void fail(const char *what, const char *name, size_t bytes)
{
    say(what, name, bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Ends the program on all ranks if the data is wrong on one; the first such rank says so. There is no
 * MPI_Abort, as Hydra may drop the last output of an aborted rank. Collective. */
static void expect_right(int is_right, const char *name, size_t bytes)
{
    int wrong = is_right ? n_ranks : rank, first;

    MPI_Allreduce(&wrong, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == n_ranks)
        return;
    if (rank == first)
        say("wrong data", name, bytes);
    MPI_Finalize();
    exit(1);
}

/* Byte number i of the block from source to target in a call. */
static unsigned char byte_of(int source, int target, size_t i, int call)
{
    return (unsigned char)((unsigned)source * 59 + (unsigned)target * 83 + (unsigned)call * 31 + i * 7 +
                           (i >> 8));
}

/* Nanoseconds of a call, the same on all ranks. */
static double time_call(const struct candidate *candidate, unsigned char *out, unsigned char *in,
                        size_t bytes, int call)
{
    double begin, time, longest;
    int is_right = 1;

    for (size_t i = 0; i < bytes * (size_t)n_ranks; i++)
        out[i] = byte_of(rank, (int)(i / bytes), i % bytes, call);
    memset(in, ~byte_of(0, rank, 0, call), bytes * (size_t)n_ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (candidate->function(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD) !=
        MPI_SUCCESS)
        fail("the call failed", candidate->name, bytes);
    time = MPI_Wtime() - begin;
    for (size_t i = 0; i < bytes * (size_t)n_ranks; i++)
        is_right &= in[i] == byte_of((int)(i / bytes), rank, i % bytes, call);
    expect_right(is_right, candidate->name, bytes);
    MPI_Allreduce(&time, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest * 1e9;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

/* A first call, in which connections are made, does not count. */
static void measure(const struct candidate *candidate, int repetitions, size_t bytes)
{
    unsigned char *out = malloc(bytes * (size_t)n_ranks), *in = malloc(bytes * (size_t)n_ranks);
    double *times = malloc(sizeof *times * (size_t)repetitions);

    if (!out || !in || !times)
        fail("no memory", candidate->name, bytes);
    time_call(candidate, out, in, bytes, repetitions);
    for (int call = 0; call < repetitions; call++)
        times[call] = time_call(candidate, out, in, bytes, call);
    qsort(times, (size_t)repetitions, sizeof *times, by_value);
    if (rank == 0)
        printf("%s %zu %.0f %.0f\n", candidate->name, bytes, times[repetitions / 2], times[0]);
    fflush(stdout);
    free(out);
    free(in);
    free(times);
}

int main(int argc, char **argv)
{
    const struct candidate *candidate = candidates;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    while (candidate < candidates + N_CANDIDATES && (argc < 2 || strcmp(candidate->name, argv[1]) != 0))
        candidate++;
    if (candidate == candidates + N_CANDIDATES || argc < 4 || atoi(argv[2]) < 1)
        fail("no such schedule, or no sizes", argc < 2 ? "" : argv[1], 0);
    for (int i = 3; i < argc; i++)
        measure(candidate, atoi(argv[2]), (size_t)atol(argv[i]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
