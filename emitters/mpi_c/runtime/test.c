/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tests in the main of emitted C (test_main.c): it runs the function and the MPI's own collective on
 * the same data and compares every byte of the result, gaps and guards included. It uses counts 1000, 0,
 * 1, 337 and those of the command line, or only the first if all is left to the MPI; plain, strided and
 * different types on the two sides; in place; every root up to 4 and the last; the world and a
 * communicator with the ranks reversed. With unequal counts chunks lie end to end, apart from each other,
 * and in descending order; counts are equal, skewed, zero but for one, and mixed with zeros;
 * MPI_Alltoallw gets types that change from peer to peer.
 */

#include <stdio.h>
#include <string.h>

static const char collc_name[] = COLLC_NAME;

/* --- comparison with the MPI's own collective --- */

/* Data on the two sides: sent and received, or at the root and elsewhere. */
struct collc_layout {
    const char *name;
    MPI_Datatype type[2];
    int factor[2]; /* elements of the type per count */
    int doubles;   /* the values are of type double */
    MPI_Op op;
};

struct collc_test {
    const struct collc_layout *layout;
    MPI_Comm comm;
    int p, rank, count, root, in_place;
#if NEIGHBORS
    int is_cartesian, n_blocks[2]; /* of what this rank sends (0) or gets */
    const int *neighbor[2];
#endif
#if COUNTS
    int unit, pattern; /* see collc_count; `count` is the most of a chunk */
#if KNOWN
    int known_unit; /* bytes of a count where they are the known ones, else 0 */
    int is_other;   /* but for one of them */
#endif
#endif
    size_t bytes; /* of each buffer */
    char *input, *ours, *theirs;
};

enum { collc_margin = 256, collc_extent = 24 };

static int collc_n_cases, collc_n_wrong;

/* Pairs of values, which repeat after more of them than a chunk mostly has. */
static void collc_fill(const struct collc_test *test, char *data, int seed)
{
    int pair[2] = {seed * 131 % 1009, seed * 17 % 997};
    size_t n = test->bytes / sizeof(double), n_made = n < 4099 ? n : 4099;

    for (size_t i = 0; i < n_made; i++) {
        double value = pair[0];

        memcpy(data + i * sizeof value, test->layout->doubles ? (void *)&value : (void *)pair,
               sizeof value);
        pair[0] += pair[0] < 1009 - 7 ? 7 : 7 - 1009;
        pair[1] += pair[1] < 997 - 5 ? 5 : 5 - 997;
    }
    for (; n_made < n; n_made += n_made)
        memcpy(data + n_made * sizeof(double), data,
               (n - n_made < n_made ? n - n_made : n_made) * sizeof(double));
}

#if REDUCTION
/* Adds pairs of integers of the strided type. */
static void collc_add_strided(void *in_data, void *in_out, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *n; i++) {
        size_t at = (size_t)(i / 2) * collc_extent + (size_t)(i % 2) * 3 * sizeof(int);
        int a, b;

        memcpy(&a, (char *)in_data + at, sizeof a);
        memcpy(&b, (char *)in_out + at, sizeof b);
        b += a;
        memcpy((char *)in_out + at, &b, sizeof b);
    }
}

/* The maps x -> a x + b modulo 32, as 32 b + a, one after the other: associative, but
 * not commutative. */
static void collc_compose(void *in_data, void *in_out, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++) {
        unsigned f, g;

        memcpy(&f, (char *)in_data + (size_t)i * sizeof f, sizeof f);
        memcpy(&g, (char *)in_out + (size_t)i * sizeof g, sizeof g);
        f |= 1;
        g |= 1;
        g = (f / 32 + f * (g / 32)) % 32 * 32 + f * g % 32;
        memcpy((char *)in_out + (size_t)i * sizeof g, &g, sizeof g);
    }
}

#endif
#if COUNTS
#if NEIGHBOR_ALLGATHERV
#define COLLC_COUNT(test, side, i) \
    collc_count(test, (side) ? (test)->neighbor[1][i] : (test)->rank, \
                (side) ? (test)->neighbor[1][i] : (test)->rank)

