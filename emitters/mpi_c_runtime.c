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
     "    int64_t chunks;\n"
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
     "    int peer;\n"},
    {C_DATA, 0, "    struct collc_data data;\n"},
    {C_RANGE, 0, "    int has_own_type; /* made for this message */\n"},
    {C_HELD, 0, "    int64_t tmp_chunk; /* or -1 */\n"},
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
    {0, 0,
     "};\n"
     "\n"
     "/* One call. */\n"
     "struct collc_run {\n"
     "    MPI_Comm comm;\n"},
    {C_SERVERS, 0, "    const struct collc_comm *own;\n"},
    {0, 0, "    int p, rank"},
    {C_ROOT, 0, ", root"},
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
    {C_HELD, 0, "    int *held;              /* elements in each chunk of tmp */\n"},
    {C_REDUCE, 0,
     "    MPI_Op op;\n"
     "    MPI_Datatype type; /* of what is combined */\n"
     "    int64_t n_aside; /* elements this step receives aside */\n"},
    {C_WINDOW, 0, "    int64_t window, n_steps; /* steps per wait, and since the last */\n"},
    {0, 0,
     "    struct collc_message *messages; /* of this step */\n"
     "    MPI_Request *requests;\n"
     "    MPI_Status *statuses;\n"
     "    int n_messages, capacity;\n"
     "};\n"
     "\n"},
};

