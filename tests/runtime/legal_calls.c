/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes calls that MPI allows and compares every result with one that is computed here, word by
 * word, gaps of datatypes included.
 *
 *   legal_calls sweep STEP
 *       Forces each algorithm of each collective of Open MPI through its variable (MPI_T), on 2 to
 *       9 ranks, or every STEPth number: a line COLLECTIVE ALGORITHM SEGMENT RANKS KIND VERDICT for
 *       each kind of call. VERDICT is right, wrong, error (the call failed), or hangs (known, not tried).
 *   legal_calls types COLLECTIVE ALGORITHM SEGMENT
 *       The same of one algorithm and of calls by unlike datatypes, as far as they are right: where they
 *       hang, the program is ended. The last line is 'all right' if all are.
 *   legal_calls all COLLECTIVE
 *       Makes calls of each kind on 2 to 9 ranks under the MPI's table. The last line is 'all right' if
 *       all are.
 *   legal_calls N SEED
 *       Makes N calls drawn by chance, under whatever table the MPI has: a line for each wrong one,
 *       and at the end 'N calls, W wrong'.
 *
 * KINDs: plain; in-place; zero (elements); ordered (an operation that does not commute: products of
 * 2x2 matrices) and both; derived (a datatype with gaps); types (ranks describe the same data by
 * unlike datatypes); ignored (arguments that MPI ignores say something else); uneven (counts of
 * ranks differ, some are 0).
 *
 * Communicators are part of the world, its ranks in falling order where their number is even.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RANKS = 9, MAX_COUNT = 3000, MAX_WORDS = 4, PRIME = 1000003, UNTOUCHED = -7 };
enum { BUFFER = MAX_RANKS * MAX_COUNT * MAX_WORDS };
static int64_t sent[BUFFER], got[BUFFER], wanted[BUFFER], work[BUFFER];

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

/* ---- elements ---- */

/* An element: `words` of 64 bits, of which those of `mask` are data. */
struct layout {
    MPI_Datatype type;
    MPI_Op op;
    int words;
    unsigned mask;
};
static struct layout numbers, matrices, gaps;

static void multiply(void *a_, void *b_, int *n, MPI_Datatype *type)
{
    int64_t *a = a_, *b = b_;
    (void)type;
    for (int i = 0; i < *n; i++, a += 4, b += 4) {
        const int64_t product[4] = {
            (a[0] * b[0] + a[1] * b[2]) % PRIME, (a[0] * b[1] + a[1] * b[3]) % PRIME,
            (a[2] * b[0] + a[3] * b[2]) % PRIME, (a[2] * b[1] + a[3] * b[3]) % PRIME};
        memcpy(b, product, sizeof product);
    }
}

static void add_gaps(void *a_, void *b_, int *n, MPI_Datatype *type)
{
    const int64_t *a = a_;
    int64_t *b = b_;
    (void)type;
    for (int i = 0; i < 3 * *n; i += 3) {
        b[i] += a[i];
        b[i + 2] += a[i + 2];
    }
}

static void make_layouts(void)
{
    MPI_Datatype with_gap;
    numbers = (struct layout){MPI_INT64_T, MPI_SUM, 1, 1};
    matrices = (struct layout){.words = 4, .mask = 15};
    gaps = (struct layout){.words = 3, .mask = 5};
    MPI_Type_contiguous(4, MPI_INT64_T, &matrices.type);
    MPI_Type_vector(2, 1, 2, MPI_INT64_T, &with_gap);
    MPI_Type_create_resized(with_gap, 0, 3 * sizeof(int64_t), &gaps.type);
    MPI_Type_commit(&matrices.type);
    MPI_Type_commit(&gaps.type);
    MPI_Op_create(multiply, 0, &matrices.op);
    MPI_Op_create(add_gaps, 1, &gaps.op);
}

/* Writes the data of `count` elements, number `first` on of what `rank` has; gaps are left alone.
 */
