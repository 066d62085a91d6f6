/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls collectives under an MPI, as a file of lines that all ranks read:
 *
 *   call COLLECTIVE RANKS TYPE-BYTES MODE BYTES     calls it once; MODE is plain, in-place or ordered
 *   candidate COLLECTIVE INDEX NAME NUMBER SEGMENT FAN-OUT
 *                                                   an algorithm for it; INDEX 0: the library's own, which
 *                                                   has a NAME, not "default", if the launch forces it
 *   measure COLLECTIVE RANKS BYTES NANOSECONDS INDEX...
 *                                                   times these in turns, for that long
 *   record COLLECTIVE RANKS ROOT BYTES MODE INDEX   calls it once and records its messages (record.def);
 *                                                   MODE has ordered, in-place and non-blocking, '+'
 *                                                   between, or is plain; lines before it say more
 *                                                   (record_call.def)
 *
 * BYTES are those of a pair, of a rank, or of the whole buffer. RANKS are the first ones of
 * MPI_COMM_WORLD. Rank 0 writes to the standard output, each line at once:
 *
 *   fails COLLECTIVE RANKS TYPE-BYTES MODE BYTES    a call that ended in an error
 *   begin COLLECTIVE RANKS BYTES
 *   time COLLECTIVE RANKS BYTES INDEX REPETITIONS MEDIAN LEAST    in nanoseconds
 *   end COLLECTIVE RANKS BYTES
 *
 * The time of a call is the longest of all ranks, each from leaving a barrier of our own, made of
 * messages, to the return of the call. Candidates take turns in an order that is shuffled for each turn,
 * so that a disturbance of one disturbs all. After FIRST_TURNS turns candidates are left out whose median
 * is more than twice the least, but never the library's own.
 *
 * With Open MPI, started with coll_tuned_use_dynamic_rules=1, a candidate is a communicator that was made
 * while the variables of coll/tuned had its values. With MPICH a variable is written before each call,
 * whose value is not a number but the place of the name in mpich_algorithms.def. A library of collc's that
 * is loaded forces its algorithms itself (library_spy.def); the names of those have parameters behind commas,
 * and those that it has not are not measured.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "calls.def"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "record.def"

enum { MAX_CANDIDATES = 1024, MAX_WORDS = MAX_CANDIDATES + 8 };
enum { FIRST_TURNS = 5, LEAST_TURNS = 7, MAX_TURNS = 200 };

static int world_rank, world_size;
static char *in, *out;
static size_t buffer_bytes;

static void stop(const char *what, const char *subject)
{
    enum { PASSED_ON_US = 200000 }; /* Hydra may drop the last output of an aborted rank */
    fprintf(stderr, "%s '%s'\n", what, subject);
    usleep(PASSED_ON_US);
    MPI_Abort(MPI_COMM_WORLD, 3);
    exit(3);
}

/* ---- calls ---- */

static const struct collective {
    const char *name, *upper;
    int (*call)(const struct call *call);
} collectives[] = {{"allgather", "ALLGATHER", call_allgather},
                   {"allgatherv", "ALLGATHERV", call_allgatherv},
                   {"alltoall", "ALLTOALL", call_alltoall},
                   {"allreduce", "ALLREDUCE", call_allreduce},
                   {"alltoallv", "ALLTOALLV", call_alltoallv},
                   {"alltoallw", "ALLTOALLW", call_alltoallw},
                   {"barrier", "BARRIER", call_barrier},
                   {"bcast", "BCAST", call_bcast},
                   {"exscan", "EXSCAN", call_exscan},
                   {"gather", "GATHER", call_gather},
                   {"gatherv", "GATHERV", call_gatherv},
                   {"neighbor_allgather", "NEIGHBOR_ALLGATHER", call_neighbor_allgather},
                   {"neighbor_allgatherv", "NEIGHBOR_ALLGATHERV", call_neighbor_allgatherv},
                   {"neighbor_alltoall", "NEIGHBOR_ALLTOALL", call_neighbor_alltoall},
                   {"neighbor_alltoallv", "NEIGHBOR_ALLTOALLV", call_neighbor_alltoallv},
                   {"neighbor_alltoallw", "NEIGHBOR_ALLTOALLW", call_neighbor_alltoallw},
                   {"reduce", "REDUCE", call_reduce},
                   {"reduce_scatter", "REDUCE_SCATTER", call_reduce_scatter},
                   {"reduce_scatter_block", "REDUCE_SCATTER_BLOCK", call_reduce_scatter_block},
                   {"scan", "SCAN", call_scan},
                   {"scatter", "SCATTER", call_scatter},
                   {"scatterv", "SCATTERV", call_scatterv}};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

