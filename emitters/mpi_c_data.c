/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run time of emitted C, as text: buffers and their chunks, and what is done with
 * them within a rank. Where counts are unequal a chunk has a place and a count of its own,
 * and with MPI_Alltoallw a type.
 */
#include "emitters/mpi_c.h"

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

/* The chunks that a local operation reads and writes; `needs` is the operation. */
#define LOCAL_CHUNKS(needs)                                                                   \
    {needs, C_PLACE,                                                                          \
     "        struct collc_data source = collc_chunks(run, from, chunk + i, 1);\n"            \
     "        struct collc_data target = collc_chunks(run, to, to_chunk + i, 1);\n"           \
     "\n"},                                                                                   \
    {(needs) | C_PLACE, 0,                                                                    \
     "        struct collc_data source =\n"                                                   \
     "            collc_chunks(run, from, collc_place_of(run, from, chunk + i), 1);\n"        \
     "        struct collc_data target =\n"                                                   \
     "            collc_chunks(run, to, collc_place_of(run, to, to_chunk + i), 1);\n"         \
     "\n"},

/* Buffers and chunks. */
static const struct c_piece data[] = {
    {C_DATA, 0,
     "static void collc_set(struct collc_run *run, int which, const void *base, int64_t elements,\n"
     "                      MPI_Datatype type, int64_t chunks)\n"
     "{\n"
     "    struct collc_buffer *buffer = &run->buffer[which];\n"
     "    MPI_Aint lb;\n"
     "\n"
     "    buffer->base = (char *)base;\n"
     "    buffer->type = type;\n"
     "    buffer->elements = elements;\n"
     "    buffer->chunks = chunks;\n"},
    {C_UNEQUAL, 0, "    buffer->counts = NULL;\n"},
    {C_TYPES, 0, "    buffer->types = NULL;\n"},
    {C_DATA, 0,
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &buffer->extent));\n"
     "}\n"
     "\n"},
    {C_ALLOC, C_TYPES,
     "/* A buffer in memory of our own, freed at the end of the call. */\n"
     "static void collc_make(struct collc_run *run, int which, int64_t elements, MPI_Datatype type,\n"
     "                       int64_t chunks)\n"
     "{\n"
     "    MPI_Aint lb, extent, low, bytes, span;\n"
     "    char *block;\n"
     "\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    collc_check(run, MPI_Type_get_true_extent(type, &low, &bytes));\n"
     "    span = elements > 1 ? (MPI_Aint)(elements - 1) * extent : 0;\n"
     "    free(run->block[which]);\n"
     "    run->block[which] = block = malloc((size_t)(bytes + (span < 0 ? -span : span)) + 1);\n"
     "    if (block)\n"
     "        collc_set(run, which, block - low - (span < 0 ? span : 0), elements, type, chunks);\n"
     "    else\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "}\n"
     "\n"},
    {C_TMP, C_UNEQUAL,
     "/* Gives tmp chunks as large as the largest of another buffer. */\n"
     "static void collc_make_tmp(struct collc_run *run, int like, int64_t chunks)\n"
     "{\n"
     "    const struct collc_buffer *model = &run->buffer[like];\n"
     "    int64_t size = (model->elements + model->chunks - 1) / model->chunks;\n"
     "\n"
     "    if (chunks == 0)\n"
     "        chunks = 1; /* so that there is a place for none of it */\n"
     "    collc_make(run, tmp, chunks * size, model->type, chunks);\n"},
    {C_HELD, C_UNEQUAL,
     "    run->held = calloc((size_t)chunks + 1, sizeof *run->held);\n"
     "    if (!run->held)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"},
    {C_TMP, C_UNEQUAL, "}\n\n"},
    {C_DATA, 0,
     "/* Number of elements before a chunk: elements * chunk / chunks, without\n"
     " * overflow. */\n"
     "static int64_t collc_before(const struct collc_buffer *buffer, int64_t chunk)\n"
     "{\n"
     "    return buffer->elements / buffer->chunks * chunk +\n"
     "           buffer->elements % buffer->chunks * chunk / buffer->chunks;\n"
     "}\n"
     "\n"
     "/* Whether the buffer has these chunks; it has, unless the schedule is wrong. */\n"
     "static int collc_has(struct collc_run *run, int which, int64_t chunk, int64_t n)\n"
     "{\n"
     "    if (chunk >= 0 && n >= 0 && chunk <= run->buffer[which].chunks - n)\n"
     "        return 1;\n"
     "    collc_check(run, MPI_ERR_INTERN);\n"
     "    return 0;\n"
     "}\n"
     "\n"
     "/* Elements of `n` chunks of a buffer, `chunk` the first. */\n"
     "static int64_t collc_elements(const struct collc_buffer *buffer, int64_t chunk, int64_t n)\n"
     "{\n"},
    {C_UNEQUAL, 0,
     "    int64_t sum = 0;\n"
     "\n"
     "    for (int64_t i = chunk; buffer->counts && i < chunk + n; i++)\n"
     "        sum += buffer->counts[i];\n"
     "    if (buffer->counts)\n"
     "        return sum;\n"},
    {C_DATA, 0,
     "    return collc_before(buffer, chunk + n) - collc_before(buffer, chunk);\n"
     "}\n"
     "\n"
     "/* The chunks. */\n"
     "static struct collc_data collc_chunks(const struct collc_run *run, int which, int64_t chunk,\n"
     "                                      int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "    int64_t first = collc_before(buffer, chunk);\n"
     "    int64_t count = collc_elements(buffer, chunk, n);\n"
     "    struct collc_data data;\n"
     "\n"
     "    data.start = buffer->base + (MPI_Aint)first * buffer->extent;\n"
     "    data.count = (int)count;\n"
     "    data.type = buffer->type;\n"},
    {C_UNEQUAL, 0,
     "    if (buffer->counts && n > 0)\n"
     "        data.start = buffer->base + buffer->at[chunk];\n"},
    {C_TYPES, 0,
     "    if (buffer->types && n > 0)\n"
     "        data.type = buffer->types[chunk];\n"},
    {C_DATA, 0,
     "    return data;\n"
     "}\n"
     "\n"},
};

