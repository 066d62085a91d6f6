/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run time of emitted C, as text. It is what the program form and the table
 * form have in common: buffers cut in chunks, messages collected into a step,
 * the step posted and waited for. Each piece says what it needs, so that an
 * algorithm carries only what it uses.
 *
 * What the text must keep (ir/schedule.h): copies of a step come before its
 * messages are posted, which is why messages are collected first and posted at
 * the end of the step; reductions come after everything has arrived.
 */
#include "emitters/mpi_c.h"

void c_pieces(const struct c_piece *pieces, size_t n, unsigned features, struct text *out)
{
    for (size_t i = 0; i < n; i++)
        if ((features & pieces[i].needs) == pieces[i].needs && !(features & pieces[i].unless))
            text_printf(out, "%s", pieces[i].text);
}

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

static const struct c_piece structs[] = {
    {C_RANGE, 0, "#include <limits.h>\n"},
    {C_PACK, C_RANGE, "#include <limits.h>\n"},
    {0, 0, "#include <pthread.h>\n#include <stdint.h>\n"},
    {0, 0, "#include <stdlib.h>\n"},
    {C_CLUSTERS, 0, "#include <string.h>\n"},
    {0, 0, "\n#include <mpi.h>\n\n"},
    {C_DATA, 0,
     "enum { in, out, buf, tmp, collc_aside, n_buffers };\n"
     "\n"
     "/* A buffer, cut in chunks that differ by at most one element. */\n"
     "struct collc_buffer {\n"
     "    char *base;\n"
     "    MPI_Datatype type;\n"
     "    MPI_Aint extent;  /* bytes from one element to the next */\n"
     "    int64_t elements; /* of all chunks together */\n"
     "    int64_t chunks;\n"},
    {C_UNEQUAL, 0,
     "    const int *counts; /* elements of each chunk; NULL: cut as above */\n"
     "    const MPI_Aint *at; /* bytes from `base` to each chunk */\n"},
    {C_TYPES, 0, "    const MPI_Datatype *types; /* of each chunk; NULL: all of one */\n"},
    {C_DATA, 0,
     "};\n"
     "\n"
     "struct collc_data {\n"
     "    char *start;\n"
     "    int count;\n"
     "    MPI_Datatype type;\n"
     "};\n"
     "\n"},
    {0, 0, "enum collc_kind { collc_is_send, collc_is_recv"},
    {C_REDUCE, 0, ", collc_is_reduce"},
    {0, 0,
     " };\n"
     "\n"
     "struct collc_message {\n"
     "    enum collc_kind kind;\n"
     "    int peer;\n"
     "    MPI_Request request;\n"},
    {C_DATA, 0, "    struct collc_data data;\n"},
    {C_RANGE, 0, "    int has_own_type; /* made for this message */\n"},
    {C_HELD, C_UNEQUAL, "    int64_t tmp_chunk; /* or -1 */\n"},
    {C_REDUCE, 0, "    int64_t aside; /* element from which on it is received aside */\n"},
    {C_REDUCE | C_RANGE, 0, "    int64_t elements; /* to be combined */\n"},
    {0, 0,
     "};\n"
     "\n"
     "/* Kept with the caller's communicator. */\n"
     "struct collc_comm {\n"
     "    MPI_Comm comm; /* private: no message of the caller can get in the way */\n"},
    {C_SERVERS, 0,
     "    int servers, slots;   /* slots: 0 if the servers differ */\n"
     "    int max_slots;        /* of the server with most ranks */\n"
     "    int *server, *slot;   /* of each rank */\n"
     "    int *n_slots, *first; /* of each server: its ranks, and where they begin below */\n"
     "    int *rank_at;         /* by server, then slot */\n"},
    {C_CLUSTERS, 0,
     "    int clusters, cluster_servers, cluster_ranks; /* of each: 0 if the clusters differ */\n"
     "    int *place, *at_place; /* of each rank by cluster, server and slot; the rank there */\n"},
    {0, 0,
     "};\n"
     "\n"
     "/* One call. */\n"
     "struct collc_run {\n"
     "    MPI_Comm comm;\n"},
    {C_SERVERS, 0, "    const struct collc_comm *own;\n"},
    {0, 0, "    int p, rank"},
    {C_ROOT, 0, ", root"},
    {C_MAP, 0, ", number"},
    {C_MAP | C_ROOT, 0, ", lead, stand_in"},
    {C_MAP, 0, ", is_mapped"},
    {0, 0,
     ";\n"
     "    int error; /* the first one */\n"},
    {C_GRID, C_DIMENSIONS, "    int grid[3];\n"},
    {C_DIMENSIONS, 0, "    int grid[8], dimensions, first; /* first: what rank numbers count from */\n"},
    {C_SEGMENTS, 0, "    int64_t segments;\n"},
    {C_TMP, 0, "    int64_t n_tmp;\n"},
    {C_COORDINATES, 0, "    int64_t extent[4], stride[4], coordinate[4];\n"},
    {C_ORIGIN, 0, "    int64_t origin[4]; /* the root's coordinates */\n"},
    {C_DATA, 0, "    struct collc_buffer buffer[n_buffers];\n"},
    {C_ALLOC, 0, "    void *block[n_buffers]; /* memory of our own behind a buffer */\n"},
    {C_HELD, C_UNEQUAL, "    int *held;              /* elements in each chunk of tmp */\n"},
    {C_UNEQUAL, 0, "    MPI_Aint *at[n_buffers]; /* places of the chunks of each buffer */\n"},
    {C_UNEQUAL | C_SEGMENTS, 0, "    int *cut[n_buffers];    /* counts of their segments */\n"},
    {C_UNEQUAL | C_TMP, 0, "    int *tmp_counts;\n"},
    {C_TYPES | C_TMP, 0, "    MPI_Datatype *tmp_types;\n"},
    {C_REDUCE, 0,
     "    MPI_Op op;\n"
     "    MPI_Datatype type; /* of what is combined */\n"
     "    int64_t n_aside; /* elements this step receives aside */\n"},
    {C_WINDOW, 0, "    int64_t window, n_steps; /* steps per wait, and since the last */\n"},
    {0, 0,
     "    struct collc_message *messages; /* of this step */\n"
     "    int n_messages, capacity;\n"
     "};\n"
     "\n"},
};

