/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The neighbours of this rank, by the topology of the caller's communicator: found out at the first call and
 * kept with it.
 */
#if NEIGHBORS
/* Counts the neighbours. Returns the kind of topology, or MPI_UNDEFINED. */
static int collc_count_neighbors(MPI_Comm comm, int rank, int *n_out, int *n_in)
{
    int kind = MPI_UNDEFINED, is_weighted;

    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return MPI_UNDEFINED;
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, n_out);
        *n_out *= 2;
        *n_in = *n_out;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, rank, n_out);
        *n_in = *n_out;
    } else if (kind == MPI_DIST_GRAPH)
        PMPI_Dist_graph_neighbors_count(comm, n_in, n_out, &is_weighted);
    return kind;
}

static int collc_list_neighbors(MPI_Comm comm, int kind, int rank, struct collc_neighbors *made)
{
    int error = MPI_SUCCESS;

    if (kind == MPI_DIST_GRAPH)
        return PMPI_Dist_graph_neighbors(comm, made->n_in, made->in, made->weight, made->n_out,
                                         made->out, made->weight + made->n_in);
    if (kind == MPI_GRAPH)
        error = PMPI_Graph_neighbors(comm, rank, made->n_out, made->out);
    for (int d = 0; kind == MPI_CART && error == MPI_SUCCESS && d < made->n_out / 2; d++)
        error = PMPI_Cart_shift(comm, d, 1, &made->out[2 * d], &made->out[2 * d + 1]);
    for (int k = 0; k < made->n_in; k++)
        made->in[k] = made->out[k];
    return error;
}

#if GRID
/* The rank `sign` times the hops of the k-th neighbour away from another one. */
static int collc_hop(const struct collc_neighbors *made, int rank, int k, int sign)
{
    int to = 0;

    for (int d = 0, stride = 1; d < made->dimensions; stride *= made->grid[d], d++) {
        const int n = made->grid[d], hop = made->hop[k * made->dimensions + d];

        to += (rank / stride % n + n + sign * hop) % n * stride;
    }
    return to;
}

/* Finds where the neighbours lie on a grid, x fastest. */
static void collc_find_hops(struct collc_neighbors *made, int rank)
{
    for (int k = 0; k < made->n_out; k++)
        for (int d = 0, stride = 1; d < made->dimensions; stride *= made->grid[d], d++) {
            const int n = made->grid[d];

            made->hop[k * made->dimensions + d] =
                (made->out[k] / stride % n - rank / stride % n + n) % n;
        }
}

/* True if blocks can come from rank 0 to all ranks, where all have the same hops. */
static int collc_is_connected(const struct collc_neighbors *made, int p)
{
    int *queue = calloc((size_t)p, 2 * sizeof *queue), *is_seen = queue + p, n = 1;

    if (!queue)
        return 0;
    is_seen[0] = 1;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < made->n_out; k++) {
            const int to = collc_hop(made, queue[i], k, 1);

            if (!is_seen[to])
                queue[n++] = to;
            is_seen[to] = 1;
        }
    free(queue);
    return n == p;
}

/* Finds the blocks that the k-th blocks of others become. Returns 0 if there is none for some. */
static int collc_find_places(struct collc_neighbors *made, int rank)
{
    for (int k = 0; k < made->n_out; k++) {
        const int from = collc_hop(made, rank, k, -1);
        int before = 0, at = 0;

        for (int i = 0; i < k; i++)
            before += made->out[i] == made->out[k];
        while (at < made->n_in && (made->in[at] != from || before-- > 0))
            at++;
        made->place[k] = made->is_cartesian ? k ^ 1 : at;
        if (made->place[k] >= made->n_in)
            return 0;
    }
    return 1;
}

