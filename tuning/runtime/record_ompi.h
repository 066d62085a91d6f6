/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sees the messages of Open MPI 4.1: its collectives send and receive by the functions of a table, mca_pml,
 * and wait by those of another, ompi_request_functions. libmpi exports both as data. The tables get functions
 * of our own, each of which notes its call and makes the real one. The layouts below are those of the
 * public headers of 4.1 (ompi/mca/pml/pml.h, ompi/request/request.h); another version is refused.
 */

struct request; /* Open MPI's */

struct pml {
    void (*before[6])(void); /* add_procs, del_procs, enable, progress, add_comm, del_comm */
    int (*irecv_init)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, struct request **);
    int (*irecv)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, struct request **);
    int (*recv)(void *, size_t, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
    int (*isend_init)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, struct request **);
    int (*isend)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, struct request **);
    int (*send)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
    void (*probes[2])(void); /* iprobe, probe */
    int (*start)(size_t, struct request **);
    void (*matched[4])(void); /* improbe, mprobe, imrecv, mrecv */
};

struct request_functions {
    int (*test)(struct request **, int *, MPI_Status *);
    int (*test_any)(size_t, struct request **, int *, int *, MPI_Status *);
    int (*test_all)(size_t, struct request **, int *, MPI_Status *);
    int (*test_some)(size_t, struct request **, int *, int *, MPI_Status *);
    int (*wait)(struct request **, MPI_Status *);
    int (*wait_any)(size_t, struct request **, int *, MPI_Status *);
    int (*wait_all)(size_t, struct request **, MPI_Status *);
    int (*wait_some)(size_t, struct request **, int *, int *, MPI_Status *);
};

static struct pml *pml, real_pml;
static struct request_functions *functions, real;
static MPI_Comm record_comm;

/* ---- communicators ---- */

/* The communicator of a message: its ranks as those of the call, and a number that is the same on all of
 * them. The MPI may send on communicators of its own that have a part of the ranks. */
static struct known_comm {
    MPI_Comm comm;
    int n, rank, *ranks;
    unsigned number;
} *known_comms;
static size_t n_known_comms;

static void forget_comms(void)
{
    for (size_t i = 0; i < n_known_comms; i++)
        free(known_comms[i].ranks);
    n_known_comms = 0;
}

static const struct known_comm *know_comm(MPI_Comm comm)
{
    MPI_Group group, whole;
    struct known_comm known = {.comm = comm, .number = 2166136261u};
    for (size_t i = 0; i < n_known_comms; i++)
        if (known_comms[i].comm == comm)
            return &known_comms[i];
    PMPI_Comm_size(comm, &known.n);
    PMPI_Comm_rank(comm, &known.rank);
    known.ranks = malloc((size_t)known.n * sizeof *known.ranks);
    int *own_ranks = malloc((size_t)known.n * sizeof *own_ranks);
    known_comms = realloc(known_comms, (n_known_comms + 1) * sizeof *known_comms);
    if (!known.ranks || !own_ranks || !known_comms)
        abort();
    for (int i = 0; i < known.n; i++)
        own_ranks[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(record_comm, &whole);
    PMPI_Group_translate_ranks(group, known.n, own_ranks, whole, known.ranks);
    PMPI_Group_free(&group);
    PMPI_Group_free(&whole);
    for (int i = 0; i < known.n; i++)
        known.number = (known.number ^ (unsigned)known.ranks[i]) * 16777619u;
    free(own_ranks);
    known_comms[n_known_comms] = known;
    return &known_comms[n_known_comms++];
}

/* ---- where the elements of a message lie ---- */

/* Returns the addresses of the elements in their order, to be freed; NULL: they are no whole elements. A
 * datatype is asked by packing the addresses of an area as large as the buffer. */
static uint64_t *addresses_of(const void *buffer, size_t count, MPI_Datatype type, size_t *n)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    int size, position = 0;
    PMPI_Type_size(type, &size);
    const size_t bytes = count * (size_t)size;
    *n = bytes / ELEMENT;
    if (bytes % ELEMENT)
        return NULL;
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
    if (!bytes || (lb == 0 && extent == size && true_lb == 0 && true_extent == size))
        return addresses_from(buffer, *n);
    const size_t area = (size_t)true_extent + (count - 1) * (size_t)extent;
    uint64_t *places = addresses_from((const char *)buffer + true_lb, area / ELEMENT + 1);
    uint64_t *packed = malloc(bytes);
    if (!packed)
        abort();
    PMPI_Pack((char *)places - true_lb, (int)count, type, packed, (int)bytes, &position, record_comm);
    free(places);
    return packed;
}

