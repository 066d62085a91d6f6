/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One rank calls a collective with arguments that MPI forbids, the others as they should. Every rank in its
 * turn, with every root, every wrong argument and every collective: no rank waits for ever, the wrong one
 * has an error, who has none has the right data, and the next call works. The program is linked with
 * emitted files that take the place of MPI's functions (COLLC_SHIM); IS_CUT: in segments. Prints a line as
 * the emitted main does.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "expect.h"

enum { MAX_RANKS = 8, N = 3, SIZE = N * MAX_RANKS };
enum fault { NONE, COUNT, NULL_TYPE, UNCOMMITTED, NULL_BUFFER, IN_PLACE, ALIAS, N_FAULTS };
enum side { FROM, TO, N_SIDES };

static const char *const fault_names[N_FAULTS] = {"nothing",     "a negative count", "no datatype",
                                                  "uncommitted", "no buffer",        "in place",
                                                  "aliases"};

struct side_of_call {
    int *data, count, counts[MAX_RANKS], places[MAX_RANKS];
    MPI_Datatype type, types[MAX_RANKS];
};

/* A call as this rank makes it. */
struct call {
    MPI_Comm comm;
    int rank, p, root;
    struct side_of_call side[N_SIDES];
};

static int from[SIZE], to[SIZE], wanted[SIZE];
static MPI_Datatype uncommitted;

/* ---- data ---- */

static int value(int rank, int i)
{
    return 1000 * (rank + 1) + i;
}

static int sum(int n_ranks, int i)
{
    int all = 0;
    for (int rank = 0; rank < n_ranks; rank++)
        all += value(rank, i);
    return all;
}

/* Elements i, i + 1, ... of a rank, as those of the result from `at` on. */
static void want(int at, int rank, int i)
{
    for (int k = 0; k < N; k++)
        wanted[at + k] = value(rank, i + k);
}

static void want_sum(int n_ranks, int i)
{
    for (int k = 0; k < N; k++)
        wanted[k] = sum(n_ranks, i + k);
}

static void want_all(const struct call *c)
{
    for (int i = 0; i < c->p; i++)
        want(N * i, i, 0);
}

static void want_each(const struct call *c)
{
    for (int i = 0; i < c->p; i++)
        want(N * i, i, N * c->rank);
}

static void want_of_root(const struct call *c)
{
    want(0, c->root, N * c->rank);
}

static void want_first(const struct call *c)
{
    want(0, c->root, 0);
}

static void want_reduced(const struct call *c)
{
    want_sum(c->p, 0);
}

static void want_share(const struct call *c)
{
    want_sum(c->p, N * c->rank);
}

static void want_scanned(const struct call *c)
{
    want_sum(c->rank + 1, 0);
}

static void want_before(const struct call *c)
{
    if (c->rank > 0)
        want_sum(c->rank, 0);
}

/* ---- calls ---- */

#define S (&c->side[FROM])
#define R (&c->side[TO])