/* Compares where the neighbours of all ranks lie on a grid. */
static int collc_compare_hops(MPI_Comm comm, struct collc_neighbors *made, int rank, int p,
                              int *differs)
{
    const int n = made->n_out * made->dimensions;
    int *other = malloc(((size_t)n + 1) * sizeof *other), error;

    collc_find_hops(made, rank);
    *differs = !other;
    error = collc_agree(comm, differs);
    for (int i = 0; other && i < n; i++)
        other[i] = made->hop[i];
    if (error == MPI_SUCCESS && !*differs)
        error = PMPI_Bcast(other, n, MPI_INT, 0, comm);
    for (int i = 0; error == MPI_SUCCESS && !*differs && i < n; i++)
        *differs = other[i] != made->hop[i];
    free(other);
    if (error == MPI_SUCCESS && !*differs)
        *differs = !collc_is_connected(made, p) || !collc_find_places(made, rank);
    return error == MPI_SUCCESS ? collc_agree(comm, differs) : error;
}

/* Sets the i-th grid that neighbours may lie alike on. Returns 0 behind the last one. */
static int collc_set_grid(MPI_Comm comm, struct collc_neighbors *made, int p, int i)
{
    static const int dimensions[] = {2, 2, 3, 3, 1}; /* the slowest dimension first, or last */
    int extent[8] = {0}, periods[8], at[8];
    const int is_turned = made->is_cartesian || i % 2 == 0;

    if (i >= (made->is_cartesian ? 1 : (int)(sizeof dimensions / sizeof *dimensions)))
        return 0;
    made->dimensions = made->is_cartesian ? made->n_out / 2 : dimensions[i];
    if (made->dimensions > 8)
        return 0;
    if (made->is_cartesian)
        PMPI_Cart_get(comm, made->dimensions, extent, periods, at);
    else
        PMPI_Dims_create(p, made->dimensions, extent);
    for (int d = 0; d < made->dimensions; d++)
        made->grid[d] = extent[is_turned ? made->dimensions - 1 - d : d];
    return 1;
}

/* Finds whether the neighbours of all ranks lie alike. */
static int collc_find_isomorphic(MPI_Comm comm, MPI_Comm own, struct collc_neighbors *made,
                                 int rank, int p)
{
    int differs = made->n_out != made->most_out, error;

    for (int k = 0; k < made->n_out; k++)
        differs = differs || made->out[k] == MPI_PROC_NULL;
    error = collc_agree(own, &differs);
    for (int i = 0; error == MPI_SUCCESS && !differs && !made->is_isomorphic &&
                    collc_set_grid(comm, made, p, i); i++) {
        error = collc_compare_hops(own, made, rank, p, &differs);
        made->is_isomorphic = error == MPI_SUCCESS && !differs;
        differs = 0;
    }
    return error;
}

#endif
/* Room for the neighbours, with their arrays behind it. */
static struct collc_neighbors *collc_new_neighbors(int kind, int n_out, int n_in)
{
    enum { most_dimensions = 8 };
    const size_t n = (size_t)n_out * (3 + most_dimensions) + (size_t)n_in * 2;
    struct collc_neighbors *made = calloc(1, sizeof *made + n * sizeof(int));

    if (!made)
        return NULL;
    *made = (struct collc_neighbors){
        .is_cartesian = kind == MPI_CART, .n_out = n_out, .n_in = n_in,
        .most_out = n_out, .most_in = n_in};
    made->out = (int *)(made + 1);
    made->in = made->out + n_out;
    made->weight = made->in + n_in;
#if ANY(GRID)
    made->place = made->weight + n_in + n_out;
    made->hop = made->place + n_out;
#endif
    return made;
}

