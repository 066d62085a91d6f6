/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the private communicator, which is kept with the caller's, and finds facts about the latter:
 * servers are ranks that can share memory.
 */
/* Remembers the first error. The schedule goes on after it, so that no other
 * rank is left waiting. */
static void collc_check(struct collc_run *run, int error)
{
    if (run->error == MPI_SUCCESS)
        run->error = error;
}

#if DATA
/* Remembers an error after which the data of this rank cannot be used: from there on it sends
 * nothing and skips what comes, so that the others are told and none waits for ever. */
static void collc_lose(struct collc_run *run, int error)
{
    collc_check(run, error);
    run->is_lost = 1;
}

#endif
enum { collc_most_private = 256 };

/* One for all emitted files of a process: they share the private communicators, of which an MPI may
 * not have many. What is kept with a communicator is memory of this struct, as MPICH finds
 * attributes that were deleted before others of the same communicator. */
struct collc_process {
    pthread_mutex_t lock;
    int keyval;  /* of a caller's communicator: its struct collc_kept */
    int n_users; /* of the keyval: attributes, and calls that look for one */
    int last;    /* of `kept`: the one taken last */
    struct collc_kept none; /* of all communicators for which there is no private one */
    struct collc_kept kept[collc_most_private];
};

#if LIBRARY
static
#else
#ifdef __GNUC__
__attribute__((weak, visibility("default")))
#else
static
#endif
#endif
struct collc_process collc_process_3 = {.lock = PTHREAD_MUTEX_INITIALIZER,
                                        .keyval = MPI_KEYVAL_INVALID,
                                        .none = {.comm = MPI_COMM_NULL}};

/* Takes one of the private communicators that there may be. Returns NULL if there are too many. */
static struct collc_kept *collc_take_kept(void)
{
    struct collc_process *process = &collc_process_3;
    struct collc_kept *kept = NULL;

    pthread_mutex_lock(&process->lock);
    for (int i = 1; !kept && i <= collc_most_private; i++)
        if (!process->kept[(process->last + i) % collc_most_private].is_used)
            kept = &process->kept[process->last = (process->last + i) % collc_most_private];
    if (kept)
        *kept = (struct collc_kept){.comm = MPI_COMM_NULL, .is_used = 1};
    pthread_mutex_unlock(&process->lock);
    return kept;
}

static void collc_give_back(struct collc_kept *kept)
{
    pthread_mutex_lock(&collc_process_3.lock);
    kept->is_used = 0;
    pthread_mutex_unlock(&collc_process_3.lock);
}

/* Gives up the keyval, which its last user frees. No lock is held while MPI is called, as MPI may
 * hold one of its own while it calls collc_forget. */
static void collc_drop_keyval(void)
{
    int keyval = MPI_KEYVAL_INVALID;

    pthread_mutex_lock(&collc_process_3.lock);
    if (--collc_process_3.n_users == 0) {
        keyval = collc_process_3.keyval;
        collc_process_3.keyval = MPI_KEYVAL_INVALID;
    }
    pthread_mutex_unlock(&collc_process_3.lock);
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&keyval);
}

#if LIBRARY
/* The attribute of a communicator that has had few calls is their number, which is no address. */
static int collc_is_number(const struct collc_kept *kept)
{
    return (intptr_t)kept & 1;
}

#endif
/* Frees what is kept with a caller's communicator, which is being freed. */
static int collc_forget(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct collc_kept *kept = value;
    int error = MPI_SUCCESS;

    (void)comm, (void)keyval, (void)extra;
#if LIBRARY
    if (collc_is_number(kept)) {
        collc_drop_keyval();
        return MPI_SUCCESS;
    }
    __atomic_add_fetch(&collc_library.n_forgotten, 1, __ATOMIC_SEQ_CST);
#endif
    while (kept->found) {
        struct collc_found *next = kept->found->next;

        if (kept->found->empty)
            kept->found->empty(kept->found);
        free(kept->found);
        kept->found = next;
    }
    if (kept->comm != MPI_COMM_NULL)
        error = PMPI_Comm_free(&kept->comm);
    if (kept != &collc_process_3.none)
        collc_give_back(kept);
    collc_drop_keyval();
    return error;
}

