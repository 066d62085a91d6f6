/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Trinaryx3 over nwtopo and MPI: Bcast, Reduce and Allreduce on a three-dimensional torus
 * over three trees that share no link, each for a third of the message, in pieces. What
 * Kawashima et al. 2013 do in section 4.3; `cache` is their figure 4, `find_pattern` their
 * figure 5. The trees are those of `collc algorithms`' bcast/trinaryx3:
 *
 *   Counted from the root, tree d reaches a rank by the last of its coordinates d, d+1,
 *   d+2 that is not 0, over a link in + direction; if coordinate d is 0, round the end of
 *   the line in dimension d. So every rank but the root hears every tree, each over another
 *   of its links, and sends over its three + links once in all.
 *
 *   mpicc trinaryx3.c $(pkg-config --cflags --libs collc)
 *   NWTOPO_SYNTHETIC=torus:2x3x2 TRINARYX3_RANK_IS_MACHINE=1 mpirun -n 12 ./a.out
 *
 * Run as it is, it compares all three with the MPI's own, for several roots; with the argument
 * `neighbours` rank 0 prints to whom everybody sends, with `throughput` what figure 6 shows.
 */
#include <mpi.h>
#include <nwtopo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 3, PIECE = 1024 }; /* elements of a piece */

/* Data kept with a communicator. */
struct torus {
    MPI_Comm comm;
    int rank, n_ranks;
    nwtopo_topology_t topology;
    nwtopo_obj_t grid, me, *procs; /* [rank] */
};

/* One tree as this rank sees it. */
struct tree {
    int parent;               /* rank, MPI_PROC_NULL at the root */
    int children[DIMENSIONS];
    int n_children;
    size_t depth;             /* links from the root to this rank */
    size_t first, n;          /* elements of the message that take this tree */
};

