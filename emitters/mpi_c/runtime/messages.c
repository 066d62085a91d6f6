/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The messages of a step. Copies of a step come before its messages are posted, which is why
 * messages are collected first and posted at the end of the step (step.c).
 */
/* Sends nothing where the peer waits for a message. */
static void collc_send_nothing(struct collc_run *run, int peer)
{
    MPI_Request request = MPI_REQUEST_NULL;

    collc_check(run, PMPI_Isend(NULL, 0, MPI_BYTE, peer, 0, run->comm, &request));
    if (request != MPI_REQUEST_NULL)
        PMPI_Request_free(&request);
}

/* Receives a message, of any size, for which there is no place. */
static void collc_skip(struct collc_run *run, int peer)
{
    MPI_Status status;
    int bytes = 0;
    void *aside;

    collc_check(run, PMPI_Probe(peer, 0, run->comm, &status));
    PMPI_Get_count(&status, MPI_PACKED, &bytes);
    aside = malloc(bytes > 0 ? (size_t)bytes : 1);
    collc_check(run, PMPI_Recv(aside, aside && bytes > 0 ? bytes : 0, MPI_PACKED, peer, 0,
                               run->comm, MPI_STATUS_IGNORE));
    free(aside);
}

/* Carries out the messages so far without data. */
static void collc_skip_all(struct collc_run *run)
{
    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].kind == collc_is_send)
            collc_send_nothing(run, run->messages[i].peer);
    for (int i = 0; i < run->n_messages; i++) {
        if (run->messages[i].kind != collc_is_send)
            collc_skip(run, run->messages[i].peer);
#if ANY(RANGE || SETS)
        if (run->messages[i].has_own_type)
            PMPI_Type_free(&run->messages[i].data.type);
#endif
#if ANY(SETS)
        free(run->messages[i].packed);
#endif
    }
    run->n_messages = 0;
#if ANY(SIZED)
    run->n_parts = 0;
#endif
}

/* Makes room for one more message. Returns 0 if there is no memory for it. */
static int collc_make_room(struct collc_run *run)
{
    struct collc_message *more = run->few;
    int wanted = collc_n_few;

    if (run->n_messages < run->capacity)
        return 1;
    if (run->capacity > 0) {
        wanted = 2 * run->capacity;
        more = malloc((size_t)wanted * sizeof *more);
    }
    if (!more)
        return 0;
    for (int i = 0; i < run->n_messages; i++)
        more[i] = run->messages[i];
    if (run->messages != run->few)
        free(run->messages);
    run->messages = more;
    run->capacity = wanted;
    return 1;
}

#if RAGGED && (!DATA || SIGNAL)
/* Adds a message without data to the step. Returns NULL if the peer is no rank. */
#else
/* Adds a message without data to the step. */
#endif
static struct collc_message *collc_new_message(struct collc_run *run, enum collc_kind kind,
                                               int peer)
{
    struct collc_message *message;

#if ANY(RAGGED && (!DATA || SIGNAL))
    if (peer < 0) /* no such rank: the server has fewer */
        return NULL;
#endif
    if (!collc_make_room(run)) {
#if DATA
        collc_lose(run, MPI_ERR_NO_MEM);
#endif
        collc_skip_all(run);
    }
    message = &run->messages[run->n_messages++];
#if MAP
    *message = (struct collc_message){.kind = kind, .peer = (int)collc_rank_of(run, peer)};
#else
    *message = (struct collc_message){.kind = kind, .peer = peer};
#endif
#if ANY(HELD)
    message->tmp_chunk = -1;
#endif
    return message;
}

#if DATA
#if RANGE
#if SEGMENTS || !UNEQUAL
/* More elements than an int counts: many at a time, and what is left over. */
static void collc_make_type(struct collc_run *run, struct collc_message *message, int which,
                            int64_t chunk, int64_t n)
{
    const struct collc_buffer *buffer = &run->buffer[which];
    const int many = 1 << 20;
    int64_t left = collc_elements(buffer, chunk, n);
    MPI_Aint from[2] = {0, (MPI_Aint)(left / many * many) * buffer->extent};
    int counts[2] = {(int)(left / many), (int)(left % many)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, buffer->type};

#if ANY(UNEQUAL)
    if (buffer->counts)
        return; /* collc_join */
#endif
    message->has_own_type = left > INT_MAX;
    if (!message->has_own_type)
        return;
    message->data.count = 1;
    collc_check(run, PMPI_Type_contiguous(many, buffer->type, &types[0]));
    collc_check(run, PMPI_Type_create_struct(2, counts, from, types, &message->data.type));
    collc_check(run, PMPI_Type_commit(&message->data.type));
    collc_check(run, PMPI_Type_free(&types[0]));
}

#endif
#if UNEQUAL
static int collc_block_type(const struct collc_buffer *buffer, int64_t chunk, int n,
                            const MPI_Aint *from, MPI_Datatype *type)
{
#if ANY(TYPES)
    if (buffer->types)
        return PMPI_Type_create_struct(n, buffer->counts + chunk, from, buffer->types + chunk,
                                       type);
#endif
    return PMPI_Type_create_hindexed(n, buffer->counts + chunk, from, buffer->type, type);
}