/* Makes sure that there is a keyval, and that it is there until collc_drop_keyval. An MPI that is
 * started again (MPI_Session_init) gets a new one. */
static int collc_take_keyval(int *keyval)
{
    struct collc_process *process = &collc_process_3;
    int made = MPI_KEYVAL_INVALID, error;

    pthread_mutex_lock(&process->lock);
    process->n_users++;
    *keyval = process->keyval;
    pthread_mutex_unlock(&process->lock);
    if (*keyval != MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collc_forget, &made, NULL);
    pthread_mutex_lock(&process->lock);
    if (process->keyval == MPI_KEYVAL_INVALID) {
        process->keyval = made;
        made = MPI_KEYVAL_INVALID;
    }
    *keyval = process->keyval;
    pthread_mutex_unlock(&process->lock);
    if (made != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&made); /* another thread was faster */
    return error;
}

/* The largest of all ranks. */
static int collc_agree(MPI_Comm comm, int *number)
{
    int mine = *number;

    return COLLC_ALLREDUCE(&mine, number, 1, MPI_INT, MPI_MAX, comm);
}

#if LIBRARY
/* True if ranks, perhaps of programs that have met later, have other rules. */
static int collc_differ(MPI_Comm comm, int *differs)
{
    int mine[2] = {collc_library.mark, -collc_library.mark}, most[2] = {0};
    const int error = COLLC_ALLREDUCE(mine, most, 2, MPI_INT, MPI_MAX, comm);

    *differs = most[0] != -most[1];
    return error;
}

#endif

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

/* Makes what is kept: without a communicator on one rank, none has one. */
static int collc_make_kept(MPI_Comm comm, int keyval, struct collc_kept **kept)
{
    struct collc_kept *made = collc_take_kept();
    int is_full = !made;
    int error = collc_agree(comm, &is_full);

#if LIBRARY
    if (error == MPI_SUCCESS && !is_full)
        error = collc_differ(comm, &is_full);
#endif
    if (error == MPI_SUCCESS && !is_full) {
        is_full = collc_same_ranks(comm, &made->comm) != MPI_SUCCESS;
        error = collc_agree(comm, &is_full);
    }
    if (error == MPI_SUCCESS && !is_full)
        error = PMPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
    *kept = is_full || error != MPI_SUCCESS ? &collc_process_3.none : made;
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_set_attr(comm, keyval, *kept);
    if (made && (*kept != made || error != MPI_SUCCESS)) {
        if (made->comm != MPI_COMM_NULL)
            PMPI_Comm_free(&made->comm);
        collc_give_back(made);
    }
    return error;
}

#if LIBRARY
/* Counts a call on a communicator whose first ones are left to the MPI, as those of a collective come
 * on all ranks alike: it takes about so many until the private one has paid. Returns 0 if this is
 * none of them. */
static int collc_is_early(MPI_Comm comm, int keyval, const struct collc_kept *kept, int *error)
{
    const intptr_t calls = (intptr_t)kept / 2; /* of NULL, 0 */

    if ((uint64_t)calls >= COLLC_AFTER)
        return 0;
    *error = PMPI_Comm_set_attr(comm, keyval, (void *)(2 * (calls + 1) + 1));
    return 1;
}

#endif
/* Finds what is kept with the caller's communicator; made at the first call. Its private
 * communicator, where no message of the caller can get in the way, is MPI_COMM_NULL if none is to
 * be had. */