/* The private communicator and what is found out about the caller's. */
static const struct c_piece communicator[] = {
    {0, 0,
     "/* Remembers the first error. The schedule goes on after it, so that no other\n"
     " * rank is left waiting. */\n"
     "static void collc_check(struct collc_run *run, int error)\n"
     "{\n"
     "    if (run->error == MPI_SUCCESS)\n"
     "        run->error = error;\n"
     "}\n"
     "\n"
     "static pthread_once_t collc_once = PTHREAD_ONCE_INIT;\n"
     "static int collc_keyval = MPI_KEYVAL_INVALID;\n"
     "\n"
     "/* The caller's communicator is being freed, and with it ours. */\n"
     "static int collc_forget(MPI_Comm comm, int keyval, void *value, void *extra)\n"
     "{\n"
     "    struct collc_comm *own = value;\n"
     "    int error = own->comm == MPI_COMM_NULL ? MPI_SUCCESS : MPI_Comm_free(&own->comm);\n"
     "\n"
     "    (void)comm, (void)keyval, (void)extra;\n"},
    {C_SERVERS, 0, "    free(own->server);\n"},
    {0, 0,
     "    free(own);\n"
     "    return error;\n"
     "}\n"
     "\n"},
    {C_SERVERS, 0,
     "/* Numbers servers and slots from leader[rank], the lowest rank of its server. */\n"
     "static void collc_number(struct collc_comm *own, const int *leader, int p)\n"
     "{\n"
     "    for (int r = 0; r < p; r++) {\n"
     "        if (leader[r] == r)\n"
     "            own->server[r] = own->servers++;\n"
     "        else\n"
     "            own->server[r] = own->server[leader[r]];\n"
     "        own->slot[r] = own->n_slots[own->server[r]]++;\n"
     "    }\n"
     "    own->slots = own->n_slots[0];\n"
     "    for (int s = 0; s < own->servers; s++) {\n"
     "        if (own->n_slots[s] != own->n_slots[0])\n"
     "            own->slots = 0;\n"
     "        if (own->n_slots[s] > own->max_slots)\n"
     "            own->max_slots = own->n_slots[s];\n"
     "        if (s > 0)\n"
     "            own->first[s] = own->first[s - 1] + own->n_slots[s - 1];\n"
     "    }\n"
     "    for (int r = 0; r < p; r++)\n"
     "        own->rank_at[own->first[own->server[r]] + own->slot[r]] = r;\n"
     "}\n"
     "\n"
     "/* Servers are the groups of ranks that can share memory. COLLC_SLOTS=n in the\n"
     " * environment makes servers of n ranks each: to try out the schedule on one\n"
     " * machine. */\n"
     "static int collc_leader(MPI_Comm comm, int rank, int *leader)\n"
     "{\n"
     "    const char *slots = getenv(\"COLLC_SLOTS\");\n"
     "    int n = slots ? atoi(slots) : 0;\n"
     "    MPI_Comm server;\n"
     "    int error = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL,\n"
     "                                    &server);\n"
     "\n"
     "    if (error != MPI_SUCCESS)\n"
     "        return error;\n"
     "    *leader = rank;\n"
     "    error = PMPI_Bcast(leader, 1, MPI_INT, 0, server);\n"
     "    MPI_Comm_free(&server);\n"
     "    if (n > 0)\n"
     "        *leader = rank - rank % n;\n"
     "    return error;\n"
     "}\n"
     "\n"
     "static int collc_find_servers(struct collc_comm *own)\n"
     "{\n"
     "    int rank, p, leader, error;\n"
     "    int *all;\n"
     "\n"
     "    MPI_Comm_rank(own->comm, &rank);\n"
     "    MPI_Comm_size(own->comm, &p);\n"
     "    all = calloc((size_t)p, 6 * sizeof *all);\n"
     "    if (!all)\n"
     "        return MPI_ERR_NO_MEM;\n"
     "    own->server = all;\n"
     "    own->slot = all + p;\n"
     "    own->n_slots = own->slot + p;\n"
     "    own->first = own->n_slots + p;\n"
     "    own->rank_at = own->first + p;\n"
     "    error = collc_leader(own->comm, rank, &leader);\n"
     "    if (error == MPI_SUCCESS)\n"
     "        error = PMPI_Allgather(&leader, 1, MPI_INT, own->rank_at + p, 1, MPI_INT, own->comm);\n"
     "    if (error == MPI_SUCCESS)\n"
     "        collc_number(own, own->rank_at + p, p);\n"
     "    return error;\n"
     "}\n"
     "\n"},
    {0, 0,
     "static int collc_set_up(MPI_Comm comm, struct collc_comm *own)\n"
     "{\n"
     "    int error = MPI_Comm_dup(comm, &own->comm);\n"
     "\n"
     "    if (error == MPI_SUCCESS)\n"
     "        error = MPI_Comm_set_errhandler(own->comm, MPI_ERRORS_RETURN);\n"},
    {C_SERVERS, 0,
     "    if (error == MPI_SUCCESS)\n"
     "        error = collc_find_servers(own);\n"},
    {0, 0,
     "    if (error == MPI_SUCCESS)\n"
     "        error = MPI_Comm_set_attr(comm, collc_keyval, own);\n"
     "    return error;\n"
     "}\n"
     "\n"
     "static void collc_make_keyval(void)\n"
     "{\n"
     "    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collc_forget, &collc_keyval, NULL);\n"
     "}\n"
     "\n"
     "/* What is kept with `comm`; made at the first call. */\n"
     "static int collc_own(MPI_Comm comm, struct collc_comm **own)\n"
     "{\n"
     "    int error, found = 0;\n"
     "\n"
     "    pthread_once(&collc_once, collc_make_keyval);\n"
     "    error = MPI_Comm_get_attr(comm, collc_keyval, own, &found);\n"
     "    if (error != MPI_SUCCESS || found)\n"
     "        return error;\n"
     "    *own = calloc(1, sizeof **own);\n"
     "    if (!*own)\n"
     "        return MPI_ERR_NO_MEM;\n"
     "    (*own)->comm = MPI_COMM_NULL;\n"
     "    error = collc_set_up(comm, *own);\n"
     "    if (error != MPI_SUCCESS)\n"
     "        collc_forget(comm, collc_keyval, *own, NULL);\n"
     "    return error;\n"
     "}\n"
     "\n"},
};

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
     "    buffer->chunks = chunks;\n"
     "    collc_check(run, MPI_Type_get_extent(type, &lb, &buffer->extent));\n"
     "}\n"
     "\n"},
    {C_ALLOC, 0,
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
    {C_TMP, 0,
     "/* Gives tmp chunks as large as the largest of another buffer. */\n"
     "static void collc_make_tmp(struct collc_run *run, int like, int64_t chunks)\n"
     "{\n"
     "    const struct collc_buffer *model = &run->buffer[like];\n"
     "    int64_t size = (model->elements + model->chunks - 1) / model->chunks;\n"
     "\n"
     "    if (chunks == 0)\n"
     "        chunks = 1; /* so that there is a place for none of it */\n"
     "    collc_make(run, tmp, chunks * size, model->type, chunks);\n"},
    {C_HELD, 0,
     "    run->held = calloc((size_t)chunks + 1, sizeof *run->held);\n"
     "    if (!run->held)\n"
     "        collc_check(run, MPI_ERR_NO_MEM);\n"},
    {C_TMP, 0, "}\n\n"},
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
     "/* `n` chunks of a buffer, `chunk` the first. */\n"
     "static struct collc_data collc_chunks(const struct collc_run *run, int which, int64_t chunk,\n"
     "                                      int64_t n)\n"
     "{\n"
     "    const struct collc_buffer *buffer = &run->buffer[which];\n"
     "    int64_t first = collc_before(buffer, chunk);\n"
     "    int64_t count = collc_before(buffer, chunk + n) - first;\n"
     "    struct collc_data data;\n"
     "\n"
     "    data.start = buffer->base + (MPI_Aint)first * buffer->extent;\n"
     "    data.count = (int)count;\n"
     "    data.type = buffer->type;\n"
     "    return data;\n"
     "}\n"
     "\n"},
    {C_MOVE, 0,
     "/* A local copy: MPI does it, for both sides may have types of their own. */\n"
     "static void collc_move(struct collc_run *run, struct collc_data from, struct collc_data to)\n"
     "{\n"
     "    if (from.start != to.start)\n"
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
     "    for (int64_t i = 0; i < n; i++) {\n"
     "        struct collc_data source = collc_chunks(run, from, chunk + i, 1);\n"
     "        struct collc_data target = collc_chunks(run, to, to_chunk + i, 1);\n"
     "\n"},
    {C_COPY | C_HELD, 0,
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
     "    for (int64_t i = 0; i < n; i++) {\n"
     "        struct collc_data source = collc_chunks(run, from, chunk + i, 1);\n"
     "        struct collc_data target = collc_chunks(run, to, to_chunk + i, 1);\n"
     "\n"},
    {C_COMBINE | C_HELD, 0,
     "        if (from == tmp)\n"
     "            source.count = run->held[chunk + i];\n"},
    {C_COMBINE, 0,
     "        collc_check(run, MPI_Reduce_local(source.start, target.start, source.count,\n"
     "                                          source.type, run->op));\n"
     "    }\n"
     "}\n"
     "\n"},
};

