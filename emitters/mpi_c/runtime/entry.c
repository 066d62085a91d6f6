/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function with MPI's own signature.
 */
#if MAIN
static int collc_n_delegated; /* calls left to the MPI's own */

#endif
int COLLC_FUNCTION(COLLC_PARAMETERS);

int COLLC_FUNCTION(COLLC_PARAMETERS)
{
    struct collc_run run = {0};

#if BCAST
    run.to = (struct collc_data){buffer, count, datatype};
#elif REDUCE_SCATTER
    run.from = (struct collc_blocks){(char *)sendbuf, recvcounts, datatype};
    run.to = (struct collc_data){recvbuf, 0, datatype};
#elif REDUCE_SCATTER_BLOCK
    run.from = (struct collc_data){(char *)sendbuf, recvcount, datatype};
    run.to = (struct collc_data){recvbuf, recvcount, datatype};
#elif REDUCTION
    run.from = (struct collc_data){(char *)sendbuf, count, datatype};
    run.to = (struct collc_data){recvbuf, count, datatype};
#elif ALLTOALLW
    run.from = (struct collc_blocks){(char *)sendbuf, sendcounts, sdispls, sendtypes};
    run.to = (struct collc_blocks){recvbuf, recvcounts, rdispls, recvtypes};
#elif ALLTOALLV
    run.from = (struct collc_blocks){(char *)sendbuf, sendcounts, sdispls, sendtype};
    run.to = (struct collc_blocks){recvbuf, recvcounts, rdispls, recvtype};
#elif SCATTERV
    run.from = (struct collc_blocks){(char *)sendbuf, sendcounts, displs, sendtype};
    run.to = (struct collc_data){recvbuf, recvcount, recvtype};
#elif GATHERV || ALLGATHERV
    run.from = (struct collc_data){(char *)sendbuf, sendcount, sendtype};
    run.to = (struct collc_blocks){recvbuf, recvcounts, displs, recvtype};
#elif DATA
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
#if MAIN
    if (!collc_open(&run, comm)) {
        collc_n_delegated++;
        return COLLC_PMPI(COLLC_ARGUMENTS);
    }
#else
    if (!collc_open(&run, comm))
        return COLLC_PMPI(COLLC_ARGUMENTS);
#endif
#if !DATA
    if (run.comm != MPI_COMM_NULL)
        collc_steps(&run);
#else
#if COUNTS
    if (run.comm != MPI_COMM_NULL) {
#else
    if (run.comm != MPI_COMM_NULL && collc_block_bytes(&run) > 0) {
#endif
        collc_lay_out(&run);
#if KNOWN
        collc_make_bytes(&run, tmp, collc_tmp_bytes + collc_tmp_first[run.rank],
                         collc_tmp_first[run.rank + 1] - collc_tmp_first[run.rank]);
#elif TMP && UNEQUAL
        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);
#elif TMP && (ALLTOALL || ALLGATHER || SCATTER || REDUCE_SCATTER_BLOCK)
        collc_make_tmp(&run, out, run.n_tmp);
#elif TMP && GATHER
        collc_make_tmp(&run, in, run.n_tmp);
#elif TMP
        collc_make_tmp(&run, buf, run.n_tmp);
#endif
        collc_steps(&run);
#if SEGMENTS && !REDUCTION
        collc_bring_back(&run);
#endif
    }
#endif
    return collc_close(&run, comm);
}

#ifdef COLLC_SHIM
int COLLC_MPI(COLLC_PARAMETERS)
{
    return COLLC_FUNCTION(COLLC_ARGUMENTS);
}
#endif
