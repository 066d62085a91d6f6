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

#if ALLOC || UNEQUAL
/* The same, of what the data cannot do without. */
static void collc_lose(struct collc_run *run, int error)
{
    collc_check(run, error);
    run->is_lost = 1;
}

#endif
/* One for all libraries of collc in a process: they share the private communicators, of which an
 * MPI may not have many. */
struct collc_process {
    pthread_mutex_t lock;
    int keyval;    /* of a caller's communicator: the private one, allocated */
    int n_private; /* communicators in use */
};
enum { collc_most_private = 256 };

#ifdef __GNUC__
__attribute__((weak, visibility("default")))
#else
static
#endif
struct collc_process collc_process_1 = {PTHREAD_MUTEX_INITIALIZER, MPI_KEYVAL_INVALID, 0};

/* Takes or gives back one of the private communicators that there may be; 0: there are too many. */
static int collc_count_private(int change)
{
    int is_allowed;

    pthread_mutex_lock(&collc_process_1.lock);
    is_allowed = change < 0 || collc_process_1.n_private < collc_most_private;
    if (is_allowed)
        collc_process_1.n_private += change;
    pthread_mutex_unlock(&collc_process_1.lock);
    return is_allowed;
}

/* The caller's communicator is being freed, and with it ours. */
static int collc_forget_private(MPI_Comm comm, int keyval, void *value, void *extra)
{
    MPI_Comm *own = value;
    int error = MPI_SUCCESS;

    (void)comm, (void)keyval, (void)extra;
    if (*own != MPI_COMM_NULL) {
        error = PMPI_Comm_free(own);
        collc_count_private(-1);
    }
    free(own);
    return error;
}

static pthread_once_t collc_once = PTHREAD_ONCE_INIT;

#if SERVERS
/* Of a caller's communicator: its struct collc_comm. */
static int collc_keyval = MPI_KEYVAL_INVALID;

static int collc_forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

#endif
static void collc_make_keys(void)
{
    struct collc_process *process = &collc_process_1;

    pthread_mutex_lock(&process->lock);
    if (process->keyval == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collc_forget_private, &process->keyval,
                                NULL);
    pthread_mutex_unlock(&process->lock);
#if SERVERS
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collc_forget, &collc_keyval, NULL);
#endif
}

/* The largest of all ranks. */
static int collc_agree(MPI_Comm comm, int *number)
{
    int mine = *number;

    return PMPI_Allreduce(&mine, number, 1, MPI_INT, MPI_MAX, comm);
}

/* A communicator of the same ranks. No duplicate: that would have the caller's attributes,
 * and hints such as mpi_assert_allow_overtaking. That there is none to be had is no error of
 * the caller's: its error handler does not see it. */
static int collc_same_ranks(MPI_Comm comm, MPI_Comm *same)
{
    MPI_Errhandler handler;
    MPI_Group ranks;
    int error = PMPI_Comm_group(comm, &ranks);

    if (error != MPI_SUCCESS)
        return error;
    PMPI_Comm_get_errhandler(comm, &handler);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = PMPI_Comm_create(comm, ranks, same);
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    PMPI_Group_free(&ranks);
    if (error != MPI_SUCCESS)
        *same = MPI_COMM_NULL;
    return error;
}

/* Makes what is kept: without memory on one rank none has it, as the others would wait for that
 * rank for ever; without a communicator on one, none has one. */
static int collc_make_private(MPI_Comm comm, MPI_Comm **own)
{
    enum { ready, full, no_memory };
    MPI_Comm *made = malloc(sizeof *made);
    const int is_allowed = collc_count_private(1);
    MPI_Comm same = MPI_COMM_NULL;
    int state = !made ? no_memory : is_allowed ? ready : full;
    int error = collc_agree(comm, &state);

    if (error == MPI_SUCCESS && state == ready) {
        state = collc_same_ranks(comm, &same) == MPI_SUCCESS ? ready : full;
        error = collc_agree(comm, &state);
    }
    if (state != ready && same != MPI_COMM_NULL)
        PMPI_Comm_free(&same);
    if (same == MPI_COMM_NULL && is_allowed)
        collc_count_private(-1);
    if (error == MPI_SUCCESS && state == no_memory)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS && same != MPI_COMM_NULL)
        error = PMPI_Comm_set_errhandler(same, MPI_ERRORS_RETURN);
    if (made)
        *made = same;
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_set_attr(comm, collc_process_1.keyval, made);
    if (error != MPI_SUCCESS && made)
        collc_forget_private(comm, MPI_KEYVAL_INVALID, made, NULL);
    *own = made;
    return error;
}

/* The private communicator of the caller's, where no message of the caller can get in the way;
 * made at the first call. MPI_COMM_NULL: none is to be had. */
static int collc_private_comm(MPI_Comm comm, MPI_Comm *private)
{
    MPI_Comm *own = NULL;
    int found = 0, error;

    pthread_once(&collc_once, collc_make_keys);
    error = PMPI_Comm_get_attr(comm, collc_process_1.keyval, &own, &found);
    if (error == MPI_SUCCESS && !found)
        error = collc_make_private(comm, &own);
    *private = error == MPI_SUCCESS ? *own : MPI_COMM_NULL;
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
    int error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,
                                     &server);

    if (error != MPI_SUCCESS)
        return error;
    *leader = rank;
    error = PMPI_Bcast(leader, 1, MPI_INT, 0, server);
    PMPI_Comm_free(&server);
    if (n > 0)
        *leader = rank - rank % n;
    return error;
}

static int collc_find_servers(struct collc_comm *own)
{
    int rank, p, leader, error;

    PMPI_Comm_rank(own->comm, &rank);
    PMPI_Comm_size(own->comm, &p);
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

/* Finds out what is kept with `comm`. A rank without memory says so to the others. */
static int collc_set_up(MPI_Comm comm, MPI_Comm private, struct collc_comm **own)
{
    int p, error, is_short;
    struct collc_comm *made;

    PMPI_Comm_size(private, &p);
#if CLUSTERS
    made = calloc(1, sizeof *made + (size_t)p * 10 * sizeof(int)); /* its arrays behind it */
#else
    made = calloc(1, sizeof *made + (size_t)p * 6 * sizeof(int)); /* its arrays behind it */
#endif
    is_short = !made;
    error = collc_agree(private, &is_short);
    if (error == MPI_SUCCESS && is_short)
        error = MPI_ERR_NO_MEM;
    if (made)
        made->comm = private;
    if (error == MPI_SUCCESS)
        error = collc_find_servers(made);
#if CLUSTERS
    if (error == MPI_SUCCESS)
        error = collc_find_clusters(made);
#endif
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_set_attr(comm, collc_keyval, made);
    if (error != MPI_SUCCESS)
        free(made);
    *own = made;
    return error;
}

/* What is kept with `comm`; made at the first call. NULL: no private communicator is to be had. */
static int collc_own(MPI_Comm comm, struct collc_comm **own)
{
    MPI_Comm private = MPI_COMM_NULL;
    int error, found = 0;

    *own = NULL;
    pthread_once(&collc_once, collc_make_keys);
    error = PMPI_Comm_get_attr(comm, collc_keyval, own, &found);
    if (error != MPI_SUCCESS || found)
        return error;
    error = collc_private_comm(comm, &private);
    if (error == MPI_SUCCESS && private != MPI_COMM_NULL)
        error = collc_set_up(comm, private, own);
    return error;
}

#endif