/* ---- requests ---- */

struct followed {
    struct request *request;
    uint64_t id, *addresses;
    size_t n;
    const struct known_comm *comm;  /* of a receive from any rank, or with any tag; else NULL */
    int is_persistent, is_active, is_receive;
    int peer, tag;                  /* of a persistent one */
    const struct known_comm *on;
};
static struct followed *all_followed;
static size_t n_followed, followed_capacity;

static struct followed *find_followed(const struct request *request)
{
    for (size_t i = n_followed; i-- > 0;)
        if (all_followed[i].request == request)
            return &all_followed[i];
    return NULL;
}

static struct followed *add_followed(void)
{
    if (n_followed == followed_capacity) {
        followed_capacity = followed_capacity ? 2 * followed_capacity : 64;
        all_followed = realloc(all_followed, followed_capacity * sizeof *all_followed);
        if (!all_followed)
            abort();
    }
    all_followed[n_followed] = (struct followed){0};
    return &all_followed[n_followed++];
}

static void drop_followed(struct followed *followed)
{
    free(followed->addresses);
    *followed = all_followed[--n_followed];
}

static void put_key(const struct known_comm *comm, int tag, int source)
{
    put("%x.%d.%d ", comm->number, tag, comm->ranks[source]);
}

/* Notes the post of a send or a receive whose place is known. */
static void post(struct followed *followed, int peer, int tag, const struct known_comm *comm)
{
    followed->id = next_id++;
    followed->is_active = 1;
    followed->comm = NULL;
    if (!followed->addresses) {
        put("lost a message whose size is no multiple of %d bytes\n", ELEMENT);
        followed->n = 0;
    }
    if (!followed->is_receive) {
        put("send %" PRIu64 " %d ", followed->id, comm->ranks[peer]);
        put_key(comm, tag, comm->rank);
        put("%zu", followed->n);
        put_contents(followed->addresses, followed->n);
        return;
    }
    put("recv %" PRIu64 " ", followed->id);
    if (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG) {
        followed->comm = comm;
        put("* ");
    } else {
        put_key(comm, tag, peer);
    }
    put("%zu", followed->n);
    put_pieces(followed->addresses, NULL, followed->n);
}

/* Notes that the rank goes on after it. */
static void finish(const struct followed *followed, const MPI_Status *status)
{
    put("done %" PRIu64 " ", followed->id);
    if (followed->comm && status && status != MPI_STATUS_IGNORE)
        put_key(followed->comm, status->MPI_TAG, status->MPI_SOURCE);
    else
        put("- ");
    if (followed->is_receive)
        put_contents(followed->addresses, followed->n);
    else
        put("\n");
}

static void finish_request(struct request *request, const MPI_Status *status)
{
    struct followed *followed = find_followed(request);
    if (!followed || !followed->is_active)
        return;
    finish(followed, status);
    followed->is_active = 0;
    if (!followed->is_persistent)
        drop_followed(followed);
}

static void follow(int is_receive, const void *buffer, size_t count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, struct followed *followed)
{
    *followed = (struct followed){.is_receive = is_receive, .peer = peer, .tag = tag, .on = know_comm(comm)};
    followed->addresses = addresses_of(buffer, count, type, &followed->n);
}

static int is_seen(int peer)
{
    return is_recording && peer != MPI_PROC_NULL;
}

/* ---- the functions that send and receive ---- */

