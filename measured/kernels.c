/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: kernels ft N | is KEYS | cg N [NS] | lu N [NS] | bt N [NS]
 *
 * Exchanges what NPB's FT, IS, CG, LU and BT exchange, around short work. `ft` transforms N x N complex
 * numbers forth and back, with a transpose by MPI_Alltoall each (N a power of two and a multiple of the
 * ranks); `is` sorts KEYS keys of each rank by MPI_Allreduce, MPI_Alltoall and MPI_Alltoallv. The others
 * need q x q ranks, and N a multiple of q: `cg` solves N equations by conjugate gradients, with sums along
 * the rows of ranks and an exchange with the transposed rank; `lu` sweeps over N^3 points, plane by plane,
 * from corner to corner and back, with a small message to two neighbours after each plane; `bt` exchanges
 * faces and eliminates along the lines of x and y, forth and back, with a large message for all lines.
 * There NS nanoseconds a point (of `cg` a row) are slept instead of being computed in. Ten iterations, of
 * which each is checked. Rank 0 prints the seconds of all, those within messages, and the bytes of the
 * largest one.
 */
#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, p;
static double in_messages, ns_a_point;

static void check(int is_right, const char *what)
{
    const struct timespec passed_on = {0, 200000000}; /* Hydra may drop the last output of an aborted rank */

    if (is_right)
        return;
    fprintf(stderr, "kernels: rank %d: %s\n", rank, what);
    nanosleep(&passed_on, NULL);
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
    in_messages += MPI_Wtime() - start;
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
    in_messages += MPI_Wtime() - start;
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
    in_messages += MPI_Wtime() - start;
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

/* ---- CG, LU, BT: q x q ranks ---- */

static int q, row, column;

/* Sleeps as long as the work on n points is said to take. */
static void work(double n)
{
    const double ns = n * ns_a_point;
    const struct timespec time = {(time_t)(ns / 1e9), (long)fmod(ns, 1e9)};
    if (ns > 0)
        nanosleep(&time, NULL);
}

/* The rank that is so many places away; MPI_PROC_NULL at the border. */
static int neighbour(int rows, int columns)
{
    const int r = row + rows, c = column + columns;
    return r < 0 || c < 0 || r >= q || c >= q ? MPI_PROC_NULL : r * q + c;
}

static void receive(double *data, int n, int from)
{
    const double start = MPI_Wtime();
    memset(data, 0, (size_t)n * sizeof *data); /* what is beyond the border */
    MPI_Recv(data, n, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in_messages += MPI_Wtime() - start;
}

static void send(const double *data, int n, int to)
{
    const double start = MPI_Wtime();
    MPI_Send(data, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    in_messages += MPI_Wtime() - start;
}

static double cg_dot(const double *a, const double *b, int n, MPI_Comm line)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    const double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, line);
    in_messages += MPI_Wtime() - start;
    return sum;
}

/* out = A in, both in parts by columns of ranks; A is symmetric and has a large diagonal. */
static void cg_multiply(const double *in, double *out, double *aside, int n, MPI_Comm line)
{
    for (int i = 0; i < n; i++) {
        aside[i] = 0;
        for (int j = 0; j < n; j++) {
            const int from = abs(row * n + i - column * n - j);
            aside[i] += in[j] * (from ? 1.0 / (1 + from) : 20);
        }
    }
    work(n);
    const double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, aside, n, MPI_DOUBLE, MPI_SUM, line);
    MPI_Sendrecv(aside, n, MPI_DOUBLE, column * q + row, 0, out, n, MPI_DOUBLE, column * q + row, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in_messages += MPI_Wtime() - start;
}

static size_t cg(int all)
{
    enum { STEPS = 25 };
    const int n = all / q;
    double *x = take((size_t)n, 5 * sizeof *x), *r = x + n, *d = x + 2 * n, *ad = x + 3 * n,
           *aside = x + 4 * n;
    MPI_Comm line;
    MPI_Comm_split(MPI_COMM_WORLD, row, column, &line);
    for (int i = 0; i < n; i++)
        r[i] = d[i] = 1 + (column * n + i) % 7;
    double square = cg_dot(r, r, n, line);
    const double first = square;
    for (int step = 0; step < STEPS; step++) {
        cg_multiply(d, ad, aside, n, line);
        const double length = square / cg_dot(d, ad, n, line), before = square;
        for (int i = 0; i < n; i++) {
            x[i] += length * d[i];
            r[i] -= length * ad[i];
        }
        square = cg_dot(r, r, n, line);
        for (int i = 0; i < n; i++)
            d[i] = r[i] + square / before * d[i];
    }
    check(square < 1e-12 * first, "the equations are not solved");
    MPI_Comm_free(&line);
    free(x);
    return (size_t)n * sizeof *x;
}

enum { OF_A_POINT = 5 };

/* Returns the number that the sweeps have to find at a point; 0 beyond the border of the n^3 points. */
static double solution(int n, int x, int y, int z, int number)
{
    const int is_inside = x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
    return is_inside ? 1 + (x * 3 + y * 5 + z * 7 + number) % 11 : 0;
}

/* One sweep over the planes z, forwards (sign 1) or backwards: a point is what it begins with plus a quarter
 * of the points before it in x, y and z. */
static void lu_sweep(int n, int sign)
{
    const int m = n / q, wide = m * OF_A_POINT, first_x = column * m, first_y = row * m;
    double *plane = take((size_t)(m * wide), sizeof *plane), *edge = take((size_t)wide, 3 * sizeof *edge);
    double *north = edge + wide, *out = edge + 2 * wide;
    for (int k = 0; k < n; k++) {
        const int z = sign > 0 ? k : n - 1 - k;
        receive(edge, wide, neighbour(0, -sign));
        receive(north, wide, neighbour(-sign, 0));
        for (int j = 0; j < m; j++)
            for (int i = 0; i < wide; i++) {
                const int ly = sign > 0 ? j : m - 1 - j, c = i % OF_A_POINT;
                const int lx = sign > 0 ? i / OF_A_POINT : m - 1 - i / OF_A_POINT, x = first_x + lx,
                          y = first_y + ly;
                double *at = &plane[ly * wide + lx * OF_A_POINT + c]; /* still of the plane before */
                const double west = i < OF_A_POINT ? edge[ly * OF_A_POINT + c] : at[-sign * OF_A_POINT];
                const double above = j == 0 ? north[lx * OF_A_POINT + c] : at[-sign * wide];
                const double begins = solution(n, x, y, z, c) - 0.25 * (solution(n, x - sign, y, z, c) +
                                                                        solution(n, x, y - sign, z, c) +
                                                                        solution(n, x, y, z - sign, c));
                *at = begins + 0.25 * (west + above + *at);
                check(fabs(*at - solution(n, x, y, z, c)) < 1e-6, "the sweep is wrong");
            }
        work((double)m * m / 2);
        for (int j = 0; j < m; j++)
            memcpy(out + j * OF_A_POINT, plane + j * wide + (sign > 0 ? m - 1 : 0) * OF_A_POINT,
                   OF_A_POINT * sizeof *out);
        send(out, wide, neighbour(0, sign));
        send(plane + (sign > 0 ? m - 1 : 0) * wide, wide, neighbour(sign, 0));
    }
    free(plane);
    free(edge);
}

static size_t lu(int n)
{
    lu_sweep(n, 1);
    lu_sweep(n, -1);
    return (size_t)(n / q) * OF_A_POINT * sizeof(double);
}

/* One way along the lines of one dimension. Of each q-th of the lines a rank has another part, so that at
 * each stage all ranks have work: the rank in `place` has part (place + group) mod q. */
static void bt_pass(int n, double *line, double *edge, const int ends[2], int place, int sign)
{
    const int m = n / q, lines = m * m * OF_A_POINT;
    const double c = 0.25;
    for (int stage = 0; stage < q; stage++) {
        const int part = sign > 0 ? stage : q - 1 - stage, group = (part - place + q) % q;
        receive(edge, lines, stage > 0 ? ends[sign < 0] : MPI_PROC_NULL);
        for (int l = 0; l < lines; l++)
            for (int k = 0; k < m; k++) {
                const int i = sign > 0 ? k : m - 1 - k, x = part * m + i, number = group * lines + l;
                double *at = &line[(group * lines + l) * m + i];
                if (sign > 0) { /* what the elimination starts from */
                    const double next = solution(n, x + 1, 0, 0, number), here = solution(n, x, 0, 0, number);
                    *at = here - c * next - c * (x > 0 ? solution(n, x - 1, 0, 0, number) - c * here : 0);
                }
                edge[l] = *at += c * edge[l];
                check(sign > 0 || fabs(*at - solution(n, x, 0, 0, number)) < 1e-6, "the elimination is wrong");
            }
        work((double)m * m * m / 4);
        send(edge, lines, stage < q - 1 ? ends[sign > 0] : MPI_PROC_NULL);
    }
}

/* Faces to four sides, as the right side needs them, and the lines of x and of y, forth and back. */
static size_t bt(int n)
{
    const int m = n / q, face = m * n * OF_A_POINT;
    const int around[2][2] = {{row * q + (column + q - 1) % q, row * q + (column + 1) % q},
                              {(row + q - 1) % q * q + column, (row + 1) % q * q + column}};
    double *line = take((size_t)face, (size_t)(m + 2) * sizeof *line), *edge = line + face * m;
    for (int to = 0; to < 4; to++) {
        const double start = MPI_Wtime();
        MPI_Sendrecv(edge, face, MPI_DOUBLE, around[to / 2][to % 2], 0, edge + face, face, MPI_DOUBLE,
                     around[to / 2][1 - to % 2], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        in_messages += MPI_Wtime() - start;
    }
    for (int dimension = 0; dimension < 2; dimension++)
        for (int sign = 1; sign >= -1; sign -= 2)
            bt_pass(n, line, edge, around[dimension], dimension ? row : column, sign);
    free(line);
    return (size_t)face * sizeof *line;
}

static const struct kernel {
    const char *name;
    size_t (*run)(int);
    int needs_square;
} kernels[] = {{"ft", ft, 0}, {"is", is, 0}, {"cg", cg, 1}, {"lu", lu, 1}, {"bt", bt, 1}};

int main(int argc, char **argv)
{
    const struct kernel *kernel = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (size_t i = 0; argc >= 3 && i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(argv[1], kernels[i].name))
            kernel = &kernels[i];
    check(kernel != NULL, "usage: kernels ft N | is KEYS | cg N [NS] | lu N [NS] | bt N [NS]");
    while ((q + 1) * (q + 1) <= p)
        q++;
    row = rank / q;
    column = rank % q;
    check(!kernel->needs_square || (q * q == p && atoi(argv[2]) % q == 0), "q x q ranks, and N a multiple of q");
    ns_a_point = argc > 3 ? atof(argv[3]) : 0;
    kernel->run(atoi(argv[2])); /* connections */
    MPI_Barrier(MPI_COMM_WORLD);
    in_messages = 0;
    const double start = MPI_Wtime();
    size_t bytes = 0;
    for (int i = 0; i < 10; i++)
        bytes = kernel->run(atoi(argv[2]));
    double times[] = {MPI_Wtime() - start, in_messages};
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s on %d ranks: %.3f s, %.3f s of it in messages, %zu bytes a message\n", argv[1], p,
               times[0], times[1], bytes);
    MPI_Finalize();
    return 0;
}
