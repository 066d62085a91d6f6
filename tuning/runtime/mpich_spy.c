/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library preloaded with a program under MPICH 4.0 on UCX. It notes the algorithms that the MPI's
 * collectives use (notes.h).
 *
 * MPICH's algorithms are functions that cannot be called or replaced from outside. But all of them send
 * and wait through UCX, so in a call of a collective the spy looks, at the first call of UCX, at the
 * functions of the library between it and the program. They have no names there, but places in the
 * library. A launch before, without a table, finds the place of each algorithm: two ranks call each
 * collective with each algorithm forced by its variable (MPI_T). The common functions of these calls lead
 * to the choice; the function behind them is the algorithm. That launch writes a file, $COLLC_LEARN,
 * which the other reads, $COLLC_KNOWN, so that the program under a table makes no calls but its own:
 *
 *   place COLLECTIVE VALUE HEXADECIMAL      of the algorithm with that value, from the begin of the library
 *   machine RANK LEAST                      of MPI_COMM_WORLD; the least rank on the same machine
 *
 * In MPICH the Fortran interfaces call the C ones, so the language of the program does not matter.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <unwind.h>
#include "notes.h"

enum { MAX_ALGORITHMS = 6, MAX_DEPTH = 64 };

static struct collective {
    const char *name, *variable, *algorithms[MAX_ALGORITHMS];
    uint64_t places[MAX_ALGORITHMS]; /* places of their functions, from the begin of the library; 0:
                                        unknown */
} collectives[] = {
#define ALGORITHMS(collective, capital, ...) \
    {#collective, "MPIR_CVAR_" #capital "_INTRA_ALGORITHM", {__VA_ARGS__}, {0}},
#include "mpich_algorithms.def"
};
enum {
#define ALGORITHMS(collective, capital, ...) OF_##collective,
#include "mpich_algorithms.def"
    N_COLLECTIVES
};

/* ---- whose functions are in flight ---- */

/* The call stack from the inside out, functions of the library alone. */
struct way {
    uint64_t places[MAX_DEPTH];
    int n;
};
static __thread struct way way;
static __thread int is_wanted; /* a collective runs whose algorithm is still unknown */

static uintptr_t library(void)
{
    static uintptr_t begin;
    Dl_info info;
    if (!begin && dladdr(dlsym(RTLD_NEXT, "PMPI_Init"), &info))
        begin = (uintptr_t)info.dli_fbase;
    return begin;
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *argument)
{
    Dl_info info;
    const uintptr_t function = _Unwind_GetRegionStart(context);
    (void)argument;
    if (function && way.n < MAX_DEPTH && dladdr((void *)function, &info) &&
        (uintptr_t)info.dli_fbase == library())
        way.places[way.n++] = function - library();
    return _URC_NO_REASON;
}

static void look(void)
{
    if (!is_wanted)
        return;
    is_wanted = 0;
    way.n = 0;
    _Unwind_Backtrace(take_frame, NULL);
}

void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *how);
void *ucp_tag_send_nbx(void *endpoint, const void *buffer, size_t count, uint64_t tag, const void *how)
{
    static void *(*real)(void *, const void *, size_t, uint64_t, const void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
    look();
    return real(endpoint, buffer, count, tag, how);
}

/* Lets other ranks run: MPICH polls without a rest, and there may be more ranks than cores. */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    look();
    const unsigned n = real(worker);
    if (n == 0)
        sched_yield();
    return n;
}

static const char *algorithm_on_way(const struct collective *collective)
{
    for (int i = way.n; i-- > 0;)
        for (int j = 0; j < MAX_ALGORITHMS; j++)
            if (collective->places[j] && collective->places[j] == way.places[i])
                return collective->algorithms[j];
    return "unknown";
}

/* ---- which place is which algorithm's ---- */

static char in[64], out[64];

