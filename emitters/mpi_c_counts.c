/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is particular to MPI's collectives with unequal counts: their arguments, and how the
 * buffers lie in memory. Counts and displacements are used where the caller has them; only
 * where each chunk begins is worked out.
 */
#include "emitters/mpi_c.h"

#define PRINT(pieces, features, out) \
    c_pieces(pieces, sizeof(pieces) / sizeof *(pieces), features, out)

static const struct c_entry entries[N_FORMS] = {
    [FORM_gatherv] =
        {"Gatherv",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, const int recvcounts[], const int displs[],\n"
         "MPI_Datatype recvtype, int root, MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm",
         "(sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL)) ||\n"
         "root < 0",
         "(run.rank == root ? collc_is_negative(recvcounts, run.p) || recvtype == MPI_DATATYPE_NULL\n"
         "                  : sendbuf == MPI_IN_PLACE)",
         C_DATA | C_ROOT | C_IN_PLACE | C_UNEQUAL},
    [FORM_scatterv] =
        {"Scatterv",
         "const void *sendbuf, const int sendcounts[], const int displs[],\n"
         "MPI_Datatype sendtype, void *recvbuf, int recvcount,\n"
         "MPI_Datatype recvtype, int root, MPI_Comm comm",
         "sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm",
         "(recvbuf != MPI_IN_PLACE && (recvcount < 0 || recvtype == MPI_DATATYPE_NULL)) ||\n"
         "root < 0",
         "(run.rank == root ? collc_is_negative(sendcounts, run.p) || sendtype == MPI_DATATYPE_NULL\n"
         "                  : recvbuf == MPI_IN_PLACE)",
         C_DATA | C_ROOT | C_IN_PLACE | C_UNEQUAL},
    [FORM_allgatherv] =
        {"Allgatherv",
         "const void *sendbuf, int sendcount, MPI_Datatype sendtype,\n"
         "void *recvbuf, const int recvcounts[], const int displs[],\n"
         "MPI_Datatype recvtype, MPI_Comm comm",
         "sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm",
         "recvtype == MPI_DATATYPE_NULL ||\n"
         "(sendbuf != MPI_IN_PLACE && (sendcount < 0 || sendtype == MPI_DATATYPE_NULL))",
         "collc_is_negative(recvcounts, run.p)", C_DATA | C_UNEQUAL},
    [FORM_alltoallv] =
        {"Alltoallv",
         "const void *sendbuf, const int sendcounts[], const int sdispls[],\n"
         "MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],\n"
         "const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm",
         "sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm",
         "recvtype == MPI_DATATYPE_NULL ||\n"
         "(sendbuf != MPI_IN_PLACE && sendtype == MPI_DATATYPE_NULL)",
         "collc_is_negative(recvcounts, run.p) ||\n"
         "(sendbuf != MPI_IN_PLACE && collc_is_negative(sendcounts, run.p))",
         C_DATA | C_COPY | C_ALLOC | C_UNEQUAL},
    [FORM_alltoallw] =
        {"Alltoallw",
         "const void *sendbuf, const int sendcounts[], const int sdispls[],\n"
         "const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[],\n"
         "const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm",
         "sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm",
         "recvtypes == NULL || (sendbuf != MPI_IN_PLACE && sendtypes == NULL)",
         "collc_is_negative(recvcounts, run.p) ||\n"
         "(sendbuf != MPI_IN_PLACE && collc_is_negative(sendcounts, run.p))",
         C_DATA | C_COPY | C_ALLOC | C_UNEQUAL | C_TYPES},
    [FORM_reduce_scatter] =
        {"Reduce_scatter",
         "const void *sendbuf, void *recvbuf, const int recvcounts[],\n"
         "MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
         "sendbuf, recvbuf, recvcounts, datatype, op, comm",
         "datatype == MPI_DATATYPE_NULL", "collc_is_negative(recvcounts, run.p)",
         C_DATA | C_COPY | C_REDUCE | C_UNEQUAL},
};

const struct c_entry *c_entry_of_form(enum collective_form form)
{
    return &entries[form];
}