static int collc_find_kept(MPI_Comm comm, struct collc_kept **kept)
{
    int keyval, found = 0, error = collc_take_keyval(&keyval);

    *kept = NULL;
    if (error == MPI_SUCCESS)
        error = PMPI_Comm_get_attr(comm, keyval, kept, &found);
#if LIBRARY
    if (error == MPI_SUCCESS && (!found || collc_is_number(*kept))) {
        found = collc_is_early(comm, keyval, found ? *kept : NULL, &error);
        if (found) {
            *kept = NULL;
            if (error != MPI_SUCCESS)
                collc_drop_keyval();
            return error;
        }
    }
#endif
    if (error == MPI_SUCCESS && !found)
        error = collc_make_kept(comm, keyval, kept);
    if (error != MPI_SUCCESS || found)
        collc_drop_keyval();
    return error;
}

/* True if there can be a private communicator: elsewhere the MPI's own function reports the error,
 * or does it. MPI_COMM_SELF has none: a collective may come from a callback of MPI_Finalize while
 * its attributes are deleted, and MPICH hangs if one is set there. */
static int collc_is_usable(MPI_Comm comm)
{
    int is_up = 1, is_over = 0, inter = 1;

    if (comm == MPI_COMM_NULL || comm == MPI_COMM_SELF)
        return 0;
    if (comm == MPI_COMM_WORLD) {
        PMPI_Initialized(&is_up);
        PMPI_Finalized(&is_over);
    }
    return is_up && !is_over && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

#if SERVERS || LIBRARY
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
    error = COLLC_BCAST(leader, 1, MPI_INT, 0, server);
    PMPI_Comm_free(&server);
    if (n > 0)
        *leader = rank - rank % n;
    return error;
}

static int collc_find_servers(MPI_Comm comm, struct collc_comm *own)
{
    int rank, p, leader, error;

    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    own->server = (int *)(own + 1);
    own->slot = own->server + p;
    own->n_slots = own->slot + p;
    own->first = own->n_slots + p;
    own->rank_at = own->first + p;
    error = collc_leader(comm, rank, &leader);
    if (error == MPI_SUCCESS)
        error = COLLC_ALLGATHER(&leader, 1, MPI_INT, own->rank_at + p, 1, MPI_INT, comm);
    if (error == MPI_SUCCESS)
        collc_number(own, own->rank_at + p, p);
    return error;
}

/* Finds out about a communicator. A rank without memory says so to the others. */
static int collc_find_out(MPI_Comm comm, struct collc_comm **own)
{
    int p, error, is_short;
    struct collc_comm *made;

    PMPI_Comm_size(comm, &p);
#if ANY(CLUSTERS)
    made = calloc(1, sizeof *made + (size_t)p * 10 * sizeof(int)); /* its arrays behind it */
#else
    made = calloc(1, sizeof *made + (size_t)p * 6 * sizeof(int)); /* its arrays behind it */
#endif
    is_short = !made;
    error = collc_agree(comm, &is_short);
    if (error == MPI_SUCCESS && is_short)
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        error = collc_find_servers(comm, made);
#if ANY(CLUSTERS)
    if (error == MPI_SUCCESS)
        error = collc_find_clusters(comm, made);
#endif
    if (error != MPI_SUCCESS) {
        free(made);
        made = NULL;
    }
    *own = made;
    return error;
}

/* Finds the servers of a communicator for which there is a private one; found out at the first
 * call. */
static int collc_find_own(struct collc_kept *kept, struct collc_comm **own)
{
    static char owner;
    int error;

    for (struct collc_found *found = kept->found; found; found = found->next)
        if (found->owner == &owner) {
            *own = (struct collc_comm *)(void *)found; /* `head` is its first member */
            return MPI_SUCCESS;
        }
    error = collc_find_out(kept->comm, own);
    if (error != MPI_SUCCESS)
        return error;
    (*own)->head = (struct collc_found){.next = kept->found, .owner = &owner};
    kept->found = &(*own)->head;
    return MPI_SUCCESS;
}

#endif
