/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The heading of emitted C and the function with MPI's own signature: it hands
 * to the MPI's own collective what the algorithm is not defined for, lays out
 * the buffers, runs the steps and reports errors as MPI does.
 */
#include "emitters/mpi_c.h"

#include <string.h>

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

static const struct c_entry entries[N_COLLECTIVES] = {
    [COLLECTIVE_alltoall] =
        {"Alltoall",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, int recvcount, MPI_Datatype recvtype,\n"
         "MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm",
         "recvcount < 0 || recvtype == MPI_DATATYPE_NULL ||\n"
         "(sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL))",
         NULL, C_DATA | C_COPY | C_ALLOC},
    [COLLECTIVE_bcast] =
        {"Bcast",
         "void *buffer, int count, MPI_Datatype datatype,\n"
         "int root, MPI_Comm comm",
         "buffer, count, datatype, root, comm",
         "count < 0 || datatype == MPI_DATATYPE_NULL || root < 0", NULL,
         C_DATA | C_ROOT},
    [COLLECTIVE_allgather] =
        {"Allgather",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, int recvcount, MPI_Datatype recvtype,\n"
         "MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm",
         "recvcount < 0 || recvtype == MPI_DATATYPE_NULL ||\n"
         "(sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL))",
         NULL, C_DATA},
    [COLLECTIVE_reduce] =
        {"Reduce",
         "const void *sendbuf, void *recvbuf, int count,\n"
         "MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm",
         "sendbuf, recvbuf, count, datatype, op, root, comm",
         "count < 0 || datatype == MPI_DATATYPE_NULL || root < 0",
         "(run.rank != root && sendbuf == MPI_IN_PLACE)",
         C_DATA | C_MOVE | C_REDUCE | C_ROOT | C_IN_PLACE},
    [COLLECTIVE_allreduce] =
        {"Allreduce",
         "const void *sendbuf, void *recvbuf, int count,\n"
         "MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
         "sendbuf, recvbuf, count, datatype, op, comm",
         "count < 0 || datatype == MPI_DATATYPE_NULL", NULL,
         C_DATA | C_MOVE | C_REDUCE},
    [COLLECTIVE_gather] =
        {"Gather",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, int recvcount, MPI_Datatype recvtype,\n"
         "int root, MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm",
         "(sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL)) ||\n"
         "root < 0",
         "(run.rank == root ? recvcount < 0 || recvtype == MPI_DATATYPE_NULL\n"
         "                  : sendbuf == MPI_IN_PLACE)",
         C_DATA | C_ROOT | C_IN_PLACE},
    [COLLECTIVE_scatter] =
        {"Scatter",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, int recvcount, MPI_Datatype recvtype,\n"
         "int root, MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm",
         "(recvbuf != MPI_IN_PLACE && (recvcount < 0 || recvtype == MPI_DATATYPE_NULL)) ||\n"
         "root < 0",
         "(run.rank == root ? sendcount < 0 || sendtype == MPI_DATATYPE_NULL\n"
         "                  : recvbuf == MPI_IN_PLACE)",
         C_DATA | C_ROOT | C_IN_PLACE},
    [COLLECTIVE_reduce_scatter_block] =
        {"Reduce_scatter_block",
         "const void *sendbuf, void *recvbuf, int recvcount,\n"
         "MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
         "sendbuf, recvbuf, recvcount, datatype, op, comm",
         "recvcount < 0 || datatype == MPI_DATATYPE_NULL", NULL,
         C_DATA | C_COPY | C_REDUCE},
    [COLLECTIVE_scan] =
        {"Scan",
         "const void *sendbuf, void *recvbuf, int count,\n"
         "MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
         "sendbuf, recvbuf, count, datatype, op, comm",
         "count < 0 || datatype == MPI_DATATYPE_NULL", NULL,
         C_DATA | C_MOVE | C_REDUCE},
    [COLLECTIVE_exscan] =
        {"Exscan",
         "const void *sendbuf, void *recvbuf, int count,\n"
         "MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
         "sendbuf, recvbuf, count, datatype, op, comm",
         "count < 0 || datatype == MPI_DATATYPE_NULL", NULL,
         C_DATA | C_MOVE | C_REDUCE},
    [COLLECTIVE_barrier] = {"Barrier", "MPI_Comm comm", "comm", NULL, NULL, 0},
};