static void stop(const char *what)
{
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- figure 4: once for a communicator ---- */

/* userdata of a machine is its place in procs. */
static int rank_of(const struct torus *torus, nwtopo_obj_t machine)
{
    return (int)((nwtopo_obj_t *)machine->userdata - torus->procs);
}

static nwtopo_topology_t load_all(int rank)
{
    nwtopo_topology_t all;
    char name[32];
    if (nwtopo_topology_init(&all) ||
        nwtopo_topology_set_flags(all, NWTOPO_TOPOLOGY_FLAG_ON_DEMAND))
        stop("nwtopo");
    snprintf(name, sizeof name, "m%d", rank);
    if (getenv("TRINARYX3_RANK_IS_MACHINE") && nwtopo_topology_set_this_machine(all, name))
        stop("nwtopo");
    if (nwtopo_topology_load(all)) {
        fprintf(stderr, "%s\n", nwtopo_topology_get_error(all));
        stop("nwtopo_topology_load");
    }
    return all;
}

static void cache(struct torus *torus, MPI_Comm comm)
{
    torus->comm = comm;
    MPI_Comm_rank(comm, &torus->rank);
    MPI_Comm_size(comm, &torus->n_ranks);
    nwtopo_topology_t all = load_all(torus->rank);
    torus->me = nwtopo_topology_get_this_machine(all);
    if (!torus->me)
        stop("nwtopo_topology_get_this_machine");
    unsigned long *ids = malloc((size_t)torus->n_ranks * sizeof *ids);
    torus->procs = malloc((size_t)torus->n_ranks * sizeof *torus->procs);
    if (!ids || !torus->procs)
        stop("malloc");
    MPI_Allgather(&torus->me->id, 1, MPI_UNSIGNED_LONG, ids, 1, MPI_UNSIGNED_LONG, comm);
    for (int i = 0; i < torus->n_ranks; i++) {
        torus->procs[i] = nwtopo_topology_get_object_by_id(all, ids[i]);
        torus->procs[i]->userdata = &torus->procs[i];
    }
    /* the torus of these ranks alone, over the same objects */
    if (nwtopo_topology_init(&torus->topology) ||
        nwtopo_topology_set_flags(torus->topology, NWTOPO_TOPOLOGY_FLAG_ON_DEMAND |
                                                       NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS) ||
        nwtopo_topology_shrink(torus->topology, all, (unsigned)torus->n_ranks, torus->procs))
        stop("nwtopo_topology_shrink");
    nwtopo_topology_destroy(all);
    torus->grid = nwtopo_topology_get_object(torus->topology, 1, 0);
    free(ids);
}

static void release(struct torus *torus)
{
    nwtopo_topology_destroy(torus->topology);
    free(torus->procs);
}

/* True if the ranks form a torus of three dimensions. */
static int is_torus(const struct torus *torus)
{
    if (torus->grid->type != NWTOPO_OBJ_GRID || !torus->grid->attr->grid.dense ||
        torus->grid->attr->grid.num_dimensions != DIMENSIONS)
        return 0;
    for (int d = 0; d < DIMENSIONS; d++)
        if (!torus->grid->attr->grid.periodicities[d] && torus->grid->attr->grid.dimensions[d] > 1)
            return 0;
    return 1;
}

/* ---- figure 5: once for a call ---- */

/* The dimension over which tree d reaches the rank at these coordinates from the root. */
static int incoming(int d, const int at[])
{
    const int e = (d + 1) % DIMENSIONS, f = (d + 2) % DIMENSIONS;
    if (at[d] == 0 || (at[e] == 0 && at[f] == 0))
        return d;
    return at[f] ? f : e;
}

static int neighbour(const struct torus *torus, unsigned direction, int shift)
{
    nwtopo_obj_t obj;
    if (nwtopo_grid_get_neighbor_obj(torus->topology, torus->grid, torus->me, direction, shift,
                                     &obj))
        stop("nwtopo_grid_get_neighbor_obj");
    return rank_of(torus, obj);
}

/* This rank's place, counted from the root. */
static void find_place(const struct torus *torus, int root, int at[])
{
    int rc[DIMENSIONS], mc[DIMENSIONS];
    if (nwtopo_grid_get_coords(torus->topology, torus->grid, torus->procs[root], rc) ||
        nwtopo_grid_get_coords(torus->topology, torus->grid, torus->me, mc))
        stop("nwtopo_grid_get_coords");
    for (int d = 0; d < DIMENSIONS; d++) {
        int extent = (int)torus->grid->attr->grid.dimensions[d];
        at[d] = (mc[d] - rc[d] + extent) % extent;
    }
}

static void find_tree(const struct torus *torus, int d, const int at[], struct tree *tree)
{
    int is_root = !at[0] && !at[1] && !at[2];
    tree->parent = is_root ? MPI_PROC_NULL : neighbour(torus, (unsigned)incoming(d, at), -1);
    tree->n_children = 0;
    tree->depth = (size_t)(at[0] + at[1] + at[2]);
    if (!is_root && at[d] == 0) /* round the whole line */
        tree->depth += torus->grid->attr->grid.dimensions[d];
    for (int k = 0; k < DIMENSIONS; k++) {
        int extent = (int)torus->grid->attr->grid.dimensions[k];
        int next[DIMENSIONS] = {at[0], at[1], at[2]};
        next[k] = (at[k] + 1) % extent;
        if ((next[0] || next[1] || next[2]) && extent > 1 && incoming(d, next) == k)
            tree->children[tree->n_children++] = neighbour(torus, (unsigned)k, 1);
    }
}

/* The trees, one for each dimension that is longer than 1, and their parts of n elements. */
static int find_pattern(const struct torus *torus, int root, size_t n, struct tree trees[])
{
    int at[DIMENSIONS], n_trees = 0;
    find_place(torus, root, at);
    for (int d = 0; d < DIMENSIONS; d++)
        if (torus->grid->attr->grid.dimensions[d] > 1)
            find_tree(torus, d, at, &trees[n_trees++]);
    for (int t = 0; t < n_trees; t++) {
        trees[t].first = n * (size_t)t / (size_t)n_trees;
        trees[t].n = n * ((size_t)t + 1) / (size_t)n_trees - trees[t].first;
    }
    return n_trees;
}

/* ---- the collectives, on doubles ---- */

/* Elements of piece `i` of the tree's part, and where it begins in the message. */
static int piece(const struct tree *tree, size_t i, size_t *first)
{
    size_t at = i * PIECE < tree->n ? i * PIECE : tree->n;
    *first = tree->first + at;
    return (int)(tree->n - at < PIECE ? tree->n - at : PIECE);
}

static size_t n_pieces(const struct tree trees[], int n_trees)
{
    size_t most = 0;
    for (int t = 0; t < n_trees; t++)
        if ((trees[t].n + PIECE - 1) / PIECE > most)
            most = (trees[t].n + PIECE - 1) / PIECE;
    return most;
}

/* Finds the piece of a tree that this rank passes on in a step. A piece is sent by the root in the step of its
 * number, and passed on a step later at each link: so trees in which the rank is nearer to the root never wait
 * for the others. False: none. */
static int piece_in(const struct tree *tree, size_t step, size_t pieces, size_t *i)
{
    *i = step - tree->depth;
    return step >= tree->depth && *i < pieces;
}

/* Returns the steps of a rank. */
static size_t n_steps(const struct tree trees[], int n_trees, size_t pieces)
{
    size_t deepest = 0;
    for (int t = 0; t < n_trees; t++)
        deepest = trees[t].depth > deepest ? trees[t].depth : deepest;
    return pieces + deepest;
}

/* Receives of all pieces are posted at once, and a piece is passed on when it has come. All ranks go by steps,
 * and by trees in a step, so nobody waits in a circle. */
static void bcast(const struct torus *torus, double *data, size_t n, int root)
{
    struct tree trees[DIMENSIONS];
    const int n_trees = find_pattern(torus, root, n, trees);
    const size_t pieces = n_pieces(trees, n_trees);
    MPI_Request *receives = malloc((2 * DIMENSIONS * pieces + 1) * sizeof *receives);
    MPI_Request *sends = receives + DIMENSIONS * pieces;
    size_t first, i, n_receives = 0;
    int n_sends = 0;
    if (!receives)
        stop("malloc");
    for (i = 0; i < pieces; i++)
        for (int t = 0; t < n_trees; t++) {
            const int length = piece(&trees[t], i, &first);
            MPI_Irecv(data + first, length, MPI_DOUBLE, trees[t].parent, t, torus->comm,
                      &receives[n_receives++]);
        }
    for (size_t step = 0; step < n_steps(trees, n_trees, pieces); step++)
        for (int t = 0; t < n_trees; t++) {
            if (!piece_in(&trees[t], step, pieces, &i))
                continue;
            const int length = piece(&trees[t], i, &first);
            MPI_Wait(&receives[i * (size_t)n_trees + (size_t)t], MPI_STATUS_IGNORE);
            for (int c = 0; c < trees[t].n_children; c++)
                MPI_Isend(data + first, length, MPI_DOUBLE, trees[t].children[c], t, torus->comm,
                          &sends[n_sends++]);
        }
    while (n_sends > 0)
        MPI_Wait(&sends[--n_sends], MPI_STATUS_IGNORE);
    free(receives);
}

/* Tells the parents that they may write, or, where `is_heard`, waits until the children allow it. */
static void allow_puts(const struct torus *torus, const struct tree trees[], int n_trees, int is_heard)
{
    for (int t = 0; t < n_trees; t++)
        if (!is_heard)
            MPI_Send(NULL, 0, MPI_BYTE, trees[t].parent, DIMENSIONS + t, torus->comm);
        else
            for (int c = 0; c < trees[t].n_children; c++)
                MPI_Recv(NULL, 0, MPI_BYTE, trees[t].children[c], DIMENSIONS + t, torus->comm,
                         MPI_STATUS_IGNORE);
}

/* The same by remote memory, as the paper's program does it: a rank writes a piece into the window of the
 * next one, over `data` there, and then says so by a message without data. */
static void bcast_by_puts(const struct torus *torus, double *data, size_t n, int root, MPI_Win window)
{
    struct tree trees[DIMENSIONS];
    const int n_trees = find_pattern(torus, root, n, trees);
    const size_t pieces = n_pieces(trees, n_trees);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    allow_puts(torus, trees, n_trees, 0);
    allow_puts(torus, trees, n_trees, 1);
    for (size_t step = 0; step < n_steps(trees, n_trees, pieces); step++)
        for (int t = 0; t < n_trees; t++) {
            size_t first, i;
            if (!piece_in(&trees[t], step, pieces, &i))
                continue;
            const int length = piece(&trees[t], i, &first);
            MPI_Recv(NULL, 0, MPI_BYTE, trees[t].parent, t, torus->comm, MPI_STATUS_IGNORE);
            MPI_Win_sync(window);
            for (int c = 0; c < trees[t].n_children; c++)
                MPI_Put(data + first, length, MPI_DOUBLE, trees[t].children[c], (MPI_Aint)first, length,
                        MPI_DOUBLE, window);
            for (int c = 0; c < trees[t].n_children; c++) {
                MPI_Win_flush(trees[t].children[c], window);
                MPI_Send(NULL, 0, MPI_BYTE, trees[t].children[c], t, torus->comm);
            }
        }
    MPI_Win_unlock_all(window);
}

/* The same trees the other way; `data` is combined in place and is the result at the root. */
static void reduce(const struct torus *torus, double *data, size_t n, MPI_Op op, int root)
{
    struct tree trees[DIMENSIONS];
    int n_trees = find_pattern(torus, root, n, trees);
    MPI_Request sends[DIMENSIONS];
    MPI_Status statuses[DIMENSIONS];
    double other[PIECE];
    for (size_t i = 0; i < n_pieces(trees, n_trees); i++) {
        for (int t = 0; t < n_trees; t++) {
            size_t first;
            int length = piece(&trees[t], i, &first);
            for (int c = 0; c < trees[t].n_children; c++) {
                MPI_Recv(other, length, MPI_DOUBLE, trees[t].children[c], t, torus->comm,
                         MPI_STATUS_IGNORE);
                MPI_Reduce_local(other, data + first, length, MPI_DOUBLE, op);
            }
            MPI_Isend(data + first, length, MPI_DOUBLE, trees[t].parent, t, torus->comm,
                      &sends[t]);
        }
        MPI_Waitall(n_trees, sends, statuses);
    }
}

static void allreduce(const struct torus *torus, double *data, size_t n, MPI_Op op)
{
    reduce(torus, data, n, op, 0);
    bcast(torus, data, n, 0);
}

/* ---- trying it ---- */

static void fill(double *data, size_t n, int seed)
{
    for (size_t i = 0; i < n; i++)
        data[i] = (double)((i * 7 + (size_t)seed * 131) % 1009);
}

/* Opens n numbers to puts of all ranks. */
static MPI_Win window_of(const struct torus *torus, double *data, size_t n)
{
    MPI_Win window;
    MPI_Win_create(data, (MPI_Aint)(n * sizeof *data), sizeof *data, MPI_INFO_NULL, torus->comm, &window);
    return window;
}

/* Elements in which an MPI's own collective and ours differ, on all ranks together. */
static long differences(const struct torus *torus, size_t n, int root)
{
    double *ours = malloc(n * sizeof *ours + 1), *own = malloc(n * sizeof *own + 1);
    double *in = malloc(n * sizeof *in + 1);
    long n_bad = 0, all = 0;
    if (!ours || !own || !in)
        stop("malloc");
    fill(in, n, torus->rank);
    memcpy(ours, in, n * sizeof *ours);
    memcpy(own, in, n * sizeof *own);
    bcast(torus, ours, n, root);
    MPI_Bcast(own, (int)n, MPI_DOUBLE, root, torus->comm);
    n_bad += memcmp(ours, own, n * sizeof *own) != 0;
    memcpy(ours, in, n * sizeof *ours);
    MPI_Win window = window_of(torus, ours, n);
    bcast_by_puts(torus, ours, n, root, window);
    MPI_Win_free(&window);
    n_bad += memcmp(ours, own, n * sizeof *own) != 0;
    memcpy(ours, in, n * sizeof *ours);
    reduce(torus, ours, n, MPI_SUM, root);
    MPI_Reduce(in, own, (int)n, MPI_DOUBLE, MPI_SUM, root, torus->comm);
    n_bad += torus->rank == root && memcmp(ours, own, n * sizeof *own) != 0;
    memcpy(ours, in, n * sizeof *ours);
    allreduce(torus, ours, n, MPI_MAX);
    MPI_Allreduce(in, own, (int)n, MPI_DOUBLE, MPI_MAX, torus->comm);
    n_bad += memcmp(ours, own, n * sizeof *own) != 0;
    MPI_Allreduce(&n_bad, &all, 1, MPI_LONG, MPI_SUM, torus->comm);
    free(ours);
    free(own);
    free(in);
    return all;
}

static long compare(const struct torus *torus)
{
    static const size_t sizes[] = {0, 1, 3, 7001};
    long n_bad = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int root = 0; root < torus->n_ranks; root += 1 + torus->n_ranks / 9)
            n_bad += differences(torus, sizes[i], root);
    if (torus->rank == 0)
        printf("%d ranks, %ld differences\n", torus->n_ranks, n_bad);
    return n_bad;
}