/* Copies within a rank. */
static const struct c_piece local[] = {
    {C_MOVE, 0,
     "/* A local copy: MPI does it, for both sides may have types of their own. Data in place\n"
     " * are there already. */\n"
     "static void collc_move(struct collc_run *run, struct collc_data from, struct collc_data to)\n"
     "{\n"
     "    if (from.start != to.start || from.type != to.type)\n"
     "        collc_check(run, MPI_Sendrecv(from.start, from.count, from.type, run->rank, 0,\n"
     "                                      to.start, to.count, to.type, run->rank, 0, run->comm,\n"
     "                                      MPI_STATUS_IGNORE));\n"
     "}\n"
     "\n"},
    {C_COPY, 0,
     "static void collc_copy(struct collc_run *run, int from, int64_t chunk, int64_t n, int to,\n"
     "                       int64_t to_chunk)\n"
     "{\n"
     "    if (!collc_has(run, from, chunk, n) || !collc_has(run, to, to_chunk, n))\n"
     "        return;\n"
     "    for (int64_t i = 0; i < n; i++) {\n"},
    LOCAL_CHUNKS(C_COPY)
    {C_COPY | C_UNEQUAL, 0,
     "        if (collc_is_empty(&run->buffer[from], chunk + i, 1))\n"
     "            continue;\n"},
    {C_COPY | C_HELD, C_UNEQUAL,
     "        if (from == tmp)\n"
     "            source.count = run->held[chunk + i];\n"
     "        if (to == tmp)\n"
     "            run->held[to_chunk + i] = source.count;\n"},
    {C_COPY, 0,
     "        collc_move(run, source, target);\n"
     "    }\n"
     "}\n"
     "\n"},
};

/* Local combining: a chunk has no more elements than an int counts. */
static const struct c_piece combine_local[] = {
    {C_COMBINE, 0,
     "/* Combines chunks into others: what is read is the left operand. */\n"
     "static void collc_combine_local(struct collc_run *run, int from, int64_t chunk, int64_t n,\n"
     "                                int to, int64_t to_chunk)\n"
     "{\n"
     "    if (!collc_has(run, from, chunk, n) || !collc_has(run, to, to_chunk, n))\n"
     "        return;\n"
     "    for (int64_t i = 0; i < n; i++) {\n"},
    LOCAL_CHUNKS(C_COMBINE)
    {C_COMBINE | C_HELD, C_UNEQUAL,
     "        if (from == tmp)\n"
     "            source.count = run->held[chunk + i];\n"},
    {C_COMBINE, 0,
     "        collc_check(run, MPI_Reduce_local(source.start, target.start, source.count,\n"
     "                                          source.type, run->op));\n"
     "    }\n"
     "}\n"
     "\n"},
};

