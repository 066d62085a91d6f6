/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins and ends a call. The communicator, the root, the operation and the bytes of a block, which MPI
 * makes equal on all ranks, decide whether the algorithm or the MPI's own collective runs. A rank whose
 * own arguments are wrong takes part, without data, and reports the error after the others are served.
 */
#if DATA
/* True if there are no such data: no predefined type has any at address 0. */
static int collc_is_nowhere(const char *start, int count, MPI_Datatype type)
{
    int integers, addresses, types, combiner = 0;

    if (start != NULL || count <= 0)
        return 0;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

#if !ALLTOALLV && !ALLTOALLW && !NEIGHBOR_ALLTOALLV && !NEIGHBOR_ALLTOALLW
/* Makes the rank lost if MPI forbids its data, which are then taken for a byte if their size is
 * unknown. */
static void collc_vet(struct collc_run *run, struct collc_data *data)
{
    int error = MPI_SUCCESS;

    if (data->type == MPI_DATATYPE_NULL)
        error = MPI_ERR_TYPE;
    else if (data->count < 0)
        error = MPI_ERR_COUNT;
    if (error != MPI_SUCCESS) {
        collc_lose(run, error);
        *data = (struct collc_data){NULL, 1, MPI_BYTE};
    }
    if ((data->count > 0 && data->start == MPI_IN_PLACE) ||
        collc_is_nowhere(data->start, data->count, data->type))
        collc_lose(run, MPI_ERR_BUFFER);
    if (data->start == MPI_IN_PLACE)
        data->start = NULL;
}

#endif
#if COUNTS
/* Makes the rank lost if MPI forbids its data, a block for each rank. */
static void collc_vet_blocks(struct collc_run *run, struct collc_blocks *blocks)
{
    int is_null = !blocks->counts;
#if NEIGHBORS
    const int n = blocks == &run->to_blocks ? run->neighbors->n_in : run->neighbors->n_out;
#else
    const int n = run->p;
#endif

#if NEIGHBORS
    if (n == 0)
        return;
#endif
#if !REDUCE_SCATTER
    is_null = is_null || !blocks->places;
#endif
#if TYPES
    is_null = is_null || !blocks->types;
#else
    if (blocks->type == MPI_DATATYPE_NULL) {
        collc_lose(run, MPI_ERR_TYPE);
        blocks->type = MPI_BYTE;
    }
#endif
#if SEGMENTS
    run->is_unsized = is_null || run->is_lost;
#endif
    if (is_null)
        collc_lose(run, MPI_ERR_ARG);
    if (blocks->start == MPI_IN_PLACE) {
        collc_lose(run, MPI_ERR_BUFFER);
        blocks->start = NULL;
    }
    for (int i = 0; !is_null && i < n; i++) {
        if (blocks->counts[i] < 0) {
            collc_lose(run, MPI_ERR_COUNT);
#if SEGMENTS
            run->is_unsized = 1;
#endif
        }
#if TYPES
        if (blocks->counts[i] > 0 && blocks->types[i] == MPI_DATATYPE_NULL)
            collc_lose(run, MPI_ERR_TYPE);
        else if (collc_is_nowhere(blocks->start, blocks->counts[i], blocks->types[i]))
            collc_lose(run, MPI_ERR_BUFFER);
#else
        if (collc_is_nowhere(blocks->start, blocks->counts[i], blocks->type))
            collc_lose(run, MPI_ERR_BUFFER);
#endif
    }
}

#endif
#if COUNTS && !REDUCTION && !NEIGHBORS && (SEGMENTS || (!ALLTOALLV && !ALLTOALLW))
/* Block i of the caller's. */
static struct collc_data collc_block_of(const struct collc_blocks *blocks, int i)
{
    struct collc_data data = {blocks->start, blocks->counts[i], MPI_BYTE};
#if ANY(!TYPES)
    MPI_Aint lb, extent = 0;
#endif

#if ANY(TYPES)
    if (blocks->types) {
        data.type = blocks->types[i];
        data.start += blocks->places[i];
        return data;
    }
#endif
#if ANY(!TYPES)
    PMPI_Type_get_extent(blocks->type, &lb, &extent);
    data.type = blocks->type;
    data.start += blocks->places[i] * extent;
#endif
    return data;
}

#endif
#if !COUNTS && !REDUCTION && !BCAST && !BARRIER && !PATTERN && !NEIGHBORS && (SEGMENTS || !ALLTOALL)
/* Block i of the caller's, of which the first is given. */
static struct collc_data collc_block(const struct collc_data *blocks, int i)
{
    struct collc_data data = *blocks;
    MPI_Aint lb, extent = 0;

    PMPI_Type_get_extent(data.type, &lb, &extent);
    data.start += (MPI_Aint)i * data.count * extent;
    return data;
}

#endif
#if ALLGATHER || ALLGATHERV || GATHER || GATHERV || (SEGMENTS && (ALLTOALL || ALLTOALLV || ALLTOALLW))
/* Block i of those that the caller wants. */
static struct collc_data collc_block_to(const struct collc_run *run, int i)
{
#if COUNTS
    return collc_block_of(&run->to_blocks, i);
#else
    return collc_block(&run->to, i);
#endif
}

#endif
#if SCATTER || SCATTERV || (SEGMENTS && (ALLTOALL || ALLTOALLV || ALLTOALLW))
/* Block i of those that the caller gives. */
static struct collc_data collc_block_from(const struct collc_run *run, int i)
{
#if COUNTS
    return collc_block_of(&run->from_blocks, i);
#else
    return collc_block(&run->from, i);
#endif
}

#endif
#if !BCAST && !BARRIER && !PATTERN && !NEIGHBORS
/* True if the rank's own data lie where the result is to be: "in place" as it was before MPI had
 * MPI_IN_PLACE. MPI forbids it. */
static int collc_is_aliased(const struct collc_run *run)
{
#if ALLTOALLV || ALLTOALLW
    const struct collc_blocks *from = &run->from_blocks, *to = &run->to_blocks;

    if (run->is_lost || from->counts != to->counts || from->places != to->places ||
        from->start != to->start || to->start == MPI_BOTTOM)
        return 0;
#if TYPES
    return from->types == to->types;
#else
    return from->type == to->type;
#endif
#elif REDUCE_SCATTER
    return !run->is_lost && run->from.start == run->to.start && run->to.start != MPI_BOTTOM;
#else
    struct collc_data from, to;

    if (run->is_lost)
        return 0;
#if GATHER || GATHERV || SCATTER || SCATTERV || REDUCE
    if (run->rank != run->root)
        return 0;
#endif
#if ALLGATHER || ALLGATHERV || GATHER || GATHERV
    from = run->from;
    to = collc_block_to(run, run->rank);
#elif SCATTER || SCATTERV
    from = collc_block_from(run, run->rank);
    to = run->to;
#else
    from = run->from;
    to = run->to;
#endif
    return from.start == to.start && from.type == to.type && from.count == to.count &&
           to.count > 0 && to.start != MPI_BOTTOM;
#endif
}

/* True if this MPI reports buffers that are the same, as MPICH does and Open MPI does not. A
 * communicator of this rank alone is asked. */
static int collc_minds_aliases(void)
{
    static int minds = -1;
    MPI_Comm alone;
    int number = 0;

    if (minds >= 0 || PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &alone) != MPI_SUCCESS)
        return minds > 0;
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    minds = COLLC_ALLREDUCE(&number, &number, 1, MPI_INT, MPI_SUM, alone) != MPI_SUCCESS;
    PMPI_Comm_free(&alone);
    return minds;
}