/* In place, a rank's own input is in its place of the output. */
#define OWN_CUT_INPUT                                                                              \
    "        if (sendbuf == MPI_IN_PLACE) {\n"                                                     \
    "            collc_pack_blocks(&run, out, &all, run.rank, 1);\n"                               \
    "            collc_share(&run, in, out, run.rank);\n"                                          \
    "        } else {\n"                                                                           \
    "            collc_cut(&run, in, sendbuf, 1, sendcount, sendtype);\n"                          \
    "            collc_pack(&run, in, sendbuf, 0, 1, sendcount, sendtype);\n"                      \
    "        }\n"
#define IN_PLACE_OR_CUT(whole)                                                                     \
    "        if (sendbuf != MPI_IN_PLACE) {\n"                                                     \
    "            collc_cut_blocks(&run, in, &to_go);\n"                                            \
    "            collc_pack_blocks(&run, in, &to_go, 0, run.p);\n"                                 \
    "        } else if (run.error == MPI_SUCCESS) {\n"                                             \
    "            collc_pack_blocks(&run, out, &to_come, 0, run.p);\n"                              \
    "            if (run.segments > 1)\n"                                                          \
    "                collc_make_twin(&run);\n"                                                     \
    "            else\n"                                                                           \
    "                " whole ";\n"                                                                 \
    "            if (run.error == MPI_SUCCESS)\n"                                                  \
    "                collc_copy(&run, out, 0, run.p * run.segments, in, 0);\n"                     \
    "        }\n"