static int see_irecv(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                     struct request **request)
{
    struct followed followed;
    if (!is_seen(source))
        return real_pml.irecv(buffer, count, type, source, tag, comm, request);
    follow(1, buffer, count, type, source, tag, comm, &followed);
    post(&followed, source, tag, followed.on);
    const int result = real_pml.irecv(buffer, count, type, source, tag, comm, request);
    followed.request = *request;
    *add_followed() = followed;
    return result;
}

static int see_recv(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                    MPI_Status *status)
{
    struct followed followed;
    MPI_Status own;
    if (!is_seen(source))
        return real_pml.recv(buffer, count, type, source, tag, comm, status);
    follow(1, buffer, count, type, source, tag, comm, &followed);
    post(&followed, source, tag, followed.on);
    const int result = real_pml.recv(buffer, count, type, source, tag, comm, status ? status : &own);
    finish(&followed, status ? status : &own);
    free(followed.addresses);
    return result;
}

static int see_isend(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode,
                     MPI_Comm comm, struct request **request)
{
    struct followed followed;
    if (!is_seen(to))
        return real_pml.isend(buffer, count, type, to, tag, mode, comm, request);
    follow(0, buffer, count, type, to, tag, comm, &followed);
    post(&followed, to, tag, followed.on);
    const int result = real_pml.isend(buffer, count, type, to, tag, mode, comm, request);
    followed.request = *request;
    *add_followed() = followed;
    return result;
}

static int see_send(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode,
                    MPI_Comm comm)
{
    struct followed followed;
    if (!is_seen(to))
        return real_pml.send(buffer, count, type, to, tag, mode, comm);
    follow(0, buffer, count, type, to, tag, comm, &followed);
    post(&followed, to, tag, followed.on);
    const int result = real_pml.send(buffer, count, type, to, tag, mode, comm);
    finish(&followed, NULL);
    free(followed.addresses);
    return result;
}

static int see_irecv_init(void *buffer, size_t count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          struct request **request)
{
    struct followed followed;
    const int result = real_pml.irecv_init(buffer, count, type, source, tag, comm, request);
    if (!is_seen(source))
        return result;
    follow(1, buffer, count, type, source, tag, comm, &followed);
    followed.is_persistent = 1;
    followed.request = *request;
    *add_followed() = followed;
    return result;
}

static int see_isend_init(const void *buffer, size_t count, MPI_Datatype type, int to, int tag, int mode,
                          MPI_Comm comm, struct request **request)
{
    struct followed followed;
    const int result = real_pml.isend_init(buffer, count, type, to, tag, mode, comm, request);
    if (!is_seen(to))
        return result;
    follow(0, buffer, count, type, to, tag, comm, &followed);
    followed.is_persistent = 1;
    followed.request = *request;
    *add_followed() = followed;
    return result;
}

static int see_start(size_t n, struct request **requests)
{
    for (size_t i = 0; i < n && is_recording; i++) {
        struct followed *followed = find_followed(requests[i]);
        if (followed)
            post(followed, followed->peer, followed->tag, followed->on);
    }
    return real_pml.start(n, requests);
}

/* ---- the functions that wait ---- */

/* Requests as they were before a function that forgets those that are over. */
static struct request **kept_requests(struct request **requests, size_t n)
{
    struct request **kept = malloc(n * sizeof *kept + 1);
    if (!kept)
        abort();
    memcpy(kept, requests, n * sizeof *kept);
    return kept;
}

/* Waits want a status where a receive was from anybody, even if the caller wants none. */
static MPI_Status *statuses_for(MPI_Status *statuses, size_t n, MPI_Status **own)
{
    *own = NULL;
    if (!is_recording || (statuses && statuses != MPI_STATUSES_IGNORE))
        return statuses;
    *own = calloc(n + 1, sizeof **own);
    if (!*own)
        abort();
    return *own;
}

static int see_test(struct request **request, int *is_over, MPI_Status *status)
{
    MPI_Status *own, *used = statuses_for(status, 1, &own);
    struct request *before = *request;
    const int result = real.test(request, is_over, used);
    if (is_recording && *is_over)
        finish_request(before, used);
    free(own);
    return result;
}

static int see_wait(struct request **request, MPI_Status *status)
{
    MPI_Status *own, *used = statuses_for(status, 1, &own);
    struct request *before = *request;
    const int result = real.wait(request, used);
    if (is_recording)
        finish_request(before, used);
    free(own);
    return result;
}