/* Finds the neighbours; NULL where the communicator has no topology, on all ranks. */
static int collc_find_neighbors(struct collc_run *run, MPI_Comm comm, struct collc_kept *kept)
{
    static char owner;
    int n_out = 0, n_in = 0, kind, is_short, error;
    struct collc_neighbors *made;

    for (struct collc_found *found = kept->found; found; found = found->next)
        if (found->owner == &owner) {
            run->neighbors = (struct collc_neighbors *)(void *)found; /* `head` is its first member */
            return MPI_SUCCESS;
        }
    kind = collc_count_neighbors(comm, run->rank, &n_out, &n_in);
    if (kind == MPI_UNDEFINED)
        return MPI_SUCCESS;
    made = collc_new_neighbors(kind, n_out, n_in);
    is_short = !made;
    error = collc_agree(kept->comm, &is_short);
    if (error == MPI_SUCCESS && is_short)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        error = collc_list_neighbors(comm, kind, run->rank, made);
    if (error == MPI_SUCCESS)
        error = collc_agree(kept->comm, &made->most_out);
    if (error == MPI_SUCCESS)
        error = collc_agree(kept->comm, &made->most_in);
#if ANY(GRID)
    if (error == MPI_SUCCESS)
        error = collc_find_isomorphic(comm, kept->comm, made, run->rank, run->p);
#endif
    if (error != MPI_SUCCESS) {
        free(made);
        return error;
    }
    made->head = (struct collc_found){.next = kept->found, .owner = &owner};
    kept->found = &made->head;
    run->neighbors = made;
    return MPI_SUCCESS;
}

#if OUT_DEGREE
static int64_t collc_out_degree(const struct collc_run *run, int64_t r)
{
    (void)r;
    return run->neighbors->n_out;
}

#endif
#if IN_DEGREE
static int64_t collc_in_degree(const struct collc_run *run, int64_t r)
{
    (void)r;
    return run->neighbors->n_in;
}

#endif
#if OUT_NEIGHBOR
/* The rank that block k goes to; p: none. */
static int64_t collc_out_neighbor(const struct collc_run *run, int64_t r, int64_t k)
{
    const struct collc_neighbors *of = run->neighbors;

    (void)r;
    return k < 0 || k >= of->n_out || of->out[k] == MPI_PROC_NULL ? run->p : of->out[k];
}

#endif
#if IN_NEIGHBOR
/* The rank that block k comes from; p: none. */
static int64_t collc_in_neighbor(const struct collc_run *run, int64_t r, int64_t k)
{
    const struct collc_neighbors *of = run->neighbors;

    (void)r;
    return k < 0 || k >= of->n_in || of->in[k] == MPI_PROC_NULL ? run->p : of->in[k];
}

#endif
#if IN_TURN
/* The block that comes k-th: what goes down in a Cartesian dimension comes from above. */
static int64_t collc_in_turn(const struct collc_run *run, int64_t r, int64_t k)
{
    (void)r;
    return run->neighbors->is_cartesian ? k ^ 1 : k;
}

#endif
#if IN_PLACE_OF
/* The block here that block k of another rank is. */
static int64_t collc_in_place_of(const struct collc_run *run, int64_t r, int64_t k)
{
    (void)r;
    return run->neighbors->place[k];
}

#endif
#if OUT_HOP
/* Places to where block k goes. */
static int64_t collc_out_hop(const struct collc_run *run, int64_t r, int64_t k, int64_t d)
{
    const struct collc_neighbors *of = run->neighbors;

    (void)r;
    return d < of->dimensions ? of->hop[k * of->dimensions + d] : 0;
}

#endif
#if OUT_LIKE
/* The first block that goes as far as block k in dimensions 0 .. last. */
static int64_t collc_out_like(const struct collc_run *run, int64_t r, int64_t k, int64_t last)
{
    const struct collc_neighbors *of = run->neighbors;
    int64_t i = 0;

    (void)r;
    for (int d = 0; i < k && d < of->dimensions && d <= last;)
        if (of->hop[i * of->dimensions + d] == of->hop[k * of->dimensions + d])
            d++;
        else {
            d = 0;
            i++;
        }
    return i;
}

#endif
#if OUT_HOPS
/* Blocks that go n places. */
static int64_t collc_out_hops(const struct collc_run *run, int64_t r, int64_t d, int64_t n)
{
    const struct collc_neighbors *of = run->neighbors;
    int64_t found = 0;

    (void)r;
    for (int k = 0; k < of->n_out; k++)
        found += d < of->dimensions && of->hop[k * of->dimensions + d] == n;
    return found;
}

#endif
#endif
