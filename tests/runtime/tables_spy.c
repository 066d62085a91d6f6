/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls collectives under Open MPI on communicators of 2 to 8 ranks, and prints which of the
 * library's algorithms each call went to:
 *
 *   COLLECTIVE RANKS TYPE-BYTES MODE PLACE BYTES ALGORITHM RUNS SEGMENT FAN-OUT
 *
 * MODE is 'plain', 'in-place' (MPI_IN_PLACE; of gather at the root), 'ignored' (of scatter: ranks
 * other than the root pass nothing for the send buffer) or 'ordered' (an operation that does not
 * commute). PLACE is 'root', or 'elsewhere' on the last rank, where ranks may differ. RUNS is the
 * algorithm of the same collective that this one called in its turn, or '-'; ALGORITHM is 'fails'
 * where the call returned an error before any ran.
 *
 * The functions below have the names of Open MPI's own (ompi_coll_base_*) and are found before these,
 * because this is the program: each notes that it was called, and calls the real one. Their
 * arguments are integers and pointers, at most 12: each takes 12 words, whatever is in those that
 * the caller has not passed.
 */
#define _GNU_SOURCE
/* It makes some of these calls. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "calls.def"

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
#include "ompi_functions.def"

enum { MAX_BYTES = 1 << 20, MAX_RANKS = 8 };
static char in[MAX_RANKS * MAX_BYTES], out[MAX_RANKS * MAX_BYTES];

enum mode { PLAIN, IN_PLACE, IGNORED, ORDERED, N_MODES };
enum { HAS_PLAIN = 1 << PLAIN, HAS_IN_PLACE = 1 << IN_PLACE, HAS_IGNORED = 1 << IGNORED,
       HAS_ORDERED = 1 << ORDERED };
static const struct {
    const char *name;
    int (*call)(const struct call *call);
    int modes;             /* besides the plain one */
    int asks_for_elements; /* tried with elements of 8 bytes, too */
} collectives[] = {
    {"allgather", call_allgather, HAS_IN_PLACE, 0},
    {"allgatherv", call_allgatherv, HAS_IN_PLACE, 0},
    {"alltoall", call_alltoall, HAS_IN_PLACE, 0},
    {"allreduce", call_allreduce, HAS_IN_PLACE | HAS_ORDERED, 1},
    {"alltoallv", call_alltoallv, 0, 0},
    {"barrier", call_barrier, 0, 0},
    {"bcast", call_bcast, 0, 1},
    {"exscan", call_exscan, 0, 1},
    {"gather", call_gather, HAS_IN_PLACE, 0},
    {"reduce", call_reduce, HAS_ORDERED, 1},
    {"reduce_scatter", call_reduce_scatter, HAS_ORDERED, 0},
    {"reduce_scatter_block", call_reduce_scatter_block, HAS_ORDERED, 0},
    {"scan", call_scan, 0, 1},
    {"scatter", call_scatter, HAS_IGNORED, 0}};

enum { MAX_LINE = 256 };

static void write_noted(const char *collective, const struct call *call, enum mode mode, int type_bytes,
                        int result, char line[MAX_LINE])
{
    static const char *const modes[N_MODES] = {"plain", "in-place", "ignored", "ordered"};
    const char *runs = "-", *name = result == MPI_SUCCESS ? "none" : "fails";
    if (noted.n && result == MPI_SUCCESS)
        name = noted.algorithm[0]->name;
    for (int i = 1; i < noted.n; i++)
        if (strcmp(noted.algorithm[i]->collective, collective) == 0)
            runs = noted.algorithm[i]->name;
    snprintf(line, MAX_LINE, "%s %d %d %s %s %d %s %s %d %d", collective, call->n, type_bytes, modes[mode],
             call->rank ? "elsewhere" : "root", call->count * type_bytes, name,
             result == MPI_SUCCESS ? runs : "-", noted.segment, noted.fan_out);
}

static void try_mode(int which, const struct call *call, enum mode mode, int type_bytes)
{
    const int may_differ = (collectives[which].call == call_gather && mode == IN_PLACE) || mode == IGNORED;
    char line[MAX_LINE];
    memset(&noted, 0, sizeof noted);
    const int result = collectives[which].call(call);
    write_noted(collectives[which].name, call, mode, type_bytes, result, line);
    if (call->rank == 0)
        puts(line);
    if (!may_differ)
        return;
    if (call->rank == call->n - 1)
        MPI_Send(line, MAX_LINE, MPI_CHAR, 0, 0, call->comm);
    if (call->rank == 0) { /* who alone prints, so that lines stay whole */
        MPI_Recv(line, MAX_LINE, MPI_CHAR, call->n - 1, 0, call->comm, MPI_STATUS_IGNORE);
        puts(line);
    }
}

static void try_collective(int which, struct call *call, int type_bytes, MPI_Op ordered)
{
    if (type_bytes > 1 && !collectives[which].asks_for_elements)
        return;
    for (enum mode mode = PLAIN; mode < N_MODES; mode++) {
        call->op = mode == ORDERED ? ordered : MPI_BOR;
        call->is_in_place = mode == IN_PLACE;
        call->is_ignored = mode == IGNORED;
        if ((collectives[which].modes | HAS_PLAIN) & (1 << mode))
            try_mode(which, call, mode, type_bytes);
    }
}

int main(int argc, char **argv)
{
    int world_rank;
    MPI_Op ordered;
    MPI_Init(&argc, &argv);
    MPI_Op_create(combine, 0, &ordered);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    for (int n = 2; n <= MAX_RANKS; n++) {
        int counts[MAX_RANKS], starts[MAX_RANKS];
        struct call call = {
            .n = n, .rank = world_rank, .in = in, .out = out, .counts = counts, .starts = starts};
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
                    counts[j] = call.count;
                    starts[j] = j * call.count;
                }
                for (size_t j = 0; j < sizeof collectives / sizeof *collectives; j++)
                    try_collective((int)j, &call, type_bytes, ordered);
            }
        MPI_Comm_free(&call.comm);
    }
    MPI_Op_free(&ordered);
    MPI_Finalize();
    return 0;
}