static int allgather(struct call *c)
{
    return MPI_Allgather(S->data, S->count, S->type, R->data, R->count, R->type, c->comm);
}
static int allgatherv(struct call *c)
{
    return MPI_Allgatherv(S->data, S->count, S->type, R->data, R->counts, R->places, R->type, c->comm);
}
static int allreduce(struct call *c)
{
    return MPI_Allreduce(S->data, R->data, R->count, R->type, MPI_SUM, c->comm);
}
static int alltoall(struct call *c)
{
    return MPI_Alltoall(S->data, S->count, S->type, R->data, R->count, R->type, c->comm);
}
/* With aliases the same arrays describe both sides. */
static const struct side_of_call *sent_by(const struct call *c)
{
    return S->data == R->data ? R : S;
}
static int alltoallv(struct call *c)
{
    const struct side_of_call *sent = sent_by(c);
    return MPI_Alltoallv(S->data, sent->counts, sent->places, S->type, R->data, R->counts, R->places,
                         R->type, c->comm);
}
static int alltoallw(struct call *c)
{
    const struct side_of_call *sent = sent_by(c);
    int places[MAX_RANKS];
    for (int i = 0; i < c->p; i++)
        places[i] = (int)sizeof(int) * S->places[i];
    return MPI_Alltoallw(S->data, sent->counts, places, sent->types, R->data, R->counts, places, R->types,
                         c->comm);
}
static int bcast(struct call *c)
{
    if (c->rank == c->root && R->data)
        memcpy(R->data, from, sizeof *from * N);
    return MPI_Bcast(R->data, R->count, R->type, c->root, c->comm);
}
static int exscan(struct call *c)
{
    return MPI_Exscan(S->data, R->data, R->count, R->type, MPI_SUM, c->comm);
}
static int gather(struct call *c)
{
    return MPI_Gather(S->data, S->count, S->type, R->data, R->count, R->type, c->root, c->comm);
}
static int gatherv(struct call *c)
{
    return MPI_Gatherv(S->data, S->count, S->type, R->data, R->counts, R->places, R->type, c->root,
                       c->comm);
}
static int reduce(struct call *c)
{
    return MPI_Reduce(S->data, R->data, R->count, R->type, MPI_SUM, c->root, c->comm);
}
static int reduce_scatter(struct call *c)
{
    return MPI_Reduce_scatter(S->data, R->data, R->counts, R->type, MPI_SUM, c->comm);
}
static int reduce_scatter_block(struct call *c)
{
    return MPI_Reduce_scatter_block(S->data, R->data, R->count, R->type, MPI_SUM, c->comm);
}
static int scan(struct call *c)
{
    return MPI_Scan(S->data, R->data, R->count, R->type, MPI_SUM, c->comm);
}
static int scatter(struct call *c)
{
    return MPI_Scatter(S->data, S->count, S->type, R->data, R->count, R->type, c->root, c->comm);
}
static int scatterv(struct call *c)
{
    return MPI_Scatterv(S->data, S->counts, S->places, S->type, R->data, R->count, R->type, c->root,
                        c->comm);
}

/* Ranks on which a side matters. is_combined: the collective has one count and type for both sides. */
enum significance { NOWHERE, AT_ROOT, EVERYWHERE };

static const struct collective {
    const char *name;
    int (*run)(struct call *c);
    void (*want)(const struct call *c);
    enum significance from, to;
    int is_combined;
} collectives[] = {
    {"allgather", allgather, want_all, EVERYWHERE, EVERYWHERE, 0},
    {"allgatherv", allgatherv, want_all, EVERYWHERE, EVERYWHERE, 0},
    {"allreduce", allreduce, want_reduced, EVERYWHERE, EVERYWHERE, 1},
    {"alltoall", alltoall, want_each, EVERYWHERE, EVERYWHERE, 0},
    {"alltoallv", alltoallv, want_each, EVERYWHERE, EVERYWHERE, 0},
    {"alltoallw", alltoallw, want_each, EVERYWHERE, EVERYWHERE, 0},
    {"bcast", bcast, want_first, NOWHERE, EVERYWHERE, 0},
    {"exscan", exscan, want_before, EVERYWHERE, EVERYWHERE, 1},
    {"gather", gather, want_all, EVERYWHERE, AT_ROOT, 0},
    {"gatherv", gatherv, want_all, EVERYWHERE, AT_ROOT, 0},
    {"reduce", reduce, want_reduced, EVERYWHERE, AT_ROOT, 1},
    {"reduce_scatter", reduce_scatter, want_share, EVERYWHERE, EVERYWHERE, 1},
    {"reduce_scatter_block", reduce_scatter_block, want_share, EVERYWHERE, EVERYWHERE, 1},
    {"scan", scan, want_scanned, EVERYWHERE, EVERYWHERE, 1},
    {"scatter", scatter, want_of_root, AT_ROOT, EVERYWHERE, 0},
    {"scatterv", scatterv, want_of_root, AT_ROOT, EVERYWHERE, 0},
};