static const struct c_piece gatherv[] = {
    {C_SEGMENTS, 0,
     "        struct collc_blocks all = {recvbuf, recvcounts, displs, recvtype};\n"
     "\n"
     "        if (run.rank == root)\n"
     "            collc_cut_blocks(&run, out, &all);\n"
     OWN_CUT_INPUT},
    {0, C_SEGMENTS,
     "        if (run.rank == root)\n"
     "            collc_set_at(&run, out, recvbuf, recvcounts, displs, recvtype);\n"
     "        if (sendbuf != MPI_IN_PLACE)\n"
     "            collc_set(&run, in, sendbuf, sendcount, sendtype, 1);\n"
     "        else if (run.error == MPI_SUCCESS)\n"
     "            collc_set(&run, in, collc_chunks(&run, out, root, 1).start, recvcounts[root],\n"
     "                      recvtype, 1);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

static const struct c_piece scatterv[] = {
    {C_SEGMENTS, 0,
     "        struct collc_blocks all = {(char *)sendbuf, sendcounts, displs, sendtype};\n"
     "\n"
     "        if (run.rank == root) {\n"
     "            collc_cut_blocks(&run, in, &all);\n"
     "            collc_pack_blocks(&run, in, &all, 0, run.p);\n"
     "        }\n"
     "        if (recvbuf == MPI_IN_PLACE)\n"
     "            collc_share(&run, out, in, run.rank);\n"
     "        else\n"
     "            collc_cut(&run, out, recvbuf, 1, recvcount, recvtype);\n"},
    {0, C_SEGMENTS,
     "        if (run.rank == root)\n"
     "            collc_set_at(&run, in, sendbuf, sendcounts, displs, sendtype);\n"
     "        if (recvbuf != MPI_IN_PLACE)\n"
     "            collc_set(&run, out, recvbuf, recvcount, recvtype, 1);\n"
     "        else if (run.error == MPI_SUCCESS)\n"
     "            collc_set(&run, out, collc_chunks(&run, in, root, 1).start, sendcounts[root],\n"
     "                      sendtype, 1);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

static const struct c_piece allgatherv[] = {
    {C_SEGMENTS, 0,
     "        struct collc_blocks all = {recvbuf, recvcounts, displs, recvtype};\n"
     "\n"
     "        collc_cut_blocks(&run, out, &all);\n"
     OWN_CUT_INPUT},
    {0, C_SEGMENTS,
     "        collc_set_at(&run, out, recvbuf, recvcounts, displs, recvtype);\n"
     "        if (sendbuf != MPI_IN_PLACE)\n"
     "            collc_set(&run, in, sendbuf, sendcount, sendtype, 1);\n"
     "        else if (run.error == MPI_SUCCESS)\n"
     "            collc_set(&run, in, collc_chunks(&run, out, run.rank, 1).start,\n"
     "                      recvcounts[run.rank], recvtype, 1);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

static const struct c_piece alltoallv[] = {
    {C_SEGMENTS, 0,
     "        struct collc_blocks to_come = {recvbuf, recvcounts, rdispls, recvtype};\n"
     "        struct collc_blocks to_go = {(char *)sendbuf, sendcounts, sdispls, sendtype};\n"
     "\n"
     "        collc_cut_blocks(&run, out, &to_come);\n"
     IN_PLACE_OR_CUT("collc_make_at(&run, in, recvcounts, run.p, recvtype)")},
    {0, C_SEGMENTS,
     "        collc_set_at(&run, out, recvbuf, recvcounts, rdispls, recvtype);\n"
     "        if (sendbuf == MPI_IN_PLACE)\n"
     "            collc_make_at(&run, in, recvcounts, run.p, recvtype);\n"
     "        else\n"
     "            collc_set_at(&run, in, sendbuf, sendcounts, sdispls, sendtype);\n"
     "        if (sendbuf == MPI_IN_PLACE && run.error == MPI_SUCCESS)\n"
     "            collc_copy(&run, out, 0, run.p, in, 0);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

static const struct c_piece alltoallw[] = {
    {C_SEGMENTS, 0,
     "        struct collc_blocks to_come = {recvbuf, recvcounts, rdispls, recvtypes};\n"
     "        struct collc_blocks to_go = {(char *)sendbuf, sendcounts, sdispls, sendtypes};\n"
     "\n"
     "        collc_cut_blocks(&run, out, &to_come);\n"
     IN_PLACE_OR_CUT("collc_make_types(&run, in, recvcounts, recvtypes, run.p)")},
    {0, C_SEGMENTS,
     "        collc_set_types(&run, out, recvbuf, recvcounts, rdispls, recvtypes);\n"
     "        if (sendbuf == MPI_IN_PLACE)\n"
     "            collc_make_types(&run, in, recvcounts, recvtypes, run.p);\n"
     "        else\n"
     "            collc_set_types(&run, in, sendbuf, sendcounts, sdispls, sendtypes);\n"
     "        if (sendbuf == MPI_IN_PLACE && run.error == MPI_SUCCESS)\n"
     "            collc_copy(&run, out, 0, run.p, in, 0);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

/* In place, the result takes the place of a part of the input: that is copied. */
static const struct c_piece reduce_scatter[] = {
    {C_SEGMENTS, 0,
     "        run.op = op;\n"
     "        run.type = datatype;\n"
     "        if (sendbuf == MPI_IN_PLACE) {\n"
     "            collc_cut_counts(&run, out, recvbuf, recvcounts, datatype);\n"
     "            if (run.error == MPI_SUCCESS)\n"
     "                collc_make_at(&run, in, run.buffer[out].counts, run.p * run.segments, datatype);\n"
     "            if (run.error == MPI_SUCCESS)\n"
     "                collc_copy(&run, out, 0, run.p * run.segments, in, 0);\n"
     "        } else {\n"
     "            collc_cut_counts(&run, in, sendbuf, recvcounts, datatype);\n"
     "        }\n"
     "        collc_set(&run, out, recvbuf, recvcounts[run.rank], datatype, run.segments);\n"},
    {0, C_SEGMENTS,
     "        run.op = op;\n"
     "        run.type = datatype;\n"
     "        if (sendbuf == MPI_IN_PLACE) {\n"
     "            collc_set_at(&run, out, recvbuf, recvcounts, NULL, datatype);\n"
     "            collc_make_at(&run, in, recvcounts, run.p, datatype);\n"
     "            if (run.error == MPI_SUCCESS)\n"
     "                collc_copy(&run, out, 0, run.p, in, 0);\n"
     "        } else {\n"
     "            collc_set_at(&run, in, sendbuf, recvcounts, NULL, datatype);\n"
     "        }\n"
     "        collc_set(&run, out, recvbuf, recvcounts[run.rank], datatype, 1);\n"},
    {C_TMP, 0, "        collc_make_tmp(&run, collc_like_buffer, run.n_tmp);\n"},
};

void c_layout_of_form(enum collective_form form, unsigned features, struct text *out)
{
    switch (form) {
    case FORM_gatherv: PRINT(gatherv, features, out); break;
    case FORM_scatterv: PRINT(scatterv, features, out); break;
    case FORM_allgatherv: PRINT(allgatherv, features, out); break;
    case FORM_alltoallv: PRINT(alltoallv, features, out); break;
    case FORM_alltoallw: PRINT(alltoallw, features, out); break;
    case FORM_reduce_scatter: PRINT(reduce_scatter, features, out); break;
    case FORM_EQUAL:
    case N_FORMS: break;
    }
}
