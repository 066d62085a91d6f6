/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages whose chunks do not lie end to end. Their pieces are collected; plain ones that are small are
 * packed into memory of our own when the step is posted, and all others are made one by a datatype.
 */
#if SETS
#ifndef COLLC_LARGE_PIECE
#define COLLC_LARGE_PIECE 4096 /* bytes from which on Open MPI 4.1 and MPICH 4.0 are faster by a datatype */
#endif

static void collc_begin_set(struct collc_run *run, enum collc_kind kind, int which, int peer)
{
    run->set = (struct collc_set){kind, which, peer, run->n_pieces};
}

#if !HELD
/* Adds a chunk, to the piece before if it lies behind that. */
static void collc_add_piece(struct collc_run *run, int64_t chunk)
{
    const struct collc_buffer *buffer = &run->buffer[run->set.which];
    struct collc_data data, *last, *more;

#if ANY(UNEQUAL)
    if (collc_is_empty(buffer, chunk, 1))
        return; /* the peer knows that as well */
#endif
    data = COLLC_CHUNKS(run, run->set.which, chunk, 1);
    if (data.count == 0 || run->is_lost)
        return;
    last = run->n_pieces > run->set.first ? &run->pieces[run->n_pieces - 1] : NULL;
    if (last && last->type == data.type && last->count <= INT_MAX - data.count &&
        data.start == last->start + (MPI_Aint)last->count * buffer->extent) {
        last->count += data.count;
        return;
    }
    if (run->n_pieces == run->most_pieces) {
        run->most_pieces = 2 * run->most_pieces + 16;
        more = realloc(run->pieces, (size_t)run->most_pieces * sizeof *more);
        if (!more) {
            collc_lose(run, MPI_ERR_NO_MEM);
            return;
        }
        run->pieces = more;
    }
    run->pieces[run->n_pieces++] = data;
}

/* Gives a message of small pieces of plain elements room to be packed in. Returns 0 if it is none, or there
 * is no room. */
static int collc_may_pack(struct collc_run *run, struct collc_message *message, int64_t elements)
{
    const struct collc_data *pieces = &run->pieces[message->first_piece];
    MPI_Aint lb, extent, low, span;
    MPI_Count size;

    for (int i = 1; i < message->n_pieces; i++)
        if (pieces[i].type != pieces[0].type)
            return 0;
    collc_check(run, PMPI_Type_size_x(pieces[0].type, &size));
    collc_check(run, PMPI_Type_get_extent(pieces[0].type, &lb, &extent));
    collc_check(run, PMPI_Type_get_true_extent(pieces[0].type, &low, &span));
    if (lb != 0 || low != 0 || size != extent || span != extent || elements > INT_MAX)
        return 0;
    if (elements * extent / message->n_pieces >= COLLC_LARGE_PIECE)
        return 0;
    message->packed = malloc((size_t)(elements * extent) + 1);
    if (!message->packed)
        return 0;
    message->packed_extent = extent;
    message->data = (struct collc_data){message->packed, (int)elements, pieces[0].type};
    return 1;
}

/* Makes the pieces one: where they lie, or end to end if they are received aside. */
static void collc_make_set(struct collc_run *run, struct collc_message *message)
{
    const struct collc_data *pieces = &run->pieces[message->first_piece];
    const size_t n = (size_t)message->n_pieces;
    const MPI_Aint extent = run->buffer[run->set.which].extent;
    MPI_Aint *from = malloc(n * sizeof *from), end = 0;
    MPI_Datatype *types = malloc(n * sizeof *types);
    int *counts = malloc(n * sizeof *counts);

    message->data = (struct collc_data){pieces[0].start, 0, pieces[0].type};
    if (from && types && counts) {
        for (size_t i = 0; i < n; i++) {
            from[i] = message->kind == collc_is_reduce ? end : pieces[i].start - pieces[0].start;
            end += pieces[i].count * extent;
            types[i] = pieces[i].type;
            counts[i] = pieces[i].count;
        }
        message->data.count = 1;
        message->has_own_type = 1;
        collc_check(run, PMPI_Type_create_struct((int)n, counts, from, types, &message->data.type));
        collc_check(run, PMPI_Type_commit(&message->data.type));
    } else
        collc_lose(run, MPI_ERR_NO_MEM);
    free(from);
    free(types);
    free(counts);
}

static void collc_add_set(struct collc_run *run)
{
    const struct collc_set set = run->set;
    const int n = run->n_pieces - set.first;
    struct collc_message *message;
    int64_t elements = 0;

#if ANY(RAGGED)
    if (set.peer < 0) /* no such rank: the server has fewer */
        return;
#endif
#if UNEQUAL
    if (n == 0)
        return; /* the peer knows that as well */
#elif LEAST
    if (n == 0)
        return; /* the peer knows that as well */
#endif
    message = collc_new_message(run, set.kind, set.peer);
    if (run->is_lost)
        return;
    for (int i = set.first; i < run->n_pieces; i++)
        elements += run->pieces[i].count;
    message->data =
        (struct collc_data){run->buffer[set.which].base, 0, run->buffer[set.which].type};
    if (n == 1)
        message->data = run->pieces[set.first];
#if REDUCTION
    message->aside = run->n_aside;
    message->elements = elements;
    if (set.kind == collc_is_reduce)
        run->n_aside += elements;
#endif
    if (n < 2)
        return;
    message->first_piece = set.first;
    message->n_pieces = n;
    if (set.kind == collc_is_reduce && elements <= INT_MAX)
        message->data = (struct collc_data){run->pieces[set.first].start, (int)elements,
                                            run->pieces[set.first].type};
    else if (set.kind == collc_is_reduce || !collc_may_pack(run, message, elements))
        collc_make_set(run, message);
}

#endif
static void collc_part(struct collc_run *run, int64_t chunk, int64_t n)
{
#if ANY(RAGGED)
    if (run->set.peer < 0) /* no such rank: the server has fewer */
        return;
#endif
    if (!collc_has(run, run->set.which, chunk, n))
        return;
    for (int64_t i = chunk; i < chunk + n; i++) {
#if HELD
        /* its size is known to its sender only */
        collc_add_some(run, run->set.kind, run->set.which, i, 1, run->set.peer);
#else
        collc_add_piece(run, i);
#endif
    }
}

static void collc_end_set(struct collc_run *run)
{
#if HELD
    run->set.first = run->n_pieces;
#else
    collc_add_set(run);
#endif
}

/* Between the pieces of a message and where they are packed. */
static void collc_pack_set(const struct collc_run *run, const struct collc_message *message)
{
    char *packed = message->packed;

    for (int i = 0; i < message->n_pieces; i++) {
        const struct collc_data *piece = &run->pieces[message->first_piece + i];
        const size_t bytes = (size_t)piece->count * (size_t)message->packed_extent;

        if (message->kind == collc_is_send)
            memcpy(packed, piece->start, bytes);
        else
            memcpy(piece->start, packed, bytes);
        packed += bytes;
    }
}

#if REDUCTION
static void collc_combine_set(struct collc_run *run, const struct collc_message *message,
                              char *from)
{
    const MPI_Aint extent = run->buffer[collc_aside].extent;

    for (int i = 0; i < message->n_pieces; i++) {
        const struct collc_data *piece = &run->pieces[message->first_piece + i];

        collc_check(run, PMPI_Reduce_local(from, piece->start, piece->count, run->type, run->op));
        from += (MPI_Aint)piece->count * extent;
    }
}

#endif
#endif