static int see_test_any(size_t n, struct request **requests, int *index, int *is_over, MPI_Status *status)
{
    MPI_Status *own, *used = statuses_for(status, 1, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.test_any(n, requests, index, is_over, used);
    if (is_recording && *is_over && *index >= 0)
        finish_request(before[*index], used);
    free(before);
    free(own);
    return result;
}

static int see_wait_any(size_t n, struct request **requests, int *index, MPI_Status *status)
{
    MPI_Status *own, *used = statuses_for(status, 1, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.wait_any(n, requests, index, used);
    if (is_recording && *index >= 0)
        finish_request(before[*index], used);
    free(before);
    free(own);
    return result;
}

static void finish_all(struct request **before, size_t n, const MPI_Status *statuses)
{
    for (size_t i = 0; i < n; i++)
        finish_request(before[i], &statuses[i]);
}

static int see_test_all(size_t n, struct request **requests, int *is_over, MPI_Status *statuses)
{
    MPI_Status *own, *used = statuses_for(statuses, n, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.test_all(n, requests, is_over, used);
    if (is_recording && *is_over)
        finish_all(before, n, used);
    free(before);
    free(own);
    return result;
}

static int see_wait_all(size_t n, struct request **requests, MPI_Status *statuses)
{
    MPI_Status *own, *used = statuses_for(statuses, n, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.wait_all(n, requests, used);
    if (is_recording)
        finish_all(before, n, used);
    free(before);
    free(own);
    return result;
}

static void finish_some(struct request **before, int n_over, const int *indices, const MPI_Status *statuses)
{
    for (int i = 0; i < n_over; i++)
        finish_request(before[indices[i]], &statuses[i]);
}

static int see_test_some(size_t n, struct request **requests, int *n_over, int *indices, MPI_Status *statuses)
{
    MPI_Status *own, *used = statuses_for(statuses, n, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.test_some(n, requests, n_over, indices, used);
    if (is_recording && *n_over != MPI_UNDEFINED)
        finish_some(before, *n_over, indices, used);
    free(before);
    free(own);
    return result;
}

static int see_wait_some(size_t n, struct request **requests, int *n_over, int *indices, MPI_Status *statuses)
{
    MPI_Status *own, *used = statuses_for(statuses, n, &own);
    struct request **before = kept_requests(requests, n);
    const int result = real.wait_some(n, requests, n_over, indices, used);
    if (is_recording && *n_over != MPI_UNDEFINED)
        finish_some(before, *n_over, indices, used);
    free(before);
    free(own);
    return result;
}

/* ---- begin and end ---- */

static const char *record_open(MPI_Comm comm)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    record_comm = comm;
    forget_comms();
    if (pml)
        return NULL;
    MPI_Get_library_version(version, &length);
    if (OMPI_MAJOR_VERSION != 4 || OMPI_MINOR_VERSION != 1 || !strstr(version, "Open MPI v4.1."))
        return "messages are seen in Open MPI 4.1 only";
    pml = dlsym(RTLD_DEFAULT, "mca_pml");
    functions = dlsym(RTLD_DEFAULT, "ompi_request_functions");
    if (!pml || !functions)
        return "this Open MPI does not show how its collectives send: it has no mca_pml";
    real_pml = *pml;
    real = *functions;
    pml->irecv_init = see_irecv_init;
    pml->irecv = see_irecv;
    pml->recv = see_recv;
    pml->isend_init = see_isend_init;
    pml->isend = see_isend;
    pml->send = see_send;
    pml->start = see_start;
    *functions = (struct request_functions){see_test, see_test_any, see_test_all, see_test_some,
                                            see_wait, see_wait_any, see_wait_all, see_wait_some};
    return NULL;
}

static void record_close(void)
{
    for (size_t i = 0; i < n_followed; i++)
        if (all_followed[i].is_active)
            put("lost a message that is waited for by means that are not seen\n");
    while (n_followed)
        drop_followed(&all_followed[n_followed - 1]);
}