static int call_once(int which, int is_in_place, MPI_Comm comm)
{
    static int counts[] = {8, 8}, starts[] = {0, 8};
    const void *sent = is_in_place ? MPI_IN_PLACE : in;
    switch (which) {
    case OF_allgather: return PMPI_Allgather(in, 8, MPI_BYTE, out, 8, MPI_BYTE, comm);
    case OF_allgatherv: return PMPI_Allgatherv(in, 8, MPI_BYTE, out, counts, starts, MPI_BYTE, comm);
    case OF_allreduce: return PMPI_Allreduce(in, out, 8, MPI_BYTE, MPI_BOR, comm);
    case OF_alltoall: return PMPI_Alltoall(sent, 8, MPI_BYTE, out, 8, MPI_BYTE, comm);
    case OF_alltoallv:
        return PMPI_Alltoallv(sent, counts, starts, MPI_BYTE, out, counts, starts, MPI_BYTE, comm);
    case OF_barrier: return PMPI_Barrier(comm);
    case OF_bcast: return PMPI_Bcast(out, 8, MPI_BYTE, 0, comm);
    case OF_exscan: return PMPI_Exscan(in, out, 8, MPI_BYTE, MPI_BOR, comm);
    case OF_gather: return PMPI_Gather(in, 8, MPI_BYTE, out, 8, MPI_BYTE, 0, comm);
    case OF_reduce: return PMPI_Reduce(in, out, 8, MPI_BYTE, MPI_BOR, 0, comm);
    case OF_reduce_scatter: return PMPI_Reduce_scatter(in, out, counts, MPI_BYTE, MPI_BOR, comm);
    case OF_reduce_scatter_block: return PMPI_Reduce_scatter_block(in, out, 8, MPI_BYTE, MPI_BOR, comm);
    case OF_scan: return PMPI_Scan(in, out, 8, MPI_BYTE, MPI_BOR, comm);
    case OF_scatter: return PMPI_Scatter(in, 8, MPI_BYTE, out, 8, MPI_BYTE, 0, comm);
    default: return MPI_ERR_OTHER;
    }
}

static void force(const struct collective *collective, int algorithm)
{
    MPI_T_cvar_handle handle;
    int index, count;
    if (MPI_T_cvar_get_index(collective->variable, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    MPI_T_cvar_write(handle, &algorithm);
    MPI_T_cvar_handle_free(&handle);
}

static int forced_already(const struct collective *collective)
{
    MPI_T_cvar_handle handle;
    int index, count, value = 0;
    if (MPI_T_cvar_get_index(collective->variable, &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        MPI_T_cvar_read(handle, &value);
        MPI_T_cvar_handle_free(&handle);
    }
    return value;
}

/* Returns the number of frames from the outside that all ways share. No way is empty. */
static int common(const struct way *ways, int n)
{
    for (int at = 0;; at++)
        for (int i = 0; i < n; i++)
            if (at >= ways[i].n || at >= ways[0].n ||
                ways[i].places[ways[i].n - 1 - at] != ways[0].places[ways[0].n - 1 - at])
                return at;
}

/* Takes the other rank's way if this rank saw none: a rank whose message is already there calls nothing. */
static void share(struct way *mine, MPI_Comm comm)
{
    struct way other;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Sendrecv(mine, (int)sizeof *mine, MPI_BYTE, 1 - rank, 1, &other, (int)sizeof other, MPI_BYTE,
                  1 - rank, 1, comm, MPI_STATUS_IGNORE);
    if (mine->n == 0 || (rank > 0 && other.n > 0))
        *mine = other;
}

/* Finds the way of a call. Returns true if one of the two ranks has seen it. */
static int try_once(int which, int algorithm, struct way *seen, MPI_Comm comm)
{
    const struct collective *collective = &collectives[which];
    const char *name = algorithm ? collective->algorithms[algorithm - 1] : "";
    force(collective, algorithm);
    way.n = 0;
    is_wanted = 1;
    call_once(which, strcmp(name, "pairwise_sendrecv_replace") == 0, comm);
    is_wanted = 0;
    *seen = way;
    share(seen, comm);
    return seen->n > 0;
}

/* Learns the algorithms of a collective. An algorithm with the same way as the library's own choice was not
 * defined, and left to it. */
static void learn(int which, MPI_Comm comm)
{
    enum { TRIES = 5 };
    static struct way ways[MAX_ALGORITHMS + 1];
    struct collective *collective = &collectives[which];
    const int before = forced_already(collective);
    int n = 0, algorithms[MAX_ALGORITHMS + 1] = {0};
    for (int i = 0; i <= MAX_ALGORITHMS && (i == 0 || collective->algorithms[i - 1]); i++)
        for (int j = 0; j < TRIES; j++)
            if (try_once(which, i, &ways[n], comm)) {
                algorithms[n++] = i;
                break;
            }
    force(collective, before);
    if (n == 0 || algorithms[0] != 0)
        return;
    const int begin = common(ways, n);
    const uint64_t own = ways[0].n > begin ? ways[0].places[ways[0].n - 1 - begin] : 0;
    for (int i = 1; i < n; i++)
        if (ways[i].n > begin && ways[i].places[ways[i].n - 1 - begin] != own)
            collective->places[algorithms[i] - 1] = ways[i].places[ways[i].n - 1 - begin];
}

/* ---- the machines of ranks ---- */

static int world_size, *machines; /* [rank of the world] the least rank on its machine */

static int nodes_of(MPI_Comm comm, int n)
{
    MPI_Group group, world;
    char *is_counted = calloc((size_t)world_size, 1);
    int *all = malloc((size_t)n * sizeof *all), *ranks = malloc((size_t)n * sizeof *ranks), n_nodes = 0;
    if (!all || !ranks || !is_counted)
        abort();
    for (int i = 0; i < n; i++)
        all[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, n, all, world, ranks);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    for (int i = 0; i < n; i++) {
        const int machine = ranks[i] == MPI_UNDEFINED ? -1 : machines[ranks[i]];
        if (machine < 0 || !is_counted[machine])
            n_nodes++;
        if (machine >= 0)
            is_counted[machine] = 1;
    }
    free(all);
    free(ranks);
    free(is_counted);
    return n_nodes;
}

static void make_machines(void)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    machines = malloc((size_t)world_size * sizeof *machines);
    if (!machines)
        abort();
    for (int i = 0; i < world_size; i++)
        machines[i] = i;
}

/* ---- the file ---- */

static void write_known(const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; file && i < N_COLLECTIVES; i++)
        for (int j = 0; j < MAX_ALGORITHMS; j++)
            if (collectives[i].places[j])
                fprintf(file, "place %s %d %llx\n", collectives[i].name, j + 1,
                        (unsigned long long)collectives[i].places[j]);
    for (int i = 0; file && i < world_size; i++)
        fprintf(file, "machine %d %d\n", i, machines[i]);
    if (file)
        fclose(file);
}

static void read_known(const char *path)
{
    char line[256], name[64];
    unsigned long long place;
    int value, rank, least;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "machine %d %d", &rank, &least) == 2 && rank >= 0 && rank < world_size &&
            least >= 0 && least < world_size)
            machines[rank] = least;
        if (sscanf(line, "place %63s %d %llx", name, &value, &place) != 3 || value < 1 ||
            value > MAX_ALGORITHMS)
            continue;
        for (int i = 0; i < N_COLLECTIVES; i++)
            if (strcmp(collectives[i].name, name) == 0)
                collectives[i].places[value - 1] = place;
    }
    if (file)
        fclose(file);
}