static void put(const struct layout *layout, int64_t *at, int rank, int first, int count)
{
    for (int i = 0; i < count; i++)
        for (int word = 0; word < layout->words; word++)
            if (layout->mask & 1u << word)
                at[i * layout->words + word] =
                    1 + (rank * 7919 + (int64_t)(first + i) * 104729 + word * 31) % 9973;
}

static void clear(int64_t *at, size_t words)
{
    for (size_t i = 0; i < words; i++)
        at[i] = UNTOUCHED;
}

/* Writes the elements as reduced over ranks 0 .. last, in their order. */
static void put_reduced(const struct layout *layout, int64_t *at, int last, int first, int count)
{
    put(layout, at, 0, first, count);
    for (int rank = 1; rank <= last; rank++) {
        put(layout, work, rank, first, count);
        if (layout == &numbers)
            for (int i = 0; i < count; i++)
                at[i] += work[i];
        else if (layout == &gaps)
            add_gaps(work, at, &count, NULL);
        else { /* at = at * work */
            multiply(at, work, &count, NULL);
            memcpy(at, work, sizeof *at * 4 * (size_t)count);
        }
    }
}

/* ---- calls ---- */

enum kind {
    PLAIN,
    IN_PLACE,
    ZERO,
    ORDERED,
    ORDERED_IN_PLACE,
    DERIVED,
    TYPES,
    IGNORED,
    UNEVEN,
    N_KINDS
};
static const char *const kind_names[N_KINDS] = {"plain",   "in-place",         "zero",
                                                "ordered", "ordered-in-place", "derived",
                                                "types",   "ignored",          "uneven"};

struct call {
    MPI_Comm comm;
    enum kind kind;
    const struct layout *of;
    int rank, n, root, count;
    int counts[MAX_RANKS], starts[MAX_RANKS]; /* elements of a rank */
    int total;
    /* how the block of `count` elements is described here: `parts` times `type` */
    MPI_Datatype type, other_type;
    int parts, other_parts;
};

static int is_in_place(const struct call *c)
{
    return c->kind == IN_PLACE || c->kind == ORDERED_IN_PLACE;
}
static size_t words(const struct call *c, int count)
{
    return (size_t)count * (size_t)c->of->words;
}
static int64_t *got_at(const struct call *c, int element)
{
    return got + words(c, element);
}
static int64_t *wanted_at(const struct call *c, int element)
{
    return wanted + words(c, element);
}

/* Fills the `count` elements that the rank sends. */
static void send_own(const struct call *c, int count)
{
    put(c->of, sent, c->rank, 0, count);
    if (is_in_place(c))
        put(c->of, got, c->rank, 0, count);
}

static const void *send_buffer(const struct call *c)
{
    return is_in_place(c) ? MPI_IN_PLACE : sent;
}

/* Puts a rank's contribution to a gathering collective where it lies in place. */
static void lay_own(const struct call *c, int at, int count)
{
    put(c->of, sent, c->rank, 0, count);
    if (is_in_place(c))
        put(c->of, got_at(c, at), c->rank, 0, count);
}

static int allgather(const struct call *c)
{
    lay_own(c, c->rank * c->count, c->count);
    for (int i = 0; i < c->n; i++)
        put(c->of, wanted_at(c, i * c->count), i, 0, c->count);
    if (is_in_place(c))
        return MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, c->count, c->of->type,
                             c->comm);
    return MPI_Allgather(sent, c->parts, c->type, got, c->other_parts, c->other_type, c->comm);
}

static int allgatherv(const struct call *c)
{
    lay_own(c, c->starts[c->rank], c->counts[c->rank]);
    for (int i = 0; i < c->n; i++)
        put(c->of, wanted_at(c, c->starts[i]), i, 0, c->counts[i]);
    if (is_in_place(c))
        return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, c->counts, c->starts,
                              c->of->type, c->comm);
    if (c->kind == UNEVEN)
        return MPI_Allgatherv(sent, c->counts[c->rank], c->of->type, got, c->counts, c->starts,
                              c->of->type, c->comm);
    return MPI_Allgatherv(sent, c->parts, c->type, got, c->counts, c->starts, c->of->type, c->comm);
}

