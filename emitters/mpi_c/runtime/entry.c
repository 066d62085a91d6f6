/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The function with MPI's own signature: it hands to the MPI's own collective what the algorithm
 * is not defined for, lays out the buffers, runs the steps and reports errors as MPI does.
 */
#if DATA && !COUNTS
/* Whether there is nothing to send: on all ranks, as they all have as much. */
static int collc_is_nothing(int count, MPI_Datatype type)
{
    MPI_Count size = 1;

    return count == 0 || (PMPI_Type_size_x(type, &size) == MPI_SUCCESS && size == 0);
}

#endif
#if (REDUCTION || ALLTOALL || ALLGATHER) && !COUNTS
/* Whether the input is where the result is to be, which MPI forbids. */
static int collc_is_same(const void *sendbuf, const void *recvbuf, int count)
{
    return sendbuf == recvbuf && sendbuf != MPI_BOTTOM && count > 0;
}

#endif
#if MAIN
static int collc_n_delegated; /* calls left to the MPI's own */

#endif
int COLLC_FUNCTION(COLLC_PARAMETERS);

int COLLC_FUNCTION(COLLC_PARAMETERS)
{
    struct collc_run run = {0};
#if ALLTOALL || ALLGATHER
    int is_unfit = recvcount < 0 || recvtype == MPI_DATATYPE_NULL ||
                   (sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL));
#elif BCAST || REDUCE
    int is_unfit = count < 0 || datatype == MPI_DATATYPE_NULL || root < 0;
#elif ALLREDUCE || SCAN || EXSCAN
    int is_unfit = count < 0 || datatype == MPI_DATATYPE_NULL;
#elif REDUCE_SCATTER_BLOCK
    int is_unfit = recvcount < 0 || datatype == MPI_DATATYPE_NULL;
#elif GATHER || GATHERV
    int is_unfit = root < 0 || (sendbuf != MPI_IN_PLACE &&
                                (sendcount < 0 || sendtype == MPI_DATATYPE_NULL));
#elif SCATTER || SCATTERV
    int is_unfit = root < 0 || (recvbuf != MPI_IN_PLACE &&
                                (recvcount < 0 || recvtype == MPI_DATATYPE_NULL));
#elif ALLGATHERV
    int is_unfit = recvtype == MPI_DATATYPE_NULL ||
                   (sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL));
#elif ALLTOALLV
    int is_unfit = recvtype == MPI_DATATYPE_NULL ||
                   (sendbuf != MPI_IN_PLACE && sendtype == MPI_DATATYPE_NULL);
#elif ALLTOALLW
    int is_unfit = recvtypes == NULL || (sendbuf != MPI_IN_PLACE && sendtypes == NULL);
#elif REDUCE_SCATTER
    int is_unfit = datatype == MPI_DATATYPE_NULL;
#else
    int is_unfit = 0;
#endif

#if ROOT
    run.root = root;
#endif
#if ALLREDUCE || SCAN || EXSCAN
    is_unfit = is_unfit || collc_is_same(sendbuf, recvbuf, count);
#elif REDUCE_SCATTER_BLOCK
    is_unfit = is_unfit || collc_is_same(sendbuf, recvbuf, recvcount);
#elif ALLTOALL || ALLGATHER
    is_unfit = is_unfit || (sendtype == recvtype && collc_is_same(sendbuf, recvbuf, recvcount));
#endif
    is_unfit = is_unfit || !collc_open(&run, comm);
#if REDUCTION && ORDERED
    is_unfit = is_unfit || op == MPI_OP_NULL;
#elif REDUCTION
    is_unfit = is_unfit || !collc_commutes(op);
#endif
#if GATHER
    is_unfit = is_unfit || (run.rank == root ? recvcount < 0 || recvtype == MPI_DATATYPE_NULL
                                             : sendbuf == MPI_IN_PLACE);
#elif SCATTER
    is_unfit = is_unfit || (run.rank == root ? sendcount < 0 || sendtype == MPI_DATATYPE_NULL
                                             : recvbuf == MPI_IN_PLACE);
#elif GATHERV
    is_unfit = is_unfit || (run.rank == root ? collc_is_negative(recvcounts, run.p) ||
                                                   recvtype == MPI_DATATYPE_NULL
                                             : sendbuf == MPI_IN_PLACE);