static int find_collective(const char *name)
{
    for (int i = 0; i < N_COLLECTIVES; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return i;
    stop("no such collective:", name);
    return 0;
}

static void make_room(int n, size_t bytes)
{
    const size_t need = (size_t)n * bytes + 64;
    if (need <= buffer_bytes)
        return;
    free(in);
    free(out);
    in = calloc(need, 1);
    out = calloc(need, 1);
    buffer_bytes = need;
    if (!in || !out)
        stop("no memory for", "buffers");
}

static MPI_Op ordered;

static struct call make_call(MPI_Comm comm, int n, int type_bytes, size_t bytes)
{
    struct call call = {.comm = comm, .op = MPI_BOR, .rank = world_rank, .n = n};
    call.type = type_bytes == 8 ? MPI_INT64_T : type_bytes == 4 ? MPI_INT32_T : MPI_BYTE;
    call.count = (int)(bytes / (size_t)type_bytes);
    call.counts = malloc((size_t)n * sizeof *call.counts);
    call.starts = malloc((size_t)n * sizeof *call.starts);
    if (!call.counts || !call.starts)
        stop("no memory for", "counts");
    for (int i = 0; i < n; i++) {
        call.counts[i] = call.count;
        call.starts[i] = i * call.count;
    }
    make_room(n, bytes);
    call.in = in;
    call.out = out;
    return call;
}

static void free_call(struct call *call)
{
    free(call->counts);
    free(call->starts);
}

/* ---- communicators of the first ranks ---- */

struct group {
    int n, is_flat;   /* no machine has several of them */
    MPI_Comm comm;    /* for what is measured */
    MPI_Comm control; /* for barriers and for what is agreed */
    struct group *next;
};
static struct group *groups;

/* Returns the most of its ranks on one machine. */
static int largest_machine(MPI_Comm comm)
{
    MPI_Comm near;
    int size, largest;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &size);
    MPI_Comm_free(&near);
    MPI_Allreduce(&size, &largest, 1, MPI_INT, MPI_MAX, comm);
    return largest;
}

/* Returns the group of the first n ranks. All ranks of the world must call it, in the same order; comm is
 * MPI_COMM_NULL outside of it. */
static struct group *group_of(int n)
{
    struct group *group = groups;
    while (group && group->n != n)
        group = group->next;
    if (group)
        return group;
    group = calloc(1, sizeof *group);
    if (!group || n > world_size)
        stop("not so many ranks:", group ? "a line asks for more" : "no memory");
    group->n = n;
    group->next = groups;
    groups = group;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank < n ? 0 : MPI_UNDEFINED, world_rank, &group->comm);
    group->control = MPI_COMM_NULL;
    if (group->comm == MPI_COMM_NULL)
        return group;
    MPI_Comm_dup(group->comm, &group->control);
    group->is_flat = largest_machine(group->comm) < 2;
    return group;
}

/* Runs a dissemination barrier (Hensgen, Finkel and Manber 1988) of empty messages. */
static void own_barrier(MPI_Comm comm, int rank, int n)
{
    for (int distance = 1; distance < n; distance *= 2)
        MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + distance) % n, 77, NULL, 0, MPI_BYTE,
                     (rank - distance + n) % n, 77, comm, MPI_STATUS_IGNORE);
}

/* ---- lines "call" ---- */

static void line_call(char **words, int n_words)
{
    if (n_words != 6)
        stop("not a line of", words[0]);
    const struct collective *collective = &collectives[find_collective(words[1])];
    const struct group *group = group_of(atoi(words[2]));
    if (group->comm == MPI_COMM_NULL)
        return;
    struct call call = make_call(group->comm, group->n, atoi(words[3]), strtoull(words[5], NULL, 10));
    call.is_in_place = strcmp(words[4], "in-place") == 0;
    if (strcmp(words[4], "ordered") == 0)
        call.op = ordered;
    MPI_Comm_set_errhandler(call.comm, MPI_ERRORS_RETURN);
    if (collective->call(&call) != MPI_SUCCESS && world_rank == 0)
        printf("fails %s %s %s %s %s\n", words[1], words[2], words[3], words[4], words[5]);
    free_call(&call);
}

/* ---- candidates ---- */

static const char *(*force)(const char *line); /* of the library of collc's; NULL: none is loaded */

