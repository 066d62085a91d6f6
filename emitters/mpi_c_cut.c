/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What emitted C does where data are cut in segments. All ranks must cut the same data at the same
 * places, but may have other types and counts for them, unless the data are combined: then bytes
 * are cut, of data that is packed first if it does not lie packed.
 */
#include "emitters/mpi_c.h"

/* Pieces of the run time that a collective needs for that. */
enum {
    BCAST = 1,        /* all of `buf` */
    CUT = 1 << 1,     /* equal blocks, or one */
    PACK = 1 << 2,
    UNPACK = 1 << 3,
    SHARE = 1 << 4,
    BLOCKS = 1 << 5,  /* of unequal counts */
    PACK_BLOCKS = 1 << 6,
    UNPACK_BLOCKS = 1 << 7,
    TWIN = 1 << 8,
    COUNTS = 1 << 9,  /* of what is combined */
    COUNTABLE = 1 << 10,
    ARE_COUNTABLE = 1 << 11,
    TYPES = 1 << 12,  /* each block has its own */
    PARTS = 1 << 13   /* counts of segments, where those of blocks differ */
};

static const struct c_piece pieces[] = {
    {BCAST, 0,
     "/* The same data may have another type and count on another rank. So what is cut\n"
     " * in segments is bytes, not elements; they are packed unless they lie packed. */\n"
     "static void collc_set_bytes(struct collc_run *run, void *data, int count, MPI_Datatype type)\n"
     "{\n"
     "    int combiner, integers, addresses, types, position = 0;\n"
     "    MPI_Aint lb, extent;\n"
     "    MPI_Count size;\n"
     "\n"
     "    collc_check(run, MPI_Type_size_x(type, &size));\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    collc_check(run, MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));\n"
     "    if (combiner == MPI_COMBINER_NAMED && extent == size) {\n"
     "        collc_set(run, buf, data, (int64_t)size * count, MPI_BYTE, run->segments);\n"
     "        return;\n"
     "    }\n"
     "    collc_make(run, buf, (int64_t)size * count, MPI_BYTE, run->segments);\n"
     "    if (run->error == MPI_SUCCESS && run->rank == run->root)\n"
     "        collc_check(run, MPI_Pack(data, count, type, run->buffer[buf].base, (int)size * count,\n"
     "                                  &position, run->comm));\n"
     "}\n"
     "\n"
     "static void collc_unpack(struct collc_run *run, void *data, int count, MPI_Datatype type)\n"
     "{\n"
     "    const struct collc_buffer *packed = &run->buffer[buf];\n"
     "    int position = 0;\n"
     "\n"
     "    if (run->block[buf] && run->rank != run->root)\n"
     "        collc_check(run, MPI_Unpack(packed->base, (int)packed->elements, &position, data, count,\n"
     "                                    type, run->comm));\n"
     "}\n"
     "\n"},
    {CUT, 0,
     "/* Whether data of the type are their bytes, *size for each element. */\n"
     "static int collc_is_packed(struct collc_run *run, MPI_Datatype type, MPI_Count *size)\n"
     "{\n"
     "    int combiner, integers, addresses, types;\n"
     "    MPI_Aint lb, extent;\n"
     "\n"
     "    collc_check(run, MPI_Type_size_x(type, size));\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    collc_check(run, MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));\n"
     "    return combiner == MPI_COMBINER_NAMED && extent == *size;\n"
     "}\n"
     "\n"},
    {BLOCKS, CUT,
     "/* Whether data of the type are their bytes, *size for each element. */\n"
     "static int collc_is_packed(struct collc_run *run, MPI_Datatype type, MPI_Count *size)\n"
     "{\n"
     "    int combiner, integers, addresses, types;\n"
     "    MPI_Aint lb, extent;\n"
     "\n"
     "    collc_check(run, MPI_Type_size_x(type, size));\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    collc_check(run, MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));\n"
     "    return combiner == MPI_COMBINER_NAMED && extent == *size;\n"
     "}\n"
     "\n"},
    {CUT, 0,
     "/* The same data may have another type and count on another rank. So what is cut\n"
     " * in segments is bytes, not elements; they are packed unless they lie packed. */\n"
     "static void collc_cut(struct collc_run *run, int which, const void *data, int blocks,\n"
     "                      int count, MPI_Datatype type)\n"
     "{\n"
     "    MPI_Count size;\n"
     "    int is_packed = collc_is_packed(run, type, &size);\n"
     "    int64_t bytes = (int64_t)size * count;\n"
     "\n"
     "    if (run->segments == 1)\n"
     "        collc_set(run, which, data, (int64_t)blocks * count, type, blocks);\n"
     "    else if (bytes > INT_MAX)\n"
     "        collc_check(run, MPI_ERR_COUNT);\n"
     "    else if (is_packed)\n"
     "        collc_set(run, which, data, blocks * bytes, MPI_BYTE, blocks * run->segments);\n"
     "    else\n"
     "        collc_make(run, which, blocks * bytes, MPI_BYTE, blocks * run->segments);\n"
     "}\n"
     "\n"},
    {PACK, 0,
     "/* Between the caller's blocks first .. first + n - 1 and their place in memory of our own, if\n"
     " * they have one. */\n"
     "static void collc_pack(struct collc_run *run, int which, const void *data, int first, int n,\n"
     "                       int count, MPI_Datatype type)\n"
     "{\n"
     "    int bytes, position = 0;\n"
     "    MPI_Aint lb, extent;\n"
     "\n"
     "    if (run->segments == 1 || !run->block[which] || run->error != MPI_SUCCESS)\n"
     "        return;\n"
     "    collc_check(run, MPI_Type_size(type, &bytes));\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    for (int i = first; i < first + n; i++, position = 0)\n"
     "        collc_check(run, MPI_Pack((const char *)data + (MPI_Aint)i * count * extent, count, type,\n"
     "                                  run->buffer[which].base + (MPI_Aint)i * bytes * count,\n"
     "                                  bytes * count, &position, run->comm));\n"
     "}\n"
     "\n"},
    {UNPACK, 0,
     "static void collc_unpack(struct collc_run *run, int which, void *data, int n, int count,\n"
     "                         MPI_Datatype type)\n"
     "{\n"
     "    int bytes, position = 0;\n"
     "    MPI_Aint lb, extent;\n"
     "\n"
     "    if (run->segments == 1 || !run->block[which])\n"
     "        return;\n"
     "    collc_check(run, MPI_Type_size(type, &bytes));\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &extent));\n"
     "    for (int i = 0; i < n; i++, position = 0)\n"
     "        collc_check(run, MPI_Unpack(run->buffer[which].base + (MPI_Aint)i * bytes * count,\n"
     "                                    bytes * count, &position,\n"
     "                                    (char *)data + (MPI_Aint)i * count * extent, count, type,\n"
     "                                    run->comm));\n"
     "}\n"
     "\n"},
    {SHARE, 0,
     "/* In place: the block of one buffer is the only one of another. */\n"
     "static void collc_share(struct collc_run *run, int which, int from, int block)\n"
     "{\n"
     "    struct collc_data data;\n"
     "\n"
     "    if (run->error != MPI_SUCCESS)\n"
     "        return;\n"
     "    data = collc_chunks(run, from, block * run->segments, run->segments);\n"
     "    collc_set(run, which, data.start, data.count, data.type, run->segments);\n"
     "}\n"
     "\n"},
    {PARTS, 0,
     "/* The segments before the k-th one have so many of n bytes or elements. */\n"
     "static int64_t collc_within(const struct collc_run *run, int64_t n, int64_t k)\n"
     "{\n"
     "    return n / run->segments * k + n % run->segments * k / run->segments;\n"
     "}\n"
     "\n"
     "/* Room for the counts of all segments. */\n"
     "static int *collc_new_counts(struct collc_run *run, int which)\n"
     "{\n"
     "    int *counts = malloc((size_t)(run->p * run->segments) * sizeof *counts);\n"
     "\n"
     "    free(run->cut[which]);\n"
     "    run->cut[which] = counts;\n"
     "    if (!counts)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "    return counts;\n"
     "}\n"
     "\n"},
    {BLOCKS, TYPES,
     "/* Blocks as the caller gives them: `places` in elements. */\n"
     "struct collc_blocks {\n"
     "    char *base;\n"
     "    const int *counts, *places;\n"
     "    MPI_Datatype type;\n"
     "};\n"
     "\n"
     "static struct collc_data collc_block(struct collc_run *run, const struct collc_blocks *blocks, int i)\n"
     "{\n"
     "    struct collc_data data = {blocks->base, blocks->counts[i], blocks->type};\n"
     "    MPI_Aint lb, extent = 0;\n"
     "\n"
     "    collc_check(run, MPI_Type_get_extent(blocks->type, &lb, &extent));\n"
     "    data.start += blocks->places[i] * extent;\n"
     "    return data;\n"
     "}\n"
     "\n"},
    {BLOCKS | TYPES, 0,
     "/* Blocks as the caller gives them: `places` in bytes. */\n"
     "struct collc_blocks {\n"
     "    char *base;\n"
     "    const int *counts, *places;\n"
     "    const MPI_Datatype *types;\n"
     "};\n"
     "\n"
     "static struct collc_data collc_block(struct collc_run *run, const struct collc_blocks *blocks, int i)\n"
     "{\n"
     "    struct collc_data data = {blocks->base + blocks->places[i], blocks->counts[i], blocks->types[i]};\n"
     "\n"
     "    (void)run;\n"
     "    return data;\n"
     "}\n"
     "\n"},
    {BLOCKS, 0,
     "/* Whether all lie packed; *bytes in all. */\n"
     "static int collc_are_packed(struct collc_run *run, const struct collc_blocks *blocks, int64_t *bytes)\n"
     "{\n"
     "    int are_packed = 1;\n"
     "    MPI_Count size = 0;\n"
     "\n"
     "    *bytes = 0;\n"
     "    for (int i = 0; i < run->p; i++) {\n"
     "        struct collc_data data = collc_block(run, blocks, i);\n"
     "\n"
     "        are_packed = collc_is_packed(run, data.type, &size) && are_packed;\n"
     "        if ((int64_t)size * data.count > INT_MAX)\n"
     "            collc_check(run, MPI_ERR_COUNT);\n"
     "        *bytes += (int64_t)size * data.count;\n"
     "    }\n"
     "    return are_packed;\n"
     "}\n"
     "\n"
     "/* The same data may have another type and count on another rank. So what is cut\n"
     " * in segments is bytes, not elements; they are packed unless they lie packed. */\n"
     "static void collc_cut_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)\n"
     "{\n"
     "    const int64_t segments = run->segments;\n"
     "    int64_t bytes, end = 0;\n"
     "    int are_packed = collc_are_packed(run, blocks, &bytes), *counts;\n"
     "    MPI_Aint *at;\n"
     "    MPI_Count size = 0;\n"},
    {BLOCKS, TYPES,
     "    if (segments == 1) {\n"
     "        collc_set_at(run, which, blocks->base, blocks->counts, blocks->places, blocks->type);\n"
     "        return;\n"
     "    }\n"},
    {BLOCKS | TYPES, 0,
     "    if (segments == 1) {\n"
     "        collc_set_types(run, which, blocks->base, blocks->counts, blocks->places, blocks->types);\n"
     "        return;\n"
     "    }\n"},
    {BLOCKS, 0,
     "    free(run->block[which]);\n"
     "    run->block[which] = are_packed ? NULL : malloc((size_t)bytes + 1);\n"
     "    if (!are_packed && !run->block[which])\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "    counts = collc_new_counts(run, which);\n"
     "    if (run->error != MPI_SUCCESS)\n"
     "        return;\n"
     "    collc_set(run, which, are_packed ? blocks->base : run->block[which], bytes, MPI_BYTE,\n"
     "              run->p * segments);\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    for (int i = 0; at && i < run->p; i++) {\n"
     "        struct collc_data data = collc_block(run, blocks, i);\n"
     "        MPI_Aint start = are_packed ? data.start - blocks->base : (MPI_Aint)end;\n"
     "\n"
     "        collc_check(run, MPI_Type_size_x(data.type, &size));\n"
     "        bytes = (int64_t)size * data.count;\n"
     "        for (int64_t k = 0; k < segments; k++) {\n"
     "            counts[i * segments + k] =\n"
     "                (int)(collc_within(run, bytes, k + 1) - collc_within(run, bytes, k));\n"
     "            at[i * segments + k] = start + (MPI_Aint)collc_within(run, bytes, k);\n"
     "        }\n"
     "        end += bytes;\n"
     "    }\n"
     "}\n"
     "\n"},
    {PACK_BLOCKS, 0,
     "/* Between the caller's blocks first .. first + n - 1 and their place in memory of our own, if\n"
     " * they have one. */\n"
     "static void collc_pack_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks,\n"
     "                              int first, int n)\n"
     "{\n"
     "    const struct collc_buffer *packed = &run->buffer[which];\n"
     "    int position = 0;\n"
     "\n"
     "    if (!run->block[which] || run->error != MPI_SUCCESS)\n"
     "        return;\n"
     "    for (int i = first; i < first + n; i++, position = 0) {\n"
     "        struct collc_data data = collc_block(run, blocks, i);\n"
     "\n"
     "        collc_check(run, MPI_Pack(data.start, data.count, data.type,\n"
     "                                  packed->base + packed->at[i * run->segments],\n"
     "                                  (int)collc_elements(packed, i * run->segments, run->segments),\n"
     "                                  &position, run->comm));\n"
     "    }\n"
     "}\n"
     "\n"},
    {UNPACK_BLOCKS, 0,
     "static void collc_unpack_blocks(struct collc_run *run, int which, const struct collc_blocks *blocks)\n"
     "{\n"
     "    const struct collc_buffer *packed = &run->buffer[which];\n"
     "    int position = 0;\n"
     "\n"
     "    for (int i = 0; run->block[which] && i < run->p; i++, position = 0) {\n"
     "        struct collc_data data = collc_block(run, blocks, i);\n"
     "\n"
     "        collc_check(run, MPI_Unpack(packed->base + packed->at[i * run->segments],\n"
     "                                    (int)collc_elements(packed, i * run->segments, run->segments),\n"
     "                                    &position, data.start, data.count, data.type, run->comm));\n"
     "    }\n"
     "}\n"
     "\n"},
    {TWIN, 0,
     "/* In place: `in` is to have, in memory of our own, what `out` has. */\n"
     "static void collc_make_twin(struct collc_run *run)\n"
     "{\n"
     "    const struct collc_buffer *other = &run->buffer[out];\n"
     "    MPI_Aint *at, end = 0;\n"
     "\n"
     "    free(run->block[in]);\n"
     "    run->block[in] = malloc((size_t)other->elements + 1);\n"
     "    if (!run->block[in]) {\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "        return;\n"
     "    }\n"
     "    collc_set(run, in, run->block[in], other->elements, MPI_BYTE, other->chunks);\n"
     "    at = collc_set_counts(run, in, other->counts);\n"
     "    for (int64_t i = 0; at && i < other->chunks; i++) {\n"
     "        at[i] = end;\n"
     "        end += other->counts[i];\n"
     "    }\n"
     "}\n"
     "\n"},
    {COUNTS, 0,
     "/* Blocks end to end, cut in segments of elements. */\n"
     "static void collc_cut_counts(struct collc_run *run, int which, const void *base, const int *blocks,\n"
     "                             MPI_Datatype type)\n"
     "{\n"
     "    const int64_t segments = run->segments;\n"
     "    int *counts;\n"
     "    MPI_Aint *at, end = 0;\n"
     "\n"
     "    if (segments == 1) {\n"
     "        collc_set_at(run, which, base, blocks, NULL, type);\n"
     "        return;\n"
     "    }\n"
     "    counts = collc_new_counts(run, which);\n"
     "    if (!counts)\n"
     "        return;\n"
     "    collc_set(run, which, base, collc_sum(blocks, run->p), type, run->p * segments);\n"
     "    at = collc_set_counts(run, which, counts);\n"
     "    for (int64_t i = 0; at && i < run->p * segments; i++) {\n"
     "        int64_t n = blocks[i / segments], k = i % segments;\n"
     "\n"
     "        counts[i] = (int)(collc_within(run, n, k + 1) - collc_within(run, n, k));\n"
     "        at[i] = end;\n"
     "        end += counts[i] * run->buffer[which].extent;\n"
     "    }\n"
     "}\n"
     "\n"},
    {COUNTABLE, 0,
     "/* Whether pieces of the data can be counted by an int; the same on all ranks. */\n"
     "static int collc_is_countable(int count, MPI_Datatype type)\n"
     "{\n"
     "    MPI_Count size = 0;\n"
     "\n"
     "    return MPI_Type_size_x(type, &size) == MPI_SUCCESS &&\n"
     "           (int64_t)size * count <= INT_MAX;\n"
     "}\n"
     "\n"},
    {ARE_COUNTABLE, 0,
     "/* Whether the bytes of each block can be counted by an int; the same on all ranks. */\n"
     "static int collc_are_countable(const int *counts, int n, MPI_Datatype type)\n"
     "{\n"
     "    MPI_Count size = 0;\n"
     "    int are = MPI_Type_size_x(type, &size) == MPI_SUCCESS;\n"
     "\n"
     "    for (int i = 0; i < n; i++)\n"
     "        are = are && (int64_t)size * counts[i] <= INT_MAX;\n"
     "    return are;\n"
     "}\n"
     "\n"},
};