/* Buffers whose chunks have counts of their own. */
static const struct c_piece unequal[] = {
    {C_UNEQUAL, 0,
     "/* Whether the chunks have no data: the same on both sides of a message. */\n"
     "static int collc_is_empty(const struct collc_buffer *buffer, int64_t chunk, int64_t n)\n"
     "{\n"
     "    MPI_Count size = 0;\n"
     "\n"},
    {C_UNEQUAL, C_TYPES,
     "    if (collc_elements(buffer, chunk, n) > 0)\n"
     "        MPI_Type_size_x(buffer->type, &size);\n"
     "    return size == 0;\n"},
    {C_TYPES, 0,
     "    for (int64_t i = chunk; size == 0 && i < chunk + n; i++)\n"
     "        if (collc_elements(buffer, i, 1) > 0)\n"
     "            MPI_Type_size_x(buffer->types ? buffer->types[i] : buffer->type, &size);\n"
     "    return size == 0;\n"},
    {C_UNEQUAL, 0,
     "}\n"
     "\n"},
};

static const struct c_piece of_form[] = {
    {0, 0,
     "static int collc_is_negative(const int *counts, int n)\n"
     "{\n"
     "    for (int i = 0; i < n; i++)\n"
     "        if (counts[i] < 0)\n"
     "            return 1;\n"
     "    return 0;\n"
     "}\n"
     "\n"},
};

static const struct c_piece counted[] = {
    {C_UNEQUAL, 0,
     "/* Chunks have these counts; their places are to be filled in. */\n"
     "static MPI_Aint *collc_set_counts(struct collc_run *run, int which, const int *counts)\n"
     "{\n"
     "    struct collc_buffer *buffer = &run->buffer[which];\n"
     "    MPI_Aint *at = malloc(((size_t)buffer->chunks + 1) * sizeof *at);\n"
     "\n"
     "    free(run->at[which]);\n"
     "    run->at[which] = at;\n"
     "    buffer->counts = counts;\n"
     "    buffer->at = at;\n"
     "    if (!at)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "    return at;\n"
     "}\n"
     "\n"
     "static int64_t collc_sum(const int *counts, int64_t n)\n"
     "{\n"
     "    int64_t sum = 0;\n"
     "\n"
     "    for (int64_t i = 0; i < n; i++)\n"
     "        sum += counts[i];\n"
     "    return sum;\n"
     "}\n"
     "\n"},
};

static const struct c_piece of_caller[] = {
    {0, C_TYPES,
     "/* p chunks of the caller's: `places` in elements; NULL: end to end. */\n"
     "static void collc_set_at(struct collc_run *run, int which, const void *base, const int *counts,\n"
     "                         const int *places, MPI_Datatype type)\n"
     "{\n"
     "    MPI_Aint *at, end = 0;\n"
     "\n"
     "    collc_set(run, which, base, collc_sum(counts, run->p), type, run->p);\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    for (int i = 0; at && i < run->p; i++) {\n"
     "        at[i] = (places ? places[i] : end) * run->buffer[which].extent;\n"
     "        end += counts[i];\n"
     "    }\n"
     "}\n"
     "\n"},
};

static const struct c_piece made_at[] = {
    {C_UNEQUAL | C_ALLOC, C_TYPES,
     "/* Chunks in memory of our own, end to end. */\n"
     "static void collc_make_at(struct collc_run *run, int which, const int *counts, int64_t chunks,\n"
     "                          MPI_Datatype type)\n"
     "{\n"
     "    MPI_Aint *at, end = 0;\n"
     "\n"
     "    collc_make(run, which, collc_sum(counts, chunks), type, chunks);\n"
     "    if (run->error != MPI_SUCCESS)\n"
     "        return;\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    for (int64_t i = 0; at && i < chunks; i++) {\n"
     "        at[i] = end;\n"
     "        end += (MPI_Aint)counts[i] * run->buffer[which].extent;\n"
     "    }\n"
     "}\n"
     "\n"},
};

