/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls every collective in many ways and prints a line for each way: what was called, and a digest of what
 * all ranks then have in their buffers, margins included. The output must be the same with a library of
 * algorithms before the MPI and without it (tests/runtime/library.sh). Sums are of whole numbers, so that
 * their order does not show.
 *
 * Arguments: how often each call is made, of which the last one is printed.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 16, MARGIN = 64, EXTENT = 20 };

static int n_times = 1, world_rank;
static char *said; /* lines of this rank, which rank 0 prints */
static size_t length, room;
static MPI_Datatype strided; /* two integers, three apart, in an extent that begins before them */
static MPI_Datatype map;     /* two integers */
static MPI_Op compose, add;

/* A call: its communicator and data. */
struct call {
    MPI_Comm comm;
    int rank, p, count, root, in_place;
    MPI_Datatype type;
    MPI_Op op;
    char *from, *to; /* where data begin, within room for margins */
    char *from_room, *to_room;
    size_t bytes, extent; /* of each room; of an element */
    int result;           /* 1: all of the room of `to` counts; 0: none, as MPI leaves it undefined */
    size_t result_bytes;  /* if not 0, only so much of it */
    int counts[MAX_RANKS], places[MAX_RANKS], byte_places[MAX_RANKS];
    MPI_Datatype types[MAX_RANKS];
};

static uint64_t digest_of(const char *data, size_t n, uint64_t digest)
{
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
    return digest;
}

/* Affine maps modulo a prime: composing them is associative and does not commute. */
static void compose_maps(void *a, void *b, int *n, MPI_Datatype *type)
{
    const int64_t prime = 8191;
    const int *first = a;
    int *second = b;
    (void)type;
    for (int i = 0; i < 2 * *n; i += 2) {
        const int64_t x = second[i] % prime, y = second[i + 1] % prime;
        second[i] = (int)(first[i] % prime * x % prime);
        second[i + 1] = (int)((first[i + 1] % prime * x + y) % prime);
    }
}

static void add_strided(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        for (int k = 0; k < 2; k++) {
            int x, y;
            memcpy(&x, (char *)a + i * EXTENT + 12 * k, sizeof x);
            memcpy(&y, (char *)b + i * EXTENT + 12 * k, sizeof y);
            y += x;
            memcpy((char *)b + i * EXTENT + 12 * k, &y, sizeof y);
        }
}

static void fill(struct call *c)
{
    unsigned seed = (unsigned)(c->rank * 7919 + c->count * 31 + c->root * 17 + 5);
    for (size_t i = 0; i < c->bytes; i++) {
        seed = seed * 1103515245u + 12345u;
        c->from_room[i] = (char)(seed >> 16);
        seed = seed * 1103515245u + 12345u;
        c->to_room[i] = (char)(seed >> 16);
    }
    if (c->type == MPI_DOUBLE) /* whole numbers */
        for (size_t i = 0; i + sizeof(double) <= c->bytes; i += sizeof(double)) {
            const double a = (double)(c->from_room[i] & 15), b = (double)(c->to_room[i] & 15);
            memcpy(c->from_room + i, &a, sizeof a);
            memcpy(c->to_room + i, &b, sizeof b);
        }
    if (c->op == compose)
        for (size_t i = 0; i + sizeof(int) <= c->bytes; i += sizeof(int)) {
            const int a = c->from_room[i] & 127, b = c->to_room[i] & 127;
            memcpy(c->from_room + i, &a, sizeof a);
            memcpy(c->to_room + i, &b, sizeof b);
        }
}

static const void *send_of(const struct call *c)
{
    return c->in_place ? MPI_IN_PLACE : c->from;
}

/* ---- the collectives ---- */

static int do_alltoall(struct call *c)
{
    return MPI_Alltoall(send_of(c), c->count, c->type, c->to, c->count, c->type, c->comm);
}
static int do_allgather(struct call *c)
{
    return MPI_Allgather(send_of(c), c->count, c->type, c->to, c->count, c->type, c->comm);
}
static int do_bcast(struct call *c)
{
    return MPI_Bcast(c->to, c->count, c->type, c->root, c->comm);
}
static int do_gather(struct call *c)
{
    const int is_root = c->rank == c->root;
    return MPI_Gather(is_root ? send_of(c) : c->from, c->count, c->type, is_root ? c->to : NULL, c->count,
                      c->type, c->root, c->comm);
}
static int do_scatter(struct call *c)
{
    const int is_root = c->rank == c->root;
    return MPI_Scatter(is_root ? c->from : NULL, c->count, c->type,
                       is_root && c->in_place ? MPI_IN_PLACE : c->to, c->count, c->type, c->root, c->comm);
}
static int do_reduce(struct call *c)
{
    const int is_root = c->rank == c->root;
    return MPI_Reduce(is_root ? send_of(c) : c->from, is_root ? c->to : NULL, c->count, c->type, c->op,
                      c->root, c->comm);
}
static int do_allreduce(struct call *c)
{
    return MPI_Allreduce(send_of(c), c->to, c->count, c->type, c->op, c->comm);
}
static int do_reduce_scatter_block(struct call *c)
{
    c->result_bytes = (size_t)c->count * c->extent;
    return MPI_Reduce_scatter_block(send_of(c), c->to, c->count, c->type, c->op, c->comm);
}
static int do_scan(struct call *c)
{
    return MPI_Scan(send_of(c), c->to, c->count, c->type, c->op, c->comm);
}
static int do_exscan(struct call *c)
{
    c->result = c->rank > 0;
    return MPI_Exscan(send_of(c), c->to, c->count, c->type, c->op, c->comm);
}
static int do_barrier(struct call *c)
{
    return MPI_Barrier(c->comm);
}

