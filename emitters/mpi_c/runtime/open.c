/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The begin and the end of a call.
 */
#if REDUCTION && !ORDERED
static int collc_commutes(MPI_Op op)
{
    int commutes = 0;

    return op != MPI_OP_NULL && PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;
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
#if SERVERS
    struct collc_comm *own = NULL;
#endif

    if (!collc_is_usable(comm))
        return 0;
    PMPI_Comm_rank(comm, &run->rank);
    PMPI_Comm_size(comm, &run->p);
#if ROOT
    if (run->root >= run->p)
        return 0;
#endif
#if SERVERS
    collc_check(run, collc_own(comm, &own));
    run->own = own;
    run->comm = own ? own->comm : MPI_COMM_NULL;
#else
    collc_check(run, collc_private_comm(comm, &run->comm));
#endif
    if (run->error != MPI_SUCCESS)
        return 1; /* on all ranks: collc_close reports it */
    return run->comm != MPI_COMM_NULL && collc_fits(run);
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
        PMPI_Comm_call_errhandler(comm, run->error);
    return run->error;
}