struct cutting {
    unsigned pieces;
    const char *unfit; /* when all ranks leave it to the MPI's own; or NULL */
    const char *end;   /* the call that hands the result to the caller; or NULL */
};

enum { EQUAL = CUT | PACK | UNPACK | COUNTABLE, OWN_BLOCK = CUT | SHARE | PARTS | BLOCKS | PACK_BLOCKS };

static const char received[] = "collc_unpack(&run, out, recvbuf, run.p, recvcount, recvtype)";
static const char received_blocks[] =
    "collc_unpack_blocks(&run, out, &(struct collc_blocks){recvbuf, recvcounts, displs, recvtype})";

static const struct cutting of_collective[N_COLLECTIVES] = {
    [COLLECTIVE_bcast] = {BCAST | COUNTABLE, "!collc_is_countable(count, datatype)",
                          "collc_unpack(&run, buffer, count, datatype)"},
    [COLLECTIVE_alltoall] = {EQUAL, "!collc_is_countable(recvcount, recvtype)", received},
    [COLLECTIVE_allgather] = {EQUAL | SHARE, "!collc_is_countable(recvcount, recvtype)", received},
    [COLLECTIVE_gather] = {EQUAL | SHARE,
                           "!(sendbuf == MPI_IN_PLACE ? collc_is_countable(recvcount, recvtype)\n"
                           "                          : collc_is_countable(sendcount, sendtype))",
                           received},
    [COLLECTIVE_scatter] = {EQUAL | SHARE,
                            "!(recvbuf == MPI_IN_PLACE ? collc_is_countable(sendcount, sendtype)\n"
                            "                          : collc_is_countable(recvcount, recvtype))",
                            "collc_unpack(&run, out, recvbuf, 1, recvcount, recvtype)"},
};