static int allreduce(const struct call *c)
{
    send_own(c, c->count);
    put_reduced(c->of, wanted, c->n - 1, 0, c->count);
    return MPI_Allreduce(send_buffer(c), got, c->count, c->of->type, c->of->op, c->comm);
}

/* Rank i sends to rank j its elements from j * count on. */
static void lay_exchange(const struct call *c)
{
    int64_t *out = is_in_place(c) ? got : sent;
    put(c->of, out, c->rank, 0, c->n * c->count);
    for (int i = 0; i < c->n; i++)
        put(c->of, wanted_at(c, i * c->count), i, c->rank * c->count, c->count);
}

static int alltoall(const struct call *c)
{
    lay_exchange(c);
    if (is_in_place(c))
        return MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, c->count, c->of->type,
                            c->comm);
    return MPI_Alltoall(sent, c->parts, c->type, got, c->other_parts, c->other_type, c->comm);
}

/* Elements from rank i to rank j: by both. */
static int uneven(const struct call *c, int i, int j)
{
    return c->kind == UNEVEN ? (i * 3 + j * 5) % 4 * (c->count / 4) : c->count;
}

static int exchange_v(const struct call *c, int is_w)
{
    int send_counts[MAX_RANKS], receive_counts[MAX_RANKS], starts[MAX_RANKS],
        byte_starts[MAX_RANKS];
    MPI_Datatype types[MAX_RANKS];
    lay_exchange(c);
    for (int i = 0; i < c->n; i++) {
        send_counts[i] = uneven(c, c->rank, i);
        receive_counts[i] = uneven(c, i, c->rank);
        starts[i] = i * c->count;
        byte_starts[i] = (int)(words(c, starts[i]) * sizeof(int64_t));
        types[i] = c->of->type;
        clear(wanted_at(c, starts[i] + receive_counts[i]), words(c, c->count - receive_counts[i]));
    }
    if (is_w)
        return MPI_Alltoallw(send_buffer(c), send_counts, byte_starts, types, got, receive_counts,
                             byte_starts, types, c->comm);
    return MPI_Alltoallv(send_buffer(c), send_counts, starts, c->of->type, got, receive_counts,
                         starts, c->of->type, c->comm);
}
static int alltoallv(const struct call *c)
{
    return exchange_v(c, 0);
}
static int alltoallw(const struct call *c)
{
    return exchange_v(c, 1);
}

static int barrier(const struct call *c)
{
    return MPI_Barrier(c->comm);
}

static int bcast(const struct call *c)
{
    if (c->rank == c->root)
        put(c->of, got, c->root, 0, c->count);
    put(c->of, wanted, c->root, 0, c->count);
    return MPI_Bcast(got, c->parts, c->type, c->root, c->comm);
}

static int exscan(const struct call *c)
{
    send_own(c, c->count);
    if (c->rank > 0)
        put_reduced(c->of, wanted, c->rank - 1, 0, c->count);
    const int status = MPI_Exscan(send_buffer(c), got, c->count, c->of->type, c->of->op, c->comm);
    if (c->rank == 0) /* undefined there */
        memcpy(wanted, got, words(c, c->count) * sizeof *got);
    return status;
}

static int gather(const struct call *c)
{
    const int is_root = c->rank == c->root;
    if (is_root)
        lay_own(c, c->rank * c->count, c->count);
    else
        put(c->of, sent, c->rank, 0, c->count);
    for (int i = 0; i < c->n && is_root; i++)
        put(c->of, wanted_at(c, i * c->count), i, 0, c->count);
    if (is_root && is_in_place(c))
        return MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, c->count, c->of->type, c->root,
                          c->comm);
    if (!is_root && c->kind == IGNORED)
        return MPI_Gather(sent, c->parts, c->type, NULL, 3, MPI_CHAR, c->root, c->comm);
    return MPI_Gather(sent, c->parts, c->type, is_root ? got : NULL, c->other_parts, c->other_type,
                      c->root, c->comm);
}