#elif SCATTERV
    is_unfit = is_unfit || (run.rank == root ? collc_is_negative(sendcounts, run.p) ||
                                                   sendtype == MPI_DATATYPE_NULL
                                             : recvbuf == MPI_IN_PLACE);
#elif REDUCE
    is_unfit = is_unfit || (run.rank == root ? collc_is_same(sendbuf, recvbuf, count)
                                             : sendbuf == MPI_IN_PLACE);
#elif COUNTS
    is_unfit = is_unfit || collc_is_negative(recvcounts, run.p);
#endif
#if ALLTOALLV || ALLTOALLW
    is_unfit = is_unfit || (sendbuf != MPI_IN_PLACE && collc_is_negative(sendcounts, run.p));
#endif
#if SEGMENTS && BCAST
    is_unfit = is_unfit || (run.segments > 1 && !collc_is_countable(count, datatype));
#elif SEGMENTS && (ALLTOALL || ALLGATHER)
    is_unfit = is_unfit || (run.segments > 1 && !collc_is_countable(recvcount, recvtype));
#elif SEGMENTS && GATHER
    is_unfit = is_unfit || (run.segments > 1 && !(sendbuf == MPI_IN_PLACE ?
                                                      collc_is_countable(recvcount, recvtype) :
                                                      collc_is_countable(sendcount, sendtype)));
#elif SEGMENTS && SCATTER
    is_unfit = is_unfit || (run.segments > 1 && !(recvbuf == MPI_IN_PLACE ?
                                                      collc_is_countable(sendcount, sendtype) :
                                                      collc_is_countable(recvcount, recvtype)));
#elif SEGMENTS && ALLGATHERV
    is_unfit = is_unfit || (run.segments > 1 && !collc_are_countable(recvcounts, run.p, recvtype));
#endif
#if MAIN
    collc_n_delegated += is_unfit;
#endif
    if (is_unfit)
        return COLLC_PMPI(COLLC_ARGUMENTS);
#if BCAST || REDUCE || ALLREDUCE || SCAN || EXSCAN
    if (run.error != MPI_SUCCESS || collc_is_nothing(count, datatype))
#elif ALLTOALL || ALLGATHER
    if (run.error != MPI_SUCCESS || collc_is_nothing(recvcount, recvtype))
#elif REDUCE_SCATTER_BLOCK
    if (run.error != MPI_SUCCESS || collc_is_nothing(recvcount, datatype))
#elif GATHER
    if (run.error != MPI_SUCCESS || (run.rank == root ? collc_is_nothing(recvcount, recvtype)
                                                      : collc_is_nothing(sendcount, sendtype)))
#elif SCATTER
    if (run.error != MPI_SUCCESS || (run.rank == root ? collc_is_nothing(sendcount, sendtype)
                                                      : collc_is_nothing(recvcount, recvtype)))
#else
    if (run.error != MPI_SUCCESS)
#endif
        return collc_close(&run, comm);
#if ALLTOALL
#if SEGMENTS
    collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE) {
        collc_pack(&run, out, recvbuf, 0, run.p, recvcount, recvtype);
        collc_make(&run, in, run.buffer[out].elements, run.buffer[out].type,
                   run.buffer[out].chunks);
        collc_copy(&run, out, 0, run.buffer[out].chunks, in, 0);
    } else {
        collc_cut(&run, in, sendbuf, run.p, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, run.p, sendcount, sendtype);
    }
#else
    collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);
    if (sendbuf == MPI_IN_PLACE)
        collc_make(&run, in, (int64_t)run.p * recvcount, recvtype, run.p);
    else
        collc_set(&run, in, sendbuf, (int64_t)run.p * sendcount, sendtype, run.p);
    if (sendbuf == MPI_IN_PLACE)
        collc_copy(&run, out, 0, run.p, in, 0);
#endif
#elif ALLGATHER
#if SEGMENTS
    collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE) {
        collc_pack(&run, out, recvbuf, run.rank, 1, recvcount, recvtype);
        collc_share(&run, in, out, run.rank);
    } else {
        collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);
    }
#else
    collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);
    if (sendbuf == MPI_IN_PLACE)
        collc_set(&run, in, collc_chunks(&run, out, run.rank, 1).start, recvcount,
                  recvtype, 1);
    else
        collc_set(&run, in, sendbuf, sendcount, sendtype, 1);