static const struct c_entry *entry_of(const struct c_unit *unit)
{
    return unit->form == FORM_EQUAL ? &entries[unit->collective] : c_entry_of_form(unit->form);
}

/* What follows from what is used. */
static unsigned complete(unsigned features)
{
    if (features & C_COPY)
        features |= C_MOVE;
    if (features & (C_TMP | C_REDUCE))
        features |= C_ALLOC;
    if ((features & C_SEGMENTS) && !(features & C_REDUCE))
        features |= C_PACK | C_ALLOC;
    if (!(features & C_PLACE))
        features &= ~(unsigned)C_EACH;
    if ((features & C_HELD) == C_HELD && !(features & C_UNEQUAL))
        features |= C_EACH;
    if (features & C_EACH)
        features &= ~(unsigned)C_RANGE;
    if (features & C_MAP)
        features &= ~(unsigned)C_ORDERED;
    return features;
}

void c_unit_init(struct c_unit *unit, enum collective collective, enum collective_form form,
                 const char *algorithm, unsigned features, const struct emit_c_options *options)
{
    *unit = (struct c_unit){
        .collective = collective, .form = form, .algorithm = algorithm, .map = options->map,
        .clusters = options->clusters};
    if (options->map)
        features |= C_MAP | (c_is_by_rank(collective) ? C_PLACE : 0);
    features |= entry_of(unit)->features | (options->with_main ? C_MAIN : 0);
    unit->features = complete(features);
    c_name_function(unit, options->function);
}

/* Text inside of a comment, which it must not end. */
static void print_comment(const char *text, struct text *out)
{
    text_printf(out, " *");
    for (const char *c = text, *line = text; *c; c++) {
        bool is_delimiter =
            c > line && ((c[-1] == '*' && *c == '/') || (c[-1] == '/' && *c == '*'));
        if (*c == '\n') {
            text_printf(out, "\n *");
            line = c + 1;
            continue;
        }
        text_printf(out, "%s%s%c", c == line ? " " : "", is_delimiter ? " " : "", *c);
    }
    text_printf(out, "\n");
}

void c_heading(const struct c_unit *unit, struct text *out)
{
    const char *name = entry_of(unit)->mpi_name;
    text_printf(out, "/* SPDX-License-Identifier: 0BSD */\n/* MPI_%s by the algorithm ", name);
    for (const char *c = unit->algorithm; *c; c++)
        text_printf(out, "%c", strchr("*/\n", *c) ? '_' : *c);
    text_printf(out, ". Generated by collc.\n *\n");
    if (unit->description && *unit->description) {
        print_comment(unit->description, out);
        text_printf(out, " *\n");
    }
    text_printf(out, " * %s\n *\n", unit->scope);
    text_printf(out,
                " * Call %s as MPI_%s is called. Compiled with -DCOLLC_SHIM\n"
                " * -shared -fPIC it is a library that takes the place of MPI_%s by LD_PRELOAD.\n"
                " */\n",
                unit->function, name, name);
    if (unit->features & C_MAIN && unit->collective == COLLECTIVE_barrier)
        text_printf(out, "#define _POSIX_C_SOURCE 199309L /* clock_gettime */\n\n");
}

void c_hanging(const char *text, size_t column, struct text *out)
{
    for (; *text; text++) {
        text_append(out, text, 1);
        if (*text == '\n')
            text_printf(out, "%*s", (int)column, "");
    }
}