static const struct cutting of_form[N_FORMS] = {
    [FORM_gatherv] = {OWN_BLOCK | PACK | UNPACK_BLOCKS, NULL, received_blocks},
    [FORM_scatterv] = {OWN_BLOCK | UNPACK, NULL,
                       "collc_unpack(&run, out, recvbuf, 1, recvcount, recvtype)"},
    [FORM_allgatherv] = {OWN_BLOCK | PACK | UNPACK_BLOCKS | ARE_COUNTABLE,
                         "!collc_are_countable(recvcounts, run.p, recvtype)", received_blocks},
    [FORM_alltoallv] = {PARTS | BLOCKS | PACK_BLOCKS | UNPACK_BLOCKS | TWIN, NULL,
                        "collc_unpack_blocks(&run, out,\n"
                        "                    &(struct collc_blocks){recvbuf, recvcounts, rdispls,\n"
                        "                                           recvtype})"},
    [FORM_alltoallw] = {PARTS | BLOCKS | PACK_BLOCKS | UNPACK_BLOCKS | TWIN | TYPES, NULL,
                        "collc_unpack_blocks(&run, out,\n"
                        "                    &(struct collc_blocks){recvbuf, recvcounts, rdispls,\n"
                        "                                           recvtypes})"},
    [FORM_reduce_scatter] = {PARTS | COUNTS, NULL, NULL},
};

static const struct cutting *cutting_of(const struct c_unit *unit)
{
    static const struct cutting none;
    if (!(unit->features & C_SEGMENTS))
        return &none;
    return unit->form == FORM_EQUAL ? &of_collective[unit->collective] : &of_form[unit->form];
}

void c_runtime_cut(const struct c_unit *unit, struct text *out)
{
    c_pieces(pieces, sizeof pieces / sizeof *pieces, cutting_of(unit)->pieces, out);
}

void c_cut_unfit(const struct c_unit *unit, struct text *out)
{
    const struct cutting *cutting = cutting_of(unit);
    if (!cutting->unfit)
        return;
    text_printf(out, " ||\n        (run.segments > 1 && ");
    c_hanging(cutting->unfit, 29, out);
    text_printf(out, ")");
}

void c_cut_end(const struct c_unit *unit, struct text *out)
{
    const struct cutting *cutting = cutting_of(unit);
    if (!cutting->end)
        return;
    text_printf(out, "    if (run.error == MPI_SUCCESS)\n        ");
    c_hanging(cutting->end, 8, out);
    text_printf(out, ";\n");
}
