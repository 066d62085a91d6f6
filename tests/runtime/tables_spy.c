/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls collectives under Open MPI on communicators of 2 to 8 ranks, and prints which of the
 * library's algorithms each call went to:
 *
 *   COLLECTIVE RANKS TYPE-BYTES IN-PLACE BYTES ALGORITHM RUNS SEGMENT FAN-OUT
 *
 * RUNS is the algorithm of the same collective that this one called in its turn, or '-'; ALGORITHM
 * is 'fails' where the call returned an error before any ran.
 *
 * The functions below have the names of Open MPI's own (ompi_coll_base_*) and are found before these,
 * because this is the program: each notes that it was called, and calls the real one. Their
 * arguments are integers and pointers, at most 12: each takes 12 words, whatever is in those that
 * the caller has not passed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct algorithm {
    const char *collective, *name, *function;
    int segment, fan_out; /* which argument that is; 0: none */
};

enum { MAX_NOTED = 8 };
static struct {
    const struct algorithm *algorithm[MAX_NOTED];
    int segment, fan_out; /* of the first */
    int n;
} noted;

#define WORDS(X) X(a), X(b), X(c), X(d), X(e), X(f), X(g), X(h), X(i), X(j), X(k), X(l)
#define DECLARED(x) long x
#define PASSED(x) x

static int pass_on(const struct algorithm *algorithm, WORDS(DECLARED))
{
    const long words[] = {WORDS(PASSED)};
    int (*real)(WORDS(DECLARED));
    *(void **)&real = dlsym(RTLD_NEXT, algorithm->function);
    if (noted.n == 0) {
        noted.segment = algorithm->segment ? (int)words[algorithm->segment] : 0;
        noted.fan_out = algorithm->fan_out ? (int)words[algorithm->fan_out] : 0;
    }
    if (noted.n < MAX_NOTED)
        noted.algorithm[noted.n++] = algorithm;
    return real(WORDS(PASSED));
}