/* At the beginning of what adds a message, and returns `result` without one. */
#define ABSENT(result)                                                                        \
    "    if (peer < 0) /* no such rank: the server has fewer */\n"                            \
    "        return" result ";\n"

/* Where a program has messages without data, a range that is empty is one as well. */
#define SIGNAL                                                                                \
    "    if (n == 0) {\n"                                                                     \
    "        collc_signal(run, kind, peer);\n"                                                \
    "        return;\n"                                                                       \
    "    }\n"

/* Messages of a step. */
static const struct c_piece messages[] = {
    {0, 0,
     "/* One more message in the step, without data; NULL if there is no memory. */\n"
     "static struct collc_message *collc_new_message(struct collc_run *run, enum collc_kind kind,\n"
     "                                               int peer)\n"
     "{\n"
     "    struct collc_message *message;\n"
     "\n"},
    {C_RAGGED, C_DATA, ABSENT(" NULL")},
    {C_RAGGED | C_SIGNAL, 0, ABSENT(" NULL")},
    {0, 0,
     "    if (run->n_messages == run->capacity) {\n"
     "        int wanted = 2 * run->capacity + 8;\n"
     "        void *more = realloc(run->messages, (size_t)wanted * sizeof *run->messages);\n"
     "\n"
     "        if (!more) {\n"
     "            collc_check(run, MPI_ERR_NO_MEM);\n"
     "            return NULL;\n"
     "        }\n"
     "        run->messages = more;\n"
     "        run->capacity = wanted;\n"
     "    }\n"
     "    message = &run->messages[run->n_messages++];\n"},
    {0, C_MAP, "    *message = (struct collc_message){.kind = kind, .peer = peer};\n"},
    {C_MAP, 0,
     "    *message = (struct collc_message){.kind = kind, .peer = (int)collc_rank_of(run, peer)};\n"},
    {0, 0,
     "    return message;\n"
     "}\n"
     "\n"},
    {C_RANGE, C_UNEQUAL | C_SEGMENTS,
     "/* More elements than an int counts: whole chunks are counted instead. */\n"
     "static void collc_make_type(struct collc_run *run, struct collc_message *message, int which,\n"
     "                            int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "\n"
     "    message->has_own_type = buffer->elements / buffer->chunks * n > INT_MAX;\n"
     "    if (!message->has_own_type)\n"
     "        return;\n"
     "    message->data.count = (int)n;\n"
     "    collc_check(run, MPI_Type_contiguous((int)(buffer->elements / buffer->chunks),\n"
     "                                         buffer->type, &message->data.type));\n"
     "    collc_check(run, MPI_Type_commit(&message->data.type));\n"
     "}\n"
     "\n"},
    {C_RANGE | C_SEGMENTS, 0,
     "/* More elements than an int counts: many at a time, and what is left over. */\n"
     "static void collc_make_type(struct collc_run *run, struct collc_message *message, int which,\n"
     "                            int64_t chunk, int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "    const int many = 1 << 20;\n"
     "    int64_t left = collc_elements(buffer, chunk, n);\n"
     "    MPI_Aint from[2] = {0, (MPI_Aint)(left / many * many) * buffer->extent};\n"
     "    int counts[2] = {(int)(left / many), (int)(left % many)};\n"
     "    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, buffer->type};\n"
     "\n"},
    {C_RANGE | C_SEGMENTS | C_UNEQUAL, 0,
     "    if (buffer->counts)\n"
     "        return; /* collc_join */\n"},
    {C_RANGE | C_SEGMENTS, 0,
     "    message->has_own_type = left > INT_MAX;\n"
     "    if (!message->has_own_type)\n"
     "        return;\n"
     "    message->data.count = 1;\n"
     "    collc_check(run, MPI_Type_contiguous(many, buffer->type, &types[0]));\n"
     "    collc_check(run, MPI_Type_create_struct(2, counts, from, types, &message->data.type));\n"
     "    collc_check(run, MPI_Type_commit(&message->data.type));\n"
     "    collc_check(run, MPI_Type_free(&types[0]));\n"
     "}\n"
     "\n"},
    {C_RANGE | C_UNEQUAL, C_TYPES,
     "static int collc_block_type(const struct collc_buffer *buffer, int64_t chunk, int n,\n"
     "                            const MPI_Aint *from, MPI_Datatype *type)\n"
     "{\n"
     "    return MPI_Type_create_hindexed(n, buffer->counts + chunk, from, buffer->type, type);\n"
     "}\n"
     "\n"},
    {C_RANGE | C_TYPES, 0,
     "static int collc_block_type(const struct collc_buffer *buffer, int64_t chunk, int n,\n"
     "                            const MPI_Aint *from, MPI_Datatype *type)\n"
     "{\n"
     "    return MPI_Type_create_struct(n, buffer->counts + chunk, from, buffer->types + chunk, type);\n"
     "}\n"
     "\n"},
    {C_RANGE | C_UNEQUAL, 0,
     "/* Chunks anywhere in memory: a type of n blocks, counted from the first. */\n"
     "static void collc_make_blocks(struct collc_run *run, struct collc_message *message, int which,\n"
     "                              int64_t chunk, int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "    MPI_Aint *from = malloc((size_t)n * sizeof *from);\n"
     "\n"
     "    message->data.start = buffer->base + buffer->at[chunk];\n"
     "    message->data.count = 0;\n"
     "    if (!from) {\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"
     "        return;\n"
     "    }\n"
     "    for (int64_t i = 0; i < n; i++)\n"
     "        from[i] = buffer->at[chunk + i] - buffer->at[chunk];\n"
     "    message->data.count = 1;\n"
     "    message->has_own_type = 1;\n"
     "    collc_check(run, collc_block_type(buffer, chunk, (int)n, from, &message->data.type));\n"
     "    collc_check(run, MPI_Type_commit(&message->data.type));\n"
     "    free(from);\n"
     "}\n"
     "\n"
     "/* Chunks that lie end to end are sent as one. */\n"
     "static void collc_join(struct collc_run *run, struct collc_message *message, int which,\n"
     "                       int64_t chunk, int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "    MPI_Aint end = 0;\n"
     "    int64_t sum = 0;\n"},
    {C_RANGE | C_TYPES, 0, "    int is_joint = n <= 1 || !buffer->types;\n"},
    {C_RANGE | C_UNEQUAL, C_TYPES, "    int is_joint = 1;\n"},
    {C_RANGE | C_UNEQUAL, 0,
     "\n"
     "    if (!buffer->counts || n == 1)\n"
     "        return;\n"
     "    for (int64_t i = chunk; i < chunk + n; i++) {\n"
     "        if (buffer->counts[i] == 0)\n"
     "            continue;\n"
     "        if (sum == 0)\n"
     "            message->data.start = buffer->base + buffer->at[i];\n"
     "        is_joint = is_joint && (sum == 0 || buffer->at[i] == end);\n"
     "        end = buffer->at[i] + (MPI_Aint)buffer->counts[i] * buffer->extent;\n"
     "        sum += buffer->counts[i];\n"
     "    }\n"
     "    message->data.count = (int)sum;\n"
     "    if (sum > 0 && (!is_joint || sum > INT_MAX))\n"
     "        collc_make_blocks(run, message, which, chunk, n);\n"
     "}\n"
     "\n"},
    {C_SIGNAL, 0,
     "/* A message without data. */\n"
     "static void collc_signal(struct collc_run *run, enum collc_kind kind, int peer)\n"
     "{\n"
     "    struct collc_message *message;\n"
     "\n"
     "    message = collc_new_message(run, kind == collc_is_send ? kind : collc_is_recv, peer);\n"
     "    if (!message)\n"
     "        return;\n"
     "    message->data.type = MPI_BYTE;\n"},
    {C_SIGNAL | C_HELD, C_UNEQUAL, "    message->tmp_chunk = -1;\n"},
    {C_SIGNAL, 0, "}\n\n"},
    {C_DATA, 0,
     "static void collc_add(struct collc_run *run, enum collc_kind kind, int which, int64_t chunk,\n"
     "                      int64_t n, int peer)\n"
     "{\n"
     "    struct collc_message *message;\n"
     "\n"},
    {C_SIGNAL | C_COORDINATES, C_EACH, SIGNAL},
    {C_RAGGED | C_DATA, 0, ABSENT("")},
    {C_DATA, 0,
     "    if (!collc_has(run, which, chunk, n))\n"
     "        return;\n"},
    {C_UNEQUAL, 0,
     "    if (collc_is_empty(&run->buffer[which], chunk, n))\n"
     "        return; /* the peer knows that as well */\n"},
    {C_DATA, 0,
     "    message = collc_new_message(run, kind, peer);\n"
     "    if (!message)\n"
     "        return;\n"},
    {C_DATA, C_PLACE, "    message->data = collc_chunks(run, which, chunk, n);\n"},
    {C_DATA | C_PLACE, 0,
     "    message->data = collc_chunks(run, which, collc_place_of(run, which, chunk), n);\n"},
    {C_RANGE, C_UNEQUAL | C_SEGMENTS, "    collc_make_type(run, message, which, n);\n"},
    {C_RANGE | C_SEGMENTS, 0, "    collc_make_type(run, message, which, chunk, n);\n"},
    {C_RANGE | C_UNEQUAL, 0, "    collc_join(run, message, which, chunk, n);\n"},
    {C_HELD, C_UNEQUAL, "    message->tmp_chunk = which == tmp ? chunk : -1;\n"},
    {C_REDUCE, 0, "    message->aside = run->n_aside;\n"},
    {C_REDUCE | C_RANGE, 0,
     "    message->elements = collc_elements(&run->buffer[which], chunk, n);\n"
     "    if (kind == collc_is_reduce)\n"
     "        run->n_aside += message->elements;\n"},
    {C_REDUCE, C_RANGE,
     "    if (kind == collc_is_reduce)\n"
     "        run->n_aside += message->data.count;\n"},
    {C_DATA, 0, "}\n\n"},
    {C_EACH, 0,
     "/* The chunks travel one by one: they do not lie end to end. */\n"
     "static void collc_add_each(struct collc_run *run, enum collc_kind kind, int which,\n"
     "                           int64_t chunk, int64_t n, int peer)\n"
     "{\n"},
    {C_SIGNAL | C_COORDINATES | C_EACH, 0, SIGNAL},
    {C_EACH, 0,
     "    for (int64_t i = 0; i < n; i++)\n"
     "        collc_add(run, kind, which, chunk + i, 1, peer);\n"
     "}\n"
     "\n"},
};