static int is_rooted(const struct collective *of)
{
    return of->from == AT_ROOT || of->to == AT_ROOT || of->run == bcast;
}

/* ---- faults ---- */

static void begin(struct call *c, MPI_Comm comm, int root)
{
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->p);
    c->comm = comm;
    c->root = root;
    for (int side = 0; side < N_SIDES; side++) {
        struct side_of_call *of = &c->side[side];
        of->data = side == FROM ? from : to;
        of->count = N;
        of->type = MPI_INT;
        for (int i = 0; i < c->p; i++) {
            of->counts[i] = N;
            of->places[i] = N * i;
            of->types[i] = MPI_INT;
        }
    }
    for (int i = 0; i < SIZE; i++) {
        from[i] = value(c->rank, i);
        to[i] = wanted[i] = -1;
    }
}

static void set_type(struct side_of_call *of, int p, MPI_Datatype type)
{
    of->type = type;
    for (int i = 0; i < p; i++)
        of->types[i] = type;
}

/* Puts the rank's own data where the result is to be, as programs did before MPI_IN_PLACE. */
static void alias(const struct collective *of, struct call *c)
{
    const int is_block = of->want == want_all;
    if (of->from == AT_ROOT) {
        c->side[TO].data = from + N * c->rank;
        return;
    }
    c->side[FROM].data = is_block ? to + N * c->rank : to;
    memcpy(c->side[FROM].data, from, sizeof *from * (is_block ? N : (size_t)(N * c->p)));
}

static void spoil(const struct collective *of, struct call *c, enum fault fault, enum side side)
{
    struct side_of_call *at = &c->side[side];
    switch (fault) {
    case COUNT:
        at->count = -1;
        for (int i = 0; i < c->p; i++)
            at->counts[i] = -1;
        break;
    case NULL_TYPE: set_type(at, c->p, MPI_DATATYPE_NULL); break;
    case UNCOMMITTED: set_type(at, c->p, uncommitted); break;
    case NULL_BUFFER: at->data = NULL; break;
    case IN_PLACE: at->data = MPI_IN_PLACE; break;
    case ALIAS: alias(of, c); break;
    default: break;
    }
}

/* True if there is such a fault of such a call. A rank that does not know how large the data are knows
 * nothing of their segments (IS_CUT): others wait, as they would in the MPI's own collective. MPI_IN_PLACE
 * is wrong as what is received only. A root is told of aliases at once by an MPI that minds them, before it
 * sends: test_told has these. */
static int can_be(const struct collective *of, enum fault fault, enum side side)
{
    if ((side == FROM ? of->from : of->to) == NOWHERE)
        return 0;
    if (of->is_combined && side == FROM && fault != NULL_BUFFER)
        return 0;
    if (IS_CUT && (fault == COUNT || fault == NULL_TYPE) &&
        (of->is_combined || of->run == bcast || (of->run == allgatherv && side == TO)))
        return 0;
    if (fault == IN_PLACE)
        return side == TO && of->from != AT_ROOT && of->run != bcast;
    if (fault == ALIAS)
        return side == TO && of->run != bcast && !is_rooted(of);
    return fault != NONE;
}

static int is_significant(const struct collective *of, enum fault fault, enum side side, const struct call *c)
{
    const enum significance where = side == FROM ? of->from : of->to;
    const int is_shared = of->is_combined && fault != NULL_BUFFER && fault != IN_PLACE && fault != ALIAS;
    if (of->run == exscan && side == TO && !is_shared)
        return c->rank > 0;
    return is_shared || where == EVERYWHERE || c->rank == c->root;
}

/* ---- expectations ---- */

static int has_result(const struct collective *of, const struct call *c)
{
    return of->to == EVERYWHERE || c->rank == c->root;
}

