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
#if PATTERN
/* Chunks that the reference has filled in, and what the function made of the others. */
static struct {
    char *is_there; /* [n_out] */
    char *ours;
} collc_wanted;

/* Puts n chunks of a rank, from a chunk of its `in` on, into those of `out`. */
static void collc_need(struct collc_run *run, int64_t chunk, int64_t n, int64_t from, int rank)
{
#if MAP
    const int64_t first = collc_rank_of(run, rank) * run->n_in + from;
#else
    const int64_t first = rank * run->n_in + from;
#endif

    for (int64_t i = 0; i < n; i++) {
        struct collc_data source = collc_chunks(run, collc_aside, first + i, 1);
        struct collc_data target = collc_chunks(run, out, chunk + i, 1);

#if REDUCTION
        if (collc_wanted.is_there[chunk + i])
            collc_check(run, PMPI_Reduce_local(source.start, target.start, source.count,
                                              source.type, run->op));
        else
            collc_move(run, source, target);
#else
        collc_move(run, source, target);
#endif
        collc_wanted.is_there[chunk + i] = 1;
    }
}

/* Puts together what the ranks need from all that they have; other chunks stay as the function left them. */
static int COLLC_PMPI(COLLC_PARAMETERS)
{
    struct collc_run run = {0};
    struct collc_data theirs;

#if REDUCTION
    run.from = (struct collc_data){(char *)sendbuf, count, datatype};
    run.to = (struct collc_data){recvbuf, count, datatype};
    run.op = op;
    run.type = datatype;
#else
    run.from = (struct collc_data){(char *)sendbuf, sendcount, sendtype};
    run.to = (struct collc_data){recvbuf, recvcount, recvtype};
#endif
    if (!collc_open(&run, comm))
        return MPI_SUCCESS;
    collc_lay_out(&run);
    collc_make(&run, collc_aside, run.p * run.n_in * run.to.count, run.to.type,
               run.n_in > 0 ? run.p * run.n_in : 1);
    collc_check(&run, PMPI_Allgather(run.from.start, (int)run.n_in * run.from.count, run.from.type,
                                     run.buffer[collc_aside].base, (int)run.n_in * run.to.count,
                                     run.to.type, run.comm));
    collc_wanted.is_there = calloc((size_t)run.n_out + 1, 1);
    collc_say_needs(&run);
    for (int64_t i = 0; i < run.n_out; i++) {
        if (collc_wanted.is_there[i] || !collc_wanted.ours)
            continue;
        theirs = collc_chunks(&run, out, i, 1);
        theirs.start = collc_wanted.ours + (theirs.start - run.to.start);
        collc_move(&run, theirs, collc_chunks(&run, out, i, 1));
    }
    free(collc_wanted.is_there);
    return collc_close(&run, comm);
}

/* Most chunks of a buffer on this communicator; 1 if the pattern is not for it. */
static size_t collc_most_chunks(MPI_Comm comm)
{
    struct collc_run run = {0};
    int64_t most = 1;

    run.from = run.to = (struct collc_data){NULL, 0, MPI_BYTE};
#if REDUCTION
    run.op = MPI_BXOR;
    run.type = MPI_BYTE;
#endif
    if (collc_open(&run, comm)) {
        most = run.n_in > run.n_out ? run.n_in : run.n_out;
        collc_close(&run, comm);
    }
    return (size_t)(most > 1 ? most : 1);
}

#if REDUCTION
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;

    collc_wanted.ours = is_ours ? NULL : test->ours + collc_margin;
    return call(test->input + collc_margin, result, test->count, l->type[0], l->op, test->comm);
}

#else
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;

    collc_wanted.ours = is_ours ? NULL : test->ours + collc_margin;
    return call(test->input + collc_margin, test->count * l->factor[0], l->type[0], result,
                test->count * l->factor[1], l->type[1], test->comm);
}

#endif
#elif NEIGHBORS
/* Sends and receives each block by itself. The tag says which of several between two ranks it is: of a
 * Cartesian communicator, MPI 4.0 section 8.6, what goes down in a dimension comes from above. */
