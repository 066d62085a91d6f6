/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Buffers, their chunks, and the operations on them within a rank. With unequal counts a chunk has a
 * place and a count of its own, and with MPI_Alltoallw a type.
 */
#if DATA
#if LEAST
/* Elements of each segment of n elements until they end: as many bytes as are worth a message.
 * 0: there are enough for segments of one size. */
static int64_t collc_least(const struct collc_run *run, int64_t n, MPI_Datatype type)
{
    MPI_Count size = 0;
    int64_t least;

    PMPI_Type_size_x(type, &size);
    least = size > 0 && size < COLLC_LEAST_SEGMENT ? COLLC_LEAST_SEGMENT / size : 1;
    return n < least * run->segments ? least : 0;
}

#endif
static void collc_set(struct collc_run *run, int which, char *base, int64_t elements,
                      MPI_Datatype type, int64_t chunks)
{
    struct collc_buffer *buffer = &run->buffer[which];
    MPI_Aint lb;

    *buffer = (struct collc_buffer){
        .base = base, .type = type, .elements = elements, .chunks = chunks};
#if LEAST
    buffer->least = which < tmp ? collc_least(run, elements / (chunks / run->segments), type) : 0;
    buffer->segments = run->segments;
#endif
    collc_check(run, PMPI_Type_get_extent(type, &lb, &buffer->extent));
}

#if ALLOC && !TYPES && !KNOWN && (!SIZED || SEGMENTS || ALLTOALLV)
/* A buffer in memory of our own, freed at the end of the call. */
static void collc_make(struct collc_run *run, int which, int64_t elements, MPI_Datatype type,
                       int64_t chunks)
{
    MPI_Aint lb, extent = 0, low = 0, bytes = 0, span;
    char *block;

    collc_check(run, PMPI_Type_get_extent(type, &lb, &extent));
    collc_check(run, PMPI_Type_get_true_extent(type, &low, &bytes));
    span = elements > 1 ? (MPI_Aint)(elements - 1) * extent : 0;
    free(run->block[which]);
    run->block[which] = block = malloc((size_t)(bytes + (span < 0 ? -span : span)) + 1);
    if (!block)
        collc_lose(run, MPI_ERR_NO_MEM);
    else
        block -= low + (span < 0 ? span : 0);
    collc_set(run, which, block, elements, type, chunks);
}

#endif
#if LEAST
/* Number of elements before a chunk: elements * chunk / chunks, without overflow, if all segments
 * have enough. */
#else
/* Number of elements before a chunk: elements * chunk / chunks, without
 * overflow. */
#endif
static int64_t collc_before(const struct collc_buffer *buffer, int64_t chunk)
{
#if ANY(LEAST)
    if (buffer->least > 0) {
        const int64_t block = buffer->elements / (buffer->chunks / buffer->segments);
        const int64_t end = chunk % buffer->segments * buffer->least;

        return chunk / buffer->segments * block + (end < block ? end : block);
    }
#endif
    return buffer->elements / buffer->chunks * chunk +
           buffer->elements % buffer->chunks * chunk / buffer->chunks;
}

#if TMP && !PATTERN && !NEIGHBORS
#if !UNEQUAL
/* Gives tmp chunks as large as the largest of another buffer. */
static void collc_make_tmp(struct collc_run *run, int like, int64_t chunks)
{
    const struct collc_buffer *model = &run->buffer[like];
#if ANY(LEAST)
    int64_t size = model->least > 0 ? collc_before(model, 1)
                                    : (model->elements + model->chunks - 1) / model->chunks;
#else
    int64_t size = (model->elements + model->chunks - 1) / model->chunks;
#endif

    if (chunks == 0)
        chunks = 1; /* so that there is a place for none of it */
    collc_make(run, tmp, chunks * size, model->type, chunks);
#if HELD
    run->held = calloc((size_t)chunks + 1, sizeof *run->held);
    if (!run->held)
        collc_lose(run, MPI_ERR_NO_MEM);
#endif
}