/* One line of a rank: to whom it sends in each tree, and from whom it hears it. */
static void describe(const struct torus *torus, char *line, size_t size)
{
    struct tree trees[DIMENSIONS];
    int n_trees = find_pattern(torus, 0, 0, trees), at[DIMENSIONS];
    find_place(torus, 0, at);
    size_t n = (size_t)snprintf(line, size, "%d (%d,%d,%d):", torus->rank, at[0], at[1], at[2]);
    for (int t = 0; t < n_trees; t++) {
        if (trees[t].parent == MPI_PROC_NULL)
            n += (size_t)snprintf(line + n, size - n, "  tree %d to", t);
        else
            n += (size_t)snprintf(line + n, size - n, "  tree %d from %d to", t, trees[t].parent);
        for (int c = 0; c < trees[t].n_children; c++)
            n += (size_t)snprintf(line + n, size - n, " %d", trees[t].children[c]);
        if (!trees[t].n_children)
            n += (size_t)snprintf(line + n, size - n, " nobody");
    }
}

static void print_neighbours(const struct torus *torus)
{
    enum { LINE = 256 };
    char line[LINE], *lines = calloc((size_t)torus->n_ranks, LINE);
    int shifts[] = {-1, -1, -1};
    nwtopo_obj_t last;
    if (!lines || nwtopo_grid_get_shifted_obj(torus->topology, torus->grid, torus->procs[0],
                                              shifts, &last))
        stop("nwtopo_grid_get_shifted_obj");
    describe(torus, line, sizeof line);
    MPI_Gather(line, LINE, MPI_CHAR, lines, LINE, MPI_CHAR, 0, torus->comm);
    for (int i = 0; i < torus->n_ranks && torus->rank == 0; i++)
        printf("%s\n", lines + (size_t)i * LINE);
    if (torus->rank == 0)
        printf("farthest from the root: %d\n", rank_of(torus, last));
    free(lines);
}

