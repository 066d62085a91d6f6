/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One call of a test (test.c): of the function, or of what it is compared with. That is the MPI's own
 * collective; for a pattern, chunks filled in as it needs them; for neighbours, a message for each block.
 */
#if PATTERN
/* Chunks that the reference has filled in, and what the function made of the others. */
static struct {
    char *is_there; /* [n_out] */
    char *ours;
} collc_wanted;

/* Puts n chunks of a rank, from a chunk of its `in` on, into those of `out`. */
static void collc_need(struct collc_run *run, int64_t chunk, int64_t n, int64_t from, int rank)
{
#if MAP
    const int64_t first = collc_rank_of(run, rank) * run->n_in + from;
#else
    const int64_t first = rank * run->n_in + from;
#endif

    for (int64_t i = 0; i < n; i++) {
        struct collc_data source = collc_chunks(run, collc_aside, first + i, 1);
        struct collc_data target = collc_chunks(run, out, chunk + i, 1);

#if REDUCTION
        if (collc_wanted.is_there[chunk + i])
            collc_check(run, PMPI_Reduce_local(source.start, target.start, source.count,
                                              source.type, run->op));
        else
            collc_move(run, source, target);
#else
        collc_move(run, source, target);
#endif
        collc_wanted.is_there[chunk + i] = 1;
    }
}

/* Puts together what the ranks need from all that they have; other chunks stay as the function left them. */
static int COLLC_PMPI(COLLC_PARAMETERS)
{
    struct collc_run run = {0};
    struct collc_data theirs;

#if REDUCTION
    run.from = (struct collc_data){(char *)sendbuf, count, datatype};
    run.to = (struct collc_data){recvbuf, count, datatype};
    run.op = op;
    run.type = datatype;
#else
    run.from = (struct collc_data){(char *)sendbuf, sendcount, sendtype};
    run.to = (struct collc_data){recvbuf, recvcount, recvtype};
#endif
    if (!collc_open(&run, comm))
        return MPI_SUCCESS;
    collc_lay_out(&run);
    collc_make(&run, collc_aside, run.p * run.n_in * run.to.count, run.to.type,
               run.n_in > 0 ? run.p * run.n_in : 1);
    collc_check(&run, PMPI_Allgather(run.from.start, (int)run.n_in * run.from.count, run.from.type,
                                     run.buffer[collc_aside].base, (int)run.n_in * run.to.count,
                                     run.to.type, run.comm));
    collc_wanted.is_there = calloc((size_t)run.n_out + 1, 1);
    collc_say_needs(&run);
    for (int64_t i = 0; i < run.n_out; i++) {
        if (collc_wanted.is_there[i] || !collc_wanted.ours)
            continue;
        theirs = collc_chunks(&run, out, i, 1);
        theirs.start = collc_wanted.ours + (theirs.start - run.to.start);
        collc_move(&run, theirs, collc_chunks(&run, out, i, 1));
    }
    free(collc_wanted.is_there);
    return collc_close(&run, comm);
}

/* Most chunks of a buffer on this communicator; 1 if the pattern is not for it. */
static size_t collc_most_chunks(MPI_Comm comm)
{
    struct collc_run run = {0};
    int64_t most = 1;

    run.from = run.to = (struct collc_data){NULL, 0, MPI_BYTE};
#if REDUCTION
    run.op = MPI_BXOR;
    run.type = MPI_BYTE;
#endif
    if (collc_open(&run, comm)) {
        most = run.n_in > run.n_out ? run.n_in : run.n_out;
        collc_close(&run, comm);
    }
    return (size_t)(most > 1 ? most : 1);
}

#if REDUCTION
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;

    collc_wanted.ours = is_ours ? NULL : test->ours + collc_margin;
    return call(test->input + collc_margin, result, test->count, l->type[0], l->op, test->comm);
}

#else
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;

    collc_wanted.ours = is_ours ? NULL : test->ours + collc_margin;
    return call(test->input + collc_margin, test->count * l->factor[0], l->type[0], result,
                test->count * l->factor[1], l->type[1], test->comm);
}

#endif
#elif NEIGHBORS
/* Sends and receives each block by itself. The tag says which of several between two ranks it is: of a
 * Cartesian communicator, MPI 4.0 section 8.6, what goes down in a dimension comes from above. */
