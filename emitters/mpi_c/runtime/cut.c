/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data cut in segments. All ranks must cut the same data at the same places, but may have other
 * types and counts for them, unless the data are combined: then bytes are cut, of data that is
 * packed first if it does not lie packed.
 */
#if SEGMENTS
#if !REDUCTION
/* Whether data of the type are their bytes, *size for each element. */
static int collc_is_packed(struct collc_run *run, MPI_Datatype type, MPI_Count *size)
{
    int combiner = 0, integers, addresses, types;
    MPI_Aint lb, extent = 0;

    *size = 0;
    collc_check(run, PMPI_Type_size_x(type, size));
    collc_check(run, PMPI_Type_get_extent(type, &lb, &extent));
    collc_check(run, PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
    return combiner == MPI_COMBINER_NAMED && extent == *size;
}

#endif
#if !REDUCTION && !ALLTOALLV && !ALLTOALLW
/* The same data may have another type and count on another rank. So what is cut
 * in segments is bytes, not elements; they are packed unless they lie packed. */
static void collc_cut(struct collc_run *run, int which, const void *data, int blocks,
                      int count, MPI_Datatype type)
{
    MPI_Count size;
    int is_packed = collc_is_packed(run, type, &size);
    int64_t bytes = (int64_t)size * count;

    if (run->segments > 1 && bytes > INT_MAX)
        collc_lose(run, MPI_ERR_COUNT);
    if (run->segments == 1)
        collc_set(run, which, data, (int64_t)blocks * count, type, blocks);
    else if (is_packed)
        collc_set(run, which, data, blocks * bytes, MPI_BYTE, blocks * run->segments);
    else
        collc_make(run, which, blocks * bytes, MPI_BYTE, blocks * run->segments);
}

#endif
#if !REDUCTION && !SCATTERV && !ALLTOALLV && !ALLTOALLW
/* Between the caller's blocks first .. first + n - 1 and their place in memory of our own, if
 * they have one. MPI_Pack would do, but that of MPICH 4.0 refuses MPI_BOTTOM. */
static void collc_pack(struct collc_run *run, int which, const void *data, int first, int n,
                       int count, MPI_Datatype type)
{
    int bytes = 0;
    MPI_Aint lb, extent = 0;

    if (run->segments == 1 || !run->block[which])
        return;
    collc_check(run, PMPI_Type_size(type, &bytes));
    collc_check(run, PMPI_Type_get_extent(type, &lb, &extent));
    for (int i = first; i < first + n; i++) {
        struct collc_data from = {(char *)data + (MPI_Aint)i * count * extent, count, type};
        struct collc_data to = {run->buffer[which].base + (MPI_Aint)i * bytes * count,
                                bytes * count, MPI_PACKED};

        collc_move(run, from, to);
    }
}

#endif
#if BCAST || ALLTOALL || ALLGATHER || GATHER || SCATTER || SCATTERV
static void collc_unpack(struct collc_run *run, int which, void *data, int n, int count,
                         MPI_Datatype type)
{
    int bytes = 0;
    MPI_Aint lb, extent = 0;

    if (run->segments == 1 || !run->block[which])
        return;
    collc_check(run, PMPI_Type_size(type, &bytes));
    collc_check(run, PMPI_Type_get_extent(type, &lb, &extent));
    for (int i = 0; i < n; i++) {
        struct collc_data from = {run->buffer[which].base + (MPI_Aint)i * bytes * count,
                                  bytes * count, MPI_PACKED};
        struct collc_data to = {(char *)data + (MPI_Aint)i * count * extent, count, type};

        collc_move(run, from, to);
    }
}

#endif
#if ALLGATHER || ALLGATHERV || GATHER || GATHERV || SCATTER || SCATTERV
/* In place: the block of one buffer is the only one of another. */
static void collc_share(struct collc_run *run, int which, int from, int block)
{
    struct collc_data data;

#if UNEQUAL
    if (run->is_blind)
        return;
#endif
    data = collc_chunks(run, from, block * run->segments, run->segments);
    collc_set(run, which, data.start, data.count, data.type, run->segments);
}

#endif
#if COUNTS
/* The segments before the k-th one have so many of n bytes or elements. */
static int64_t collc_within(const struct collc_run *run, int64_t n, int64_t k, MPI_Datatype type)
{
#if LEAST
    const int64_t least = collc_least(run, n, type);

    if (least > 0)
        return k * least < n ? k * least : n;
#else
    (void)type;
#endif
    return n / run->segments * k + n % run->segments * k / run->segments;
}

/* Room for the counts of all segments. */
static int *collc_new_counts(struct collc_run *run, int which)
{
    int *counts = malloc((size_t)(run->p * run->segments) * sizeof *counts);

    free(run->cut[which]);
    run->cut[which] = counts;
    if (!counts) {
        collc_lose(run, MPI_ERR_NO_MEM);
        run->is_blind = 1;
    }
    return counts;
}

#endif
#if COUNTS && !REDUCTION
#if !TYPES
/* Blocks as the caller gives them: `places` in elements. */
struct collc_blocks {
    char *base;
    const int *counts, *places;
    MPI_Datatype type;
};

static struct collc_data collc_block(struct collc_run *run, const struct collc_blocks *blocks,
                                     int i)
{
    struct collc_data data = {blocks->base, blocks->counts[i], blocks->type};
    MPI_Aint lb, extent = 0;

    collc_check(run, PMPI_Type_get_extent(blocks->type, &lb, &extent));
    data.start += blocks->places[i] * extent;
    return data;
}

#else
/* Blocks as the caller gives them: `places` in bytes. */
struct collc_blocks {
    char *base;
    const int *counts, *places;
    const MPI_Datatype *types;
};

static struct collc_data collc_block(struct collc_run *run, const struct collc_blocks *blocks,
                                     int i)
{
    struct collc_data data;

    (void)run;
    data.start = blocks->base + blocks->places[i];
    data.count = blocks->counts[i];
    data.type = blocks->types[i];
    return data;
}

#endif
/* Whether all lie packed; *bytes in all. */
static int collc_are_packed(struct collc_run *run, const struct collc_blocks *blocks,
                            int64_t *bytes)
{
    int are_packed = 1;
    MPI_Count size = 0;

    *bytes = 0;
    for (int i = 0; i < run->p; i++) {
        struct collc_data data = collc_block(run, blocks, i);

        are_packed = collc_is_packed(run, data.type, &size) && are_packed;
        if ((int64_t)size * data.count > INT_MAX)
            collc_lose(run, MPI_ERR_COUNT);
        *bytes += (int64_t)size * data.count;
    }
    return are_packed;
}

/* The same data may have another type and count on another rank. So what is cut
 * in segments is bytes, not elements; they are packed unless they lie packed. */
static void collc_cut_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)
{
    const int64_t segments = run->segments;
    int64_t bytes, end = 0;
    int are_packed = collc_are_packed(run, blocks, &bytes), *counts;
    MPI_Aint *at;
    MPI_Count size = 0;

    if (segments == 1) {
#if TYPES
        collc_set_types(run, which, blocks->base, blocks->counts, blocks->places, blocks->types);
#else
        collc_set_at(run, which, blocks->base, blocks->counts, blocks->places, blocks->type);
#endif
        return;
    }
    free(run->block[which]);
    run->block[which] = are_packed ? NULL : malloc((size_t)bytes + 1);
    if (!are_packed && !run->block[which])
        collc_lose(run, MPI_ERR_NO_MEM);
    counts = collc_new_counts(run, which);
    if (!counts)
        return;
    collc_set(run, which, are_packed ? blocks->base : run->block[which], bytes, MPI_BYTE,
              run->p * segments);
    at = collc_set_counts(run, which, counts);
    for (int i = 0; i < run->p; i++) {
        struct collc_data data = collc_block(run, blocks, i);
        MPI_Aint start = are_packed ? data.start - blocks->base : (MPI_Aint)end;

        collc_check(run, PMPI_Type_size_x(data.type, &size));
        bytes = (int64_t)size * data.count;
        for (int64_t k = 0; k < segments; k++) {
            const int64_t from = collc_within(run, bytes, k, MPI_BYTE);

            counts[i * segments + k] = (int)(collc_within(run, bytes, k + 1, MPI_BYTE) - from);
            if (at)
                at[i * segments + k] = start + (MPI_Aint)from;
        }
        end += bytes;
    }
}

