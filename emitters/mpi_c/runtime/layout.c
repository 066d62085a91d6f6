/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places the buffers of a call: in the caller's memory, or in our own. Under SEGMENTS they are cut. All
 * ranks must cut the same data at the same places, but may have other types and counts for them. Combined
 * data, which may not, are cut as elements; other data as bytes, packed first if they are not contiguous.
 */
#if COUNTS
#if NEIGHBORS
/* Blocks of a buffer. */
static int collc_n_blocks(const struct collc_run *run, int which)
{
    return which == out ? run->neighbors->n_in : run->neighbors->n_out;
}

#endif
/* Lays out blocks that cannot be used: all that matters of them is which are empty, as no message
 * goes there. Without counts none is. */
static void collc_lay_lost(struct collc_run *run, int which, const int *counts)
{
#if SEGMENTS
    collc_set(run, which, NULL, run->p * run->segments, MPI_BYTE, run->p * run->segments);
    if (run->segments == 1)
        run->buffer[which].counts = counts;
#elif NEIGHBORS
    const int n = collc_n_blocks(run, which);

    collc_set(run, which, NULL, n, MPI_BYTE, n);
    run->buffer[which].counts = counts;
#else
    collc_set(run, which, NULL, run->p, MPI_BYTE, run->p);
    run->buffer[which].counts = counts;
#endif
}

#endif
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
        collc_lay_lost(run, which, NULL);
    }
    return counts;
}

