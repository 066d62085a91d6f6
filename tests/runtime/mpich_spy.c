/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls collectives under MPICH 4.0 on communicators of 2 to 8 ranks (of 1 to 8 where nothing is
 * sent to others), and prints which algorithms send what each call sent:
 *
 *   COLLECTIVE RANKS TYPE-BYTES MODE BYTES ALGORITHM...
 *
 * MODE is 'plain', 'in-place' (MPI_IN_PLACE; of rooted collectives at the root) or 'ordered' (an
 * operation of the user that does not commute). The library's functions are hidden, so what is
 * compared is traffic: a call as the selection file has it, and the same call with each algorithm
 * forced through its variable (MPI_T), which the file has no say in. Traffic is, on every rank, whom
 * what number of bytes goes to, in order, and whether under the fixed tag of a blocking collective.
 * An algorithm that does the same is printed; more than one may.
 *
 * The function below has the name of UCX's own and is found before it, because this is the program.
 * All ranks count as being on machines of their own (MPIR_CVAR_NOLOCAL), so that messages go that way.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- traffic ---- */

enum { FIRST_TAG_OF_SCHEDULES = 60, MAX_CALLS = 8 };
static uint64_t traffic;

static void note(uint64_t value)
{
    traffic = (traffic ^ value) * 0x100000001b3u;
}

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *how);
void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *how)
{
    static void *(*real)(void *, const void *, size_t, uint64_t, const void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    note((uint64_t)(uintptr_t)endpoint);
    note(count);
    note((tag & 0xffffff) < FIRST_TAG_OF_SCHEDULES);
    return real(endpoint, buffer, count, tag, how);
}

/* MPICH polls without a rest; here are more ranks than cores. */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned n = real(worker);
    if (n == 0)
        sched_yield();
    return n;
}

/* ---- calls ---- */

enum { MAX_BYTES = 1 << 19, MAX_RANKS = 8 };
static char in[MAX_RANKS * MAX_BYTES], out[MAX_RANKS * MAX_BYTES];

/* `count` elements of `type` to or from each rank, or in all. */
struct call {
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Op op;
    enum mode { PLAIN, IN_PLACE, ORDERED, N_MODES } mode;
    int rank, n, count;
    int counts[MAX_RANKS], starts[MAX_RANKS], byte_starts[MAX_RANKS];
    MPI_Datatype types[MAX_RANKS];
};

static const void *sent(const struct call *call)
{
    return call->mode == IN_PLACE ? MPI_IN_PLACE : in;
}

static const void *sent_but_at_root(const struct call *call)
{
    return call->mode == IN_PLACE && call->rank == 0 ? MPI_IN_PLACE : in;
}

static int allgather(const struct call *c)
{
    return MPI_Allgather(sent(c), c->count, c->type, out, c->count, c->type, c->comm);
}
static int allgatherv(const struct call *c)
{
    return MPI_Allgatherv(sent(c), c->count, c->type, out, c->counts, c->starts, c->type, c->comm);
}
static int allreduce(const struct call *c)
{
    return MPI_Allreduce(sent(c), out, c->count, c->type, c->op, c->comm);
}
static int alltoall(const struct call *c)
{
    return MPI_Alltoall(sent(c), c->count, c->type, out, c->count, c->type, c->comm);
}
static int alltoallv(const struct call *c)
{
    return MPI_Alltoallv(sent(c), c->counts, c->starts, c->type, out, c->counts, c->starts, c->type, c->comm);
}
static int alltoallw(const struct call *c)
{
    return MPI_Alltoallw(sent(c), c->counts, c->byte_starts, c->types, out, c->counts, c->byte_starts,
                         c->types,
                         c->comm);
}
static int barrier(const struct call *c)
{
    return MPI_Barrier(c->comm);
}
static int bcast(const struct call *c)
{
    return MPI_Bcast(out, c->count, c->type, 0, c->comm);
}
static int exscan(const struct call *c)
{
    return MPI_Exscan(sent(c), out, c->count, c->type, c->op, c->comm);
}
static int gather(const struct call *c)
{
    return MPI_Gather(sent_but_at_root(c), c->count, c->type, out, c->count, c->type, 0, c->comm);
}
static int reduce(const struct call *c)
{
    return MPI_Reduce(sent_but_at_root(c), out, c->count, c->type, c->op, 0, c->comm);
}
static int reduce_scatter(const struct call *c)
{
    return MPI_Reduce_scatter(sent(c), out, c->counts, c->type, c->op, c->comm);
}
static int reduce_scatter_block(const struct call *c)
{
    return MPI_Reduce_scatter_block(sent(c), out, c->count, c->type, c->op, c->comm);
}
static int scan(const struct call *c)
{
    return MPI_Scan(sent(c), out, c->count, c->type, c->op, c->comm);
}
static int scatter(const struct call *c)
{
    void *received = c->mode == IN_PLACE && c->rank == 0 ? MPI_IN_PLACE : out;
    return MPI_Scatter(in, c->count, c->type, received, c->count, c->type, 0, c->comm);
}