/* Chunks anywhere in memory: a type of n blocks, counted from the first. */
static void collc_make_blocks(struct collc_run *run, struct collc_message *message, int which,
                              int64_t chunk, int64_t n)
{
    const struct collc_buffer *buffer = &run->buffer[which];
    MPI_Aint *from = malloc((size_t)n * sizeof *from);

    message->data.start = buffer->base + buffer->at[chunk];
    message->data.count = 0;
    if (!from) {
        collc_check(run, MPI_ERR_NO_MEM);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        from[i] = buffer->at[chunk + i] - buffer->at[chunk];
    message->data.count = 1;
    message->has_own_type = 1;
    collc_check(run, collc_block_type(buffer, chunk, (int)n, from, &message->data.type));
    collc_check(run, PMPI_Type_commit(&message->data.type));
    free(from);
}

/* Chunks that lie end to end are sent as one. */
static void collc_join(struct collc_run *run, struct collc_message *message, int which,
                       int64_t chunk, int64_t n)
{
    const struct collc_buffer *buffer = &run->buffer[which];
    MPI_Aint end = 0;
    int64_t sum = 0;
#if ANY(TYPES)
    int is_joint = n <= 1 || !buffer->types;
#else
    int is_joint = 1;
#endif

    if (!buffer->at || n == 1)
        return;
    for (int64_t i = chunk; i < chunk + n; i++) {
        if (buffer->counts[i] == 0)
            continue;
        if (sum == 0)
            message->data.start = buffer->base + buffer->at[i];
        is_joint = is_joint && (sum == 0 || buffer->at[i] == end);
        end = buffer->at[i] + (MPI_Aint)buffer->counts[i] * buffer->extent;
        sum += buffer->counts[i];
    }
    message->data.count = (int)sum;
    if (sum > 0 && (!is_joint || sum > INT_MAX))
        collc_make_blocks(run, message, which, chunk, n);
}

#endif
#endif
#if SIGNAL
/* A message without data. */
static void collc_signal(struct collc_run *run, enum collc_kind kind, int peer)
{
    struct collc_message *message;

    message = collc_new_message(run, kind == collc_is_send ? kind : collc_is_recv, peer);
#if ANY(RAGGED)
    if (!message)
        return;
#endif
    message->data.type = MPI_BYTE;
}

#endif
#if SEND || RECV || RECV_REDUCE || HELD
/* Adds a message of chunks that lie end to end, or are made one by a type. */
static void collc_add_some(struct collc_run *run, enum collc_kind kind, int which, int64_t chunk,
                           int64_t n, int peer)
{
    struct collc_message *message;

#if ANY(RAGGED)
    if (peer < 0) /* no such rank: the server has fewer */
        return;
#endif
    if (!collc_has(run, which, chunk, n))
        return;
#if UNEQUAL
    if (collc_is_empty(&run->buffer[which], chunk, n))
        return; /* the peer knows that as well */
#elif LEAST && !HELD
    if (collc_elements(&run->buffer[which], chunk, n) == 0)
        return; /* the peer knows that as well */
#endif
    message = collc_new_message(run, kind, peer);
    if (run->is_lost)
        return;
    message->data = COLLC_CHUNKS(run, which, chunk, n);
#if RANGE && (SEGMENTS || !UNEQUAL)
    collc_make_type(run, message, which, chunk, n);
#endif
#if RANGE && UNEQUAL
    collc_join(run, message, which, chunk, n);
#endif
#if HELD
    if (which == tmp)
        message->tmp_chunk = chunk;
#endif
#if REDUCTION
    message->aside = run->n_aside;
#if RANGE
    message->elements = collc_elements(&run->buffer[which], chunk, n);
    if (kind == collc_is_reduce)
        run->n_aside += message->elements;
#else
    if (kind == collc_is_reduce)
        run->n_aside += message->data.count;
#endif
#endif
}

#endif
#if PLACE && SETS && (SEND || RECV || RECV_REDUCE)
static void collc_begin_set(struct collc_run *run, enum collc_kind kind, int which, int peer);
static void collc_part(struct collc_run *run, int64_t chunk, int64_t n);
static void collc_end_set(struct collc_run *run);

#endif
#if SEND || RECV || RECV_REDUCE
static void collc_add(struct collc_run *run, enum collc_kind kind, int which, int64_t chunk,
                      int64_t n, int peer)
{
#if COORDINATES && SIGNAL
    if (n == 0) {
        collc_signal(run, kind, peer);
        return;
    }
#endif
#if EACH
    for (int64_t i = 0; i < n; i++) /* of a size that only their sender knows */
        collc_add_some(run, kind, which, chunk + i, 1, peer);
#elif PLACE && SETS
    if (n == 1) {
        collc_add_some(run, kind, which, chunk, 1, peer);
        return;
    }
    collc_begin_set(run, kind, which, peer); /* they do not lie end to end */
    collc_part(run, chunk, n);
    collc_end_set(run);
#else
    collc_add_some(run, kind, which, chunk, n, peer);
#endif
}

#endif
#endif
#if DATA
#if SEND
static void collc_send(struct collc_run *run, int which, int64_t chunk, int64_t n, int peer)
{
    collc_add(run, collc_is_send, which, chunk, n, peer);
}

#endif
#if RECV
static void collc_recv(struct collc_run *run, int which, int64_t chunk, int64_t n, int peer)
{
    collc_add(run, collc_is_recv, which, chunk, n, peer);
}

#endif
#if RECV_REDUCE
static void collc_reduce(struct collc_run *run, int which, int64_t chunk, int64_t n, int peer)
{
    collc_add(run, collc_is_reduce, which, chunk, n, peer);
}

#endif
#else
#if SEND
static void collc_send(struct collc_run *run, int peer)
{
    collc_new_message(run, collc_is_send, peer);
}

#endif
#if RECV
static void collc_recv(struct collc_run *run, int peer)
{
    collc_new_message(run, collc_is_recv, peer);
}

#endif
#endif