struct candidate {
    char line[128];    /* for the library */
    int is_absent;     /* the library has it not */
    int algorithm, segment, fan_out;
    int is_known, needs_near; /* wrong data, and no error, where no machine has several ranks (MPICH) */
    struct group *of;  /* whose communicator was made ... */
    MPI_Comm comm;     /* ... for this candidate, with Open MPI */
};
static struct candidate candidates[N_COLLECTIVES][MAX_CANDIDATES];

#ifdef OPEN_MPI
enum { IS_OPEN_MPI = 1 };
#else
enum { IS_OPEN_MPI = 0 };
#endif

/* Returns the value of MPICH's variable; 0 if there is no such name. */
static int mpich_value(const char *collective, const char *name)
{
    enum { MOST = 8 };
    static const struct {
        const char *collective, *names[MOST];
    } all[] = {
#define ALL_ALGORITHMS
#define ALGORITHMS(collective, capital, ...) {#collective, {__VA_ARGS__}},
#include "mpich_algorithms.def"
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int j = 0; j < MOST && all[i].names[j]; j++)
            if (strcmp(all[i].collective, collective) == 0 && strcmp(all[i].names[j], name) == 0)
                return j + 1;
    return 0;
}

/* Lets other ranks run: MPICH polls UCX without a rest, even if another rank waits for the core. This is
 * found before UCX's own function, because it is in the program. */
static int is_crowded; /* more ranks than cores */
unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "ucp_worker_progress");
    const unsigned n = real(worker);
    record_progressed();
    if (n == 0 && is_crowded)
        sched_yield();
    return n;
}

/* Reads or writes a variable of integers; 0: there is no such. */
static int use_variable(const char *name, int *value, int is_written)
{
    MPI_T_cvar_handle handle;
    int index, count;
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    const int result = is_written ? MPI_T_cvar_write(handle, value) : MPI_T_cvar_read(handle, value);
    MPI_T_cvar_handle_free(&handle);
    return result == MPI_SUCCESS;
}

/* Writes a variable, unless it has that value; some cannot be written. */
static void must_write(const char *name, int value)
{
    int now;
    if (use_variable(name, &now, 0) && now == value)
        return;
    if (!use_variable(name, &value, 1))
        stop("this MPI has no variable that can be written:", name);
}

/* Initial values of a collective's variables: the library's own decision. */
static struct own {
    int is_known, algorithm, segment, fan_out, has_segment, has_fan_out;
    int is_missing; /* the MPI has no such variable: coll/tuned is left out */
} own[N_COLLECTIVES];

static int is_launched_with; /* the launch forces an algorithm */

static void variable_name(char name[128], int which, const char *ending)
{
    if (IS_OPEN_MPI)
        snprintf(name, 128, "coll_tuned_%s_algorithm%s", collectives[which].name, ending);
    else
        snprintf(name, 128, "MPIR_CVAR_%s_INTRA_ALGORITHM", collectives[which].upper);
}

static const struct own *own_of(int which)
{
    struct own *known = &own[which];
    char name[128];
    if (known->is_known)
        return known;
    variable_name(name, which, "");
    known->is_missing = !use_variable(name, &known->algorithm, 0);
    if (!IS_OPEN_MPI && known->algorithm && !is_launched_with)
        stop("no table acts while this variable is set:", name);
    variable_name(name, which, "_segmentsize");
    known->has_segment = IS_OPEN_MPI && use_variable(name, &known->segment, 0);
    variable_name(name, which, "_chain_fanout");
    known->has_fan_out = IS_OPEN_MPI && use_variable(name, &known->fan_out, 0);
    known->is_known = 1;
    return known;
}

static void set_variables(int which, int algorithm, int segment, int fan_out)
{
    const struct own *known = own_of(which);
    char name[128];
    variable_name(name, which, "");
    if (known->is_missing)
        stop("this MPI has no variable:", name);
    must_write(name, algorithm);
    variable_name(name, which, "_segmentsize");
    if (known->has_segment || segment)
        must_write(name, segment);
    variable_name(name, which, "_chain_fanout");
    if (known->has_fan_out || fan_out)
        must_write(name, fan_out);
}

static void set_own(int which)
{
    if (force) {
        (void)force(NULL);
        return;
    }
    const struct own *known = own_of(which);
    if (!known->is_missing)
        set_variables(which, known->algorithm, known->segment, known->fan_out);
}

static void set_candidate(int which, int index, const struct candidate *candidate)
{
    if (index == 0)
        set_own(which);
    else if (force)
        (void)force(candidate->line);
    else
        set_variables(which, candidate->algorithm, candidate->segment, candidate->fan_out);
}