#endif
#if COUNTS && !REDUCTION
/* The place of block i in memory of our own. MPI_Pack would do, but that of MPICH 4.0 refuses
 * MPI_BOTTOM. */
static struct collc_data collc_packed(const struct collc_run *run, int which, int i)
{
    const struct collc_buffer *packed = &run->buffer[which];
    struct collc_data data = {packed->base + packed->at[i * run->segments],
                              (int)collc_elements(packed, i * run->segments, run->segments),
                              MPI_PACKED};

    return data;
}

/* Between the caller's blocks first .. first + n - 1 and their place in memory of our own, if
 * they have one. */
static void collc_pack_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks,
                              int first, int n)
{
    for (int i = first; run->block[which] && !run->is_lost && i < first + n; i++)
        collc_move(run, collc_block(run, blocks, i), collc_packed(run, which, i));
}

#endif
#if GATHERV || ALLGATHERV || ALLTOALLV || ALLTOALLW
static void collc_unpack_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)
{
    for (int i = 0; run->block[which] && !run->is_lost && i < run->p; i++)
        collc_move(run, collc_packed(run, which, i), collc_block(run, blocks, i));
}

#endif
#if ALLTOALLV || ALLTOALLW
/* In place: `in` is to have, in memory of our own, what `out` has. */
static void collc_make_twin(struct collc_run *run)
{
    const struct collc_buffer *other = &run->buffer[out];
    MPI_Aint *at, end = 0;

    free(run->block[in]);
    run->block[in] = malloc((size_t)other->elements + 1);
    if (!run->block[in])
        collc_lose(run, MPI_ERR_NO_MEM);
    collc_set(run, in, run->block[in], other->elements, MPI_BYTE, other->chunks);
    at = collc_set_counts(run, in, other->counts);
    for (int64_t i = 0; at && i < other->chunks; i++) {
        at[i] = end;
        end += other->counts[i];
    }
}

