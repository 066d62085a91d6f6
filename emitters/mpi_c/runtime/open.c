/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The begin and the end of a call. What MPI forbids and what the algorithm is not for is left to
 * the MPI's own collective, which reports errors under its own name.
 */
#if DATA
#if ALLTOALL || ALLGATHER || ALLGATHERV || GATHER || GATHERV || SCATTER || SCATTERV
static int collc_is_bad(const struct collc_data *data)
{
    return data->count < 0 || data->type == MPI_DATATYPE_NULL;
}

#endif
#if (REDUCTION || ALLTOALL || ALLGATHER) && !COUNTS
/* Whether the input is where the result is to be. */
static int collc_is_same(const struct collc_run *run)
{
    return run->from.start == run->to.start && run->to.start != MPI_BOTTOM && run->to.count > 0;
}

#endif
/* Whether MPI forbids the arguments, as far as a glance shows. */
static int collc_is_wrong(const struct collc_run *run)
{
#if ALLTOALL || ALLGATHER
    return collc_is_bad(&run->to) ||
           (run->from.start != MPI_IN_PLACE && collc_is_bad(&run->from)) ||
           (run->from.type == run->to.type && collc_is_same(run));
#elif BCAST
    return run->to.count < 0 || run->to.type == MPI_DATATYPE_NULL;
#elif REDUCE || REDUCE_SCATTER
    return run->to.count < 0 || run->to.type == MPI_DATATYPE_NULL || run->op == MPI_OP_NULL;
#elif REDUCTION
    return run->to.count < 0 || run->to.type == MPI_DATATYPE_NULL || run->op == MPI_OP_NULL ||
           collc_is_same(run);
#elif GATHER || GATHERV
    return run->from.start != MPI_IN_PLACE && collc_is_bad(&run->from);
#elif SCATTER || SCATTERV
    return run->to.start != MPI_IN_PLACE && collc_is_bad(&run->to);
#elif ALLGATHERV
    return run->to.type == MPI_DATATYPE_NULL ||
           (run->from.start != MPI_IN_PLACE && collc_is_bad(&run->from));
#elif ALLTOALLV
    return run->to.type == MPI_DATATYPE_NULL ||
           (run->from.start != MPI_IN_PLACE && run->from.type == MPI_DATATYPE_NULL);
#elif ALLTOALLW
    return !run->to.types || (run->from.start != MPI_IN_PLACE && !run->from.types);
#endif
}

#if !COUNTS
/* Bytes of a block; the same on all ranks. */
static int64_t collc_block_bytes(const struct collc_run *run)
{
#if GATHER
    struct collc_data block = run->rank == run->root ? run->to : run->from;
#elif SCATTER
    struct collc_data block = run->rank == run->root ? run->from : run->to;
#else
    struct collc_data block = run->to;
#endif
    MPI_Count size = 0;
    int error = PMPI_Type_size_x(block.type, &size);

    return error == MPI_SUCCESS ? (int64_t)size * block.count : INT64_MAX;
}

#endif
#endif
#if COUNTS
#if KNOWN
/* Whether block i of the caller's has so many bytes. */
static int collc_has_bytes(const struct collc_blocks *blocks, int i, int bytes)
{
#if TYPES
    MPI_Datatype type = blocks->counts[i] ? blocks->types[i] : MPI_BYTE; /* of none it may be any */
#else
    MPI_Datatype type = blocks->type;
#endif
    MPI_Count size = 0;

    return type != MPI_DATATYPE_NULL && PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           (int64_t)size * blocks->counts[i] == bytes && blocks->counts[i] >= 0;
}

/* Whether the call is of other counts than collc_bytes, on any rank. */
static int collc_is_unknown(const struct collc_run *run)
{
    const struct collc_blocks *from = run->from.start == MPI_IN_PLACE ? &run->to : &run->from;
    int differs = 0, differs_anywhere = 1;

    for (int i = 0; i < run->p; i++)
        differs = differs || !collc_has_bytes(from, i, collc_bytes[run->rank * run->p + i]) ||
                  !collc_has_bytes(&run->to, i, collc_bytes[i * run->p + run->rank]);
    return PMPI_Allreduce(&differs, &differs_anywhere, 1, MPI_INT, MPI_MAX, run->comm) !=
               MPI_SUCCESS ||
           differs_anywhere;
}

#else
static int collc_is_negative(const int *counts, int n)
{
    for (int i = 0; i < n; i++)
        if (counts[i] < 0)
            return 1;
    return 0;
}

#endif

#endif
#if SEGMENTS && ALLGATHERV
/* Whether the bytes of each block can be counted by an int; the same on all ranks. */
static int collc_are_countable(const struct collc_blocks *blocks, int n)
{
    MPI_Count size = 0;
    int are = PMPI_Type_size_x(blocks->type, &size) == MPI_SUCCESS;

    for (int i = 0; i < n; i++)
        are = are && (int64_t)size * blocks->counts[i] <= INT_MAX;
    return are;
}