/* Lets two ranks learn: two of the machine of rank 0, or ranks 0 and 1; rank 0 is one of them. */
static void learn_all(const char *path)
{
    int level, world_rank, near_rank, n_on_first;
    MPI_Comm near, pair;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, world_rank, MPI_INFO_NULL, &near);
    int least = world_rank;
    PMPI_Comm_rank(near, &near_rank);
    PMPI_Bcast(&least, 1, MPI_INT, 0, near);
    PMPI_Comm_free(&near);
    PMPI_Allgather(&least, 1, MPI_INT, machines, 1, MPI_INT, MPI_COMM_WORLD);
    const int is_on_first = least == 0;
    PMPI_Allreduce(&is_on_first, &n_on_first, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int is_in = n_on_first > 1 ? is_on_first && near_rank < 2 : world_rank < 2;
    PMPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, world_rank, &pair);
    if (is_in && world_size > 1) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
        for (int i = 0; i < N_COLLECTIVES; i++)
            learn(i, pair);
        MPI_T_finalize();
    }
    if (is_in)
        PMPI_Comm_free(&pair);
    if (world_rank == 0)
        write_known(path);
}

static void begin(void)
{
    const char *to_learn = getenv("COLLC_LEARN"), *known = getenv("COLLC_KNOWN");
    make_machines();
    if (to_learn)
        learn_all(to_learn);
    else if (known)
        read_known(known);
}

/* Ends under another MPI: a program of Open MPI misreads the types that this library was compiled for, and
 * crashes. */