static void make_ready(int which, int index, struct candidate *candidate, struct group *group)
{
    if (!IS_OPEN_MPI || force) {
        set_candidate(which, index, candidate);
        candidate->comm = group->comm;
        return;
    }
    if (candidate->of == group)
        return;
    if (candidate->of)
        MPI_Comm_free(&candidate->comm);
    set_candidate(which, index, candidate);
    MPI_Comm_dup(group->comm, &candidate->comm);
    set_own(which);
    MPI_Comm_set_errhandler(candidate->comm, MPI_ERRORS_RETURN);
    candidate->of = group;
}

/* Takes an algorithm of the library, "chain,segments=16". */
static void take_forced(const char *collective, const char *name, struct candidate *candidate)
{
    snprintf(candidate->line, sizeof candidate->line, "%s use %s", collective, name);
    for (char *c = candidate->line; *c; c++)
        *c = *c == ',' ? ' ' : *c;
    candidate->is_absent = strcmp(name, "default") != 0 && force(candidate->line);
    (void)force(NULL);
}

static void line_candidate(char **words, int n_words)
{
    if (n_words != 7 || atoi(words[2]) < 0 || atoi(words[2]) >= MAX_CANDIDATES)
        stop("not a line of", words[0]);
    struct candidate *candidate = &candidates[find_collective(words[1])][atoi(words[2])];
    *candidate = (struct candidate){.algorithm = atoi(words[4]), .segment = atoi(words[5]),
                                    .fan_out = atoi(words[6]), .is_known = 1};
    if (force)
        take_forced(words[1], words[3], candidate);
    if (IS_OPEN_MPI || force)
        return;
    is_launched_with = atoi(words[2]) == 0 && strcmp(words[3], "default") != 0;
    if (is_launched_with)
        return;
    candidate->algorithm = mpich_value(words[1], words[3]);
    candidate->needs_near = strcmp(words[3], "smp") == 0;
    if (candidate->algorithm == 0 && atoi(words[2]) > 0)
        stop("no such algorithm:", words[3]);
}

/* ---- lines "measure" ---- */

struct run {
    int index;                       /* index of the candidate */
    int is_live;
    struct candidate *candidate;
    double seconds[MAX_TURNS];       /* on rank 0: the longest of all ranks */
    int n;
};
static struct run runs[MAX_CANDIDATES];

static uint64_t seed, shuffle_state; /* begun anew for each point, which not all ranks of the world measure */
static uint32_t below(uint32_t n)
{
    shuffle_state = shuffle_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(shuffle_state >> 33) % n;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const struct run *run, double *least)
{
    double sorted[MAX_TURNS];
    memcpy(sorted, run->seconds, (size_t)run->n * sizeof *sorted);
    qsort(sorted, (size_t)run->n, sizeof *sorted, compare_doubles);
    if (least)
        *least = sorted[0];
    return run->n % 2 ? sorted[run->n / 2] : (sorted[run->n / 2 - 1] + sorted[run->n / 2]) / 2;
}