#endif
#if (REDUCTION && !ORDERED) || (ROOT && !BCAST) || COUNTS || (SEGMENTS && !REDUCTION)
/* Whether the algorithm does not serve the data: all ranks agree. Or MPI forbids arguments that
 * only some ranks have. */
static int collc_is_unfit(const struct collc_run *run)
{
#if REDUCTION && !ORDERED
    int commutes = 0;

    if (PMPI_Op_commutative(run->op, &commutes) != MPI_SUCCESS || !commutes)
        return 1;
#endif
#if SEGMENTS && ALLGATHERV
    if (run->segments > 1 && !collc_are_countable(&run->to, run->p))
        return 1;
#elif SEGMENTS && !REDUCTION && !COUNTS
    if (run->segments > 1 && collc_block_bytes(run) > INT_MAX)
        return 1;
#endif
#if KNOWN
    return collc_is_unknown(run);
#elif GATHER
    return run->rank == run->root ? collc_is_bad(&run->to) : run->from.start == MPI_IN_PLACE;
#elif SCATTER
    return run->rank == run->root ? collc_is_bad(&run->from) : run->to.start == MPI_IN_PLACE;
#elif REDUCE
    return run->rank == run->root ? collc_is_same(run) : run->from.start == MPI_IN_PLACE;
#elif GATHERV
    if (run->rank != run->root)
        return run->from.start == MPI_IN_PLACE;
    return run->to.type == MPI_DATATYPE_NULL || collc_is_negative(run->to.counts, run->p);
#elif SCATTERV
    if (run->rank != run->root)
        return run->to.start == MPI_IN_PLACE;
    return run->from.type == MPI_DATATYPE_NULL || collc_is_negative(run->from.counts, run->p);
#elif ALLGATHERV
    return collc_is_negative(run->to.counts, run->p);
#elif ALLTOALLV || ALLTOALLW
    return collc_is_negative(run->to.counts, run->p) ||
           (run->from.start != MPI_IN_PLACE && collc_is_negative(run->from.counts, run->p));
#elif REDUCE_SCATTER
    return collc_is_negative(run->from.counts, run->p);
#else
    return 0;
#endif
}

#endif
/* Whether MPI can be asked about the communicator: elsewhere the MPI's own function is to report
 * the error. */
static int collc_is_usable(MPI_Comm comm)
{
    int is_up = 1, is_over = 0, inter = 1;

    if (comm == MPI_COMM_NULL)
        return 0;
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) {
        PMPI_Initialized(&is_up);
        PMPI_Finalized(&is_over);
    }
    return is_up && !is_over && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

/* Gets ready. False: the MPI's own collective has to do it; all ranks agree. */
static int collc_open(struct collc_run *run, MPI_Comm comm)
{
#if DATA
    if (collc_is_wrong(run) || !collc_is_usable(comm))
        return 0;
#else
    if (!collc_is_usable(comm))
        return 0;
#endif
    PMPI_Comm_rank(comm, &run->rank);
    PMPI_Comm_size(comm, &run->p);
#if ROOT
    if (run->root < 0 || run->root >= run->p)
        return 0;
#endif
#if SERVERS
    collc_check(run, collc_own(comm, &run->own));
    run->comm = run->own ? run->own->comm : MPI_COMM_NULL;
#else
    collc_check(run, collc_private_comm(comm, &run->comm));
#endif
    if (run->error != MPI_SUCCESS)
        return 1; /* on all ranks: collc_close reports it */
#if (REDUCTION && !ORDERED) || (ROOT && !BCAST) || COUNTS || (SEGMENTS && !REDUCTION)
    return run->comm != MPI_COMM_NULL && collc_fits(run) && !collc_is_unfit(run);
#else
    return run->comm != MPI_COMM_NULL && collc_fits(run);
#endif
}

/* Frees everything; hands an error to the error handler of the caller. */
static int collc_close(struct collc_run *run, MPI_Comm comm)
{
#if DATA
#if ALLOC
    for (int i = 0; i < n_buffers; i++)
        free(run->block[i]);
#endif
#if HELD
    free(run->held);
#endif
#if UNEQUAL
    for (int i = 0; i < n_buffers; i++)
        free(run->at[i]);
#if SEGMENTS
    for (int i = 0; i < n_buffers; i++)
        free(run->cut[i]);
#endif
#if TMP && !KNOWN
    free(run->tmp_counts);
#if TYPES
    free(run->tmp_types);
#endif
#endif
#endif
#endif
    free(run->messages);
    if (run->error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, run->error);
    return run->error;
}