static int is_right(const struct collective *of, const struct call *c)
{
    const int *result = of->from == AT_ROOT && c->side[TO].data != to ? from + N * c->rank : to;
    if (!has_result(of, c))
        return 1;
    of->want(c);
    for (int i = 0; i < SIZE; i++)
        if (wanted[i] != -1 && result[i] != wanted[i])
            return 0;
    return 1;
}

static void say(int is_expected, const struct collective *of, enum fault fault, enum side side, int culprit,
                const struct call *c, const char *what)
{
    char text[200];
    snprintf(text, sizeof text, "%s, root %d: rank %d has %s of what it %s: %s", of->name, c->root, culprit,
             fault_names[fault], side == FROM ? "sends" : "receives", what);
    expect(is_expected, text);
}

static int minds_aliases(void)
{
#ifdef MPICH
    return 1;
#else
    return 0;
#endif
}

static void try_fault(const struct collective *of, MPI_Comm comm, int root, int culprit, enum fault fault,
                      enum side side)
{
    struct call c;
    begin(&c, comm, root);
    const int is_culprit = c.rank == culprit;
    if (is_culprit)
        spoil(of, &c, fault, side);
    const int is_wrong = is_significant(of, fault, side, &c) && (fault != ALIAS || minds_aliases());
    const int error = of->run(&c);
    if (is_culprit && !(c.p == 1 && of->run == bcast)) /* there is nothing to do */
        say((error != MPI_SUCCESS) == is_wrong, of, fault, side, culprit, &c, "its error");
    else if (fault == ALIAS)
        say(error == MPI_SUCCESS, of, fault, side, culprit, &c, "the others are served");
    if (error == MPI_SUCCESS && (!is_culprit || fault == ALIAS))
        say(is_right(of, &c), of, fault, side, culprit, &c, "data");
}

static void try_right(const struct collective *of, MPI_Comm comm, int root)
{
    struct call c;
    begin(&c, comm, root);
    const int error = of->run(&c);
    say(error == MPI_SUCCESS && is_right(of, &c), of, NONE, TO, 0, &c, "the next call");
}

static void test_faults(const struct collective *of, MPI_Comm comm, int p)
{
    for (int root = 0; root < (is_rooted(of) ? p : 1); root++)
        for (int culprit = 0; culprit < p; culprit++)
            for (int fault = 0; fault < N_FAULTS; fault++)
                for (int side = 0; side < N_SIDES; side++) {
                    if (!can_be(of, fault, side))
                        continue;
                    try_fault(of, comm, root, culprit, fault, side);
                    try_right(of, comm, root);
                }
}

/* Calls with aliases at the root: an MPI that minds tells it before it takes part, and the root calls again;
 * else the call is right. */
static void test_told(const struct collective *of, MPI_Comm comm, int p)
{
    if (!is_rooted(of) || of->run == bcast)
        return;
    for (int root = 0; root < p; root++) {
        struct call c;
        begin(&c, comm, root);
        if (c.rank == root) {
            alias(of, &c);
            const int error = of->run(&c);
            say(error == MPI_SUCCESS ? is_right(of, &c) : minds_aliases(), of, ALIAS, TO, root, &c,
                "the root");
            if (error == MPI_SUCCESS)
                continue;
            begin(&c, comm, root);
        }
        say(of->run(&c) == MPI_SUCCESS && is_right(of, &c), of, ALIAS, TO, root, &c, "all are served");
    }
}

int main(int argc, char **argv)
{
    int p;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (p > MAX_RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    /* MPICH hands what is wrong with a datatype to the world's handler, or that of MPI_COMM_SELF. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        test_faults(&collectives[i], comm, p);
        test_told(&collectives[i], comm, p);
    }
    MPI_Type_free(&uncommitted);
    MPI_Comm_free(&comm);
    return conclude("wrong arguments");
}