#endif
#endif
/* Whether the buffer has these chunks; it has, unless the schedule is wrong. */
static int collc_has(struct collc_run *run, int which, int64_t chunk, int64_t n)
{
    if (chunk >= 0 && n >= 0 && chunk <= run->buffer[which].chunks - n)
        return 1;
    collc_check(run, MPI_ERR_INTERN);
    return 0;
}

/* Elements of `n` chunks of a buffer, `chunk` the first. */
static int64_t collc_elements(const struct collc_buffer *buffer, int64_t chunk, int64_t n)
{
#if ANY(UNEQUAL)
    int64_t sum = 0;

    for (int64_t i = chunk; buffer->counts && i < chunk + n; i++)
        sum += buffer->counts[i];
    if (buffer->counts)
        return sum;
#endif
    return collc_before(buffer, chunk + n) - collc_before(buffer, chunk);
}

/* The chunks. */
static struct collc_data collc_chunks(const struct collc_run *run, int which, int64_t chunk,
                                      int64_t n)
{
    const struct collc_buffer *buffer = &run->buffer[which];
    struct collc_data data = {
        buffer->base + (MPI_Aint)collc_before(buffer, chunk) * buffer->extent,
        (int)collc_elements(buffer, chunk, n), buffer->type};

#if ANY(UNEQUAL)
    if (buffer->at && n > 0)
        data.start = buffer->base + buffer->at[chunk];
#endif
#if ANY(TYPES)
    if (buffer->types && n > 0)
        data.type = buffer->types[chunk];
#endif
#if ANY(SIZED)
    if (which == tmp && run->places)
        data.start = run->places[chunk];
#endif
    return data;
}

#if PLACE
/* The chunks that the algorithm calls so. */
static struct collc_data collc_placed(const struct collc_run *run, int which, int64_t chunk,
                                      int64_t n)
{
    return collc_chunks(run, which, collc_place_of(run, which, chunk), n);
}

#endif
#endif
#if UNEQUAL && !SIZED
/* Whether the chunks have no data: the same on both sides of a message. */
static int collc_is_empty(const struct collc_buffer *buffer, int64_t chunk, int64_t n)
{
    MPI_Count size = 0;

#if ANY(TYPES)
    for (int64_t i = chunk; size == 0 && i < chunk + n; i++)
        if (collc_elements(buffer, i, 1) != 0)
            PMPI_Type_size_x(buffer->types ? buffer->types[i] : buffer->type, &size);
#else
    if (collc_elements(buffer, chunk, n) != 0)
        PMPI_Type_size_x(buffer->type, &size);
#endif
    return size == 0;
}

#endif
#if UNEQUAL
/* Chunks have these counts; their places are to be filled in. */
static MPI_Aint *collc_set_counts(struct collc_run *run, int which, const int *counts)
{
    struct collc_buffer *buffer = &run->buffer[which];
    MPI_Aint *at = malloc(((size_t)buffer->chunks + 1) * sizeof *at);

    free(run->at[which]);
    run->at[which] = at;
    buffer->counts = counts;
    buffer->at = at;
    if (!at)
        collc_lose(run, MPI_ERR_NO_MEM);
    return at;
}

static int64_t collc_sum(const int *counts, int64_t n)
{
    int64_t sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += counts[i];
    return sum;
}

#endif
#if (TYPES && SEGMENTS) || KNOWN
/* Chunks of bytes in memory of our own, end to end. */
static void collc_make_bytes(struct collc_run *run, int which, const int *counts, int64_t chunks)
{
    const int64_t bytes = collc_sum(counts, chunks);
    MPI_Aint *at, end = 0;

    free(run->block[which]);
    run->block[which] = malloc((size_t)bytes + 1);
    if (!run->block[which])
        collc_lose(run, MPI_ERR_NO_MEM);
    collc_set(run, which, run->block[which], bytes, MPI_BYTE, chunks);
    at = collc_set_counts(run, which, counts);
    for (int64_t i = 0; at && i < chunks; i++) {
        at[i] = end;
        end += counts[i];
    }
}