static const struct c_piece made[] = {
    {C_TYPES, 0,
     "/* p chunks of the caller's: `places` in bytes. */\n"
     "static void collc_set_types(struct collc_run *run, int which, const void *base,\n"
     "                            const int *counts, const int *places, const MPI_Datatype *types)\n"
     "{\n"
     "    MPI_Aint *at;\n"
     "\n"
     "    collc_set(run, which, base, collc_sum(counts, run->p), MPI_BYTE, run->p);\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    run->buffer[which].types = types;\n"
     "    for (int i = 0; at && i < run->p; i++)\n"
     "        at[i] = places[i];\n"
     "}\n"
     "\n"
     "/* Bytes that `count` elements span, and where they begin. */\n"
     "static MPI_Aint collc_span(struct collc_run *run, int count, MPI_Datatype type, MPI_Aint *low)\n"
     "{\n"
     "    MPI_Aint lb, extent, bytes, step;\n"
     "\n"
     "    *low = 0;\n"
     "    if (count == 0)\n"
     "        return 0;\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    collc_check(run, MPI_Type_get_true_extent(type, low, &bytes));\n"
     "    step = (MPI_Aint)(count - 1) * extent;\n"
     "    *low += step < 0 ? step : 0;\n"
     "    return bytes + (step < 0 ? -step : step);\n"
     "}\n"
     "\n"
     "/* Chunks in memory of our own, each where any type may begin. */\n"
     "static void collc_make_types(struct collc_run *run, int which, const int *counts,\n"
     "                             const MPI_Datatype *types, int64_t chunks)\n"
     "{\n"
     "    MPI_Aint *at, end = 0, low;\n"
     "\n"
     "    collc_set(run, which, NULL, collc_sum(counts, chunks), MPI_BYTE, chunks);\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    run->buffer[which].types = types;\n"
     "    for (int64_t i = 0; at && i < chunks; i++) {\n"
     "        at[i] = end;\n"
     "        end += (collc_span(run, counts[i], types[i], &low) + 15) / 16 * 16;\n"
     "        at[i] -= low;\n"
     "    }\n"
     "    free(run->block[which]);\n"
     "    run->block[which] = malloc((size_t)end + 1);\n"
     "    run->buffer[which].base = run->block[which];\n"
     "    if (!run->block[which])\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "}\n"
     "\n"},
    {C_UNEQUAL | C_TMP, 0,
     "static int64_t collc_like(const struct collc_run *run, int64_t chunk);\n"
     "\n"
     "/* Gives each chunk of tmp the size of one of another buffer. */\n"
     "static void collc_make_tmp(struct collc_run *run, int like, int64_t chunks)\n"
     "{\n"
     "    int *counts = run->tmp_counts = calloc((size_t)chunks + 1, sizeof *counts);\n"},
    {C_TYPES | C_TMP, 0,
     "    MPI_Datatype *types = run->tmp_types = calloc((size_t)chunks + 1, sizeof *types);\n"
     "\n"
     "    if (!types)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"},
    {C_UNEQUAL | C_TMP, 0,
     "\n"
     "    if (!counts)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "    for (int64_t i = 0; run->error == MPI_SUCCESS && i < chunks; i++) {\n"
     "        int64_t chunk = collc_like(run, i);\n"
     "        struct collc_data data;\n"
     "\n"
     "        if (!collc_has(run, like, chunk, 1))\n"
     "            break;\n"
     "        data = collc_chunks(run, like, chunk, 1);\n"
     "        counts[i] = data.count;\n"},
    {C_TYPES | C_TMP, 0, "        types[i] = data.type;\n"},
    {C_UNEQUAL | C_TMP, 0,
     "    }\n"
     "    if (run->error == MPI_SUCCESS)\n"},
    {C_UNEQUAL | C_TMP, C_TYPES, "        collc_make_at(run, tmp, counts, chunks, run->buffer[like].type);\n"},
    {C_TYPES | C_TMP, 0,
     "        collc_make_types(run, tmp, counts, types, chunks);\n"},
    {C_UNEQUAL | C_TMP, 0, "}\n\n"},
};

void c_runtime_data(const struct c_unit *unit, struct text *out)
{
    const unsigned features = unit->features;
    const bool is_form = unit->form != FORM_EQUAL;
    PRINT(data, features, out);
    PRINT(unequal, features, out);
    if (is_form)
        PRINT(of_form, features, out);
    PRINT(counted, features, out);
    if (is_form)
        PRINT(of_caller, features, out);
    if (features & C_TMP || unit->form == FORM_alltoallv || unit->form == FORM_reduce_scatter)
        PRINT(made_at, features, out);
    PRINT(made, features, out);
    PRINT(local, features, out);
    PRINT(combine_local, features, out);
}
