/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends a step: posts everything and waits for it, then combines the received data that must be combined.
 */
#if REDUCTION
/* Where a message is received: what is to be combined, aside. */
static char *collc_place(const struct collc_run *run, const struct collc_message *message)
{
    const struct collc_buffer *aside = &run->buffer[collc_aside];

    if (message->kind != collc_is_reduce)
        return message->data.start;
    return aside->base + (MPI_Aint)message->aside * aside->extent;
}

#endif
#if !SIZED
#if DATA
/* Posts a message; sends it at once if it is the only one to be sent. One that MPI does not take
 * makes the rank lost: the peer gets nothing, and what it sends is skipped after all has been
 * posted. */
static void collc_post(struct collc_run *run, struct collc_message *message, int is_only)
{
    struct collc_data *data = &message->data;
    int error = MPI_SUCCESS;

    message->request = MPI_REQUEST_NULL;
#if ANY(HELD)
    if (message->tmp_chunk >= 0 && message->kind != collc_is_recv)
        data->count = run->held[message->tmp_chunk];
#endif
#if ANY(SETS)
    if (message->packed && message->kind == collc_is_send)
        collc_pack_set(run, message);
#endif
    if (run->is_lost)
        error = MPI_ERR_OTHER;
    else if (is_only)
        error = PMPI_Send(data->start, data->count, data->type, message->peer, 0, run->comm);
    else if (message->kind == collc_is_send)
        error = PMPI_Isend(data->start, data->count, data->type, message->peer, 0, run->comm,
                           &message->request);
    else
#if ANY(REDUCTION)
        error = PMPI_Irecv(collc_place(run, message), data->count, data->type, message->peer, 0,
                           run->comm, &message->request);
#else
        error = PMPI_Irecv(data->start, data->count, data->type, message->peer, 0, run->comm,
                           &message->request);
#endif
    if (error == MPI_SUCCESS)
        return;
    collc_lose(run, error);
    message->request = MPI_REQUEST_NULL;
    message->is_skipped = message->kind != collc_is_send;
    if (message->kind == collc_is_send)
        collc_send_nothing(run, message->peer);
}

/* Waits for a message. One that is shorter than MPI promises comes from a rank that is lost, or
 * that was called with other counts. */
static void collc_wait(struct collc_run *run, struct collc_message *message)
{
    MPI_Status status;
    int error, count = 0;

    if (message->is_skipped) {
        collc_skip(run, message->peer);
        return;
    }
    if (message->kind == collc_is_send) {
        if (message->request != MPI_REQUEST_NULL)
            collc_check(run, PMPI_Wait(&message->request, MPI_STATUS_IGNORE));
        return;
    }
    error = PMPI_Wait(&message->request, &status);
    if (error == MPI_SUCCESS)
        error = PMPI_Get_count(&status, message->data.type, &count);
#if ANY(HELD)
    if (message->tmp_chunk >= 0) {
        if (message->kind == collc_is_recv)
            run->held[message->tmp_chunk] = count < 0 ? 0 : count;
    } else if (error == MPI_SUCCESS && count != message->data.count)
        error = MPI_ERR_OTHER;
#else
    if (error == MPI_SUCCESS && count != message->data.count)
        error = MPI_ERR_OTHER;
#endif
#if ANY(SETS)
    if (error == MPI_SUCCESS && message->packed)
        collc_pack_set(run, message);
#endif
    if (error != MPI_SUCCESS)
        collc_lose(run, error);
}

#else
static void collc_post(struct collc_run *run, struct collc_message *message, int is_only)
{
    message->request = MPI_REQUEST_NULL;
    if (is_only)
        collc_check(run, PMPI_Send(NULL, 0, MPI_BYTE, message->peer, 0, run->comm));
    else if (message->kind == collc_is_send)
        collc_check(run, PMPI_Isend(NULL, 0, MPI_BYTE, message->peer, 0, run->comm,
                                    &message->request));
    else
        collc_check(run, PMPI_Irecv(NULL, 0, MPI_BYTE, message->peer, 0, run->comm,
                                    &message->request));
}

