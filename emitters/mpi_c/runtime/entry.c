/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function with MPI's own signature.
 */
#if PATTERN && MAIN
static int COLLC_PMPI(COLLC_PARAMETERS);

#elif PATTERN
/* No MPI has the pattern: the call fails. */
static int COLLC_PMPI(COLLC_PARAMETERS)
{
#if REDUCTION
    (void)sendbuf, (void)recvbuf, (void)count, (void)datatype, (void)op;
#else
    (void)sendbuf, (void)sendcount, (void)sendtype, (void)recvbuf, (void)recvcount, (void)recvtype;
#endif
    PMPI_Comm_call_errhandler(comm != MPI_COMM_NULL ? comm : MPI_COMM_WORLD,
                              MPI_ERR_UNSUPPORTED_OPERATION);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

#endif
#if MAIN
static int collc_n_delegated; /* calls left to the MPI's own */

#endif
#if LIBRARY
static int COLLC_FUNCTION(COLLC_PARAMETERS)
#else
int COLLC_FUNCTION(COLLC_PARAMETERS);

int COLLC_FUNCTION(COLLC_PARAMETERS)
#endif
{
    struct collc_message few[collc_n_few];
    struct collc_run run = {.few = few};
#if LIBRARY
    int error;
#endif

#if LIBRARY
    run.collective = COLLC_COLLECTIVE;
    run.has = &collc_base[COLLC_COLLECTIVE];
    run.begin = collc_begin();
#endif
#if BCAST
    run.to = (struct collc_data){buffer, count, datatype};
#elif REDUCE_SCATTER
    run.from = (struct collc_data){(char *)sendbuf, 0, datatype};
    run.from_blocks = (struct collc_blocks){
        .start = (char *)sendbuf, .counts = recvcounts, .type = datatype};
    run.to = (struct collc_data){recvbuf, 0, datatype};
#elif REDUCE_SCATTER_BLOCK
    run.from = (struct collc_data){(char *)sendbuf, recvcount, datatype};
    run.to = (struct collc_data){recvbuf, recvcount, datatype};
#elif REDUCTION
    run.from = (struct collc_data){(char *)sendbuf, count, datatype};
    run.to = (struct collc_data){recvbuf, count, datatype};
#elif ALLTOALLW || NEIGHBOR_ALLTOALLW
    run.from = (struct collc_data){.start = (char *)sendbuf};
    run.from_blocks = (struct collc_blocks){
        .start = (char *)sendbuf, .counts = sendcounts, .places = sdispls, .types = sendtypes};
    run.to_blocks = (struct collc_blocks){
        .start = recvbuf, .counts = recvcounts, .places = rdispls, .types = recvtypes};
#elif ALLTOALLV || NEIGHBOR_ALLTOALLV
    run.from = (struct collc_data){.start = (char *)sendbuf};
    run.from_blocks = (struct collc_blocks){
        .start = (char *)sendbuf, .counts = sendcounts, .places = sdispls, .type = sendtype};
    run.to_blocks = (struct collc_blocks){
        .start = recvbuf, .counts = recvcounts, .places = rdispls, .type = recvtype};
#elif SCATTERV
    run.from_blocks = (struct collc_blocks){
        .start = (char *)sendbuf, .counts = sendcounts, .places = displs, .type = sendtype};
    run.to = (struct collc_data){recvbuf, recvcount, recvtype};
#elif GATHERV || ALLGATHERV || NEIGHBOR_ALLGATHERV
    run.from = (struct collc_data){(char *)sendbuf, sendcount, sendtype};
    run.to_blocks = (struct collc_blocks){
        .start = recvbuf, .counts = recvcounts, .places = displs, .type = recvtype};
#elif DATA && !BARRIER
    run.from = (struct collc_data){(char *)sendbuf, sendcount, sendtype};
    run.to = (struct collc_data){recvbuf, recvcount, recvtype};
#endif
#if REDUCTION
    run.op = op;
    run.type = datatype;
#endif
#if ROOT
    run.root = root;
#endif
#if LIBRARY
    error = collc_open(&run, comm) ? collc_finish(&run, comm) : COLLC_PMPI(COLLC_ARGUMENTS);
    if (run.begin)
        collc_count(&run);
    return error;
#elif MAIN
    if (!collc_open(&run, comm)) {
        collc_n_delegated++;
        return COLLC_PMPI(COLLC_ARGUMENTS);
    }
    collc_carry_out(&run);
    return collc_close(&run, comm);
#else
    if (!collc_open(&run, comm))
        return COLLC_PMPI(COLLC_ARGUMENTS);
    collc_carry_out(&run);
    return collc_close(&run, comm);
#endif
}

#if LIBRARY
int COLLC_UPPER(COLLC_PARAMETERS)
{
    return COLLC_FUNCTION(COLLC_ARGUMENTS);
}

int COLLC_MPI(COLLC_PARAMETERS)
{
    return COLLC_TOOL ? COLLC_TOOL(COLLC_ARGUMENTS) : COLLC_FUNCTION(COLLC_ARGUMENTS);
}

#if !COUNTS && !BARRIER
#ifdef COLLC_HAS_LARGE
/* With counts that may be above INT_MAX. If the bytes of a block, which are equal on all ranks, are
 * not, it is a call like others. */
static int COLLC_LARGE_FUNCTION(COLLC_LARGE_PARAMETERS)
{
#if GATHER || SCATTER
    int rank = MPI_PROC_NULL;
#endif

    if (!collc_is_usable(comm))
        return COLLC_LARGE_PMPI(COLLC_ARGUMENTS);
#if GATHER || SCATTER
    PMPI_Comm_rank(comm, &rank);
#endif
#if GATHER
    if (rank == root ? collc_is_small(recvcount, recvtype) : collc_is_small(sendcount, sendtype))
#elif SCATTER
    if (rank == root ? collc_is_small(sendcount, sendtype) : collc_is_small(recvcount, recvtype))
#elif REDUCE_SCATTER_BLOCK
    if (collc_is_small(recvcount, datatype))
#elif BCAST || REDUCTION
    if (collc_is_small(count, datatype))
#else
    if (collc_is_small(recvcount, recvtype))
#endif
        return COLLC_FUNCTION(COLLC_SMALL_ARGUMENTS);
    return COLLC_LARGE_PMPI(COLLC_ARGUMENTS);
}

int COLLC_LARGE_UPPER(COLLC_LARGE_PARAMETERS)
{
    return COLLC_LARGE_FUNCTION(COLLC_ARGUMENTS);
}

int COLLC_LARGE_MPI(COLLC_LARGE_PARAMETERS)
{
    return COLLC_LARGE_TOOL ? COLLC_LARGE_TOOL(COLLC_ARGUMENTS) : COLLC_LARGE_FUNCTION(COLLC_ARGUMENTS);
}

#endif
#endif
#elif !PATTERN
#ifdef COLLC_SHIM
int COLLC_MPI(COLLC_PARAMETERS)
{
    return COLLC_FUNCTION(COLLC_ARGUMENTS);
}
#endif
#endif