#elif NEIGHBORS
#define COLLC_COUNT(test, side, i) \
    collc_count(test, (side) ? (test)->neighbor[1][i] : (test)->rank, \
                (side) ? (test)->rank : (test)->neighbor[0][i])

#elif ALLTOALLV || ALLTOALLW
#define COLLC_COUNT(test, side, i) \
    ((side) ? collc_count(test, i, (test)->rank) : collc_count(test, (test)->rank, i))

#else
#define COLLC_COUNT(test, side, i) collc_count(test, i, i)

#endif
enum { collc_n_patterns = 6 };

/* Elements from rank i for rank j, in units of the layout; i == j where there is one count
 * for each rank. In place both directions have the same. */
static int collc_count(const struct collc_test *test, int i, int j)
{
    int p = test->p, low = test->in_place && j < i ? j : i, high = i + j - low;

#if NEIGHBORS
    if (i < 0 || j < 0) /* MPI_PROC_NULL: nothing comes, and nothing is sent */
        return 1;
#endif
#if KNOWN
    if (test->known_unit)
        return collc_bytes[i * p + j] / test->known_unit +
               (test->is_other && i == 0 && j == p - 1);
#endif
    switch (test->pattern) {
    case 0:
        return test->unit;
    case 1:
        return test->unit * (low + high) / p;
    case 2:
        return low == p / 2 && (high == low || high == p - 1) ? test->unit : 0;
    default:
        return (7 * low + 5 * high + test->unit) % (2 * test->unit + 1);
    }
}

/* Counts and places of the chunks on one side: of what this rank sends (0) or gets. */
struct collc_side {
    int *counts;
#if NEIGHBOR_ALLTOALLW
    MPI_Aint *places;
#else
    int *places;
#endif
#if TYPES
    MPI_Datatype *types;
#endif
};

#if !TYPES
static void collc_make_side(const struct collc_test *test, int side, struct collc_side *of)
{
    int factor = test->layout->factor[side], end = 0;
#if NEIGHBORS
    const int n = test->n_blocks[side];
#else
    const int n = test->p;
#endif

    of->counts = calloc((size_t)n + 1, 2 * sizeof *of->counts);
    if (!of->counts)
        MPI_Abort(MPI_COMM_WORLD, 2);
    of->places = of->counts + n;
    for (int i = 0; i < n; i++) {
        int slot = test->pattern % 3 == 1 ? i : n - 1 - i;
        int count = COLLC_COUNT(test, side, i);

        of->counts[i] = factor * count;
        of->places[i] = factor * (test->pattern % 3 ? slot * test->count : end);
        end += count;
    }
}

#else
/* For odd peers, two integers instead of a strided pair; places are in bytes. */
static void collc_make_side(const struct collc_test *test, int side, struct collc_side *of)
{
    const struct collc_layout *l = test->layout;
#if NEIGHBORS
    const int n = test->n_blocks[side];
#else
    const int n = test->p;
#endif
    int end = 0, is_strided = !strncmp(l->name, "strided", 7) || !strcmp(l->name, "int to strided");

    of->counts = calloc((size_t)n + 1, sizeof *of->counts);
    of->places = calloc((size_t)n + 1, sizeof *of->places);
    of->types = calloc((size_t)n + 1, sizeof *of->types);
    if (!of->counts || !of->places || !of->types)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < n; i++) {
        int slot = test->pattern % 3 == 1 ? i : n - 1 - i;
        int count = COLLC_COUNT(test, side, i), is_pair = is_strided && i % 2;

        of->counts[i] = count * (is_pair ? 2 : l->factor[side]);
        of->types[i] = is_pair ? MPI_INT : l->type[side];
        of->places[i] = collc_extent * (test->pattern % 3 ? slot * test->count : end);
        end += count;
    }
}

#endif
static void collc_free_side(struct collc_side *side)
{
    free(side->counts);
#if TYPES
    free(side->places);
    free(side->types);
#endif
}

#endif