static void refuse_another_mpi(void)
{
    if (!dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
        return;
    fputs("collc: the program is linked with Open MPI, and not with the MPI of --mpirun\n", stderr);
    _exit(2);
}

int MPI_Init(int *argc, char ***argv)
{
    refuse_another_mpi();
    const int result = PMPI_Init(argc, argv);
    if (result == MPI_SUCCESS)
        begin();
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    refuse_another_mpi();
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        begin();
    return result;
}

/* ---- what a call is like ---- */

static int type_size(MPI_Datatype type)
{
    int size = 0;
    if (type != MPI_DATATYPE_NULL)
        PMPI_Type_size(type, &size);
    return size;
}

/* Returns the average of counts, and whether they differ. */
static long long average(const int *counts, int n, int *is_unequal)
{
    long long sum = 0;
    for (int i = 0; counts && i < n; i++) {
        sum += counts[i];
        *is_unequal |= counts[i] != counts[0];
    }
    return sum / n;
}

/* True if queries can describe the operation: a user's own operation that commutes is neither of the two
 * kinds. */
static int is_described(MPI_Op op, int *is_ordered)
{
    enum { KIND_BITS = 30, BUILT_IN = 1 };
    int commutes = 1;
    if (op == MPI_OP_NULL || PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS)
        return 0;
    *is_ordered = !commutes;
    return !commutes || (unsigned)op >> KIND_BITS == BUILT_IN;
}

/* False for what no algorithm is chosen for here. `root` is -1 where there is none. */
static int describe(struct kind *kind, int which, MPI_Comm comm, int root)
{
    int is_between = 0, rank;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &is_between) != MPI_SUCCESS || is_between)
        return 0;
    memset(kind, 0, sizeof *kind);
    kind->collective = collectives[which].name;
    PMPI_Comm_size(comm, &kind->ranks);
    PMPI_Comm_rank(comm, &rank);
    kind->nodes = nodes_of(comm, kind->ranks);
    kind->type_bytes = 1;
    kind->runs = "-";
    snprintf(kind->place, sizeof kind->place, "%s", root < 0 ? "all" : root == rank ? "root" : "elsewhere");
    return kind->ranks > 1;
}

static void set_flags(struct kind *kind, int is_in_place, int has_ignored, int is_uneven, int is_ordered)
{
    snprintf(kind->flags, sizeof kind->flags, "%s%s%s%s", is_in_place ? "p" : "", has_ignored ? "i" : "",
             is_uneven ? "u" : "", is_ordered ? "o" : "");
    if (!kind->flags[0])
        strcpy(kind->flags, "-");
}

/* Sets the bytes of one count and type. */
static void set_size(struct kind *kind, long long count, MPI_Datatype type)
{
    kind->type_bytes = type_size(type) > 0 ? type_size(type) : 1;
    kind->bytes = count * type_size(type);
}

static void enter(int is_noted)
{
    way.n = 0;
    is_wanted = is_noted;
}

/* Leaves a call and notes it if its way was seen; other ranks may have seen it otherwise. */
static int leave(int is_noted, struct kind *kind, int which, int result)
{
    is_wanted = 0;
    kind->algorithm = result == MPI_SUCCESS ? algorithm_on_way(&collectives[which]) : "fails";
    if (is_noted && (result != MPI_SUCCESS || way.n > 0) &&
        (kind->bytes > 0 || which == OF_barrier))
        note(kind);
    return result;
}

/* ---- the functions ---- */

#define IN_PLACE(buffer) ((buffer) == MPI_IN_PLACE)

int MPI_Allgather(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_allgather, comm, -1);
    set_size(&kind, rn, rt);
    set_flags(&kind, IN_PLACE(s), 0, 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_allgather, PMPI_Allgather(s, sn, st, r, rn, rt, comm));
}

int MPI_Allgatherv(const void *s, int sn, MPI_Datatype st, void *r, const int *rn, const int *at,
                   MPI_Datatype rt, MPI_Comm comm)
{
    struct kind kind;
    int is_uneven = 0;
    const int is_noted = describe(&kind, OF_allgatherv, comm, -1);
    if (is_noted)
        set_size(&kind, average(rn, kind.ranks, &is_uneven), rt);
    set_flags(&kind, IN_PLACE(s), 0, is_uneven, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_allgatherv, PMPI_Allgatherv(s, sn, st, r, rn, at, rt, comm));
}

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct kind kind;
    int is_ordered = 0;
    const int is_noted = describe(&kind, OF_allreduce, comm, -1) && is_described(op, &is_ordered);
    set_size(&kind, n, type);
    set_flags(&kind, IN_PLACE(s), 0, 0, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_allreduce, PMPI_Allreduce(s, r, n, type, op, comm));
}

int MPI_Alltoall(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_alltoall, comm, -1);
    set_size(&kind, rn, rt);
    kind.ignored = IN_PLACE(s) ? (long long)sn * type_size(st) : 0;
    set_flags(&kind, IN_PLACE(s), IN_PLACE(s), 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_alltoall, PMPI_Alltoall(s, sn, st, r, rn, rt, comm));
}