#endif
#elif BCAST
#if SEGMENTS
    collc_cut(&run, buf, buffer, 1, count, datatype);
    if (run.rank == root)
        collc_pack(&run, buf, buffer, 0, 1, count, datatype);
#else
    collc_set(&run, buf, buffer, count, datatype, 1);
#endif
#elif ALLREDUCE || SCAN
    struct collc_data from = {(char *)sendbuf, count, datatype};
    struct collc_data to = {recvbuf, count, datatype};

    run.op = op;
    run.type = datatype;
    if (sendbuf != MPI_IN_PLACE)
        collc_move(&run, from, to);
#if SEGMENTS
    collc_set(&run, buf, recvbuf, count, datatype, run.segments);
#else
    collc_set(&run, buf, recvbuf, count, datatype, 1);
#endif
#elif REDUCE
    struct collc_data from = {(char *)sendbuf, count, datatype};

    run.op = op;
    run.type = datatype;
#if SEGMENTS
    if (run.rank == root)
        collc_set(&run, buf, recvbuf, count, datatype, run.segments);
    else
        collc_make(&run, buf, count, datatype, run.segments);
#else
    if (run.rank == root)
        collc_set(&run, buf, recvbuf, count, datatype, 1);
    else
        collc_make(&run, buf, count, datatype, 1);
#endif
    if (sendbuf != MPI_IN_PLACE) {
        struct collc_data to = {run.buffer[buf].base, count, datatype};

        collc_move(&run, from, to);
    }
#elif EXSCAN
    struct collc_data from = {(char *)sendbuf, count, datatype};
    struct collc_data to = {recvbuf, count, datatype};

    run.op = op;
    run.type = datatype;
#if SEGMENTS
    if (run.rank == 0)
        collc_make(&run, buf, count, datatype, run.segments);
    else
        collc_set(&run, buf, recvbuf, count, datatype, run.segments);
#else
    if (run.rank == 0)
        collc_make(&run, buf, count, datatype, 1);
    else
        collc_set(&run, buf, recvbuf, count, datatype, 1);
#endif
    if (sendbuf == MPI_IN_PLACE)
        from = to;
    to.start = run.buffer[buf].base;
    collc_move(&run, from, to);
#elif GATHER
#if SEGMENTS
    if (run.rank == root)
        collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);
    if (sendbuf == MPI_IN_PLACE) {
        collc_pack(&run, out, recvbuf, run.rank, 1, recvcount, recvtype);
        collc_share(&run, in, out, run.rank);
    } else {
        collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);
    }
#else
    if (run.rank == root)
        collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);
    if (sendbuf == MPI_IN_PLACE)
        collc_set(&run, in, collc_chunks(&run, out, run.rank, 1).start, recvcount,
                  recvtype, 1);
    else
        collc_set(&run, in, sendbuf, sendcount, sendtype, 1);
#endif
#elif SCATTER
#if SEGMENTS
    if (run.rank == root) {
        collc_cut(&run, in, sendbuf, run.p, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, run.p, sendcount, sendtype);
    }
    if (recvbuf == MPI_IN_PLACE)
        collc_share(&run, out, in, run.rank);
    else
        collc_cut(&run, out, recvbuf, 1, recvcount, recvtype);
#else
    if (run.rank == root)
        collc_set(&run, in, sendbuf, (int64_t)run.p * sendcount, sendtype, run.p);
    if (recvbuf == MPI_IN_PLACE)
        collc_set(&run, out, collc_chunks(&run, in, run.rank, 1).start, sendcount,
                  sendtype, 1);
    else
        collc_set(&run, out, recvbuf, recvcount, recvtype, 1);
#endif
#elif REDUCE_SCATTER_BLOCK
    run.op = op;
    run.type = datatype;
#if SEGMENTS
    if (sendbuf == MPI_IN_PLACE) {
        collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, datatype,
                  run.p * run.segments);
        collc_make(&run, in, (int64_t)run.p * recvcount, datatype, run.p * run.segments);
#if PLACE
        for (int i = 0; i < run.p; i++)
            collc_copy(&run, out, collc_rank_of(&run, i) * run.segments, run.segments, in,
                       i * run.segments);
#else
        collc_copy(&run, out, 0, run.p * run.segments, in, 0);
#endif
    } else {
        collc_set(&run, in, sendbuf, (int64_t)run.p * recvcount, datatype,
                  run.p * run.segments);
    }
    collc_set(&run, out, recvbuf, recvcount, datatype, run.segments);
