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

static void collc_empty_set_types(struct collc_found *found)
{
    struct collc_set_types *set_types = (struct collc_set_types *)(void *)found; /* `head` is first */

    for (int i = 0; i < set_types->n; i++) {
        PMPI_Type_free(&set_types->items[i].type);
        free(set_types->items[i].from);
    }
    set_types->n = set_types->n_pieces = 0;
}

/* Finds the datatypes that earlier calls have left. They go if the last call had no use for them, and
 * there was no room for its own. Returns NULL if there is no memory. */
static struct collc_set_types *collc_find_set_types(struct collc_run *run)
{
    static char owner;
    struct collc_found *found = run->kept->found;
    struct collc_set_types *set_types;

    while (found && found->owner != &owner)
        found = found->next;
    set_types = found ? (struct collc_set_types *)(void *)found : calloc(1, sizeof *set_types);
    if (!set_types)
        return NULL;
    if (!found) {
        set_types->head = (struct collc_found){run->kept->found, &owner, collc_empty_set_types};
        run->kept->found = &set_types->head;
    }
    if (set_types->is_short && !set_types->is_used)
        collc_empty_set_types(&set_types->head);
    set_types->is_short = set_types->is_used = 0;
    return set_types;
}

/* Finds a datatype of the same pieces. Returns MPI_DATATYPE_NULL if there is none. */
static MPI_Datatype collc_find_set_type(struct collc_run *run, const struct collc_set_type *wanted)
{
    if (!run->set_types)
        run->set_types = collc_find_set_types(run);
    for (int i = 0; run->set_types && i < run->set_types->n; i++) {
        const struct collc_set_type *made = &run->set_types->items[i];
        const size_t n = (size_t)wanted->n;

        if (made->of == wanted->of && made->n == wanted->n &&
            memcmp(made->counts, wanted->counts, n * sizeof *made->counts) == 0 &&
            memcmp(made->from, wanted->from, n * sizeof *made->from) == 0) {
            run->set_types->is_used = 1;
            return made->type;
        }
    }
    return MPI_DATATYPE_NULL;
}

/* Keeps a datatype for later calls. Only those of predefined ones: others may be freed, and a handle
 * then be that of another type. Returns 0 if it is not kept. */
static int collc_keep_set_type(struct collc_run *run, const struct collc_set_type *made)
{
    struct collc_set_types *set_types = run->set_types;
    int integers, addresses, types, combiner = 0;

    PMPI_Type_get_envelope(made->of, &integers, &addresses, &types, &combiner);
    if (!set_types || run->error != MPI_SUCCESS || combiner != MPI_COMBINER_NAMED)
        return 0;
    if (set_types->n == collc_most_set_types ||
        made->n > collc_most_kept_pieces - set_types->n_pieces) {
        set_types->is_short = 1;
        return 0;
    }
    set_types->n_pieces += made->n;
    set_types->items[set_types->n++] = *made;
    return 1;
}

#if TYPES
/* True if the pieces have several types; makes them one then. */
static int collc_make_struct(struct collc_run *run, struct collc_message *message,
                             const struct collc_set_type *made)
{
    const struct collc_data *pieces = &run->pieces[message->first_piece];
    MPI_Datatype *types = malloc((size_t)made->n * sizeof *types);
    int are_alike = 1;

    for (int i = 0; types && i < made->n; i++) {
        types[i] = pieces[i].type;
        are_alike = are_alike && types[i] == types[0];
    }
    if (!types)
        collc_lose(run, MPI_ERR_NO_MEM);
    else if (!are_alike) {
        message->has_own_type = 1;
        collc_check(run, PMPI_Type_create_struct(made->n, made->counts, made->from, types,
                                                 &message->data.type));
        collc_check(run, PMPI_Type_commit(&message->data.type));
    }
    free(types);
    return !types || !are_alike;
}

#endif
/* Makes the pieces one: where they lie, or end to end if they are received aside. */
static void collc_make_set(struct collc_run *run, struct collc_message *message)
{
    const struct collc_data *pieces = &run->pieces[message->first_piece];
    const size_t n = (size_t)message->n_pieces;
    const MPI_Aint extent = run->buffer[run->set.which].extent;
    struct collc_set_type made = {.of = pieces[0].type, .n = message->n_pieces};
    MPI_Aint end = 0;

    message->data = (struct collc_data){pieces[0].start, 0, pieces[0].type};
    made.from = malloc(n * (sizeof *made.from + sizeof *made.counts));
    if (!made.from) {
        collc_lose(run, MPI_ERR_NO_MEM);
        return;
    }
    made.counts = (int *)(made.from + n);
    for (size_t i = 0; i < n; i++) {
        made.from[i] = message->kind == collc_is_reduce ? end : pieces[i].start - pieces[0].start;
        made.counts[i] = pieces[i].count;
        end += pieces[i].count * extent;
    }
    message->data.count = 1;
#if TYPES
    if (collc_make_struct(run, message, &made)) {
        free(made.from);
        return;
    }
#endif
    message->data.type = collc_find_set_type(run, &made);
    if (message->data.type == MPI_DATATYPE_NULL) {
        collc_check(run, PMPI_Type_create_hindexed(made.n, made.counts, made.from, made.of,
                                                   &made.type));
        collc_check(run, PMPI_Type_commit(&made.type));
        message->data.type = made.type;
        message->has_own_type = !collc_keep_set_type(run, &made);
        if (!message->has_own_type)
            return;
    }
    free(made.from);
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