#endif
#if UNEQUAL && !TYPES && !KNOWN && ((TMP && !SIZED) || ALLTOALLV || REDUCE_SCATTER)
/* Chunks in memory of our own, end to end. */
static void collc_make_at(struct collc_run *run, int which, const int *counts, int64_t chunks,
                          MPI_Datatype type)
{
    MPI_Aint *at, end = 0;

    collc_make(run, which, collc_sum(counts, chunks), type, chunks);
    at = collc_set_counts(run, which, counts);
    for (int64_t i = 0; at && i < chunks; i++) {
        at[i] = end;
        end += (MPI_Aint)counts[i] * run->buffer[which].extent;
    }
}

#endif
#if UNEQUAL && !KNOWN && (TMP || !NEIGHBORS)
#if TYPES
/* Bytes that `count` elements span, and where they begin. */
static MPI_Aint collc_span(struct collc_run *run, int count, MPI_Datatype type, MPI_Aint *low)
{
    MPI_Aint lb, extent, bytes, step;

    *low = 0;
    if (count == 0)
        return 0;
    collc_check(run, PMPI_Type_get_extent(type, &lb, &extent));
    collc_check(run, PMPI_Type_get_true_extent(type, low, &bytes));
    step = (MPI_Aint)(count - 1) * extent;
    *low += step < 0 ? step : 0;
    return bytes + (step < 0 ? -step : step);
}

/* Chunks in memory of our own, each where any type may begin. */
static void collc_make_types(struct collc_run *run, int which, const int *counts,
                             const MPI_Datatype *types, int64_t chunks)
{
    MPI_Aint *at, end = 0, low;

    collc_set(run, which, NULL, collc_sum(counts, chunks), MPI_BYTE, chunks);
    at = collc_set_counts(run, which, counts);
    run->buffer[which].types = types;
    for (int64_t i = 0; at && i < chunks; i++) {
        at[i] = end;
        end += (collc_span(run, counts[i], types[i], &low) + 15) / 16 * 16;
        at[i] -= low;
    }
    free(run->block[which]);
    run->block[which] = malloc((size_t)end + 1);
    run->buffer[which].base = run->block[which];
    if (!run->block[which])
        collc_lose(run, MPI_ERR_NO_MEM);
}

#endif
#if TMP && !SIZED
#if !LIBRARY
static int64_t collc_like(const struct collc_run *run, int64_t chunk);

#endif
/* Gives each chunk of tmp the size of one of another buffer. */
static void collc_make_tmp_like(struct collc_run *run, int like, int64_t chunks)
{
    int *counts = run->tmp_counts = calloc((size_t)chunks + 1, sizeof *counts);
#if ANY(UNEQUAL && TMP && !KNOWN && TYPES)
    MPI_Datatype *types = run->tmp_types = calloc((size_t)chunks + 1, sizeof *types);
    const int is_short = !counts || !types;
#else
    const int is_short = !counts;
#endif

    if (is_short) {
        collc_lose(run, MPI_ERR_NO_MEM);
        collc_set(run, tmp, NULL, chunks, MPI_BYTE, chunks);
        return;
    }
    for (int64_t i = 0; i < chunks; i++) {
        int64_t chunk = COLLC_LIKE(run, i);
        struct collc_data data;

        if (!collc_has(run, like, chunk, 1))
            break;
        data = collc_chunks(run, like, chunk, 1);
        counts[i] = data.count;
#if ANY(UNEQUAL && TMP && !KNOWN && TYPES)
        types[i] = data.type;
#endif
    }
#if TYPES
    collc_make_types(run, tmp, counts, types, chunks);
#else
    collc_make_at(run, tmp, counts, chunks, run->buffer[like].type);
#endif
}

#endif
#endif
#if MOVE
#ifdef __GNUC__
/* MPIs that send data from the memory of a device have one of these. */
int MPIX_Query_cuda_support(void) __attribute__((weak));
int MPIX_Query_rocm_support(void) __attribute__((weak));
int MPIX_Query_ze_support(void) __attribute__((weak));
#endif