static const struct c_piece open_close[] = {
    {C_REDUCE, C_ORDERED,
     "static int collc_commutes(MPI_Op op)\n"
     "{\n"
     "    int commutes = 0;\n"
     "\n"
     "    return op != MPI_OP_NULL && MPI_Op_commutative(op, &commutes) == MPI_SUCCESS && commutes;\n"
     "}\n"
     "\n"},
    {0, 0,
     "/* Gets ready. False: the MPI's own collective has to do it; all ranks agree. */\n"
     "static int collc_open(struct collc_run *run, MPI_Comm comm)\n"
     "{\n"
     "    struct collc_comm *own = NULL;\n"
     "    int inter = 1;\n"
     "\n"
     "    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)\n"
     "        return 0;\n"
     "    MPI_Comm_rank(comm, &run->rank);\n"
     "    MPI_Comm_size(comm, &run->p);\n"},
    {C_ROOT, 0,
     "    if (run->root >= run->p)\n"
     "        return 0;\n"},
    {0, 0,
     "    collc_check(run, collc_own(comm, &own));\n"
     "    if (run->error != MPI_SUCCESS)\n"
     "        return 1; /* collc_close reports it */\n"
     "    run->comm = own->comm;\n"},
    {C_SERVERS, 0, "    run->own = own;\n"},
    {0, 0,
     "    return collc_fits(run);\n"
     "}\n"
     "\n"
     "/* Frees everything; hands an error to the error handler of the caller. */\n"
     "static int collc_close(struct collc_run *run, MPI_Comm comm)\n"
     "{\n"},
    {C_ALLOC, 0,
     "    for (int i = 0; i < n_buffers; i++)\n"
     "        free(run->block[i]);\n"},
    {C_HELD, C_UNEQUAL, "    free(run->held);\n"},
    {C_UNEQUAL, 0,
     "    for (int i = 0; i < n_buffers; i++)\n"
     "        free(run->at[i]);\n"},
    {C_UNEQUAL | C_SEGMENTS, 0,
     "    for (int i = 0; i < n_buffers; i++)\n"
     "        free(run->cut[i]);\n"},
    {C_UNEQUAL | C_TMP, 0, "    free(run->tmp_counts);\n"},
    {C_TYPES | C_TMP, 0, "    free(run->tmp_types);\n"},
    {0, 0,
     "    free(run->messages);\n"
     "    if (run->error != MPI_SUCCESS)\n"
     "        MPI_Comm_call_errhandler(comm, run->error);\n"
     "    return run->error;\n"
     "}\n"
     "\n"},
};

