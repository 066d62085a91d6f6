/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     floats {COLLECTIVE LIBRARY...}...
 *
 * Asks the function of each preload library for sums of floats of unlike size. Every call is made twice, and
 * the result of an allreduce is had by every rank: all have to have the same bits. Rank 0 prints a line for
 * each library: its name, the elements that differ, and those that are far from the sum of the MPI. Ranks
 * call with 1 element, with fewer elements than ranks, and with many.
 */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int combine(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
typedef int combine_shares(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm);

enum { MAX_RANKS = 64 };

static const struct collective {
    const char *name, *function;
    combine *of_mpi;
    int is_shared, is_everywhere; /* each rank gets a share; all ranks get the same */
} collectives[] = {{"allreduce", "MPI_Allreduce", PMPI_Allreduce, 0, 1},
                   {"reduce_scatter", "MPI_Reduce_scatter", PMPI_Reduce_scatter_block, 1, 0},
                   {"reduce_scatter_block", "MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, 1, 0},
                   {"scan", "MPI_Scan", PMPI_Scan, 0, 0},
                   {"exscan", "MPI_Exscan", PMPI_Exscan, 0, 0}};

static int rank, n_ranks;

static void call(const struct collective *of, void *function, const float *in, float *out, int n)
{
    int counts[MAX_RANKS];
    combine *plain;
    combine_shares *shares;
    *(void **)&plain = *(void **)&shares = function;
    for (int i = 0; i < n_ranks; i++)
        counts[i] = n;
    if (strcmp(of->name, "reduce_scatter") == 0)
        shares(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else
        plain(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static int n_differ(const float *a, const float *b, int n)
{
    int differ = 0;
    for (int i = 0; i < n; i++)
        differ += memcmp(&a[i], &b[i], sizeof *a) != 0;
    return differ;
}

static void check(const struct collective *of, void *function, int n, int *n_unlike, int *n_far)
{
    const size_t n_in = (size_t)n * (of->is_shared ? (size_t)n_ranks : 1);
    float *in = malloc(sizeof *in * n_in), *out = calloc((size_t)n, sizeof *out);
    float *again = calloc((size_t)n, sizeof *again), *right = calloc((size_t)n, sizeof *right);
    srand((unsigned)rank + 1);
    for (size_t i = 0; i < n_in; i++)
        in[i] = (float)rand() / (float)RAND_MAX * (i % 7 ? 1e-3f : 1e4f);
    call(of, function, in, out, n);
    call(of, function, in, again, n);
    *n_unlike += n_differ(out, again, n);
    of->of_mpi(in, right, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (of->is_everywhere) {
        memcpy(again, out, sizeof *out * (size_t)n);
        PMPI_Bcast(again, n, MPI_FLOAT, 0, MPI_COMM_WORLD);
        *n_unlike += n_differ(out, again, n);
    }
    for (int i = 0; i < n; i++)
        *n_far += !(fabsf(right[i] - out[i]) <= 1e-5f * fabsf(right[i]));
    free(in);
    free(out);
    free(again);
    free(right);
}

static const struct collective *collective_named(const char *name)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    return NULL;
}

static void check_library(const struct collective *of, const char *file)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, of->function) : NULL;
    int found[2] = {0, 0}, all[2];
    if (!function) {
        fprintf(stderr, "%s: %s\n", file, dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    check(of, function, 1, &found[0], &found[1]);
    check(of, function, n_ranks > 2 ? n_ranks - 1 : 2, &found[0], &found[1]);
    check(of, function, of->is_shared ? 301 : 3001, &found[0], &found[1]);
    PMPI_Reduce(found, all, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %d %d\n", file, all[0], all[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const struct collective *of = argc > 1 ? collective_named(argv[1]) : NULL;
    if (!of || n_ranks > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 2; i < argc; i++) {
        const struct collective *next = collective_named(argv[i]);
        if (next)
            of = next;
        else
            check_library(of, argv[i]);
    }
    MPI_Finalize();
    return 0;
}