/* Counts of the ranks' blocks: some are empty. Blocks are apart, but for reduce_scatter. */
static void spread_counts(struct call *c, int shift)
{
    int place = 0;
    for (int i = 0; i < c->p; i++) {
        c->counts[i] = c->count * ((i + shift) % 3) / 2;
        c->places[i] = place;
        c->byte_places[i] = place * (int)c->extent;
        c->types[i] = c->type;
        place += c->count + 1;
    }
}

static int do_gatherv(struct call *c)
{
    const int is_root = c->rank == c->root;
    spread_counts(c, 1);
    return MPI_Gatherv(is_root ? send_of(c) : c->from, c->counts[c->rank], c->type, c->to, c->counts,
                       c->places, c->type, c->root, c->comm);
}
static int do_scatterv(struct call *c)
{
    const int is_root = c->rank == c->root;
    spread_counts(c, 1);
    return MPI_Scatterv(c->from, c->counts, c->places, c->type, is_root && c->in_place ? MPI_IN_PLACE : c->to,
                        c->counts[c->rank], c->type, c->root, c->comm);
}
static int do_allgatherv(struct call *c)
{
    spread_counts(c, 1);
    return MPI_Allgatherv(send_of(c), c->counts[c->rank], c->type, c->to, c->counts, c->places, c->type,
                          c->comm);
}

/* Rank i sends to j as much as j sends to i, so that the call may be in place. */
static int do_alltoallv(struct call *c)
{
    spread_counts(c, c->rank);
    return MPI_Alltoallv(send_of(c), c->counts, c->places, c->type, c->to, c->counts, c->places, c->type,
                         c->comm);
}
static int do_alltoallw(struct call *c)
{
    int copies[MAX_RANKS];
    spread_counts(c, c->rank);
    memcpy(copies, c->counts, sizeof copies);
    return MPI_Alltoallw(send_of(c), c->counts, c->byte_places, c->types, c->to, copies, c->byte_places,
                         c->types, c->comm);
}
static int do_reduce_scatter(struct call *c)
{
    spread_counts(c, 1);
    c->result_bytes = (size_t)c->counts[c->rank] * c->extent;
    return MPI_Reduce_scatter(send_of(c), c->to, c->counts, c->type, c->op, c->comm);
}

enum { ROOTED = 1, REDUCES = 2, NEVER_IN_PLACE = 4, NO_DATA = 8 };
static const struct {
    const char *name;
    int (*call)(struct call *c);
    unsigned is;
} collectives[] = {{"alltoall", do_alltoall, 0},
                   {"allgather", do_allgather, 0},
                   {"bcast", do_bcast, ROOTED | NEVER_IN_PLACE},
                   {"gather", do_gather, ROOTED},
                   {"scatter", do_scatter, ROOTED},
                   {"reduce", do_reduce, ROOTED | REDUCES},
                   {"allreduce", do_allreduce, REDUCES},
                   {"reduce_scatter_block", do_reduce_scatter_block, REDUCES},
                   {"scan", do_scan, REDUCES},
                   {"exscan", do_exscan, REDUCES},
                   {"barrier", do_barrier, NO_DATA | NEVER_IN_PLACE},
                   {"gatherv", do_gatherv, ROOTED},
                   {"scatterv", do_scatterv, ROOTED},
                   {"allgatherv", do_allgatherv, 0},
                   {"alltoallv", do_alltoallv, 0},
                   {"alltoallw", do_alltoallw, 0},
                   {"reduce_scatter", do_reduce_scatter, REDUCES}};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

/* ---- trying one ---- */

