/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: kernels ft N | is KEYS
 *
 * Exchanges what NPB's FT and IS exchange, around short work. `ft` transforms N x N complex numbers
 * forth and back, with a transpose by MPI_Alltoall each (N a power of two and a multiple of the ranks); `is`
 * sorts KEYS keys of each rank by MPI_Allreduce, MPI_Alltoall and MPI_Alltoallv. Ten iterations, of which
 * each is checked. Rank 0 prints the seconds of all, those within collectives, and the bytes to a pair of the
 * large one.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, p;
static double in_collectives;

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "kernels: rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *take(size_t n, size_t size)
{
    void *data = calloc(n + 1, size);
    check(data != NULL, "no memory");
    return data;
}

/* ---- FT ---- */

/* Transforms n numbers; sign 1 is the inverse but for a factor n. */
static void fft(double complex *a, int n, int sign, double complex *aside)
{
    if (n == 1)
        return;
    for (int i = 0; i < n / 2; i++) {
        aside[i] = a[2 * i];
        aside[i + n / 2] = a[2 * i + 1];
    }
    fft(aside, n / 2, sign, a);
    fft(aside + n / 2, n / 2, sign, a);
    for (int k = 0; k < n / 2; k++) {
        const double complex odd = cexp(sign * 2 * 3.14159265358979323846 * I * k / n) * aside[k + n / 2];
        a[k] = aside[k] + odd;
        a[k + n / 2] = aside[k] - odd;
    }
}

/* Transposes n x n numbers of which each rank has n / p rows. */
static void transpose(double complex *a, double complex *b, int n)
{
    const int rows = n / p;
    for (int q = 0; q < p; q++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                b[(q * rows + j) * rows + i] = a[i * n + q * rows + j];
    const double start = MPI_Wtime();
    MPI_Alltoall(b, 2 * rows * rows, MPI_DOUBLE, a, 2 * rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
    in_collectives += MPI_Wtime() - start;
    memcpy(b, a, (size_t)n * (size_t)rows * sizeof *a);
    for (int q = 0; q < p; q++)
        for (int j = 0; j < rows; j++)
            memcpy(a + j * n + q * rows, b + (q * rows + j) * rows, (size_t)rows * sizeof *a);
}

static size_t ft(int n)
{
    check(n > 0 && (n & (n - 1)) == 0 && n % p == 0, "N is a power of two and a multiple of the ranks");
    const size_t all = (size_t)n * (size_t)(n / p);
    double complex *a = take(all, sizeof *a), *b = take(all, sizeof *b);
    for (size_t i = 0; i < all; i++)
        a[i] = (double)((i * 7 + (size_t)rank * 13) % 101);
    for (int sign = -1; sign <= 1; sign += 2)
        for (int dimension = 0; dimension < 2; dimension++) {
            for (int row = 0; row < n / p; row++)
                fft(a + row * n, n, sign, b);
            transpose(a, b, n);
        }
    for (size_t i = 0; i < all; i++)
        check(cabs(a[i] / n / n - (double)((i * 7 + (size_t)rank * 13) % 101)) < 1e-6,
              "the transform is wrong");
    free(a);
    free(b);
    return (size_t)(n / p) * (size_t)(n / p) * sizeof *a;
}

/* ---- IS ---- */

enum { BUCKETS = 1024, MOST_KEY = 1 << 16 };

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Gives each rank a run of buckets with about as many keys: first[q] is the first bucket of rank q. */
static void share(const int *of_all, double keys, int *first)
{
    double seen = 0;
    for (int bucket = 0, q = 0; bucket <= BUCKETS && q <= p; bucket++) {
        while (q <= p && (bucket == BUCKETS || seen >= keys * q))
            first[q++] = bucket;
        seen += bucket < BUCKETS ? of_all[bucket] : 0;
    }
}

static size_t is(int keys)
{
    int *key = take((size_t)keys, sizeof *key), mine[BUCKETS] = {0}, of_all[BUCKETS], n = 0;
    int *first = take((size_t)p + 1, sizeof *first), *counts = take((size_t)p, 4 * sizeof *counts);
    int *to = counts + p, *from = counts + 2 * p, *at = counts + 3 * p;
    for (int i = 0; i < keys; i++) {
        key[i] = (rand() % 256 + rand() % 256) * (MOST_KEY / 512) + rand() % (MOST_KEY / 512);
        mine[key[i] / (MOST_KEY / BUCKETS)]++;
    }
    qsort(key, (size_t)keys, sizeof *key, compare_int);
    double start = MPI_Wtime();
    MPI_Allreduce(mine, of_all, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    in_collectives += MPI_Wtime() - start;
    share(of_all, keys, first);
    for (int q = 0; q < p; q++) {
        to[q] = q ? to[q - 1] + counts[q - 1] : 0;
        for (int bucket = first[q]; bucket < first[q + 1]; bucket++)
            counts[q] += mine[bucket];
    }
    start = MPI_Wtime();
    MPI_Alltoall(counts, 1, MPI_INT, from, 1, MPI_INT, MPI_COMM_WORLD);
    for (int q = 0; q < p; q++) {
        at[q] = n;
        n += from[q];
    }
    int *sorted = take((size_t)n, sizeof *sorted);
    MPI_Alltoallv(key, counts, to, MPI_INT, sorted, from, at, MPI_INT, MPI_COMM_WORLD);
    in_collectives += MPI_Wtime() - start;
    long sum = n;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    check(sum == (long)keys * p, "keys are lost");
    for (int i = 0; i < n; i++)
        check(sorted[i] / (MOST_KEY / BUCKETS) >= first[rank] &&
                  sorted[i] / (MOST_KEY / BUCKETS) < first[rank + 1],
              "a key is on the wrong rank");
    free(key);
    free(first);
    free(counts);
    free(sorted);
    return (size_t)(keys / p) * sizeof *key;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    check(argc == 3 && (!strcmp(argv[1], "ft") || !strcmp(argv[1], "is")), "usage: kernels ft N | is KEYS");
    size_t (*kernel)(int) = strcmp(argv[1], "ft") ? is : ft;
    kernel(atoi(argv[2])); /* connections */
    MPI_Barrier(MPI_COMM_WORLD);
    in_collectives = 0;
    const double start = MPI_Wtime();
    size_t bytes = 0;
    for (int i = 0; i < 10; i++)
        bytes = kernel(atoi(argv[2]));
    double times[] = {MPI_Wtime() - start, in_collectives};
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s on %d ranks: %.3f s, %.3f s of it in collectives, %zu bytes to a pair\n", argv[1], p,
               times[0], times[1], bytes);
    MPI_Finalize();
    return 0;
}