#endif
/* Looks at the arguments that are significant on this rank. */
static void collc_vet_call(struct collc_run *run)
{
#if BARRIER
    (void)run;
#elif BCAST
    collc_vet(run, &run->to);
#elif NEIGHBOR_ALLTOALLV || NEIGHBOR_ALLTOALLW
    collc_vet_blocks(run, &run->to_blocks);
    collc_vet_blocks(run, &run->from_blocks);
#elif NEIGHBORS
#if COUNTS
    collc_vet_blocks(run, &run->to_blocks);
#else
    if (run->neighbors->n_in > 0)
        collc_vet(run, &run->to);
#endif
    if (run->neighbors->n_out > 0)
        collc_vet(run, &run->from);
#elif PATTERN
    if (run->from.start == run->to.start && run->from.start != MPI_BOTTOM && run->from.count > 0)
        collc_lose(run, MPI_ERR_BUFFER);
    collc_vet(run, &run->to);
    collc_vet(run, &run->from);
#elif GATHER || GATHERV
    if (run->rank != run->root || run->from.start != MPI_IN_PLACE)
        collc_vet(run, &run->from);
#if COUNTS
    if (run->rank == run->root)
        collc_vet_blocks(run, &run->to_blocks);
#else
    if (run->rank == run->root)
        collc_vet(run, &run->to);
#endif
#elif SCATTER || SCATTERV
#if COUNTS
    if (run->rank == run->root)
        collc_vet_blocks(run, &run->from_blocks);
#else
    if (run->rank == run->root)
        collc_vet(run, &run->from);
#endif
    if (run->rank != run->root || run->to.start != MPI_IN_PLACE)
        collc_vet(run, &run->to);
#elif ALLTOALLV || ALLTOALLW
    collc_vet_blocks(run, &run->to_blocks);
    if (run->from.start != MPI_IN_PLACE)
        collc_vet_blocks(run, &run->from_blocks);
#elif ALLGATHERV
    collc_vet_blocks(run, &run->to_blocks);
    if (run->from.start != MPI_IN_PLACE)
        collc_vet(run, &run->from);
#elif REDUCE_SCATTER
    if (run->from.start == MPI_IN_PLACE)
        run->from_blocks.start = run->to.start;
    collc_vet_blocks(run, &run->from_blocks);
    if (run->from_blocks.counts)
        run->to.count = run->from_blocks.counts[run->rank];
    collc_vet(run, &run->to);
#elif REDUCE || EXSCAN
    int has_result = run->rank > 0 || run->from.start == MPI_IN_PLACE, may_be_in_place = 1;

#if REDUCE
    has_result = may_be_in_place = run->rank == run->root;
#endif
    if (!may_be_in_place || run->from.start != MPI_IN_PLACE)
        collc_vet(run, &run->from);
    if (has_result)
        collc_vet(run, &run->to);
    else
        run->to = (struct collc_data){NULL, run->from.count, run->from.type};
#else
    collc_vet(run, &run->to);
    if (run->from.start != MPI_IN_PLACE)
        collc_vet(run, &run->from);
#endif
#if REDUCTION
    run->type = run->to.type;
#endif
}