enum way { BY_MESSAGES, BY_PUTS, BY_THE_MPI, N_WAYS };

/* Seconds of a broadcast of n numbers from leaving a barrier to the end of the last rank: the least of ten.
 * */
static double least_time(const struct torus *torus, double *data, size_t n, enum way way)
{
    double least = 0;
    MPI_Win window = window_of(torus, data, n);
    for (int call = 0; call < 10; call++) {
        MPI_Barrier(torus->comm);
        double time = MPI_Wtime();
        if (way == BY_MESSAGES)
            bcast(torus, data, n, 0);
        else if (way == BY_PUTS)
            bcast_by_puts(torus, data, n, 0, window);
        else
            MPI_Bcast(data, (int)n, MPI_DOUBLE, 0, torus->comm);
        time = MPI_Wtime() - time;
        MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, torus->comm);
        least = call == 0 || time < least ? time : least;
    }
    MPI_Win_free(&window);
    return least;
}

/* Figure 6: bytes / time, by this program's messages and puts, and by MPI_Bcast, in whose place the native
 * one may be preloaded. */
static void print_throughput(const struct torus *torus)
{
    enum { MOST = 1 << 19 };
    double *data = calloc(MOST, sizeof *data);
    if (!data)
        stop("calloc");
    if (torus->rank == 0)
        printf("bytes messages puts MPI_Bcast, MB/s\n");
    for (size_t n = MOST >> 12; n <= MOST; n *= 8) {
        double rate[N_WAYS];
        for (int way = 0; way < N_WAYS; way++)
            rate[way] = (double)(n * sizeof *data) / least_time(torus, data, n, (enum way)way) / 1e6;
        if (torus->rank == 0)
            printf("%zu %.1f %.1f %.1f\n", n * sizeof *data, rate[BY_MESSAGES], rate[BY_PUTS],
                   rate[BY_THE_MPI]);
    }
    free(data);
}

int main(int argc, char **argv)
{
    struct torus torus;
    long n_bad = 0;
    MPI_Init(&argc, &argv);
    cache(&torus, MPI_COMM_WORLD);
    if (!is_torus(&torus)) {
        if (torus.rank == 0)
            fprintf(stderr, "the ranks are not one on every machine of a torus of 3 dimensions\n");
        n_bad = 1;
    } else if (argc > 1 && strcmp(argv[1], "neighbours") == 0)
        print_neighbours(&torus);
    else if (argc > 1 && strcmp(argv[1], "throughput") == 0)
        print_throughput(&torus);
    else
        n_bad = compare(&torus);
    release(&torus);
    MPI_Finalize();
    return n_bad != 0;
}
