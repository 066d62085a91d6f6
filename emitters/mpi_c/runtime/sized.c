/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages of algorithms in which ranks pass on data of others, whose counts MPI does not tell them. A
 * message says how large its chunks are: an int for each, then the chunks, packed. A chunk of tmp lies where
 * it came, in a message that is kept to the end of the call, or in memory of its own if it was copied.
 */
#if SIZED
/* Returns memory that is kept to the end of the call, or NULL: there is none. */
static char *collc_keep(struct collc_run *run, int64_t bytes)
{
    struct collc_room *room = malloc(sizeof *room + (size_t)bytes);

    if (!room) {
        collc_lose(run, MPI_ERR_NO_MEM);
        return NULL;
    }
    room->next = run->rooms;
    run->rooms = room;
    return (char *)(room + 1);
}

/* Gives tmp chunks without data. */
static void collc_make_tmp_sized(struct collc_run *run, int64_t chunks)
{
    collc_set(run, tmp, NULL, 0, MPI_PACKED, chunks > 0 ? chunks : 1);
    run->tmp_counts = calloc((size_t)chunks + 1, sizeof *run->tmp_counts);
    run->places = calloc((size_t)chunks + 1, sizeof *run->places);
    run->buffer[tmp].counts = run->tmp_counts;
    if (!run->tmp_counts || !run->places)
        collc_lose(run, MPI_ERR_NO_MEM);
}

/* Returns the bytes of data. */
static int collc_packed_bytes(struct collc_run *run, struct collc_data data)
{
    MPI_Count size = 0;

    if (data.count == 0)
        return 0; /* and perhaps without a type */
    collc_check(run, PMPI_Type_size_x(data.type, &size));
    if (size * data.count <= INT_MAX)
        return (int)size * data.count;
    collc_lose(run, MPI_ERR_COUNT);
    return 0;
}

/* Puts bytes into a chunk. */
static void collc_place_chunk(struct collc_run *run, int which, int64_t chunk, char *from, int bytes)
{
    struct collc_data data = {from, bytes, MPI_PACKED}, to;

    if (which == tmp) {
        run->places[chunk] = from;
        run->tmp_counts[chunk] = bytes;
        return;
    }
    to = COLLC_CHUNKS(run, which, chunk, 1);
    if (collc_packed_bytes(run, to) != bytes)
        collc_lose(run, MPI_ERR_TRUNCATE); /* the sender was called with other counts */
    else if (bytes > 0)
        collc_move(run, data, to);
}

#if COPY
/* Copies a chunk to tmp. */
static void collc_copy_to_tmp(struct collc_run *run, struct collc_data from, int64_t chunk)
{
    const int bytes = collc_packed_bytes(run, from);
    char *to = run->is_lost ? NULL : collc_keep(run, bytes);

    if (!to)
        return;
    collc_move(run, from, (struct collc_data){to, bytes, MPI_PACKED});
    collc_place_chunk(run, tmp, chunk, to, bytes);
}

#endif
static void collc_begin_sized(struct collc_run *run, enum collc_kind kind, int peer)
{
    run->is_open = 0;
#if ANY(RAGGED)
    if (peer < 0) /* no such rank: the server has fewer */
        return;
#endif
    collc_new_message(run, kind, peer)->first_part = run->n_parts;
    run->is_open = 1;
}

/* Adds chunks to the message. */
static void collc_add_part(struct collc_run *run, int which, int64_t chunk, int64_t n)
{
    struct collc_message *message;
    struct collc_part *more;

    if (!run->is_open || run->n_messages == 0 || !collc_has(run, which, chunk, n))
        return;
    message = &run->messages[run->n_messages - 1];
    if (run->n_parts == run->most_parts) {
        run->most_parts = 2 * run->most_parts + 16;
        more = realloc(run->parts, (size_t)run->most_parts * sizeof *more);
        if (!more) {
            collc_lose(run, MPI_ERR_NO_MEM);
            run->most_parts = run->n_parts;
            return;
        }
        run->parts = more;
    }
    run->parts[run->n_parts++] = (struct collc_part){which, chunk, n};
    message->n_parts++;
    message->n_chunks += n;
}

/* Returns the type and the number of elements that so many bytes are sent as. */
static int collc_type_of_bytes(struct collc_run *run, int64_t bytes, MPI_Datatype *type)
{
    const int many = 1 << 20;
    MPI_Aint from[2] = {0, (MPI_Aint)(bytes / many * many)};
    int counts[2] = {(int)(bytes / many), (int)(bytes % many)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_PACKED};

    *type = MPI_PACKED;
    if (bytes <= INT_MAX)
        return (int)bytes;
    collc_check(run, PMPI_Type_contiguous(many, MPI_PACKED, &types[0]));
    collc_check(run, PMPI_Type_create_struct(2, counts, from, types, type));
    collc_check(run, PMPI_Type_commit(type));
    collc_check(run, PMPI_Type_free(&types[0]));
    return 1;
}