#if !COUNTS && !NEIGHBORS
/* Bytes of a block; the same on all ranks. */
static int64_t collc_block_bytes(const struct collc_run *run)
{
    struct collc_data block = run->to;
    MPI_Count size = 0;
    int error;

#if GATHER
    if (run->rank != run->root)
        block = run->from;
#elif SCATTER
    if (run->rank == run->root)
        block = run->from;
#endif
    error = PMPI_Type_size_x(block.type, &size);
    return error == MPI_SUCCESS ? (int64_t)size * block.count : 1;
}

#endif
#endif
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
    const struct collc_blocks *to = &run->to_blocks;
    const struct collc_blocks *from = run->from.start == MPI_IN_PLACE ? to : &run->from_blocks;
    int differs = run->is_lost, differs_anywhere = 1;

    for (int i = 0; !differs && i < run->p; i++)
        differs = !collc_has_bytes(from, i, collc_bytes[run->rank * run->p + i]) ||
                  !collc_has_bytes(to, i, collc_bytes[i * run->p + run->rank]);
    return COLLC_ALLREDUCE(&differs, &differs_anywhere, 1, MPI_INT, MPI_MAX, run->comm) !=
               MPI_SUCCESS ||
           differs_anywhere;
}

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
#if KNOWN || (SEGMENTS && !REDUCTION && (!COUNTS || ALLGATHERV))
/* True if the algorithm does not serve the data, on all ranks. */
static int collc_is_unfit(const struct collc_run *run)
{
#if SEGMENTS && ALLGATHERV
    return run->segments > 1 && !run->is_lost && !collc_are_countable(&run->to_blocks, run->p);
#elif KNOWN
    return collc_is_unknown(run);
#else
    return run->segments > 1 && collc_block_bytes(run) > INT_MAX;
#endif
}

#endif
#if DATA && !BCAST && !BARRIER && !PATTERN && !NEIGHBORS
/* Takes aliased data for data in place; collc_close reports them if the MPI does. A root reports
 * them at once: it sends nothing then, and may call again. */
