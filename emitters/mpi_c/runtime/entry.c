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

#elif !PATTERN
#ifdef COLLC_SHIM
int COLLC_MPI(COLLC_PARAMETERS)
{
    return COLLC_FUNCTION(COLLC_ARGUMENTS);
}
#endif
#endif