static int collc_reference(const struct collc_test *test, const struct collc_data *from,
                           const struct collc_data *to)
{
    const int n_in = test->n_blocks[1], n = n_in + test->n_blocks[0];
    MPI_Request *requests = malloc(((size_t)n + 1) * sizeof *requests);

    if (!requests)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < n; i++) {
        const int is_out = i >= n_in, k = is_out ? i - n_in : i, *ranks = test->neighbor[!is_out];
        const struct collc_data *data = is_out ? &from[k] : &to[k];
        int tag = test->is_cartesian ? (is_out ? k : k ^ 1) : 0;

        for (int other = 0; !test->is_cartesian && other < k; other++)
            tag += ranks[other] == ranks[k];
        if (is_out)
            PMPI_Isend(data->start, data->count, data->type, ranks[k], tag, test->comm, &requests[i]);
        else
            PMPI_Irecv(data->start, data->count, data->type, ranks[k], tag, test->comm, &requests[i]);
    }
    for (int i = 0; i < n; i++)
        PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    free(requests);
    return MPI_SUCCESS;
}

/* The blocks of one side, as a call has them. */
static struct collc_data *collc_blocks_of(const struct collc_test *test, int side, char *start)
{
    const struct collc_layout *l = test->layout;
    struct collc_data *blocks = calloc((size_t)test->n_blocks[side] + 1, sizeof *blocks);
    MPI_Aint lb, extent;
#if COUNTS
    struct collc_side of;

    collc_make_side(test, side, &of);
#endif
    if (!blocks)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Type_get_extent(l->type[side], &lb, &extent);
    for (int i = 0; i < test->n_blocks[side]; i++) {
#if NEIGHBOR_ALLTOALLW
        blocks[i] = (struct collc_data){start + of.places[i], of.counts[i], of.types[i]};
#elif NEIGHBOR_ALLTOALLV
        blocks[i] = (struct collc_data){start + of.places[i] * extent, of.counts[i], l->type[side]};
#elif NEIGHBOR_ALLGATHERV
        blocks[i] = side ? (struct collc_data){start + of.places[i] * extent, of.counts[i], l->type[1]}
                         : (struct collc_data){start, of.counts[i], l->type[0]};
#elif NEIGHBOR_ALLGATHER
        blocks[i] = (struct collc_data){start + (side ? i * test->count * l->factor[1] * extent : 0),
                                        test->count * l->factor[side], l->type[side]};
#else
        blocks[i] = (struct collc_data){start + i * test->count * l->factor[side] * extent,
                                        test->count * l->factor[side], l->type[side]};
#endif
    }
#if COUNTS
    collc_free_side(&of);
#endif
    return blocks;
}

static int collc_call_reference(const struct collc_test *test, char *result)
{
    struct collc_data *from = collc_blocks_of(test, 0, test->input + collc_margin);
    struct collc_data *to = collc_blocks_of(test, 1, result);
    const int error = collc_reference(test, from, to);

    free(from);
    free(to);
    return error;
}

#if COUNTS
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    const void *input = test->input + collc_margin;
    struct collc_side from, to;
    int error;

    if (!is_ours)
        return collc_call_reference(test, result);
    collc_make_side(test, 0, &from);
    collc_make_side(test, 1, &to);
#if NEIGHBOR_ALLTOALLW
    error = COLLC_FUNCTION(input, from.counts, from.places, from.types, result, to.counts, to.places,
                           to.types, test->comm);
#elif NEIGHBOR_ALLTOALLV
    error = COLLC_FUNCTION(input, from.counts, from.places, test->layout->type[0], result,
                           to.counts, to.places, test->layout->type[1], test->comm);
#else
    error = COLLC_FUNCTION(input, collc_count(test, test->rank, test->rank) * test->layout->factor[0],
                           test->layout->type[0], result, to.counts, to.places,
                           test->layout->type[1], test->comm);
#endif
    collc_free_side(&from);
    collc_free_side(&to);
    return error;
}

#else
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    const struct collc_layout *l = test->layout;

    if (!is_ours)
        return collc_call_reference(test, result);
    return COLLC_FUNCTION(test->input + collc_margin, test->count * l->factor[0], l->type[0], result,
                          test->count * l->factor[1], l->type[1], test->comm);
}

#endif
#elif ALLTOALL || ALLGATHER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, test->count * l->factor[0], l->type[0], result, test->count * l->factor[1],
                l->type[1], test->comm);
}

#elif BCAST
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int side = test->rank == test->root ? 0 : 1;

    return call(result, test->count * l->factor[side], l->type[side], test->root, test->comm);
}