static int gatherv(const struct call *c)
{
    const int is_root = c->rank == c->root;
    if (is_root)
        lay_own(c, c->starts[c->rank], c->counts[c->rank]);
    else
        put(c->of, sent, c->rank, 0, c->counts[c->rank]);
    for (int i = 0; i < c->n && is_root; i++)
        put(c->of, wanted_at(c, c->starts[i]), i, 0, c->counts[i]);
    if (!is_root)
        return MPI_Gatherv(sent, c->counts[c->rank], c->of->type, NULL, NULL, NULL,
                           MPI_DATATYPE_NULL, c->root, c->comm);
    return MPI_Gatherv(send_buffer(c), c->counts[c->rank], c->of->type, got, c->counts, c->starts,
                       c->of->type, c->root, c->comm);
}

static int reduce(const struct call *c)
{
    const int is_root = c->rank == c->root;
    put(c->of, sent, c->rank, 0, c->count);
    if (is_root && is_in_place(c))
        put(c->of, got, c->rank, 0, c->count);
    if (is_root)
        put_reduced(c->of, wanted, c->n - 1, 0, c->count);
    return MPI_Reduce(is_root ? send_buffer(c) : sent, is_root || c->kind != IGNORED ? got : NULL,
                      c->count, c->of->type, c->of->op, c->root, c->comm);
}

static int reduce_scatter(const struct call *c)
{
    send_own(c, c->total);
    put_reduced(c->of, wanted, c->n - 1, c->starts[c->rank], c->counts[c->rank]);
    const int status =
        MPI_Reduce_scatter(send_buffer(c), got, c->counts, c->of->type, c->of->op, c->comm);
    if (is_in_place(c)) /* what is behind the result is anything */
        memcpy(wanted_at(c, c->counts[c->rank]), got_at(c, c->counts[c->rank]),
               words(c, c->total - c->counts[c->rank]) * sizeof *got);
    return status;
}

static int reduce_scatter_block(const struct call *c)
{
    send_own(c, c->n * c->count);
    put_reduced(c->of, wanted, c->n - 1, c->rank * c->count, c->count);
    const int status =
        MPI_Reduce_scatter_block(send_buffer(c), got, c->count, c->of->type, c->of->op, c->comm);
    if (is_in_place(c))
        memcpy(wanted_at(c, c->count), got_at(c, c->count),
               words(c, (c->n - 1) * c->count) * sizeof *got);
    return status;
}

static int scan(const struct call *c)
{
    send_own(c, c->count);
    put_reduced(c->of, wanted, c->rank, 0, c->count);
    return MPI_Scan(send_buffer(c), got, c->count, c->of->type, c->of->op, c->comm);
}

static int scatter(const struct call *c)
{
    const int is_root = c->rank == c->root, stays = is_root && is_in_place(c);
    if (is_root)
        put(c->of, sent, c->rank, 0, c->n * c->count);
    if (!stays)
        put(c->of, wanted, c->root, c->rank * c->count, c->count);
    if (!is_root && c->kind == IGNORED)
        return MPI_Scatter(NULL, 3, MPI_CHAR, got, c->other_parts, c->other_type, c->root, c->comm);
    if (stays)
        return MPI_Scatter(sent, c->count, c->of->type, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c->root,
                           c->comm);
    return MPI_Scatter(is_root ? sent : NULL, c->parts, c->type, got, c->other_parts, c->other_type,
                       c->root, c->comm);
}

static int scatterv(const struct call *c)
{
    const int is_root = c->rank == c->root, stays = is_root && is_in_place(c);
    if (is_root)
        put(c->of, sent, c->rank, 0, c->total);
    if (!stays)
        put(c->of, wanted, c->root, c->starts[c->rank], c->counts[c->rank]);
    if (!is_root)
        return MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, got, c->counts[c->rank],
                            c->of->type, c->root, c->comm);
    return MPI_Scatterv(sent, c->counts, c->starts, c->of->type, stays ? MPI_IN_PLACE : (void *)got,
                        c->counts[c->rank], c->of->type, c->root, c->comm);
}