/* Packs the chunks of a message behind their sizes, or counts the bytes if it is not packed yet. */
static int64_t collc_pack_sized(struct collc_run *run, const struct collc_message *message)
{
    int64_t end = message->n_chunks * (int64_t)sizeof(int), k = 0;

    for (int i = message->first_part; i < message->first_part + message->n_parts; i++) {
        const struct collc_part part = run->parts[i];

        for (int64_t chunk = part.chunk; chunk < part.chunk + part.n; chunk++, k++) {
            struct collc_data data = COLLC_CHUNKS(run, part.which, chunk, 1);
            const int bytes = collc_packed_bytes(run, data);

            if (message->sized) {
                memcpy(message->sized + k * (int64_t)sizeof bytes, &bytes, sizeof bytes);
                collc_move(run, data,
                           (struct collc_data){message->sized + end, bytes, MPI_PACKED});
            }
            end += bytes;
        }
    }
    return end;
}

/* Sends a message; an empty one if the rank is lost. */
static void collc_send_sized(struct collc_run *run, struct collc_message *message)
{
    const int64_t bytes = run->is_lost ? 0 : collc_pack_sized(run, message);
    MPI_Datatype type;
    int count;

    message->request = MPI_REQUEST_NULL;
    message->sized = run->is_lost ? NULL : malloc((size_t)bytes + 1);
    if (!run->is_lost && !message->sized)
        collc_lose(run, MPI_ERR_NO_MEM);
    if (!run->is_lost)
        collc_pack_sized(run, message);
    if (run->is_lost) {
        collc_send_nothing(run, message->peer);
        return;
    }
    count = collc_type_of_bytes(run, bytes, &type);
    collc_check(run, PMPI_Isend(message->sized, count, type, message->peer, 0, run->comm,
                                &message->request));
    if (type != MPI_PACKED)
        PMPI_Type_free(&type);
}

/* Puts the chunks of a message where they belong. */
static void collc_unpack_sized(struct collc_run *run, const struct collc_message *message,
                               char *from, int64_t bytes)
{
    int64_t end = message->n_chunks * (int64_t)sizeof(int), k = 0;
    int size;

    if (bytes < end) {
        collc_lose(run, MPI_ERR_OTHER); /* the sender is */
        return;
    }
    for (int i = message->first_part; i < message->first_part + message->n_parts; i++) {
        const struct collc_part part = run->parts[i];

        for (int64_t chunk = part.chunk; chunk < part.chunk + part.n; chunk++, k++) {
            memcpy(&size, from + k * (int64_t)sizeof size, sizeof size);
            if (run->is_lost || size < 0 || size > bytes - end) {
                collc_lose(run, MPI_ERR_OTHER);
                return;
            }
            collc_place_chunk(run, part.which, chunk, from + end, size);
            end += size;
        }
    }
}

static void collc_recv_sized(struct collc_run *run, const struct collc_message *message)
{
    MPI_Status status;
    MPI_Count bytes = 0;
    MPI_Datatype type;
    char *to = NULL;
    int count;

    if (!run->is_lost) {
        collc_check(run, PMPI_Probe(message->peer, 0, run->comm, &status));
        collc_check(run, PMPI_Get_elements_x(&status, MPI_PACKED, &bytes));
        to = collc_keep(run, bytes > 0 ? bytes : 0);
    }
    if (!to) {
        collc_skip(run, message->peer);
        return;
    }
    count = collc_type_of_bytes(run, bytes, &type);
    collc_check(run, PMPI_Recv(to, count, type, message->peer, 0, run->comm, MPI_STATUS_IGNORE));
    if (type != MPI_PACKED)
        PMPI_Type_free(&type);
    collc_unpack_sized(run, message, to, bytes);
}

/* Sends all messages of the step, then receives. */
static void collc_exchange_sized(struct collc_run *run)
{
    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].kind == collc_is_send)
            collc_send_sized(run, &run->messages[i]);
    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].kind != collc_is_send)
            collc_recv_sized(run, &run->messages[i]);
    for (int i = 0; i < run->n_messages; i++) {
        if (run->messages[i].kind != collc_is_send)
            continue;
        if (run->messages[i].request != MPI_REQUEST_NULL)
            collc_check(run, PMPI_Wait(&run->messages[i].request, MPI_STATUS_IGNORE));
        free(run->messages[i].sized);
    }
    run->n_parts = 0;
}

static void collc_free_rooms(struct collc_run *run)
{
    struct collc_room *next;

    for (struct collc_room *room = run->rooms; room; room = next) {
        next = room->next;
        free(room);
    }
    free(run->places);
    free(run->parts);
}

#endif