static int collc_reference(const struct collc_test *test, const struct collc_data *from,
                           const struct collc_data *to)
{
    const int n_in = test->n_blocks[1], n = n_in + test->n_blocks[0];
    MPI_Request *requests = malloc(((size_t)n + 1) * sizeof *requests);

    if (!requests)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < n; i++) {
        const int is_out = i >= n_in, k = is_out ? i - n_in : i, *ranks = test->neighbor[!is_out];
        const struct collc_data *data = is_out ? &from[k] : &to[k];
        int tag = test->is_cartesian ? (is_out ? k : k ^ 1) : 0;

        for (int other = 0; !test->is_cartesian && other < k; other++)
            tag += ranks[other] == ranks[k];
        if (is_out)
            PMPI_Isend(data->start, data->count, data->type, ranks[k], tag, test->comm, &requests[i]);
        else
            PMPI_Irecv(data->start, data->count, data->type, ranks[k], tag, test->comm, &requests[i]);
    }
    for (int i = 0; i < n; i++)
        PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    free(requests);
    return MPI_SUCCESS;
}

/* The blocks of one side, as a call has them. */
static struct collc_data *collc_blocks_of(const struct collc_test *test, int side, char *start)
{
    const struct collc_layout *l = test->layout;
    struct collc_data *blocks = calloc((size_t)test->n_blocks[side] + 1, sizeof *blocks);
    MPI_Aint lb, extent;
#if COUNTS
    struct collc_side of;

    collc_make_side(test, side, &of);
#endif
    if (!blocks)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Type_get_extent(l->type[side], &lb, &extent);
    for (int i = 0; i < test->n_blocks[side]; i++) {
#if NEIGHBOR_ALLTOALLW
        blocks[i] = (struct collc_data){start + of.places[i], of.counts[i], of.types[i]};
#elif NEIGHBOR_ALLTOALLV
        blocks[i] = (struct collc_data){start + of.places[i] * extent, of.counts[i], l->type[side]};
#elif NEIGHBOR_ALLGATHERV
        blocks[i] = side ? (struct collc_data){start + of.places[i] * extent, of.counts[i], l->type[1]}
                         : (struct collc_data){start, of.counts[i], l->type[0]};
#elif NEIGHBOR_ALLGATHER
        blocks[i] = (struct collc_data){start + (side ? i * test->count * l->factor[1] * extent : 0),
                                        test->count * l->factor[side], l->type[side]};
#else
        blocks[i] = (struct collc_data){start + i * test->count * l->factor[side] * extent,
                                        test->count * l->factor[side], l->type[side]};
#endif
    }
#if COUNTS
    collc_free_side(&of);
#endif
    return blocks;
}

static int collc_call_reference(const struct collc_test *test, char *result)
{
    struct collc_data *from = collc_blocks_of(test, 0, test->input + collc_margin);
    struct collc_data *to = collc_blocks_of(test, 1, result);
    const int error = collc_reference(test, from, to);

    free(from);
    free(to);
    return error;
}

#if COUNTS
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    const void *input = test->input + collc_margin;
    struct collc_side from, to;
    int error;

    if (!is_ours)
        return collc_call_reference(test, result);
    collc_make_side(test, 0, &from);
    collc_make_side(test, 1, &to);
#if NEIGHBOR_ALLTOALLW
    error = COLLC_FUNCTION(input, from.counts, from.places, from.types, result, to.counts, to.places,
                           to.types, test->comm);
#elif NEIGHBOR_ALLTOALLV
    error = COLLC_FUNCTION(input, from.counts, from.places, test->layout->type[0], result,
                           to.counts, to.places, test->layout->type[1], test->comm);
#else
    error = COLLC_FUNCTION(input, collc_count(test, test->rank, test->rank) * test->layout->factor[0],
                           test->layout->type[0], result, to.counts, to.places,
                           test->layout->type[1], test->comm);
#endif
    collc_free_side(&from);
    collc_free_side(&to);
    return error;
}