/* Runs each live candidate once, in an order that all ranks compute equally. */
static void take_turn(int which, struct call *call, struct group *group, int n_runs, int is_kept)
{
    static int order[MAX_CANDIDATES];
    static double mine[MAX_CANDIDATES], longest[MAX_CANDIDATES];
    for (int i = 0; i < n_runs; i++) {
        const int j = (int)below((uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
        mine[i] = 0;
    }
    for (int i = 0; i < n_runs; i++) {
        struct run *run = &runs[order[i]];
        if (!run->is_live)
            continue;
        make_ready(which, run->index, run->candidate, group);
        call->comm = run->candidate->comm;
        own_barrier(group->control, world_rank, group->n);
        const double start = MPI_Wtime();
        const int is_wrong = run->candidate->needs_near && group->is_flat;
        const int result = is_wrong ? MPI_ERR_OTHER : collectives[which].call(call);
        mine[order[i]] = result == MPI_SUCCESS ? MPI_Wtime() - start : 1e9; /* is never the least */
    }
    if (!IS_OPEN_MPI || force)
        set_own(which); /* also what makes communicators goes by it, where ranks that measure nothing are */
    MPI_Reduce(mine, longest, n_runs, MPI_DOUBLE, MPI_MAX, 0, group->control);
    for (int i = 0; i < n_runs && is_kept && world_rank == 0; i++)
        if (runs[i].is_live)
            runs[i].seconds[runs[i].n++] = longest[i];
}

/* Leaves out slow candidates; rank 0 decides and tells all. */
static void leave_out_slow(struct group *group, int n_runs)
{
    static int live[MAX_CANDIDATES];
    double best = 0;
    for (int i = 0; i < n_runs && world_rank == 0; i++) {
        const double time = median(&runs[i], NULL);
        best = i == 0 || time < best ? time : best;
    }
    for (int i = 0; i < n_runs; i++)
        live[i] = world_rank || runs[i].index == 0 || median(&runs[i], NULL) <= 2 * best;
    MPI_Bcast(live, n_runs, MPI_INT, 0, group->control);
    for (int i = 0; i < n_runs; i++)
        runs[i].is_live = live[i];
}

static void take_turns(int which, struct call *call, struct group *group, int n_runs, double seconds)
{
    const double end = MPI_Wtime() + seconds;
    shuffle_state = 88172645463325252u + seed;
    take_turn(which, call, group, n_runs, 0); /* connections, first touches */
    for (int turn = 0; turn < MAX_TURNS; turn++) {
        take_turn(which, call, group, n_runs, 1);
        if (turn + 1 == FIRST_TURNS)
            leave_out_slow(group, n_runs);
        int is_over = turn + 1 >= LEAST_TURNS && MPI_Wtime() > end;
        MPI_Bcast(&is_over, 1, MPI_INT, 0, group->control);
        if (is_over)
            return;
    }
}

static void line_measure(char **words, int n_words)
{
    if (n_words < 6)
        stop("not a line of", words[0]);
    const int which = find_collective(words[1]);
    int n_runs = 0;
    const size_t bytes = strtoull(words[3], NULL, 10);
    struct group *group = group_of(atoi(words[2]));
    if (group->comm == MPI_COMM_NULL)
        return;
    for (int i = 5; i < n_words; i++) {
        const int index = atoi(words[i]);
        if (index < 0 || index >= MAX_CANDIDATES || !candidates[which][index].is_known)
            stop("no such candidate:", words[i]);
        if (!candidates[which][index].is_absent)
            runs[n_runs++] =
                (struct run){.index = index, .is_live = 1, .candidate = &candidates[which][index]};
    }
    if (world_rank == 0)
        printf("begin %s %d %zu\n", words[1], group->n, bytes);
    struct call call = make_call(MPI_COMM_NULL, group->n, bytes % 8 == 0 && bytes ? 8 : 1, bytes);
    take_turns(which, &call, group, n_runs, (double)strtoull(words[4], NULL, 10) * 1e-9);
    for (int i = 0; i < n_runs && world_rank == 0; i++) {
        double least, middle = median(&runs[i], &least);
        printf("time %s %d %zu %d %d %.0f %.0f\n", words[1], group->n, bytes, runs[i].index, runs[i].n,
               middle * 1e9, least * 1e9);
    }
    if (world_rank == 0)
        printf("end %s %d %zu\n", words[1], group->n, bytes);
    free_call(&call);
}

#include "record_call.def"

/* ---- the file ---- */

static void do_line(char *line)
{
    static char *words[MAX_WORDS];
    int n = 0;
    for (char *word = strtok(line, " \n"); word && n < MAX_WORDS; word = strtok(NULL, " \n"))
        words[n++] = word;
    if (n == 0)
        return;
    if (record_takes_line(words, n))
        return;
    if (strcmp(words[0], "call") == 0)
        line_call(words, n);
    else if (strcmp(words[0], "candidate") == 0)
        line_candidate(words, n);
    else if (strcmp(words[0], "measure") == 0)
        line_measure(words, n);
    else if (strcmp(words[0], "record") == 0)
        line_record(words, n);
    else
        stop("no such line:", words[0]);
}

int main(int argc, char **argv)
{
    int provided;
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = argc == 4 ? fopen(argv[1], "r") : NULL;
    if (argc == 4)
        alarm((unsigned)atoi(argv[2])); /* whatever becomes of those that wait for us */
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    if (!file)
        stop("usage: driver FILE SECONDS SEED; cannot read", argc > 1 ? argv[1] : "");
    seed = strtoull(argv[3], NULL, 10);
    setvbuf(stdout, NULL, _IOLBF, 0);
    is_crowded = largest_machine(MPI_COMM_WORLD) > sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Op_create(combine, 0, &ordered);
    *(void **)&force = dlsym(RTLD_DEFAULT, "collc_force");
    while (getline(&line, &capacity, file) > 0)
        do_line(line);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