enum {
    M_PLAIN = 1 << PLAIN | 1 << ZERO | 1 << DERIVED,
    M_IN_PLACE = 1 << IN_PLACE,
    M_REDUCES = 1 << ORDERED | 1 << ORDERED_IN_PLACE | M_PLAIN | M_IN_PLACE,
    M_TYPES = 1 << TYPES,
    M_IGNORED = 1 << IGNORED,
    M_UNEVEN = 1 << UNEVEN
};

static const struct collective {
    const char *name;
    int (*run)(const struct call *call);
    unsigned kinds;
} collectives[] = {
    {"allgather", allgather, M_PLAIN | M_IN_PLACE | M_TYPES},
    {"allgatherv", allgatherv, M_PLAIN | M_IN_PLACE | M_TYPES | M_UNEVEN},
    {"allreduce", allreduce, M_REDUCES},
    {"alltoall", alltoall, M_PLAIN | M_IN_PLACE | M_TYPES},
    {"alltoallv", alltoallv, M_PLAIN | M_IN_PLACE | M_UNEVEN},
    {"alltoallw", alltoallw, M_PLAIN | M_IN_PLACE | M_UNEVEN},
    {"barrier", barrier, 1 << PLAIN},
    {"bcast", bcast, M_PLAIN | M_TYPES},
    {"exscan", exscan, M_REDUCES},
    {"gather", gather, M_PLAIN | M_IN_PLACE | M_TYPES | M_IGNORED},
    {"gatherv", gatherv, M_PLAIN | M_IN_PLACE | M_UNEVEN},
    {"reduce", reduce, M_REDUCES | M_IGNORED},
    {"reduce_scatter", reduce_scatter, M_REDUCES | M_UNEVEN},
    {"reduce_scatter_block", reduce_scatter_block, M_REDUCES},
    {"scan", scan, M_REDUCES},
    {"scatter", scatter, M_PLAIN | M_IN_PLACE | M_TYPES | M_IGNORED},
    {"scatterv", scatterv, M_PLAIN | M_IN_PLACE | M_UNEVEN},
};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

/* Describes the block: with `types` as one large element on every second rank. If there are two descriptions,
 * one of them has one large element. */
static void describe(struct call *c)
{
    c->type = c->other_type = c->of->type;
    c->parts = c->other_parts = c->count;
    if (c->kind != TYPES || c->count == 0)
        return;
    MPI_Datatype whole;
    MPI_Type_contiguous(c->count, c->of->type, &whole);
    MPI_Type_commit(&whole);
    const int is_odd = (c->rank + c->n - c->root) % 2;
    if (is_odd)
        c->other_type = whole, c->other_parts = 1;
    else
        c->type = whole, c->parts = 1;
}

/* Makes the call and compares: 0 right, 1 wrong, 2 failed. */
static int make_call(const struct collective *collective, struct call *c)
{
    c->of = c->kind == ORDERED || c->kind == ORDERED_IN_PLACE ? &matrices
            : c->kind == DERIVED                              ? &gaps
                                                              : &numbers;
    const size_t all = words(c, c->n * c->count) + 1;
    c->total = 0;
    for (int i = 0; i < c->n; i++) {
        c->counts[i] = c->kind == UNEVEN ? (i * 7 + c->count) % 3 * (c->count / 2) : c->count;
        c->starts[i] = c->total;
        c->total += c->counts[i];
    }
    describe(c);
    clear(sent, all);
    clear(got, all);
    clear(wanted, all);
    const int status = collective->run(c);
    if (c->type != c->of->type)
        MPI_Type_free(&c->type);
    if (c->other_type != c->of->type)
        MPI_Type_free(&c->other_type);
    return status != MPI_SUCCESS ? 2 : memcmp(got, wanted, all * sizeof *got) != 0;
}

static const char *const verdicts[] = {"right", "wrong", "error"};

/* ---- communicators ---- */

static MPI_Comm apart; /* no algorithm is forced on it */
static MPI_Comm groups[MAX_RANKS + 1];

