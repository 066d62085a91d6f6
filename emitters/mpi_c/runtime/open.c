/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The begin and the end of a call.
 */
#if REDUCTION && !ORDERED
static int collc_commutes(MPI_Op op)
{
    int commutes = 0;

    return op != MPI_OP_NULL && MPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
}

#endif
/* Gets ready. False: the MPI's own collective has to do it; all ranks agree. */
static int collc_open(struct collc_run *run, MPI_Comm comm)
{
    struct collc_comm *own = NULL;
    int inter = 1;

    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)
        return 0;
    MPI_Comm_rank(comm, &run->rank);
    MPI_Comm_size(comm, &run->p);
#if ROOT
    if (run->root >= run->p)
        return 0;
#endif
    collc_check(run, collc_own(comm, &own));
    if (run->error != MPI_SUCCESS)
        return 1; /* collc_close reports it */
    run->comm = own->comm;
#if SERVERS
    run->own = own;
#endif
    return collc_fits(run);
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
#if TMP
    free(run->tmp_counts);
#if TYPES
    free(run->tmp_types);
#endif
#endif
#endif
#endif
    free(run->messages);
    if (run->error != MPI_SUCCESS)
        MPI_Comm_call_errhandler(comm, run->error);
    return run->error;
}