int MPI_Alltoallv(const void *s, const int *sn, const int *sat, MPI_Datatype st, void *r, const int *rn,
                  const int *rat, MPI_Datatype rt, MPI_Comm comm)
{
    struct kind kind;
    int is_uneven = 0;
    const int is_noted = describe(&kind, OF_alltoallv, comm, -1);
    if (is_noted)
        set_size(&kind, average(rn, kind.ranks, &is_uneven), rt);
    set_flags(&kind, IN_PLACE(s), IN_PLACE(s), is_uneven, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_alltoallv, PMPI_Alltoallv(s, sn, sat, st, r, rn, rat, rt, comm));
}

int MPI_Barrier(MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_barrier, comm, -1);
    set_flags(&kind, 0, 0, 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_barrier, PMPI_Barrier(comm));
}

int MPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_bcast, comm, root);
    set_size(&kind, n, type);
    set_flags(&kind, 0, 0, 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_bcast, PMPI_Bcast(buffer, n, type, root, comm));
}

int MPI_Exscan(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct kind kind;
    int is_ordered = 0;
    const int is_noted = describe(&kind, OF_exscan, comm, -1) && is_described(op, &is_ordered);
    set_size(&kind, n, type);
    set_flags(&kind, IN_PLACE(s), 0, 0, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_exscan, PMPI_Exscan(s, r, n, type, op, comm));
}

int MPI_Gather(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, int root,
               MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_gather, comm, root), is_in_place = IN_PLACE(s);
    if (is_in_place)
        set_size(&kind, rn, rt);
    else
        set_size(&kind, sn, st);
    kind.ignored = is_in_place ? (long long)sn * type_size(st) : 0;
    set_flags(&kind, is_in_place, is_in_place, 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_gather, PMPI_Gather(s, sn, st, r, rn, rt, root, comm));
}

int MPI_Reduce(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    struct kind kind;
    int is_ordered = 0;
    const int is_noted = describe(&kind, OF_reduce, comm, root) && is_described(op, &is_ordered);
    set_size(&kind, n, type);
    set_flags(&kind, IN_PLACE(s), 0, 0, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_reduce, PMPI_Reduce(s, r, n, type, op, root, comm));
}

int MPI_Reduce_scatter(const void *s, void *r, const int *rn, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct kind kind;
    int is_uneven = 0, is_ordered = 0;
    const int is_noted = describe(&kind, OF_reduce_scatter, comm, -1) && is_described(op, &is_ordered);
    if (is_noted)
        set_size(&kind, average(rn, kind.ranks, &is_uneven), type);
    set_flags(&kind, IN_PLACE(s), 0, is_uneven, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_reduce_scatter, PMPI_Reduce_scatter(s, r, rn, type, op, comm));
}

int MPI_Reduce_scatter_block(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct kind kind;
    int is_ordered = 0;
    const int is_noted = describe(&kind, OF_reduce_scatter_block, comm, -1) && is_described(op, &is_ordered);
    set_size(&kind, n, type);
    set_flags(&kind, IN_PLACE(s), 0, 0, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_reduce_scatter_block,
                 PMPI_Reduce_scatter_block(s, r, n, type, op, comm));
}

int MPI_Scan(const void *s, void *r, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    struct kind kind;
    int is_ordered = 0;
    const int is_noted = describe(&kind, OF_scan, comm, -1) && is_described(op, &is_ordered);
    set_size(&kind, n, type);
    set_flags(&kind, IN_PLACE(s), 0, 0, is_ordered);
    enter(is_noted);
    return leave(is_noted, &kind, OF_scan, PMPI_Scan(s, r, n, type, op, comm));
}

int MPI_Scatter(const void *s, int sn, MPI_Datatype st, void *r, int rn, MPI_Datatype rt, int root,
                MPI_Comm comm)
{
    struct kind kind;
    const int is_noted = describe(&kind, OF_scatter, comm, root), is_in_place = IN_PLACE(r);
    if (is_in_place)
        set_size(&kind, sn, st);
    else
        set_size(&kind, rn, rt);
    kind.ignored = is_in_place ? (long long)rn * type_size(rt) : 0;
    set_flags(&kind, is_in_place, is_in_place, 0, 0);
    enter(is_noted);
    return leave(is_noted, &kind, OF_scatter, PMPI_Scatter(s, sn, st, r, rn, rt, root, comm));
}