/* The last n ranks of the world, in falling order if n is even; MPI_COMM_NULL elsewhere. */
static void make_groups(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &apart);
    for (int n = 1; n <= size; n++) {
        MPI_Comm_split(MPI_COMM_WORLD, rank >= size - n ? 0 : MPI_UNDEFINED, n % 2 ? rank : -rank,
                       &groups[n]);
        if (groups[n] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(groups[n], MPI_ERRORS_RETURN);
    }
}

static void begin(struct call *c, MPI_Comm comm, enum kind kind)
{
    *c = (struct call){.comm = comm, .kind = kind};
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->n);
}

/* The worst of a kind of call on the communicator, at a few sizes and roots, as all of its ranks
 * see it. */
static int try_kind(const struct collective *collective, MPI_Comm comm, MPI_Comm verdict_of,
                    enum kind kind)
{
    static const int counts[] = {1, 2, 5, 7, 16, 33, 515};
    int worst = 0, all;
    struct call call;
    begin(&call, comm, kind);
    for (size_t i = 0; i < (kind == ZERO ? 1 : sizeof counts / sizeof *counts); i++) {
        call.count = kind == ZERO ? 0 : counts[i];
        call.root = (int)i % 3 == 0 ? 0 : (int)i % 3 == 1 ? call.n - 1 : call.n / 2;
        const int verdict = make_call(collective, &call);
        worst = verdict > worst ? verdict : worst;
    }
    MPI_Allreduce(&worst, &all, 1, MPI_INT, MPI_MAX, verdict_of);
    return all;
}

/* ---- forced algorithms of Open MPI ---- */

/* True if calls with unlike datatypes hang by algorithms.def: they are not made here. */
static int hangs(const char *collective, int algorithm, int segment)
{
    enum { NO_CALL, ORDER, REDUCE, TYPES, CUT_TYPES };
    static const struct {
        const char *collective;
        int number, breaks;
    } known[] = {
#define ALGORITHM(collective, number, name, since, uses, needs, breaks)                            \
    {#collective, number, breaks},
#include "tables/ompi/algorithms.def"
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].number == algorithm && strcmp(known[i].collective, collective) == 0)
            return known[i].breaks >=
                   TYPES + (segment == 0 && known[i].breaks == CUT_TYPES ? 2 : 0);
    return 0;
}

/* False: there is no such variable, or it takes no such value. */
static int set_variable(const char *collective, const char *ending, int value)
{
    char name[128];
    MPI_T_cvar_handle handle;
    int index, count;
    snprintf(name, sizeof name, "coll_tuned_%s_algorithm%s", collective, ending);
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return 0;
    const int result = MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return result == MPI_SUCCESS;
}

static void try_forced(const struct collective *collective, int algorithm, int segment, int n)
{
    MPI_Comm forced;
    int rank;
    if (groups[n] == MPI_COMM_NULL)
        return;
    MPI_Comm_dup(groups[n], &forced);
    MPI_Comm_set_errhandler(forced, MPI_ERRORS_RETURN);
    MPI_Comm_rank(forced, &rank);
    for (int kind = 0; kind < N_KINDS; kind++) {
        if (!(collective->kinds & 1u << kind))
            continue;
        const char *said = "hangs";
        if (kind != TYPES || !hangs(collective->name, algorithm, segment))
            said = verdicts[try_kind(collective, forced, groups[n], (enum kind)kind)];
        if (rank == 0)
            printf("%s %d %d %d %s %s\n", collective->name, algorithm, segment, n, kind_names[kind], said);
    }
    fflush(stdout);
    MPI_Comm_free(&forced);
}

static void sweep(int step)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < N_COLLECTIVES; i++) {
        const char *name = collectives[i].name;
        for (int algorithm = 1; set_variable(name, "", algorithm); algorithm++)
            for (int segment = 0;
                 segment <= 64 && (set_variable(name, "_segmentsize", segment) || !segment);
                 segment += 64) {
                set_variable(name, "_chain_fanout", 2);
                for (int n = 2; n <= size; n += step)
                    try_forced(&collectives[i], algorithm, segment, n);
            }
        set_variable(name, "", 0);
        set_variable(name, "_segmentsize", 0);
    }
}