/* tmp has chunks as large as the largest of that buffer, unless it is said what they are like. */
#define MAKE_TMP(like)                                                                             \
    {C_TMP, C_UNEQUAL, "        collc_make_tmp(&run, " like ", run.n_tmp);\n"},                    \
    {C_TMP | C_UNEQUAL, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"}

static const struct c_piece alltoall[] = {
    {C_SEGMENTS, 0,
     "        collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);\n"
     "        if (sendbuf == MPI_IN_PLACE && run.error == MPI_SUCCESS) {\n"
     "            collc_pack(&run, out, recvbuf, 0, run.p, recvcount, recvtype);\n"
     "            collc_make(&run, in, run.buffer[out].elements, run.buffer[out].type,\n"
     "                       run.buffer[out].chunks);\n"
     "            if (run.error == MPI_SUCCESS)\n"
     "                collc_copy(&run, out, 0, run.buffer[out].chunks, in, 0);\n"
     "        } else if (sendbuf != MPI_IN_PLACE) {\n"
     "            collc_cut(&run, in, sendbuf, run.p, sendcount, sendtype);\n"
     "            collc_pack(&run, in, sendbuf, 0, run.p, sendcount, sendtype);\n"
     "        }\n"},
    {0, C_SEGMENTS,
     "        collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);\n"
     "        if (sendbuf == MPI_IN_PLACE)\n"
     "            collc_make(&run, in, (int64_t)run.p * recvcount, recvtype, run.p);\n"
     "        else\n"
     "            collc_set(&run, in, sendbuf, (int64_t)run.p * sendcount, sendtype, run.p);\n"
     "        if (sendbuf == MPI_IN_PLACE && run.error == MPI_SUCCESS)\n"
     "            collc_copy(&run, out, 0, run.p, in, 0);\n"},
    MAKE_TMP("out"),
};

/* In place, a rank's own input is in its place of the output. */
#define OWN_INPUT                                                                                  \
    "        if (sendbuf == MPI_IN_PLACE)\n"                                                       \
    "            collc_set(&run, in, collc_chunks(&run, out, run.rank, 1).start, recvcount,\n"     \
    "                      recvtype, 1);\n"                                                        \
    "        else\n"                                                                              \
    "            collc_set(&run, in, sendbuf, sendcount, sendtype, 1);\n"
#define OWN_CUT_INPUT                                                                              \
    "        if (sendbuf == MPI_IN_PLACE) {\n"                                                     \
    "            collc_pack(&run, out, recvbuf, run.rank, 1, recvcount, recvtype);\n"              \
    "            collc_share(&run, in, out, run.rank);\n"                                          \
    "        } else {\n"                                                                           \
    "            collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);\n"                          \
    "            collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);\n"                      \
    "        }\n"

static const struct c_piece allgather[] = {
    {C_SEGMENTS, 0,
     "        collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);\n"
     OWN_CUT_INPUT},
    {0, C_SEGMENTS,
     "        collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);\n"
     OWN_INPUT},
    MAKE_TMP("out"),
};

/* What is reduced, and where to. */
#define OPERANDS                                                                                   \
    "        struct collc_data from = {(char *)sendbuf, count, datatype};\n"                       \
    "        struct collc_data to = {recvbuf, count, datatype};\n"                                 \
    "\n"                                                                                           \
    "        run.op = op;\n"                                                                       \
    "        run.type = datatype;\n"

static const struct c_piece bcast[] = {
    {0, C_SEGMENTS, "        collc_set(&run, buf, buffer, count, datatype, 1);\n"},
    {C_SEGMENTS, 0,
     "        if (run.segments == 1)\n"
     "            collc_set(&run, buf, buffer, count, datatype, 1);\n"
     "        else\n"
     "            collc_set_bytes(&run, buffer, count, datatype);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, buf, run.n_tmp);\n"},
};

static const struct c_piece allreduce[] = {
    {0, 0,
     OPERANDS
     "        if (sendbuf != MPI_IN_PLACE)\n"
     "            collc_move(&run, from, to);\n"},
    {C_SEGMENTS, 0, "        collc_set(&run, buf, recvbuf, count, datatype, run.segments);\n"},
    {0, C_SEGMENTS, "        collc_set(&run, buf, recvbuf, count, datatype, 1);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, buf, run.n_tmp);\n"},
};

/* recvbuf is the root's only: elsewhere partial results have a place of our own. */
static const struct c_piece reduce[] = {
    {0, 0, "        struct collc_data from = {(char *)sendbuf, count, datatype};\n\n"
           "        run.op = op;\n"
           "        run.type = datatype;\n"
           "        if (run.rank == root)\n"},
    {C_SEGMENTS, 0,
     "            collc_set(&run, buf, recvbuf, count, datatype, run.segments);\n"
     "        else\n"
     "            collc_make(&run, buf, count, datatype, run.segments);\n"},
    {0, C_SEGMENTS,
     "            collc_set(&run, buf, recvbuf, count, datatype, 1);\n"
     "        else\n"
     "            collc_make(&run, buf, count, datatype, 1);\n"},
    {0, 0,
     "        if (sendbuf != MPI_IN_PLACE && run.error == MPI_SUCCESS) {\n"
     "            struct collc_data to = {run.buffer[buf].base, count, datatype};\n"
     "\n"
     "            collc_move(&run, from, to);\n"
     "        }\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, buf, run.n_tmp);\n"},
};

static const struct c_piece gather[] = {
    {C_SEGMENTS, 0,
     "        if (run.rank == root)\n"
     "            collc_cut(&run, out, recvbuf, run.p, recvcount, recvtype);\n"
     OWN_CUT_INPUT},
    {0, C_SEGMENTS,
     "        if (run.rank == root)\n"
     "            collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, recvtype, run.p);\n"
     OWN_INPUT},
    MAKE_TMP("in"),
};

static const struct c_piece scatter[] = {
    {C_SEGMENTS, 0,
     "        if (run.rank == root) {\n"
     "            collc_cut(&run, in, sendbuf, run.p, sendcount, sendtype);\n"
     "            collc_pack(&run, in, sendbuf, 0, run.p, sendcount, sendtype);\n"
     "        }\n"
     "        if (recvbuf == MPI_IN_PLACE)\n"
     "            collc_share(&run, out, in, run.rank);\n"
     "        else\n"
     "            collc_cut(&run, out, recvbuf, 1, recvcount, recvtype);\n"},
    {0, C_SEGMENTS,
     "        if (run.rank == root)\n"
     "            collc_set(&run, in, sendbuf, (int64_t)run.p * sendcount, sendtype, run.p);\n"
     "        if (recvbuf == MPI_IN_PLACE)\n"
     "            collc_set(&run, out, collc_chunks(&run, in, run.rank, 1).start, sendcount,\n"
     "                      sendtype, 1);\n"
     "        else\n"
     "            collc_set(&run, out, recvbuf, recvcount, recvtype, 1);\n"},
    MAKE_TMP("out"),
};

/* In place, the result takes the place of a part of the input: that is copied. */
static const struct c_piece reduce_scatter_block[] = {
    {0, 0,
     "        run.op = op;\n"
     "        run.type = datatype;\n"},
    {C_SEGMENTS, 0,
     "        if (sendbuf == MPI_IN_PLACE) {\n"
     "            collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, datatype,\n"
     "                      run.p * run.segments);\n"
     "            collc_make(&run, in, (int64_t)run.p * recvcount, datatype, run.p * run.segments);\n"
     "            if (run.error == MPI_SUCCESS)\n"},
    {C_SEGMENTS, C_PLACE,
     "                collc_copy(&run, out, 0, run.p * run.segments, in, 0);\n"},
    {C_SEGMENTS | C_PLACE, 0,
     "                for (int i = 0; i < run.p; i++)\n"
     "                    collc_copy(&run, out, collc_rank_of(&run, i) * run.segments, run.segments,\n"
     "                               in, i * run.segments);\n"},
    {C_SEGMENTS, 0,
     "        } else {\n"
     "            collc_set(&run, in, sendbuf, (int64_t)run.p * recvcount, datatype,\n"
     "                      run.p * run.segments);\n"
     "        }\n"
     "        collc_set(&run, out, recvbuf, recvcount, datatype, run.segments);\n"},
    {0, C_SEGMENTS,
     "        if (sendbuf == MPI_IN_PLACE) {\n"
     "            collc_set(&run, out, recvbuf, (int64_t)run.p * recvcount, datatype, run.p);\n"
     "            collc_make(&run, in, (int64_t)run.p * recvcount, datatype, run.p);\n"
     "            if (run.error == MPI_SUCCESS)\n"},
    {0, C_PLACE | C_SEGMENTS, "                collc_copy(&run, out, 0, run.p, in, 0);\n"},
    {C_PLACE, C_SEGMENTS,
     "                for (int i = 0; i < run.p; i++)\n"
     "                    collc_copy(&run, out, collc_rank_of(&run, i), 1, in, i);\n"},
    {0, C_SEGMENTS,
     "        } else {\n"
     "            collc_set(&run, in, sendbuf, (int64_t)run.p * recvcount, datatype, run.p);\n"
     "        }\n"
     "        collc_set(&run, out, recvbuf, recvcount, datatype, 1);\n"},
    MAKE_TMP("out"),
};

/* recvbuf is not for rank 0, and in place it stays as it is there (MPI 4.0, section
 * 6.11.2). */
static const struct c_piece exscan[] = {
    {0, 0,
     OPERANDS
     "        if (run.rank == 0) {\n"},
    {C_SEGMENTS, 0, "            collc_make(&run, buf, count, datatype, run.segments);\n"},
    {0, C_SEGMENTS, "            collc_make(&run, buf, count, datatype, 1);\n"},
    {0, 0, "        } else {\n"},
    {C_SEGMENTS, 0, "            collc_set(&run, buf, recvbuf, count, datatype, run.segments);\n"},
    {0, C_SEGMENTS, "            collc_set(&run, buf, recvbuf, count, datatype, 1);\n"},
    {0, 0,
     "        }\n"
     "        if (sendbuf == MPI_IN_PLACE)\n"
     "            from = to;\n"
     "        to.start = run.buffer[buf].base;\n"
     "        if (run.error == MPI_SUCCESS)\n"
     "            collc_move(&run, from, to);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, buf, run.n_tmp);\n"},
};

static void print_layout(const struct c_unit *unit, struct text *out)
{
    if (unit->form != FORM_EQUAL) {
        c_layout_of_form(unit->form, unit->features, out);
        return;
    }
    switch (unit->collective) {
    case COLLECTIVE_alltoall: PRINT(alltoall, unit->features, out); break;
    case COLLECTIVE_allgather: PRINT(allgather, unit->features, out); break;
    case COLLECTIVE_bcast: PRINT(bcast, unit->features, out); break;
    case COLLECTIVE_reduce: PRINT(reduce, unit->features, out); break;
    case COLLECTIVE_scan:
    case COLLECTIVE_allreduce: PRINT(allreduce, unit->features, out); break;
    case COLLECTIVE_exscan: PRINT(exscan, unit->features, out); break;
    case COLLECTIVE_gather: PRINT(gather, unit->features, out); break;
    case COLLECTIVE_scatter: PRINT(scatter, unit->features, out); break;
    case COLLECTIVE_reduce_scatter_block: PRINT(reduce_scatter_block, unit->features, out); break;
    case COLLECTIVE_barrier:
    case N_COLLECTIVES: break;
    }
}

static void print_signature(const struct c_unit *unit, const char *prefix, const char *name,
                            struct text *out)
{
    text_printf(out, "int %s%s(", prefix, name);
    c_hanging(entry_of(unit)->parameters, strlen(prefix) + strlen(name) + 5, out);
    text_printf(out, ")\n{\n");
}

static void print_delegation(const struct c_unit *unit, struct text *out)
{
    const struct c_entry *entry = entry_of(unit);
    bool is_main = unit->features & C_MAIN;
    text_printf(out, "    if (");
    if (entry->unfit) {
        c_hanging(entry->unfit, 8, out);
        if (unit->features & C_REDUCE)
            text_printf(out, unit->features & C_ORDERED ? " || op == MPI_OP_NULL"
                                                        : " || !collc_commutes(op)");
        text_printf(out, " ||\n        ");
    }
    text_printf(out, "!collc_open(&run, comm)");
    if (entry->unfit_at) {
        text_printf(out, " ||\n        ");
        c_hanging(entry->unfit_at, 8, out);
    }
    c_cut_unfit(unit, out);
    text_printf(out, ")%s\n", is_main ? " {" : "");
    if (is_main)
        text_printf(out, "        collc_n_delegated++;\n");
    text_printf(out, "        return PMPI_%s(%s);\n%s", entry->mpi_name, entry->arguments,
                is_main ? "    }\n" : "");
}

void c_entry(const struct c_unit *unit, struct text *out)
{
    const struct c_entry *entry = entry_of(unit);
    PRINT(open_close, unit->features, out);
    c_runtime_cut(unit, out);
    if (unit->features & C_MAIN)
        text_printf(out, "static int collc_n_delegated; /* calls left to the MPI's own */\n\n");
    text_printf(out, "int %s(", unit->function);
    c_hanging(entry->parameters, strlen(unit->function) + 5, out);
    text_printf(out, ");\n\n");
    print_signature(unit, "", unit->function, out);
    text_printf(out, "    struct collc_run run = {0};\n\n%s",
                unit->features & C_ROOT ? "    run.root = root;\n" : "");
    print_delegation(unit, out);
    if (unit->features & C_DATA) {
        text_printf(out, "    if (run.error == MPI_SUCCESS) {\n");
        print_layout(unit, out);
        text_printf(out, "    }\n");
    }
    text_printf(out, "    if (run.error == MPI_SUCCESS)\n        collc_steps(&run);\n");
    c_cut_end(unit, out);
    text_printf(out, "    return collc_close(&run, comm);\n}\n\n#ifdef COLLC_SHIM\n");
    print_signature(unit, "MPI_", entry->mpi_name, out);
    text_printf(out, "    return %s(%s);\n}\n#endif\n", unit->function, entry->arguments);
}