#elif ALLREDUCE || SCAN || EXSCAN
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, result, test->count, l->type[0], l->op, test->comm);
}

#elif REDUCE
/* One call, of the function or of the MPI's own. The latter is never in place: there
 * MPICH 4.0 fails where the root is not rank 0. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root;
    int in_place = test->in_place && is_ours && is_root;
    const void *input = in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, is_root ? result : NULL, test->count, l->type[0], l->op, test->root,
                test->comm);
}

#elif GATHER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root;
    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, test->count * l->factor[0], l->type[0], is_root ? result : NULL,
                is_root ? test->count * l->factor[1] : -1,
                is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root, test->comm);
}

#elif SCATTER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, in_place = test->in_place && is_root;
    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;

    return call(input, is_root ? test->count * l->factor[0] : -1,
                is_root ? l->type[0] : MPI_DATATYPE_NULL, in_place ? MPI_IN_PLACE : result,
                test->count * l->factor[1], l->type[1], test->root, test->comm);
}

#elif REDUCE_SCATTER_BLOCK
/* One call, of the function or of the MPI's own. The latter is never in place. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, result, test->count, l->type[0], l->op, test->comm);
}

#elif GATHERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);
    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side to;
    int error;

    collc_make_side(test, 1, &to);
    error = call(input, n * l->factor[0], l->type[0], is_root ? result : NULL,
                 is_root ? to.counts : NULL, is_root ? to.places : NULL,
                 is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root, test->comm);
    collc_free_side(&to);
    return error;
}

#elif SCATTERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);
    int in_place = test->in_place && is_root;
    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;
    struct collc_side from;
    int error;

    collc_make_side(test, 0, &from);
    error = call(input, is_root ? from.counts : NULL, is_root ? from.places : NULL,
                 is_root ? l->type[0] : MPI_DATATYPE_NULL, in_place ? MPI_IN_PLACE : result,
                 n * l->factor[1], l->type[1], test->root, test->comm);
    collc_free_side(&from);
    return error;
}

#elif ALLGATHERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int n = collc_count(test, test->rank, test->rank);
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side to;
    int error;

    collc_make_side(test, 1, &to);
    error = call(input, n * l->factor[0], l->type[0], result, to.counts, to.places, l->type[1],
                 test->comm);
    collc_free_side(&to);
    return error;
}

#elif ALLTOALLV || ALLTOALLW
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side from, to;
    int error;

    collc_make_side(test, 0, &from);
    collc_make_side(test, 1, &to);
#if TYPES
    error = call(input, from.counts, from.places, from.types, result, to.counts, to.places,
                 to.types, test->comm);
#else
    error = call(input, from.counts, from.places, test->layout->type[0], result, to.counts,
                 to.places, test->layout->type[1], test->comm);
#endif
    collc_free_side(&from);
    collc_free_side(&to);
    return error;
}

#elif REDUCE_SCATTER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side of;
    int error;

    collc_make_side(test, 0, &of);
    error = call(input, result, of.counts, l->type[0], l->op, test->comm);
    collc_free_side(&of);
    return error;
}

#endif
static void collc_compare(const struct collc_test *test, int error)
{
    size_t at = 0;

    collc_n_cases++;
    if (error == MPI_SUCCESS && !memcmp(test->ours, test->theirs, test->bytes))
        return;
    while (at < test->bytes && test->ours[at] == test->theirs[at])
        at++;
    if (collc_n_wrong++ == 0)
        printf("collc: %s: rank %d of %d: type %s, count %d, root %d%s: error %d; byte %ld of the "
               "result is the first to differ\n",
               collc_name, test->rank, test->p, test->layout->name, test->count, test->root,
               test->in_place ? ", in place" : "", error, (long)at - collc_margin);
}

/* The most bytes that any buffer of a call has. */
static size_t collc_data_bytes(const struct collc_test *test)
{
#if PATTERN
    size_t n_chunks = collc_most_chunks(test->comm);
#elif NEIGHBORS
    size_t n_chunks = (size_t)(test->n_blocks[0] > test->n_blocks[1] ? test->n_blocks[0] : test->n_blocks[1]);
#elif BCAST || REDUCE || ALLREDUCE || SCAN || EXSCAN
    size_t n_chunks = 1;
#else
    size_t n_chunks = (size_t)test->p;
#endif
    size_t extent = 0;

    for (int side = 0; side < 2; side++) {
        MPI_Aint low, of_type;

        MPI_Type_get_extent(test->layout->type[side], &low, &of_type);
        if (extent < (size_t)of_type * (size_t)test->layout->factor[side])
            extent = (size_t)of_type * (size_t)test->layout->factor[side];
    }
#if TYPES
    extent = collc_extent; /* the unit of places */
#endif
    return (n_chunks * (size_t)test->count * extent + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

#if !COUNTS
/* Prints how long each step takes: from when all ranks have ended the one before to the end of its last rank,
 * and of that the least of ten calls. */
static void collc_time_steps(const struct collc_test *test)
{
    const int n = collc_n_ended;
    int range[2] = {n, -n}; /* the most, and less the least */
    double *least = calloc((size_t)n + 1, 2 * sizeof *least), *times = least + n + 1;

    PMPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, test->comm);
    for (int call = 0; least && range[0] == -range[1] && call < 10; call++) {
        PMPI_Barrier(test->comm);
        collc_step_times = times;
        collc_n_ended = 0;
        collc_step_began = PMPI_Wtime();
        collc_call(test, 1, test->ours + collc_margin);
        collc_step_times = NULL;
        PMPI_Allreduce(MPI_IN_PLACE, times, n, MPI_DOUBLE, MPI_MAX, test->comm);
        for (int i = 0; i < n; i++)
            least[i] = call == 0 || times[i] < least[i] ? times[i] : least[i];
    }
    if (test->rank == 0 && range[0] != -range[1])
        printf("collc: %s: ranks have %d to %d steps: no times\n", collc_name, -range[1], range[0]);
    for (int i = 0; least && test->rank == 0 && range[0] == -range[1] && i < n; i++)
        printf("collc: %s: step %d: %.3f us\n", collc_name, i, 1000000 * least[i]);
    free(least);
}

static int collc_is_timing;
#endif
static void collc_try(struct collc_test *test)
{
    int error;

    test->bytes = collc_data_bytes(test) + 2 * collc_margin;
    test->input = malloc(test->bytes);
    test->ours = malloc(test->bytes);
    test->theirs = malloc(test->bytes);
    if (!test->input || !test->ours || !test->theirs)
        MPI_Abort(MPI_COMM_WORLD, 2);
    collc_fill(test, test->input, test->rank + 50 * test->in_place);
    collc_fill(test, test->ours, test->rank + 50);
    memcpy(test->theirs, test->ours, test->bytes);
#if NEIGHBORS
    const int n_before = collc_n_delegated;

    collc_n_ended = 0;
    error = collc_call(test, 1, test->ours + collc_margin);
    if (collc_n_delegated == n_before)
        collc_call(test, 0, test->theirs + collc_margin);
    else /* MPICH 4.0 exchanges blocks where two are between the same ranks */
        memcpy(test->theirs, test->ours, test->bytes);
#else
    collc_n_ended = 0;
    error = collc_call(test, 1, test->ours + collc_margin);
    collc_call(test, 0, test->theirs + collc_margin);
#endif
    collc_compare(test, error);
#if !COUNTS
    if (collc_is_timing && !test->in_place && test->root == 0)
        collc_time_steps(test);
#endif
    free(test->input);
    free(test->ours);
    free(test->theirs);
}

#if IN_PLACE || REDUCE_SCATTER
/* Not in place and, unless that is left to the MPI's own, in place: the MPI's own
 * reduce_scatter may then write behind the result. */
static void collc_try_both(struct collc_test *test)
{
    int before = collc_n_delegated;

    test->in_place = 0;
    collc_try(test);
    test->in_place = 1;
    if (collc_n_delegated == before && test->layout->type[0] == test->layout->type[1])
        collc_try(test);
}

#elif PATTERN || NEIGHBORS
static void collc_try_both(struct collc_test *test)
{
    test->in_place = 0;
    collc_try(test);
}

#elif !BCAST
static void collc_try_both(struct collc_test *test)
{
    test->in_place = 0;
    collc_try(test);
    test->in_place = 1;
    if (test->layout->type[0] == test->layout->type[1])
        collc_try(test);
}

#endif
#if ROOT
static void collc_try_all(struct collc_test *test)
{
    for (test->root = 0; test->root < test->p; test->root++)
        if (test->root < 5 || test->root == test->p - 1)
#if BCAST
            collc_try(test);
#else
            collc_try_both(test);
#endif
}

#endif
#if KNOWN
/* The known counts, if they are whole numbers of what the layout counts. 0: they are not, or are
 * for another number of ranks; 2: both directions have the same, as in place. */
static int collc_use_known(struct collc_test *test)
{
    const int p = test->p;
    int size, unit, most = 0, is_symmetric = 1;

    if (p != collc_known_ranks)
        return 0;
    MPI_Type_size(test->layout->type[0], &size);
    unit = size * test->layout->factor[0];
    for (int i = 0; i < p * p; i++) {
        if (collc_bytes[i] % unit)
            return 0;
        most = collc_bytes[i] > most ? collc_bytes[i] : most;
        is_symmetric = is_symmetric && collc_bytes[i] == collc_bytes[i % p * p + i / p];
    }
    test->known_unit = unit;
    test->count = most / unit + 1;
    return 1 + is_symmetric;
}

/* The counts that the table is for; then others on two ranks only, with which all ranks must leave
 * it to the MPI. */
static void collc_try_known(struct collc_test *test)
{
    const int is_known = collc_use_known(test);
    int before;

    if (!is_known)
        return;
    for (test->pattern = 0; test->pattern < 3; test->pattern++)
        if (is_known > 1)
            collc_try_both(test);
        else
            collc_try(test);
    before = collc_n_delegated;
    test->is_other = 1;
    test->in_place = 0;
    collc_try(test);
    if (collc_n_delegated == before && collc_n_wrong++ == 0)
        printf("collc: %s: rank %d of %d does not see other counts\n", collc_name, test->rank,
               test->p);
    collc_n_delegated = before;
}

#endif
static void collc_try_layouts(MPI_Comm comm, const struct collc_layout *layouts, int n, int count)
{
    struct collc_test test = {0};

    test.comm = comm;
#if COUNTS
    test.unit = count;
    test.count = 2 * count + 4;
#else
    test.count = count;
#endif
    MPI_Comm_rank(comm, &test.rank);
    MPI_Comm_size(comm, &test.p);
#if NEIGHBORS
    struct collc_run run = {.rank = test.rank};
    int kind = collc_count_neighbors(comm, test.rank, &test.n_blocks[0], &test.n_blocks[1]);
    struct collc_neighbors *of = collc_new_neighbors(kind, test.n_blocks[0], test.n_blocks[1]);

    if (!of || collc_list_neighbors(comm, kind, run.rank, of) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    test.is_cartesian = of->is_cartesian;
    test.neighbor[0] = of->out;
    test.neighbor[1] = of->in;
#endif
#if KNOWN
    for (int i = 0; test.p == collc_known_ranks && i < n; i++) {
        test = (struct collc_test){
            .comm = comm, .rank = test.rank, .p = test.p, .layout = &layouts[i]};
        collc_try_known(&test);
    }
    if (test.p == collc_known_ranks)
        return;
#endif
#if COUNTS
    for (int i = 0; i < n * collc_n_patterns; i++) {
        test.layout = &layouts[i / collc_n_patterns];
        test.pattern = i % collc_n_patterns;
        if ((test.pattern + i / collc_n_patterns) % 2 == 0)
#if ROOT
            collc_try_all(&test);
#else
            collc_try_both(&test);
#endif
    }
#else
    for (int i = 0; i < n; i++) {
        test.layout = &layouts[i];
#if ROOT
        collc_try_all(&test);
#else
        collc_try_both(&test);
#endif
    }
#endif
#if NEIGHBORS
    free(of);
#endif
}

#if NEIGHBORS
/* Communicators with neighbours: grids that wrap round and that do not, all around on a grid, and a graph of
 * unlike ranks, with some pairs twice. Returns 0 behind the last one. */
static int collc_make_topology(int i, MPI_Comm *comm)
{
    int rank, p, n = 0, extent[3] = {0}, wraps[3] = {1, i != 1, i != 1}, to[16], weight[16];
    const int dimensions = i == 1 ? 3 : 2;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Dims_create(p, dimensions, extent);
    if (i < 2)
        MPI_Cart_create(MPI_COMM_WORLD, dimensions, extent, wraps, 0, comm);
    for (int k = 0; i == 2 && k < 9; k++) {
        const int row = (rank / extent[1] + k / 3 + extent[0] - 1) % extent[0];
        const int column = (rank % extent[1] + k % 3 + extent[1] - 1) % extent[1];

        if (k != 4)
            to[n++] = row * extent[1] + column;
    }
    for (int k = 0; i == 3 && k < 4; k++)
        if ((rank + k) % 3)
            to[n++] = (rank * rank + k / 2) % p;
    for (int k = 0; k < n; k++)
        weight[k] = 1;
    if (i == 2 || i == 3)
        MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &n, to, weight, MPI_INFO_NULL, 0, comm);
    return i < 4;
}

#endif
/* Two integers, three apart, in an extent that begins before them. */
static MPI_Datatype collc_make_strided(void)
{
    MPI_Datatype pair, strided;

    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
    MPI_Type_create_resized(pair, -4, collc_extent, &strided);
    MPI_Type_commit(&strided);
    MPI_Type_free(&pair);
    return strided;
}

static void collc_test_counts(int n_counts, char **counts)
{
#if COUNTS
    static const int usual[] = {100, 0, 1, 37};
#else
    static const int usual[] = {1000, 0, 1, 337};
#endif
    MPI_Datatype strided = collc_make_strided();
#if REDUCTION
    MPI_Op add, compose;
    struct collc_layout layouts[] = {
        {"int", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_SUM},
        {"double", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_SUM},
        {"byte", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_BXOR},
        {"strided", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},
        {"int, not commutative", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},
    };
#else
    const struct collc_layout layouts[] = {
        {"int", {MPI_INT, MPI_INT}, {1, 1}, 0, MPI_OP_NULL},
        {"double", {MPI_DOUBLE, MPI_DOUBLE}, {1, 1}, 1, MPI_OP_NULL},
        {"byte", {MPI_BYTE, MPI_BYTE}, {1, 1}, 0, MPI_OP_NULL},
        {"strided", {strided, strided}, {1, 1}, 0, MPI_OP_NULL},
        {"strided to int", {strided, MPI_INT}, {1, 2}, 0, MPI_OP_NULL},
        {"int to strided", {MPI_INT, strided}, {2, 1}, 0, MPI_OP_NULL},
    };
#endif
    int n = (int)(sizeof layouts / sizeof *layouts), rank;
    MPI_Comm reversed;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if !NEIGHBORS
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
#endif
#if REDUCTION
    MPI_Op_create(collc_add_strided, 1, &add);
    MPI_Op_create(collc_compose, 0, &compose);
    layouts[3].op = add;
    layouts[4].op = compose;
#endif
#if NEIGHBORS
    for (int i = 0; collc_make_topology(i, &reversed); i++) {
        for (int k = 0; k < 4; k++)
            collc_try_layouts(reversed, layouts, n, usual[k]);
        for (int k = 0; k < n_counts; k++)
            collc_try_layouts(reversed, layouts, n, atoi(counts[k]));
        MPI_Comm_free(&reversed);
    }
    MPI_Type_free(&strided);
    return;
#endif
    collc_try_layouts(MPI_COMM_WORLD, layouts, n, usual[0]);
    if (collc_n_delegated < collc_n_cases) { /* else the MPI would be compared with itself */
#if !KNOWN
        for (int i = 1; i < 4; i++)
            collc_try_layouts(MPI_COMM_WORLD, layouts, n, usual[i]);
        for (int i = 0; i < n_counts; i++) {
#if !COUNTS
            collc_is_timing = !strncmp(counts[i], "steps=", 6);
            if (collc_is_timing) {
                collc_try_layouts(MPI_COMM_WORLD, layouts, 1, atoi(counts[i] + 6));
                continue;
            }
#endif
            collc_try_layouts(MPI_COMM_WORLD, layouts, n, atoi(counts[i]));
        }
#if !COUNTS
        collc_is_timing = 0;
#endif
#else
        (void)counts, (void)n_counts;
#endif
        collc_try_layouts(reversed, layouts, n, 100);
    }
    MPI_Comm_free(&reversed);
    MPI_Type_free(&strided);
#if REDUCTION
    MPI_Op_free(&add);
    MPI_Op_free(&compose);
#endif
}