/* ---- one algorithm ---- */

static const struct collective *collective_named(const char *name)
{
    for (int i = 0; i < N_COLLECTIVES; i++)
        if (strcmp(collectives[i].name, name) == 0)
            return &collectives[i];
    MPI_Abort(MPI_COMM_WORLD, 2);
    return NULL;
}

/* Ends the program at a call of that kind that is not right, on some number of ranks. */
static void expect_right(const struct collective *collective, enum kind kind)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int n = 2; n <= size; n++) {
        if (groups[n] == MPI_COMM_NULL)
            continue;
        const int verdict = try_kind(collective, groups[n], groups[n], kind);
        if (verdict) {
            printf("%s of %d ranks, %s: %s\n", collective->name, n, kind_names[kind], verdicts[verdict]);
            fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void say_right(void)
{
    int rank;
    MPI_Barrier(apart);
    MPI_Comm_rank(apart, &rank);
    if (rank == 0)
        puts("all right");
}

/* A call that hangs is ended by a signal. */
static void try_types(const struct collective *collective, int algorithm, int segment)
{
    enum { MOST_SECONDS = 20 };
    set_variable(collective->name, "", algorithm);
    set_variable(collective->name, "_segmentsize", segment);
    set_variable(collective->name, "_chain_fanout", 2);
    for (int n = 1; n <= MAX_RANKS; n++) /* variables count when a communicator is made */
        if (groups[n] != MPI_COMM_NULL) {
            MPI_Comm_dup(groups[n], &groups[n]);
            MPI_Comm_set_errhandler(groups[n], MPI_ERRORS_RETURN);
        }
    set_variable(collective->name, "", 0);
    alarm(MOST_SECONDS);
    expect_right(collective, TYPES);
    say_right();
}

static void try_all(const struct collective *collective)
{
    for (int kind = 0; kind < N_KINDS; kind++)
        if (collective->kinds & 1u << kind)
            expect_right(collective, (enum kind)kind);
    say_right();
}

/* ---- calls by chance ---- */

static uint64_t state;
static int below(int n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static void make_calls(int n_calls)
{
    static const int most[] = {4, 40, 300, MAX_COUNT};
    int size, n_wrong = 0, all;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < n_calls; i++) {
        const struct collective *collective = &collectives[below(N_COLLECTIVES)];
        const int n = 2 + below(size - 1);
        int kind = below(N_KINDS);
        while (!(collective->kinds & 1u << kind))
            kind = (kind + 1) % N_KINDS;
        const int count = kind == ZERO ? 0 : 1 + below(most[below(4)]), root = below(n);
        struct call call;
        /* Open MPI 4.1 itself hangs: it looks allgatherv up with the datatype of the sender,
         * without a table, too. */
        if (groups[n] == MPI_COMM_NULL || (collective->run == allgatherv && kind == TYPES))
            continue;
        begin(&call, groups[n], (enum kind)kind);
        call.count = count;
        call.root = root;
        const int verdict = make_call(collective, &call);
        n_wrong += verdict != 0;
        if (verdict)
            printf("%s of %d ranks, %s, %d elements: %s\n", collective->name, n, kind_names[kind],
                   count, verdicts[verdict]);
    }
    fflush(stdout);
    MPI_Reduce(&n_wrong, &all, 1, MPI_INT, MPI_SUM, 0, apart);
    int rank;
    MPI_Comm_rank(apart, &rank);
    if (rank == 0)
        printf("%d calls, %d wrong\n", n_calls, all);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    make_layouts();
    make_groups();
    if (argc == 3 && strcmp(argv[1], "sweep") == 0) {
        sweep(atoi(argv[2]));
    } else if (argc == 3 && strcmp(argv[1], "all") == 0) {
        try_all(collective_named(argv[2]));
    } else if (argc == 5 && strcmp(argv[1], "types") == 0) {
        try_types(collective_named(argv[2]), atoi(argv[3]), atoi(argv[4]));
    } else if (argc == 3) {
        state = (uint64_t)atoi(argv[2]);
        make_calls(atoi(argv[1]));
    }
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