static void collc_wait(struct collc_run *run, struct collc_message *message)
{
    if (message->request != MPI_REQUEST_NULL)
        collc_check(run, PMPI_Wait(&message->request, MPI_STATUS_IGNORE));
}

#endif
#endif
/* Posts all receives, then all sends, and waits for all of them. A send that is alone needs no
 * request, unless something that comes has to be skipped: a skip begins when the send is over. */
static void collc_exchange(struct collc_run *run)
{
#if SIZED
    collc_exchange_sized(run);
#else
    int n_sends = 0;

    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].kind == collc_is_send)
            n_sends++;
        else
            collc_post(run, &run->messages[i], 0);
    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].kind == collc_is_send)
#if DATA
            collc_post(run, &run->messages[i], n_sends == 1 && !run->is_lost);
#else
            collc_post(run, &run->messages[i], n_sends == 1);
#endif
    for (int i = 0; i < run->n_messages; i++)
        collc_wait(run, &run->messages[i]);
#endif
}

#if REDUCTION
static void collc_combine(struct collc_run *run, const struct collc_message *message)
{
#if SETS
    if (message->kind == collc_is_reduce && message->n_pieces > 0) {
        collc_combine_set(run, message, collc_place(run, message));
        return;
    }
#endif
#if RANGE
    const MPI_Aint extent = run->buffer[collc_aside].extent;
    int64_t left = message->kind == collc_is_reduce ? message->elements : 0;
    char *from = left ? collc_place(run, message) : NULL, *to = message->data.start;

    while (left > 0) { /* no more at once than an int counts */
        int n = left < INT_MAX ? (int)left : INT_MAX;

        collc_check(run, PMPI_Reduce_local(from, to, n, run->type, run->op));
        from += n * extent;
        to += n * extent;
        left -= n;
    }
#else
    if (message->kind == collc_is_reduce)
        collc_check(run, PMPI_Reduce_local(collc_place(run, message), message->data.start,
                                           message->data.count, message->data.type, run->op));
#endif
}

#endif
#if MAIN
/* The steps of a call that this rank has ended, and how long each took, where test.c asks for that. */
static int collc_n_ended;
static double *collc_step_times, collc_step_began;

/* Notes the end of a step. Where steps are timed, no rank begins the next one before all have ended it. */
static void collc_note_step(const struct collc_run *run)
{
    const int step = collc_n_ended++;

    if (!collc_step_times)
        return;
    collc_step_times[step] = PMPI_Wtime() - collc_step_began;
    PMPI_Barrier(run->comm);
    collc_step_began = PMPI_Wtime();
}

#endif
/* The step has been described: do it. */
static void collc_end_step(struct collc_run *run)
{
#if ANY(WINDOW)
    if (++run->n_steps < run->window)
        return;
    run->n_steps = 0;
#endif
#if ANY(REDUCTION)
    if (run->n_aside > run->buffer[collc_aside].elements)
        collc_make(run, collc_aside, run->n_aside, run->type, 1);
    collc_exchange(run);
    for (int i = 0; !run->is_lost && i < run->n_messages; i++)
        collc_combine(run, &run->messages[i]);
    run->n_aside = 0;
#else
    collc_exchange(run);
#endif
#if ANY(RANGE || SETS)
    for (int i = 0; i < run->n_messages; i++)
        if (run->messages[i].has_own_type)
            PMPI_Type_free(&run->messages[i].data.type);
#endif
#if ANY(SETS)
    for (int i = 0; i < run->n_messages; i++)
        free(run->messages[i].packed);
    run->n_pieces = 0;
#endif
    run->n_messages = 0;
#if MAIN
    collc_note_step(run);
#endif
}

#if WINDOW
/* From here on `window` steps are posted together and waited for together. */
static void collc_begin_window(struct collc_run *run, int64_t window)
{
    run->window = window;
    run->n_steps = 0;
}

static void collc_end_window(struct collc_run *run)
{
    run->window = 1;
    if (run->n_steps > 0)
        collc_end_step(run);
}

#endif