#endif
#if REDUCE_SCATTER
/* Blocks end to end, cut in segments of elements. */
static void collc_cut_counts(struct collc_run *run, int which, const void *base,
                             const int *blocks, MPI_Datatype type)
{
    const int64_t segments = run->segments;
    int *counts;
    MPI_Aint *at, end = 0;

    if (segments == 1) {
        collc_set_at(run, which, base, blocks, NULL, type);
        return;
    }
    counts = collc_new_counts(run, which);
    if (!counts)
        return;
    collc_set(run, which, base, collc_sum(blocks, run->p), type, run->p * segments);
    at = collc_set_counts(run, which, counts);
    for (int64_t i = 0; i < run->p * segments; i++) {
        int64_t n = blocks[i / segments], k = i % segments;

        counts[i] = (int)(collc_within(run, n, k + 1, type) - collc_within(run, n, k, type));
        if (at)
            at[i] = end;
        end += counts[i] * run->buffer[which].extent;
    }
}

#endif
#if BCAST || ALLTOALL || ALLGATHER || GATHER || SCATTER
/* Whether pieces of the data can be counted by an int; the same on all ranks. */
static int collc_is_countable(int count, MPI_Datatype type)
{
    MPI_Count size = 0;

    return PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           (int64_t)size * count <= INT_MAX;
}

#endif
#if ALLGATHERV
/* Whether the bytes of each block can be counted by an int; the same on all ranks. */
static int collc_are_countable(const int *counts, int n, MPI_Datatype type)
{
    MPI_Count size = 0;
    int are = PMPI_Type_size_x(type, &size) == MPI_SUCCESS;

    for (int i = 0; i < n; i++)
        are = are && (int64_t)size * counts[i] <= INT_MAX;
    return are;
}

#endif
#endif