static uint64_t try_once(int which, struct call *c)
{
    MPI_Aint lb, extent;
    uint64_t digest = UINT64_C(14695981039346656037);
    int error;
    MPI_Type_get_extent(c->type, &lb, &extent);
    c->extent = (size_t)extent;
    c->bytes = 2 * MARGIN + (size_t)(c->p + 1) * (size_t)(c->count + 2) * c->extent;
    c->from_room = malloc(c->bytes);
    c->to_room = malloc(c->bytes);
    c->from = c->from_room + MARGIN;
    c->to = c->to_room + MARGIN;
    c->result = 1;
    c->result_bytes = 0;
    fill(c);
    error = collectives[which].call(c);
    digest = digest_of((const char *)&error, sizeof error, digest);
    digest = digest_of(c->from_room, c->bytes, digest);
    if (c->result && c->result_bytes)
        digest = digest_of(c->to, c->result_bytes, digest);
    else if (c->result && !(c->in_place && (which == 7 || which == 16)))
        digest = digest_of(c->to_room, c->bytes, digest);
    free(c->from_room);
    free(c->to_room);
    return digest;
}

static void try_case(int which, struct call *c, const char *place, const char *data)
{
    uint64_t mine = 0, all[MAX_RANKS];
    for (int i = 0; i < n_times; i++)
        mine = try_once(which, c);
    if (c->rank != 0) {
        PMPI_Send(&mine, 1, MPI_UINT64_T, 0, 77, c->comm);
        return;
    }
    all[0] = mine;
    for (int i = 1; i < c->p; i++)
        PMPI_Recv(&all[i], 1, MPI_UINT64_T, i, 77, c->comm, MPI_STATUS_IGNORE);
    if (c->p == 1 && world_rank > 0)
        return;
    if (room - length < 1000)
        said = realloc(said, room = 2 * room + 100000);
    length += (size_t)snprintf(
        said + length, room - length, "%s %s %d ranks %s x %d root %d%s: %016llx\n", collectives[which].name,
        place, c->p, data, c->count, c->root, c->in_place ? " in place" : "",
        (unsigned long long)digest_of((const char *)all, (size_t)c->p * sizeof *all, 7));
}

static void try_data(int which, MPI_Comm comm, const char *place, int count)
{
    const struct {
        const char *name;
        MPI_Datatype type;
        MPI_Op op;
    } data[] = {{"int", MPI_INT, MPI_SUM}, {"double", MPI_DOUBLE, MPI_SUM}, {"byte", MPI_BYTE, MPI_BXOR},
                {"strided", strided, add}, {"maps", map, compose},          {"logical", MPI_INT, MPI_LXOR}};
    const unsigned is = collectives[which].is;
    struct call c = {.comm = comm, .count = count};
    MPI_Comm_rank(comm, &c.rank);
    MPI_Comm_size(comm, &c.p);
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        if ((i > 3 && !(is & REDUCES)) || ((is & NO_DATA) && i > 0))
            continue;
        c.type = data[i].type;
        c.op = data[i].op;
        for (c.in_place = 0; c.in_place <= !(is & NEVER_IN_PLACE); c.in_place++)
            for (c.root = 0; c.root<(is & ROOTED ? c.p : 1); c.root += c.p> 3 ? c.p - 1 : 1)
                try_case(which, &c, place, data[i].name);
    }
}

/* Prints the lines of all ranks. */
static void print_lines(void)
{
    int p, n = (int)length;
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (world_rank > 0) {
        PMPI_Send(&n, 1, MPI_INT, 0, 78, MPI_COMM_WORLD);
        PMPI_Send(said, n, MPI_CHAR, 0, 79, MPI_COMM_WORLD);
    }
    for (int i = 0; i < p && world_rank == 0; i++) {
        char *theirs = said;
        if (i > 0) {
            PMPI_Recv(&n, 1, MPI_INT, i, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            theirs = malloc((size_t)n + 1);
            PMPI_Recv(theirs, n, MPI_CHAR, i, 79, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        fwrite(theirs, 1, (size_t)n, stdout);
        free(theirs);
    }
    if (world_rank > 0)
        free(said);
}

int main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 6, 100, 2500};
    MPI_Datatype pair;
    MPI_Comm reversed, part;
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (argc > 1)
        n_times = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    world_rank = rank;
    MPI_Type_vector(2, 1, 3, MPI_INT, &pair);
    MPI_Type_create_resized(pair, -4, EXTENT, &strided);
    MPI_Type_commit(&strided);
    MPI_Type_contiguous(2, MPI_INT, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(add_strided, 1, &add);
    MPI_Op_create(compose_maps, 0, &compose);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    for (int which = 0; which < N_COLLECTIVES; which++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            try_data(which, MPI_COMM_WORLD, "world", counts[i]);
            if (i == 3)
                try_data(which, reversed, "reversed", counts[i]);
            if (i == 2)
                try_data(which, part, rank % 2 ? "odd" : "even", counts[i]);
            try_data(which, MPI_COMM_SELF, "self", counts[i] > 6 ? 6 : counts[i]);
        }
    print_lines();
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&part);
    MPI_Type_free(&strided);
    MPI_Type_free(&pair);
    MPI_Type_free(&map);
    MPI_Op_free(&compose);
    MPI_Op_free(&add);
    MPI_Finalize();
    return 0;
}