/* SPY(collective, name of the algorithm, end of the function's name, segment, fan-out) */
#define SPY(collective, name, function, segment, fan_out)                                   \
    int ompi_coll_base_##collective##_##function(WORDS(DECLARED));                          \
    int ompi_coll_base_##collective##_##function(WORDS(DECLARED))                           \
    {                                                                                       \
        static const struct algorithm algorithm = {                                         \
            #collective, name, "ompi_coll_base_" #collective "_" #function, segment, fan_out}; \
        return pass_on(&algorithm, WORDS(PASSED));                                          \
    }
SPY(allgather, "linear", intra_basic_linear, 0, 0)
SPY(allgather, "bruck", intra_bruck, 0, 0)
SPY(allgather, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(allgather, "ring", intra_ring, 0, 0)
SPY(allgather, "neighbor", intra_neighborexchange, 0, 0)
SPY(allgather, "two_proc", intra_two_procs, 0, 0)
SPY(allgatherv, "default", intra_basic_default, 0, 0)
SPY(allgatherv, "bruck", intra_bruck, 0, 0)
SPY(allgatherv, "ring", intra_ring, 0, 0)
SPY(allgatherv, "neighbor", intra_neighborexchange, 0, 0)
SPY(allgatherv, "two_proc", intra_two_procs, 0, 0)
SPY(allreduce, "basic_linear", intra_basic_linear, 0, 0)
SPY(allreduce, "nonoverlapping", intra_nonoverlapping, 0, 0)
SPY(allreduce, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(allreduce, "ring", intra_ring, 0, 0)
SPY(allreduce, "segmented_ring", intra_ring_segmented, 7, 0)
SPY(allreduce, "rabenseifner", intra_redscat_allgather, 0, 0)
SPY(alltoall, "linear", intra_basic_linear, 0, 0)
SPY(alltoall, "pairwise", intra_pairwise, 0, 0)
SPY(alltoall, "modified_bruck", intra_bruck, 0, 0)
SPY(alltoall, "linear_sync", intra_linear_sync, 0, 0)
SPY(alltoall, "two_proc", intra_two_procs, 0, 0)
SPY(alltoallv, "basic_linear", intra_basic_linear, 0, 0)
SPY(alltoallv, "pairwise", intra_pairwise, 0, 0)
SPY(barrier, "linear", intra_basic_linear, 0, 0)
SPY(barrier, "double_ring", intra_doublering, 0, 0)
SPY(barrier, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(barrier, "bruck", intra_bruck, 0, 0)
SPY(barrier, "two_proc", intra_two_procs, 0, 0)
SPY(barrier, "tree", intra_tree, 0, 0)
SPY(bcast, "basic_linear", intra_basic_linear, 0, 0)
SPY(bcast, "chain", intra_chain, 6, 7)
SPY(bcast, "pipeline", intra_pipeline, 6, 0)
SPY(bcast, "split_binary_tree", intra_split_bintree, 6, 0)
SPY(bcast, "binary_tree", intra_bintree, 6, 0)
SPY(bcast, "binomial", intra_binomial, 6, 0)
SPY(bcast, "knomial", intra_knomial, 6, 0)
SPY(bcast, "scatter_allgather", intra_scatter_allgather, 0, 0)
SPY(bcast, "scatter_allgather_ring", intra_scatter_allgather_ring, 0, 0)
SPY(exscan, "linear", intra_linear, 0, 0)
SPY(exscan, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(gather, "basic_linear", intra_basic_linear, 0, 0)
SPY(gather, "binomial", intra_binomial, 0, 0)
SPY(gather, "linear_sync", intra_linear_sync, 9, 0)
SPY(reduce, "linear", intra_basic_linear, 0, 0)
SPY(reduce, "chain", intra_chain, 8, 9)
SPY(reduce, "pipeline", intra_pipeline, 8, 0)
SPY(reduce, "binary", intra_binary, 8, 0)
SPY(reduce, "binomial", intra_binomial, 8, 0)
SPY(reduce, "in-order_binary", intra_in_order_binary, 8, 0)
SPY(reduce, "rabenseifner", intra_redscat_gather, 0, 0)
SPY(reduce_scatter, "non-overlapping", intra_nonoverlapping, 0, 0)
SPY(reduce_scatter, "recursive_halving", intra_basic_recursivehalving, 0, 0)
SPY(reduce_scatter, "ring", intra_ring, 0, 0)
SPY(reduce_scatter, "butterfly", intra_butterfly, 0, 0)
SPY(reduce_scatter_block, "basic_linear", basic_linear, 0, 0)
SPY(reduce_scatter_block, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(reduce_scatter_block, "recursive_halving", intra_recursivehalving, 0, 0)
SPY(reduce_scatter_block, "butterfly", intra_butterfly, 0, 0)
SPY(scan, "linear", intra_linear, 0, 0)
SPY(scan, "recursive_doubling", intra_recursivedoubling, 0, 0)
SPY(scatter, "basic_linear", intra_basic_linear, 0, 0)
SPY(scatter, "binomial", intra_binomial, 0, 0)
SPY(scatter, "linear_nb", intra_linear_nb, 0, 0)

enum { MAX_BYTES = 1 << 20, MAX_RANKS = 8 };
static char in[MAX_RANKS * MAX_BYTES], out[MAX_RANKS * MAX_BYTES];

/* A call: `count` elements of `type` to or from each rank, or in all. */
struct call {
    MPI_Comm comm;
    MPI_Datatype type;
    int n, count, is_in_place;
    int counts[MAX_RANKS], starts[MAX_RANKS];
};

static const void *send_buffer(const struct call *call)
{
    return call->is_in_place ? MPI_IN_PLACE : in;
}

#define SENT call->is_in_place ? 0 : call->count, call->is_in_place ? MPI_DATATYPE_NULL : call->type
static int call_allgather(const struct call *call)
{
    return MPI_Allgather(send_buffer(call), SENT, out, call->count, call->type, call->comm);
}
static int call_allgatherv(const struct call *call)
{
    return MPI_Allgatherv(send_buffer(call), SENT, out, call->counts, call->starts, call->type, call->comm);
}
static int call_alltoall(const struct call *call)
{
    return MPI_Alltoall(send_buffer(call), SENT, out, call->count, call->type, call->comm);
}
static int call_allreduce(const struct call *call)
{
    return MPI_Allreduce(send_buffer(call), out, call->count, call->type, MPI_BOR, call->comm);
}
static int call_alltoallv(const struct call *call)
{
    return MPI_Alltoallv(in, call->counts, call->starts, call->type, out, call->counts, call->starts,
                         call->type, call->comm);
}
static int call_barrier(const struct call *call)
{
    return MPI_Barrier(call->comm);
}
static int call_bcast(const struct call *call)
{
    return MPI_Bcast(out, call->count, call->type, 0, call->comm);
}
static int call_exscan(const struct call *call)
{
    return MPI_Exscan(in, out, call->count, call->type, MPI_BOR, call->comm);
}
static int call_gather(const struct call *call)
{
    return MPI_Gather(in, call->count, call->type, out, call->count, call->type, 0, call->comm);
}
static int call_reduce(const struct call *call)
{
    return MPI_Reduce(in, out, call->count, call->type, MPI_BOR, 0, call->comm);
}
static int call_reduce_scatter(const struct call *call)
{
    return MPI_Reduce_scatter(in, out, call->counts, call->type, MPI_BOR, call->comm);
}
static int call_reduce_scatter_block(const struct call *call)
{
    return MPI_Reduce_scatter_block(in, out, call->count, call->type, MPI_BOR, call->comm);
}
static int call_scan(const struct call *call)
{
    return MPI_Scan(in, out, call->count, call->type, MPI_BOR, call->comm);
}
static int call_scatter(const struct call *call)
{
    return MPI_Scatter(in, call->count, call->type, out, call->count, call->type, 0, call->comm);
}

static const struct {
    const char *name;
    int (*call)(const struct call *call);
    int has_in_place, asks_for_elements; /* tried so, and with elements of 8 bytes */
} collectives[] = {
    {"allgather", call_allgather, 1, 0}, {"allgatherv", call_allgatherv, 1, 0},
    {"alltoall", call_alltoall, 1, 0}, {"allreduce", call_allreduce, 1, 1},
    {"alltoallv", call_alltoallv, 0, 0}, {"barrier", call_barrier, 0, 0},
    {"bcast", call_bcast, 0, 1}, {"exscan", call_exscan, 0, 1},
    {"gather", call_gather, 0, 0}, {"reduce", call_reduce, 0, 1},
    {"reduce_scatter", call_reduce_scatter, 0, 0},
    {"reduce_scatter_block", call_reduce_scatter_block, 0, 0},
    {"scan", call_scan, 0, 1}, {"scatter", call_scatter, 0, 0}};

static void print_noted(const char *collective, const struct call *call, int type_bytes, int result)
{
    const char *runs = "-", *name = result == MPI_SUCCESS ? "none" : "fails";
    if (noted.n && result == MPI_SUCCESS)
        name = noted.algorithm[0]->name;
    for (int i = 1; i < noted.n; i++)
        if (strcmp(noted.algorithm[i]->collective, collective) == 0)
            runs = noted.algorithm[i]->name;
    printf("%s %d %d %d %d %s %s %d %d\n", collective, call->n, type_bytes, call->is_in_place,
           call->count * type_bytes, name, result == MPI_SUCCESS ? runs : "-", noted.segment, noted.fan_out);
}

static void try_collective(int which, struct call *call, int type_bytes)
{
    int rank;
    MPI_Comm_rank(call->comm, &rank);
    if (type_bytes > 1 && !collectives[which].asks_for_elements)
        return;
    for (call->is_in_place = 0; call->is_in_place <= collectives[which].has_in_place; call->is_in_place++) {
        memset(&noted, 0, sizeof noted);
        const int result = collectives[which].call(call);
        if (rank == 0)
            print_noted(collectives[which].name, call, type_bytes, result);
    }
}

int main(int argc, char **argv)
{
    int world_rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    for (int n = 2; n <= MAX_RANKS; n++) {
        struct call call = {.n = n};
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < n ? 0 : MPI_UNDEFINED, world_rank, &call.comm);
        if (call.comm == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(call.comm, MPI_ERRORS_RETURN);
        for (int i = 1; i < argc; i++)
            for (int type_bytes = 1; type_bytes <= 8; type_bytes += 7) {
                const int bytes = atoi(argv[i]);
                if (bytes % type_bytes || bytes > MAX_BYTES)
                    continue;
                call.type = type_bytes == 1 ? MPI_BYTE : MPI_INT64_T;
                call.count = bytes / type_bytes;
                for (int j = 0; j < n; j++) {
                    call.counts[j] = call.count;
                    call.starts[j] = j * call.count;
                }
                for (size_t j = 0; j < sizeof collectives / sizeof *collectives; j++)
                    try_collective((int)j, &call, type_bytes);
            }
        MPI_Comm_free(&call.comm);
    }
    MPI_Finalize();
    return 0;
}