#define WRAPPER(name, kind, add)                                                              \
    "static void " name "(struct collc_run *run, int which, int64_t chunk, int64_t n, int peer)\n" \
    "{\n"                                                                                     \
    "    " add "(run, " kind ", which, chunk, n, peer);\n"                                    \
    "}\n"                                                                                     \
    "\n"

static const struct c_piece operations[] = {
    {C_DATA | C_SEND, C_EACH, WRAPPER("collc_send", "collc_is_send", "collc_add")},
    {C_DATA | C_RECV, C_EACH, WRAPPER("collc_recv", "collc_is_recv", "collc_add")},
    {C_REDUCE_OP, C_EACH, WRAPPER("collc_reduce", "collc_is_reduce", "collc_add")},
    {C_EACH | C_SEND, 0, WRAPPER("collc_send", "collc_is_send", "collc_add_each")},
    {C_EACH | C_RECV, 0, WRAPPER("collc_recv", "collc_is_recv", "collc_add_each")},
    {C_EACH | C_REDUCE_OP, 0, WRAPPER("collc_reduce", "collc_is_reduce", "collc_add_each")},
    {C_SEND, C_DATA,
     "static void collc_send(struct collc_run *run, int peer)\n"
     "{\n"
     "    collc_new_message(run, collc_is_send, peer);\n"
     "}\n"
     "\n"},
    {C_RECV, C_DATA,
     "static void collc_recv(struct collc_run *run, int peer)\n"
     "{\n"
     "    collc_new_message(run, collc_is_recv, peer);\n"
     "}\n"
     "\n"},
};