/* The algorithms in the order of the variable's values, from 1. */
static const struct collective {
    const char *name, *variable;
    int (*run)(const struct call *call);
    unsigned modes;
    const char *algorithms[6];
} collectives[] = {
    {"allgather", "ALLGATHER", allgather, 1 | 2, {"brucks", "nb", "recursive_doubling", "ring"}},
    {"allgatherv", "ALLGATHERV", allgatherv, 1 | 2, {"brucks", "nb", "recursive_doubling", "ring"}},
    {"allreduce", "ALLREDUCE", allreduce, 1 | 2 | 4, {"nb", "smp", "recursive_doubling",
        "reduce_scatter_allgather"}},
    {"alltoall", "ALLTOALL", alltoall, 1 | 2,
     {"brucks", "nb", "pairwise", "pairwise_sendrecv_replace", "scattered"}},
    {"alltoallv", "ALLTOALLV", alltoallv, 1 | 2, {"nb", "pairwise_sendrecv_replace", "scattered"}},
    {"alltoallw", "ALLTOALLW", alltoallw, 1 | 2, {"nb", "pairwise_sendrecv_replace", "scattered"}},
    {"barrier", "BARRIER", barrier, 1, {"nb", "smp", "dissemination"}},
    {"bcast", "BCAST", bcast, 1,
     {"binomial", "nb", "smp", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"}},
    {"exscan", "EXSCAN", exscan, 1 | 4, {"nb", "recursive_doubling"}},
    {"gather", "GATHER", gather, 1, {"binomial", "nb"}},
    {"reduce", "REDUCE", reduce, 1 | 2 | 4, {"binomial", "nb", "smp", "reduce_scatter_gather"}},
    {"reduce_scatter", "REDUCE_SCATTER", reduce_scatter, 1 | 2 | 4,
     {"nb", "noncommutative", "pairwise", "recursive_doubling", "recursive_halving"}},
    {"reduce_scatter_block", "REDUCE_SCATTER_BLOCK", reduce_scatter_block, 1 | 2 | 4,
     {"noncommutative", "recursive_doubling", "pairwise", "recursive_halving", "nb"}},
    {"scan", "SCAN", scan, 1 | 4, {"nb", "smp", "recursive_doubling"}},
    {"scatter", "SCATTER", scatter, 1, {"binomial", "nb"}},
};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

static MPI_T_cvar_handle variable_of(const struct collective *collective)
{
    char name[100];
    int index, count;
    MPI_T_cvar_handle handle;
    snprintf(name, sizeof name, "MPIR_CVAR_%s_INTRA_ALGORITHM", collective->variable);
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) {
        fprintf(stderr, "no variable %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return handle;
}

/* The traffic of a call; 0: it returned an error. */
static uint64_t run(const struct collective *collective, const struct call *call, MPI_T_cvar_handle variable,
                    int algorithm)
{
    MPI_T_cvar_write(variable, &algorithm);
    traffic = 1;
    const int status = collective->run(call);
    const uint64_t seen = status == MPI_SUCCESS ? traffic : 0;
    algorithm = 0;
    MPI_T_cvar_write(variable, &algorithm);
    return seen;
}

static void compare(const struct collective *collective, const struct call *call)
{
    static const char *const mode_names[N_MODES] = {"plain", "in-place", "ordered"};
    MPI_T_cvar_handle variable = variable_of(collective);
    const uint64_t chosen = run(collective, call, variable, 0);
    int size;
    MPI_Type_size(call->type, &size);
    if (call->rank == 0)
        printf("%s %d %d %s %d", collective->name, call->n, size, mode_names[call->mode], call->count * size);
    for (int i = 0; i < 6 && collective->algorithms[i]; i++) {
        if (strcmp(collective->algorithms[i], "noncommutative") == 0 && (call->n & (call->n - 1)))
            continue; /* ends the program */
        const uint64_t forced = run(collective, call, variable, i + 1);
        int is_same = forced == chosen && forced != 0, everywhere;
        PMPI_Allreduce(&is_same, &everywhere, 1, MPI_INT, MPI_LAND, call->comm);
        if (everywhere && call->rank == 0)
            printf(" %s", collective->algorithms[i]);
    }
    if (call->rank == 0)
        printf("\n");
    MPI_T_cvar_handle_free(&variable);
}

static void run_all(struct call *call, int bytes)
{
    int size;
    MPI_Type_size(call->type, &size);
    call->count = bytes / size;
    for (int i = 0; i < call->n; i++) {
        call->counts[i] = call->count;
        call->starts[i] = i * call->count;
        call->byte_starts[i] = i * bytes;
        call->types[i] = call->type;
    }
    for (int i = 0; i < N_COLLECTIVES && call->count; i++)
        for (int mode = 0; mode < N_MODES; mode++)
            if (collectives[i].modes & (1u << mode)) {
                struct call its = *call;
                its.mode = (enum mode)mode;
                its.op = mode == ORDERED ? call->op : MPI_MAX;
                compare(&collectives[i], &its);
            }
}

/* Takes the left one. */
static void left(void *a, void *b, int *n, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    memcpy(b, a, (size_t)*n * (size_t)size);
}

int main(int argc, char **argv)
{
    int n_world, level;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    MPI_Comm_size(MPI_COMM_WORLD, &n_world);
    struct call call = {0};
    MPI_Op_create(left, 0, &call.op);
    const MPI_Datatype types[] = {MPI_CHAR, MPI_INT};
    int world_rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    for (call.n = n_world; call.n >= 2; call.n--) {
        MPI_Comm_split(MPI_COMM_WORLD, world_rank < call.n ? 0 : MPI_UNDEFINED, world_rank, &call.comm);
        if (call.comm == MPI_COMM_NULL)
            continue;
        MPI_Comm_set_errhandler(call.comm, MPI_ERRORS_RETURN);
        MPI_Comm_rank(call.comm, &call.rank);
        for (int t = 0; t < 2; t++)
            for (int i = 1; i < argc; i++) {
                call.type = types[t];
                run_all(&call, atoi(argv[i]));
            }
        MPI_Comm_free(&call.comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Op_free(&call.op);
    MPI_Finalize();
    return 0;
}
