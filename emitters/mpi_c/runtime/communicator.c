/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The private communicator, which is kept with the caller's, and what is found out about the
 * latter: servers are ranks that can share memory.
 */
/* Remembers the first error. The schedule goes on after it, so that no other
 * rank is left waiting. */
static void collc_check(struct collc_run *run, int error)
{
    if (run->error == MPI_SUCCESS)
        run->error = error;
}

static pthread_once_t collc_once = PTHREAD_ONCE_INIT;
static int collc_keyval = MPI_KEYVAL_INVALID;

/* The caller's communicator is being freed, and with it ours. */
static int collc_forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct collc_comm *own = value;
    int error = own->comm == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&own->comm);

    (void)comm, (void)keyval, (void)extra;
    free(own);
    return error;
}

#if SERVERS
/* Numbers servers and slots from leader[rank], the lowest rank of its server. */
static void collc_number(struct collc_comm *own, const int *leader, int p)
{
    for (int r = 0; r < p; r++) {
        if (leader[r] == r)
            own->server[r] = own->servers++;
        else
            own->server[r] = own->server[leader[r]];
        own->slot[r] = own->n_slots[own->server[r]]++;
    }
    own->slots = own->n_slots[0];
    for (int s = 0; s < own->servers; s++) {
        if (own->n_slots[s] != own->n_slots[0])
            own->slots = 0;
        if (own->n_slots[s] > own->max_slots)
            own->max_slots = own->n_slots[s];
        if (s > 0)
            own->first[s] = own->first[s - 1] + own->n_slots[s - 1];
    }
    for (int r = 0; r < p; r++)
        own->rank_at[own->first[own->server[r]] + own->slot[r]] = r;
}

/* Servers are the groups of ranks that can share memory. COLLC_SLOTS=n in the
 * environment makes servers of n ranks each: to try out the schedule on one
 * machine. */
static int collc_leader(MPI_Comm comm, int rank, int *leader)
{
    const char *slots = getenv("COLLC_SLOTS");
    int n = slots ? atoi(slots) : 0;
    MPI_Comm server;
    int error = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
                                    &server);

    if (error != MPI_SUCCESS)
        return error;
    *leader = rank;
    error = PMPI_Bcast(leader, 1, MPI_INT, 0, server);
    MPI_Comm_free(&server);
    if (n > 0)
        *leader = rank - rank % n;
    return error;
}

static int collc_find_servers(struct collc_comm *own)
{
    int rank, p, leader, error;

    MPI_Comm_rank(own->comm, &rank);
    MPI_Comm_size(own->comm, &p);
    own->server = (int *)(own + 1);
    own->slot = own->server + p;
    own->n_slots = own->slot + p;
    own->first = own->n_slots + p;
    own->rank_at = own->first + p;
    error = collc_leader(own->comm, rank, &leader);
    if (error == MPI_SUCCESS)
        error = PMPI_Allgather(&leader, 1, MPI_INT, own->rank_at + p, 1, MPI_INT, own->comm);
    if (error == MPI_SUCCESS)
        collc_number(own, own->rank_at + p, p);
    return error;
}

#endif
/* A communicator of the same ranks. No duplicate: that would have the caller's attributes,
 * and hints such as mpi_assert_allow_overtaking. */
static int collc_same_ranks(MPI_Comm comm, MPI_Comm *same)
{
    MPI_Group ranks;
    int error = MPI_Comm_group(comm, &ranks);

    if (error != MPI_SUCCESS)
        return error;
    error = MPI_Comm_create(comm, ranks, same);
    MPI_Group_free(&ranks);
    return error;
}

static int collc_set_up(MPI_Comm comm, struct collc_comm *own)
{
    int error = collc_same_ranks(comm, &own->comm);

    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_errhandler(own->comm, MPI_ERRORS_RETURN);
#if SERVERS
    if (error == MPI_SUCCESS)
        error = collc_find_servers(own);
#endif
#if CLUSTERS
    if (error == MPI_SUCCESS)
        error = collc_find_clusters(own);
#endif
    if (error == MPI_SUCCESS)
        error = MPI_Comm_set_attr(comm, collc_keyval, own);
    return error;
}

static void collc_make_keyval(void)
{
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collc_forget, &collc_keyval, NULL);
}

/* Memory for what is kept. Without it on one rank, none has it: the others would wait for that
 * rank for ever. */
static int collc_allocate(MPI_Comm comm, struct collc_comm **own)
{
#if SERVERS
    int p, is_short, any_short = 0, error;

    MPI_Comm_size(comm, &p);
#if CLUSTERS
    *own = calloc(1, sizeof **own + (size_t)p * 10 * sizeof(int)); /* its arrays behind it */
#else
    *own = calloc(1, sizeof **own + (size_t)p * 6 * sizeof(int)); /* its arrays behind it */
#endif
#else
    int is_short, any_short = 0, error;

    *own = calloc(1, sizeof **own);
#endif
    is_short = !*own;
    error = PMPI_Allreduce(&is_short, &any_short, 1, MPI_INT, MPI_MAX, comm);
    if (error == MPI_SUCCESS && any_short)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        (*own)->comm = MPI_COMM_NULL;
    else
        free(*own);
    return error;
}

/* What is kept with `comm`; made at the first call. */
static int collc_own(MPI_Comm comm, struct collc_comm **own)
{
    int error, found = 0;

    pthread_once(&collc_once, collc_make_keyval);
    error = MPI_Comm_get_attr(comm, collc_keyval, own, &found);
    if (error != MPI_SUCCESS || found)
        return error;
    error = collc_allocate(comm, own);
    if (error != MPI_SUCCESS)
        return error;
    error = collc_set_up(comm, *own);
    if (error != MPI_SUCCESS)
        collc_forget(comm, collc_keyval, *own, NULL);
    return error;
}