#else
    if (sendbuf == MPI_IN_PLACE) {
        collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, datatype, run.p);
        collc_make(&run, in, (int64_t)run.p * recvcount, datatype, run.p);
#if PLACE
        for (int i = 0; i < run.p; i++)
            collc_copy(&run, out, collc_rank_of(&run, i), 1, in, i);
#else
        collc_copy(&run, out, 0, run.p, in, 0);
#endif
    } else {
        collc_set(&run, in, sendbuf, (int64_t)run.p * recvcount, datatype, run.p);
    }
    collc_set(&run, out, recvbuf, recvcount, datatype, 1);
#endif
#elif GATHERV
#if SEGMENTS
    struct collc_blocks all = {recvbuf, recvcounts, displs, recvtype};

    if (run.rank == root)
        collc_cut_blocks(&run, out, &all);
    if (sendbuf == MPI_IN_PLACE) {
        collc_pack_blocks(&run, out, &all, run.rank, 1);
        collc_share(&run, in, out, run.rank);
    } else {
        collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);
    }
#else
    if (run.rank == root)
        collc_set_at(&run, out, recvbuf, recvcounts, displs, recvtype);
    if (sendbuf != MPI_IN_PLACE)
        collc_set(&run, in, sendbuf, sendcount, sendtype, 1);
    else collc_set(&run, in, collc_chunks(&run, out, root, 1).start, recvcounts[root],
                  recvtype, 1);
#endif
#elif SCATTERV
#if SEGMENTS
    struct collc_blocks all = {(char *)sendbuf, sendcounts, displs, sendtype};

    if (run.rank == root) {
        collc_cut_blocks(&run, in, &all);
        collc_pack_blocks(&run, in, &all, 0, run.p);
    }
    if (recvbuf == MPI_IN_PLACE)
        collc_share(&run, out, in, run.rank);
    else
        collc_cut(&run, out, recvbuf, 1, recvcount, recvtype);
#else
    if (run.rank == root)
        collc_set_at(&run, in, sendbuf, sendcounts, displs, sendtype);
    if (recvbuf != MPI_IN_PLACE)
        collc_set(&run, out, recvbuf, recvcount, recvtype, 1);
    else collc_set(&run, out, collc_chunks(&run, in, root, 1).start, sendcounts[root],
                  sendtype, 1);
#endif
#elif ALLGATHERV
#if SEGMENTS
    struct collc_blocks all = {recvbuf, recvcounts, displs, recvtype};

    collc_cut_blocks(&run, out, &all);
    if (sendbuf == MPI_IN_PLACE) {
        collc_pack_blocks(&run, out, &all, run.rank, 1);
        collc_share(&run, in, out, run.rank);
    } else {
        collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);
        collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);
    }
#else
    collc_set_at(&run, out, recvbuf, recvcounts, displs, recvtype);
    if (sendbuf != MPI_IN_PLACE)
        collc_set(&run, in, sendbuf, sendcount, sendtype, 1);
    else collc_set(&run, in, collc_chunks(&run, out, run.rank, 1).start,
                  recvcounts[run.rank], recvtype, 1);
#endif
#elif ALLTOALLV
#if SEGMENTS
    struct collc_blocks to_come = {recvbuf, recvcounts, rdispls, recvtype};
    struct collc_blocks to_go = {(char *)sendbuf, sendcounts, sdispls, sendtype};

    collc_cut_blocks(&run, out, &to_come);
    if (sendbuf != MPI_IN_PLACE) {
        collc_cut_blocks(&run, in, &to_go);
        collc_pack_blocks(&run, in, &to_go, 0, run.p);
    } else {
        collc_pack_blocks(&run, out, &to_come, 0, run.p);
        if (run.segments > 1)
            collc_make_twin(&run);
        else
            collc_make_at(&run, in, recvcounts, run.p, recvtype);
        collc_copy(&run, out, 0, run.p * run.segments, in, 0);
    }
#else
    collc_set_at(&run, out, recvbuf, recvcounts, rdispls, recvtype);
    if (sendbuf == MPI_IN_PLACE)
        collc_make_at(&run, in, recvcounts, run.p, recvtype);
    else
        collc_set_at(&run, in, sendbuf, sendcounts, sdispls, sendtype);
    if (sendbuf == MPI_IN_PLACE)
        collc_copy(&run, out, 0, run.p, in, 0);