#else
/* One call, of the function or of the reference. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    const struct collc_layout *l = test->layout;

    if (!is_ours)
        return collc_call_reference(test, result);
    return COLLC_FUNCTION(test->input + collc_margin, test->count * l->factor[0], l->type[0], result,
                          test->count * l->factor[1], l->type[1], test->comm);
}

#endif
#elif ALLTOALL || ALLGATHER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, test->count * l->factor[0], l->type[0], result, test->count * l->factor[1],
                l->type[1], test->comm);
}

#elif BCAST
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int side = test->rank == test->root ? 0 : 1;

    return call(result, test->count * l->factor[side], l->type[side], test->root, test->comm);
}

#elif ALLREDUCE || SCAN || EXSCAN
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, result, test->count, l->type[0], l->op, test->comm);
}

#elif REDUCE
/* One call, of the function or of the MPI's own. The latter is never in place: there
 * MPICH 4.0 fails where the root is not rank 0. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root;
    int in_place = test->in_place && is_ours && is_root;
    const void *input = in_place ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, is_root ? result : NULL, test->count, l->type[0], l->op, test->root,
                test->comm);
}

#elif GATHER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root;
    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, test->count * l->factor[0], l->type[0], is_root ? result : NULL,
                is_root ? test->count * l->factor[1] : -1,
                is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root, test->comm);
}

#elif SCATTER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, in_place = test->in_place && is_root;
    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;

    return call(input, is_root ? test->count * l->factor[0] : -1,
                is_root ? l->type[0] : MPI_DATATYPE_NULL, in_place ? MPI_IN_PLACE : result,
                test->count * l->factor[1], l->type[1], test->root, test->comm);
}

#elif REDUCE_SCATTER_BLOCK
/* One call, of the function or of the MPI's own. The latter is never in place. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;

    return call(input, result, test->count, l->type[0], l->op, test->comm);
}

#elif GATHERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);
    const void *input = test->in_place && is_root ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side to;
    int error;

    collc_make_side(test, 1, &to);
    error = call(input, n * l->factor[0], l->type[0], is_root ? result : NULL,
                 is_root ? to.counts : NULL, is_root ? to.places : NULL,
                 is_root ? l->type[1] : MPI_DATATYPE_NULL, test->root, test->comm);
    collc_free_side(&to);
    return error;
}

#elif SCATTERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int is_root = test->rank == test->root, n = collc_count(test, test->rank, test->rank);
    int in_place = test->in_place && is_root;
    const void *input = in_place ? result : is_root ? test->input + collc_margin : NULL;
    struct collc_side from;
    int error;

    collc_make_side(test, 0, &from);
    error = call(input, is_root ? from.counts : NULL, is_root ? from.places : NULL,
                 is_root ? l->type[0] : MPI_DATATYPE_NULL, in_place ? MPI_IN_PLACE : result,
                 n * l->factor[1], l->type[1], test->root, test->comm);
    collc_free_side(&from);
    return error;
}

#elif ALLGATHERV
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    int n = collc_count(test, test->rank, test->rank);
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side to;
    int error;

    collc_make_side(test, 1, &to);
    error = call(input, n * l->factor[0], l->type[0], result, to.counts, to.places, l->type[1],
                 test->comm);
    collc_free_side(&to);
    return error;
}

#elif ALLTOALLV || ALLTOALLW
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const void *input = test->in_place ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side from, to;
    int error;

    collc_make_side(test, 0, &from);
    collc_make_side(test, 1, &to);
#if TYPES
    error = call(input, from.counts, from.places, from.types, result, to.counts, to.places,
                 to.types, test->comm);
#else
    error = call(input, from.counts, from.places, test->layout->type[0], result, to.counts,
                 to.places, test->layout->type[1], test->comm);
#endif
    collc_free_side(&from);
    collc_free_side(&to);
    return error;
}

#elif REDUCE_SCATTER
/* One call, of the function or of the MPI's own. */
static int collc_call(const struct collc_test *test, int is_ours, char *result)
{
    int (*call)(COLLC_PARAMETERS) = is_ours ? COLLC_FUNCTION : COLLC_PMPI;
    const struct collc_layout *l = test->layout;
    const void *input = test->in_place && is_ours ? MPI_IN_PLACE : test->input + collc_margin;
    struct collc_side of;
    int error;

    collc_make_side(test, 0, &of);
    error = call(input, result, of.counts, l->type[0], l->op, test->comm);
    collc_free_side(&of);
    return error;
}

#endif