/* The end of a step. */
static const struct c_piece step_end[] = {
    {C_REDUCE, 0,
     "/* Where a message is received: what is to be combined, aside. */\n"
     "static char *collc_place(const struct collc_run *run, const struct collc_message *message)\n"
     "{\n"
     "    const struct collc_buffer *aside = &run->buffer[collc_aside];\n"
     "\n"
     "    if (message->kind != collc_is_reduce)\n"
     "        return message->data.start;\n"
     "    return aside->base + (MPI_Aint)message->aside * aside->extent;\n"
     "}\n"
     "\n"},
    {0, 0,
     "static void collc_post(struct collc_run *run, struct collc_message *message)\n"
     "{\n"
     "    MPI_Request *request = &message->request;\n"
     "\n"
     "    *request = MPI_REQUEST_NULL;\n"},
    {C_HELD, C_UNEQUAL,
     "    if (message->tmp_chunk >= 0 && message->kind != collc_is_recv)\n"
     "        message->data.count = run->held[message->tmp_chunk];\n"},
    {C_DATA, C_REDUCE,
     "    if (message->kind == collc_is_send)\n"
     "        collc_check(run, MPI_Isend(message->data.start, message->data.count,\n"
     "                                   message->data.type, message->peer, 0, run->comm, request));\n"
     "    else\n"
     "        collc_check(run, MPI_Irecv(message->data.start, message->data.count,\n"
     "                                   message->data.type, message->peer, 0, run->comm, request));\n"},
    {C_REDUCE, 0,
     "    if (message->kind == collc_is_send)\n"
     "        collc_check(run, MPI_Isend(message->data.start, message->data.count,\n"
     "                                   message->data.type, message->peer, 0, run->comm, request));\n"
     "    else\n"
     "        collc_check(run, MPI_Irecv(collc_place(run, message), message->data.count,\n"
     "                                   message->data.type, message->peer, 0, run->comm, request));\n"},
    {0, C_DATA,
     "    if (message->kind == collc_is_send)\n"
     "        collc_check(run, MPI_Isend(NULL, 0, MPI_BYTE, message->peer, 0, run->comm, request));\n"
     "    else\n"
     "        collc_check(run, MPI_Irecv(NULL, 0, MPI_BYTE, message->peer, 0, run->comm, request));\n"},
    {0, 0, "}\n\n"},
    {C_HELD, C_UNEQUAL,
     "/* Notes how much a chunk of tmp holds now. */\n"
     "static void collc_note_held(struct collc_run *run, const struct collc_message *message,\n"
     "                            const MPI_Status *status)\n"
     "{\n"
     "    int count = 0;\n"
     "\n"
     "    if (message->kind != collc_is_recv || message->tmp_chunk < 0)\n"
     "        return;\n"
     "    collc_check(run, MPI_Get_count(status, message->data.type, &count));\n"
     "    run->held[message->tmp_chunk] = count < 0 ? 0 : count;\n"
     "}\n"
     "\n"},
    {0, 0,
     "static void collc_wait(struct collc_run *run, struct collc_message *message)\n"
     "{\n"},
    {0, C_TMP, "    collc_check(run, MPI_Wait(&message->request, MPI_STATUS_IGNORE));\n"},
    {C_TMP, C_SEGMENTS, "    collc_check(run, MPI_Wait(&message->request, MPI_STATUS_IGNORE));\n"},
    {C_HELD | C_UNEQUAL, 0, "    collc_check(run, MPI_Wait(&message->request, MPI_STATUS_IGNORE));\n"},
    {C_HELD, C_UNEQUAL,
     "    MPI_Status status;\n"
     "\n"
     "    collc_check(run, MPI_Wait(&message->request, &status));\n"
     "    collc_note_held(run, message, &status);\n"},
    {0, 0,
     "}\n"
     "\n"
     "/* Posts all receives, then all sends, and waits for all of them. */\n"
     "static void collc_exchange(struct collc_run *run)\n"
     "{\n"
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        if (run->messages[i].kind != collc_is_send)\n"
     "            collc_post(run, &run->messages[i]);\n"
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        if (run->messages[i].kind == collc_is_send)\n"
     "            collc_post(run, &run->messages[i]);\n"
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        collc_wait(run, &run->messages[i]);\n"
     "}\n"
     "\n"},
    {C_REDUCE | C_RANGE, 0,
     "/* No more elements at once than an int counts. */\n"
     "static void collc_combine(struct collc_run *run, const struct collc_message *message)\n"
     "{\n"
     "    const MPI_Aint extent = run->buffer[collc_aside].extent;\n"
     "    int64_t left = message->kind == collc_is_reduce ? message->elements : 0;\n"
     "    char *from = left ? collc_place(run, message) : NULL, *to = message->data.start;\n"
     "\n"
     "    while (left > 0) {\n"
     "        int n = left < INT_MAX ? (int)left : INT_MAX;\n"
     "\n"
     "        collc_check(run, MPI_Reduce_local(from, to, n, run->type, run->op));\n"
     "        from += n * extent;\n"
     "        to += n * extent;\n"
     "        left -= n;\n"
     "    }\n"
     "}\n"
     "\n"},
    {C_REDUCE, C_RANGE,
     "static void collc_combine(struct collc_run *run, const struct collc_message *message)\n"
     "{\n"
     "    if (message->kind == collc_is_reduce)\n"
     "        collc_check(run, MPI_Reduce_local(collc_place(run, message), message->data.start,\n"
     "                                          message->data.count, message->data.type, run->op));\n"
     "}\n"
     "\n"},
    {0, 0,
     "/* The step has been described: do it. */\n"
     "static void collc_end_step(struct collc_run *run)\n"
     "{\n"},
    {C_WINDOW, 0,
     "    if (++run->n_steps < run->window)\n"
     "        return;\n"
     "    run->n_steps = 0;\n"},
    {C_REDUCE, 0,
     "    if (run->n_aside > run->buffer[collc_aside].elements)\n"
     "        collc_make(run, collc_aside, run->n_aside, run->type, 1);\n"
     "    if (!run->n_aside || run->block[collc_aside]) {\n"
     "        collc_exchange(run);\n"
     "        for (int i = 0; i < run->n_messages; i++)\n"
     "            collc_combine(run, &run->messages[i]);\n"
     "    } else {\n"
     "        run->n_messages = 0; /* no memory */\n"
     "    }\n"
     "    run->n_aside = 0;\n"},
    {0, C_REDUCE, "    collc_exchange(run);\n"},
    {C_RANGE, 0,
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        if (run->messages[i].has_own_type)\n"
     "            MPI_Type_free(&run->messages[i].data.type);\n"},
    {0, 0, "    run->n_messages = 0;\n}\n\n"},
    {C_WINDOW, 0,
     "/* From here on `window` steps are posted together and waited for together. */\n"
     "static void collc_begin_window(struct collc_run *run, int64_t window)\n"
     "{\n"
     "    run->window = window;\n"
     "    run->n_steps = 0;\n"
     "}\n"
     "\n"
     "static void collc_end_window(struct collc_run *run)\n"
     "{\n"
     "    run->window = 1;\n"
     "    if (run->n_steps > 0)\n"
     "        collc_end_step(run);\n"
     "}\n"
     "\n"},
};

void c_runtime(const struct c_unit *unit, struct text *out)
{
    PRINT(structs, unit->features, out);
    if (unit->features & C_CLUSTERS)
        c_clusters(unit, out);
    c_runtime_comm(unit->features, out);
    if (unit->features & C_MAP)
        c_map(unit, out);
    c_runtime_data(unit, out);
    PRINT(messages, unit->features, out);
    PRINT(operations, unit->features, out);
    PRINT(step_end, unit->features, out);
}