/* At the beginning of collc_add. */
#define ABSENT                                                                                \
    "    if (peer < 0) /* no such rank: the server has fewer */\n"                            \
    "        return;\n"

/* Messages of a step. */
static const struct c_piece messages[] = {
    {0, 0,
     "/* Room for one more message in the step; NULL if there is no memory. */\n"
     "static struct collc_message *collc_new_message(struct collc_run *run)\n"
     "{\n"
     "    if (run->n_messages == run->capacity) {\n"
     "        int wanted = 2 * run->capacity + 8;\n"
     "        void *more = realloc(run->messages, (size_t)wanted * sizeof *run->messages);\n"
     "        void *requests = realloc(run->requests, (size_t)wanted * sizeof *run->requests);\n"
     "        void *statuses = realloc(run->statuses, (size_t)wanted * sizeof *run->statuses);\n"
     "\n"
     "        run->messages = more ? more : run->messages;\n"
     "        run->requests = requests ? requests : run->requests;\n"
     "        run->statuses = statuses ? statuses : run->statuses;\n"
     "        if (!more || !requests || !statuses) {\n"
     "            collc_check(run, MPI_ERR_NO_MEM);\n"
     "            return NULL;\n"
     "        }\n"
     "        run->capacity = wanted;\n"
     "    }\n"
     "    return &run->messages[run->n_messages++];\n"
     "}\n"
     "\n"},
    {C_RANGE, 0,
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
    {C_DATA, 0,
     "static void collc_add(struct collc_run *run, enum collc_kind kind, int which, int64_t chunk,\n"
     "                      int64_t n, int peer)\n"
     "{\n"
     "    struct collc_message *message;\n"
     "\n"},
    {C_RAGGED | C_DATA, 0, ABSENT},
    {C_DATA, 0,
     "    if (!collc_has(run, which, chunk, n))\n"
     "        return;\n"
     "    message = collc_new_message(run);\n"
     "    if (!message)\n"
     "        return;\n"
     "    message->kind = kind;\n"
     "    message->peer = peer;\n"
     "    message->data = collc_chunks(run, which, chunk, n);\n"},
    {C_RANGE, 0, "    collc_make_type(run, message, which, n);\n"},
    {C_HELD, 0, "    message->tmp_chunk = which == tmp ? chunk : -1;\n"},
    {C_REDUCE, 0, "    message->aside = run->n_aside;\n"},
    {C_REDUCE | C_RANGE, 0,
     "    message->elements = collc_before(&run->buffer[which], chunk + n) -\n"
     "                        collc_before(&run->buffer[which], chunk);\n"
     "    if (kind == collc_is_reduce)\n"
     "        run->n_aside += message->elements;\n"},
    {C_REDUCE, C_RANGE,
     "    if (kind == collc_is_reduce)\n"
     "        run->n_aside += message->data.count;\n"},
    {C_DATA, 0, "}\n\n"},
    {C_HELD, 0,
     "/* The chunks travel one by one: those of tmp do not lie end to end. */\n"
     "static void collc_add_each(struct collc_run *run, enum collc_kind kind, int which,\n"
     "                           int64_t chunk, int64_t n, int peer)\n"
     "{\n"
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
    {C_DATA | C_SEND, C_HELD, WRAPPER("collc_send", "collc_is_send", "collc_add")},
    {C_DATA | C_RECV, C_HELD, WRAPPER("collc_recv", "collc_is_recv", "collc_add")},
    {C_REDUCE_OP, C_HELD, WRAPPER("collc_reduce", "collc_is_reduce", "collc_add")},
    {C_HELD | C_SEND, 0, WRAPPER("collc_send", "collc_is_send", "collc_add_each")},
    {C_HELD | C_RECV, 0, WRAPPER("collc_recv", "collc_is_recv", "collc_add_each")},
    {C_HELD | C_REDUCE_OP, 0, WRAPPER("collc_reduce", "collc_is_reduce", "collc_add_each")},
    {0, C_DATA,
     "static void collc_add(struct collc_run *run, enum collc_kind kind, int peer)\n"
     "{\n"
     "    struct collc_message *message;\n"
     "\n"},
    {C_RAGGED, C_DATA, ABSENT},
    {0, C_DATA,
     "    message = collc_new_message(run);\n"
     "    if (message) {\n"
     "        message->kind = kind;\n"
     "        message->peer = peer;\n"
     "    }\n"
     "}\n"
     "\n"},
    {C_SEND, C_DATA,
     "static void collc_send(struct collc_run *run, int peer)\n"
     "{\n"
     "    collc_add(run, collc_is_send, peer);\n"
     "}\n"
     "\n"},
    {C_RECV, C_DATA,
     "static void collc_recv(struct collc_run *run, int peer)\n"
     "{\n"
     "    collc_add(run, collc_is_recv, peer);\n"
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
     "static void collc_post(struct collc_run *run, int i)\n"
     "{\n"
     "    struct collc_message *message = &run->messages[i];\n"
     "    MPI_Request *request = &run->requests[i];\n"
     "\n"
     "    *request = MPI_REQUEST_NULL;\n"},
    {C_HELD, 0,
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
    {0, 0,
     "}\n"
     "\n"
     "/* Posts all receives, then all sends, and waits for them together. */\n"
     "static void collc_exchange(struct collc_run *run)\n"
     "{\n"
     "    int error, class;\n"
     "\n"
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        if (run->messages[i].kind != collc_is_send)\n"
     "            collc_post(run, i);\n"
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        if (run->messages[i].kind == collc_is_send)\n"
     "            collc_post(run, i);\n"
     "    error = MPI_Waitall(run->n_messages, run->requests, run->statuses);\n"
     "    if (error == MPI_SUCCESS)\n"
     "        return;\n"
     "    MPI_Error_class(error, &class);\n"
     "    for (int i = 0; class == MPI_ERR_IN_STATUS && i < run->n_messages; i++) {\n"
     "        error = run->statuses[i].MPI_ERROR;\n"
     "        if (error == MPI_ERR_PENDING)\n"
     "            error = MPI_Wait(&run->requests[i], &run->statuses[i]);\n"
     "        collc_check(run, error);\n"
     "    }\n"
     "    collc_check(run, error);\n"
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
    {C_HELD, 0,
     "/* Notes how much a chunk of tmp holds now. */\n"
     "static void collc_note_held(struct collc_run *run, int i)\n"
     "{\n"
     "    const struct collc_message *message = &run->messages[i];\n"
     "    int count = 0;\n"
     "\n"
     "    if (message->kind != collc_is_recv || message->tmp_chunk < 0)\n"
     "        return;\n"
     "    collc_check(run, MPI_Get_count(&run->statuses[i], message->data.type, &count));\n"
     "    run->held[message->tmp_chunk] = count < 0 ? 0 : count;\n"
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
    {C_HELD, 0,
     "    for (int i = 0; i < run->n_messages; i++)\n"
     "        collc_note_held(run, i);\n"},
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
    PRINT(communicator, unit->features, out);
    PRINT(data, unit->features, out);
    PRINT(combine_local, unit->features, out);
    PRINT(messages, unit->features, out);
    PRINT(operations, unit->features, out);
    PRINT(step_end, unit->features, out);
}