#endif
#elif ALLTOALLW
#if SEGMENTS
    struct collc_blocks to_come = {recvbuf, recvcounts, rdispls, recvtypes};
    struct collc_blocks to_go = {(char *)sendbuf, sendcounts, sdispls, sendtypes};

    collc_cut_blocks(&run, out, &to_come);
    if (sendbuf != MPI_IN_PLACE) {
        collc_cut_blocks(&run, in, &to_go);
        collc_pack_blocks(&run, in, &to_go, 0, run.p);
    } else {
        collc_pack_blocks(&run, out, &to_come, 0, run.p);
        if (run.segments > 1)
            collc_make_twin(&run);
        else
            collc_make_types(&run, in, recvcounts, recvtypes, run.p);
        collc_copy(&run, out, 0, run.p * run.segments, in, 0);
    }
#else
    collc_set_types(&run, out, recvbuf, recvcounts, rdispls, recvtypes);
    if (sendbuf == MPI_IN_PLACE)
        collc_make_types(&run, in, recvcounts, recvtypes, run.p);
    else
        collc_set_types(&run, in, sendbuf, sendcounts, sdispls, sendtypes);
    if (sendbuf == MPI_IN_PLACE)
        collc_copy(&run, out, 0, run.p, in, 0);
#endif
#elif REDUCE_SCATTER
#if SEGMENTS
    run.op = op;
    run.type = datatype;
    if (sendbuf == MPI_IN_PLACE) {
        collc_cut_counts(&run, out, recvbuf, recvcounts, datatype);
        collc_make_at(&run, in, run.buffer[out].counts, run.p * run.segments, datatype);
        collc_copy(&run, out, 0, run.p * run.segments, in, 0);
    } else {
        collc_cut_counts(&run, in, sendbuf, recvcounts, datatype);
    }
    collc_set(&run, out, recvbuf, recvcounts[run.rank], datatype, run.segments);
#else
    run.op = op;
    run.type = datatype;
    if (sendbuf == MPI_IN_PLACE) {
        collc_set_at(&run, out, recvbuf, recvcounts, NULL, datatype);
        collc_make_at(&run, in, recvcounts, run.p, datatype);
        collc_copy(&run, out, 0, run.p, in, 0);
    } else {
        collc_set_at(&run, in, sendbuf, recvcounts, NULL, datatype);
    }
    collc_set(&run, out, recvbuf, recvcounts[run.rank], datatype, 1);
#endif
#endif
#if TMP && UNEQUAL
    collc_make_tmp(&run, collc_like_buffer, run.n_tmp);
#elif TMP && (ALLTOALL || ALLGATHER || SCATTER || REDUCE_SCATTER_BLOCK)
    collc_make_tmp(&run, out, run.n_tmp);
#elif TMP && GATHER
    collc_make_tmp(&run, in, run.n_tmp);
#elif TMP
    collc_make_tmp(&run, buf, run.n_tmp);
#endif
#if UNEQUAL
    if (!run.is_blind)
        collc_steps(&run);
#else
    collc_steps(&run);
#endif
#if SEGMENTS && BCAST
    if (run.rank != root)
        collc_unpack(&run, buf, buffer, 1, count, datatype);
#elif SEGMENTS && (ALLTOALL || ALLGATHER)
    collc_unpack(&run, out, recvbuf, run.p, recvcount, recvtype);
#elif SEGMENTS && GATHER
    if (run.rank == root)
        collc_unpack(&run, out, recvbuf, run.p, recvcount, recvtype);
#elif SEGMENTS && (SCATTER || SCATTERV)
    if (recvbuf != MPI_IN_PLACE)
        collc_unpack(&run, out, recvbuf, 1, recvcount, recvtype);
#elif SEGMENTS && GATHERV
    if (run.rank == root)
        collc_unpack_blocks(&run, out, &all);
#elif SEGMENTS && ALLGATHERV
    collc_unpack_blocks(&run, out, &all);
#elif SEGMENTS && (ALLTOALLV || ALLTOALLW)
    collc_unpack_blocks(&run, out, &to_come);
#endif
    return collc_close(&run, comm);
}

#ifdef COLLC_SHIM
int COLLC_MPI(COLLC_PARAMETERS)
{
    return COLLC_FUNCTION(COLLC_ARGUMENTS);
}
#endif