#endif
#if COUNTS && !REDUCTION
/* Whether all lie packed; *bytes in all. */
static int collc_are_packed(struct collc_run *run, const struct collc_blocks *blocks,
                            int64_t *bytes)
{
    int are_packed = 1;
    MPI_Count size = 0;

    *bytes = 0;
    for (int i = 0; i < run->p; i++) {
        struct collc_data data = collc_block_of(blocks, i);

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

    free(run->block[which]);
    run->block[which] = are_packed ? NULL : malloc((size_t)bytes + 1);
    if (!are_packed && !run->block[which])
        collc_lose(run, MPI_ERR_NO_MEM);
    counts = collc_new_counts(run, which);
    if (!counts)
        return;
    collc_set(run, which, are_packed ? blocks->start : run->block[which], bytes, MPI_BYTE,
              run->p * segments);
    at = collc_set_counts(run, which, counts);
    for (int i = 0; i < run->p; i++) {
        struct collc_data data = collc_block_of(blocks, i);
        MPI_Aint start = are_packed ? data.start - blocks->start : (MPI_Aint)end;

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
#if COUNTS && REDUCTION
/* Blocks end to end, cut in segments of elements. */
static void collc_cut_elements(struct collc_run *run, int which, const struct collc_blocks *blocks)
{
    int *counts = collc_new_counts(run, which);
    MPI_Aint *at, end = 0;

    if (!counts)
        return;
    collc_set(run, which, blocks->start, collc_sum(blocks->counts, run->p), blocks->type,
              run->p * run->segments);
    at = collc_set_counts(run, which, counts);
    for (int64_t i = 0; i < run->p * run->segments; i++) {
        int64_t n = blocks->counts[i / run->segments], k = i % run->segments;

        counts[i] = (int)(collc_within(run, n, k + 1, blocks->type) -
                          collc_within(run, n, k, blocks->type));
        if (at)
            at[i] = end;
        end += counts[i] * run->buffer[which].extent;
    }
}

#endif
#endif
#if COUNTS
/* A buffer that is p blocks of the caller's. */
#if KNOWN
static void collc_lay_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)
{
    collc_cut_blocks(run, which, blocks);
}

#else
static void collc_lay_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)
{
    const int *counts = blocks->counts;
    int is_unusable = run->is_lost;
#if NEIGHBORS
    const int n = collc_n_blocks(run, which);
#else
    const int n = run->p;
#endif
    MPI_Aint *at;
#if ANY(REDUCTION)
    MPI_Aint end = 0;
#endif

#if SEGMENTS
    is_unusable = is_unusable && (run->is_unsized || run->segments == 1);
#endif
    if (is_unusable) {
        collc_lay_lost(run, which, counts);
        return;
    }
#if SEGMENTS && REDUCTION
    if (run->segments > 1) {
        collc_cut_elements(run, which, blocks);
        return;
    }
#elif SEGMENTS
    if (run->segments > 1) {
        collc_cut_blocks(run, which, blocks);
        return;
    }
#endif
#if TYPES
    collc_set(run, which, blocks->start, collc_sum(counts, n), MPI_BYTE, n);
    run->buffer[which].types = blocks->types;
#else
    collc_set(run, which, blocks->start, collc_sum(counts, n), blocks->type, n);
#endif
    at = collc_set_counts(run, which, counts);
#if TYPES
    for (int i = 0; at && i < n; i++)
        at[i] = blocks->places[i];
#elif REDUCTION
    for (int i = 0; at && i < n; i++) {
        at[i] = end * run->buffer[which].extent;
        end += counts[i];
    }
#else
    for (int i = 0; at && i < n; i++)
        at[i] = blocks->places[i] * run->buffer[which].extent;
#endif
}

#endif
#endif
#if DATA && !ALLTOALLV && !ALLTOALLW && !NEIGHBOR_ALLTOALLV && !NEIGHBOR_ALLTOALLW && !BARRIER
/* A buffer that is n blocks of the caller's, of which the first is given. The same data may have
 * another type and count on another rank. So what is cut in segments, and not combined, is bytes;
 * they are packed unless they lie packed. */
static void collc_lay(struct collc_run *run, int which, const struct collc_data *block, int n)
{
#if SEGMENTS && !REDUCTION
    MPI_Count size;
    int is_packed = collc_is_packed(run, block->type, &size);
    int64_t bytes = (int64_t)size * block->count;

    if (run->segments > 1 && bytes > INT_MAX)
        collc_lose(run, MPI_ERR_COUNT);
    if (run->segments == 1)
        collc_set(run, which, block->start, (int64_t)n * block->count, block->type, n);
    else if (is_packed)
        collc_set(run, which, block->start, n * bytes, MPI_BYTE, n * run->segments);
    else
        collc_make(run, which, n * bytes, MPI_BYTE, n * run->segments);
#elif SEGMENTS
    collc_set(run, which, block->start, (int64_t)n * block->count, block->type,
              n * run->segments);
#else
    collc_set(run, which, block->start, (int64_t)n * block->count, block->type, n);
#endif
}

#endif
#if SEGMENTS && !REDUCTION
/* Where block i is packed, in memory of our own. */
static struct collc_data collc_packed(const struct collc_run *run, int which, int i)
{
    struct collc_data data = collc_chunks(run, which, i * run->segments, run->segments);

    data.type = MPI_PACKED;
    return data;
}

/* Between a block of the caller's and where it is packed, if it is. MPI_Pack would do, but that
 * of MPICH 4.0 refuses MPI_BOTTOM. */
static void collc_pack(struct collc_run *run, int which, int i, struct collc_data block)
{
    if (run->block[which] && !run->is_lost)
        collc_move(run, block, collc_packed(run, which, i));
}

static void collc_unpack(struct collc_run *run, int which, int i, struct collc_data block)
{
    if (run->block[which] && !run->is_lost)
        collc_move(run, collc_packed(run, which, i), block);
}

#endif
#if SEGMENTS && (ALLGATHER || ALLGATHERV || GATHER || GATHERV || SCATTER || SCATTERV)
/* In place: this rank's block of one buffer is the only one of another. */
static void collc_share(struct collc_run *run, int which, int from)
{
    struct collc_data data = collc_chunks(run, from, run->rank * run->segments, run->segments);

    collc_set(run, which, data.start, data.count, data.type, run->segments);
}

#endif
#if ALLTOALL || ALLTOALLV || ALLTOALLW || REDUCE_SCATTER_BLOCK || REDUCE_SCATTER
/* In place: `in` is to have, in memory of our own, what `out` has. */
static void collc_make_twin(struct collc_run *run)
{
    const struct collc_buffer *other = &run->buffer[out];

    if (run->is_lost) {
        run->buffer[in] = *other;
        return;
    }
#if SEGMENTS && !REDUCTION
    for (int i = 0; i < run->p; i++)
        collc_pack(run, out, i, collc_block_to(run, i));
#endif
#if KNOWN
    collc_make_bytes(run, in, other->counts, other->chunks);
#elif TYPES && SEGMENTS
    if (other->types)
        collc_make_types(run, in, other->counts, other->types, other->chunks);
    else
        collc_make_bytes(run, in, other->counts, other->chunks);
#elif TYPES
    collc_make_types(run, in, other->counts, other->types, other->chunks);
#elif COUNTS
    collc_make_at(run, in, other->counts, other->chunks, other->type);
#else
    collc_make(run, in, other->elements, other->type, other->chunks);
#endif
    for (int64_t i = 0; i < other->chunks; i++)
        collc_move(run, collc_chunks(run, out, i, 1), collc_chunks(run, in, i, 1));
}

#endif
#if REDUCE || EXSCAN
/* A rank that gets no result combines in memory of our own. */
static void collc_lay_result(struct collc_run *run)
{
    int has_result = run->rank > 0;

#if REDUCE
    has_result = run->rank == run->root;
#endif
    if (run->from.start == MPI_IN_PLACE)
        run->from = run->to;
    if (!has_result) {
#if SEGMENTS
        collc_make(run, buf, run->to.count, run->to.type, run->segments);
#else
        collc_make(run, buf, run->to.count, run->to.type, 1);
#endif
        run->to.start = run->buffer[buf].base;
    }
    collc_move(run, run->from, run->to);
    collc_lay(run, buf, &run->to, 1);
}

#endif
#if PATTERN || (NEIGHBORS && !COUNTS)
/* A buffer of n chunks of the caller's. */
static void collc_lay_chunks(struct collc_run *run, int which, const struct collc_data *chunk,
                             int64_t n)
{
    const struct collc_data none = {chunk->start, 0, chunk->type};

    collc_lay(run, which, n > 0 ? chunk : &none, n > 0 ? (int)n : 1);
}

#endif
#if PATTERN || NEIGHBORS
/* Lays out the buffers of a pattern, or the blocks of neighbours. */
static void collc_lay_said(struct collc_run *run)
{
#if PATTERN || (NEIGHBORS && !COUNTS)
    collc_lay_chunks(run, in, &run->from, run->n_in);
    collc_lay_chunks(run, out, &run->to, run->n_out);
#elif NEIGHBOR_ALLGATHERV
    collc_lay(run, in, &run->from, 1);
    collc_lay_blocks(run, out, &run->to_blocks);
#else
    collc_lay_blocks(run, in, &run->from_blocks);
    collc_lay_blocks(run, out, &run->to_blocks);
#endif
}

#endif
#if DATA
/* Lays out the buffers of the algorithm. */
static void collc_lay_out(struct collc_run *run)
{
#if BARRIER
    (void)run;
#elif ALLTOALL || ALLTOALLV || ALLTOALLW
#if COUNTS
    collc_lay_blocks(run, out, &run->to_blocks);
#else
    collc_lay(run, out, &run->to, run->p);
#endif
    if (run->from.start == MPI_IN_PLACE)
        collc_make_twin(run);
    else
#if COUNTS
        collc_lay_blocks(run, in, &run->from_blocks);
#else
        collc_lay(run, in, &run->from, run->p);
#endif
#if SEGMENTS
    for (int i = 0; !run->is_lost && run->from.start != MPI_IN_PLACE && i < run->p; i++)
        collc_pack(run, in, i, collc_block_from(run, i));
#endif
#elif ALLGATHER || ALLGATHERV || GATHER || GATHERV
#if GATHER
    if (run->rank == run->root)
        collc_lay(run, out, &run->to, run->p);
#elif GATHERV
    if (run->rank == run->root)
        collc_lay_blocks(run, out, &run->to_blocks);
#elif COUNTS
    collc_lay_blocks(run, out, &run->to_blocks);
#else
    collc_lay(run, out, &run->to, run->p);
#endif
#if SEGMENTS
    if (run->from.start == MPI_IN_PLACE) {
        if (!run->is_lost)
            collc_pack(run, out, run->rank, collc_block_to(run, run->rank));
        collc_share(run, in, out);
    } else {
        collc_lay(run, in, &run->from, 1);
        collc_pack(run, in, 0, run->from);
    }
#else
    if (run->from.start == MPI_IN_PLACE)
        run->from = collc_chunks(run, out, run->rank, 1);
    collc_lay(run, in, &run->from, 1);
#endif
#elif SCATTER || SCATTERV
#if COUNTS
    if (run->rank == run->root)
        collc_lay_blocks(run, in, &run->from_blocks);
#else
    if (run->rank == run->root)
        collc_lay(run, in, &run->from, run->p);
#endif
#if SEGMENTS
    for (int i = 0; !run->is_lost && run->rank == run->root && i < run->p; i++)
        collc_pack(run, in, i, collc_block_from(run, i));
    if (run->to.start == MPI_IN_PLACE)
        collc_share(run, out, in);
    else
        collc_lay(run, out, &run->to, 1);
#else
    if (run->to.start == MPI_IN_PLACE)
        run->to = collc_chunks(run, in, run->rank, 1);
    collc_lay(run, out, &run->to, 1);
#endif
#elif PATTERN || NEIGHBORS
    collc_lay_said(run);
#elif BCAST
    collc_lay(run, buf, &run->to, 1);
#if SEGMENTS
    if (run->rank == run->root)
        collc_pack(run, buf, 0, run->to);
#endif
#elif ALLREDUCE || SCAN
    if (run->from.start != MPI_IN_PLACE)
        collc_move(run, run->from, run->to);
    collc_lay(run, buf, &run->to, 1);
#elif REDUCE || EXSCAN
    collc_lay_result(run);
#elif REDUCE_SCATTER_BLOCK || REDUCE_SCATTER
    const int is_in_place = run->from.start == MPI_IN_PLACE;

#if COUNTS
    if (is_in_place)
        run->from_blocks.start = run->to.start;
    collc_lay_blocks(run, is_in_place ? out : in, &run->from_blocks);
    run->to.count = run->from_blocks.counts ? run->from_blocks.counts[run->rank] : 1;
#else
    if (is_in_place)
        run->from.start = run->to.start;
    collc_lay(run, is_in_place ? out : in, &run->from, run->p);
#endif
    if (is_in_place)
        collc_make_twin(run);
    collc_lay(run, out, &run->to, 1);
#endif
}

#endif
#if SEGMENTS && !REDUCTION
/* What was packed goes where the caller wants it. */
static void collc_bring_back(struct collc_run *run)
{
    if (run->is_lost)
        return;
#if BCAST
    if (run->rank != run->root)
        collc_unpack(run, buf, 0, run->to);
#elif SCATTER || SCATTERV
    if (run->to.start != MPI_IN_PLACE)
        collc_unpack(run, out, 0, run->to);
#elif GATHER || GATHERV
    for (int i = 0; run->rank == run->root && i < run->p; i++)
        collc_unpack(run, out, i, collc_block_to(run, i));
#else
    for (int i = 0; i < run->p; i++)
        collc_unpack(run, out, i, collc_block_to(run, i));
#endif
}

#endif
/* Carries out the algorithm, if there is anything to be done. */
static void collc_carry_out(struct collc_run *run)
{
    int has_work = run->comm != MPI_COMM_NULL;

#if !COUNTS && DATA && !BARRIER && !NEIGHBORS
    has_work = has_work && collc_block_bytes(run) > 0;
#endif
    if (!has_work)
        return;
#if DATA
    collc_lay_out(run);
#endif
#if KNOWN
    collc_make_bytes(run, tmp, collc_tmp_bytes + collc_tmp_first[run->rank],
                     collc_tmp_first[run->rank + 1] - collc_tmp_first[run->rank]);
#elif SIZED
    collc_make_tmp_sized(run, run->n_tmp);
#elif TMP && UNEQUAL
    collc_make_tmp_like(run, COLLC_LIKE_BUFFER, run->n_tmp);
#elif TMP && (PATTERN || NEIGHBORS)
    collc_make(run, tmp, run->n_tmp * run->to.count, run->to.type,
               run->n_tmp > 0 ? run->n_tmp : 1);
#elif TMP && (ALLTOALL || ALLGATHER || SCATTER || REDUCE_SCATTER_BLOCK)
    collc_make_tmp(run, out, run->n_tmp);
#elif TMP && GATHER
    collc_make_tmp(run, in, run->n_tmp);
#elif TMP
    collc_make_tmp(run, buf, run->n_tmp);
#endif
    COLLC_STEPS(run);
#if SEGMENTS && !REDUCTION
    collc_bring_back(run);
#endif
}
#if LIBRARY
/* Carries out the algorithm that was chosen, and ends the call. */
static int collc_finish(struct collc_run *run, MPI_Comm comm)
{
    run->reason = collc_n_reasons;
    collc_carry_out(run);
    return collc_close(run, comm);
}

#endif