static void collc_take_aliased(struct collc_run *run)
{
    if (!collc_is_aliased(run))
        return;
#if ROOT
    if (collc_minds_aliases()) {
        collc_check(run, MPI_ERR_BUFFER);
        run->comm = MPI_COMM_NULL;
    }
#else
    run->is_aliased = 1;
#endif
#if SCATTER || SCATTERV
    run->to.start = MPI_IN_PLACE;
#else
    run->from.start = MPI_IN_PLACE;
#endif
}

#endif
/* Gets ready. Returns 0 if the MPI's own collective has to do it, on all ranks. Without a
 * communicator in `run` there is nothing to be done but to report an error. */
static int collc_open(struct collc_run *run, MPI_Comm comm)
{
    struct collc_kept *kept = NULL;
    int error;

    run->comm = MPI_COMM_NULL;
#if LIBRARY
    run->reason = collc_is_off;
    if (!collc_library.is_on)
        return 0;
    if (!collc_choose(run, comm, &kept))
        return 0;
    run->reason = collc_is_undefined;
#else
    if (!collc_is_usable(comm))
        return 0;
    PMPI_Comm_rank(comm, &run->rank);
    PMPI_Comm_size(comm, &run->p);
#endif
#if ROOT
    if (run->root < 0 || run->root >= run->p)
        return 0;
#endif
#if REDUCTION
    if (!collc_may_use(run))
        return 0;
#endif
#if DATA && !NEIGHBORS
    collc_vet_call(run);
#if REDUCTION
    collc_vet_operation(run);
#endif
#endif
#if LIBRARY
    error = MPI_SUCCESS;
#else
    error = collc_find_kept(comm, &kept);
    if (error == MPI_SUCCESS && kept->comm == MPI_COMM_NULL)
        return 0;
#endif
#if SERVERS
    if (error == MPI_SUCCESS)
        error = collc_find_own(kept, &run->own);
#endif
#if NEIGHBORS
    if (error == MPI_SUCCESS)
        error = collc_find_neighbors(run, comm, kept);
    if (error == MPI_SUCCESS && !run->neighbors)
        return 0;
#endif
    collc_check(run, error);
    if (error != MPI_SUCCESS)
        return 1; /* on all ranks: collc_close reports it */
    run->comm = kept->comm;
#if ANY(SETS)
    run->kept = kept;
#endif
#if NEIGHBORS
    collc_vet_call(run);
#endif
#if KNOWN || (SEGMENTS && !REDUCTION && (!COUNTS || ALLGATHERV))
    if (!COLLC_FITS(run) || collc_is_unfit(run))
        return 0;
#else
    if (!COLLC_FITS(run))
        return 0;
#endif
#if DATA && !BCAST && !BARRIER && !PATTERN && !NEIGHBORS
    collc_take_aliased(run);
#endif
    return 1;
}

/* Frees everything; hands an error to the error handler of the caller. */
static int collc_close(struct collc_run *run, MPI_Comm comm)
{
#if ANY(ALLOC)
    for (int i = 0; i < n_buffers; i++)
        free(run->block[i]);
#endif
#if ANY(HELD)
    free(run->held);
#endif
#if ANY(UNEQUAL)
    for (int i = 0; i < n_buffers; i++)
        free(run->at[i]);
#endif
#if ANY(UNEQUAL && SEGMENTS)
    for (int i = 0; i < n_buffers; i++)
        free(run->cut[i]);
#endif
#if ANY(UNEQUAL && TMP && !KNOWN)
    free(run->tmp_counts);
#endif
#if ANY(UNEQUAL && TMP && !KNOWN && TYPES)
    free(run->tmp_types);
#endif
#if ANY(SETS)
    free(run->pieces);
#endif
#if ANY(SIZED)
    collc_free_rooms(run);
#endif
    if (run->messages != run->few)
        free(run->messages);
#if ANY(DATA && !ROOT && !BARRIER && !PATTERN && !NEIGHBORS)
    if (run->is_aliased && collc_minds_aliases())
        collc_check(run, MPI_ERR_BUFFER);
#endif
    if (run->error != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(comm, run->error);
    return run->error;
}