/* True if all data are in memory that this process can read. */
static int collc_is_memory_plain(void)
{
#ifdef __GNUC__
    static int is_plain = -1;

    if (is_plain < 0)
        is_plain = !(MPIX_Query_cuda_support && MPIX_Query_cuda_support()) &&
                   !(MPIX_Query_rocm_support && MPIX_Query_rocm_support()) &&
                   !(MPIX_Query_ze_support && MPIX_Query_ze_support());
    return is_plain;
#else
    return 0;
#endif
}

/* Finds the bytes of an element, and where they begin. Of a type with holes there are none. */
static void collc_find_dense(struct collc_run *run, MPI_Datatype type)
{
    MPI_Count size = 0;
    MPI_Aint lb = 0, extent = 0, true_extent = 0;

    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent(type, &lb, &extent);
    PMPI_Type_get_true_extent(type, &run->dense_lb, &true_extent);
    run->dense_type = type;
    run->dense = size == extent && size == true_extent ? extent : 0;
}

/* A local copy. MPI does it, unless both sides are of one type without holes: what is received may
 * not overlap, so a type whose size is its extent has none. Data in place are there already. */
static void collc_move(struct collc_run *run, struct collc_data from, struct collc_data to)
{
    int error;

    if (run->is_lost)
        return;
#if COUNTS
    if (from.count == 0)
        return; /* and perhaps without a type */
#endif
    if (from.start == to.start && from.type == to.type)
        return;
    if (from.type == to.type && from.count == to.count && collc_is_memory_plain()) {
        if (run->dense_type != from.type || !run->dense)
            collc_find_dense(run, from.type);
        if (run->dense) {
            memmove(to.start + run->dense_lb, from.start + run->dense_lb,
                    (size_t)from.count * (size_t)run->dense);
            return;
        }
    }
    error = PMPI_Sendrecv(from.start, from.count, from.type, run->rank, 0, to.start, to.count,
                          to.type, run->rank, 0, run->comm, MPI_STATUS_IGNORE);
    if (error != MPI_SUCCESS)
        collc_lose(run, error);
}

#endif
#if COPY && SIZED
static void collc_copy_to_tmp(struct collc_run *run, struct collc_data from, int64_t chunk);

#endif
#if COPY
static void collc_copy(struct collc_run *run, int from, int64_t chunk, int64_t n, int to,
                       int64_t to_chunk)
{
    if (!collc_has(run, from, chunk, n) || !collc_has(run, to, to_chunk, n))
        return;
    if (run->is_lost)
        return;
    for (int64_t i = 0; i < n; i++) {
        struct collc_data source = COLLC_CHUNKS(run, from, chunk + i, 1);
        struct collc_data target = COLLC_CHUNKS(run, to, to_chunk + i, 1);

#if HELD
        if (from == tmp)
            source.count = run->held[chunk + i];
        if (to == tmp)
            run->held[to_chunk + i] = source.count;
#endif
#if SIZED
        if (to == tmp) {
            collc_copy_to_tmp(run, source, to_chunk + i);
            continue;
        }
#endif
        collc_move(run, source, target);
    }
}

#endif
#if COMBINE
/* Combines chunks into others: what is read is the left operand. */
static void collc_combine_local(struct collc_run *run, int from, int64_t chunk, int64_t n,
                                int to, int64_t to_chunk)
{
    if (!collc_has(run, from, chunk, n) || !collc_has(run, to, to_chunk, n))
        return;
    if (run->is_lost)
        return;
    for (int64_t i = 0; i < n; i++) {
        struct collc_data source = COLLC_CHUNKS(run, from, chunk + i, 1);
        struct collc_data target = COLLC_CHUNKS(run, to, to_chunk + i, 1);

#if HELD
        if (from == tmp)
            source.count = run->held[chunk + i];
#endif
        collc_check(run, PMPI_Reduce_local(source.start, target.start, source.count,
                                          source.type, run->op));
    }
}

#endif
